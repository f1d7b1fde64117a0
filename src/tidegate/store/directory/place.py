"""Where the files of a store in a directory are, and how a file comes to be there: whole, or not at all.

A file is written under another name, made durable, and only then linked or renamed to its own.
So nobody ever meets half a file, and a process that is killed leaves nothing behind but files in
the folder for those that are being written.
"""

import errno
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tidegate.errors import StoreUnavailable

__all__ = ["Place", "os_faults", "path_in", "sync"]

_LONGEST_NAME = 120
"""Characters: what becomes longer when it is quoted is cut off, and told apart by a hash."""

_FORGOTTEN: Final = 3600.0
"""Seconds after which nobody is still writing a file."""

_ADVICE: Final = {
    errno.ENOSPC: "Free some space, then resume",
    errno.EDQUOT: "Free some space, then resume",
    errno.EFBIG: "Free some space, then resume",
    errno.EACCES: "Check the permissions of the directory and of what is in it",
    errno.EPERM: "Check its permissions, and that its file system has hard links",
    errno.EROFS: "Make it writable to go on",
    errno.EIO: "Check the disk, then resume",
}


@contextmanager
def os_faults(url: str) -> Iterator[None]:
    """Let nothing out but Tidegate's errors while files of the store at *url* are read or written."""
    try:
        yield
    except OSError as error:
        problem = f"{error.strerror or error}: {error.filename2 or error.filename or 'a file of it'}"
        advice = _ADVICE.get(error.errno or 0, "Choose another place with --store")
        raise StoreUnavailable(url, problem, advice) from error


class Place:
    """The directory of a store."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.url = f"file://{self.path}"
        self.identity = self.path / "tidegate.json"
        self.records = self.path / "records"
        self.values = self.path / "values"
        self.definitions = self.path / "definitions"
        self.output = self.path / "output"
        self.leases = self.path / "leases"
        self.cleaned_up = self.leases / "cleaned-up"
        """When somebody cleaned up last, in seconds since 1970 UTC: no history either."""
        self.unfinished = self.path / ".unfinished"
        """Files that are being written: beside the others, as a link needs the same file system, and
        apart from them, so that a watch on those hears only of what is complete."""
        self.lock = self.path / ".lock"

    @property
    def folders(self) -> tuple[Path, ...]:
        """Everything that a store has from the start."""
        return (
            self.records,
            self.values,
            self.definitions,
            self.output,
            self.leases,
            self.unfinished,
        )

    def record(self, number: int) -> Path:
        """Return where the record with *number* is."""
        return self.records / f"{number:08}.json"

    def value(self, sha256: str) -> Path:
        """Return where a value is."""
        return self.values / sha256[:2] / f"{sha256}.json"

    def definition(self, name: str, suffix: str = ".json") -> Path:
        """Return where a definition is."""
        return self.definitions / f"{quoted(name)}{suffix}"

    def output_of(self, run_id: str, block: str, attempt: int) -> Path:
        """Return where the output of an attempt is."""
        return self.output / quoted(run_id) / quoted(block) / str(attempt)

    def is_writable(self) -> bool:
        """Whether we may write into every part of it."""
        return all(_may_write(folder) for folder in (self.path, *self.folders) if folder.exists())

    def add(self, path: Path, data: bytes) -> bool:
        """Make a durable file at *path*; False if one is there already, which then stays as it is.

        Its directory entry is not durable yet: see `sync`.
        """
        with self._unfinished(data, durable=True) as draft:
            try:
                # link, unlike rename, never replaces: of two who want the same name one wins.
                os.link(draft, path)
            except FileExistsError:
                return False
        return True

    def replace(self, path: Path, data: bytes, *, durable: bool = True) -> None:
        """Make a file at *path*, or replace the one that is there."""
        with self._unfinished(data, durable=durable) as draft:
            draft.replace(path)

    @contextmanager
    def _unfinished(self, data: bytes, *, durable: bool) -> Iterator[Path]:
        draft = self.unfinished / secrets.token_hex(8)
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            try:
                _write(handle, data)
                if durable:
                    os.fsync(handle)
            finally:
                os.close(handle)
            yield draft
        finally:
            draft.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove what was never finished, once it is certain that nobody is at it any more."""
        with self._unfinished(b"", durable=False) as draft:
            # By the clock of the file system, which may be another one's.
            now = draft.stat().st_mtime
            for entry in self.unfinished.iterdir():
                with suppress(FileNotFoundError):
                    if now - entry.stat().st_mtime > _FORGOTTEN:
                        entry.unlink()

    def make_folder(self, folder: Path) -> set[Path]:
        """Make *folder*, private, and what is above it; return the folders that got an entry."""
        if folder.is_dir():
            return set()
        if folder.exists():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        changed = self.make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        return changed | {folder.parent}


def quoted(name: str) -> str:
    """Return *name* as the name of a file: readable, and unlike that of any other name."""
    safe = quote(name, safe="[]@=+, ").replace(".", "%2E", 1 if name.startswith(".") else 0) or "%"
    if len(safe) <= _LONGEST_NAME:
        return safe
    return f"{safe[:_LONGEST_NAME]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def path_in(place: Place, path: Path) -> str:
    """Return *path* as seen from the store's directory, for people."""
    return str(path.relative_to(place.path))


def sync(folders: Iterable[Path]) -> None:
    """Make the entries of *folders* durable."""
    for folder in folders:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)
