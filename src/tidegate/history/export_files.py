"""Files of exports: written whole or not at all, read within bounds, compressed if their name says so."""

import gzip
import os
import secrets
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard

from tidegate.errors import TidegateError
from tidegate.history.portable import PARTS, BadExport
from tidegate.private import make_private_folder
from tidegate.store.directory.place import sync
from tidegate.store.moving import move_into_place

__all__ = ["MOST_BYTES", "FileThere", "pack", "read_export", "write_parts", "write_whole"]

MOST_BYTES = 1 << 30
"""Of one file, decompressed: what is longer is not read. Without output, hardly a run comes to that."""
_SLICE = 1 << 20
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class FileThere(TidegateError):
    """What was to be written is there already."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already, and stays as it is. Say --force to replace it")


class Packer(Protocol):
    """Compresses piece by piece."""

    def compress(self, data: bytes, /) -> bytes:
        """Return what can be written by now."""
        ...

    def flush(self) -> bytes:
        """Return the rest."""
        ...


class _Plain:
    def compress(self, data: bytes, /) -> bytes:
        return data

    def flush(self) -> bytes:
        return b""


def pack(name: str) -> Packer:
    """Return what compresses a file of that name: `.gz` and `.zst` do, nothing else does."""
    if name.endswith(".gz"):
        # 16 more than the window: with a header of gzip.
        return zlib.compressobj(6, wbits=zlib.MAX_WBITS | 16)
    return zstandard.ZstdCompressor().compressobj() if name.endswith(".zst") else _Plain()


async def write_whole(pieces: AsyncIterator[bytes], path: Path, *, replace: bool = False) -> int:
    """Write one file, in one moment, durable when this returns; return its bytes.

    Raises:
        FileThere: it is there already, and is not to be replaced.
        OSError: it cannot be written; nothing of it was.
    """
    with _drafts([path], replace=replace) as (draft,):
        packer = pack(path.name)
        async for piece in pieces:
            draft.write(packer.compress(piece))
        draft.write(packer.flush())
        return draft.tell()


async def write_parts(
    pieces: AsyncIterator[tuple[str, bytes]], folder: Path, *, replace: bool = False
) -> int:
    """Write the three files of the three-part form into a folder; return their bytes.

    Each is whole or not there; they come one after the other, and who reads them finds out if they are of
    different exports.

    Raises:
        FileThere: one is there already, and is not to be replaced.
        OSError: they cannot be written.
    """
    with _drafts([folder / name for name in PARTS], replace=replace) as drafts:
        files = dict(zip(PARTS, drafts, strict=True))
        async for name, piece in pieces:
            files[name].write(piece)
        return sum(draft.tell() for draft in drafts)


@contextmanager
def _drafts(paths: list[Path], *, replace: bool) -> Iterator[list[BinaryIO]]:
    """Open drafts beside *paths*; they take their places one after the other, if all goes well, and go otherwise."""
    for path in paths:
        # Early, for whoever waits: it may come to be there later just as well.
        if not replace and path.exists():
            raise FileThere(path)
        sync([made.parent for made in make_private_folder(path.parent)])
    drafts = [path.with_name(f".{path.name}.{secrets.token_hex(4)}.part") for path in paths]
    try:
        with ExitStack() as opened:
            files = [opened.enter_context(_private(draft)) for draft in drafts]
            yield files
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for draft, path in zip(drafts, paths, strict=True):
            _place(draft, path, replace=replace)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def _place(draft: Path, path: Path, *, replace: bool) -> None:
    if replace:
        draft.replace(path)
        sync([path.parent])
        return
    try:
        move_into_place(draft, path)
    except FileExistsError as error:
        raise FileThere(path) from error


def _private(path: Path) -> BinaryIO:
    # As the store itself: what a run has produced is nobody else's business.
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def read_export(path: Path, *, most: int = MOST_BYTES) -> dict[str, bytes]:
    """Return the texts of an export, by the name of the file: one, or those of the three-part form.

    Args:
        path: A file, whether compressed or not; or a folder with the three files.
        most: Bytes of one of them, decompressed.

    Raises:
        BadExport: it is longer, or cannot be decompressed, or one of the three is missing.
        OSError: it cannot be read.
    """
    if not path.is_dir():
        return {str(path): _read(path, most)}
    missing = [name for name in PARTS if not (path / name).is_file()]
    if missing:
        problem = f"it is a folder, and has no {' and no '.join(missing)}: the three-part form has all three"
        raise BadExport(str(path), problem)
    return {str(path / name): _read(path / name, most) for name in PARTS}


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        try:
            return _bounded(path, _unpacked(file, start), most)
        except (zlib.error, gzip.BadGzipFile, EOFError, zstandard.ZstdError) as error:
            raise BadExport(str(path), f"it cannot be decompressed ({error})") from error


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _unpacked(file: BinaryIO, start: bytes) -> _Readable:
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=file)
    return zstandard.ZstdDecompressor().stream_reader(file) if start.startswith(_ZSTD) else file


def _bounded(path: Path, file: _Readable, most: int) -> bytes:
    # Slice by slice: a few kilobytes may unpack to whatever there is memory for.
    text = bytearray()
    while piece := file.read(_SLICE):
        text += piece
        if len(text) > most:
            problem = f"it is longer than {most:,} bytes. Export it with --no-output"
            raise BadExport(str(path), problem)
    return bytes(text)
