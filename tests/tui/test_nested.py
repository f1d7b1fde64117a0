"""Runs in runs, items, iterations, timers: what the monitor shows of them, and where its keys lead."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tidegate.clock import SystemClock
from tidegate.model.events import AttemptFailed, BlockExpanded, Failure, RunHeld, RunReleased, WaveStarted
from tidegate.model.ids import BlockId, item_place, iteration_place
from tidegate.model.policy import FailureKind, ForEach
from tidegate.model.state import RunState
from tidegate.model.value import Inline
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store
from tidegate.store.replay import replay
from tidegate.tui.dialogs import AnswerDialog
from tidegate.tui.looks.symbols import RETRYING, TOLERATED
from tidegate.tui.present.board import Folds, waves
from tidegate.tui.present.parts import MOST, PartLists
from tidegate.tui.present.standing import standing
from tidegate.tui.screens.lists.runs import RunsScreen
from tidegate.tui.screens.run.run_view import RunScreen
from tui.monitoring import FixedClock, Monitor, monitor
from tui.parts_scene import RELEASE, ROLLOUT, block, fill_parts, workflow
from tui.scene import NOW, PROMOTE, Told, begin, started, succeeded

MANY = 10_000


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    """Return a store without a monitor."""
    opened = await open_store("memory://", clock=SystemClock())
    yield opened
    await opened.close()


@pytest.fixture
async def release(store: Store) -> RunState:
    """Return where the run that has everything stands."""
    await fill_parts(store)
    return await replay(store, RELEASE)


@pytest.mark.parametrize(
    ("place", "short", "words"),
    [
        ("deploy", "10/40 ✓ 1 ✗", "11 of 40 items ended, 1 of them failed"),
        ("migrate", "2/3 in 4 s", "attempt 2 of 3, again in 4 s"),
        ("poll", "#3/10", "iteration 3 of 10"),
        ("soak", "→14:34:20", "it waits until 14:34:20, in 21m"),
        ("upload", "45%", "45 %, 9 of 20 files"),
        ("regions", "1/3", "1 of 3 items ended"),
        ("regions[red]", "1◆", "1 open question in its run"),
        ("regions[green]", "", "run p2d9f5 of rollout"),
        ("lint", "tolerated", "the workflow tolerates that it failed"),
        ("build", "", ""),
    ],
)
async def test_where_a_place_stands_is_said_in_cells_and_in_words(
    release: RunState, place: str, short: str, words: str
) -> None:
    """Items by their counts, a retry by when it comes, a timer by its end, work by what it says of itself."""
    where = standing(release, BlockId(place), NOW)

    assert (where.short, where.words) == (short, words)


async def test_signs_say_what_follows(release: RunState) -> None:
    """A failure that is tolerated, or of which another attempt follows, is not one that needs a person."""
    state = release

    assert standing(state, BlockId("lint"), NOW).sign is TOLERATED
    assert standing(state, BlockId("migrate"), NOW).sign is RETRYING
    assert standing(state, BlockId("migrate"), NOW + 2).words.endswith("again in 2 s")


async def test_parts_that_need_somebody_come_first(release: RunState) -> None:
    """Then what is at work, then what is to come; what ended well is last, and a loop's newest is first."""
    state = release
    deploy = PartLists().of(state, BlockId("deploy"))
    poll = PartLists().of(state, BlockId("poll"))

    assert deploy.places[:3] == ("deploy[web-07]", "deploy[web-11]", "deploy[web-12]")
    assert deploy.places[-1] == "deploy[web-10]"
    assert poll.places == tuple(iteration_place(BlockId("poll"), number) for number in (3, 2, 1))


async def open_release(seen: Monitor) -> RunScreen:
    """Open the view of the run that has everything."""
    await seen.press("2")
    await seen.see("release")
    await seen.press("enter")
    await seen.see("11 of 40 items ended")
    screen = seen.app.screen
    assert isinstance(screen, RunScreen)
    return screen


async def put_cursor(seen: Monitor, screen: RunScreen, place: str) -> None:
    """Put the cursor on a place, as a click on it does."""
    screen.action_block(place)
    await seen.until(lambda: screen.target() == (screen.run_id, place))
    await seen.pilot.pause(0.3)


async def test_a_run_below_is_reached_through_its_block(tmp_path: Path) -> None:
    """The list has only what nobody's block started; enter goes down, escape goes back."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill_parts, clock=FixedClock(NOW)) as seen:
        screen = await open_release(seen)
        await put_cursor(seen, screen, "regions[red]")
        await seen.see("nz8c4v of rollout, enter opens it", "Switch red over to 1.5.3?")

        await seen.press("enter")
        await seen.see(f"run {ROLLOUT}", "part of kx5m2r  release / regions[red]")
        await seen.press("a")
        await seen.dialog("Approve")
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        await seen.press("escape")
        await seen.until(lambda: seen.app.screen is screen)
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, RunsScreen))
        await seen.see("1 run ·")


async def test_a_question_below_is_answered_from_above(tmp_path: Path) -> None:
    """The first press goes to the block whose run asks, the second opens the question."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill_parts, clock=FixedClock(NOW)) as seen:
        screen = await open_release(seen)
        await seen.press("a")
        await seen.see("regions[red] asks: a answers it")
        assert screen.target() == (RELEASE, "regions[red]")

        await seen.press("a")
        await seen.until(lambda: isinstance(seen.app.screen, AnswerDialog))
        await seen.see("Switch red over to 1.5.3?")


async def test_the_inbox_says_the_whole_way_and_leads_there(tmp_path: Path) -> None:
    """From the run at the top down to the block; backspace goes up again."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill_parts, clock=FixedClock(NOW)) as seen:
        await seen.see("release / regions[red] / approve", "1 Inbox ◆1")
        await seen.press("o")
        await seen.see(f"run {ROLLOUT}", "part of kx5m2r")
        await seen.press("backspace")
        await seen.see(f"run {RELEASE}", "regions[red]")


async def test_items_are_unfolded_and_filtered(tmp_path: Path) -> None:
    """Enter shows them and folds them; a filter shows those one looks for."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill_parts, clock=FixedClock(NOW)) as seen:
        await open_release(seen)
        assert "web-07" not in seen.text
        await seen.press("enter")
        await seen.see("✗ web-07", "● web-11")
        await seen.press("j")
        await seen.see("no route", "Item", "part of")

        await seen.press("slash", *"web-3", "enter")
        await seen.see("○ web-30")
        await seen.unsee("● web-11")
        await seen.press("escape")
        await seen.see("● web-11")
        await seen.press("space")
        await seen.unsee("web-11")


@pytest.mark.parametrize(("asking", "word"), [(2, "paused"), (1, "running")])
async def test_a_block_of_which_all_items_wait_reads_as_paused(store: Store, asking: int, word: str) -> None:
    """As long as nothing else of it can move."""
    run = await many(store, 2, asking=asking)

    assert standing(run.state, BlockId("each"), NOW).sign.word == word


async def many(store: Store, count: int, *, asking: int = 0) -> Told:
    """Tell a run with that many items: one failed, some that ask, the rest is at work."""
    each = workflow(
        "each", block("each", for_each=ForEach(items=[]), interactive=bool(asking)), waves=(("each",),)
    ).evolve(max_parallel=count)
    run = await begin(store, each, "many23456789", 60)
    keys = tuple(f"item-{number:05}" for number in range(count))
    items = tuple(Inline(value=key) for key in keys)
    expanded = BlockExpanded(block=BlockId("each"), attempt=1, keys=keys, items=items)
    await run.tell(0.0, WaveStarted(wave=0), started("each"), expanded)
    places = [item_place(BlockId("each"), key) for key in keys]
    for place in places[:asking]:
        await run.ask(place, PROMOTE)
    if not asking:
        why = Failure(kind=FailureKind.EXIT, message="broken", exit_code=1)
        bad = places[count // 2]
        events = [started(place) for place in places[: count // 2]]
        done = [succeeded(place, 1.0) for place in places[: count // 4]]
        await run.tell(0.0, *events, started(bad), *done, AttemptFailed(block=bad, attempt=1, failure=why))
    return run


async def fill_many(store: Store) -> None:
    """Tell a run with ten thousand items."""
    await many(store, MANY)


async def test_ten_thousand_items_are_bounded_and_fast(tmp_path: Path) -> None:
    """What is shown is what fits a screen or two; a key is echoed as if there were ten."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill_many, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("each")
        await seen.press("enter")
        await seen.see("2,501 of 10,000 items ended")
        await seen.press("enter")
        await seen.see("✗ item-05000")
        screen = seen.app.screen
        assert isinstance(screen, RunScreen)

        began = time.process_time()
        for _ in range(20):
            screen.show(NOW)
        each = (time.process_time() - began) / 20
        assert each < 0.05, f"{each * 1000:.0f} ms for one repaint"
        assert f"+{MANY - MOST} more, / filters" in seen.text


async def test_a_filter_of_items_that_nothing_has_says_so(store: Store) -> None:
    """Instead of showing a block without items."""
    state, folds = (await many(store, 3)).state, Folds()
    folds.words = "zzz"

    [wave] = waves(state, NOW, folds)
    assert [item.name for item in wave.blocks] == ["each", "none has 'zzz'"]


async def test_a_held_retry_comes_once_the_run_goes_on(store: Store) -> None:
    """Its clock stands still, and nothing pretends that it does not."""
    run = await begin(store, workflow("one", block("one"), waves=(("one",),)), "held23456789", 60)
    why = Failure(kind=FailureKind.EXIT, message="broken", exit_code=1)
    fails = AttemptFailed(block=BlockId("one"), attempt=1, failure=why, retry_at=NOW + 5)
    await run.tell(0.0, WaveStarted(wave=0), started("one"), fails, RunHeld(by="ana"))
    assert standing(run.state, BlockId("one"), NOW).words == "attempt 2, again once it goes on"

    await run.tell(0.0, RunReleased(by="ana"))
    assert standing(run.state, BlockId("one"), NOW).words.startswith("attempt 2, again in ")


async def test_an_explicit_checkpoint_shows_its_label_and_what_it_holds(tmp_path: Path) -> None:
    """The label in its row; the metadata in the preview."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill_parts, clock=FixedClock(NOW)) as seen:
        await seen.press("3")
        await seen.see("+ explicit", "built ·")
        await seen.press("f", "f", "f", "f")
        await seen.see("Metadata", "version   1.5.3", "commits   12", "label     built")
