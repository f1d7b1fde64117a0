"""The comment that goes with an answer."""

import pytest
from textual.widgets import Input

from tidegate.model.prompt import CommentRule
from tui.dialogs.host import Desk, answering, bar, paste, ready, screen_text, until
from tui.dialogs.prompts import CONFIRM, EASY_FORM, SEVERAL, TICKET

ALWAYS, ON_NO = CommentRule.REQUIRED, CommentRule.ON_REJECT


async def test_a_no_that_needs_a_comment_asks_for_it() -> None:
    """When it is armed, and again before it is sent; then it takes the comment and the same two presses."""
    prompt = CONFIRM.evolve(comment_rule=ON_NO)
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("n")
        assert bar(app).endswith("First (ctrl+t): a comment is required with a no: say why.")
        await pilot.press("n")
        assert bar(app).startswith("Not sent: a comment is required with a no: say why.")
        assert desk.calls == []
        await pilot.press(*"too risky", "enter")
        assert bar(app).startswith("▶ Reject: ")
        assert "First" not in bar(app)
        assert desk.calls == []
        await pilot.press("n")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("no", "too risky")]


async def test_a_yes_needs_no_comment_where_only_a_no_does() -> None:
    """Nothing is asked for that the rule does not ask for."""
    prompt = CONFIRM.evolve(comment_rule=ON_NO)
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y", "y")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("yes", "")]


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 36)])
@pytest.mark.parametrize(
    ("prompt", "first", "again"),
    [
        (CONFIRM.evolve(comment_rule=ALWAYS), ("y", "y"), "y"),
        (SEVERAL.evolve(comment_rule=ALWAYS), ("1", "enter", "enter"), "enter"),
        (TICKET.evolve(comment_rule=ALWAYS), (*"ABC-1", "enter"), "enter"),
        (EASY_FORM.evolve(comment_rule=ALWAYS), ("3", "tab", "n", "ctrl+s"), "ctrl+s"),
    ],
    ids=["confirm", "several", "input", "form"],
)
async def test_a_required_comment_goes_with_every_answer(
    prompt: object, first: tuple[str, ...], again: str, size: tuple[int, int]
) -> None:
    """Its field is there from the start; blanks are no comment."""
    assert isinstance(prompt, type(CONFIRM) | type(SEVERAL) | type(TICKET) | type(EASY_FORM))
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test(size=size) as pilot:
        app = await ready(pilot)
        comment = app.dialog.query_one("#comment", Input)
        assert "required with every answer" in screen_text(app)
        await pilot.press(*first)
        assert bar(app).startswith("Not sent: a comment is required with this answer.")
        assert comment.has_focus
        assert comment.has_class("-invalid")
        await pilot.press("space", "enter", again)
        assert desk.calls == []
        await pilot.press(*"ok", "enter")
        assert desk.calls == []
        await pilot.press(again)
        await until(pilot, lambda: app.results)

        assert [call[1] for call in desk.calls] == ["ok"]


async def test_a_comment_is_taken_whole_or_not_at_all() -> None:
    """Several lines are refused, and a report is too long."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+t")
        paste(app, "one\ntwo")
        await pilot.press("ctrl+down")
        assert bar(app).startswith("Not pasted: ")
        paste(app, "x" * 4001)
        await pilot.press("enter", "y", "y")

        assert "at most 4,000 are taken" in bar(app)
        assert desk.calls == []


async def test_a_comment_is_kept_beside_the_draft_of_an_answer() -> None:
    """Both come back."""
    async with answering(TICKET).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"ABC", "ctrl+t", *"why", "escape", "escape")
        draft = app.outcome.draft
    async with answering(TICKET, draft=draft).run_test() as pilot:
        app = await ready(pilot)

        assert app.dialog.query_one("#answer", Input).value == "ABC"
        assert app.dialog.query_one("#comment", Input).value == "why"


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 36)])
async def test_the_keys_are_those_of_the_comment_while_it_is_typed(size: tuple[int, int]) -> None:
    """There a letter approves nothing and rejects nothing; back at the answers it does."""
    async with answering(CONFIRM).run_test(size=size) as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+x")
        await until(pilot, lambda: "ctrl+s send" in screen_text(app))
        assert "n reject" not in screen_text(app)
        await pilot.press(*"why", "enter")
        await until(pilot, lambda: "ctrl+s send" not in screen_text(app))
        assert "ctrl+t comment" in screen_text(app)


async def test_what_sends_is_said_of_where_the_cursor_is_and_that_the_comment_goes_along() -> None:
    """In the comment letters are letters; and one that was written for a no goes with a yes as well."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)
        await pilot.press("n")
        assert bar(app).startswith("▶ Reject: press n or enter to send")
        await pilot.press("ctrl+t")
        await until(pilot, lambda: bar(app).startswith("▶ Reject: press ctrl+s to send"))
        await pilot.press(*"not now", "escape", "y")
        await until(pilot, lambda: bar(app).startswith("▶ Approve: press y or enter to send"))
        assert "Your comment goes with it." in bar(app)
        await pilot.press("y")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("yes", "not now")]
