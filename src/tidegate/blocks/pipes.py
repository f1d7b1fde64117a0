"""The pipes of a running program: read as fast as the bytes are taken, written without waiting in turn.

Owns no process: whoever closes the pipes also decides when nothing more can come.
"""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from typing import IO, TypeAlias

__all__ = ["Emit", "Pump", "feed", "ready"]

_CHUNK = 64 * 1024
_LEFT_OVER = 2 * 1024 * 1024
"""More than a pipe holds: what comes after it was written by somebody who is still alive."""

Emit: TypeAlias = Callable[[int, bytes], Awaitable[None]]
"""Takes bytes of stream 1 (stdout) or 2 (stderr), and waits while they cannot be kept up with."""


class Pump:
    """Reads one pipe in chunks. Never by line: a line may be larger than memory, and no text at all."""

    def __init__(self, pipe: IO[bytes], stream: int, emit: Emit) -> None:
        self._fd = pipe.fileno()
        self._stream = stream
        self._emit = emit
        self._left_over: int | None = None
        self._waiting: asyncio.Future[None] | None = None
        os.set_blocking(self._fd, False)

    async def run(self) -> None:
        """Pass everything on until the end of the pipe, or until `end` and what is in it."""
        while await self._has_more():
            try:
                data = os.read(self._fd, _CHUNK)
            except BlockingIOError:
                if self._left_over is not None:
                    return
                continue
            if not data:
                return
            await self._emit(self._stream, data)

    def end(self) -> None:
        """Let `run` return once the pipe is empty: whoever wrote to it is dead.

        That is no wait for its end, which somebody out of reach may keep from coming.
        """
        self._left_over = _LEFT_OVER
        if self._waiting is not None:
            _resolve(self._waiting)

    async def _has_more(self) -> bool:
        if self._left_over is not None:
            self._left_over -= _CHUNK
            return self._left_over > 0
        self._waiting = asyncio.get_running_loop().create_future()
        await _ready(self._fd, self._waiting)
        return True


async def feed(pipe: IO[bytes], data: bytes) -> None:
    """Write *data* and close the pipe. The output is read meanwhile, so neither side waits for ever."""
    os.set_blocking(pipe.fileno(), False)
    rest = memoryview(data)
    loop = asyncio.get_running_loop()
    # A program need not read its input to the end: `head -1` is no failure.
    with contextlib.closing(pipe), contextlib.suppress(BrokenPipeError):
        while rest:
            await _ready(pipe.fileno(), loop.create_future(), to_write=True)
            with contextlib.suppress(BlockingIOError):
                rest = rest[os.write(pipe.fileno(), rest[:_CHUNK]) :]


async def ready(fd: int) -> None:
    """Return when *fd* can be read."""
    await _ready(fd, asyncio.get_running_loop().create_future())


async def _ready(fd: int, future: asyncio.Future[None], *, to_write: bool = False) -> None:
    loop = asyncio.get_running_loop()
    add, remove = (loop.add_writer, loop.remove_writer) if to_write else (loop.add_reader, loop.remove_reader)
    add(fd, _resolve, future)
    try:
        await future
    finally:
        remove(fd)


def _resolve(future: asyncio.Future[None]) -> None:
    # The loop may call twice before anybody had the time to stop it.
    if not future.done():
        future.set_result(None)
