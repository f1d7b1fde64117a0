"""The cursor of the run view goes on with the run, as long as nobody has put it anywhere."""

from pathlib import Path

import pytest
from textual import events

from tidegate.model.answer import Reply
from tidegate.model.ids import RunId
from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.screens.run.run_view import RunScreen
from tui.monitoring import Monitor, monitor

SIZE = (120, 36)
STEPS = """
name: steps
blocks:
  - {id: build, type: Shell, inputs: {command: "echo built"}}
  - {id: first, type: ConfirmOperation, depends_on: [build], inputs: {message: "Go on once?"}}
  - {id: middle, type: Shell, depends_on: [first], inputs: {command: "echo in the middle"}}
  - {id: second, type: ConfirmOperation, depends_on: [middle], inputs: {message: "Go on twice?"}}
  - {id: last, type: Shell, depends_on: [second], inputs: {command: "echo ended; exit 3"}}
"""


async def shown(seen: Monitor) -> RunId:
    """Start a run, and open it from the list of runs once it asks."""
    run_id = await seen.start(STEPS)
    await seen.see("◆1")
    await seen.press("2")
    await seen.see("steps")
    await seen.press("enter")
    await seen.see("▌◆ first", "Go on once?")
    return run_id


async def say_yes(seen: Monitor, run_id: RunId) -> None:
    """Answer what the run asks, as another terminal would, and wait until it asks again, or has ended."""
    pause = await seen.ask(lambda session: session.history.find_pause(run_id))
    await seen.ask(lambda session: session.executor.answer(pause.pause_id, Reply("yes", by="ben", via="cli")))
    await seen.ask(lambda session: session.executor.settle(run_id))


@pytest.mark.parametrize("size", [SIZE, (80, 24), (50, 24)])
async def test_who_only_looks_on_sees_what_the_run_does_now(tmp_path: Path, size: tuple[int, int]) -> None:
    """What waits next, and what fails in the end, without a key; also where the waves stand below each other."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await shown(seen)
        await say_yes(seen, run_id)
        await seen.see("▌◆ second", "Go on twice?")
        await say_yes(seen, run_id)

        await seen.see("▌✗ last", "ended")


async def test_a_cursor_that_somebody_has_moved_stays(tmp_path: Path) -> None:
    """Whoever looks at a block goes on looking at it."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await shown(seen)
        await seen.press("g")
        await seen.see("▌✓ build")
        await say_yes(seen, run_id)

        await seen.see("paused for an answer to second")
        assert "▌✓ build" in seen.text


async def test_a_cursor_stays_while_somebody_reads_beside_it(tmp_path: Path) -> None:
    """A text is not taken away from under the eyes of its reader."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await shown(seen)
        await seen.press("J")
        await say_yes(seen, run_id)

        await seen.see("paused for an answer to second")
        assert "▌✓ first" in seen.text


async def test_who_comes_for_a_block_that_is_over_stays_there(tmp_path: Path) -> None:
    """It is what they came for, whatever else the run does."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await seen.start(STEPS)
        await seen.see("◆1")
        await say_yes(seen, run_id)
        await seen.press("6")
        await seen.see("Go on once?")
        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        await seen.see("▌✓ first")
        await say_yes(seen, run_id)

        await seen.see("✗ failed", "▌✓ first")


@pytest.mark.parametrize("key", ["a", "R", "S", "F", "l", "enter"])
async def test_no_key_acts_on_a_block_that_has_just_come_under_the_cursor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """It was meant for the block that was read; and what is typed on behind it is not heard either."""
    monkeypatch.setattr(RunScreen, "SETTLES", 3_600.0)
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await shown(seen)
        await say_yes(seen, run_id)
        await seen.see("▌◆ second", "Go on twice?")
        await seen.pilot.press(key, "n", "o")

        await seen.see("the cursor has just moved by itself")
        assert isinstance(seen.app.screen, RunScreen)
        monkeypatch.setattr(RunScreen, "SETTLES", 0.0)
        await seen.press("a")
        await seen.dialog("Go on twice?")


async def test_a_cursor_waits_for_who_was_held_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a quick run it would have moved on again before the next press."""
    monkeypatch.setattr(RunScreen, "SETTLES", 3_600.0)
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await shown(seen)
        await say_yes(seen, run_id)
        await seen.see("▌◆ second")
        await seen.pilot.press("l")
        await seen.see("the cursor has just moved by itself")
        await say_yes(seen, run_id)

        await seen.see("▌✓ second")


async def test_a_key_that_waited_while_the_cursor_moved_acts_on_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is when it was pressed, not when there was time for it."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await shown(seen)
        pressed = events.Key("a", "a")
        await say_yes(seen, run_id)
        await seen.see("▌◆ second", "Go on twice?")
        await seen.until(lambda: not seen.is_too_soon("answer"))
        seen.app.post_message(pressed)

        await seen.see("the cursor has just moved by itself")
        assert isinstance(seen.app.screen, RunScreen)


@pytest.mark.parametrize("key", ["p", "X"])
async def test_what_is_done_to_the_run_itself_waits_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Who wants to stop it stops it, wherever its cursor is."""
    monkeypatch.setattr(RunScreen, "SETTLES", 3_600.0)
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await shown(seen)
        await say_yes(seen, run_id)
        await seen.see("▌◆ second", "Go on twice?")
        await seen.pilot.press(key)

        await seen.until(lambda: isinstance(seen.app.screen, Dialog))


async def test_a_cursor_stays_while_somebody_turns_the_wheel_beside_it(tmp_path: Path) -> None:
    """A wheel is a reader too."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await shown(seen)
        await seen.pilot._post_mouse_events([events.MouseScrollDown], "#preview")  # noqa: SLF001 - it has no other wheel
        await say_yes(seen, run_id)

        await seen.see("paused for an answer to second")
        assert "▌✓ first" in seen.text


FAILING = """
name: failing
blocks:
  - {id: lint, type: Shell, on_failure: continue, inputs: {command: "exit 3"}}
  - id: first
    type: ConfirmOperation
    depends_on: [{block: lint, when: [failed]}]
    inputs: {message: "Go on once?"}
  - id: flaky
    type: Shell
    depends_on: [first]
    retry: {max_attempts: 99, delay: 1s}
    inputs: {command: "sleep 0.5; test -e there"}
  - {id: second, type: ConfirmOperation, depends_on: [flaky], inputs: {message: "Go on twice?"}}
"""


async def test_a_cursor_does_not_go_back_to_what_failed_long_ago(tmp_path: Path) -> None:
    """While a block waits for its next attempt: the run goes on in spite of the failure, and so does the cursor."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await seen.start(FAILING)
        await seen.see("◆1")
        await seen.press("o")
        await seen.see("▌◆ first", "Go on once?")
        pause = await seen.ask(lambda session: session.history.find_pause(run_id))
        reply = Reply("yes", by="ben", via="cli")
        await seen.ask(lambda session: session.executor.answer(pause.pause_id, reply))
        await seen.see("▌↻ flaky")
        (tmp_path / "there").touch()

        await seen.see("▌◆ second", "Go on twice?")


async def test_a_wave_says_how_long_it_took(tmp_path: Path) -> None:
    """From the first block that began to the last one that ended; nothing where nothing has begun."""
    async with monitor(tmp_path, size=SIZE) as seen:
        await shown(seen)

        titles = next(row for row in seen.text.splitlines() if "Wave 1" in row)
        waves = titles.split("Wave ")[1:]
        assert waves[0].split()[1:3] == ["1/1", "0.0s"]
        assert waves[1].split()[1] == "0/1"
        assert waves[1].split()[2][0].isdigit()
        assert not waves[2].replace("─", "").split()[2:]


ITEMS = """
name: fan
blocks:
  - id: patch
    type: Shell
    for_each: {items: [alpha, beta, gamma, a4, a5, a6, a7, a8, a9, a10], key: "${item}"}
    inputs: {command: "echo done"}
"""


async def test_words_that_are_looked_for_among_items_show_these(tmp_path: Path) -> None:
    """Also of a block that was folded: otherwise nothing would come of what is typed."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await seen.start(ITEMS)
        await seen.ask(lambda session: session.executor.settle(run_id))
        await seen.press("2")
        await seen.see("fan")
        await seen.press("enter")
        await seen.see("▌✓ patch")
        assert "gamma" not in seen.text.split("Gantt")[0]
        await seen.press("slash", *"gam")

        await seen.until(lambda: "✓ gamma" in seen.text.split("Gantt")[0])
        assert "✓ alpha" not in seen.text


RULES = """
name: rules
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Ship?"}}
  - {id: ship, type: Shell, depends_on: [gate], reversible: false, inputs: {command: "echo ship"}}
  - id: back
    type: Shell
    depends_on: [{block: gate, when: [rejected]}]
    condition: "${gate.response} != 'x'"
    inputs: {command: "echo back"}
"""


async def test_a_block_that_has_not_begun_says_under_which_rules_it_will(tmp_path: Path) -> None:
    """After which outcome, on which condition, and that what it does stays done."""
    async with monitor(tmp_path, size=SIZE) as seen:
        await seen.start(RULES)
        await seen.see("◆1")
        await seen.press("o")
        await seen.see("▌◆ gate")
        await seen.press("j")
        await seen.see("▌○ ship", "wave 2 · cannot be undone")
        await seen.press("j")

        await seen.see("▌○ back", "needs     gate (rejected)", "only if   ${gate.response} != 'x'")
