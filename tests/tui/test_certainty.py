"""An answer that leads to what cannot be undone is sent only once the run's id is typed, on the real engine."""

from pathlib import Path

import pytest

from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tui.monitoring import Monitor, monitor

DROP = """
name: {name}
blocks:
  - {{id: gate, type: ConfirmOperation, inputs: {{message: Drop the old tables?}}}}
  - {{id: drop, type: Shell, reversible: false, depends_on: [gate], inputs: {{command: echo dropped >> log}}}}
  - {{id: tell, type: Shell, depends_on: [{{block: gate, when: [rejected]}}], inputs: {{command: echo kept >> log}}}}
"""
NAMED = """
name: named
blocks:
  - {id: which, type: GetInput, inputs: {prompt: Which table?}}
  - {id: drop, type: Shell, reversible: false, depends_on: [which], inputs: {command: "echo ${which.input_value} >> log"}}
"""


async def says(seen: Monitor, sentence: str) -> None:
    """Return once the dialog says something; it may be broken over lines."""
    await seen.until(lambda: sentence in " ".join(seen.text.replace("│", " ").split()))


async def is_open(seen: Monitor, run_id: RunId) -> bool:
    """Return whether nothing was answered."""
    return bool(await seen.ask(lambda session: session.history.inbox(run_id)))


async def status_of(seen: Monitor, run_id: RunId) -> RunStatus:
    """Return where a run stands once its question is answered, and it moves no more."""
    await seen.see("nothing waits")
    await seen.ask(lambda session: session.executor.settle(run_id))
    return (await seen.ask(lambda session: session.history.run_view(run_id))).status


async def calm(seen: Monitor) -> None:
    """Let go of the keys for long enough that the next press counts as one of its own."""
    await seen.pilot.pause(0.25)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
async def test_two_presses_do_not_send_what_cannot_be_undone(tmp_path: Path, size: tuple[int, int]) -> None:
    """It is told when it is armed, the id of another run does not count, and the start of this one's does."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await seen.start(DROP.format(name="drop"))
        await seen.see("Drop the old")
        await seen.press("a")
        await seen.dialog("Drop the old tables?")
        await seen.press("y")
        await says(seen, f"First (tab): Type {run_id[:4]}")
        await calm(seen)
        await seen.press("y")
        await says(seen, "Not sent: drop cannot be undone.")
        assert await is_open(seen, run_id)
        await seen.press(*"none", "enter")
        await calm(seen)
        await seen.press("y")
        await says(seen, "Not sent: drop cannot be undone. That is another id. Type")
        assert await is_open(seen, run_id)
        await seen.press("ctrl+u", *run_id[:4], "enter")
        await says(seen, "Approve: press y or enter to send")
        assert await is_open(seen, run_id), "enter in the field sends nothing"
        await calm(seen)
        await seen.press("y")
        assert await status_of(seen, run_id) is RunStatus.SUCCEEDED
    assert (tmp_path / "log").read_text() == "dropped\n"


async def test_what_leads_elsewhere_needs_no_id(tmp_path: Path) -> None:
    """A no drops nothing: two presses send it."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(DROP.format(name="drop"))
        await seen.see("Drop the old")
        await seen.press("a")
        await seen.dialog("Drop the old tables?")
        await seen.press("n")
        await says(seen, "Starts tell.")
        await calm(seen)
        await seen.press("n")
        assert await status_of(seen, run_id) is RunStatus.REJECTED
    assert (tmp_path / "log").read_text() == "kept\n"


async def test_what_is_typed_needs_it_too(tmp_path: Path) -> None:
    """Nothing is armed there: it is told when it is sent."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(NAMED)
        await seen.see("Which table?")
        await seen.press("a")
        await seen.dialog("Which table?")
        await seen.press(*"users", "enter")
        await says(seen, "Not sent: drop cannot be undone.")
        assert await is_open(seen, run_id)
        await seen.press(*run_id[:4], "enter")
        await calm(seen)
        await seen.press("enter")
        assert await status_of(seen, run_id) is RunStatus.SUCCEEDED
    assert (tmp_path / "log").read_text() == "users\n"


async def test_several_need_their_number(tmp_path: Path) -> None:
    """The number of those that are ticked then, not of those that were."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        runs = [await seen.start(DROP.format(name=name)) for name in ("a", "b", "c")]
        await seen.see("3 waiting")
        await seen.press("A")
        await seen.dialog("all the same")
        await seen.press("y")
        await says(seen, "First (tab): Type 3, the number of questions.")
        await calm(seen)
        await seen.press("y")
        await says(seen, "Not sent: drop cannot be undone.")
        await seen.press("3", "enter")
        await seen.press("space")
        await says(seen, "One answer goes to 2 questions")
        await seen.press("y")
        await says(seen, "First (tab): Type 2, the number of questions; that is something else.")
        await calm(seen)
        await seen.press("y")
        await says(seen, "Not sent: drop cannot be undone.")
        assert [await is_open(seen, run_id) for run_id in runs] == [True] * 3
        await seen.press("ctrl+u", "2", "enter")
        await calm(seen)
        await seen.press("y")
        await seen.see("2 taken")
        await seen.until((tmp_path / "log").exists)
        open_still = [await is_open(seen, run_id) for run_id in runs]
        assert sorted(open_still) == [False, False, True]
