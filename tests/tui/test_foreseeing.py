"""What follows is told before an answer is sent: in a sentence, as a page, and again if it has changed since."""

import asyncio
from pathlib import Path

from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.outlook import Ahead, ForeseenBlock, Outlook
from tidegate.model.state import BlockStatus
from tidegate.tui.nouns.advice import Foreseen
from tidegate.tui.present.outlook import outlook_lines, outlook_sentence
from tidegate.tui.session import Session
from tui.monitoring import Monitor, monitor

DEPLOY = """
name: deploy
inputs:
  version: {type: str, default: 1.5.3}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo built ${version}"}}
  - {id: gate, type: ConfirmOperation, timeout: 10m, depends_on: [build], inputs: {message: "Go?"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo ship ${version}"}}
  - {id: smoke, type: Shell, effect: pure, depends_on: [ship], inputs: {command: "echo ${ship.stdout}"}}
  - {id: undo, type: Shell, depends_on: [{block: gate, when: [rejected]}], inputs: {command: "echo undo"}}
"""
HALF = """
name: half
blocks:
  - {id: tests, type: Shell, inputs: {command: "test -e green"}}
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
  - {id: ship, type: Shell, depends_on: [tests, gate], inputs: {command: "echo shipped >> log"}}
"""


def block(name: str, ahead: Ahead, **changes: object) -> ForeseenBlock:
    """Return what becomes of a block."""
    return ForeseenBlock(block=BlockId(name), type="Shell", ahead=ahead).evolve(**changes)


def outlook(*blocks: ForeseenBlock, **changes: object) -> Outlook:
    """Return what an answer leads to."""
    return Outlook(pause_id=PauseId("pause_x"), run_id=RunId("run"), head=Seq(1), blocks=blocks).evolve(
        **changes
    )


def test_what_does_not_hang_on_the_answer_alone_is_told_apart() -> None:
    """The next wave, what others decide about as well, the run below and its caller, in words and in lines."""
    waves = outlook(
        block("a", Ahead.AT_ONCE),
        block("b", Ahead.LATER),
        block("c", Ahead.LATER, by_wave=True),
        block("d", Ahead.WAITS, waits_for=("gate_b",), has_effect=True),
    )
    assert outlook_sentence(Foreseen(waves)) == (
        "Starts a; then b. The next wave starts: c. No effects outside. "
        "Waits for gate_b as well: d (effect outside)."
    )
    final = outlook(
        block("a", Ahead.AT_ONCE, has_effect=True, reversible=False),
        block("b", Ahead.LATER, has_effect=True, reversible=False, after_question=True),
    )
    # Of what somebody is asked about once more, it is that answer which decides.
    assert (
        outlook_sentence(Foreseen(final)) == "Starts a; then b. Effects outside: a, b. Cannot be undone: a."
    )
    assert [line.text for line in outlook_lines(Foreseen(final), "Approve", "k")] == [
        "Approve",
        "  at once  a  cannot be undone",
        "  then     b  cannot be undone",
    ]
    assert [line.text for line in outlook_lines(Foreseen(waves), "Approve", "k")] == [
        "Approve",
        "  at once  a",
        "  then     b",
        "  wave     c  as its wave begins",
        "  waits    d  effect outside  for gate_b as well",
    ]
    below = outlook(
        block("report", Ahead.LATER, above="hosts", has_effect=True),
        caller="hosts",
        ends=RunStatus.SUCCEEDED,
    )
    assert outlook_sentence(Foreseen(below)) == (
        "The run below ends at once: succeeded. Its caller goes on with hosts / report. "
        "Effects outside: hosts / report."
    )
    waiting = outlook(block("d", Ahead.WAITS, waits_for=("gate_b",)))
    assert outlook_sentence(Foreseen(waiting)) == "Starts nothing. Waits for gate_b as well: d."
    many = outlook(block("a", Ahead.AT_ONCE), hidden=3, asks_again="And\x1b[2J?")
    assert outlook_sentence(Foreseen(many)).startswith("Asks next: 'And")
    assert outlook_sentence(Foreseen(many)).endswith("?'. Starts a. 3 more blocks not named here.")


async def says(seen: Monitor, sentence: str) -> None:
    """Return once the dialog says something; it may be broken over lines."""
    await seen.until(lambda: sentence in " ".join(seen.text.replace("│", " ").split()))


async def test_what_an_answer_leads_to_is_told_before_it_is_sent(tmp_path: Path) -> None:
    """Which blocks run, with what, which do not, what is done outside; and beside that what is known of the run."""
    async with monitor(tmp_path, size=(120, 40)) as seen:
        await seen.start(DEPLOY, version="1.5.2")
        await seen.see("Go?", "Approve: Starts ship; then smoke.", "Reject: Starts undo.")
        await seen.press("a")
        await seen.dialog("What follows")
        await seen.press("f2", "f2")
        await seen.see("no other run has succeeded")
        await seen.press("y")
        await says(seen, "Starts ship; then smoke. Effects outside: ship.")
        await seen.pilot.pause(0.2)
        await seen.press("y")
        await seen.see("nothing waits")

        await seen.start(DEPLOY, version="1.5.3")
        await seen.see("1 waiting")
        await seen.press("a")
        await seen.dialog("What follows")
        await seen.see(
            "at once", "echo ship 1.5.3", "usually", "not run", "'gate' succeeded", "Nobody answers"
        )
        await seen.press("n")
        await says(seen, "Starts undo. Effects outside: undo.")
        await seen.press("f2")
        await seen.see("Inputs", "1.5.3")
        await seen.press("f2")
        await seen.see("the last that succeeded, when it asked the same", '"1.5.2" → "1.5.3"')
        await seen.press("f2")
        await seen.see("built 1.5.3")


async def test_an_answer_is_held_back_if_more_would_follow_than_was_seen(tmp_path: Path) -> None:
    """What it was that changed is told; whoever sends it again means it."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(HALF)
        await seen.see("Go?")
        await seen.press("a")
        await seen.dialog("Go?")
        await seen.press("y")
        await says(seen, "The run ends at once: failed.")
        (tmp_path / "green").touch()
        await seen.ask(lambda session: session.executor.retry(run_id, BlockId("tests"), by="bo"))
        await seen.ask(lambda session: _done(session, run_id))
        await seen.pilot.pause(0.2)
        await seen.press("y")
        await says(
            seen,
            "Not sent. What follows has changed since you looked: now it also runs ship (echo shipped >> log).",
        )
        assert not (tmp_path / "log").exists()

        # Nothing counts until one may have read it.
        await seen.dialog("Not sent.")
        await seen.press("y")
        await seen.see("nothing waits")
        assert (tmp_path / "log").read_text() == "shipped\n"


async def _done(session: Session, run_id: RunId) -> None:
    while (await session.history.state(run_id)).block(BlockId("tests")).status is not BlockStatus.SUCCEEDED:
        await asyncio.sleep(0.02)
