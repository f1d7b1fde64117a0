"""Panes that are made larger and smaller by keys, and stay so."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.settings import MonitorSettings
from tidegate.tui.app import MonitorApp
from tidegate.tui.pane_sizes import LEAST, Along, moved
from tidegate.tui.screens.lists.shaped_screen import ShapedScreen
from tidegate.tui.state import State
from tui.monitoring import FixedClock, Monitor, monitor, opener
from tui.scene import NOW, fill

ACROSS, DOWN = Along.ACROSS, Along.DOWN


@given(
    st.lists(st.integers(1, 200), min_size=2, max_size=3),
    st.integers(0, 2),
    st.sampled_from(Along),
    st.booleans(),
)
def test_what_one_pane_gets_another_one_gives(sizes: list[int], at: int, along: Along, larger: bool) -> None:
    """Nothing is lost, and none is made smaller than it is of use."""
    at = min(at, len(sizes) - 1)
    after = moved(sizes, at, along, larger=larger)

    assert sum(after) == sum(sizes)
    assert (after[at] >= sizes[at]) is larger or after == tuple(sizes)
    assert all(new >= min(old, LEAST[along]) for old, new in zip(sizes, after, strict=True))


def test_the_pane_in_the_middle_takes_from_the_next_one_first() -> None:
    """Then from the one before; what it leaves goes to the next one."""
    assert moved((90, 55, 55), 1, ACROSS, larger=True) == (90, 59, 51)
    assert moved((90, 80, 30), 1, ACROSS, larger=True) == (86, 84, 30)
    assert moved((30, 80, 30), 1, ACROSS, larger=True) == (30, 80, 30)
    assert moved((90, 55, 55), 1, ACROSS, larger=False) == (90, 51, 59)
    assert moved((12, 9), 1, DOWN, larger=True) == (11, 10)


def sizes_of(seen: Monitor) -> list[tuple[int, int]]:
    """Return columns and rows of each pane that is seen."""
    assert isinstance(seen.app.screen, ShapedScreen)
    return [(pane.outer_size.width, pane.outer_size.height) for pane in seen.app.screen.panes()]


async def get(seen: Monitor, sizes: Sequence[tuple[int, int]]) -> None:
    """Return once the panes have these sizes."""
    await seen.until(lambda: sizes_of(seen) == list(sizes))


async def test_keys_move_the_border_between_two_panes_and_take_it_back(tmp_path: Path) -> None:
    """The focused pane is meant; beside each other and below each other each have their own sizes."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW), size=(120, 36)) as seen:
        await seen.see("Waiting for you", "Any answer:")
        await get(seen, [(75, 33), (45, 33)])
        await seen.press("plus", "plus")
        await get(seen, [(83, 33), (37, 33)])
        await seen.press("tab", "plus")
        await get(seen, [(79, 33), (41, 33)])
        await seen.press("z")
        await seen.until(lambda: sizes_of(seen)[1] == (120, 33))
        await seen.press("minus")
        await seen.see("there is nothing beside this pane")
        await seen.press("z")
        await get(seen, [(79, 33), (41, 33)])

        await seen.pilot.resize_terminal(80, 24)
        await get(seen, [(80, 12), (80, 9)])
        await seen.press("plus")
        await get(seen, [(80, 11), (80, 10)])
        await seen.press("2")
        await seen.see("deploy-api", "6 runs")
        await get(seen, [(80, 12), (80, 9)])
        await seen.press("1")
        await seen.pilot.resize_terminal(120, 36)
        await get(seen, [(79, 33), (41, 33)])
        await seen.press("equals_sign")
        await get(seen, [(75, 33), (45, 33)])
        await seen.see("usual sizes again")
        assert not seen.app.desk.state.get("list.inbox") or "panes" not in str(
            seen.app.desk.state.get("list.inbox")
        )


@pytest.mark.parametrize(
    ("size", "key", "sizes"),
    [
        ((120, 36), "plus", [(90, 33), (30, 33)]),
        ((120, 36), "minus", [(30, 33), (90, 33)]),
        ((80, 24), "plus", [(80, 16), (80, 5)]),
        ((80, 24), "minus", [(80, 5), (80, 16)]),
    ],
)
async def test_no_pane_becomes_so_small_that_it_is_of_no_use(
    tmp_path: Path, size: tuple[int, int], key: str, sizes: list[tuple[int, int]]
) -> None:
    """The last key says so; a terminal that is smaller then leaves each what it needs."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW), size=size) as seen:
        await seen.see("Waiting for you", "Any answer:")
        for _ in range(16):
            await seen.press(key)
        await get(seen, sizes)
        await seen.press(key)
        await seen.see(f"it gets no {'larger' if key == 'plus' else 'smaller'}")
        if size[0] > 110:
            await seen.pilot.resize_terminal(112, 30)
            await seen.until(lambda: min(columns for columns, _ in sizes_of(seen)) == 30)
        else:
            await seen.pilot.resize_terminal(80, 20)
            await seen.until(lambda: min(rows for _, rows in sizes_of(seen)) == 5)


async def test_a_terminal_with_one_pane_ignores_all_of_it(tmp_path: Path) -> None:
    """Nothing changes there, and nothing is kept."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW), size=(70, 18)) as seen:
        await seen.see("Waiting for you")
        await get(seen, [(70, 15)])
        await seen.press("plus")
        await seen.see("there is nothing beside this pane")
        await get(seen, [(70, 15)])
        assert seen.app.desk.state.get("list.inbox") is None


@pytest.mark.parametrize("kept", [None, {"3 across": [1, -4, 0]}, {"3 across": [1, 2]}, {"3 across": "wide"}])
async def test_sizes_outlive_the_monitor_and_what_is_none_is_ignored(tmp_path: Path, kept: object) -> None:
    """Three panes have sizes of their own; a file may hold anything."""
    clock, file = FixedClock(NOW), tmp_path / "monitor.json"

    def opened() -> MonitorApp:
        return MonitorApp(opener(clock=clock, prepare=fill), clock, MonitorSettings(), state=State(file))

    app = opened()
    async with app.run_test(size=(200, 50)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see("── State ──")
        await get(seen, [(90, 47), (55, 47), (55, 47)])
        await seen.press("tab", "minus", "minus")
        await get(seen, [(90, 47), (47, 47), (63, 47)])

    if kept is not None:
        state = State(file)
        state.put("list.inbox", {"panes": kept})  # type: ignore[dict-item]
        state.save()
    app = opened()
    async with app.run_test(size=(200, 50)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see("── State ──")
        await get(seen, [(90, 47), (47, 47), (63, 47)] if kept is None else [(90, 47), (55, 47), (55, 47)])


async def test_the_palette_has_it_by_its_words(tmp_path: Path) -> None:
    """For whoever does not know the key."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW), size=(120, 36)) as seen:
        await seen.see("Waiting for you", "Any answer:")
        await seen.press("colon", *"pane larger", "enter")
        await get(seen, [(79, 33), (41, 33)])
        await seen.press("colon", *"usual sizes", "enter")
        await get(seen, [(75, 33), (45, 33)])
