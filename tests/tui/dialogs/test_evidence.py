"""Reading what is laid before the person, and answering with it in sight."""

from functools import partial

import pytest

from tidegate.model.exhibit import text_exhibit
from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, Exhibit, ExhibitKind, Prompt, Source
from tidegate.tui.dialogs.frame.pages import ExhibitPane
from tidegate.tui.lines import Tone
from tidegate.tui.present.exhibits import exhibit_facts, exhibit_lines
from tui.dialogs.host import Desk, Host, answering, bar, hold, ready, screen_text, until
from tui.dialogs.prompts import CHOICE, DIFF, FORM, GONE, LOG, MARKUP, NOTES, SEVERAL, SHOWN, TICKET

SIZES = [(80, 24), (40, 12), (120, 36)]
LONG = text_exhibit("The plan", "\n".join(f"step {number}" for number in range(300)))


def sees(app: Host, *texts: str) -> bool:
    """Whether all *texts* are on the terminal."""
    text = screen_text(app)
    return all(part in text for part in texts)


async def test_one_key_turns_from_the_question_to_each_exhibit_and_back() -> None:
    """The question comes first; every page says what it is."""
    async with answering(SHOWN).run_test() as pilot:
        app = await ready(pilot)
        assert sees(app, "Promote build", "What changes", "The canary's log", "The plan")
        await pilot.press("f2")
        await until(pilot, lambda: sees(app, "diff · manifest.yaml, 812 bytes, sha256 aaaaaaaaaaaa"))
        assert sees(app, "-  replicas: 2")
        assert not sees(app, "Promote build")
        await pilot.press("ctrl+e")
        await until(pilot, lambda: sees(app, "file · canary.log, 90,010 bytes", "90,000 bytes left"))
        await pilot.press("f2")
        await until(pilot, lambda: sees(app, "deploy.plan cannot be read: no such file or directory"))
        await pilot.press("f2")
        await until(pilot, lambda: sees(app, "Promote build"))
        await pilot.press("f3")
        await until(pilot, lambda: sees(app, "deploy.plan cannot be read"))


async def test_where_there_is_room_the_question_stays_above() -> None:
    """The first exhibit is there at once, and the key turns to the next one."""
    async with answering(SHOWN).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)
        assert sees(app, "Promote build", "diff · manifest.yaml")
        await pilot.press("f2")
        await until(pilot, lambda: sees(app, "Promote build", "file · canary.log"))
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: sees(app, "file · canary.log") and not sees(app, "Promote build"))


async def test_an_exhibit_that_nobody_turned_to_gives_way_to_the_question() -> None:
    """A terminal that becomes small shows what is asked."""
    async with answering(SHOWN).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)
        await pilot.resize_terminal(80, 24)

        await until(pilot, lambda: sees(app, "Promote build") and not sees(app, "diff · manifest.yaml"))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("prompt", "keys"),
    [
        (SHOWN, ("y", "y")),
        (CHOICE, ("1", "enter", "enter")),
        (SEVERAL, ("1", "enter", "enter")),
        (TICKET, (*"ABC-1", "enter")),
        (NOTES, ("x", "ctrl+s")),
    ],
    ids=["confirm", "choice", "several", "line", "lines"],
)
async def test_it_is_answered_with_an_exhibit_in_sight(
    prompt: Prompt, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    """What answers stays on the screen, and takes the same keys."""
    shown = prompt if prompt is SHOWN else _with_exhibits(prompt)
    desk = Desk(shown)
    async with answering(shown, desk).run_test(size=size) as pilot:
        app = await ready(pilot)
        await pilot.press("f2")
        await until(pilot, lambda: any(pane.size.height for pane in app.dialog.query(ExhibitPane)))
        for name in ("#dialog-body", "#dialog-bar", "#dialog-keys", "#dialog-pages"):
            assert app.screen.region.contains_region(app.dialog.query_one(name).region)
        await pilot.press(*keys)
        await until(pilot, lambda: app.results)

        assert len(desk.calls) == 1


def _with_exhibits(prompt: Prompt) -> Prompt:
    assert isinstance(prompt, ChoicePrompt | type(TICKET))
    return prompt.evolve(show=(DIFF, LOG))


@pytest.mark.parametrize("size", SIZES)
async def test_a_form_is_filled_in_with_an_exhibit_in_sight(size: tuple[int, int]) -> None:
    """The focus stays in its field while the pages turn and scroll."""
    form = FORM.evolve(show=(LONG,))
    async with answering(form).run_test(size=size) as pilot:
        app = await ready(pilot)
        pane = app.dialog.query_one(ExhibitPane)
        await pilot.press("A", "f2")
        await until(pilot, lambda: pane.below)
        await pilot.press("ctrl+down", "B")
        await until(pilot, lambda: pane.above == 1)

        assert app.screen.region.contains_region(app.dialog.query_one("#form").region)
        assert app.focused is not None
        assert getattr(app.focused, "value", "") == "AB"


async def test_a_long_exhibit_is_scrolled_and_counted() -> None:
    """By the same keys as the question; each page keeps its place."""
    async with answering(SHOWN.evolve(show=(LONG,))).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("f2")
        await until(pilot, lambda: sees(app, "↓ 2", "more lines"))
        pane = app.dialog.query_one(ExhibitPane)
        await hold(pilot, "ctrl+pagedown", 60)
        await until(pilot, lambda: not pane.below)
        assert sees(app, "step 299", "end of text")
        await pilot.press("f2", "f2")
        await until(pilot, lambda: sees(app, "step 299"))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_what_nobody_looked_at_is_said_when_it_is_armed(size: tuple[int, int]) -> None:
    """Exhibits that were never opened, and lines that were never scrolled to."""
    prompt = SHOWN.evolve(show=(LONG, LOG))
    async with answering(prompt).run_test(size=size) as pilot:
        app = await ready(pilot)
        await pilot.press("y")
        assert bar(app).endswith("1 exhibit not opened." if size[0] > 100 else "2 exhibits not opened.")
        await pilot.press("escape", "f2", *(["f2"] if size[0] < 100 else []))
        await until(pilot, partial(sees, app, "canary.log, 90,010"))
        await pilot.press("y")
        assert bar(app).endswith("lines unread.")
        assert "not opened" not in bar(app)
        await pilot.press("escape", "f3")
        pane = app.dialog.query(ExhibitPane).first()
        await until(pilot, lambda: pane.below)
        await hold(pilot, "ctrl+pagedown", 100)
        await until(pilot, lambda: not pane.below)
        await pilot.press("ctrl+pageup", "y")

        assert "unread" not in bar(app)


async def test_turning_pages_answers_nothing_and_disarms_nothing() -> None:
    """The first press is still there when one has looked something up."""
    desk = Desk(SHOWN)
    async with answering(SHOWN, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("n", "f2", "f2", "f3")
        assert bar(app).startswith("▶ Reject: ")
        assert desk.calls == []
        await pilot.press("n")
        await until(pilot, lambda: app.results)

        assert desk.values == [False]


async def test_a_page_is_clicked() -> None:
    """On its title; and a question without exhibits has no pages at all."""
    async with answering(SHOWN).run_test() as pilot:
        app = await ready(pilot)
        await pilot.click("#dialog-pages", offset=(40, 0))
        await until(pilot, lambda: sees(app, "file · canary.log"))
    async with answering(TICKET).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("f2")

        assert not app.dialog.query("#dialog-pages")
        assert "evidence" not in screen_text(app)


@pytest.mark.parametrize("size", SIZES)
async def test_exhibits_are_text_and_steer_nothing(size: tuple[int, int]) -> None:
    """Titles, paths and contents show their brackets and control characters."""
    evil = "a\x1b[2Jb\x07\u202ec"
    exhibit = Exhibit(
        title=f"[b]{evil}",
        kind=ExhibitKind.FILE,
        text=f"{MARKUP}\n{evil}\n家族 🏳️‍🌈 ⚠️ e\u0301",
        sources=(Source(path=f"[/]{evil}", size=3, sha256="ab" * 32),),
    )
    async with answering(ConfirmPrompt(message="?", show=(exhibit,))).run_test(size=size) as pilot:
        app = await ready(pilot)
        await pilot.press("f2")
        await until(pilot, lambda: sees(app, "[b]a␛[2Jb␇", "[/]a␛"))
        await hold(pilot, "ctrl+pagedown", 20)
        await until(pilot, lambda: sees(app, "a␛[2Jb␇\\u202ec"))

        assert not set("\x1b\x07\u202e") & set(screen_text(app))
        rows = app.screen._compositor.render_strips()  # noqa: SLF001  # what is drawn is what is asked here
        assert {row.cell_length for row in rows} == {size[0]}


def test_a_difference_says_and_shows_what_each_line_is() -> None:
    """The sign stays; only before the first hunk do --- and +++ name files."""
    lines = {line.text: line.pieces[0].tone for line in exhibit_lines(DIFF)}

    assert lines["--- manifest.yaml"] is Tone.STRONG
    assert lines["@@ -1,40 +1,40 @@"] is Tone.ACCENT
    assert lines["-  replicas: 2"] is Tone.FAILED
    assert lines["+  replicas: 4"] is Tone.DONE
    assert lines["--- not a file, but a removed line of SQL"] is Tone.FAILED
    assert lines[" kind: Deployment"] is Tone.PLAIN


def test_no_part_of_a_changed_line_passes_for_the_other_side() -> None:
    """A carriage return in an added line begins no removed one."""
    forged = DIFF.evolve(text="--- a\n+++ b\n@@ -1 +1 @@\n+new\r-old")
    [*_, first, second] = exhibit_lines(forged)

    assert (first.text, first.pieces[0].tone) == ("+new␍", Tone.DONE)
    assert (second.text, second.pieces[0].tone) == ("+ -old", Tone.DONE)


def test_facts_name_kind_size_and_hash() -> None:
    """As they were when the question was asked; and what is missing."""
    assert exhibit_facts(DIFF) == (
        "diff · manifest.yaml, 812 bytes, sha256 aaaaaaaaaaaa → "
        "out/manifest.yaml, 815 bytes, sha256 0123456789ab"
    )
    assert (
        exhibit_facts(LOG) == "file · canary.log, 90,010 bytes, sha256 bbbbbbbbbbbb · 90,000 bytes left out"
    )
    assert exhibit_facts(GONE) == "file · deploy.plan"
    assert exhibit_facts(text_exhibit("x", "äb")) == "text · 3 bytes"
    assert [line.text for line in exhibit_lines(text_exhibit("x", ""))][-1] == "(it is empty)"
