"""A real web server in a thread, which answers as a test says and keeps what it was asked."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Asked:
    """One request that arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """What a server says."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    stall: threading.Event | None = None
    """Waited for before the last byte is sent."""


def json_reply(value: object, status: int = 200) -> Reply:
    """Return a reply that is JSON."""
    return Reply(status, json.dumps(value).encode(), {"Content-Type": "application/json; charset=utf-8"})


def packed(data: bytes, **headers: str) -> Reply:
    """Return a reply that is compressed."""
    return Reply(
        200, gzip.compress(data), {"Content-Encoding": "gzip", "Content-Type": "text/plain", **headers}
    )


@dataclass
class Web:
    """A server."""

    url: str
    port: int
    replies: dict[str, Reply | Callable[[Asked], Reply]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def answer(self, asked: Asked) -> Reply:
        """Keep what was asked, and say what the test wants to be said."""
        self.asked.append(asked)
        reply = self.replies.get(asked.path.partition("?")[0], Reply(404, b"no such page"))
        return reply if isinstance(reply, Reply) else reply(asked)


@contextmanager
def serve() -> Iterator[Web]:
    """Run a server until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): text for name, text in self.headers.items()}
            self.send(web.answer(Asked(self.command, self.path, headers, body)))

        def send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, text in reply.headers.items():
                self.send_header(name, text)
            if "Content-Length" not in reply.headers:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            try:
                self.wfile.write(reply.body[:-1] if reply.stall else reply.body)
                self.wfile.flush()
                if reply.stall:
                    reply.stall.wait(20)
            except (BrokenPipeError, ConnectionResetError):
                pass

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    port = server.server_address[1]
    web = Web(f"http://127.0.0.1:{port}", port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
