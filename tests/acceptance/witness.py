"""An HTTP server of a test's own process: it outlives the engines that are killed, and writes down what reached it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

__all__ = ["BODY", "answered", "witness"]

BODY = '{"said": "noted"}'
"""What it answers."""


@contextmanager
def witness(root: Path) -> Iterator[str]:
    """Serve; yield the URL. A POST to `/NAME/WORD` adds the line WORD to the file `log` of the folder NAME in *root*."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply()

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            _, folder, word = self.path.split("/")
            with (root / folder / "log").open("a") as log:
                log.write(f"{word}\n")
            self._reply()

        def _reply(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            self.wfile.write(BODY.encode())

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answered() -> str:
    """Return what a person says that a call gave which was made, and whose answer was lost."""
    return json.dumps({"body": BODY, "json": json.loads(BODY)})
