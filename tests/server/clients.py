"""Clients of `tidegate mcp`: the package's own, and one by hand that no ending of the server disturbs."""

import asyncio
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, TextContent

PATIENCE = 20.0
WORKFLOWS = {
    "gate": """
name: gate
inputs:
  who: {type: string, default: you}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo built"}}
  - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Go, ${inputs.who}?"}}
  - {id: go, type: Shell, depends_on: [gate], condition: "${gate.confirmed}", inputs: {command: "echo gone >> log"}}
outputs: {shipped: "${gate.confirmed}"}
""",
    "plain": """
name: plain
blocks:
  - {id: one, type: Shell, inputs: {command: "echo 1 >> plain"}}
  - {id: two, type: Shell, depends_on: [one], inputs: {command: "test -e fine"}}
""",
    "slow": """
name: slow
blocks:
  - {id: first, type: Shell, inputs: {command: "echo first >> slow"}}
  - {id: hold, type: Wait, depends_on: [first], inputs: {duration: 2s}}
  - {id: last, type: Shell, depends_on: [hold], inputs: {command: "echo last >> slow"}}
""",
    "both": """
name: both
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
  - id: work
    type: Shell
    effect: idempotent
    inputs: {command: "while [ ! -e go ]; do sleep 0.02; done; echo worked >> both"}
""",
    "form": """
name: form
blocks:
  - id: ask
    type: AskForm
    inputs:
      message: Who, and where?
      fields:
        - {id: full-name}
        - {id: where, choices: [east, west]}
outputs: {who: "${ask.values['full-name']}", where: "${ask.values.where}"}
""",
    "broken": "name: broken\nblocks:\n  - {id: one, type: Shel, inputs: {command: x}}\n",
}


def lay_out(folder: Path) -> Path:
    """Write the workflows of this file into a folder."""
    for name, text in WORKFLOWS.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


def command(folder: Path, *options: str) -> list[str]:
    """Return how a server is started on the folder's store."""
    return [sys.executable, "-m", "tidegate", "--store", f"sqlite:///{folder}/store.db", "mcp", *options]


async def fill_in(_: Any, params: ElicitRequestParams) -> ElicitResult:
    """Answer as a person would: by what the form asks for."""
    fields = getattr(params, "requested_schema")["properties"]  # noqa: B009 - of one kind of request only
    answers: dict[str, Any] = {"answer": True, "full-name": "Ana M", "where": "west"}
    return ElicitResult(action="accept", content={name: answers[name] for name in fields})


async def decline(_: Any, params: ElicitRequestParams) -> ElicitResult:
    """Say nothing."""
    return ElicitResult(action="decline")


class Connection:
    """A client with a server of its own, in a thread: tests of a file share what takes seconds to start."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self._options = options
        self._up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with connected(self.folder, **self._options) as self._client:
                self._up.set()
                await self._over.wait()
        finally:
            self._up.set()

    def __enter__(self) -> "Connection":
        self._thread.start()
        assert self._up.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(PATIENCE)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool; return what it says."""
        calling = self._client.call_tool(tool, arguments)
        return asyncio.run_coroutine_threadsafe(calling, self._loop).result(PATIENCE)

    def tools(self) -> dict[str, set[str]]:
        """Return the parameters of each tool, by its name."""
        listing = asyncio.run_coroutine_threadsafe(self._client.list_tools(), self._loop).result(PATIENCE)
        return {tool.name: set(tool.input_schema.get("properties", ())) for tool in listing.tools}

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that succeeds; return its fields."""
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content
        return fields(result)

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that refuses; return its fields."""
        result = self.call(tool, **arguments)
        assert result.is_error
        assert "Traceback" not in text(result)
        return fields(result)


@asynccontextmanager
async def connected(folder: Path, **options: Any) -> AsyncIterator[Client]:
    """Start a server, and connect to it over its standard input and output."""
    program, *arguments = command(folder)
    server = StdioServerParameters(command=program, args=arguments, cwd=folder, env=dict(os.environ))
    async with Client(server, **options) as client:
        yield client


def fields(result: CallToolResult) -> dict[str, Any]:
    """Return the fields of a result."""
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def text(result: CallToolResult) -> str:
    """Return the texts of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@contextmanager
def by_hand(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a server and greet it, without a client that would end it."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command(folder), cwd=folder, stdin=pipe, stdout=pipe, text=True) as server:
        try:
            greeting = {"name": "hand", "version": "1"}
            request(
                server, 1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=greeting
            )
            assert "result" in said(server, 1)
            yield server
        finally:
            server.kill()


def request(server: subprocess.Popen[str], number: int, method: str, **params: Any) -> None:
    """Send a request by hand."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    written(server).write(json.dumps(message) + "\n")
    written(server).flush()


def written(server: subprocess.Popen[str]) -> TextIO:
    """Return where a server reads from."""
    assert server.stdin is not None
    return cast("TextIO", server.stdin)


def wait_for_checkpoint(server: subprocess.Popen[str], kind: str = "") -> None:
    """Return once a checkpoint (of a kind) is on disk: what had ended then has ended for good."""
    end = time.monotonic() + PATIENCE
    for number in itertools.count(100):
        request(server, number, "tools/call", name="list_checkpoints", arguments={})
        found = said(server, number)["result"]["structuredContent"]["checkpoints"]
        if any(kind in ("", checkpoint["type"]) for checkpoint in found):
            return
        assert time.monotonic() < end


def said(server: subprocess.Popen[str], number: int) -> dict[str, Any]:
    """Return the response to a request."""
    assert server.stdout is not None
    for line in server.stdout:
        message: dict[str, Any] = json.loads(line)
        if message.get("id") == number:
            return message
    raise EOFError(number)
