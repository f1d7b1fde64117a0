"""Serving a client over standard input and output, until it closes them or a signal comes."""

import asyncio
import contextlib
import os
import sys
import threading
from typing import TYPE_CHECKING, cast

from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server

from tidegate.server.desk import Desk

if TYPE_CHECKING:
    import anyio

__all__ = ["serve_stdio"]

_CHUNK = 65_536


class _Lines:
    """The lines of a file descriptor, as they come.

    Read in a thread that nobody waits for: the package reads in one that it does wait for, and a signal
    would have to wait until the client says something.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def __aiter__(self) -> "_Lines":
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        try:
            self._read_all()
        except OSError:
            pass  # It is gone; that is its end.
        finally:
            self._put(None)

    def _read_all(self) -> None:
        rest = b""
        while chunk := os.read(self._descriptor, _CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._put(line.decode("utf-8", "replace"))

    def _put(self, line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # The loop is closed: nobody listens any more.
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


async def serve_stdio(server: MCPServer[Desk]) -> None:
    """Serve one client; return when it closes standard input.

    Standard output carries the protocol and nothing else: what is written there by mistake goes to
    standard error.
    """
    lines = cast("anyio.AsyncFile[str]", _Lines(_taken_stdin()))
    protocol = server._lowlevel_server  # noqa: SLF001 - `run_stdio_async` takes no streams
    try:
        async with stdio_server(stdin=lines) as (reading, writing):
            await protocol.run(reading, writing, protocol.create_initialization_options())
    except* BrokenPipeError:
        sys.stdout = None  # The client has gone: nothing is left to be written.


def _taken_stdin() -> int:
    """Return a descriptor of standard input that is ours alone: nothing that we start reads the protocol."""
    own = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return own
