"""Serving clients over streamable HTTP: of this machine only, and only with the token."""

import asyncio
import hmac
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tidegate.errors import SettingsError
from tidegate.server.desk import Desk

__all__ = ["HOST", "listen", "serve_http"]

HOST = "127.0.0.1"


def listen(port: int) -> socket.socket:
    """Return a socket that listens on this machine's own address.

    Raises:
        SettingsError: the port is taken, or may not be used.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        # Now: whoever is told the address may use it at once.
        listening.listen()
    except OSError as error:
        listening.close()
        raise SettingsError("--http", str(port), f"a free port ({error.strerror})") from error
    return listening


async def serve_http(server: MCPServer[Desk], listening: socket.socket, token: str) -> None:
    """Serve clients that know *token*, until cancelled."""
    app = _Guarded(server.streamable_http_app(host=HOST), token)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=1
    )
    serving = _Serving(config)
    task = asyncio.create_task(serving.serve(sockets=[listening]))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        serving.should_exit = True
        await task
        raise


class _Serving(uvicorn.Server):
    """Leaves signals to whoever has them already."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


class _Guarded:
    """Lets only those through who know the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] == "lifespan" or self._knows(scope):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse(
            "tidegate: this needs the header 'Authorization: Bearer TOKEN', with the token of the server\n",
            401,
            {"WWW-Authenticate": "Bearer"},
        )
        await refusal(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(given) == 1 and hmac.compare_digest(given[0], self._expected)
