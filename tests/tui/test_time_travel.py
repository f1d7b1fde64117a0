"""Walking through a run's past with real keys, on a real engine and a real store."""

import asyncio
import json
import threading
from pathlib import Path

import pytest

from running import PATIENCE
from tidegate.model.answer import Reply
from tidegate.model.events import AttemptSucceeded, CheckpointMarked, WaveStarted
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import BlockStatus
from tidegate.model.value import Inline, Value
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition
from tidegate.store.protocol import Store
from tidegate.tui.nouns.travel import Base
from tidegate.tui.reads.travel import read_point
from tidegate.tui.screens.run.run_view import RunScreen
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tidegate.tui.session import Session
from tidegate.tui.widgets.line_list import LineList
from tui.monitoring import FixedClock, Monitor, monitor
from tui.scene import NOW, begin, started

STORY = """
name: story
inputs:
  who: {type: string, default: ana}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo building; echo 'made for ${who}'"}}
  - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Ship it?"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo shipped; echo [b]bold[/b]"}}
"""


async def paused(seen: Monitor) -> RunId:
    """Start a run, and return once it asks."""
    run_id = await seen.start(STORY, who="ana")
    await seen.see("1 Inbox ◆1")
    return run_id


async def say_yes(seen: Monitor, run_id: RunId) -> None:
    """Answer its question, as another terminal would, and wait until the run has ended."""
    pause = await seen.ask(lambda session: session.history.find_pause(run_id))
    reply = Reply("yes", by="ben", via="cli")
    await seen.ask(lambda session: session.executor.answer(pause.pause_id, reply))
    await seen.ask(lambda session: session.executor.settle(run_id))


async def done(seen: Monitor) -> RunId:
    """Return a run that has ended."""
    run_id = await paused(seen)
    await say_yes(seen, run_id)
    return run_id


async def look_back(seen: Monitor, at: str = "") -> TimeTravelScreen:
    """Open the newest checkpoint of the list, and go to *at*."""
    await seen.press("3")
    await seen.see("shown")
    await seen.press("g", "enter")
    await seen.until(lambda: isinstance(seen.app.screen, TimeTravelScreen))
    screen = seen.app.screen
    assert isinstance(screen, TimeTravelScreen)
    await seen.see("viewing")
    if at:
        await seen.press("number_sign", *at, "enter")
    return screen


def text_of(keys: str) -> list[str]:
    """Return the keys that type a text."""
    names = {
        "@": "at",
        "#": "number_sign",
        " ": "space",
        ".": "full_stop",
        "_": "underscore",
        "*": "asterisk",
    }
    return [names.get(key, key) for key in keys]


async def test_a_checkpoint_opens_as_the_past_that_it_is(tmp_path: Path) -> None:
    """What the run was then is what one sees, and where it is now stands beside it."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await done(seen)
        await seen.press("3")
        await seen.see("shown")
        await seen.press("G", "enter")

        await seen.see(" PAST ", "viewing #1 of", "the run itself is ✓ succeeded", f"run {run_id}")
        await seen.see("build", "✓ succeeded", "ship", "○ pending")


async def test_keys_step_through_checkpoints_waves_and_events(tmp_path: Path) -> None:
    """Each family of brackets has its own step, and the list follows."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await done(seen)
        screen = await look_back(seen)
        marks = screen._past.timeline.checkpoints  # type: ignore[union-attr]  # noqa: SLF001 - what is there to step to
        await seen.press("g")
        await seen.see("viewing after #0", "event 1 of")

        await seen.press("right_square_bracket")
        await seen.see(f"viewing #1 of {len(marks)} · event {marks[0].seq} of")
        assert screen.points.cursor_key == str(marks[0].seq)
        await seen.press("right_parenthesis")
        await seen.see(
            f"viewing after #1 of {len(marks)} · event {marks[0].seq + 1} of", f"@{marks[0].seq + 1}"
        )
        await seen.press("left_parenthesis", "left_square_bracket")
        await seen.see("event 1 of")
        await seen.press("right_curly_bracket")
        await seen.see("event 2 of", "wave 1 starts")
        await seen.press("right_curly_bracket")
        await seen.see("wave 2 starts")
        await seen.press("left_curly_bracket")
        await seen.see("event 2 of")
        await seen.press("left_curly_bracket")
        await seen.see("no wave starts before this")
        await seen.press("G")
        await seen.see(" AS OF ", "succeeded")


async def test_one_may_go_to_a_number_an_event_or_an_id(tmp_path: Path) -> None:
    """And what is none of these says what is."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await done(seen)
        screen = await look_back(seen)
        marks = screen._past.timeline.checkpoints  # type: ignore[union-attr]  # noqa: SLF001 - what is there to go to

        await seen.press("number_sign", "1", "enter")
        await seen.see(f"viewing #1 of {len(marks)}")
        await seen.press("number_sign", *text_of("@3"), "enter")
        await seen.see("event 3 of")
        await seen.press("number_sign", *text_of(marks[1].checkpoint_id), "enter")
        await seen.see(f"viewing #2 of {len(marks)}")
        await seen.press("number_sign", *text_of("99"), "enter")
        await seen.see("there is no checkpoint #99")
        await seen.press("number_sign", *text_of("@999"), "enter")
        await seen.see("has no event 999")


async def test_the_past_keeps_still_while_the_run_goes_on(tmp_path: Path) -> None:
    """It is said that there is more; only a key goes there."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await paused(seen)
        screen = await look_back(seen)
        head = screen._past.timeline.head  # type: ignore[union-attr]  # noqa: SLF001 - as it was read
        await seen.see("the run itself is ◆ paused")
        await say_yes(seen, run_id)

        await seen.see("new checkpoint", "jumps to now", "the run itself is ✓ succeeded")
        assert f"of {head} (" in seen.text
        [ship] = [line for line in screen.state_list.lines if line.key == "blocks.ship"]
        assert "○ pending" in ship.text

        await seen.press("full_stop")
        await seen.unsee("jumps to now")
        await seen.until(lambda: screen._past.timeline.head > head)  # type: ignore[union-attr]  # noqa: SLF001
        await seen.see(" AS OF ", "✓ succeeded")


async def test_differences_are_shown_against_what_one_chooses(tmp_path: Path) -> None:
    """The checkpoint before, a marked one, now; below each other and side by side."""
    async with monitor(tmp_path, size=(200, 50)) as seen:
        await done(seen)
        screen = await look_back(seen, "1")
        await seen.see("Diff @1 →", "pending → succeeded", "Why")

        await seen.press("x")
        await seen.see("marked: d compares")
        await seen.press("right_square_bracket", "d")
        await seen.see("· marked", "blocks.gate")
        await seen.press("d")
        await seen.see("· now", "outputs")
        await seen.press("d")
        await seen.see("· success", "of which")
        assert screen._past.difference is not None  # noqa: SLF001 - a sentence that is wrapped on the screen
        assert "no other run has succeeded" in screen._past.difference.problem  # noqa: SLF001 - as above
        await seen.press("d", "s")
        await seen.see("· before", "│")
        await seen.press("u")
        await seen.see(" → ")
        await seen.press("x", "x")
        await seen.see("the mark is off")


async def test_what_is_later_is_always_the_new_side(tmp_path: Path) -> None:
    """Compared with now, too: what will be is not told as what was; the tree marks what the point has and will lose."""
    async with monitor(tmp_path, size=(200, 50)) as seen:
        run_id = await done(seen)
        head = (await seen.ask(lambda session: session.history.state(run_id))).head
        screen = await look_back(seen, "2")
        past = screen._past  # noqa: SLF001 - where one is
        await seen.see("viewing #2 of")
        here = past.at
        await seen.press("d")
        await seen.see(f"Diff @{here} → @{head} · now", "→ succeeded", "changed")
        assert "succeeded →" not in seen.text
        assert past.changed.sign(("blocks", "ship")) == "~"
        assert past.difference is not None
        assert [record.seq for record in past.difference.events] == list(range(here + 1, head + 1))

        screen.sight.focus()
        await seen.press("P")
        await seen.until(
            lambda: seen.app.clipboard == f"tidegate checkpoints diff {run_id}@{here} {run_id}@{head}"
        )
        await seen.press("x", "left_square_bracket")
        await seen.until(lambda: past.is_there and past.at < here)
        at = past.at
        await seen.press("d")
        await seen.until(lambda: past.base is not Base.NOW)
        screen.action_compare("MARKED")
        await seen.see(f"Diff @{at} → @{here} · marked")


async def test_a_point_is_compared_with_the_same_one_of_another_run(tmp_path: Path) -> None:
    """One is chosen among those of the workflow, or its id is typed; what differs is said in words."""
    async with monitor(tmp_path, size=(200, 50)) as seen:
        other = await seen.start(STORY, who="bob")
        await seen.see("1 Inbox ◆1")
        await say_yes(seen, other)
        await seen.unsee("1 Inbox ◆1")
        run_id = await done(seen)
        await seen.press("2")
        await seen.see(run_id)
        await seen.press("g", "enter", "t")
        await seen.see("viewing")
        screen = seen.app.screen
        assert isinstance(screen, TimeTravelScreen)
        past = screen._past  # noqa: SLF001 - what is compared
        await seen.press("number_sign", "1", "enter")
        await seen.until(lambda: past.is_there and past.difference is not None)

        await seen.press("D")
        await seen.see("another run to compare with", other[:6])
        await seen.press("enter")
        await seen.see("· other run", '"ana"', '"bob"')
        assert past.difference is not None
        left = past.difference.comparison.left  # type: ignore[union-attr]  # it is shown
        state, _ = await seen.ask(lambda session: read_point(session, left))
        assert left.run_id == other
        assert state.block(BlockId("build")).status is BlockStatus.SUCCEEDED
        assert state.block(BlockId("gate")).status is BlockStatus.PENDING

        await seen.press("D", *text_of(f"{other}@3"), "enter")
        await seen.see(f"Diff {other[:6]}@3 →")
        await seen.press("D", *text_of("zzzz"), "enter")
        await seen.see("no run, checkpoint or question 'zzzz'")


async def test_changed_values_are_marked_and_lead_to_the_next_change(tmp_path: Path) -> None:
    """What is under the cursor can be followed through the run."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await done(seen)
        screen = await look_back(seen, "1")
        await seen.see("+ ~ changed")
        await seen.until(lambda: screen._past.changed.sign(("blocks", "build")) == "~")  # noqa: SLF001 - what is marked
        assert screen._past.changed.sign(("blocks", "build", "outputs", "stdout")) == "+"  # noqa: SLF001 - as above
        screen.state_list.focus()
        screen.state_list.move_to("blocks.ship")

        await seen.press("n")
        await seen.see("● running")
        began = screen._past.at  # noqa: SLF001 - where one is
        await seen.press("n")
        await seen.until(lambda: screen._past.at > began and screen._past.is_there)  # noqa: SLF001 - where one is
        await seen.press("n")
        await seen.see("blocks.ship does not change after this")
        await seen.press("N")
        await seen.until(lambda: screen._past.at == began)  # noqa: SLF001 - where one is


async def test_a_value_a_path_and_a_command_can_be_copied(tmp_path: Path) -> None:
    """Each pane has its command."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await done(seen)
        screen = await look_back(seen, "1")
        await seen.see("viewing #1", "build")
        at = screen._past.at  # noqa: SLF001 - where one is
        await seen.press("P")
        assert seen.app.clipboard == f"tidegate checkpoints fork {run_id}@{at}"
        await seen.press("tab")
        screen.state_list.move_to("inputs.who")
        await seen.press("y")
        assert seen.app.clipboard == "inputs.who"
        await seen.press("Y")
        assert seen.app.clipboard == '"ana"'
        await seen.press("P")
        assert seen.app.clipboard == f"tidegate checkpoints show {run_id}@{at}"
        screen.state_list.move_to("blocks.build")
        await seen.press("P")
        assert seen.app.clipboard == f"tidegate checkpoints show {run_id}@{at} --block build"
        await seen.press("tab", "P")
        assert seen.app.clipboard == f"tidegate checkpoints diff {run_id}@1 {run_id}@{at}"


async def test_output_is_shown_up_to_the_point(tmp_path: Path) -> None:
    """Of a block that had not begun there is none."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await done(seen)
        screen = await look_back(seen, "1")
        await seen.see("viewing #1", "build")
        screen.state_list.move_to("blocks.build")
        await seen.press("l")
        await seen.see("Output of build", "building", "made for ana", "all of attempt 1")
        screen.state_list.move_to("blocks.ship")
        await seen.see("Output of ship", "ship had written nothing here")
        await seen.press("full_stop")
        await seen.see("shipped", "[b]bold[/b]")
        await seen.press("l")
        await seen.see("From here")


async def test_a_point_can_be_called_something(tmp_path: Path) -> None:
    """An event becomes a checkpoint by it; the label is in the store."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await done(seen)
        await look_back(seen)
        await seen.press("number_sign", *text_of("@4"), "enter")
        await seen.see("event 4 of")

        await seen.press("b", *text_of("odd here"), "enter")

        await seen.see("odd here", "explicit")
        found = await seen.ask(lambda session: session.history.checkpoints())
        assert [(mark.run_id, mark.seq) for mark in found if mark.label == "odd here"] == [(run_id, 4)]


async def test_each_checkpoint_of_one_event_has_a_row(tmp_path: Path) -> None:
    """With its number; both are the same point, and the cursor goes through them."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await done(seen)
        await seen.ask(lambda session: session.executor.mark(run_id, Seq(4), by="ana", label="one"))
        await seen.ask(lambda session: session.executor.mark(run_id, Seq(4), by="ana", label="other"))
        screen = await look_back(seen)
        await seen.see("one", "other")
        count = len(screen.query_one("#points", LineList).lines)
        marks = await seen.ask(lambda session: session.history.checkpoints())
        assert count == len([mark for mark in marks if mark.run_id == run_id]) + 2
        await seen.press("number_sign", *text_of("@4"), "enter")
        first = next(n for n, mark in enumerate(sorted(marks, key=lambda mark: mark.seq), 1) if mark.seq == 4)
        await seen.see(f"viewing #{first}-{first + 1} of {len(marks)} · event 4")
        assert screen.points.cursor_key == "4"
        await seen.press("down")
        assert screen.points.cursor_key.startswith("4:")
        await seen.pilot.pause(0.3)
        assert screen.points.cursor_key.startswith("4:")
        await seen.see("event 4 of")
        await seen.press("down")
        await seen.unsee("event 4 of")


async def test_in_the_past_a_message_is_said_once(tmp_path: Path) -> None:
    """In the head: a toast would lie on what one reads."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await done(seen)
        await look_back(seen, "1")
        await seen.press("b", *"odd", "enter")
        await seen.see("is called odd")
        assert seen.text.count("is called odd") == 1
        assert run_id in seen.text


async def test_stepping_on_takes_no_name_back(tmp_path: Path) -> None:
    """It is written although the engine is slow and one looks for another point meanwhile."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await done(seen)
        await look_back(seen)
        await seen.press("number_sign", *text_of("@4"), "enter")
        await seen.see("event 4 of")
        is_slow, may_go_on = threading.Event(), threading.Event()

        async def hold(_: Session) -> None:
            is_slow.set()
            may_go_on.wait(PATIENCE)

        holding = asyncio.ensure_future(seen.ask(hold))
        await seen.until(is_slow.is_set)
        await seen.press("b", *text_of("odd"), "enter")
        await seen.press("right_curly_bracket")
        await seen.until(lambda: any(worker.group == "seek" for worker in seen.app.workers))
        may_go_on.set()
        await holding

        await seen.see(f"{run_id}@4 is called odd")
        await seen.until(lambda: all(worker.group != "seek" for worker in seen.app.workers))
        found = await seen.ask(lambda session: session.history.checkpoints())
        assert [(mark.run_id, mark.seq) for mark in found if mark.label == "odd"] == [(run_id, 4)]


async def test_words_leave_only_what_has_them(tmp_path: Path) -> None:
    """Checkpoints in their list, names in the state."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await done(seen)
        screen = await look_back(seen)
        await seen.press("slash", *"gate", "enter")
        await seen.see("Checkpoints · / gate")
        await seen.until(lambda: len(screen.points.lines) == 2)
        await seen.press("escape", "tab", "slash", *"stdout", "enter")
        await seen.see("State at", "/ stdout")
        hit = "blocks.build.outputs.stdout"
        ways = [hit.rsplit(".", up)[0] for up in range(3, 0, -1)]
        await seen.until(
            lambda: [line.key for line in screen.state_list.lines if line.key in hit] == [*ways, hit]
        )
        await seen.press("escape")
        await seen.see("inputs")
        await seen.press("escape")
        await seen.until(lambda: not isinstance(seen.app.screen, TimeTravelScreen))


async def test_a_small_terminal_shows_one_thing_beside_the_list(tmp_path: Path) -> None:
    """Tab goes on to what differs, and back to the state."""
    async with monitor(tmp_path) as seen:
        await done(seen)
        await look_back(seen, "1")
        await seen.see("State at #1", " PAST ")
        assert "Diff" not in seen.text
        await seen.press("tab", "tab")
        await seen.see("Diff @1")
        await seen.unsee("State at")
        await seen.press("tab")
        await seen.see("State at #1")


async def test_a_block_leads_to_where_it_ended(tmp_path: Path) -> None:
    """From the run view: what changed it last is the point."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await done(seen)
        await seen.press("2")
        await seen.see("story")
        await seen.press("enter")
        await seen.see("Waves")
        screen = seen.app.screen
        assert isinstance(screen, RunScreen)
        screen.action_block("build")
        await seen.see("Shell · wave 1")
        await seen.press("t")
        await seen.see("Time travel", "✓ build", "ship", "○ pending")
        past = seen.app.screen
        assert isinstance(past, TimeTravelScreen)
        assert past.state_list.cursor_key == "blocks.build"
        await seen.press("o")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))


async def test_a_run_that_is_removed_meanwhile_stays_readable(tmp_path: Path) -> None:
    """What was read of it is there, and it is said that it is gone; also when one comes back to it from the help."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await done(seen)
        screen = await look_back(seen, "1")
        await seen.see("viewing #1", "build")
        await seen.ask(lambda session: session.executor.remove_run(run_id))
        await seen.see("this run was removed", "build")

        await seen.press("question_mark")
        await seen.see("Go to the checkpoint before")
        await seen.press("escape")
        await seen.until(lambda: seen.app.screen is screen)
        await seen.see("this run was removed", "build")
        await seen.pilot.pause(0.1)
        assert seen.app.is_running


EVIL = "[b]x[/b] [/] \x1b]2;title\x07 [link=http://x]y[/link]"


async def tell_evil(store: Store) -> None:
    """Tell a run of which values and labels are markup and escapes."""
    block = BlockDefinition(id=BlockId("bad"), type="Shell", inputs={EVIL: EVIL})
    definition = WorkflowDefinition(name="wf [b]evil[/b]", blocks=(block,), waves=((block.id,),))
    run = await begin(store, definition, "evilpast2345", 60)
    outputs: dict[str, Value] = {EVIL: Inline(value={EVIL: [EVIL]}), "lines": Inline(value=f"a\n{EVIL}\nb")}
    await run.tell(0.0, WaveStarted(wave=0), started("bad", EVIL))
    await run.tell(
        1.0, AttemptSucceeded(block=block.id, attempt=1, outputs=outputs, state={EVIL: Inline(value=EVIL)})
    )
    mark = CheckpointMarked(checkpoint_id=CheckpointId("chk_evil"), kind=CheckpointKind.EXPLICIT, label=EVIL)
    await run.tell(0.0, mark)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_foreign_text_is_shown_and_never_obeyed(tmp_path: Path, size: tuple[int, int]) -> None:
    """In labels, names, values, differences and what stands whole beside them."""
    async with monitor(tmp_path, size=size, prepare=tell_evil, clock=FixedClock(NOW)) as seen:
        await seen.press("3")
        await seen.see("shown")
        await seen.press("enter")
        await seen.see("Time travel", "wf [b]evil[/b]", "[b]x[/b]")
        await seen.press("s", "tab", "tab", "tab")
        screen = seen.app.screen
        assert isinstance(screen, TimeTravelScreen)
        await seen.until(lambda: "blocks.bad.outputs.lines" in {line.key for line in screen.state_list.lines})
        screen.state_list.focus()
        screen.state_list.move_to("blocks.bad.outputs.lines")
        await seen.press("enter")
        await seen.see("[b]x[/b] [/] ␛]2;title␇")
        assert "\x1b]2" not in seen.text


# -- the tree ---------------------------------------------------------------------------------


async def test_what_shall_not_count_is_left_out_and_times_count_on_demand(tmp_path: Path) -> None:
    """The paths stay until they are taken back; the command that is copied says the same."""
    async with monitor(tmp_path, size=(200, 50)) as seen:
        await done(seen)
        run_id = await seen.start(STORY, who="bea")
        await seen.ask(lambda session: session.executor.settle(run_id))
        await say_yes(seen, run_id)
        screen = await look_back(seen)
        await seen.see("viewing")
        await seen.press("full_stop", "D")
        await seen.see("another run to compare with")
        await seen.press("enter")
        await seen.see("differ too: t counts them")
        await seen.press("t")
        await seen.see("started_at")
        await seen.unsee("differ too")
        await seen.press("minus", *text_of("blocks.**"), "enter")
        await seen.see("left out: - changes what")
        screen.sight.focus()
        await seen.press("P")
        await seen.until(lambda: seen.app.clipboard.endswith("--ignore 'blocks.**' --timing"))
        assert f"{run_id}@" in seen.app.clipboard
        await seen.press("minus", "ctrl+u", "quotation_mark", "a", "enter")
        await seen.see("not a path")
        await seen.press("minus")
        await seen.see("blocks.**")
        await seen.press("ctrl+u", "enter")
        await seen.unsee("left out")


BIG = """
name: big
blocks:
  - {id: make, type: Shell, inputs: {command: "head -c 30000 /dev/zero | tr '\\\\0' x"}}
"""


async def test_a_large_value_is_copied_and_not_its_hash(tmp_path: Path) -> None:
    """Also as a part of what is above it; and anything can be looked at as JSON."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await seen.start(BIG)
        await seen.ask(lambda session: session.executor.settle(run_id))
        screen = await look_back(seen)
        await seen.press("full_stop", "tab")
        await seen.see("make")
        screen.state_list.move_to("blocks.make")
        await seen.press("Y")
        await seen.until(lambda: "xxxx" in seen.app.clipboard)
        assert json.loads(seen.app.clipboard)["outputs"]["stdout"] == "x" * 30_000
        await seen.press("v")
        await seen.see('"status": "succeeded"', '"exit_code": 0')


async def test_the_last_wave_is_the_last_on_the_line(tmp_path: Path) -> None:
    """Behind it comes only the end."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await done(seen)
        await look_back(seen)
        await seen.press("full_stop")
        await seen.see("viewing")
        assert "wave 3" in seen.text
        assert "wave 4" not in seen.text
        assert "─4─" not in seen.text
