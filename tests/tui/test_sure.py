"""What cannot be undone takes more than two presses, whatever leads there: a fork, a run again, a start."""

from pathlib import Path

import pytest

from tidegate.history.points import Point
from tidegate.model.events import RunInterrupted, RunStatus, WaveStarted
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import RunFilter
from tidegate.store.protocol import Store
from tidegate.tui.dialogs import TurnDialog
from tidegate.tui.dialogs.turns.launch import LaunchDialog
from tidegate.tui.messages import ForkWanted
from tidegate.tui.nouns.fork_wish import ForkWish
from tui.monitoring import Monitor, Prepare, monitor
from tui.scene import begin, started
from tui.test_certainty import calm, says
from tui.test_forking import fork_of
from tui.test_launching import over
from tui.test_turns import open_run, put_cursor, state_of

SIZES = [(40, 12), (80, 24), (120, 36)]
DROPS = """
name: drops
blocks:
  - {id: make, type: Shell, inputs: {command: "true"}}
  - {id: drop, type: Shell, reversible: false, depends_on: [make], inputs: {command: "echo dropped >> log"}}
"""
FAILS = """
name: fails
blocks:
  - {id: make, type: Shell, inputs: {command: "true"}}
  - {id: drop, type: Shell, reversible: false, depends_on: [make], inputs: {command: "echo dropped >> log; test -e ready"}}
  - {id: also, type: Shell, depends_on: [make], inputs: {command: "test -e ready"}}
"""
ASKS = """
name: asks
blocks:
  - {id: drop, type: Shell, reversible: false, inputs: {command: "echo dropped >> log"}}
  - {id: gate, type: ConfirmOperation, depends_on: [drop], inputs: {message: Is it gone?}}
"""
TAKES = """
name: takes
inputs: {what: {type: string, default: old}}
blocks: [{id: drop, type: Shell, reversible: false, inputs: {command: "echo ${what} >> log"}}]
"""
NONE = """
name: takes_none
blocks: [{id: drop, type: Shell, reversible: false, inputs: {command: "echo dropped >> log"}}]
"""


def log_of(folder: Path) -> list[str]:
    """Return what was dropped."""
    path = folder / "log"
    return path.read_text().split() if path.exists() else []


async def two_presses(seen: Monitor, key: str = "y") -> None:
    """Choose and send, as far apart as a person does."""
    await seen.press(key)
    await says(seen, "to send")
    await calm(seen)
    await seen.press(key)


async def begun_again(seen: Monitor, run_id: RunId, block: str) -> None:
    """Return once a block has begun for the second time; the dialog closes before."""
    while (await state_of(seen, run_id)).block(BlockId(block)).attempt < 2:
        await seen.pilot.pause(0.02)


async def forks(seen: Monitor, run_id: RunId) -> int:
    """Return how many forks of a run there are."""
    return len(await seen.ask(lambda session: session.history.runs(RunFilter(origin=run_id))))


async def ask_for_fork(seen: Monitor, run_id: RunId, *blocks: str) -> None:
    """Open the dialog of a fork of a run as it is now, in which some blocks run again."""
    state = await seen.ask(lambda session: session.history.state(run_id))
    wish = ForkWish(Point(run_id, state.head), blocks=tuple(map(BlockId, blocks)))
    seen.app.post_message(ForkWanted(wish))
    await seen.dialog("y fork")


@pytest.mark.parametrize("size", SIZES)
async def test_a_fork_that_does_what_cannot_be_undone_wants_the_runs_id(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """It is told when it is armed; the id of another run does not count, and enter beside it forks nothing."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await seen.start(DROPS)
        await seen.ask(lambda session: session.executor.settle(run_id))
        await ask_for_fork(seen, run_id, "drop")
        await seen.press("y")
        await says(seen, f"First (tab): Type {run_id[:4]}, the start of this run's id.")
        await calm(seen)
        await seen.press("y")
        await says(seen, "Not done: drop cannot be undone.")
        await seen.press(*"none", "enter")
        await calm(seen)
        await seen.press("y")
        await says(seen, "Not done: drop cannot be undone. That is another id. Type")
        assert await forks(seen, run_id) == 0
        await seen.press("ctrl+u", *run_id[:4], "enter")
        await says(seen, "Fork: press y or enter to send")
        assert await forks(seen, run_id) == 0
        await calm(seen)
        await seen.press("y")
        await seen.see("fork of")
        await fork_of(seen, run_id)
    assert log_of(tmp_path) == ["dropped", "dropped"]


async def test_a_fork_that_stays_before_it_needs_no_id(tmp_path: Path) -> None:
    """What stays is not done again: two presses make it."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await seen.start(FAILS.replace('test -e ready"}}\n  - {id: also', 'true"}}\n  - {id: also'))
        await seen.ask(lambda session: session.executor.settle(run_id))
        await ask_for_fork(seen, run_id)
        await two_presses(seen)
        await seen.see("fork of")
        await fork_of(seen, run_id)
    assert log_of(tmp_path) == ["dropped"]


@pytest.mark.parametrize("size", SIZES)
async def test_running_a_block_again_wants_the_runs_id(tmp_path: Path, size: tuple[int, int]) -> None:
    """As a fork of it does; escape in the field goes back, and then leaves."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await open_run(seen, DROPS, "✓ succeeded")
        await put_cursor(seen, "drop")
        await seen.press("R")
        await seen.dialog("Cannot be undone: drop.")
        await two_presses(seen)
        await says(seen, "Not done: drop cannot be undone.")
        await seen.press("escape")
        await says(seen, "press y or enter to send")
        await calm(seen)
        await seen.press("y")
        await says(seen, "Not done: drop cannot be undone.")
        await seen.press(*run_id[:4], "enter")
        await says(seen, "press y or enter to send")
        assert isinstance(seen.app.screen, TurnDialog)
        await calm(seen)
        await seen.press("y")
        await seen.until(lambda: not isinstance(seen.app.screen, TurnDialog))
        await begun_again(seen, run_id, "drop")
        await seen.ask(lambda session: session.executor.settle(run_id))
    assert log_of(tmp_path) == ["dropped", "dropped"]


async def test_a_retry_wants_it_where_it_runs_what_cannot_be_undone(tmp_path: Path) -> None:
    """Of two ways only the one that does; the other one is done by two presses."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, FAILS, "✗ failed")
        await put_cursor(seen, "also")
        await seen.press("r")
        await seen.dialog("Retry all 2 that failed")
        await two_presses(seen, "a")
        await says(seen, "Not done: drop cannot be undone.")
        await seen.press("escape", "escape")
        await says(seen, "Nothing happens until you press")
        (tmp_path / "ready").touch()
        await two_presses(seen, "y")
        await seen.until(lambda: not isinstance(seen.app.screen, TurnDialog))
        await begun_again(seen, run_id, "also")
        await seen.ask(lambda session: session.executor.settle(run_id))
    assert log_of(tmp_path) == ["dropped"]


@pytest.mark.parametrize("size", SIZES)
async def test_sending_back_wants_the_runs_id(tmp_path: Path, size: tuple[int, int]) -> None:
    """Once what is to be other is typed; enter beside the id then sends it back."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await seen.start(ASKS)
        await seen.see("Is it gone?")
        await seen.press("a")
        await seen.dialog("Is it gone?")
        await seen.press("ctrl+r")
        await seen.dialog("to drop")
        await seen.press("enter", *"again", "enter")
        await says(seen, "Not sent back: drop cannot be undone.")
        await calm(seen)
        await seen.press(*"none", "enter")
        await says(seen, "Not sent back: drop cannot be undone.")
        assert log_of(tmp_path) == ["dropped"]
        await calm(seen)
        await seen.press("ctrl+u", *run_id[:4], "enter")
        await seen.until(lambda: log_of(tmp_path) == ["dropped", "dropped"])


@pytest.mark.parametrize("size", SIZES)
async def test_starting_what_cannot_be_undone_wants_the_workflows_name(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Also where an input was typed; enter in the field starts nothing."""
    async with over(tmp_path, TAKES, size=size) as seen:
        await seen.press("n")
        await seen.dialog("ctrl+s starts the run")
        await seen.press(*"er", "ctrl+s")
        await says(seen, "Not started: drop cannot be undone. Type takes, the workflow's name")
        await calm(seen)
        await seen.press(*"take", "ctrl+s")
        await says(seen, "Not started: drop cannot be undone.")
        await calm(seen)
        await seen.press("s", "enter")
        await says(seen, "ctrl+s starts the run.")
        assert isinstance(seen.app.screen, LaunchDialog)
        assert await seen.ask(lambda session: session.history.runs(RunFilter())) == ()
        await seen.press("ctrl+s")
        await seen.until(lambda: log_of(tmp_path) == ["older"])
        [view] = await seen.ask(lambda session: session.history.runs(RunFilter()))
        await seen.ask(lambda session: session.executor.settle(view.row.run_id))
        state = await state_of(seen, view.row.run_id)
        assert state.status is RunStatus.SUCCEEDED


async def test_a_workflow_without_inputs_wants_its_name_too(tmp_path: Path) -> None:
    """Typed, it needs no second press."""
    async with over(tmp_path, NONE) as seen:
        await seen.press("n")
        await seen.dialog("It takes no inputs.")
        await seen.press("ctrl+s")
        await says(seen, "Not started: drop cannot be undone. Type takes_none, the workflow's name")
        await calm(seen)
        await seen.press(*"takes", "underscore", *"none", "enter")
        await says(seen, "ctrl+s starts the run.")
        assert log_of(tmp_path) == []
        await seen.press("ctrl+s")
        await seen.until(lambda: log_of(tmp_path) == ["dropped"])


CUT_OFF = """
name: cut_off
blocks:
  - {{id: drop, type: Shell, reversible: false, on_interrupt: {rule}, inputs: {{command: "echo dropped >> log"}}}}
  - {{id: note, type: Shell, depends_on: [drop], inputs: {{command: "true"}}}}
"""


def cut_off(rule: str) -> Prepare:
    """Return what tells of a run whose process is gone while it did what cannot be undone."""

    async def tell(store: Store) -> None:
        run = await begin(store, CUT_OFF.format(rule=rule), "jb3c6k8p9rty", 95)
        await run.tell(0.0, WaveStarted(wave=0), started("drop"))
        await run.tell(1.0, RunInterrupted(reason="its monitor was closed"))

    return tell


async def ask_to_resume(seen: Monitor) -> None:
    """Ask to let the interrupted run go on."""
    await seen.press("2")
    await seen.see("! interrupted")
    await seen.press("r")
    await seen.dialog("Cannot be undone: drop.")


async def test_resuming_wants_the_runs_id_where_what_was_cut_off_cannot_be_undone(tmp_path: Path) -> None:
    """It runs a second time without another question."""
    async with monitor(tmp_path, prepare=cut_off("rerun"), size=(80, 24)) as seen:
        await ask_to_resume(seen)
        assert "run again without a question: drop" in seen.text
        await two_presses(seen)
        await says(seen, "Not done: drop cannot be undone.")


async def test_resuming_only_says_so_where_one_is_asked_first(tmp_path: Path) -> None:
    """The question what to do about it comes before anything is done."""
    async with monitor(tmp_path, prepare=cut_off("ask"), size=(80, 24)) as seen:
        await ask_to_resume(seen)
        assert "You are asked what to do about it first." in seen.text
        await seen.press("y")
        await says(seen, "press y or enter to send")
        await calm(seen)
        await seen.press("y")
        await seen.until(lambda: not isinstance(seen.app.screen, TurnDialog))
        assert log_of(tmp_path) == []
