"""Serving a page of metrics over HTTP to a collector that asks for it.

The standard library's server does the protocol; requests are answered on threads of their own, and the
page is made on the loop that the store belongs to. Nothing can be done here, and nothing of what runs hold is
told but names of workflows and numbers.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from socket import AF_INET6
from socketserver import TCPServer
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from tidegate.clock import Clock
from tidegate.errors import SettingsError, TidegateError

__all__ = ["LOOPBACK", "Address", "Seldom", "serving"]

LOOPBACK: Final = "127.0.0.1"
_PATH = "/metrics"
_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PATIENCE = 60.0
"""Seconds that a page may take."""
_SLOWEST = 10.0
"""Seconds that a client may take to say what it wants."""
_SHARE = 10.0
"""How much longer than making a text it is good for: at most a tenth of the time goes into it."""

Page = Callable[[], Awaitable[str]]


class Address(NamedTuple):
    """Where it listens."""

    host: str
    port: int
    """0: any that is free."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return _is_local(self.host)


class Seldom:
    """Makes a text again only after ten times as long as making it took: many runs take seconds to count."""

    def __init__(self, make: Page, clock: Clock) -> None:
        """Use *make* for it, and *clock* to see how long it takes. What cannot be made is tried again at once."""
        self._make = make
        self._clock = clock
        self._text = ""
        self._good_until = float("-inf")

    async def __call__(self) -> str:
        """Return the text."""
        begun = self._clock.monotonic()
        if begun >= self._good_until:
            self._text = await self._make()
            ended = self._clock.monotonic()
            self._good_until = ended + _SHARE * (ended - begun)
        return self._text


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@asynccontextmanager
async def serving(address: Address, page: Page, *, called: str) -> AsyncIterator[str]:
    """Serve *page* while inside; the address of it is what is given.

    Args:
        address: Where to listen.
        page: Makes the text, on the running loop; several who ask at once get the same one.
        called: The option that named the address, for the error.

    Raises:
        SettingsError: nothing can listen there.
    """
    loop = asyncio.get_running_loop()
    server = _listen(address, _Shared(page, loop), called)
    # A request is accepted when there is one, and answered elsewhere: nothing looks again and again.
    loop.add_reader(server.fileno(), server.handle_request)
    try:
        host, port = server.server_address[:2]
        name = f"[{host!s}]" if ":" in str(host) else str(host)
        yield f"http://{name}:{port}{_PATH}"
    finally:
        loop.remove_reader(server.fileno())
        server.server_close()


def _listen(address: Address, shared: "_Shared", called: str) -> "_Server":
    kind = _Server6 if ":" in address.host else _Server
    try:
        return kind(address, shared)
    except OSError as error:
        given = f"{address.host}:{address.port}"
        raise SettingsError(called, given, f"a free port of this machine ({error.strerror})") from error


class _Shared:
    """One page for all who ask while it is made: a store with many runs takes seconds to count."""

    def __init__(self, page: Page, loop: asyncio.AbstractEventLoop) -> None:
        self._page = page
        self._loop = loop
        self._making: asyncio.Future[str] | None = None

    def wait(self) -> str:
        """Return the page, to a thread.

        Raises:
            TidegateError: it could not be made.
            TimeoutError: it took too long.
        """
        return asyncio.run_coroutine_threadsafe(self._made(), self._loop).result(_PATIENCE)

    async def _made(self) -> str:
        if self._making is None or self._making.done():
            self._making = asyncio.ensure_future(self._page())
        return await asyncio.shield(self._making)


class _Server(ThreadingHTTPServer):
    """Listens, and knows what to say."""

    timeout = 0
    """Whoever has gone again before it was accepted is not waited for."""
    allow_reuse_port = False

    def __init__(self, address: Address, shared: _Shared) -> None:
        self.shared = shared
        self.is_local = address.is_local
        super().__init__((address.host, address.port), _Handler)

    def server_bind(self) -> None:
        """Bind, without asking a name server who we are, as the server of the library does."""
        TCPServer.server_bind(self)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: whoever went away in the middle has no use for it."""


class _Server6(_Server):
    address_family = AF_INET6


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    timeout = _SLOWEST
    server: _Server
    server_version = "tidegate"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with the page, or say why not."""
        status, text = self._answer()
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", _TYPE if status is HTTPStatus.OK else "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def _answer(self) -> tuple[HTTPStatus, str]:
        if self.server.is_local and not _is_local(_host_of(self.headers.get("Host", ""))):
            # A page in a browser could reach us under a name of its own, and read the answer.
            return HTTPStatus.FORBIDDEN, "tidegate: this is served to this machine, under its own name\n"
        if urlsplit(self.path).path != _PATH:
            return HTTPStatus.NOT_FOUND, f"tidegate: metrics are at {_PATH}\n"
        try:
            return HTTPStatus.OK, self.server.shared.wait() + "\n"
        except TidegateError as error:
            return HTTPStatus.SERVICE_UNAVAILABLE, f"tidegate: {error}\n"
        except (TimeoutError, CancelledError):
            return HTTPStatus.SERVICE_UNAVAILABLE, "tidegate: the store was not counted in time\n"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing of who asked."""


def _host_of(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
