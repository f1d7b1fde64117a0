"""Quitting while something runs: it may end first, and a worker goes on."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from running import PATIENCE
from tidegate.clock import SystemClock
from tidegate.model.events import AttemptStarted, RunFinished, RunInterrupted
from tidegate.model.ids import BlockId
from tidegate.store.opening import open_store
from tui.ptys import on_pty

CHAIN = """
name: chain
blocks:
  - id: a
    type: Shell
    effect: idempotent
    inputs: {command: "echo a >> begun; while [ ! -e go ]; do sleep 0.05; done"}
  - {id: b, type: Shell, depends_on: [a], inputs: {command: "echo b >> log"}}
"""


@pytest.mark.timeout(90)
def test_what_runs_ends_and_a_worker_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a real terminal: the monitor is gone by then, and it has interrupted nothing."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "chain.yaml").write_text(CHAIN)
    store = f"sqlite:///{tmp_path}/store.db"
    # A run whose process has died, so that the monitor drives it.
    words = [sys.executable, "-m", "tidegate", "run", "chain.yaml", "--store", store]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as left:
        _wait_for_lines(tmp_path / "begun", 1)
        left.kill()
    with on_pty(["-m", "tidegate", "--store", store], tmp_path) as seen:
        _wait_for_lines(tmp_path / "begun", 2)
        seen.press("q")
        seen.wait_for("chain / a", "Let them end", "Enter stays")
        seen.press("\x1b[C\r")
        seen.wait_for("nothing new starts here")
        (tmp_path / "go").touch()
        assert seen.wait_for_end(PATIENCE) == 0
        assert "A worker goes on in the background" in seen.output

    _wait_for_lines(tmp_path / "log", 1)
    started = asyncio.run(_started(store))
    assert started == ["a", "a", "b"]
    assert (tmp_path / "log").read_text() == "b\n"


def _wait_for_lines(file: Path, number: int) -> None:
    end = time.monotonic() + PATIENCE
    while not file.exists() or len(file.read_text().split()) < number:
        assert time.monotonic() < end, f"{file} did not come"
        time.sleep(0.05)


async def _started(url: str) -> list[BlockId]:
    """Return what was started, in its order, once the run has ended: nobody has interrupted it."""
    store = await open_store(url, clock=SystemClock())
    (row,) = await store.runs()
    async with asyncio.timeout(PATIENCE):
        while not isinstance((events := [it.event for it in await store.read(row.run_id)])[-1], RunFinished):
            await asyncio.sleep(0.05)
    await store.close()
    assert not [event for event in events if isinstance(event, RunInterrupted)]
    return [event.block for event in events if isinstance(event, AttemptStarted)]
