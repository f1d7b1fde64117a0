"""Reading and writing whole files, so that nobody ever sees half of one. Blocking: for a thread.

Only regular files: a directory, a pipe or a device is refused before a byte of it is read, and
opening a pipe waits for nobody. A symbolic link is followed: what it points to is read, or replaced,
and the link stays.
"""

import asyncio
import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

__all__ = ["FileFault", "Written", "append", "create", "in_thread", "overwrite", "read"]

_NEW = 0o666
"""What the umask is taken off."""
_PRIVATE = 0o600
_PART = 1024 * 1024
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_P = ParamSpec("_P")
_T = TypeVar("_T")


class FileFault(Exception):
    """A file could not be read or written; the text says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did."""

    size: int
    """Bytes that were given."""
    sha256: str
    """Hex, of those bytes."""
    changed: bool
    """False: the file was the same already, and was left alone."""


async def in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call *function* in a thread. A cancelled call ends when the thread has, and not before."""
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({work})
        # Looked at, so that nobody reports it as an error that nobody saw.
        if not work.cancelled():
            work.exception()
        raise


def read(path: Path, most: int) -> bytes | None:
    """Return what is in a file; None if there is none.

    Raises:
        FileFault: it cannot be read, is no regular file, or has more than *most* bytes.
    """
    with _telling(path):
        try:
            # Not blocking: opening a pipe would wait for whoever writes to it.
            number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            _refuse_irregular(path, os.fstat(number))
            data = _read_at_most(number, most + 1)
        finally:
            os.close(number)
    if len(data) > most:
        raise FileFault(f"{path} has more than {most} bytes (max_bytes)")
    return data


def overwrite(path: Path, data: bytes, permissions: int | None, tag: str) -> Written:
    """Replace a file as a whole, or make it.

    Args:
        path: Where; a symbolic link's target is replaced.
        data: Everything that will be in it.
        permissions: None: those it has, or the usual ones of a new file.
        tag: What the temporary file is called after; the same for the same write, so that one which
            a crash left is replaced and not joined by another.

    Raises:
        FileFault: it cannot be written; what was there is still there.
    """
    target = _target(path)
    with _telling(path):
        before = _status(target)
        if before is not None and _is_same(target, before, data, permissions):
            return _written(data, changed=False)
        with _temporary(target, data, permissions, tag, before) as temporary:
            temporary.replace(target)
        _sync_folder(target.parent)
    return _written(data, changed=True)


def create(path: Path, data: bytes, permissions: int | None, tag: str) -> Written:
    """Make a file that must not be there yet, a dangling symbolic link included.

    Raises:
        FileFault: it is there, or cannot be written.
    """
    with _telling(path):
        try:
            with _temporary(path, data, permissions, tag, None) as temporary:
                _link(temporary, path)
        except FileExistsError:
            raise FileFault(f"{path} exists already, and 'mode: create' replaces nothing") from None
        _sync_folder(path.parent)
    return _written(data, changed=True)


def append(path: Path, data: bytes, permissions: int | None) -> Written:
    """Add to the end of a file, or make it.

    Raises:
        FileFault: it cannot be written.
    """
    target = _target(path)
    with _telling(path):
        before = _status(target)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        number = os.open(target, flags, _NEW if permissions is None else _PRIVATE)
        try:
            _refuse_irregular(path, os.fstat(number))
            if permissions is not None:
                os.fchmod(number, permissions)
            _write_all(number, data)
            os.fsync(number)
        finally:
            os.close(number)
        if before is None:
            _sync_folder(target.parent)
    return _written(data, changed=bool(data) or before is None)


# -- parts ------------------------------------------------------------------------------------


def _target(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path)) if path.is_symlink() else path
    except OSError as error:
        raise FileFault(f"{path}: {error.strerror}") from None


def _status(path: Path) -> os.stat_result | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    _refuse_irregular(path, found)
    return found


def _refuse_irregular(path: Path, found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(found.st_mode), "a device")
    raise FileFault(f"{path} is {kind}, not a file")


def _is_same(path: Path, found: os.stat_result, data: bytes, permissions: int | None) -> bool:
    if found.st_size != len(data) or permissions not in (None, stat.S_IMODE(found.st_mode)):
        return False
    try:
        return read(path, len(data)) == data
    except FileFault:
        # It may be written and not read.
        return False


@contextlib.contextmanager
def _temporary(
    target: Path, data: bytes, permissions: int | None, tag: str, before: os.stat_result | None
) -> Iterator[Path]:
    """Give a whole, durable file beside *target*; what is still there afterwards is removed."""
    name = hashlib.sha256(f"{tag}\0{target.name}".encode(errors="surrogateescape")).hexdigest()[:16]
    path = target.parent / f".tidegate-{name}.tmp"
    mode = stat.S_IMODE(before.st_mode) if permissions is None and before is not None else permissions
    path.unlink(missing_ok=True)
    number = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW if mode is None else _PRIVATE
    )
    try:
        try:
            _write_all(number, data)
            _keep_owner(number, before)
            if mode is not None:
                os.fchmod(number, mode)
            os.fsync(number)
        finally:
            os.close(number)
        yield path
    finally:
        path.unlink(missing_ok=True)


def _keep_owner(number: int, before: os.stat_result | None) -> None:
    if before is not None and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        # Only root may give a file away; for everybody else it becomes their own.
        with contextlib.suppress(PermissionError):
            os.fchown(number, before.st_uid, before.st_gid)


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without links: the look and the move are two steps there.
        if os.path.lexists(path):
            raise FileExistsError from None
        temporary.replace(path)


def _read_at_most(number: int, most: int) -> bytes:
    data = bytearray()
    while len(data) < most and (part := os.read(number, min(most - len(data), _PART))):
        data += part
    return bytes(data)


def _write_all(number: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(number, rest) :]


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Some network file systems have no such thing.
        with contextlib.suppress(OSError):
            os.fsync(number)
    finally:
        os.close(number)


def _written(data: bytes, *, changed: bool) -> Written:
    return Written(len(data), hashlib.sha256(data).hexdigest(), changed)


@contextlib.contextmanager
def _telling(path: Path) -> Iterator[None]:
    """Turn what the system says into a sentence."""
    try:
        yield
    except OSError as error:
        raise FileFault(f"{path}: {_reason(path, error)}") from None


def _reason(path: Path, error: OSError) -> str:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            tilde = " (`~` is not expanded here)" if "~" in path.parts else ""
            return f"the folder {path.parent} does not exist: `make_parents: true` makes it{tilde}"
        case errno.EACCES | errno.EPERM:
            return "permission denied"
        case errno.ENOSPC | errno.EDQUOT:
            return "no space is left for it"
        case errno.ELOOP:
            return "its symbolic links go round in a circle"
        case _:
            return str(error.strerror or error).lower()
