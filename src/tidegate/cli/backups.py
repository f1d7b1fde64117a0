"""Where backups of a store lie, what they are called, and which of them are too old to be kept.

Nothing is ever replaced. What is removed is only what was made here: it has the name of a backup, holds the
same store, and nobody has it open.
"""

import glob
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tidegate.store.copies import store_id_of
from tidegate.store.opening import WrongStore, file_of

__all__ = ["BackupFolder", "discard", "folder_of", "size_of"]

_MARK = ".backup"
_FORGOTTEN = 86_400.0
"""Seconds after which nobody is still writing a draft."""
_IN_USE = ("-wal", "-shm", "-journal")
"""What lies beside a file that somebody has open. Of a directory nothing tells."""


@dataclass(frozen=True, slots=True)
class BackupFolder:
    """The folder for backups of one store."""

    folder: Path
    store: Path
    """Of which file or directory."""

    def place(self, now: float) -> Path:
        """Return a name that is free for a backup made at *now* (seconds since 1970 UTC)."""
        stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
        names = (self._named(f"{stamp}{f'_{n}' if n else ''}") for n in range(1_000))
        return next(place for place in names if not place.exists())

    def _named(self, stamp: str) -> Path:
        # Sorted by name they are sorted by time: `_` comes after the dot.
        return self.folder / f"{self.store.stem}-{stamp}{_MARK}{self.store.suffix}"

    @property
    def _pattern(self) -> str:
        return f"{glob.escape(self.store.stem)}-*{_MARK}{glob.escape(self.store.suffix)}"

    def beyond(self, keep: int, newest: Path) -> list[Path]:
        """Return the backups to remove so that *keep* are left, *newest* among them, the oldest first."""
        store_id = store_id_of(newest)
        # Of tidegate-test.db they are called like those of tidegate.db: only what they hold tells them apart.
        others = [
            place
            for place in sorted(self.folder.glob(self._pattern))
            if place != newest and store_id_of(place) == store_id
        ]
        old = others[: max(0, len(others) - keep + 1)]
        return [place for place in old if not _is_in_use(place)]

    def remove_drafts(self, exact: Path | None) -> None:
        """Remove what backups have left that never came to their end; also of one in a file of that name."""
        names = [self._pattern] if exact is None else [self._pattern, glob.escape(exact.name)]
        now = datetime.now(UTC).timestamp()
        for draft in (draft for name in names for draft in self.folder.glob(f".{name}.*.part")):
            # Another one may be at it, too.
            with suppress(FileNotFoundError):
                if now - draft.stat().st_mtime > _FORGOTTEN:
                    discard(draft)


def _is_in_use(place: Path) -> bool:
    return any(place.with_name(place.name + suffix).exists() for suffix in _IN_USE)


def folder_of(url: str) -> BackupFolder:
    """Return where backups of the store at *url* lie when nobody says where: beside it.

    Raises:
        WrongStore: it is in memory.
    """
    found = file_of(url)
    if found is None:
        problem = "it is nowhere on disk, or not there yet: there is nothing to copy"
        raise WrongStore(url, problem, "Name a store with --store")
    # Of a directory `file_of` names what makes it one.
    store = (found.parent if url.startswith("file://") else found).resolve()
    return BackupFolder(store.with_name(f"{store.name}.backups"), store)


def discard(place: Path) -> bool:
    """Remove a draft or a backup, whatever there is of it; return whether it is gone."""
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(OSError):
            place.unlink()
    return not os.path.lexists(place)


def size_of(place: Path) -> int:
    """Return the bytes of a backup."""
    files = place.rglob("*") if place.is_dir() else (place,)
    return sum(file.stat().st_size for file in files if file.is_file())
