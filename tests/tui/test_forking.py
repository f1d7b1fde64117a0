"""Forking a run with real keys: what it will do is said first, and nothing happens at one stroke."""

import asyncio
import textwrap
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tidegate.blocks.registry import catalog
from tidegate.history.points import Point
from tidegate.model.answer import Reply
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import RunFilter
from tidegate.model.state import BlockStatus, RunState
from tidegate.tui.dialogs.quit import QuitDialog
from tidegate.tui.dialogs.turns.fork import ForkDialog
from tidegate.tui.dialogs.turns.fork_body import ForkBody
from tidegate.tui.dialogs.turns.fork_fields import ValueField
from tidegate.tui.nouns.fork_wish import ForkWish
from tidegate.tui.reads.fork_wishes import editable
from tidegate.tui.screens.run.run_view import RunScreen
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tidegate.tui.session import Call, Session
from tidegate.workflows.loader import load_workflow
from tui.monitoring import Monitor, monitor

BROKEN = """
name: broken
blocks:
  - {id: build, type: Shell, inputs: {command: "echo built >> log"}}
  - {id: ship, type: Shell, depends_on: [build], inputs: {command: "false"}}
"""
ASKING = """
name: asking
inputs:
  who: {type: string, default: ana}
  count: {type: integer, default: 3}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo 'for ${who}'"}}
  - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Ship it?"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo 'shipped ${count}'"}}
"""


async def failed(seen: Monitor) -> RunId:
    """Start a run, and return once it has failed, with its run view open."""
    run_id = await seen.start(BROKEN)
    await seen.ask(lambda session: session.executor.settle(run_id))
    await seen.press("2")
    await seen.see("broken")
    await seen.press("enter")
    await seen.see("exit code 1", "forks from before it")
    return run_id


async def answered(seen: Monitor) -> RunId:
    """Return a run that asked, was told yes, and has ended."""
    run_id = await seen.start(ASKING, who="ana", count=3)
    await seen.see("1 Inbox ◆1")
    pause = await seen.ask(lambda session: session.history.find_pause(run_id))
    reply = Reply("yes", by="ben", via="cli")
    await seen.ask(lambda session: session.executor.answer(pause.pause_id, reply))
    await seen.ask(lambda session: session.executor.settle(run_id))
    return run_id


async def look_back(seen: Monitor, number: str) -> TimeTravelScreen:
    """Open the past of the newest run at a checkpoint."""
    await seen.press("3")
    await seen.see("shown")
    await seen.press("g", "enter")
    await seen.see("viewing")
    await seen.press("number_sign", number, "enter")
    await seen.see(f"viewing #{number} of")
    screen = seen.app.screen
    assert isinstance(screen, TimeTravelScreen)
    return screen


async def fork_of(seen: Monitor, run_id: RunId) -> RunState:
    """Return the one fork of a run, once it is at rest."""
    [view] = await seen.ask(lambda session: session.history.runs(RunFilter(origin=run_id)))
    fork = view.row.run_id
    await seen.ask(lambda session: session.executor.settle(fork))
    return await seen.ask(lambda session: session.history.state(fork))


async def type_over(seen: Monitor, text: str) -> None:
    """Put another text in the place of the one in the field."""
    names = {" ": "space", ".": "full_stop", "_": "underscore"}
    await seen.press("ctrl+u", *(names.get(key, key) for key in text))


async def test_a_failed_block_is_one_key_away_from_a_fork_with_its_input_changed(tmp_path: Path) -> None:
    """The value that it had is there to be changed; the new run opens, and the old one stays as it was."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await failed(seen)
        before = await seen.ask(lambda session: session.history.state(run_id))

        await seen.press("F")
        await seen.dialog("blocks.ship.inputs.command")
        await seen.see("false", "Stays as it is (1)  build", "ship: it had failed", "for REAL  ship")
        await type_over(seen, "true")
        await seen.press("enter")
        await seen.see('"false" → "true"', f"fork {run_id}@{before.head} --set")
        await seen.approve()

        await seen.until(lambda: isinstance(seen.app.screen, RunScreen) and seen.app.screen.run_id != run_id)
        await seen.see("succeeded", f"fork of {run_id[:6]}@{before.head}")
        fork = await fork_of(seen, run_id)
        assert fork.status is RunStatus.SUCCEEDED
        assert (tmp_path / "log").read_text() == "built\n"
        assert await seen.ask(lambda session: session.history.state(run_id)) == before


async def test_nothing_is_forked_at_one_stroke(tmp_path: Path) -> None:
    """Keys that come too early, a single y, and escape fork nothing."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        await look_back(seen, "1")

        await seen.press("F", "y", "y", "y")
        await seen.dialog("Ahead (")
        await seen.press("y")
        await seen.see("to send")
        await seen.press("escape")
        await seen.see("Nothing happens until you press y")
        await seen.press("enter")
        await seen.see("Nothing is chosen yet")
        await seen.press("escape")

        await seen.until(lambda: isinstance(seen.app.screen, TimeTravelScreen))
        assert await seen.ask(lambda session: session.history.runs(RunFilter(origin=run_id))) == ()


def held_up(seen: Monitor) -> tuple[asyncio.Event, Call]:
    """Return how a dialog asks the engine, and what has to be set for it to hear of that."""
    answers = asyncio.Event()

    async def call(question: Callable[[Session], Awaitable[Any]]) -> Any:
        await answers.wait()
        return await seen.ask(question)

    return answers, call


async def test_what_was_offered_before_a_change_cannot_be_made_after_it(tmp_path: Path) -> None:
    """Until it is known what the changed fork does, no press makes one, neither the old nor the new."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        answers, call = held_up(seen)
        answers.set()
        dialog = ForkDialog(ForkWish(Point(run_id, Seq(1))), call)
        seen.app.push_screen(dialog)
        await seen.dialog("Asks (again)")
        await seen.press("y")
        await seen.see("to send")
        answers.clear()
        for key in "ayy":
            await seen.press(key)
            await seen.pilot.pause(0.2)
        answers.set()
        await seen.see("keeps its answer: yes")
        await seen.pilot.pause(0.2)

        assert seen.app.screen is dialog
        assert "to send" not in seen.text
        assert await seen.ask(lambda session: session.history.runs(RunFilter(origin=run_id))) == ()


async def test_no_key_counts_before_the_field_is_there_that_it_begins_with(tmp_path: Path) -> None:
    """Nor in the first moment of it: what is pressed then was meant for what stood there before."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        answers, call = held_up(seen)
        wish = ForkWish(Point(run_id, Seq(1)), ("inputs", "count"), is_editing=True)
        dialog = ForkDialog(wish, call)
        seen.app.push_screen(dialog)
        await seen.until(lambda: dialog.has_class("-ready"))
        for key in "eyya":
            await seen.pilot.press(key)
        assert "keep answers" not in seen.text
        answers.set()
        await seen.until(lambda: dialog.query_one(ForkBody).is_typing)
        await seen.pilot.press("9")
        await seen.pilot.pause(0.6)
        await seen.pilot.press("7")

        await seen.until(lambda: dialog.query_one(ForkBody).value.text.endswith("7"))
        assert dialog.query_one(ForkBody).value.text == "37"
        assert dialog.query_one(ForkBody).path.value == "inputs.count"


async def test_a_run_that_cannot_be_read_holds_nobody_in_its_dialog(tmp_path: Path) -> None:
    """It was to begin with a field; escape leaves all the same."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await answered(seen)
        wish = ForkWish(Point(RunId("nowhere"), Seq(1)), ("inputs", "count"), is_editing=True)
        dialog = ForkDialog(wish, seen.ask)
        seen.app.push_screen(dialog)
        await seen.see("no run 'nowhere'")
        await seen.pilot.pause(0.6)
        await seen.press("escape")
        await seen.until(lambda: seen.app.screen is not dialog)


async def test_changes_that_come_quickly_are_all_made(tmp_path: Path) -> None:
    """Each starts from the one before, though nobody has worked out yet what that does; of one that is refused only that is lost."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        answers, call = held_up(seen)
        answers.set()
        dialog = ForkDialog(ForkWish(Point(run_id, Seq(1)), edits=("inputs", "count"), is_editing=True), call)
        seen.app.push_screen(dialog)
        await seen.dialog("inputs.count")
        await type_over(seen, "7")
        await seen.press("enter")
        await seen.see("3 → 7", "⌫ drop change")
        answers.clear()
        for key in ("backspace", "a"):
            await seen.press(key)
            await seen.pilot.pause(0.2)
        answers.set()

        await seen.see("keeps its answer: yes", "--keep-answers")
        assert "3 → 7" not in seen.text
        answers.clear()
        for key in ("a", "w", "a"):
            await seen.press(key)
            await seen.pilot.pause(0.2)
        answers.set()
        await seen.see("There is no file to go on with", "a ask again")
        assert "keeps its answer: yes" in seen.text


async def begin_edit(seen: Monitor, path: str) -> None:
    """Ask for another value of what the cursor is on."""
    await seen.press("e")
    await seen.dialog(path)


async def test_what_cannot_be_changed_is_refused_with_a_reason(tmp_path: Path) -> None:
    """The dialog stays, with what was typed; what can be is shown at once, and can be taken back."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        screen = await look_back(seen, "1")
        screen.state_list.focus()
        screen.state_list.move_to("inputs.count")

        await begin_edit(seen, "inputs.count")
        await seen.press("enter")
        await seen.see("Nothing was changed", "a keep answers   P copy command")
        assert "⌫" not in seen.text
        await seen.press("escape")
        await seen.until(lambda: seen.app.screen is screen)
        await begin_edit(seen, "inputs.count")
        await type_over(seen, "many")
        await seen.press("enter")
        await seen.see("inputs.count:", "many")
        await type_over(seen, "7")
        await seen.press("enter")
        await seen.see("Changes  inputs.count  3 → 7")
        await seen.see("e change   ⌫ drop change   b from block")
        await seen.press("backspace")
        await seen.unsee("3 → 7")
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, TimeTravelScreen))
        assert await seen.ask(lambda session: session.history.runs(RunFilter(origin=run_id))) == ()


async def test_changes_are_not_lost_at_one_stroke(tmp_path: Path) -> None:
    """Escape says so first."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await failed(seen)
        await seen.press("F")
        await seen.dialog("blocks.ship.inputs.command")
        await type_over(seen, "true")
        await seen.press("enter")
        await seen.see('"false" → "true"')

        await seen.press("escape")
        await seen.see("esc once more leaves, and the changes are lost")
        assert isinstance(seen.app.screen, ForkDialog)
        await seen.press("ctrl+q")
        await seen.dialog("What you have begun to type is not sent")
        assert isinstance(seen.app.screen, QuitDialog)
        await seen.press("escape", "escape")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))


async def test_answers_count_again_only_if_that_is_chosen(tmp_path: Path) -> None:
    """The question, and what was answered, stand in the dialog."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        await look_back(seen, "1")
        await seen.press("F")
        await seen.dialog("Asks (again)  gate: Ship it?")
        await seen.press("a")
        await seen.see("keeps its answer: yes", "--keep-answers")
        await seen.approve()

        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        fork = await fork_of(seen, run_id)
        assert fork.status is RunStatus.SUCCEEDED
        assert [pause.answer.via for pause in fork.pauses.values() if pause.answer is not None] == ["fork"]


async def test_what_was_answered_can_be_answered_otherwise(tmp_path: Path) -> None:
    """From what the question gave, or from the question; by its rule, with what was answered in the field."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        screen = await look_back(seen, "2")
        await seen.press("full_stop")
        await seen.see(" AS OF ")
        state = await seen.ask(lambda session: session.history.state(run_id))
        for place in (
            ("blocks", "gate", "outputs", "confirmed"),
            ("blocks", "gate"),
            ("pauses", "gate", "answer"),
        ):
            assert editable(state, place) == ("blocks", "gate", "answer")
        screen.state_list.focus()
        screen.state_list.move_to("blocks.gate")

        await begin_edit(seen, "blocks.gate.answer")
        dialog = seen.app.screen
        assert isinstance(dialog, ForkDialog)
        await seen.until(lambda: dialog.query_one(ValueField).text == "yes")
        await type_over(seen, "perhaps")
        await seen.press("enter")
        await seen.see("blocks.gate.answer: answer yes or no")
        await type_over(seen, "no")
        await seen.press("enter")
        await seen.see(
            'Changes  blocks.gate.answer  "yes" → "no"', "gets the answer: no", "gate: it had succeeded"
        )
        await seen.approve()

        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        fork = await fork_of(seen, run_id)
        assert fork.status is RunStatus.REJECTED
        assert fork.block(BlockId("ship")).status is BlockStatus.SKIPPED


async def test_a_block_that_had_ended_can_run_again(tmp_path: Path) -> None:
    """With everything downstream; which one can be changed in the dialog."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        screen = await look_back(seen, "2")
        await seen.press("full_stop")
        await seen.see(" AS OF ")
        screen.state_list.focus()
        screen.state_list.move_to("blocks.ship")
        await seen.press("R")
        await seen.dialog("ship: it had succeeded")
        await seen.see("Stays as it is (2)  build, gate", "--from ship")
        await seen.press("b", *"nowhere", "enter")
        await seen.see("no block 'nowhere'")
        await seen.press("ctrl+u", *"gate", "enter")
        await seen.see("Stays as it is (1)  build", "gate: it had succeeded", "--from gate")
        await seen.approve()

        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        await seen.see("for an answer to gate")
        fork = await fork_of(seen, run_id)
        assert fork.block(BlockId("build")).status is BlockStatus.SUCCEEDED
        assert fork.block(BlockId("ship")).status is BlockStatus.PENDING


async def test_forks_are_shown_as_a_tree_that_one_can_walk(tmp_path: Path) -> None:
    """From a run to its fork and its past, and what differs from the parent."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await answered(seen)
        await look_back(seen, "1")
        await seen.press("F")
        await seen.dialog("Asks (again)")
        await seen.approve()
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        fork = (await fork_of(seen, run_id)).run_id
        await seen.see("fork of")
        await seen.press("escape")
        await seen.see("Forks", f"╰─ {fork[:6]} @")

        await seen.press("tab", "G", "enter")
        await seen.see(f"run {fork}", "viewing")
        screen = seen.app.screen
        assert isinstance(screen, TimeTravelScreen)
        assert screen.run_id == fork
        await seen.press("full_stop", "d", "d")
        await seen.see("· fork")


async def test_a_value_too_large_to_be_shown_is_replaced_only_by_what_is_typed(tmp_path: Path) -> None:
    """It is said how large it is; enter alone leaves it as it was."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await seen.start(ASKING.replace("echo 'for ${who}'", "printf %05000d 1"))
        await seen.see("1 Inbox ◆1")
        await look_back(seen, "1")

        await seen.press("F")
        await seen.dialog("Asks (again)")
        await seen.press("e")
        await type_over(seen, "blocks.build.outputs.stdout")
        await seen.press("enter")
        await seen.see("Its 5.0 kB are not shown; what is typed replaces all of it")
        await seen.press("enter")
        await seen.see("Nothing was changed", f"fork {run_id}")
        assert "--set" not in seen.text


async def test_a_fork_is_prepared_though_the_file_has_other_blocks_by_now(tmp_path: Path) -> None:
    """What is new in it, and what is gone, is told; no block of a file has the status of one of a run."""
    path = tmp_path / "moved.yaml"
    path.write_text(textwrap.dedent(MOVED))
    loaded = load_workflow(path, catalog())
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await seen.ask(
            lambda session: session.executor.start(loaded.definition, {}, by="ana", source=loaded.source)
        )
        await seen.ask(lambda session: session.executor.settle(run_id))
        path.write_text(textwrap.dedent(MOVED).replace("id: last", "id: other"))
        await seen.press("2", "enter")
        await seen.see("exit code 1")
        await seen.press("F")
        await seen.dialog("blocks.other")
        await seen.press("escape", "escape", "t")
        await seen.see("viewing")
        await seen.press("F")
        await seen.dialog("blocks.other")


MOVED = """
name: moved
blocks:
  - {id: first, type: Shell, inputs: {command: "exit 1"}}
  - {id: last, type: Shell, depends_on: [first], inputs: {command: "true"}}
"""
