"""That everything can be read and reached, at every size."""

from functools import partial

import pytest
from textual.app import App
from textual.widgets import OptionList

from tidegate.errors import StoreUnavailable
from tidegate.model.ids import BlockId
from tidegate.model.prompt import (
    ChoicePrompt,
    CommentRule,
    ConfirmPrompt,
    FormField,
    FormPrompt,
    InputPrompt,
    Prompt,
)
from tidegate.tui.dialogs.bodies.form_fields import FieldBox
from tidegate.tui.dialogs.frame.parts import PromptPane
from tui.dialogs.host import NOW, Desk, Host, answering, bar, hold, pause_of, ready, screen_text, until
from tui.dialogs.prompts import ALL, CHOICE, CONFIRM, MARKUP, NOTES, RECOVERY, SHOWN

SIZES = [(80, 24), (40, 12), (120, 36)]
LONG = ConfirmPrompt(
    message="\n".join(
        [
            "Apply this diff?",
            *(f"+\tline {number} 家族 🏳️‍🌈 ⚠️ e\u0301" for number in range(118)),
            "x" * 4000 + "END",
        ]
    )
)


@pytest.mark.parametrize("size", SIZES)
async def test_a_long_prompt_is_read_with_keys_and_answered(size: tuple[int, int]) -> None:
    """All of it can be scrolled to, what is left is counted, and the buttons stay where they are."""
    desk = Desk(LONG)
    async with answering(LONG, desk).run_test(size=size) as pilot:
        app = await ready(pilot)
        pane = app.dialog.query_one(PromptPane)
        left = pane.below
        assert left > 120
        assert f"↓ {left} more lines" in screen_text(app)
        assert "Apply this diff?" in screen_text(app)
        await pilot.press("ctrl+down")
        assert pane.below == left - 1
        await hold(pilot, "ctrl+pagedown", left)
        await until(pilot, lambda: not pane.below)
        text = screen_text(app)
        assert "END" in text.replace("\n", "").replace(" ", "")
        assert "end of text" in text
        for name in ("#approve", "#reject", "#dialog-bar", "#dialog-keys"):
            assert app.screen.region.contains_region(app.dialog.query_one(name).region)
        await pilot.press("ctrl+pageup", "ctrl+up", "y", "y")
        await until(pilot, lambda: app.results)

        assert desk.values == [True]


@pytest.mark.parametrize("size", SIZES)
async def test_unread_lines_are_said_when_it_is_armed(size: tuple[int, int]) -> None:
    """Approving what nobody has scrolled to is allowed, but not unnoticed."""
    async with answering(LONG).run_test(size=size) as pilot:
        app = await ready(pilot)
        await pilot.press("y")
        assert "lines unread." in bar(app)
        pane = app.dialog.query_one(PromptPane)
        await hold(pilot, "ctrl+pagedown", pane.below)
        await until(pilot, lambda: not pane.below)
        await pilot.press("escape", "y")

        assert "unread" not in bar(app)


def _has_size(app: App[None], size: tuple[int, int]) -> bool:
    return app.screen.size == size


async def test_a_question_that_is_a_file_has_a_page_with_all_of_it() -> None:
    """The dialog shows its beginning, warns of what stands only there, and one key turns to it."""
    plan = "\n".join(f"resource {number}" for number in range(25_000))
    app = answering(ConfirmPrompt(message="Apply it?", details={"plan": plan}))
    async with app.run_test(size=(120, 36)) as pilot:
        await ready(pilot)
        assert "resource 0" in screen_text(app)
        await pilot.press("y")
        assert " lines unread" in bar(app)
        assert int(bar(app).split(" lines unread")[0].split()[-1]) > 24_900

        await pilot.press("f2")
        await until(pilot, lambda: app.dialog.pane.below > 24_900)
        app.dialog.pane.scroll_end(animate=False)
        await until(pilot, lambda: "resource 24999" in screen_text(app))


async def test_all_fields_of_a_long_form_come() -> None:
    """The first are there at once, the others while those are looked at; none is left out of the order."""
    fields = tuple(FormField(id=f"f{n}", prompt=InputPrompt(prompt=f"Field {n}?")) for n in range(40))
    app = answering(FormPrompt(message="All of them?", fields=fields))
    async with app.run_test(size=(120, 36)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: len(app.screen.query(FieldBox)) == 40)
        assert [box.field.id for box in app.screen.query(FieldBox)] == [field.id for field in fields]
        await pilot.press("shift+tab", "shift+tab")
        assert app.focused is not None
        assert "Field 39?" in screen_text(app)


@pytest.mark.parametrize("prompt", [*ALL, LONG], ids=lambda prompt: prompt.kind)
async def test_every_row_is_as_wide_as_the_terminal(prompt: Prompt) -> None:
    """Wide characters push nothing out of its column."""
    async with answering(prompt).run_test(size=SIZES[0]) as pilot:
        app = await ready(pilot)
        await pilot.press("1", "enter")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            # On a busy machine the toolkit's own wait ends before the new size has arrived.
            await until(pilot, partial(_has_size, app, size))
            await pilot.pause()
            rows = app.screen._compositor.render_strips()  # noqa: SLF001  # what is drawn is what is asked here

            assert {row.cell_length for row in rows} == {size[0]}


@pytest.mark.parametrize("prompt", ALL, ids=lambda prompt: prompt.kind)
async def test_where_it_belongs_and_how_to_leave_are_always_shown(prompt: Prompt) -> None:
    """Kind, workflow, run and block at the top; the way out at the bottom; a comment still fits."""
    pause = pause_of(prompt, deadline=pause_of(prompt).opened_at + 9000)
    async with answering(prompt, pause=pause).run_test(size=SIZES[0]) as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+t", *"hi")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            text = screen_text(app)

            for part in (prompt.kind, "deploy-api", "4f2akz7mw9qd", "approve_prod", "esc back", "hi"):
                assert part in text
            for name in ("#dialog-body", "#comment", "#dialog-bar", "#dialog-keys"):
                assert app.screen.region.contains_region(app.dialog.query_one(name).region)


async def test_a_resize_keeps_what_was_chosen() -> None:
    """The terminal may become small and large again in the middle of it."""
    desk = Desk(LONG)
    async with answering(LONG, desk).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)
        await pilot.press("y")
        await pilot.resize_terminal(40, 12)
        await pilot.resize_terminal(80, 24)
        assert bar(app).startswith("▶ Approve")
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert desk.values == [True]


@pytest.mark.parametrize("prompt", [CONFIRM, CHOICE, NOTES], ids=lambda prompt: prompt.kind)
async def test_what_the_next_press_sends_is_always_in_sight(prompt: Prompt) -> None:
    """Where evidence, a deadline and a comment leave no room for all of it, something else gives way."""
    asked = prompt.evolve(show=SHOWN.show, comment_rule=CommentRule.REQUIRED)
    pause = pause_of(asked, deadline=NOW + 500)
    async with answering(asked, pause=pause).run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press(*{"confirm": "y", "choice": ("1", "enter")}.get(asked.kind, ("ctrl+s",)))
        assert bar(app).startswith("▶")
        for size in ((40, 12), (80, 20), (40, 24), (100, 30)):
            await pilot.resize_terminal(*size)
            await until(pilot, partial(_has_size, app, size))
            await until(
                pilot,
                lambda: "▶" in screen_text(app).splitlines()[app.dialog.query_one("#dialog-bar").region.y],
            )

            assert app.screen.region.contains_region(app.dialog.query_one("#dialog-bar").region)


async def test_where_there_is_no_room_nothing_is_armed() -> None:
    """It says so, and goes on once there is room: what was typed is there, and so is the cursor."""
    desk = Desk(NOTES)
    async with answering(NOTES, desk).run_test(size=(30, 8)) as pilot:
        app = pilot.app
        assert isinstance(app, Host)
        await until(pilot, lambda: "Too small to answer" in screen_text(app))
        await pilot.press("a", "ctrl+s", "ctrl+s", "ctrl+t", "f1")
        await pilot.resize_terminal(80, 24)
        await ready(pilot)
        assert bar(app) == "ctrl+s sends it; enter begins a new line."
        await pilot.press("o", "k")
        await pilot.resize_terminal(80, 11)
        await until(pilot, lambda: "Too small to answer" in screen_text(app))
        await pilot.press("x", "ctrl+s")
        await pilot.resize_terminal(40, 12)
        await until(pilot, lambda: app.focused is not None)
        assert desk.calls == []
        await pilot.press("!", "ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == ["ok!"]


async def test_every_key_is_listed_on_demand() -> None:
    """Also those that the bar has no room for; nothing is decided meanwhile, and what was armed stays so."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test(size=(64, 20)) as pilot:
        app = await ready(pilot)
        assert "f1 more" in screen_text(app)
        await pilot.press("y", "f1")
        await until(pilot, lambda: "The keys of the dialog" in screen_text(app))
        for key in ("y ", "ctrl+t", "ctrl+r", "ctrl+s", "ctrl+↓", "ctrl+pgdn", "esc"):
            assert f"\n {key}" in screen_text(app)
        await pilot.press("y", "enter", "question_mark")
        await until(pilot, lambda: bar(app).startswith("▶ Approve"))
        assert desk.calls == []
        await pilot.press("y")
        await until(pilot, lambda: app.results)

        assert desk.values == [True]


async def test_nothing_foreign_is_read_as_markup() -> None:
    """Message, operation, details, workflow and block show their brackets."""
    prompt = ConfirmPrompt(
        message=MARKUP, operation=f"op {MARKUP}", details={"[b]key[/b]": MARKUP, "[/]": ["[0]"]}
    )
    pause = pause_of(prompt, workflow="flow [b]x[/b] [/]", block=BlockId("block[0]"))
    async with answering(prompt, pause=pause, position="[1] of 2").run_test(size=(140, 40)) as pilot:
        app = await ready(pilot)
        text = screen_text(app)

        assert text.count(MARKUP[:60]) == 3
        for part in ("flow [b]x[/b] [/]", "block[0]", "[b]key[/b]", '["[0]"]', "[1] of 2"):
            assert part in text


async def test_options_and_rules_are_no_markup() -> None:
    """Neither are labels of a choice, a pattern, a default, a draft or an error of the store."""
    choice = ChoicePrompt(question=MARKUP, choices=("[prod]", "[/]", "[link=http://x]y[/link]"))
    async with answering(choice).run_test(size=(140, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press("1", "enter")
        text = screen_text(app)
        assert all(option in text for option in choice.choices)
        assert bar(app).startswith("▶ [prod]: ")

    field = InputPrompt(prompt=MARKUP, validation_pattern="[a-z]+", default="[b]d[/b]")
    desk = Desk(field)
    desk.failures = [StoreUnavailable("[/]", "[b]locked[/b]")]
    async with answering(field, desk, draft="abc").run_test(size=(140, 40)) as pilot:
        app = await ready(pilot)
        assert "matching [a-z]+; empty takes the default: [b]d[/b]" in screen_text(app)
        # A draft that nobody has touched takes two presses.
        await pilot.press("ctrl+s", "ctrl+s")
        await until(pilot, lambda: "locked" in bar(app))

        assert "store [/]: [b]locked[/b]" in screen_text(app)


async def test_control_characters_are_shown_not_sent() -> None:
    """A prompt, an option or a command cannot steer the terminal."""
    evil = "a\x1b[2Jb\x07\u202ec"
    for prompt in (
        ConfirmPrompt(message=evil, operation=evil, details={evil: evil}),
        ChoicePrompt(question=evil, choices=(evil, "b")),
        RECOVERY.evolve(command=evil, block=evil),
    ):
        async with answering(prompt, pause=pause_of(prompt, workflow=evil)).run_test() as pilot:
            app = await ready(pilot)
            await pilot.press("down", "enter")
            text = screen_text(app)

            assert "a␛[2Jb␇\\u202ec" in text
            assert not set("\x1b\x07\u202e") & set(text)


async def test_options_that_differ_in_blanks_look_different() -> None:
    """Quotes show what would be invisible."""
    prompt = ChoicePrompt(question="?", choices=("prod", "prod ", ""))
    async with answering(prompt).run_test() as pilot:
        app = await ready(pilot)
        rows = [str(option.prompt) for option in app.dialog.query_one(OptionList).options]

        assert rows == ["1  prod", "2  'prod '", "3  ''"]


async def test_no_toast_covers_a_dialog() -> None:
    """Neither one that was there before nor one that comes: it would cover the keys."""
    async with answering(CONFIRM).run_test(size=(120, 36), notifications=True) as pilot:
        app = await ready(pilot)
        app.notify("something has been done", timeout=3600)
        await until(pilot, lambda: app.screen.query("Toast"))

        assert not any(toast.display for toast in app.screen.query("Toast"))
