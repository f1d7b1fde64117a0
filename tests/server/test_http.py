"""`tidegate mcp` over HTTP, and what it needs to be started."""

import asyncio
import subprocess
import sys
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from server.clients import (
    PATIENCE,
    command,
    fields,
    lay_out,
)


async def test_over_http_only_those_are_served_who_know_the_token(tmp_path: Path) -> None:
    """It listens on this machine's own address; TERM ends it in order, clients or not."""
    token = "not-to-be-guessed-by-anybody"  # noqa: S105 - of this test only
    (tmp_path / "token").write_text(token + "\n")
    (tmp_path / "token").chmod(0o600)
    lay_out(tmp_path)
    server = subprocess.Popen(  # noqa: ASYNC220 - starting one takes no time
        command(tmp_path, "--http", "0", "--token-file", "token"),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stderr is not None
        url = (await asyncio.to_thread(server.stderr.readline)).split()[-1]
        async with httpx2.AsyncClient() as nobody:
            without = await nobody.post(url, json={})
            wrong = await nobody.post(url, json={}, headers={"Authorization": f"Bearer {token}x"})
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            paused = fields(await client.call_tool("execute_workflow", {"workflow": "gate"}))
            server.terminate()
            code = await asyncio.to_thread(server.wait, PATIENCE)
    finally:
        server.kill()
        server.communicate()

    assert url.startswith("http://127.0.0.1:")
    assert (without.status_code, wrong.status_code) == (401, 401)
    assert "Authorization: Bearer TOKEN" in without.text
    assert paused["status"] == "paused"
    assert code == 0


def test_a_token_that_others_may_read_is_none(tmp_path: Path) -> None:
    """Nothing is served then."""
    (tmp_path / "token").write_text("not-to-be-guessed-by-anybody")
    (tmp_path / "token").chmod(0o644)
    done = subprocess.run(
        command(tmp_path, "--http", "0", "--token-file", str(tmp_path / "token")),
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )

    assert done.returncode == 2
    assert "only you may read (chmod 600)" in done.stderr


def test_without_its_package_the_command_says_what_to_install() -> None:
    """And no other command, nor `import tidegate`, loads it."""
    hidden = "import sys; sys.modules['mcp'] = None; from tidegate.cli.main import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", hidden, "--store", "memory://", "mcp"],
        check=False,
        capture_output=True,
        text=True,
    )
    loads = "import sys, tidegate, tidegate.cli.main, tidegate.cli.run; tidegate.open; print('mcp' in sys.modules)"
    others = subprocess.run([sys.executable, "-c", loads], check=True, capture_output=True, text=True)

    assert done.returncode == 1
    assert "pip install 'tidegate[mcp]'" in done.stderr
    assert others.stdout.strip() == "False"
