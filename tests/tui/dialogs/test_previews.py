"""What the inbox shows of questions before they are opened."""

from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import RunRow
from tidegate.model.prompt import CommentRule, OnTimeout, Prompt
from tidegate.model.state import RunSummary
from tidegate.tui.present.pauses import answered_line, pause_line
from tidegate.tui.present.question import pause_preview
from tui.dialogs.host import NOW, pause_of
from tui.dialogs.prompts import ALL, CONFIRM, FORM, GONE, SEVERAL, SHOWN


def preview(prompt: Prompt, run: RunView | None = None, **changes: object) -> str:
    """Return the preview of an open pause, as text."""
    return "\n".join(line.text for line in pause_preview(pause_of(prompt, **changes), run, NOW))


def test_every_kind_has_a_preview() -> None:
    """With its question, and with what counts as an answer where that is typed, and has no key or field."""
    for prompt in ALL:
        text = preview(prompt)

        assert prompt.text.splitlines()[0][:40] in text
        assert ("answer    " in text) is (prompt.kind == "input" or getattr(prompt, "multiple", False))


def test_a_preview_lists_fields_choices_and_exhibits() -> None:
    """Each with what it is; what is required is marked."""
    assert "  Which ticket? *  one line, matching [A-Z]{3}-\\d+" in preview(FORM)
    assert "  How many replicas?  a whole number from 1 to 20" in preview(FORM)
    assert "  4 sa, south and north" in preview(SEVERAL)
    text = preview(SHOWN.evolve(show=(*SHOWN.show, GONE.evolve(title="[b]x[/b]\x1b[2J"))))
    assert "To look at\n  What changes (diff · manifest.yaml, 812 bytes" in text
    assert "[b]x[/b]␛[2J (file · deploy.plan)" in text


def test_a_preview_says_that_a_comment_is_required() -> None:
    """Before the dialog is opened."""
    assert "comment   required with a no" in preview(CONFIRM.evolve(comment_rule=CommentRule.ON_REJECT))
    assert "comment   required with every answer" in preview(
        CONFIRM.evolve(comment_rule=CommentRule.REQUIRED)
    )
    assert "comment" not in preview(CONFIRM)


def test_a_default_of_several_is_named() -> None:
    """Both what a deadline will take and what it took."""
    prompt = SEVERAL.evolve(default=("eu", "ap"), on_timeout=OnTimeout.DEFAULT)

    assert "then the default is taken: eu, ap" in preview(prompt, deadline=NOW + 600)


def test_a_nested_question_shows_its_block_first() -> None:
    """In a narrow column; the preview has the whole way."""
    row = pause_of(CONFIRM, path="release/deploy[red]")

    assert pause_line(row, NOW).pieces[5].text == "approve_prod in deploy[red]"
    assert answered_line(row, NOW).pieces[5].text == "approve_prod in deploy[red]"
    assert "block     release / deploy[red] / approve_prod" in preview(CONFIRM, path="release/deploy[red]")


def test_a_deadline_stands_still_while_the_run_is_paused() -> None:
    """Nothing counts down to what cannot happen."""
    summary = RunSummary(status=RunStatus.PAUSED, blocks=3, completed=1, held=True)
    row = RunRow(
        run_id=RunId("4f2akz7mw9qd"),
        workflow="deploy-api",
        definition="abc",
        created_at=NOW - 900,
        updated_at=NOW,
        head=Seq(9),
        summary=summary,
    )
    text = preview(CONFIRM, RunView(row, RunStatus.PAUSED), deadline=NOW + 600)

    assert "no deadline runs while it is paused" in text
    assert "deadline  stands still, if there is one, while the run is paused" in text
    assert "then the block fails" not in text
