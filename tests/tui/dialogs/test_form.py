"""Filling in a form."""

import json
from functools import partial

import pytest
from textual.widget import Widget
from textual.widgets import Button, Input, TextArea

from tidegate.errors import InvalidAnswer
from tidegate.model.prompt import ChoicePrompt, FormField, FormPrompt, InputKind, InputPrompt
from tidegate.tui.dialogs.bodies.form_fields import FieldBox
from tidegate.tui.dialogs.frame.marks import MarkedList
from tui.dialogs.host import Desk, Host, answering, bar, paste, pause_of, ready, screen_text, until
from tui.dialogs.prompts import EASY_FORM, FORM, MARKUP

FILLED = [*"ABC-12", "tab", "4", "tab", "2", "tab", "1", "2", "tab", "2", "tab", *"hi", "enter", *"you"]
SIZES = [(80, 24), (40, 12), (120, 36)]


def boxes(app: Host) -> dict[str, FieldBox]:
    """Return the fields, by id."""
    return {box.field.id: box for box in app.dialog.query(FieldBox)}


def in_field(app: Host, name: str) -> bool:
    """Whether the focus is in a field."""
    focused = app.focused
    return focused is not None and boxes(app)[name] in focused.ancestors


def problem(app: Host, name: str) -> str:
    """Return what stands below a field."""
    shown = boxes(app)[name].query_one(".problem")
    return str(getattr(shown, "content", "")) if shown.display else ""


async def test_all_fields_are_sent_together() -> None:
    """Typed, marked and left empty: each arrives as its rule reads it."""
    desk = Desk(FORM)
    async with answering(FORM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*FILLED)
        assert desk.calls == []
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == [
            {
                "ticket": "ABC-12",
                "replicas": 4,
                "size": "large",
                "regions": ["eu", "us, east"],
                "drain": False,
                "note": "hi\nyou",
            }
        ]


async def test_what_is_left_empty_gets_its_default() -> None:
    """The default stands in the field as a hint, and beside the rule; nothing is filled in."""
    desk = Desk(FORM)
    async with answering(FORM, desk).run_test() as pilot:
        app = await ready(pilot)
        replicas = boxes(app)["replicas"].query_one(Input)
        assert (replicas.value, replicas.placeholder) == ("", "2")
        assert "left empty it is: 2" in screen_text(app)
        assert boxes(app)["drain"].query_one(MarkedList).marks.rows == frozenset()
        await pilot.press(*"ABC-1", "tab", "tab", "1", "tab", "1", "ctrl+s")
        assert bar(app).startswith("▶ Ready: press ctrl+s to send, esc to go back.")
        assert bar(app).endswith("replicas: 2, drain: yes (left as they are).")
        assert desk.calls == []
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert json.loads(desk.calls[0][0]) == {"ticket": "ABC-1", "size": "small", "regions": '["eu"]'}
        assert desk.values == [
            {
                "ticket": "ABC-1",
                "replicas": 2,
                "size": "small",
                "regions": ["eu"],
                "drain": True,
                "note": None,
            }
        ]


async def test_the_first_wrong_field_gets_the_focus() -> None:
    """Each wrong field says why, right below; after that it is checked with every change."""
    desk = Desk(FORM)
    async with answering(FORM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"ABC-1", "tab", *"99", "tab", "tab", "1", "2", "3", "ctrl+s")
        await until(pilot, lambda: in_field(app, "replicas"))
        assert bar(app) == "Not sent: 3 fields are not right yet; each says why."
        assert problem(app, "ticket") == ""
        assert problem(app, "replicas") == "✗ a whole number from 1 to 20 is asked for"
        assert problem(app, "size") == "✗ required: choose one"
        assert problem(app, "regions") == "✗ choose 1 to 2; 3 are chosen"
        await until(pilot, lambda: "✗ a whole number" in screen_text(app))

        await pilot.press("backspace")
        assert problem(app, "replicas") == ""
        assert bar(app) == "Not sent: 2 fields are not right yet; each says why."
        await pilot.press("tab", "1", "tab", "1")
        assert bar(app).startswith("Tab goes from field to field")
        await pilot.press("ctrl+s", "ctrl+s")
        await until(pilot, lambda: app.results)

        assert len(desk.calls) == 1


async def test_nothing_is_said_of_a_field_before_it_is_sent() -> None:
    """Nobody is told off while typing."""
    async with answering(FORM).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"A", "tab", *"99", "tab", "tab")

        assert "✗" not in screen_text(app)


async def test_enter_goes_from_field_to_field_and_sends_nothing() -> None:
    """In the last one it says what does."""
    form = FormPrompt(message="Two", fields=(EASY_FORM.fields[0], FORM.fields[0]))
    desk = Desk(form)
    async with answering(form, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("3", "enter", *"ABC-1", "enter", "enter", "enter")

        assert in_field(app, "ticket")
        assert "ctrl+s sends" in bar(app)
        assert desk.calls == []


async def test_an_untouched_form_is_sent_by_ctrl_s_twice_only() -> None:
    """Not by any number of enters, nor by the button; the first ctrl+s says what it would be."""
    desk = Desk(EASY_FORM)
    async with answering(EASY_FORM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*["enter"] * 4, "tab")
        assert isinstance(app.focused, Button)
        await pilot.press(*["enter"] * 3)
        assert "ctrl+s sends it as it is" in bar(app)
        assert desk.calls == []
        await pilot.press("ctrl+s")
        assert bar(app).startswith("▶ Nothing is filled in: press ctrl+s to send, esc to go back.")
        assert "replicas: 2, drain: yes" in bar(app)
        assert desk.calls == []
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == [{"replicas": 2, "drain": True}]


async def test_the_button_sends_what_was_filled_in() -> None:
    """By click, too."""
    desk = Desk(EASY_FORM)
    async with answering(EASY_FORM, desk).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press("5", "tab", "n")
        await pilot.click("#send")
        await until(pilot, lambda: app.results)

        assert desk.values == [{"replicas": 5, "drain": False}]


async def test_the_button_asks_again_as_ctrl_s_does() -> None:
    """Where one field goes out by its default, the first click says so."""
    desk = Desk(EASY_FORM)
    async with answering(EASY_FORM, desk).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press("5")
        await pilot.click("#send")
        await until(pilot, lambda: "drain: yes (left as it is)." in bar(app))
        assert desk.calls == []
        await pilot.click("#send")
        await until(pilot, lambda: app.results)

        assert desk.values == [{"replicas": 5, "drain": True}]


async def test_a_change_takes_back_what_was_armed() -> None:
    """What nobody filled in is something else once somebody did."""
    desk = Desk(EASY_FORM)
    async with answering(EASY_FORM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+s", "7")
        assert not bar(app).startswith("▶")
        await pilot.press("escape")

        assert desk.calls == []
        assert app.outcome.draft


async def test_escape_keeps_what_was_filled_in() -> None:
    """All of it: text, lines and marks, right or wrong; ctrl+s twice sends it untouched."""
    async with answering(FORM).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*FILLED, "ctrl+t", *"why", "escape", "escape")
        draft = app.outcome.draft
    desk = Desk(FORM)
    async with answering(FORM, desk, draft=draft).run_test() as pilot:
        app = await ready(pilot)
        assert "Your draft is back" in bar(app)
        shown = boxes(app)
        assert shown["ticket"].query_one(Input).value == "ABC-12"
        assert shown["note"].query_one(TextArea).text == "hi\nyou"
        assert shown["regions"].query_one(MarkedList).marks.chosen == ["eu", "us, east"]
        assert shown["drain"].query_one(MarkedList).marks.chosen == ["no"]
        await pilot.press("ctrl+s")
        assert bar(app).startswith("▶ Your draft as it is: ")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

    assert desk.calls[0][1] == "why"
    assert desk.values[0] == {
        "ticket": "ABC-12",
        "replicas": 4,
        "size": "large",
        "regions": ["eu", "us, east"],
        "drain": False,
        "note": "hi\nyou",
    }


async def test_a_paste_goes_into_one_field_whole_or_not_at_all() -> None:
    """Lines are kept where lines are taken, and refused where one is."""
    async with answering(FORM).run_test() as pilot:
        app = await ready(pilot)
        paste(app, "ABC-1\nrm -rf")
        await pilot.press("ctrl+down")
        assert bar(app).startswith("Not pasted: it has 2 lines")
        assert boxes(app)["ticket"].query_one(Input).value == ""
        boxes(app)["note"].take_focus()
        await pilot.pause()
        paste(app, "one\r\ntwo\n")
        await until(pilot, lambda: boxes(app)["note"].query_one(TextArea).text)

        assert boxes(app)["note"].query_one(TextArea).text == "one\ntwo\n"
        assert not app.results


def _is_seen(app: Host, widget: Widget) -> bool:
    return app.dialog.query_one("#form").region.contains_region(widget.region)


@pytest.mark.parametrize("size", SIZES)
async def test_every_field_is_reached_by_tab_and_seen(size: tuple[int, int]) -> None:
    """On the smallest screen, too; and shift+tab goes back."""
    async with answering(FORM).run_test(size=size) as pilot:
        app = await ready(pilot)
        names = [field.id for field in FORM.fields]
        for name in names:
            assert in_field(app, name)
            focused = app.focused
            assert focused is not None
            await until(pilot, partial(_is_seen, app, focused))
            await pilot.press("tab")
        assert isinstance(app.focused, Button)
        await pilot.press("shift+tab")
        assert in_field(app, names[-1])
        for name in ("#dialog-bar", "#dialog-keys", "#form"):
            assert app.screen.region.contains_region(app.dialog.query_one(name).region)


async def test_a_json_field_takes_several_lines() -> None:
    """And says where its text is no JSON."""
    form = FormPrompt(
        message="",
        fields=(FormField(id="settings", prompt=InputPrompt(prompt="Settings?", input_type=InputKind.JSON)),),
    )
    desk = Desk(form)
    async with answering(form, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*'{"a": [1,', "enter", *"2]", "ctrl+s")
        assert "this is no JSON" in problem(app, "settings")
        assert "(line 2, column 3)" in problem(app, "settings")
        await pilot.press("}")
        assert problem(app, "settings") == ""
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == [{"settings": {"a": [1, 2]}}]


async def test_labels_and_choices_are_no_markup() -> None:
    """Brackets and control characters of a form are shown, and steer nothing."""
    evil = "a\x1b[2Jb\u202ec"
    form = FormPrompt(
        message=MARKUP,
        fields=(
            FormField(id="one", prompt=InputPrompt(prompt=f"{MARKUP}\n{evil}", default=evil), required=False),
            FormField(id="two", prompt=ChoicePrompt(question=evil, choices=("[prod]", "[/]", evil))),
        ),
    )
    async with answering(form, pause=pause_of(form)).run_test(size=(140, 40)) as pilot:
        app = await ready(pilot)
        text = screen_text(app)

        assert text.count(MARKUP) == 2
        assert "[/]" in text
        assert "a␛[2Jb\\u202ec" in text
        assert not set("\x1b\u202e") & set(text)


async def test_a_form_that_the_engine_refuses_stays() -> None:
    """The journal's rule has the last word, and nothing is lost."""
    desk = Desk(EASY_FORM)
    desk.failures = [InvalidAnswer("field 'replicas': too many for today")]
    async with answering(EASY_FORM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("5", "ctrl+s", "ctrl+s")
        await until(pilot, lambda: "too many for today" in bar(app))

        assert boxes(app)["replicas"].query_one(Input).value == "5"
        assert app.results == []
