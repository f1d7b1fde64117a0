"""Where backups of a store lie, what they are called, and which of them are too old to be kept.

Nothing is ever replaced. What is removed is only what was made here: it has the name of a backup, holds the
same store, and nobody has it open.
"""

import errno
import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tidegate.errors import StoreUnavailable
from tidegate.store.copies import origin_of
from tidegate.store.opening import file_of

__all__ = ["Shelf", "discard", "folder_of", "move_into_place", "size_of"]

_MARK = ".backup"
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
"""What file systems say that know no hard links."""
_FORGOTTEN = 86_400.0
"""Seconds after which nobody is still writing a draft."""
_IN_USE = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Shelf:
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

    def beyond(self, keep: int, newest: Path) -> list[Path]:
        """Return the backups to remove so that *keep* are left, *newest* among them, the oldest first."""
        ours, store_id = self._named("*").name, origin_of(newest)
        others = [place for place in sorted(self.folder.glob(_escaped(ours))) if place != newest]
        old = others[: max(0, len(others) - keep + 1)]
        return [place for place in old if origin_of(place) == store_id and not _is_in_use(place)]

    def remove_drafts(self) -> None:
        """Remove what backups have left that never came to their end."""
        now = datetime.now(UTC).timestamp()
        for draft in self.folder.glob(f".{_escaped(self._named('*').name)}.*.part"):
            if now - draft.stat().st_mtime > _FORGOTTEN:
                discard(draft)


def _escaped(name: str) -> str:
    """Return a name with one star in it as a pattern: nothing else of it means more than itself."""
    return "".join(f"[{letter}]" if letter in "[?" else letter for letter in name)


def _is_in_use(place: Path) -> bool:
    return any(place.with_name(place.name + suffix).exists() for suffix in _IN_USE)


def folder_of(url: str) -> Shelf:
    """Return where backups of the store at *url* lie when nobody says where: beside it.

    Raises:
        StoreUnavailable: it is in memory.
    """
    found = file_of(url)
    if found is None:
        problem = "it is nowhere on disk, or not there yet: there is nothing to copy"
        raise StoreUnavailable(url, problem, "Name a store with --store")
    # Of a directory `file_of` names what makes it one.
    store = (found.parent if url.startswith("file://") else found).resolve()
    return Shelf(store.with_name(f"{store.name}.backups"), store)


def move_into_place(draft: Path, place: Path) -> None:
    """Give a finished draft its name, durably; what has it already stays.

    Raises:
        FileExistsError: something has it.
    """
    if draft.is_dir():
        if place.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place))
        draft.rename(place)
    else:
        _link(draft, place)
    handle = os.open(place.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _link(draft: Path, place: Path) -> None:
    # link, unlike rename, never replaces what somebody else has put there meanwhile.
    try:
        place.hardlink_to(draft)
    except OSError as error:
        if error.errno not in _NO_LINKS or place.exists():
            raise
        draft.rename(place)


def discard(place: Path) -> None:
    """Remove a draft or a backup, whatever there is of it."""
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def size_of(place: Path) -> int:
    """Return the bytes of a backup."""
    files = place.rglob("*") if place.is_dir() else (place,)
    return sum(file.stat().st_size for file in files if file.is_file())
