"""The database file: how it comes to be, who may see it, and whether it is sound.

A new store is built under another name and then linked into place, whole. So nobody ever meets
half a store, twenty processes may make first contact at once, and an empty file at the path is
always damage, never somebody else's beginning.

The file is only ever opened through SQLite: closing any other handle of it would drop the locks
that this process's connections hold (POSIX), and another process could then empty the log.
"""

import errno
import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tidegate.clock import Clock
from tidegate.errors import CorruptStore, StoreUnavailable
from tidegate.store.sqlite.connections import connect, file_uri
from tidegate.store.sqlite.faults import faults_of
from tidegate.store.sqlite.migrate import APPLICATION_ID, known_migrations, migrate, version_of

__all__ = ["StoreFile"]

_CHECKED_BYTES = 4 * 1024 * 1024
"""Up to this size a file is checked whole before it is used (about 2 ms per MB)."""


class StoreFile:
    """The file at a path, or the one that will be there."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.url = f"sqlite://{self.path}"

    def ensure(self, clock: Clock) -> None:
        """Create the store if nothing is there, check what is there, and keep it private.

        Raises:
            StoreUnavailable: it cannot be created or opened.
            CorruptStore: what is there is damaged, or something else. It is not touched.
            SchemaTooNew: a newer Tidegate wrote it.
        """
        with self._os_faults():
            if not self.path.exists():
                self._create(clock)
            self._check_kind()
        self._check_content()
        self._keep_private()

    def refusal(self) -> StoreUnavailable | CorruptStore | None:
        """Return why nothing can be written into it, if so."""
        if not _is_writable(self.path):
            return StoreUnavailable(self.url, "the file is read-only", "Make it writable to go on")
        if not _is_writable(self.path.parent):
            problem = "its directory is read-only"
            return StoreUnavailable(self.url, problem, f"Make {self.path.parent} writable to go on")
        return self._damage()

    def prepare_migration(self, refusal: StoreUnavailable | CorruptStore | None) -> None:
        """Keep a copy of a store of an older schema beside it; for any other there is nothing to do.

        Args:
            refusal: Why nothing can be written into it, if so.

        Raises:
            StoreUnavailable: it is older, and cannot be brought up to date.
            CorruptStore: it is older, and damaged.
        """
        newest = known_migrations()[-1].version
        with faults_of(self.url), closing(connect(self.uri_for_reading())) as connection:
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
        logged = self._beside("-wal").exists() or _is_writable(self.path.parent)
        return uri if logged else f"{uri}&immutable=1"

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    @contextmanager
    def _os_faults(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            problem = f"{error.strerror or error}: {error.filename or self.path}"
            raise StoreUnavailable(self.url, problem, "Choose another place with --store") from error

    # -- creating -----------------------------------------------------------------------------

    def _create(self, clock: Clock) -> None:
        log = self._beside("-wal")
        # SQLite would replay it into the new file, whatever it belonged to.
        if log.exists() and log.stat().st_size:
            raise CorruptStore(self.url, f"the file is gone, but its log {log.name} is still there")
        if self.path.parent.exists() and not self.path.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.path.parent)
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
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
                connection.execute("PRAGMA journal_mode = WAL")
            os.fsync(handle)
        finally:
            os.close(handle)

    def _publish(self, draft: Path) -> None:
        # link, unlike rename, never replaces: whoever comes second uses what the first one made.
        with suppress(FileExistsError):
            self.path.hardlink_to(draft)
        _sync_directory(self.path.parent)

    def _keep_copy(self, connection: sqlite3.Connection, place: Path) -> None:
        draft = self._beside(f".{secrets.token_hex(6)}.new")
        with self._os_faults():
            # Made here, so that it is private from the start; SQLite fills a file that is empty.
            handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            try:
                connection.execute("VACUUM INTO ?", (str(draft),))
                os.fsync(handle)
                # Whoever comes second may have copied what the first one has changed already.
                with suppress(FileExistsError):
                    place.hardlink_to(draft)
                _sync_directory(self.path.parent)
            finally:
                os.close(handle)
                draft.unlink(missing_ok=True)

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

    def _check_content(self) -> None:
        migrations = known_migrations()
        with faults_of(self.url), closing(connect(self.uri_for_reading())) as connection:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise CorruptStore(self.url, "the file is a SQLite database, but no Tidegate store")
            version_of(connection, self.url, migrations[-1].version)
            connection.execute("SELECT value FROM meta WHERE name = 'store_id'").fetchone()

    def _damage(self) -> CorruptStore | None:
        if self.path.stat().st_size > _CHECKED_BYTES:
            return None
        try:
            with faults_of(self.url), closing(connect(self.uri_for_reading())) as connection:
                return _first_fault(connection, self.url)
        except CorruptStore as damage:
            return damage

    # -- privacy ------------------------------------------------------------------------------

    def _keep_private(self) -> None:
        # The files only. A directory that we made is private already; one that was there before was
        # prepared by somebody, and is theirs to open and close.
        for suffix in ("", "-wal", "-shm"):
            _narrow(self._beside(suffix), 0o600)


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _first_fault(connection: sqlite3.Connection, url: str) -> CorruptStore | None:
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    return None if found == "ok" else CorruptStore(url, f"the file is damaged ({found})")


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
