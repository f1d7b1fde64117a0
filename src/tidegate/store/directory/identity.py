"""What makes a directory a store: a small file that says which store it is, and how it is written.

That file gets its name last, once everything else is there. So twenty processes may make first
contact at once, and a directory that has records but no such file is damage, never a beginning.
"""

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from tidegate.clock import Clock
from tidegate.errors import CorruptStore, SchemaTooNew, StoreUnavailable
from tidegate.model.base import Noun
from tidegate.store.directory.place import Place, os_faults, sync

__all__ = ["FORMAT", "Identity", "ensure", "store_id_of", "time_text"]

FORMAT: Final = 1
"""Of the files in the directory. A newer one is refused."""

_IGNORED: Final = b"""\
# Written by tidegate: what only the processes of one machine need, for a moment.
/.lock
/.unfinished/
/leases/
"""
_ATTRIBUTES: Final = b"""\
# Written by tidegate: every byte counts, line ends included, and two histories cannot be merged.
* -text merge=binary
"""


class Identity(Noun):
    """Which store it is."""

    format: int
    store_id: str
    created_at: str
    """ISO 8601, UTC."""


def ensure(place: Place, clock: Clock) -> Identity:
    """Create the store if nothing is there; return which one is there.

    Raises:
        StoreUnavailable: it cannot be created or read.
        CorruptStore: what is there is damaged, or something else. It is not touched.
        SchemaTooNew: a newer Tidegate wrote it.
    """
    with os_faults(place.url):
        if not place.identity.exists():
            _create(place, clock)
        elif place.is_writable():
            # Version control keeps no empty folders.
            _make_folders(place)
        return _read(place)


def store_id_of(place: Place) -> str | None:
    """Return the id of the store in a directory; None: there is none, or none that can be read."""
    try:
        return _read(place).store_id
    except (OSError, CorruptStore, SchemaTooNew):
        return None


def time_text(at: float) -> str:
    """Return an instant as text.

    Args:
        at: Seconds since 1970 UTC.
    """
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _read(place: Place) -> Identity:
    text = place.identity.read_bytes()
    try:
        found = msgspec.json.decode(text, type=Identity)
    except msgspec.MsgspecError as error:
        raise CorruptStore(place.url, f"{place.identity.name} is damaged ({error})") from error
    if found.format > FORMAT:
        raise SchemaTooNew(place.url, found.format, FORMAT)
    return found


def _create(place: Place, clock: Clock) -> None:
    _check_free(place)
    changed = _make_folders(place)
    for name, text in ((".gitignore", _IGNORED), (".gitattributes", _ATTRIBUTES)):
        place.add(place.path / name, text)
    identity = Identity(format=FORMAT, store_id=secrets.token_hex(16), created_at=time_text(clock.now()))
    place.add(place.identity, msgspec.json.format(msgspec.json.encode(identity), indent=2) + b"\n")
    sync({*changed, place.path})


def _make_folders(place: Place) -> set[Path]:
    changed = place.make_folder(place.path)
    for folder in place.folders:
        changed |= place.make_folder(folder)
    return changed


def _check_free(place: Place) -> None:
    """Check that there is nothing, or the beginning of a store.

    Raises:
        CorruptStore: there is a store that has lost its `tidegate.json`.
        StoreUnavailable: there is something else.
    """
    if not place.path.is_dir():
        return
    if any(_numbered(place.records)):
        # Somebody else may have finished making it since we looked.
        if not place.identity.exists():
            raise CorruptStore(place.url, f"{place.identity.name} is missing, though there are records")
        return
    known = {folder.name for folder in place.folders} | {place.identity.name}
    others = sorted(
        entry.name for entry in place.path.iterdir() if entry.name not in known and entry.name[0] != "."
    )
    if others:
        problem = f"the directory is no store, and it holds other things ({', '.join(others[:3])})"
        raise StoreUnavailable(place.url, problem, "Name an empty directory, or one that is not there yet")


def _numbered(folder: Path) -> list[Path]:
    return list(folder.glob("*.json")) if folder.is_dir() else []
