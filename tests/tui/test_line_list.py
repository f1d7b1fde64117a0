"""The list behind every mode: its cursor, its scroll, its size."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tidegate.assets import asset_dir
from tidegate.tui.lines import Column, Line, Piece, text_line
from tidegate.tui.looks.themes import DARK
from tidegate.tui.widgets.line_list import LineList, RowMessage

COLUMNS = (Column("NAME", weight=1), Column("N", 6, right=True))


def row(key: str) -> Line:
    """Return a row that says its key."""
    return Line(key, (Piece(f"row {key}"), Piece(key)), columns=True)


def rows(numbers: Sequence[int]) -> list[Line]:
    """Return rows with numbers as their keys."""
    return [row(str(number)) for number in numbers]


class Host(App[None]):
    """Nothing but a list, and what it told."""

    CSS: ClassVar[str] = "LineList { height: 12; }"

    def __init__(self) -> None:
        super().__init__(css_path=[asset_dir("styles") / "lines.tcss"])
        self.register_theme(DARK)
        self.theme = DARK.name
        self.opened: list[str] = []

    def compose(self) -> ComposeResult:
        """Yield the list."""
        yield LineList(COLUMNS, empty="Nothing here. Press 2.")

    def on_line_list_selected(self, message: RowMessage) -> None:
        """Keep what was opened."""
        self.opened.append(message.key)


@asynccontextmanager
async def shown(numbers: Sequence[int]) -> AsyncIterator[tuple[Pilot[None], LineList, Host]]:
    """Run a list of *numbers*."""
    app = Host()
    async with app.run_test(size=(40, 14)) as pilot:
        view = app.query_one(LineList)
        view.show(rows(numbers))
        await pilot.pause()
        yield pilot, view, app


def seen(view: LineList) -> list[str]:
    """Return the rows of the terminal that the list fills."""
    return [view.render_line(y).text for y in range(view.size.height)]


def row_of_cursor(view: LineList) -> int:
    """Return on which row of the terminal the cursor is."""
    return next(y for y, text in enumerate(seen(view)) if text.startswith("▌"))


async def test_a_hundred_thousand_rows_are_shown_and_walked_through() -> None:
    """Only what is seen is drawn, so the end is one key away."""
    async with shown(range(100_000)) as (pilot, view, _):
        await pilot.press("G")

        assert view.cursor_key == "99999"
        assert "row 99999" in seen(view)[-1]
        await pilot.press("pageup")
        assert view.cursor_key == "99988"
        await pilot.press("g")
        assert view.cursor_key == "0"


async def test_the_cursor_stays_on_its_row_while_rows_come_in_above() -> None:
    """A hundred rounds: neither the row nor its place on the terminal changes."""
    async with shown(range(100, 200)) as (pilot, view, _):
        await pilot.press("ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d")
        key, place = view.cursor_key, row_of_cursor(view)

        for newest in range(99, -1, -1):
            view.show(rows(range(newest, 200)))
            await pilot.pause()
            assert (view.cursor_key, row_of_cursor(view)) == (key, place)


async def test_at_the_top_new_rows_are_seen_and_the_cursor_keeps_its_row() -> None:
    """Who watches the top of a list wants to see what comes."""
    async with shown([5, 6, 7]) as (pilot, view, _):
        view.show(rows([3, 4, 5, 6, 7]))
        await pilot.pause()

        assert view.cursor_key == "5"
        assert "row 3" in seen(view)[1]
        assert row_of_cursor(view) == 3


async def test_when_its_row_leaves_the_cursor_goes_to_the_next_one() -> None:
    """And at the end of the list to the one before."""
    async with shown([1, 2, 3]) as (pilot, view, _):
        await pilot.press("j")
        view.show(rows([1, 3]))
        await pilot.pause()
        assert view.cursor_key == "3"

        view.show(rows([1]))
        await pilot.pause()
        assert view.cursor_key == "1"


async def test_an_empty_list_says_what_to_do_and_opens_nothing() -> None:
    """It names the next key; enter and movement do no harm."""
    async with shown([]) as (pilot, view, app):
        await pilot.press("j", "k", "G", "g", "pagedown", "enter")

        assert view.cursor_key == ""
        assert any("Nothing here. Press 2." in line for line in seen(view))
        assert app.opened == []


async def test_headings_are_stepped_over() -> None:
    """The cursor stops only where something can be done."""
    async with shown([]) as (pilot, view, _):
        view.show([text_line("first", key="h1"), row("a"), text_line("second", key="h2"), row("b")])
        await pilot.pause()
        assert view.cursor_key == "a"

        await pilot.press("j")
        assert view.cursor_key == "b"
        await pilot.press("j")
        assert view.cursor_key == "b"
        await pilot.press("k")
        assert view.cursor_key == "a"
        assert view.position == (1, 2)


async def test_headings_do_not_keep_one_from_the_first_row() -> None:
    """Also where a heading is the first line."""
    async with shown([]) as (pilot, view, _):
        view.show([text_line("first", key="h1"), row("a"), row("b")])
        await pilot.pause()
        await pilot.press("j", "g")

        assert view.cursor_key == "a"


async def test_no_cursor_comes_to_a_passive_row_by_itself() -> None:
    """Where only such rows are left the cursor is on none, until somebody leads it there."""
    past = [
        text_line("past", key="h"),
        replace(row("old"), passive=True),
        replace(row("older"), passive=True),
    ]
    async with shown([]) as (pilot, view, app):
        view.show([row("a"), row("b"), *past])
        await pilot.press("j")
        assert view.cursor_key == "b"
        view.show([row("a"), *past])
        assert view.cursor_key == "a"
        view.show(past)
        await pilot.press("enter")
        assert (view.cursor_key, app.opened) == ("", [])
        view.show([row("c"), *past])
        assert view.cursor_key == "c"
        view.show(past)

        await pilot.press("j", "j")
        assert view.cursor_key == "older"
        view.show([row("d"), *past])
        assert view.cursor_key == "older"


async def test_a_click_selects_and_a_second_one_opens() -> None:
    """So a click that only brings the window to the front opens nothing."""
    async with shown([1, 2, 3]) as (pilot, view, app):
        await pilot.click(view, offset=(5, 2))
        assert (view.cursor_key, app.opened) == ("2", [])

        await pilot.click(view, offset=(5, 2))
        assert app.opened == ["2"]


async def test_columns_stay_aligned_with_wide_characters() -> None:
    """Widths are counted in cells, and what does not fit ends in an ellipsis."""
    async with shown([]) as (pilot, view, _):
        names = ("家族のワークフローという名前のとても長い行です", "plain", "é́ 🏳️‍🌈 ⚠️")
        view.show([Line(name, (Piece(name), Piece("7")), columns=True) for name in names])
        await pilot.pause()

        widths = {view.render_line(y).cell_length for y in range(1, 4)}
        assert widths == {view.size.width}
        assert "…" in seen(view)[1]
        assert all(line.endswith("7") for line in seen(view)[1:4])


@pytest.mark.parametrize("text", ["[b]x[/b]", "[/]", "[0]", "[link=http://x]y[/link]", "\x1b]52;c;eA==\x07"])
async def test_text_is_shown_and_never_obeyed(text: str) -> None:
    """Neither markup nor control sequences get through."""
    async with shown([]) as (pilot, view, _):
        view.show([Line("x", (Piece(text), Piece("")), columns=True)])
        await pilot.pause()

        assert text.replace("\x1b", "␛").replace("\x07", "␇") in seen(view)[1]
        assert "\x1b" not in seen(view)[1]
