"""Marks in a list: by key, whatever moves; and rows that came while one looked elsewhere."""

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tidegate.assets import asset_dir
from tidegate.tui.lines import Column, Line, Piece, text_line
from tidegate.tui.looks.themes import DARK
from tidegate.tui.rows import Rows
from tidegate.tui.widgets.mark_list import MarkList

COLUMNS = (Column("NAME", weight=1), Column("N", 6, right=True))


def row(number: int) -> Line:
    """Return a row that says its number."""
    return Line(str(number), (Piece(f"row {number}"), Piece(str(number))), columns=True)


class Host(App[None]):
    """Nothing but a list."""

    CSS: ClassVar[str] = "MarkList { height: 12; }"

    def __init__(self) -> None:
        super().__init__(css_path=[asset_dir("styles") / "lines.tcss"])
        self.register_theme(DARK)
        self.theme = DARK.name

    def compose(self) -> ComposeResult:
        """Yield the list."""
        yield MarkList(COLUMNS)


@asynccontextmanager
async def shown(numbers: Sequence[int]) -> AsyncIterator[tuple[Pilot[None], MarkList]]:
    """Run a list of *numbers*."""
    app = Host()
    async with app.run_test(size=(40, 14)) as pilot:
        view = app.query_one(MarkList)
        view.show([row(number) for number in numbers])
        await pilot.pause()
        yield pilot, view


def seen(view: MarkList) -> list[str]:
    """Return what the list shows."""
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def test_marks_take_room_only_where_there_are_any() -> None:
    """Without one, every column stands where it stands without marks; headings and what is over have no box."""
    async with shown([1, 2]) as (pilot, view):
        before = seen(view)
        view.toggle_mark()
        view.show([row(1), row(2), text_line("past", key="h"), replace(row(3), passive=True)])
        await pilot.pause()
        assert [line[:10].rstrip() for line in seen(view)[:5]] == [
            "     NAME",
            "▌[x] row 1",
            " [ ] row 2",
            "     past",
            "     row 3",
        ]

        view.toggle_mark()
        view.show([row(1), row(2)])
        await pilot.pause()
        assert seen(view) == before


async def test_a_range_goes_from_the_last_mark_to_the_cursor() -> None:
    """In either direction; headings between are left out, and so is what is over where all are marked."""
    lines = [row(1), row(2), text_line("between", key="h"), row(3), row(4), replace(row(9), passive=True)]
    async with shown([]) as (pilot, view):
        view.show(lines)
        await pilot.press("G", "k")
        view.toggle_mark()
        await pilot.press("g", "j")
        view.mark_range()
        assert list(view.marked) == ["2", "3", "4"]

        view.unmark()
        view.mark_shown()
        assert list(view.marked) == ["1", "2", "3", "4"]
        view.show([row(2), row(1)])
        assert [*view.marked, *view.marked_hidden] == ["2", "1", "3", "4", "3", "4"]
        view.prune({"1", "2", "3"})
        assert list(view.marked) == ["2", "1", "3"]


async def test_marks_stay_on_their_rows_while_lists_move() -> None:
    """A hundred rounds in which rows come, go, hide and change places: what is marked is what was marked."""
    chance, marked = random.Random(6), set[str]()  # noqa: S311 - a seed is wanted
    async with shown(range(20)) as (pilot, view):
        for _ in range(100):
            existing = chance.sample(range(40), chance.randint(5, 40))
            listed = [number for number in existing if chance.random() < 0.8] or existing
            view.show([row(number) for number in listed])
            view.prune({str(number) for number in existing})
            marked &= {str(number) for number in existing}
            assert set(view.marked) == marked
            for action in chance.choices(
                [view.action_cursor_down, view.action_cursor_up, view.action_last], k=2
            ):
                action()
            here = view.cursor_key
            assert here in {str(number) for number in listed}
            view.toggle_mark()
            marked ^= {here}
            assert set(view.marked) == marked
            assert set(view.marked_shown) == marked & {str(number) for number in listed}
        await pilot.pause()


async def test_rows_that_come_out_of_sight_are_announced_until_they_are_seen() -> None:
    """At the top one sees what comes; further down it is counted, and one key leads there."""
    async with shown(range(100)) as (pilot, view):
        view.show([row(number) for number in [-1, *range(100)]])
        view.note_new(["-1"])
        await pilot.pause()
        assert view.unseen == 0

        await pilot.press("G")
        await pilot.pause()
        view.show([row(number) for number in range(-3, 100)])
        view.note_new(["-2", "-3"])
        await pilot.pause()
        await pilot.pause()
        assert view.unseen == 2
        view.prune({str(number) for number in range(-2, 100)})
        assert view.unseen == 1
        view.show_new()
        await pilot.pause()
        assert (view.cursor_key, view.unseen) == ("-2", 0)


async def test_lines_are_made_when_they_are_drawn() -> None:
    """Of ten thousand rows only those in sight."""
    made: list[int] = []

    def make(index: int) -> Line:
        made.append(index)
        return row(index)

    async with shown([]) as (pilot, view):
        view.show(Rows([str(number) for number in range(10_000)], make))
        await pilot.pause()
        await pilot.press("G")
        await pilot.pause()

        assert view.cursor_key == "9999"
        assert len(made) < 60
