"""How the same question was answered before: a page of the dialog."""

from pathlib import Path

import pytest

from tidegate.model.answer import Reply
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import Answer, ConfirmPrompt, InputPrompt, OnTimeout
from tidegate.model.state import PauseState
from tidegate.tui.present.earlier import earlier_page
from tui.dialogs.prompts import MARKUP
from tui.monitoring import Monitor, monitor

SIZES = [(80, 24), (120, 36)]
NOW = 1_790_000_000.0
GATE = """
name: gate
blocks:
  - {id: ask, type: ConfirmOperation, inputs: {message: Deploy it?}}
"""
EACH = """
name: each
blocks:
  - id: ask
    type: ConfirmOperation
    for_each: {items: [eu, us], key: "${item}"}
    inputs: {message: "Deploy to ${item}?"}
"""
CODE = """
name: secret
secrets: {code: {answer: ask}}
blocks:
  - {id: ask, type: GetInput, inputs: {prompt: Which code?, input_type: secret}}
  - {id: use, type: Shell, depends_on: [ask], inputs: {command: wc -c, stdin: "${secrets.code}"}}
"""


async def answered(seen: Monitor, text: str, raw: str, comment: str = "", by: str = "ben") -> RunId:
    """Start a run, and give each of its questions an answer as another terminal would; return which run it is."""
    run_id = await seen.start(text)
    await seen.ask(lambda session: session.executor.settle(run_id))
    for pause in await seen.ask(lambda session: session.history.inbox(run_id)):
        reply = Reply(raw, by=by, via="cli", comment=comment)
        await seen.ask(lambda session, at=pause, said=reply: session.executor.answer(at.pause_id, said))  # type: ignore[misc]
    await seen.ask(lambda session: session.executor.settle(run_id))
    return run_id


async def turned_to_it(seen: Monitor, question: str) -> None:
    """Open a question, and turn to the last of its pages."""
    await seen.see(question)
    await seen.press("a")
    await seen.dialog(question)
    await seen.press("f3")


@pytest.mark.parametrize("size", SIZES)
async def test_the_page_says_how_it_was_answered_before(tmp_path: Path, size: tuple[int, int]) -> None:
    """The last answer first, with who gave it, why, and in which run; another workflow's question is another one."""
    async with monitor(tmp_path, size=size) as seen:
        first = await answered(seen, GATE, "yes", "the canary was fine")
        second = await answered(seen, GATE, "no", by="cleo")
        await answered(seen, GATE.replace("name: gate", "name: other"), "yes", by="dora")
        await seen.start(GATE)
        await turned_to_it(seen, "Deploy it?")

        await seen.see("✗ no · by cleo (cli)", f"run {second[:6]}")
        await seen.see("✓ yes · by ben (cli)", f"run {first[:6]}", "the canary was fine")
        assert seen.text.index("by cleo") < seen.text.index("by ben")
        assert "dora" not in seen.text


async def test_of_what_was_never_asked_it_says_so(tmp_path: Path) -> None:
    """A question of the same run that is still open is none."""
    async with monitor(tmp_path) as seen:
        await seen.start(GATE)
        await seen.start(GATE)
        await turned_to_it(seen, "Deploy it?")

        await seen.see("Never asked before.")


async def test_parts_of_a_block_ask_the_same(tmp_path: Path) -> None:
    """Which part it was is said beside it."""
    async with monitor(tmp_path) as seen:
        await answered(seen, EACH, "yes")
        await seen.start(EACH)
        await turned_to_it(seen, "Deploy to")

        await seen.see("· ask[eu]", "· ask[us]")


async def test_a_secret_is_not_shown(tmp_path: Path) -> None:
    """Only that there was one, and from whom."""
    async with monitor(tmp_path) as seen:
        await answered(seen, CODE, "tiger-4711")
        await seen.start(CODE)
        await turned_to_it(seen, "Which code?")

        await seen.see("[secret ask] · by ben (cli)")
        assert "tiger" not in seen.text


def row(**changes: object) -> PauseRow:
    """Return a pause that was closed four minutes after it was opened, two hours ago."""
    closed = PauseRow(
        pause_id=PauseId("pause_1"),
        run_id=RunId("4f2akz7mw9qd"),
        workflow="deploy",
        block=BlockId("ask"),
        attempt=1,
        prompt=ConfirmPrompt(message="Go?"),
        opened_at=NOW - 7_440,
        opened_seq=Seq(7),
        state=PauseState.ANSWERED,
        closed_at=NOW - 7_200,
    )
    return closed.evolve(**changes)


def text_of(*rows: PauseRow) -> list[str]:
    """Return the lines of the page."""
    return [line.text for line in earlier_page(rows, NOW)]


def test_it_says_when_and_after_how_long() -> None:
    """Of a decision that came at once, that it did."""
    said = Answer(value=True, by="ana", via="tui", comment="fine")

    assert text_of(row(answer=said)) == ["✓ yes · by ana (tui) · 2h ago, after 4m · run 4f2akz", "  fine"]
    at_once = row(answer=said.evolve(comment="", by=""), opened_at=NOW - 7_200)
    assert text_of(at_once) == ["✓ yes · by somebody (tui) · 2h ago, at once · run 4f2akz"]


def test_it_says_what_became_of_what_nobody_answered() -> None:
    """A deadline has decided, or the run went on without."""
    late = row(
        state=PauseState.EXPIRED, prompt=InputPrompt(prompt="?", default="2", on_timeout=OnTimeout.DEFAULT)
    )

    assert text_of(late) == [
        "○ nobody answered in time: the default was taken: 2 · 2h ago, after 4m · run 4f2akz"
    ]
    assert text_of(row(state=PauseState.CLOSED)) == ["⊘ closed, not answered · 2h ago, after 4m · run 4f2akz"]


def test_what_people_have_typed_is_safe_to_draw() -> None:
    """No line of it breaks out of its own, and no control character reaches the terminal."""
    said = Answer(value=f"{MARKUP}\x1b[2J\nsecond", by="a\nb", via="cli", comment="one\ntwo\x07")
    lines = text_of(row(answer=said))

    assert len(lines) == 2
    assert all(text.isprintable() for text in lines)
    assert MARKUP in lines[0]
