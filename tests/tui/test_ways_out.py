"""Ways that lead on from a question without an answer: reject it, cancel its run, send it back, change its state."""

from pathlib import Path

import pytest
from textual.widgets import Input

from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.tui.dialogs import AnswerDialog, CancelDialog
from tidegate.tui.dialogs.turns.fork import ForkDialog
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tui.monitoring import Monitor, monitor

SIZES = [(80, 24), (120, 36)]
GATE = """
name: gate
blocks:
  - {id: build, type: Shell, inputs: {command: echo 1.5.3}}
  - {id: ask, type: ConfirmOperation, depends_on: [build], inputs: {message: Deploy it?, comment: on_reject}}
"""
NAME = """
name: name
blocks:
  - {id: ask, type: GetInput, inputs: {prompt: Which name?}}
"""
BROKEN = """
name: broken
blocks:
  - {id: deploy, type: Shell, inputs: {command: exit 3}, on_failure: pause}
"""
OFFER = "No answer to this rejects it: ctrl+x once more"


async def says(seen: Monitor, sentence: str) -> None:
    """Return once the terminal says something; it may be broken over lines, and stand in a box."""
    await seen.until(lambda: sentence in " ".join(seen.text.replace("│", " ").split()))


async def opened(seen: Monitor, text: str, question: str) -> RunId:
    """Start a run, and open what it asks; return which run it is."""
    run_id = await seen.start(text)
    await seen.see(question)
    await seen.press("a")
    await seen.dialog(question)
    return run_id


async def calm(seen: Monitor) -> None:
    """Let go of the keys for long enough that the next press counts as one of its own."""
    await seen.pilot.pause(0.25)


async def ended(seen: Monitor, run_id: RunId) -> RunStatus:
    """Return how a run has ended."""
    await seen.ask(lambda session: session.executor.settle(run_id))
    return (await seen.ask(lambda session: session.history.run_view(run_id))).status


def armed(seen: Monitor) -> bool:
    """Whether a no is what the next press sends."""
    return bool(seen.app.screen.query("#reject.-armed"))


# -- an answer that rejects -------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("second", ["n", "ctrl+x", "enter"])
async def test_a_key_arms_the_no_and_a_second_press_sends_it(
    tmp_path: Path, size: tuple[int, int], second: str
) -> None:
    """As the letter of the no does, with what the no still needs."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await opened(seen, GATE, "Deploy it?")
        await seen.press("ctrl+x")
        await says(seen, "Reject: press ctrl+s to send")
        await says(seen, "First: a comment is required with a no")
        assert armed(seen)
        # Whoever is used to ask for the comment first gets no other one.
        await seen.press("ctrl+t", *"too soon", "enter")
        await says(seen, "Reject: press n or enter to send")
        assert await seen.ask(lambda session: session.history.inbox(run_id))
        await calm(seen)

        await seen.press(second)

        await seen.see("nothing waits")
        assert await ended(seen, run_id) is RunStatus.REJECTED
        [said] = await seen.ask(lambda session: session.history.answered())
        assert said.answer is not None
        assert (said.answer.value, said.answer.comment) == (False, "too soon")


async def test_the_key_works_wherever_the_cursor_is(tmp_path: Path) -> None:
    """In the comment it leaves one there, where letters are the reason and send nothing; once more sends it."""
    async with monitor(tmp_path) as seen:
        run_id = await opened(seen, GATE, "Deploy it?")
        await seen.press("ctrl+t", *"too soon", "ctrl+x")

        await says(seen, "Reject: press ctrl+s to send")
        assert armed(seen)
        assert seen.app.focused is seen.app.screen.query_one("#comment")
        await calm(seen)
        await seen.press("ctrl+x")
        await seen.see("nothing waits")
        assert await ended(seen, run_id) is RunStatus.REJECTED


async def test_what_is_selected_is_cut_and_nothing_is_rejected(tmp_path: Path) -> None:
    """The same key means that in every field, with something selected in it."""
    async with monitor(tmp_path) as seen:
        await opened(seen, GATE, "Deploy it?")
        await seen.press("ctrl+t", *"soon", "shift+left", "shift+left", "ctrl+x")

        await says(seen, "Copied: on.")
        assert seen.app.screen.query_one("#comment", Input).value == "so"
        assert not armed(seen)


@pytest.mark.parametrize("size", SIZES)
async def test_where_none_rejects_it_says_so_and_leads_to_the_cancel_dialog(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Which wants the run's id typed; what was typed as an answer is kept."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await opened(seen, NAME, "Which name?")
        await seen.press(*"ada", "ctrl+x")
        await says(seen, OFFER)
        await calm(seen)
        await seen.press("ctrl+x")
        await seen.until(lambda: isinstance(seen.app.screen, CancelDialog))
        await seen.dialog(f"Type {run_id[:4]}")
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, AnswerDialog))
        assert await seen.ask(lambda session: session.history.inbox(run_id))

        await seen.dialog("Your draft is back")
        await seen.press("ctrl+x")
        await says(seen, OFFER)
        await calm(seen)
        await seen.press("ctrl+x")
        await seen.dialog(f"Type {run_id[:4]}")
        await seen.press(*run_id[:4], "enter")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))

        assert await ended(seen, run_id) is RunStatus.CANCELLED


async def test_an_offer_stands_only_as_long_as_it_is_read(tmp_path: Path) -> None:
    """Whoever goes on typing is asked anew."""
    async with monitor(tmp_path) as seen:
        await opened(seen, NAME, "Which name?")
        await seen.press("ctrl+x")
        await says(seen, OFFER)
        await seen.press("a")
        await seen.see("Enter sends it")
        await calm(seen)

        await seen.press("ctrl+x")

        await says(seen, OFFER)
        assert isinstance(seen.app.screen, AnswerDialog)


async def test_what_became_of_a_block_is_not_rejected(tmp_path: Path) -> None:
    """Nothing is armed and nothing is offered: one of its answers lets it fail."""
    async with monitor(tmp_path) as seen:
        await seen.start(BROKEN)
        await seen.see("◆ recovery")
        await seen.press("r")
        await seen.dialog("It failed: look at why")
        await seen.press("ctrl+x", "ctrl+x", "ctrl+r", "f1")
        await seen.see("The keys of the dialog you came from")

        assert "ctrl+x" not in seen.text
        assert "f6" in seen.text
        await seen.press("escape", "escape")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))


# -- from the list ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
async def test_a_key_of_the_inbox_opens_the_question_with_its_no_armed(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """The same press as in the dialog sends it, but none that was typed before keys count."""
    text = GATE.replace(", comment: on_reject", "")
    async with monitor(tmp_path, size=size) as seen:
        run_id = await seen.start(text)
        await seen.see("Deploy it?")
        await seen.press("r", "n", "enter", "n", "enter")
        await seen.dialog("Reject: press ctrl+s to send")
        assert armed(seen)
        assert await seen.ask(lambda session: session.history.inbox(run_id)), "typed-ahead keys are dropped"
        await calm(seen)
        await seen.press("n", "o")
        assert await seen.ask(lambda session: session.history.inbox(run_id)), "letters are the reason"
        await calm(seen)

        await seen.press("ctrl+s")

        await seen.see("nothing waits")
        assert await ended(seen, run_id) is RunStatus.REJECTED


async def test_a_key_of_the_inbox_says_so_where_none_rejects(tmp_path: Path) -> None:
    """In the dialog, as its own key does; nothing is answered, and nothing cancelled."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(NAME)
        await seen.see("Which name?", "r Reject")
        await seen.press("r")
        await seen.dialog("ctrl+x once more")
        await says(seen, OFFER)
        await seen.press(*"ada", "enter")

        await seen.see("nothing waits")
        assert await ended(seen, run_id) is RunStatus.SUCCEEDED


async def test_a_key_that_would_not_count_opens_nothing(tmp_path: Path) -> None:
    """With nothing to reject, and where nothing may be changed."""
    async with monitor(tmp_path) as seen:
        await seen.see("Nothing waits for you")
        await seen.press("r")
        await seen.see("nothing waits for you")
        await seen.start(NAME)
        await seen.see("Which name?")
        seen.app.toggle_read_only()
        await seen.press("r")
        await seen.see("read-only: nothing is changed from here")

        assert isinstance(seen.app.screen, InboxScreen)


# -- sent back, and its state -----------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
async def test_a_question_that_follows_nothing_says_so_before_anything_closes(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """What was typed and what was armed is not lost by it: nobody has left."""
    async with monitor(tmp_path, size=size) as seen:
        await opened(seen, NAME, "Which name?")
        await seen.press(*"ada", "ctrl+r")

        await says(seen, "Not sent back: block 'ask': it follows no other block.")
        assert isinstance(seen.app.screen, AnswerDialog)
        assert seen.app.screen.query_one("#answer", Input).value == "ada"


async def test_an_armed_answer_is_taken_back_by_what_is_said_in_its_place(tmp_path: Path) -> None:
    """What the next press sends is what stands there to be read."""
    async with monitor(tmp_path) as seen:
        run_id = await opened(seen, GATE.replace("depends_on: [build], ", ""), "Deploy it?")
        await seen.press("y")
        await seen.see("press y or enter to send")
        await seen.press("ctrl+r")
        await says(seen, "Not sent back: block 'ask': it follows no other block.")
        await calm(seen)
        await seen.press("enter")
        await seen.see("press y or enter to send")

        assert await seen.ask(lambda session: session.history.inbox(run_id))


@pytest.mark.parametrize("size", SIZES)
async def test_its_state_can_be_changed_first_in_a_fork(tmp_path: Path, size: tuple[int, int]) -> None:
    """Beside the question as it is now, with what it follows to be changed; the run itself stays as it is."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await opened(seen, GATE, "Deploy it?")
        before = await seen.ask(lambda session: session.history.state(run_id))
        await seen.press("ctrl+t", *"wait", "f6")
        await seen.until(lambda: isinstance(seen.app.screen, ForkDialog))
        await says(seen, "A fork gets it, never this run.")
        await seen.dialog("Fork")
        assert isinstance(seen.app.screen_stack[-2], TimeTravelScreen)
        assert seen.app.screen.query_one("#fork-path", Input).value.startswith("blocks.build.outputs.")
        await seen.press("escape")
        await seen.until(lambda: not seen.app.screen.query("#fork-value:focus"))
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, TimeTravelScreen))
        await seen.see("this run is never changed, and still asks")

        assert await seen.ask(lambda session: session.history.state(run_id)) == before
        await seen.press("1")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))
        await seen.press("a")
        await seen.dialog("Deploy it?")
        assert seen.app.screen.query_one("#comment", Input).value == "wait"
