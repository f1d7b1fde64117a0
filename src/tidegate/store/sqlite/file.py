"""The database file: how it comes to be, who may see it, and whether it is sound.

A new store is built under another name and then linked into place, whole. So nobody ever meets
half a store, twenty processes may make first contact at once, and an empty file at the path is
always damage, never somebody else's beginning.

The file is only ever opened through SQLite: closing any other handle of it would drop the locks
that this process's connections hold (POSIX), and another process could then empty the log.
"""

import errno
import logging
import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tidegate.clock import Clock
from tidegate.errors import CorruptStore, StoreNotFound, StoreUnavailable
from tidegate.private import make_private_folder
from tidegate.store.keys import Cipher, Keys
from tidegate.store.sqlite.connections import connect, file_uri
from tidegate.store.sqlite.envelopes import keep_envelope, unlock
from tidegate.store.sqlite.faults import fault_told, faults_of, is_damage
from tidegate.store.sqlite.migrate import check_kind, known_migrations, migrate, version_of
from tidegate.store.sqlite.mounts import MOUNTS, mount_of, network_use

__all__ = ["Opened", "StoreFile", "identity_of", "size_of"]

log = logging.getLogger(__name__)

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""What file systems say that know no hard links."""

_CHECKED_BYTES = 4 * 1024 * 1024
"""Up to this size a file is checked whole before it is used (about 2 ms per MB)."""


class Opened(NamedTuple):
    """A store file that is there and was checked."""

    connection: sqlite3.Connection
    """That reads it."""
    refusal: StoreUnavailable | CorruptStore | None
    """Why nothing can be written into it, if so."""
    cipher: Cipher
    """What its rows are encrypted with."""


class StoreFile:
    """The file at a path, or the one that will be there."""

    def __init__(self, path: Path, keys: Keys, mounts: Path = MOUNTS, *, reads_only: bool = False) -> None:
        """Look at nothing yet.

        Args:
            path: Where it is, or will be.
            keys: What opens it, and encrypts it if it is made here.
            mounts: The list of mounts, as the kernel gives it.
            reads_only: Whether nothing may be made or changed: neither the file, its mode, nor its schema.
        """
        self.path = path.resolve()
        self._keys = keys
        self._reads_only = reads_only
        self.url = f"sqlite://{self.path}"
        self._mount = mount_of(self.path, mounts)

    def open(self, clock: Clock) -> Opened:
        """Create the store if nothing is there, check what is there, keep it private, and open it for reading.

        All of it by one connection: the first one to be opened reads the whole log, and so would each that is
        opened when no other one is.

        Raises:
            StoreUnavailable: it cannot be created or opened, or is of an older schema and cannot be written.
            StoreLocked: it is encrypted and no key of it was given, or the other way round.
            CorruptStore: what is there is damaged, or something else. It is not touched.
            SchemaTooNew: a newer Tidegate wrote it.
        """
        self._check_mount()
        with self._os_faults():
            if not self.path.exists():
                if self._reads_only:
                    raise StoreNotFound(self.url)
                self._create(clock)
            self._check_kind()
        if not self.may_log and not self._reads_only:
            self._stop_logging()
        with faults_of(self.url):
            connection = connect(self.uri_for_reading())
        try:
            refusal = self._checked(connection)
            with faults_of(self.url):
                return Opened(connection, refusal, unlock(connection, self.url, self._keys))
        except BaseException:
            connection.close()
            raise

    def _checked(self, connection: sqlite3.Connection) -> StoreUnavailable | CorruptStore | None:
        """Check what is there; return why nothing can be written into it, if so."""
        self._check_log(connection)
        with faults_of(self.url):
            self._check_content(connection)
        if not self._reads_only:
            self._keep_private()
        refusal = self._refusal(connection)
        with faults_of(self.url):
            self._prepare_migration(connection, refusal)
        return refusal

    def _refusal(self, connection: sqlite3.Connection) -> StoreUnavailable | CorruptStore | None:
        if self._reads_only:
            return StoreUnavailable(self.url, "it was opened for reading only")
        if not _is_writable(self.path):
            return StoreUnavailable(self.url, "the file is read-only", "Make it writable to go on")
        if not _is_writable(self.path.parent):
            problem = "its directory is read-only"
            return StoreUnavailable(self.url, problem, f"Make {self.path.parent} writable to go on")
        return self._damage(connection)

    def _prepare_migration(
        self, connection: sqlite3.Connection, refusal: StoreUnavailable | CorruptStore | None
    ) -> None:
        """Keep a copy of a store of an older schema beside it; for any other there is nothing to do."""
        newest = known_migrations()[-1].version
        found = version_of(connection, self.url, newest)
        if found == newest:
            return
        if refusal is None:
            self._keep_copy(connection, self._beside(f".schema-{found}"))
            return
        if isinstance(refusal, CorruptStore):
            raise refusal
        problem = f"it has schema {found}, this Tidegate needs {newest}, and {refusal.problem}"
        raise StoreUnavailable(self.url, problem, "Make it writable once, and it is brought up to date")

    def uri_for_reading(self) -> str:
        """Return the URI for connections that only read."""
        uri = file_uri(self.path, "ro")
        # Reading a log needs a shared index beside the file. Where none can be made, and there is no log,
        # SQLite has to be told that nobody else writes either.
        logged = self.log.exists() or _is_writable(self.path.parent)
        return uri if logged else f"{uri}&immutable=1"

    @property
    def log(self) -> Path:
        """Where SQLite keeps what was committed last, while anybody has the file open."""
        return self._beside("-wal")

    def log_bytes(self) -> int:
        """Return what the log takes now; 0 if there is none."""
        try:
            return self.log.stat().st_size
        except OSError:
            return 0

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    @contextmanager
    def _os_faults(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            problem = f"{error.strerror or error}: {error.filename or self.path}"
            raise StoreUnavailable(self.url, problem, "Choose another place with --store") from error

    # -- where it is --------------------------------------------------------------------------

    @property
    def may_log(self) -> bool:
        """Whether SQLite's log works where it is; else it has to keep a rollback journal."""
        return self._mount is None or not self._mount.is_network

    def _check_mount(self) -> None:
        if use := network_use(self.url, self._mount, "where SQLite's log damages files"):
            kept = "It is kept with a rollback journal: slower, and only as safe as the locks there"
            log.warning("store %s: %s. %s", self.url, use, kept)

    def _stop_logging(self) -> None:
        with faults_of(self.url), closing(connect(self.uri_for_reading())) as connection:
            self._check_log(connection)
        with faults_of(self.url), closing(connect(file_uri(self.path, "rw"))) as connection:
            # Exclusive: then a log is read without the shared memory that does not work here.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                connection.execute("PRAGMA journal_mode = DELETE").fetchall()

    # -- creating -----------------------------------------------------------------------------

    def _create(self, clock: Clock) -> None:
        log = self.log
        # SQLite would replay it into the new file, whatever it belonged to.
        if size_of(log):
            raise CorruptStore(self.url, f"the file is gone, but its log {log.name} is still there")
        if self.path.parent.exists() and not self.path.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.path.parent)
        make_private_folder(self.path.parent)
        draft = self._beside(f".{secrets.token_hex(6)}.new")
        try:
            self._build(draft, clock)
            self._publish(draft)
        finally:
            draft.unlink(missing_ok=True)

    def _build(self, draft: Path, clock: Clock) -> None:
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        try:
            with faults_of(self.url), closing(connect(file_uri(draft, "rw"))) as connection:
                # Not yet a store: it is made durable once, below, when it is complete.
                connection.execute("PRAGMA synchronous = OFF")
                # Before the first table: what removed runs leave can then be given back bit by bit.
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                migrate(connection, known_migrations())
                connection.execute("INSERT INTO meta (name, value) VALUES ('created_at', ?)", (clock.now(),))
                keep_envelope(connection, self._keys.seal())
                if self.may_log:
                    connection.execute("PRAGMA journal_mode = WAL")
            os.fsync(handle)
        finally:
            os.close(handle)

    def _publish(self, draft: Path) -> None:
        # link, unlike rename, never replaces: whoever comes second uses what the first one made.
        try:
            self.path.hardlink_to(draft)
        except FileExistsError:
            pass
        except OSError as error:
            if error.errno not in _NO_LINKS or self.path.exists():
                raise
            draft.rename(self.path)
        _sync_directory(self.path.parent)

    def _keep_copy(self, connection: sqlite3.Connection, place: Path) -> None:
        draft = self._beside(f".{secrets.token_hex(6)}.new")
        with self._os_faults():
            try:
                _copy(connection, draft)
                # Whoever comes second may have copied what the first one has changed already.
                with suppress(FileExistsError):
                    place.hardlink_to(draft)
                _sync_directory(self.path.parent)
            finally:
                draft.unlink(missing_ok=True)

    def copy_to(self, place: Path) -> None:
        """Write all of it, as of one moment, into a new private file. Whoever writes goes on meanwhile.

        Raises:
            StoreUnavailable: it cannot be read, or *place* cannot be written.
            CorruptStore: it is damaged.
        """
        url = f"sqlite://{place}"
        try:
            with faults_of(self.url), closing(connect(self.uri_for_reading())) as connection:
                _copy(connection, place)
        except OSError as error:
            problem = f"{error.strerror or error}: {error.filename or place}"
            raise StoreUnavailable(url, problem, "Choose another place for the copy") from error
        except StoreUnavailable as error:
            # Reading needs no room: it is the copy that could not be written.
            raise StoreUnavailable(url, f"the copy of {self.url} failed: {error.problem}") from error

    # -- checking -----------------------------------------------------------------------------

    def _check_kind(self) -> None:
        found = self.path.stat()
        if stat.S_ISDIR(found.st_mode):
            advice = "Name a file in it, for example tidegate.db"
            raise StoreUnavailable(self.url, "that is a directory, not a file", advice)
        if not stat.S_ISREG(found.st_mode):
            raise StoreUnavailable(self.url, "that is no regular file", "Choose another place with --store")
        if found.st_size == 0:
            raise CorruptStore(self.url, "the file is empty")

    def _check_log(self, connection: sqlite3.Connection) -> None:
        """Refuse a log that belongs to another store: SQLite would write what is in it over this one."""
        identity = identity_of(self.path)
        # Once only: to close a handle that keeps no locks drops those of this process's other connections.
        if identity in _known_logs or not size_of(self.log):
            return
        _known_logs.add(identity)
        alone, with_log = self._names_without_log(), _names(connection)
        # What was removed may be missing; a number that stands for something else now cannot be.
        if alone and (with_log is None or any(with_log.get(no, name) != name for no, name in alone.items())):
            is_torn = (
                "cannot be read with it, and can without it" if with_log is None else "is another one with it"
            )
            problem = f"the log {self.log.name} beside it is that of another store: the file {is_torn}"
            raise CorruptStore(self.url, f"{problem}. Move that log away")

    def _names_without_log(self) -> dict[int, str] | None:
        with faults_of(self.url), closing(connect(f"{file_uri(self.path, 'ro')}&immutable=1")) as connection:
            return _names(connection)

    def _check_content(self, connection: sqlite3.Connection) -> None:
        check_kind(connection, self.url)
        connection.execute("SELECT value FROM meta WHERE name = 'store_id'").fetchone()

    def _damage(self, connection: sqlite3.Connection) -> CorruptStore | None:
        if self.path.stat().st_size > _CHECKED_BYTES:
            return None
        try:
            with faults_of(self.url):
                return _first_fault(connection, self.url)
        except CorruptStore as damage:
            return damage

    # -- privacy ------------------------------------------------------------------------------

    def _keep_private(self) -> None:
        # The files only. A directory that we made is private already; one that was there before was
        # prepared by somebody, and is theirs to open and close.
        for suffix in ("", "-wal", "-shm"):
            _narrow(self._beside(suffix), 0o600)


_NAMES = (
    "SELECT 0, value FROM meta WHERE name = 'store_id'"
    " UNION ALL SELECT * FROM (SELECT run_no, run_id FROM runs ORDER BY run_no LIMIT 20)"
)
_known_logs: set[tuple[int, int] | None] = set()
"""Files whose logs this process has looked at."""


def _names(connection: sqlite3.Connection) -> dict[int, str] | None:
    """Return the id that a store was made with, as number 0, and those of its oldest runs; None if it is damaged."""
    try:
        return dict(connection.execute(_NAMES))
    except sqlite3.Error as error:
        return None if is_damage(error) else {}


def identity_of(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from any other, whatever its name; None if it is not there."""
    try:
        found = os.stat(path)  # noqa: PTH116  # asked for at each commit, and this is quicker
    except OSError:
        return None
    return found.st_dev, found.st_ino


def size_of(path: Path) -> int:
    """Return a file's bytes; 0 if it is not there."""
    try:
        return os.stat(path).st_size  # noqa: PTH116  # as above
    except OSError:
        return 0


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _first_fault(connection: sqlite3.Connection, url: str) -> CorruptStore | None:
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    return None if found == "ok" else CorruptStore(url, fault_told(found))


def _copy(connection: sqlite3.Connection, place: Path) -> None:
    """Write what a connection sees into a new file, without what is free in it, and make that durable."""
    # Made here, so that it is private from the start; SQLite fills a file that is empty.
    handle = os.open(place, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        connection.execute("VACUUM INTO ?", (str(place),))
        os.fsync(handle)
    finally:
        os.close(handle)


def _narrow(path: Path, mode: int) -> None:
    # Best effort: on a file of somebody else, or a file system without modes, there is nothing to be done.
    with suppress(OSError):
        if path.stat().st_mode & 0o077:
            path.chmod(mode)


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
