"""A whole morning's work, typed into the real program in a real terminal, and what its journals say of it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terminal import Terminal, needs_tmux
from tidegate.clock import SystemClock
from tidegate.model.events import PauseAnswered, RunStatus
from tidegate.model.ids import RunId
from tidegate.store.opening import open_store

pytestmark = [pytest.mark.terminal, needs_tmux]

STARTED = {
    "interactive-approval": ["-i", "project=shop", "-i", "environment=staging"],
    "nightly-backup": [],
    "settings-form": [],
}
"""The samples that wait for somebody when the morning begins, and what they are given."""
TYPED = {
    "interactive-approval": True,
    "nightly-backup": "keep it here",
    "settings-form": {
        "size": "small",
        "replicas": 2,
        "canary": True,
        "share": 0.5,
        "note": "mind [b]this[/b]",
    },
}
"""What is answered to each."""


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A terminal, and nothing kept from the mornings before."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    opened = Terminal(tmp_path, columns=120, lines=36)
    yield opened
    opened.close()


def store_of(folder: Path) -> str:
    """Return the URL of the store that the terminal opens, too."""
    return f"sqlite:///{folder}/store.db"


def start(folder: Path, sample: str, given: list[str]) -> RunId:
    """Start a run by the command line, and return once it asks."""
    command = [sys.executable, "-m", "tidegate", "--store", store_of(folder), "run", sample, *given, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    run = json.loads(done.stdout)
    assert run["status"] == "paused", run
    return RunId(run["run_id"])


def press(terminal: Terminal, keys: str, *effects: str) -> None:
    """Press keys, and return once *effects* are there.

    Nothing may come right after an escape: it would be the beginning of another key.
    """
    terminal.press(*keys.split())
    terminal.wait_for(*effects)


def filter_by(terminal: Terminal, words: str, shown: str) -> None:
    """Filter the list, and return once it has the focus again."""
    press(terminal, "/", "tab completes")
    press(terminal, words, shown)
    press(terminal, "Enter", f"/ {words}")


def answer_a_choice(terminal: Terminal) -> None:
    """Find the question by a filter, and take the second choice."""
    filter_by(terminal, "nightly", "Waiting for you · 1 of 3")
    press(terminal, "a", "What follows", "at once", "esc later")
    terminal.decide("2", "keep it here: enter takes it")
    terminal.decide("Enter", "keep it here: press enter to send")
    terminal.decide("Enter", "keep it here · by")
    press(terminal, "Escape", "Waiting for you ─", "◆ form")


def fill_a_form(terminal: Terminal) -> None:
    """Choose twice, keep two values as they are, and type one."""
    press(terminal, "g", "▌◆ form")
    press(terminal, "a", "Which size?", "esc later")
    terminal.decide("1", "(•) 1  small")
    press(terminal, "Tab Tab", "( ) 2  no")
    terminal.decide("1", "(•) 1  yes")
    press(terminal, "Tab Tab", "one line; may stay empty")
    terminal.press("-l", "mind [b]this[/b]")
    terminal.wait_for("│ mind [b]this[/b]")
    terminal.decide("C-s", "replicas: 2")
    terminal.decide("C-s", "✓ form")


def approve(terminal: Terminal) -> None:
    """Say yes, and yes again."""
    press(terminal, "g", "▌◆ confirm")
    press(terminal, "a", "deploy_shop_to_staging", "esc later")
    terminal.decide("y", "y or enter")
    terminal.decide("y", "✓ confirm")


def look_at_a_run(terminal: Terminal) -> None:
    """Filter the runs, open one, see its bars and its log, and come back to it."""
    press(terminal, "2", "3 runs ", "✓ succeeded   interactive-approval")
    filter_by(terminal, "interactive", "Runs · 1 of 3")
    press(terminal, "Enter", "─ Waves ─", "─ Gantt ─", "confirm_deploy", "✓ deploy")
    press(terminal, "Home", "▌✓ run_tests")
    press(terminal, "l", "Log of run_tests", "suite browser: 12 passed")
    press(terminal, "Escape", "─ Gantt ─")


def travel(terminal: Terminal) -> None:
    """Go to the run's past, to its question, back before it, to now, and back to the list of runs."""
    press(terminal, "t", "Time travel", "viewing", "the run itself is ✓ succeeded")
    press(terminal, "]", "viewing #1 of")
    press(terminal, "]", "viewing #2 of", "confirm_deploy    ◆ paused")
    press(terminal, "[", "viewing #1 of", "confirm_deploy    ○ pending")
    press(terminal, ".", "▌    » now")
    press(terminal, "Escape", "─ Gantt ─")
    press(terminal, "Escape", "Runs · 1 of 3")


async def answered(folder: Path, run_id: RunId) -> tuple[RunStatus, list[Any], list[str]]:
    """Return how a run stands, the answers in its journal, and by which ways they came."""
    store = await open_store(store_of(folder), clock=SystemClock())
    try:
        events = [record.event for record in await store.read(run_id)]
        status = (await store.run(run_id)).summary.status
    finally:
        await store.close()
    answers = [event.answer for event in events if isinstance(event, PauseAnswered)]
    return status, [answer.value for answer in answers], [answer.via for answer in answers]


async def test_what_a_morning_types_is_what_the_journals_hold(tmp_path: Path, terminal: Terminal) -> None:
    """A choice, a form and an approval, a run read and walked through; and nobody answered anything else."""
    runs = {sample: start(tmp_path, sample, given) for sample, given in STARTED.items()}
    terminal.tidegate()
    terminal.wait_for("3 waiting", "1 Inbox ◆3")

    for task in (answer_a_choice, fill_a_form, approve, look_at_a_run, travel):
        task(terminal)
    press(terminal, "q", "exit code: 0")

    for sample, run_id in runs.items():
        assert await answered(tmp_path, run_id) == (RunStatus.SUCCEEDED, [TYPED[sample]], ["tui"])
