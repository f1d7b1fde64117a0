"""Copying the directory of a store, file by file.

Its files are never changed, only added, replaced as a whole, or removed. So a first pass beside those who
write copies nearly everything, and a second one, while nobody writes, only what has come or gone since.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from tidegate.store.directory.place import Place, sync

__all__ = ["mirror"]

_BLOCK: Final = 1024 * 1024


def mirror(place: Place, copy: Path) -> None:
    """Make the directory *copy* hold what that of a store holds now, private and durable.

    What only the processes of one machine need, for a moment, is left out, and so is what others keep there.

    Raises:
        OSError: something cannot be read or written.
    """
    copy.mkdir(mode=0o700, exist_ok=True)
    for folder in (place.definitions, place.values, place.output, place.records):
        _mirror_folder(folder, copy / folder.name)
    # The file that makes it a store comes last.
    for name in (".gitattributes", ".gitignore", place.identity.name):
        _mirror_file(place.path / name, copy / name)
    sync([copy])


def _mirror_folder(source: Path, copy: Path) -> None:
    copy.mkdir(mode=0o700, exist_ok=True)
    try:
        wanted = {entry.name: entry.is_dir(follow_symlinks=False) for entry in os.scandir(source)}
    except FileNotFoundError:
        wanted = {}
    for entry in os.scandir(copy):
        if entry.name not in wanted:
            _remove(Path(entry.path))
    for name, is_folder in wanted.items():
        (_mirror_folder if is_folder else _mirror_file)(source / name, copy / name)
    sync([copy])


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _mirror_file(source: Path, copy: Path) -> None:
    try:
        with source.open("rb") as file:
            if _mark_of(copy) != (mark := _mark(os.fstat(file.fileno()))):
                with os.fdopen(os.open(copy, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as into:
                    shutil.copyfileobj(file, into, _BLOCK)
                    into.flush()
                    os.fsync(into.fileno())
                # By it the second pass knows that there is nothing left to do.
                os.utime(copy, ns=(mark[1], mark[1]))
    except FileNotFoundError:
        # Somebody has just removed it.
        with suppress(FileNotFoundError):
            copy.unlink()


def _mark_of(path: Path) -> tuple[int, int] | None:
    try:
        return _mark(path.stat())
    except FileNotFoundError:
        return None


def _mark(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns
