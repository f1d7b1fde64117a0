"""What the dashboard says of the work that is done, and of the engines that do it."""

import re

import pytest
from rich.cells import cell_len

from tidegate.history.glance import Glance, WorkflowGlance
from tidegate.history.health import Health
from tidegate.history.work import Done, WorkGlance
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import PauseRow, Statistics
from tidegate.model.prompt import ConfirmPrompt
from tidegate.tui.present.dashboard import tiles_of
from tidegate.tui.present.day import week_tile
from tidegate.tui.present.tiles import Tile, tile_lines
from tui.scene import NOW

STORE = Statistics(
    schema=9,
    bytes=2_000_000,
    free_bytes=30_000,
    runs=1_200,
    events=9,
    pauses=1,
    checkpoints=2,
    pinned=0,
    definitions=0,
    values=0,
    value_bytes=0,
    output_bytes=0,
)


def tile_of(key: str, **seen: object) -> Tile:
    """Return a tile of what was seen."""
    glance = Glance(at=NOW).evolve(**seen)
    return next(tile for tile in tiles_of(glance, (), NOW) if tile.key == key)


def said(tile: Tile, width: int = 40) -> list[str]:
    """Return what a tile of a width says, line by line."""
    lines = [line.text for line in tile_lines([tile], width, 40, columns=1)]
    assert {cell_len(line) for line in lines} == {width}
    return [line[2:-2].rstrip() for line in lines[1:-1]]


def test_an_hour_in_which_nothing_was_done_says_so() -> None:
    """With what the day had, if it had anything."""
    assert said(tile_of("work", work=WorkGlance())) == ["nothing was done"]
    day = Done(waves=1_200, blocks=1, retries=1)
    assert said(tile_of("work", work=WorkGlance(day=day)), 60) == [
        "nothing was done",
        "in 24 hours 1,200 waves, 1 block, 1 retry",
    ]


@pytest.mark.parametrize(
    ("waves", "rate"),
    [
        (0, "no wave was completed"),
        (5, "under 0.1 waves a minute · most 5"),
        (6, "0.1 waves a minute · most 6"),
        (90, "1.5 waves a minute · most 90"),
        (6_000, "100 waves a minute · most 6,000"),
    ],
)
def test_waves_are_told_by_the_minute(waves: int, rate: str) -> None:
    """Over the hour, with the most that one minute had."""
    work = WorkGlance(waves=(waves, *[0] * 59), blocks=(1, *[0] * 59))

    assert said(tile_of("work", work=work))[0] == rate


@pytest.mark.parametrize(("width", "cells"), [(25, 10), (36, 20), (48, 30), (80, 60), (200, 60)])
def test_an_hour_is_drawn_as_fine_as_there_is_room_for(width: int, cells: int) -> None:
    """Each cell is as many minutes as the others; retries are drawn where there are any."""
    work = WorkGlance(waves=(*[0] * 59, 7), blocks=(9, *[0] * 59))
    waves, blocks = said(tile_of("work", work=work), width)[1:]

    assert waves == f"waves   {'·' * (cells - 1)}█ 7"
    assert blocks == f"blocks  █{'·' * (cells - 1)} 9"
    again = said(tile_of("work", work=work.evolve(retries=(2, *[0] * 59))), width)
    assert again[3] == f"retries █{'·' * (cells - 1)} 2"


def test_nothing_behind_the_engines_is_said_in_words() -> None:
    """Not as an empty tile; a store in memory has no log."""
    tile = tile_of("engine")

    assert said(tile) == ["○ nothing is driven or queued", "nothing has happened yet"]
    assert tile.words == ""


def test_who_drives_what_waits_and_how_large_it_is() -> None:
    """What is asked first stands first, so that three lines say most of it."""
    health = Health(
        holders={"process 7 on [b]x[/b]\x1b[31m": 3},
        held=3,
        queued=2,
        queued_since=NOW - 180,
        changed_at=NOW - 5,
        log_bytes=40_000,
    )
    tile = tile_of("engine", health=health, holders={"process 7 on x": 1}, store=STORE)

    assert said(tile, 60) == [
        "● 1 run driven by 1 process",
        "○ 2 queued, the oldest for 3m",
        "changed 5s ago · log (WAL) 40.0 kB",
        "store 2.0 MB, 30.0 kB of it free",
        "1,200 runs · 9 events",
        "2 checkpoints · 1 question",
        "3 leases of process 7 on [b]x[/b]␛[31m",
    ]
    assert tile.words == "status:queued"


def test_late_and_lost_leases_come_before_all_that_is_well() -> None:
    """Their runs are those behind the tile."""
    health = Health(held=1, late=2, late_since=NOW - 240, lost=1)
    tile = tile_of("engine", health=health, holders={"a": 1}, by_status={"interrupted": 1})

    assert said(tile, 60)[:4] == [
        "! 1 run without a driver",
        "! 2 leases ran out, the first 4m ago",
        "! 1 lease of processes that are gone",
        "● 1 run driven by 1 process",
    ]
    assert tile.words == "status:interrupted"


def test_retries_stand_beside_each_workflow() -> None:
    """In the tile in steps of six hours, and in the list below with more of it; none is a word there."""
    workflows = (
        WorkflowGlance(name="etl", open=1, by_status={"succeeded": 2}, retries=(*[0] * 23, 12)),
        WorkflowGlance(name="calm", by_status={"succeeded": 2}),
        WorkflowGlance(name="only called", retries=(1, *[0] * 23)),
    )
    lines = said(tile_of("workflows", workflows=workflows), 80)
    week = said(week_tile(Glance(at=NOW, workflows=workflows)), 120)

    assert lines[0] == "etl         ✓ 100 % ···· ↻ ···█ 12 retries 1 not ended"
    assert lines[1] == "calm        ✓ 100 % ····"
    assert lines[2] == "only called ○     - ···· ↻ █··· 1 retry"
    at = week[0].index("RETRIES")
    assert [line[at:].split()[:2] for line in week[1:]] == [
        ["·······█", "12"],
        ["none", "·" * 24],
        ["█·······", "1"],
    ]


def test_behind_deadlines_are_the_questions_that_have_one() -> None:
    """Within as many days as the last of them is away."""
    row = PauseRow(
        pause_id=PauseId("p"),
        run_id=RunId("r"),
        workflow="w",
        block=BlockId("b"),
        attempt=1,
        prompt=ConfirmPrompt(message="ok?", operation="x"),
        opened_at=NOW - 9,
        opened_seq=Seq(1),
        deadline=NOW + 60,
    )
    late = row.evolve(deadline=NOW - 60)

    assert tile_of("deadlines", due=(late, row)).words == "due<1d"
    assert tile_of("deadlines", due=(row, row.evolve(deadline=NOW + 86_400 * 2.5))).words == "due<3d"
    assert re.match("no deadline ahead", said(tile_of("deadlines", due=(late,)))[0])
    assert tile_of("deadlines", due=(late,)).words == ""
