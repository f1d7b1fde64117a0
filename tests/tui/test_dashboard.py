"""Mode 5: tiles over a real engine and store, and what they look like."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from tidegate.history.glance import Glance, Lately
from tidegate.history.statistics import AnswerTimes
from tidegate.tui.lines import Piece
from tidegate.tui.present.dashboard import tiles_of
from tidegate.tui.present.day import day_lines, spark
from tidegate.tui.present.tiles import Tile, panel_lines, stacked_lines, tile_lines
from tidegate.tui.screens.dashboard import DashboardScreen
from tidegate.tui.screens.lists.activity import ActivityScreen
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.screens.lists.runs import RunsScreen
from tidegate.tui.screens.lists.workflows import WorkflowsScreen
from tidegate.tui.widgets.tile_board import TileBoard
from tui.monitoring import FixedClock, Monitor, monitor, monitor_app, picture_of
from tui.scene import NOW, fill
from tui.test_markup import EVIL, tell

SIZES = {"40x12": (40, 12), "80x24": (80, 24), "120x36": (120, 36), "200x50": (200, 50)}
ASKS = """
name: asks
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Ship it?", operation: x}}
"""
FAILS = """
name: breaks
blocks: [{id: bad, type: Shell, inputs: {command: exit 3}}]
"""


async def to_dashboard(seen: Monitor) -> None:
    """Go to mode 5, with what the store holds in sight."""
    await seen.press("5")
    await seen.until(lambda: isinstance(seen.app.screen, DashboardScreen))
    await seen.see("Waiting", "Runs")


def board(seen: Monitor) -> TileBoard:
    """Return the tiles."""
    return seen.app.screen.query_one(TileBoard)


async def test_it_keeps_up_with_what_runs_and_asks(tmp_path: Path) -> None:
    """A question, its answer, and a failure, each as it happens."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await to_dashboard(seen)
        await seen.see("nothing waits for anybody", "no run yet")

        await seen.start(ASKS)
        await seen.see("◆ 1 waiting", "Ship it?", "◆ 1 paused", "asks")
        await seen.press("1", "enter")
        await seen.dialog("Ship it?")
        await seen.approve()
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))
        await to_dashboard(seen)
        await seen.see("nothing waits for anybody", "✓ 1 succeeded", "100 % of the ended", "1 answer, took")

        await seen.start(FAILS)
        await seen.see("✗ 1 failed", "! 50 % of the ended")


async def test_each_tile_opens_the_list_behind_it(tmp_path: Path) -> None:
    """With only the rows that it speaks of; another tile shows all again."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill, clock=FixedClock(NOW)) as seen:
        await to_dashboard(seen)
        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))

        await seen.press("5", "j", "l")
        await seen.until(lambda: board(seen).chosen is not None and board(seen).chosen.key == "day")  # type: ignore[union-attr]
        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, RunsScreen))
        await seen.see("/ failed", "Runs · 1 of 6", "cleanup")
        await seen.unsee("backup-all")

        await seen.press("5", "h", "o")
        await seen.until(lambda: isinstance(seen.app.screen, RunsScreen))
        await seen.see("backup-all", "cleanup")

        for keys, there, filter_ in (
            ("g l", InboxScreen, "/ due<1d"),
            ("g j j", RunsScreen, "/ status:running"),
            ("g j j l", RunsScreen, "/ changed<1h"),
            ("g j j j", WorkflowsScreen, ""),
            ("g j j j l", ActivityScreen, "/ what:answered"),
        ):
            await seen.press("5", *keys.split(), "enter")
            await seen.until(lambda there=there: isinstance(seen.app.screen, there))  # type: ignore[misc]
            await seen.see(filter_)


async def test_a_click_chooses_a_tile_and_a_second_one_opens_it(tmp_path: Path) -> None:
    """As in every list."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill, clock=FixedClock(NOW)) as seen:
        await to_dashboard(seen)
        row = next(n for n, line in enumerate(seen.text.splitlines()) if "─ Runs ─" in line)
        await seen.pilot.click(offset=(10, row + 1))
        await seen.until(lambda: "━ Runs ━" in seen.text)
        assert isinstance(seen.app.screen, DashboardScreen)
        await seen.pilot.click(offset=(10, row + 1))
        await seen.until(lambda: isinstance(seen.app.screen, RunsScreen))


async def test_nothing_is_read_while_another_screen_covers_it(tmp_path: Path) -> None:
    """And what happened meanwhile is there at the first look."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await to_dashboard(seen)
        screen = seen.app.screen
        assert isinstance(screen, DashboardScreen)
        await seen.see("nothing waits")
        glance = screen._glance  # noqa: SLF001 - that nothing is done has no other door
        await seen.press("1")
        await seen.start(ASKS)
        await seen.see("Ship it?")
        await seen.pilot.pause(0.6)
        assert screen._glance is glance  # noqa: SLF001

        await to_dashboard(seen)
        await seen.see("◆ 1 waiting")


async def test_nothing_is_drawn_again_while_nothing_changes(tmp_path: Path) -> None:
    """The clock ticks, but a line that says the same is left alone."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill, clock=FixedClock(NOW)) as seen:
        await to_dashboard(seen)
        await seen.pilot.pause(0.6)
        view = board(seen)
        drawn: list[int] = []
        line = view.render_line
        view.render_line = lambda y: (drawn.append(y), line(y))[1]  # type: ignore[method-assign,func-returns-value]
        await seen.pilot.pause(2.2)

        assert drawn == []


async def test_markup_and_escapes_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    """Names of workflows and questions are anybody's."""
    async with monitor(tmp_path, size=(200, 50), prepare=tell, clock=FixedClock(NOW)) as seen:
        await to_dashboard(seen)
        await seen.see(f"Q {EVIL}"[:12], "wf [b]x[/b]")
        assert "\x1b" not in seen.text


@pytest.mark.parametrize("width", [40, 58, 67, 68, 80, 123, 124, 175, 176, 200, 313])
@pytest.mark.parametrize("height", [3, 21, 45])
def test_tiles_fill_the_width_and_are_no_taller_than_they_must_be(width: int, height: int) -> None:
    """Whatever they say, wide characters included."""
    tiles = [
        Tile(f"t{n}", "漢字" * n, (Piece("宽" * 30),), tuple((Piece(f"line {m} 👍"),) for m in range(n * 3)))
        for n in range(7)
    ]
    lines = tile_lines(tiles, width, height, "t3")

    assert {cell_len(line.text) for line in lines} == {width}
    least = len(tile_lines(tiles, width, 0))
    assert len(lines) <= max(height, least)


@pytest.mark.parametrize(
    ("size", "many", "grid"),
    [
        ((200, 46), 0, (4, 4, 2, 2)),
        ((200, 46), 20, (4, 4, 2, 2)),
        ((130, 40), 20, (3, 3, 2, 2, 2)),
        ((100, 46), 20, (2, 2, 2, 2, 1, 1, 1)),
        ((200, 39), 20, (4, 4, 2, 2)),
        ((200, 24), 20, (4, 4, 2)),
        ((200, 18), 20, (4, 4)),
        ((200, 18), 0, (4, 4, 2, 2)),
        ((80, 21), 20, (2, 2, 2, 2)),
    ],
)
def test_lists_stand_below_the_tiles_where_there_is_room(
    size: tuple[int, int], many: int, grid: tuple[int, ...]
) -> None:
    """As many as have room for some rows; the tiles keep what they say at a glance, and nothing is taller than it may."""
    width, height = size
    rows = tuple((Piece(f"row {n}"),) for n in range(many))
    tiles = [Tile(f"t{n}", "T", (Piece("head"),), rows[:3]) for n in range(8)]
    panels = [Tile(f"p{n}", "P", (Piece("first"),), rows) for n in range(4)]

    lines, shown = stacked_lines(tiles, panels, width, height, "p0")

    assert tuple(map(len, shown)) == grid
    assert {cell_len(line.text) for line in lines} == {width}
    assert len(lines) <= max(height, len(tile_lines(tiles, width, 0)))
    assert len({line.key for line in lines}) == len(lines)
    assert ("━ P ━" in "\n".join(line.text for line in lines)) is (len(shown) > 8 // len(shown[0]))


async def test_lists_say_what_to_look_at_next(tmp_path: Path) -> None:
    """Each with what decides whether one goes there; the cursor reaches them, and each opens the list behind it."""
    async with monitor(tmp_path, size=(200, 50), prepare=fill, clock=FixedClock(NOW)) as seen:
        await to_dashboard(seen)
        await seen.see(
            "Row count drift 14 %",
            "exit code 3: Permission denied",
            "0/2  wave 1/2",
            "ben        ✓ load anyway",
        )
        await seen.press("j", "j", "j", "enter")
        await seen.until(lambda: isinstance(seen.app.screen, RunsScreen))
        await seen.see("/ status:failed", "Runs · 1 found")
        await seen.press("5", "l", "k")
        await seen.until(lambda: board(seen).chosen is not None and board(seen).chosen.key == "now")  # type: ignore[union-attr]


async def test_the_cursor_reaches_every_tile_at_every_width(tmp_path: Path) -> None:
    """Also where the last row has fewer tiles; and beyond an edge there is nothing."""
    async with monitor(tmp_path, size=(130, 24), prepare=fill, clock=FixedClock(NOW)) as seen:
        await to_dashboard(seen)
        for keys, key in {
            "l l": "runs",
            "j": "work",
            "j j": "people",
            "h": "workflows",
            "g": "waiting",
        }.items():
            await seen.press(*keys.split())
            assert board(seen).chosen is not None
            assert board(seen).chosen.key == key  # type: ignore[union-attr]
        await seen.press("k", "h")
        assert board(seen).chosen.key == "waiting"  # type: ignore[union-attr]


def test_a_few_answers_are_no_statistics() -> None:
    """Five are; and processes are counted as words are."""

    def said(count: int, holders: dict[str, int]) -> str:
        times = AnswerTimes(count=count, p50=60.0, p95=120.0, longest=1400.0)
        glance = Glance(at=NOW, answered=times, holders=holders)
        lines = [line for tile in tiles_of(glance, (), NOW) for line in (tile.headline, *tile.lines)]
        return "\n".join("".join(piece.text for piece in line) for line in lines)

    assert "1 answer, took 23:20" in said(1, {"host:1": 2})
    assert "4 answers, the longest took 23:20" in said(4, {"host:1": 2})
    assert "half in 1:00 · 95 % in 2:00" in said(5, {"host:1": 2})
    assert "2 runs driven by 1 process\n" in said(1, {"host:1": 2})
    assert "3 runs driven by 2 processes" in said(1, {"host:1": 2, "host:2": 1})


@pytest.mark.parametrize(("width", "name"), [(35, "interactiv… "), (60, "interactive-approval ")])
def test_a_name_is_cut_only_where_there_is_no_room_for_it(width: int, name: str) -> None:
    """What stands behind it is below each other all the same, and none of it is cut before the name."""
    lines = tuple(
        (Piece(f"{each} "), Piece("✓ 100 % 2 not ended")) for each in ("interactive-approval", "etl")
    )
    tile = Tile("t", "T", lines[0], lines[1:], names=11)
    rows = [line.text for line in tile_lines([tile], width, 4, columns=1)[1:3]]

    assert rows[0].startswith(f"│ {name}")
    assert rows[0].index("✓") == rows[1].index("✓")
    assert all("2 not ended" in row for row in rows)


def test_what_has_no_room_is_counted() -> None:
    """A list that is cut says so."""
    tile = Tile("t", "T", (Piece("head"),), tuple((Piece(f"line {n}"),) for n in range(9)))

    assert "… 6 more" in "\n".join(line.text for line in tile_lines([tile], 40, 7))


@pytest.mark.parametrize(
    ("width", "height"), [(20, 5), (30, 5), (54, 1), (54, 8), (76, 8), (96, 16), (300, 40)]
)
def test_a_day_is_drawn_hour_by_hour(width: int, height: int) -> None:
    """In just so many lines, or not at all; the newest hour stands at the right, and what there is at all is seen."""
    lately = Lately(started=(1, *[0] * 22, 12), ended=(0,) * 23 + (900,))
    texts = ["".join(piece.text for piece in line) for line in day_lines(lately, width, height)]

    if width < 28 or height < 2:
        assert texts == []
        return
    assert len(texts) == height
    assert {cell_len(text) for text in texts} == {len("900 ") + (width - 4) // 24 * 24}
    assert "now" in texts[-1]
    assert texts[-2][4] == "▁"
    assert ("█" in texts[0]) is (width > 52)


def test_a_single_run_is_no_peak() -> None:
    """Of few, the scale ends above them."""
    texts = [
        "".join(piece.text for piece in line) for line in day_lines(Lately(started=(0,) * 23 + (1,)), 60, 9)
    ]

    assert texts[0].split() == ["4"]
    assert "█" in texts[-2]
    assert "█" not in texts[-4]


@pytest.mark.parametrize("height", [12, 30, 44])
def test_lists_and_bars_take_the_room_that_there_is(height: int) -> None:
    """Bars up to where they shout; the lists have the rest, so that nothing below them is left blank."""
    panels = [Tile(f"p{n}", "P", (Piece("first"),)) for n in range(2)]
    panels += [
        Tile("hours", "H", (Piece("head"),), ((),) * 7, drawn=lambda _, tall: [(Piece("bar"),)] * tall)
    ]

    lines = [line.text for line in panel_lines(panels, 150, height)]

    assert len(lines) == height
    assert sum("bar" in line for line in lines) == min(height - 6, 15)
    assert panel_lines(panels, 150, 2) == []


def test_a_spark_shows_the_least_and_the_most() -> None:
    """One run is no empty hour."""
    assert spark((0, 1, 100, 50)) == "·▁█▄"
    assert spark((0, 0)) == "··"
    assert spark(()) == ""


def test_trouble_stands_first_on_its_tile() -> None:
    """Runs that are held, damage, and runs without a driver; each opens its own list."""
    glance = Glance(at=NOW, by_status={"interrupted": 2}, lately=Lately(), damage="the file is damaged")
    engine = next(
        tile for tile in tiles_of(glance, ("run x is held: disk full",), NOW) if tile.key == "engine"
    )

    said = ["".join(piece.text for piece in line) for line in (engine.headline, *engine.lines)]
    assert said[:3] == [
        "! run x is held: disk full",
        "! the file is damaged",
        "! 2 runs without a driver",
    ]
    assert engine.words == "status:interrupted"


@pytest.mark.parametrize("size", SIZES)
async def test_it_looks_as_it_was_approved(look: Callable[[str], None], size: str) -> None:
    """Each was looked at before it was kept."""
    app = monitor_app(fill, at=NOW)
    async with app.run_test(size=SIZES[size]) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.until(lambda: app.overview.is_read)
        await to_dashboard(seen)
        await seen.see("Engine", "Last hour", "Answers")

        look(await picture_of(app, pilot))
