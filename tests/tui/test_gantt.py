"""A run as bars over time: what each place did and when, what was waited for longest, what is left."""

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from strategies import cases
from tidegate.history.usual import Usual
from tidegate.model.events import (
    AttemptFailed,
    BlockExpanded,
    BlockPaused,
    Failure,
    JournalEvent,
    Origin,
    PauseAnswered,
    Record,
    RunFinished,
    RunForked,
    RunHeld,
    RunReleased,
    RunStarted,
    RunStatus,
    TimerSet,
    WaveStarted,
)
from tidegate.model.fold import fold
from tidegate.model.ids import BlockId, PauseId, RunId, Seq, item_place
from tidegate.model.policy import FailureKind, ForEach, RetryPolicy
from tidegate.model.prompt import Answer
from tidegate.model.state import BlockState, BlockStatus, RunState, new_state
from tidegate.model.value import Inline
from tidegate.model.workflow import Graph, Schedule, WorkflowDefinition
from tidegate.store.protocol import Store
from tidegate.tui.lines import Tone
from tidegate.tui.nouns.course import Course, Doing, End
from tidegate.tui.present.board import Folds, waves
from tidegate.tui.present.gantt import chart_of, gantt_lines, hint_of
from tidegate.tui.present.path import critical_path, time_left
from tidegate.tui.present.scale import axis, scale_of
from tidegate.tui.screens.run.run_view import RunScreen
from tidegate.tui.widgets.gantt import Gantt
from tui.monitoring import FixedClock, monitor
from tui.parts_scene import block, workflow
from tui.scene import BACKUP, NOW, PROMOTE, begin, fill, started, succeeded

RUN = RunId("kx5m2r9p7wth")
Told: TypeAlias = tuple[float, JournalEvent]
"""What happened, and how many seconds after the run began."""
WORK = WorkflowDefinition(
    name="release",
    blocks=(
        block("build"),
        block("test", after=("build",), retry=RetryPolicy(max_attempts=3, delay=60.0)),
        block("docs", after=("build",)),
        block("approve", kind="ConfirmOperation", after=("test",), interactive=True),
        block("deploy", after=("approve",)),
    ),
    waves=(
        (BlockId("build"),),
        (BlockId("test"), BlockId("docs")),
        (BlockId("approve"),),
        (BlockId("deploy"),),
    ),
)
PAUSE = PauseId("pause_1")


def again(name: str, attempt: int) -> JournalEvent:
    """Return the intent of another attempt."""
    return started(name).evolve(attempt=attempt)


def lost(name: str, *, retry_at: float | None = None) -> AttemptFailed:
    """Return the bad end of an attempt."""
    failure = Failure(kind=FailureKind.EXIT, message="no", exit_code=1)
    return AttemptFailed(block=BlockId(name), attempt=1, failure=failure, retry_at=retry_at)


def asks(deadline: float | None = None) -> BlockPaused:
    """Return the question of the gate."""
    return BlockPaused(block=BlockId("approve"), attempt=1, pause_id=PAUSE, prompt=PROMOTE, deadline=deadline)


def told(
    *events: tuple[float, JournalEvent], definition: WorkflowDefinition = WORK, began: float = NOW - 600
) -> tuple[RunState, Course]:
    """Return a run, told by what happened how many seconds after it began."""
    first = RunStarted(workflow=definition.name, definition="hash", by="ana")
    records = [
        Record(run_id=RUN, seq=Seq(n), at=began + at, event=event)
        for n, (at, event) in enumerate([(0.0, first), *events], 1)
    ]
    course = Course()
    course.take(records)
    return fold(new_state(RUN, Graph(definition)), records), course


def retried() -> tuple[RunState, Course]:
    """Return a run of ten minutes: a failed attempt, a wait for the next, a question that is late."""
    return told(
        (0, WaveStarted(wave=0)),
        (0, started("build")),
        (100, succeeded("build", 100)),
        (100, WaveStarted(wave=1)),
        (100, started("test")),
        (100, started("docs")),
        (150, succeeded("docs", 50)),
        (200, lost("test", retry_at=NOW - 340)),
        (260, again("test", 2)),
        (400, succeeded("test", 140).evolve(attempt=2)),
        (400, WaveStarted(wave=2)),
        (400, started("approve")),
        (400, asks(NOW - 100)),
    )


def picture(state: RunState, course: Course, width: int, cursor: str = "", now: float = NOW) -> list[str]:
    """Return what a chart shows."""
    chart = chart_of(state, course, critical_path(state), now)
    rows = [item for wave in waves(state, now) for item in wave.blocks]
    longest = max(cell_len(row.name) for row in rows)
    return [line.text.rstrip() for line in gantt_lines(chart, rows, BlockId(cursor) or None, width, longest)]


WIDTH = 10 + 1 + 60 + 8
"""Of ten minutes in sixty cells, one for ten seconds, between names and times."""


def test_attempts_waits_and_lateness_are_told_apart() -> None:
    """One stretch for each attempt, ended where it failed; what waits is no work; late is late."""
    over, build, test, docs, approve, deploy = picture(*retried(), WIDTH)

    assert build == f" ✓ build   {'▇' * 10}{'1:40':>58}"
    assert test == f" ✓ test    {' ' * 10}{'▇' * 9}✗░░░░░░{'▇' * 14}{'2:20':>28}"
    assert docs == f" ✓ docs    {' ' * 10}{'▇' * 5}{'0:50':>53}"
    assert approve == f" ◆ approve {' ' * 40}◆{'┄' * 9}{'!' * 10}    3:20"
    assert deploy == " ○ deploy"
    assert over == f"{' ' * 11}14:03:20 ───────┬14:06──────┬14:08──────┬14:10─ now 14:13:20"


def test_an_open_end_is_open_and_an_ended_run_has_an_end() -> None:
    """What runs may run on; what has ended is not drawn up to now."""
    running: list[Told] = [(0.0, WaveStarted(wave=0)), (0.0, started("build"))]
    ended: list[Told] = [*running, (300.0, lost("build")), (300.0, RunFinished(status=RunStatus.FAILED))]

    assert picture(*told(*running), WIDTH)[1] == f" ● build   {'▇' * 59}●   10:00"
    over, build, *_ = picture(*told(*ended), WIDTH)
    assert build == f" ✗ build   {'▇' * 59}✗    5:00"
    assert over.endswith("end 14:08:20")


def test_a_paused_run_shows_when_it_was() -> None:
    """On the axis, whatever its blocks did; a deadline counts on from there."""
    state, course = told(
        (0, WaveStarted(wave=0)),
        (0, started("build")),
        (200, RunHeld(by="ana")),
        (400, RunReleased(by="ana")),
    )

    over = picture(state, course, WIDTH)[0]
    assert over[11:].index("‖") == 20
    assert over.count("‖") == 20


def test_a_night_in_which_nothing_works_is_drawn_short() -> None:
    """Three minutes of work are not lost in fourteen hours of waiting; the axis says how long that was."""
    night = 14 * 3600.0
    state, course = told(
        (0, WaveStarted(wave=0)),
        (0, started("build")),
        (90, succeeded("build", 90)),
        (90, started("approve")),
        (90, asks()),
        (90 + night, PauseAnswered(pause_id=PAUSE, answer=Answer(value=True, raw="y", by="ben", via="cli"))),
        (90 + night, succeeded("approve", 0)),
        (90 + night, started("deploy")),
        (180 + night, succeeded("deploy", 90)),
        began=NOW - night - 180,
    )
    over, build, _, _, approve, deploy = picture(state, course, WIDTH)

    assert build.count("▇") in (23, 24)
    assert deploy.count("▇") in (23, 24)
    assert "┄" * 10 in approve
    assert "╱14h╱" in over  # noqa: RUF001 - the sign is meant


@pytest.mark.parametrize("width", [40, 60, 100])
def test_a_wait_that_goes_on_is_not_drawn_short_without_a_word(width: int) -> None:
    """It is at the end, where the axis names the end, too: that leaves room for how long it is."""
    night = 14 * 3600.0
    state, course = told(
        (0, WaveStarted(wave=0)),
        (0, started("build")),
        (90, succeeded("build", 90)),
        (90, started("approve")),
        (90, asks()),
        began=NOW - night - 90,
    )
    over, build, *_ = picture(state, course, width)

    assert build.count("▇") > width // 3
    assert "╱14h╱" in over  # noqa: RUF001 - the sign is meant
    assert over.index("╱14h╱") < over.index(" now ")  # noqa: RUF001 - the sign is meant


def test_a_block_in_parts_does_what_its_parts_do() -> None:
    """It waits when all of them wait, and shows where one was lost; its parts have bars of their own."""
    hosts = workflow("hosts", block("deploy", for_each=ForEach(items=["a", "b"])), waves=(("deploy",),))
    place = BlockId("deploy")
    a, b = item_place(place, "a"), item_place(place, "b")
    items = (Inline(value="a"), Inline(value="b"))
    state, course = told(
        (0, WaveStarted(wave=0)),
        (0, BlockExpanded(block=place, attempt=1, keys=("a", "b"), items=items)),
        (0, started(a)),
        (0, started(b)),
        (300, lost(a)),
        (400, TimerSet(block=b, attempt=1, until=NOW + 60)),
        definition=hosts,
    )

    assert [stretch.doing for stretch in course.of(place)] == [Doing.WORK, Doing.DELAY]
    assert [stretch.end for stretch in course.of(a)] == [End.FAILED]
    folds = Folds()
    folds.open(place)
    rows = [item for wave in waves(state, NOW, folds) for item in wave.blocks]
    _, whole, *parts = gantt_lines(chart_of(state, course, (), NOW), rows, None, WIDTH, 3)
    assert whole.text.rstrip().startswith(f" ● deploy  {'▇' * 30}✗{'▇' * 9}{'░' * 20}")
    assert [line.text[:12].rstrip() for line in parts] == ["   ✗ a     ▇", "   ● b     ▇"]


def test_what_takes_no_time_between_two_items_is_no_stretch() -> None:
    """A thousand items one after the other are one stretch of their block."""
    keys = tuple(map(str, range(1_000)))
    rule = ForEach(items=list(keys), max_parallel=1)
    hosts = workflow("hosts", block("deploy", for_each=rule), waves=(("deploy",),))
    items = tuple(Inline(value=key) for key in keys)
    place = BlockId("deploy")
    events: list[tuple[float, JournalEvent]] = [
        (0, BlockExpanded(block=place, attempt=1, keys=keys, items=items))
    ]
    for n, key in enumerate(keys):
        part = item_place(place, key)
        events += [(n / 2, started(part)), ((n + 1) / 2, succeeded(part, 0.5))]
    _, course = told(*events, definition=hosts)

    assert [(stretch.since, stretch.until) for stretch in course.of(place)] == [(NOW - 600, None)]


def test_what_was_done_before_a_fork_is_no_bar() -> None:
    """A row of a block that a fork has from the other run says so."""
    state, course = told((0, WaveStarted(wave=0)), (0, started("build")), (9, succeeded("build", 9)))
    course._begin(NOW - 10)  # noqa: SLF001 - what `RunForked` does to it

    assert "done before it was forked" in picture(state, course, WIDTH)[1]


def test_a_block_that_a_fork_goes_on_with_is_no_block_that_was_done_before() -> None:
    """It does what its part does that runs again; an item that stayed was done before, and so says its row."""
    hosts = workflow("hosts", block("deploy", for_each=ForEach(items=["a", "b"])), waves=(("deploy",),))
    place, keys = BlockId("deploy"), ("a", "b")
    items = tuple(Inline(value=key) for key in keys)
    before: list[tuple[float, JournalEvent]] = [
        (0, BlockExpanded(block=place, attempt=1, keys=keys, items=items)),
        *[(0, started(f"deploy[{key}]")) for key in keys],
        (60, succeeded("deploy[a]", 60)),
        (61, lost("deploy[b]")),
        (61, lost("deploy")),
    ]
    again: tuple[tuple[float, JournalEvent], ...] = (
        (
            300,
            RunForked(
                origin=Origin(run_id=RUN, seq=Seq(7)), definition="", again=(place, BlockId("deploy[b]"))
            ),
        ),
        (300, started("deploy[b]")),
        (400, lost("deploy[b]")),
        (400, lost("deploy")),
    )
    state, course = told(*before, *again, definition=hosts)
    [stretch] = course.of(place)

    assert (stretch.since, stretch.until, stretch.end) == (NOW - 300, NOW - 200, End.FAILED)
    folds = Folds()
    folds.open(place)
    rows = [item for wave in waves(state, NOW, folds) for item in wave.blocks]
    chart = chart_of(state, course, (), NOW)
    drawn = {line.key: line.text for line in gantt_lines(chart, rows, None, WIDTH, 12)}
    assert {name: "done before it was forked" in line for name, line in drawn.items() if name != "axis"} == {
        "deploy": False,
        "deploy[a]": True,
        "deploy[b]": False,
    }


# -- scale and axis ---------------------------------------------------------------------------

SECONDS = st.floats(0, 1e7)


@given(
    st.lists(SECONDS, min_size=2, max_size=12, unique=True),
    st.lists(SECONDS, min_size=2, max_size=9),
    st.integers(1, 300),
)
def test_a_scale_keeps_the_order_of_instants(edges: list[float], instants: list[float], width: int) -> None:
    """Whatever is drawn short: later is never further left, and nothing is outside."""
    start, *inner, end = sorted(edges)
    rests = list(zip(inner[::2], inner[1::2], strict=False))
    rested = sum(b - a for a, b in rests)
    scale = scale_of(NOW + start, NOW + end, [(NOW + a, NOW + b) for a, b in rests], rested, width)
    cells = [scale.cell(NOW + at) for at in sorted(instants)]

    assert cells == sorted(cells)
    assert scale.width == width
    assert all(0 <= cell < width for cell in cells)
    for since, until in pairwise(sorted(instants)):
        assert set(scale.span(NOW + since, NOW + until)) <= set(range(width))
        assert len(scale.span(NOW + since, NOW + until)) >= 1
    assert sum(cell_len(piece.text) for piece in axis(scale, [], "now", NOW)) == width


@given(st.integers(1, 200), st.sampled_from(["", "build", "deploy"]))
def test_no_line_is_wider_than_its_pane(width: int, cursor: str) -> None:
    """At any width."""
    assert all(cell_len(line) <= max(width, 12) for line in picture(*retried(), width, cursor))


# -- what was waited for, and what is left ----------------------------------------------------


def test_the_critical_path_is_what_was_waited_for_longest() -> None:
    """Not the block beside it that was done sooner; its names and bars are bold, and the border says it."""
    state, course = retried()
    path = critical_path(state)

    assert path == ("build", "test", "approve")
    chart = chart_of(state, course, path, NOW)
    assert hint_of(chart, path) == "bold: critical path build › test › approve"  # noqa: RUF001 - the sign is meant
    rows = [item for wave in waves(state, NOW) for item in wave.blocks]
    lines = gantt_lines(chart, rows, None, WIDTH, 7)[1:]
    bold = {line.key for line in lines if any(piece.tone is Tone.STRONG for piece in line.pieces)}
    assert bold == set(path)


def test_in_waves_a_block_may_wait_for_one_that_it_does_not_need() -> None:
    """The last of the wave before held it up, whatever it depends on."""
    two = workflow(
        "two",
        block("quick"),
        block("slow"),
        block("next", after=("quick",)),
        waves=(("quick", "slow"), ("next",)),
    )
    events: list[Told] = [
        (0.0, WaveStarted(wave=0)),
        (0.0, started("quick")),
        (0.0, started("slow")),
        (1.0, succeeded("quick", 1)),
        (9.0, succeeded("slow", 9)),
        (9.0, WaveStarted(wave=1)),
        (9.0, started("next")),
    ]

    assert critical_path(told(*events, definition=two)[0]) == ("slow", "next")
    eager = two.evolve(schedule=Schedule.EAGER)
    assert critical_path(told(*events, definition=eager)[0]) == ("quick", "next")


@st.composite
def runs(draw: st.DrawFn) -> RunState:
    """Return some state of a random workflow: not each is one that an engine would arrive at."""
    state = new_state(RUN, Graph(draw(cases()).definition))
    touched = {}
    for name in state.graph.blocks:
        status = draw(st.sampled_from(list(BlockStatus)))
        since = NOW - draw(st.integers(0, 99))
        until = min(NOW, since + draw(st.integers(0, 99))) if status.has_ended else None
        has_begun = status not in (BlockStatus.PENDING, BlockStatus.SKIPPED)
        touched[name] = BlockState(status=status, started_at=since if has_begun else None, ended_at=until)
    return state.evolve(touched=state.touched.update(touched))


@given(runs())
def test_a_critical_path_goes_back_in_time_to_a_beginning(state: RunState) -> None:
    """Each of its blocks had ended when the next began, and nothing ended later than its last."""
    path = critical_path(state)
    begun = [seen for seen in state.touched.values() if seen.started_at is not None]

    assert bool(path) == bool(begun)
    assert len(set(path)) == len(path)
    for before, after in pairwise(path):
        ended, began = state.block(before).ended_at, state.block(after).started_at
        assert ended is not None
        assert began is not None
        assert ended <= began + 1e-6
    if path and all(seen.ended_at is not None for seen in begun):
        assert state.block(path[-1]).ended_at == max(seen.ended_at or 0 for seen in begun)


@given(runs(), st.floats(1, 500), st.floats(0, 100))
def test_what_is_left_is_between_the_longest_block_and_all_of_them(
    state: RunState, usual: float, more: float
) -> None:
    """Waves that wait for each other take at least as long, and so does what usually takes longer."""
    machine = [
        block
        for block, definition in state.graph.blocks.items()
        if not definition.interactive and not state.block(block).status.has_ended
    ]
    left = time_left(state, dict.fromkeys(machine, Usual(seconds=usual, runs=1)), NOW)
    if not machine:
        assert left is None
        return
    assert left is not None
    longer = time_left(state, dict.fromkeys(machine, Usual(seconds=usual + more, runs=1)), NOW)
    assert longer is not None
    assert 0 <= left.seconds <= longer.seconds + 1e-6
    assert left.seconds <= usual * len(machine) + 1e-6
    if any(not state.block(block).started_at for block in machine):
        assert left.seconds >= usual - 1e-6


def usual_of(**seconds: float) -> dict[BlockId, Usual]:
    """Return how long blocks usually take."""
    return {BlockId(name): Usual(seconds=took, runs=3) for name, took in seconds.items()}


@pytest.mark.parametrize(
    ("usual", "words"),
    [
        ({"build": 60, "test": 100, "docs": 10, "deploy": 240}, "about 4 min left, not counting 1 answer"),
        ({"deploy": 45}, "about 45 s left, not counting 1 answer"),
        ({"build": 60}, None),
        ({}, None),
    ],
)
def test_what_is_left_is_said_where_it_is_known(usual: dict[str, float], words: str | None) -> None:
    """Waits for people are no part of it; of what has hardly ever been done nobody knows."""
    left = time_left(retried()[0], usual_of(**usual), NOW)

    assert (left.words if left is not None else None) == words


def test_what_takes_longer_than_usual_says_so() -> None:
    """It is not "0 s left" for an hour, and a run that is paused by a person has no end in sight."""
    last = workflow("last", block("build"), waves=(("build",),))
    begun = ((0.0, WaveStarted(wave=0)), (0.0, started("build")))
    state, _ = told(*begun, definition=last)

    left = time_left(state, usual_of(build=60), NOW)
    assert left is not None
    assert left.words == "longer than usual"
    held, _ = told(*begun, (9.0, RunHeld(by="ana")), definition=last)
    assert time_left(held, usual_of(build=6_000), NOW) is None


def test_ten_thousand_blocks_are_quick() -> None:
    """Of a journal of thirty thousand events each is looked at once, and only rows that are seen are drawn."""
    names = [f"block_{n:05}" for n in range(10_000)]
    many = workflow("many", *map(block, names), waves=(names,))
    events = list(_one_by_one(names))
    graph = Graph(many)
    records = [Record(run_id=RUN, seq=Seq(n), at=at, event=event) for n, (at, event) in enumerate(events, 1)]
    state, course = fold(new_state(RUN, graph), records), Course()
    rows = [item for wave in waves(state, NOW) for item in wave.blocks]

    began = time.process_time()
    course.take(records)
    taken = time.process_time() - began
    began = time.process_time()
    path = critical_path(state)
    found = time.process_time() - began
    began = time.process_time()
    gantt_lines(chart_of(state, course, path, NOW), rows[5_000:5_040], None, 120, 11)
    drawn = time.process_time() - began
    assert len(course.rests) == 1
    assert (taken < 1, found < 0.5, drawn < 0.1) == (True, True, True), (taken, found, drawn)


def _one_by_one(names: list[str]) -> Iterator[tuple[float, JournalEvent]]:
    yield NOW - 10_000, WaveStarted(wave=0)
    for n, name in enumerate(names):
        yield NOW - 10_000 + n, started(name)
        yield NOW - 9_999.5 + n, succeeded(name, 0.5)


# -- with keys --------------------------------------------------------------------------------


async def test_b_changes_the_form_and_the_cursor_is_shared(tmp_path: Path) -> None:
    """Waves, bars, both; each shows the block that the other one left the cursor on."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2", "j", "enter")
        await seen.see("for an answer to approve_prod", "Waves")
        screen = seen.app.screen
        assert isinstance(screen, RunScreen)

        await seen.press("b")
        await seen.see("▌◆ approve_prod", "◆┄┄", "critical path plan › lint › approve_prod")  # noqa: RUF001
        await seen.unsee("BLOCK")
        assert isinstance(screen.focused, Gantt)
        await seen.press("k")
        await seen.see("▌✓ canary", "╭─ canary")
        await seen.press("b")
        await seen.see("BLOCK", "rows")
        assert seen.text.count("▌✓ canary") == 2
        await seen.press("b")
        await seen.unsee("critical path")
        await seen.see("BLOCK", "▌✓ canary")


async def test_a_large_terminal_shows_both_and_a_flat_one_only_when_asked(tmp_path: Path) -> None:
    """Thirty rows are enough for both."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2", "j", "enter")
        await seen.see("Wave 1", "Gantt", "critical path")
        await seen.pilot.resize_terminal(120, 29)
        await seen.unsee("critical path")
        await seen.press("b", "b")
        await seen.see("Wave 3", "critical path")
        await seen.pilot.resize_terminal(80, 24)
        await seen.see("BLOCK", "critical path")
        await seen.press("g")
        await seen.see("▌✓ checkout")


async def fill_usual(store: Store) -> None:
    """Tell two runs that went well, and one that is at work for a minute and a half."""
    for run_id, ago in (("cqt2h7k9m4xw", 9_000), ("dmw5r8t3k6zq", 6_000)):
        run = await begin(store, BACKUP, run_id, ago)
        await run.wave(0, 200.0, "snapshot")
        await run.end_wave(0)
        await run.wave(1, 60.0, "verify")
        await run.end_wave(1)
        await run.tell(0.0, RunFinished(status=RunStatus.SUCCEEDED))
    run = await begin(store, BACKUP, "jb3c6k8p9rty", 95)
    await run.tell(0.0, WaveStarted(wave=0), started("snapshot"))


async def test_a_run_says_how_long_it_will_take_from_how_long_it_took(tmp_path: Path) -> None:
    """Above its blocks for the whole of it, and beside the block that is at work for that one."""
    async with monitor(tmp_path, prepare=fill_usual, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("backup-all", "1:35")
        await seen.press("enter")
        await seen.see("· about 2 min left · so far 1:35", "usually   3:20, over 2 runs")
