"""What every store promises about removing runs, keeping checkpoints and giving space back."""

import asyncio
import random
from collections.abc import Mapping

import pytest

from store.builders import (
    BLOCK,
    DEFINITION,
    NOW,
    PATIENCE,
    RUN,
    adding,
    below,
    chunk,
    hashed,
    marked,
    new_run,
    paused,
    wave,
)
from tidegate.errors import (
    CheckpointInUse,
    CheckpointNotFound,
    CheckpointPinned,
    CorruptStore,
    PauseNotFound,
    RunInUse,
    RunNotFound,
)
from tidegate.model.events import (
    AttemptSucceeded,
    JournalEvent,
    PauseAnswered,
    RunFinished,
    RunResumed,
    RunStatus,
)
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import CheckpointFilter, Cursor, PauseFilter, RunFilter
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import Answer
from tidegate.model.state import RunSummary
from tidegate.model.value import Stored
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.store.protocol import Store

CHILD, GRANDCHILD, OTHER = RunId("child"), RunId("grandchild"), RunId("other")
ENDED = NOW + 10
LATER = NOW + 1_000


async def _head(store: Store, run_id: str) -> int:
    return (await store.run(RunId(run_id))).head


async def _add(store: Store, run_id: str, *events: JournalEvent, **more: object) -> None:
    head = await _head(store, run_id)
    await store.append(adding(*events, run_id=run_id, after=head, **more))  # type: ignore[arg-type]


async def _end(
    store: Store, *run_ids: str, at: float = ENDED, status: RunStatus = RunStatus.SUCCEEDED
) -> None:
    for run_id in run_ids:
        await _add(store, run_id, RunFinished(status=status), at=at, summary=RunSummary(status=status))


async def _use(store: Store, run_id: str, value: object) -> str:
    """Let a run's journal name a stored value; return its hash."""
    name, data = hashed(value)
    event = AttemptSucceeded(block=BLOCK, attempt=1, outputs={"x": Stored(sha256=name, size=len(data))})
    await _add(store, run_id, event, values={name: data})
    return name


async def _family(store: Store) -> None:
    """Create a run, one below it, one below that, and a stranger."""
    await store.create_run(new_run())
    await store.create_run(new_run(CHILD, at=NOW + 1, parent=below("deploy[eu]")))
    await store.create_run(new_run(GRANDCHILD, at=NOW + 2, parent=below("deploy[eu]/restart", parent=CHILD)))
    await store.create_run(new_run(OTHER, at=NOW + 3))


async def _empty(store: Store) -> int:
    """Delete all that removed runs have left; return in how many slices."""
    slices = 1
    while await store.empty_graves():
        slices += 1
    return slices


async def _remains(store: Store, run_id: RunId) -> bool:
    """Whether anything of a run is found by anybody."""
    listed = await store.runs(RunFilter(ids=(run_id,)))
    kept = await store.pauses(PauseFilter(run_id=run_id, open_only=False))
    marks = await store.checkpoints(CheckpointFilter(run_id=run_id))
    read = await store.read(run_id)
    printed = await store.read_output(run_id, BLOCK, 1)
    named = await store.matching(run_id)
    return bool(listed or kept or marks or read or printed or named)


# -- removing ---------------------------------------------------------------------------------


async def test_a_removed_run_is_found_by_nobody(store: Store) -> None:
    """From the moment `remove_run` returns: no list, no id, no journal, no output; others stay as they are."""
    for run_id in (RUN, OTHER):
        await store.create_run(new_run(run_id))
        await _add(store, run_id, paused(f"pause_{run_id}"), marked(f"chk_{run_id}"))
        await store.write_output(RunId(run_id), BLOCK, 1, [chunk(0)])
        await _use(store, run_id, f"value of {run_id}" * 99)
    await _end(store, RUN)

    assert await store.remove_run(RUN, at=LATER) == (RUN,)

    assert not await _remains(store, RUN)
    assert await store.matching("pause_") == (f"pause_{OTHER}",)
    with pytest.raises(RunNotFound):
        await store.run(RUN)
    with pytest.raises(PauseNotFound):
        await store.pause(PauseId(f"pause_{RUN}"))
    with pytest.raises(CheckpointNotFound):
        await store.checkpoint(CheckpointId(f"chk_{RUN}"))
    assert await _remains(store, OTHER)
    assert len(await store.read(OTHER)) == 4


@pytest.mark.parametrize(
    "status", [RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.QUEUED, RunStatus.INTERRUPTED]
)
async def test_a_run_that_has_not_ended_is_never_removed(store: Store, status: RunStatus) -> None:
    """Whatever its age: a question may be open for a year."""
    await store.create_run(new_run())
    await store.append(adding(wave(), summary=RunSummary(status=status)))

    for at, seen in (
        (NOW + 1, status),
        (NOW + 9e9, RunStatus.INTERRUPTED if status is RunStatus.RUNNING else status),
    ):
        # As lists have it: what nobody drives any more does not run.
        with pytest.raises(RunInUse, match=f"it has not ended, it is {seen}. Cancel it first"):
            await store.remove_run(RUN, at=at, despite_pins=True)
    assert len(await store.read(RUN)) == 2


@pytest.mark.parametrize(
    "status", [RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.REJECTED, RunStatus.CANCELLED]
)
async def test_a_run_that_has_ended_can_be_removed(store: Store, status: RunStatus) -> None:
    """However it ended."""
    await store.create_run(new_run())
    await _end(store, RUN, status=status)

    await store.remove_run(RUN, at=LATER)
    assert await store.runs() == ()


async def test_an_unknown_run_cannot_be_removed_nor_one_twice(store: Store) -> None:
    """The second of two people is told."""
    await store.create_run(new_run())
    await _end(store, RUN)
    await store.remove_run(RUN, at=LATER)

    for run_id in (RUN, OTHER):
        with pytest.raises(RunNotFound):
            await store.remove_run(run_id, at=LATER)


async def test_what_has_moved_since_is_not_removed(store: Store) -> None:
    """Whoever decides by age decides on what he saw: a run may have been tried again meanwhile."""
    await store.create_run(new_run())
    await _end(store, RUN, at=ENDED)

    with pytest.raises(RunInUse, match="it has gone on since"):
        await store.remove_run(RUN, at=LATER, ended_by=ENDED - 1)
    assert await store.remove_run(RUN, at=LATER, ended_by=ENDED) == (RUN,)


# -- trees ------------------------------------------------------------------------------------


async def test_a_run_goes_with_everything_below_it(store: Store) -> None:
    """And with nothing else."""
    await _family(store)
    await _end(store, RUN, CHILD, GRANDCHILD)

    removed = await store.remove_run(RUN, at=LATER)

    assert removed[0] == RUN
    assert set(removed) == {RUN, CHILD, GRANDCHILD}
    assert [row.run_id for row in await store.runs()] == [OTHER]
    await _empty(store)
    assert await store.orphans() == {}
    assert await _remains(store, OTHER)


async def test_one_unfinished_run_below_keeps_the_whole_tree(store: Store) -> None:
    """It is named, so that somebody can end it."""
    await _family(store)
    await _end(store, RUN, CHILD)

    with pytest.raises(RunInUse, match=f"run {GRANDCHILD} below it has not ended, it is interrupted"):
        await store.remove_run(RUN, at=LATER)
    assert len(await store.runs()) == 4


async def test_a_part_of_a_run_is_not_removed_alone(store: Store) -> None:
    """The run above reads what became of it."""
    await _family(store)
    await _end(store, RUN, CHILD, GRANDCHILD)

    with pytest.raises(RunInUse, match=f"it is a part of run {RUN}. Remove that one"):
        await store.remove_run(CHILD, at=LATER)


async def test_nothing_begins_below_a_removed_run(store: Store) -> None:
    """A driver that slept through the end of its run, and its removal, would start a run that nobody owns."""
    await _family(store)
    await _end(store, RUN, CHILD, GRANDCHILD)
    await store.remove_run(RUN, at=LATER)

    with pytest.raises(RunNotFound):
        await store.create_run(new_run("late", parent=below("deploy[us]")))
    with pytest.raises(RunNotFound):
        await store.create_run(new_run("late", parent=below("deploy[us]", parent=OTHER)))


async def test_a_large_tree_goes_in_bounded_steps_and_nothing_of_it_can_be_reopened(store: Store) -> None:
    """The run on top goes at once; what is left of the tree has nobody above, and waits for its turn."""
    await store.create_run(new_run())
    children = [RunId(f"child{number:04}") for number in range(700)]
    await asyncio.gather(
        *(store.create_run(new_run(name, parent=below(f"deploy[{name}]"), owner="")) for name in children)
    )
    ended = RunSummary(status=RunStatus.SUCCEEDED)
    finish = RunFinished(status=RunStatus.SUCCEEDED)
    await asyncio.gather(
        *(store.append(adding(finish, run_id=name, epoch=0, summary=ended)) for name in children)
    )
    await _end(store, RUN)

    removed = await store.remove_run(RUN, at=LATER)

    assert len(removed) == 701
    left = [row.run_id for row in await store.runs(RunFilter(limit=1_000))]
    assert 0 < len(left) < 700
    assert RUN not in left
    counts = await store.counts()
    assert (counts.open_pauses, counts.runs) == (0, {})
    assert await store.orphans() == {}
    again = adding(RunResumed(blocks=(BLOCK,), by="ada"), run_id=left[0], after=2, epoch=None)
    with pytest.raises(RunNotFound):
        await store.append(again)
    cursor = await store.newest_cursor()
    assert await _empty(store) > 1
    assert await store.runs() == ()
    assert await store.orphans() == {}
    assert set((await store.changes(cursor)).gone) == set(left)
    assert set((await store.changes(Cursor(0))).gone) == set(removed)


# -- what is left of a run --------------------------------------------------------------------


async def test_nothing_is_an_orphan_at_any_moment_of_a_removal(store: Store) -> None:
    """What waits to be deleted is known as that; in the end nothing is left."""
    await store.create_run(new_run())
    for number in range(40):
        await _add(store, RUN, *(wave(one) for one in range(20)))
        await store.write_output(RUN, BLOCK, number, [chunk(n, b"x" * 9_000) for n in range(3)])
    for number in range(20):
        await _use(store, RUN, f"{number}" * 5_000)
    await _end(store, RUN)
    await store.remove_run(RUN, at=LATER)

    slices = 1
    assert (await store.statistics()).removing == 1
    while await store.empty_graves():
        slices += 1
        assert await store.orphans() == {}
    found = await store.statistics()
    assert slices > 2
    assert (found.runs, found.events, found.values, found.definitions) == (0, 0, 0, 0)
    assert (found.output_bytes, found.value_bytes, found.removing) == (0, 0, 0)
    assert await store.empty_graves() is False


async def test_a_slice_is_bounded_in_rows_and_bytes(store: Store) -> None:
    """Whoever wants to write meanwhile waits for one slice, and for no more."""
    await store.create_run(new_run())
    for _ in range(30):
        await _add(store, RUN, *(wave(one) for one in range(50)))
    rng = random.Random(1)  # noqa: S311
    await store.write_output(RUN, BLOCK, 1, [chunk(n, rng.randbytes(64_000)) for n in range(60)])
    await _end(store, RUN)
    await store.remove_run(RUN, at=LATER)

    before, going = await store.statistics(), True
    while going:
        going = await store.empty_graves()
        after = await store.statistics()
        assert before.events - after.events <= 256
        assert before.output_bytes - after.output_bytes <= (1 << 20) + 64_000
        before = after
    assert (before.events, before.output_bytes) == (0, 0)


async def test_a_value_goes_with_the_last_run_that_uses_it(store: Store) -> None:
    """It is kept once for all of them."""
    for run_id in (RUN, OTHER):
        await store.create_run(new_run(run_id))
        shared = await _use(store, run_id, "shared" * 2_000)
    own = await _use(store, RUN, "own" * 2_000)
    await _end(store, RUN, OTHER)

    await store.remove_run(RUN, at=LATER)
    await _empty(store)

    assert set(await store.values([shared])) == {shared}
    with pytest.raises(CorruptStore, match="missing"):
        await store.values([own])
    await store.remove_run(OTHER, at=LATER)
    await _empty(store)
    with pytest.raises(CorruptStore, match="missing"):
        await store.values([shared])
    assert await store.orphans() == {}


async def test_a_value_that_is_used_again_while_its_run_goes_stays(store: Store) -> None:
    """Between the removal and the last slice somebody else may produce the same."""
    await store.create_run(new_run())
    name = await _use(store, RUN, "again" * 2_000)
    await _end(store, RUN)
    await store.remove_run(RUN, at=LATER)

    await store.create_run(new_run(OTHER))
    await _use(store, OTHER, "again" * 2_000)
    await _empty(store)

    assert set(await store.values([name])) == {name}
    assert await store.orphans() == {}


async def test_a_definition_goes_with_the_last_run_of_it(store: Store) -> None:
    """Runs below others count as well."""
    other = WorkflowDefinition(name="backup")
    await store.create_run(new_run())
    await store.create_run(new_run(OTHER))
    await store.create_run(new_run(CHILD, parent=below("backup", parent=OTHER, root=OTHER), definition=other))
    await _end(store, RUN, OTHER, CHILD)

    await store.remove_run(RUN, at=LATER)
    assert await store.definition(definition_hash(DEFINITION)) == DEFINITION
    assert await store.definition(definition_hash(other)) == other

    await store.remove_run(OTHER, at=LATER)
    for name in (definition_hash(DEFINITION), definition_hash(other)):
        with pytest.raises(CorruptStore, match="is missing"):
            await store.definition(name)


async def test_a_run_with_the_id_of_a_removed_one_is_a_new_run(store: Store) -> None:
    """Also while something of the old one is left."""
    await store.create_run(new_run())
    await _add(store, RUN, wave(), marked())
    await store.write_output(RUN, BLOCK, 1, [chunk(0)])
    await _end(store, RUN)
    await store.remove_run(RUN, at=LATER)

    await store.create_run(new_run())
    await _empty(store)

    assert len(await store.read(RUN)) == 1
    assert await store.read_output(RUN, BLOCK, 1) == ()
    assert (await store.changes(Cursor(0))).gone == ()
    assert await store.orphans() == {}


# -- the feed and the counts ------------------------------------------------------------------


async def test_the_feed_tells_of_a_removal(store: Store) -> None:
    """To who waits, and to who comes later; once each."""
    await _family(store)
    await _end(store, RUN, CHILD, GRANDCHILD)
    cursor = await store.newest_cursor()
    waiting = asyncio.create_task(store.wait_for_change(cursor))
    await asyncio.sleep(0)

    await store.remove_run(RUN, at=LATER)

    await asyncio.wait_for(waiting, PATIENCE)
    changes = await store.changes(cursor)
    assert set(changes.gone) == {RUN, CHILD, GRANDCHILD}
    assert changes.runs == ()
    assert changes.cursor == await store.newest_cursor() > cursor
    assert (await store.changes(changes.cursor)).gone == ()


async def test_no_change_number_is_given_twice(store: Store) -> None:
    """Not even after the run with the highest one was removed, and forgotten: a follower would miss the next."""
    await store.create_run(new_run())
    await _end(store, RUN)
    await store.remove_run(RUN, at=LATER)
    while await store.empty_graves(forget_before=LATER + 1):
        pass
    cursor = await store.newest_cursor()

    assert await store.changes(Cursor(0)) == (await store.changes(Cursor(0))).evolve(cursor=cursor, gone=())
    await store.create_run(new_run(OTHER))
    changes = await store.changes(cursor)
    assert [row.run_id for row in changes.runs] == [OTHER]


async def test_a_follower_does_not_spin_after_a_removal_was_forgotten(store: Store) -> None:
    """The position that `changes` gives is the newest there is, also if nothing is left to be told."""
    await store.create_run(new_run())
    await _end(store, RUN)
    cursor = await store.newest_cursor()
    await store.remove_run(RUN, at=LATER)
    while await store.empty_graves(forget_before=LATER + 1):
        pass

    changes = await store.changes(cursor)

    assert (changes.runs, changes.gone) == ((), ())
    assert changes.cursor == await store.newest_cursor()


async def test_removals_are_remembered_until_they_may_be_forgotten(store: Store) -> None:
    """By their time, and only once nothing is left of them."""
    for number, run_id in enumerate((RUN, OTHER)):
        await store.create_run(new_run(run_id))
        await _end(store, run_id)
        await store.remove_run(RunId(run_id), at=LATER + number)

    while await store.empty_graves(forget_before=LATER + 1):
        pass

    assert (await store.changes(Cursor(0))).gone == (OTHER,)


async def test_counts_follow_at_once(store: Store) -> None:
    """They are those of the lists, before anything else of the run is deleted."""
    await _family(store)
    await store.append(
        adding(paused("pause_other"), run_id=OTHER, summary=RunSummary(status=RunStatus.PAUSED))
    )
    await _end(store, RUN, CHILD, GRANDCHILD)
    counts = await store.counts()
    assert (counts.open_pauses, counts.runs) == (1, {"succeeded": 1, "paused": 1})

    await store.remove_run(RUN, at=LATER)

    counts = await store.counts()
    assert (counts.open_pauses, counts.runs) == (1, {"paused": 1})


# -- pins -------------------------------------------------------------------------------------


async def test_a_pinned_checkpoint_keeps_its_run(store: Store) -> None:
    """Also that of a run below; unless somebody asks for it all the same, or unpins it."""
    await _family(store)
    await _add(store, GRANDCHILD, marked())
    await _end(store, RUN, CHILD, GRANDCHILD)
    await store.pin(CheckpointId("chk_one"))

    with pytest.raises(
        RunInUse, match=r"its checkpoint chk_one is pinned\. `tidegate checkpoints unpin chk_one`"
    ):
        await store.remove_run(RUN, at=LATER)
    await store.pin(CheckpointId("chk_one"), pinned=False)
    assert RUN in await store.remove_run(RUN, at=LATER)


async def test_a_pin_can_be_overruled_on_purpose(store: Store) -> None:
    """By who removes the run and says so."""
    await store.create_run(new_run())
    await _add(store, RUN, marked())
    await _end(store, RUN)
    await store.pin(CheckpointId("chk_one"))

    assert await store.remove_run(RUN, at=LATER, despite_pins=True) == (RUN,)


async def test_a_pin_is_listed_and_told(store: Store) -> None:
    """Whoever shows a list of checkpoints follows the changes of their runs."""
    await store.create_run(new_run())
    await _add(store, RUN, marked("chk_one"), marked("chk_two"))
    cursor = await store.newest_cursor()

    await store.pin(CheckpointId("chk_one"))

    assert {row.checkpoint_id: row.pinned for row in await store.checkpoints()} == {
        "chk_one": True,
        "chk_two": False,
    }
    assert [row.run_id for row in (await store.changes(cursor)).runs] == [RUN]
    assert (await store.statistics()).pinned == 1
    with pytest.raises(CheckpointNotFound):
        await store.pin(CheckpointId("chk_three"))


async def test_a_pinned_checkpoint_is_not_deleted(store: Store) -> None:
    """Neither by hand, nor because its run failed and discards the others."""
    await store.create_run(new_run())
    await _add(store, RUN, marked("chk_one"), marked("chk_two"))
    await store.pin(CheckpointId("chk_one"))

    with pytest.raises(CheckpointPinned, match="`tidegate checkpoints unpin chk_one` first"):
        await store.delete_mark(CheckpointId("chk_one"))
    failed = RunSummary(status=RunStatus.FAILED)
    await _add(store, RUN, RunFinished(status=RunStatus.FAILED, discarded=True), summary=failed)
    assert [row.checkpoint_id for row in await store.checkpoints()] == ["chk_one"]


# -- trimming ---------------------------------------------------------------------------------


async def _marks(store: Store) -> list[str]:
    return [row.checkpoint_id for row in await store.checkpoints()]


async def test_the_oldest_marks_go_and_history_stays(store: Store) -> None:
    """Oldest by their order, not by their time: the clock may have stepped."""
    await store.create_run(new_run())
    for number in range(6):
        await _add(store, RUN, marked(f"chk_{number}"), at=NOW - number)
    cursor = await store.newest_cursor()

    assert await store.trim_marks(RUN, keep=2) == 4

    assert await _marks(store) == ["chk_5", "chk_4"]
    assert len(await store.read(RUN)) == 7
    assert [row.run_id for row in (await store.changes(cursor)).runs] == [RUN]
    assert await store.trim_marks(RUN, keep=2) == 0


async def test_pauses_and_pins_are_not_trimmed(store: Store) -> None:
    """A pause's mark is what a person resumes; those of closed ones go only where that is asked for."""
    await store.create_run(new_run())
    for name in ("one", "two"):
        await _add(store, RUN, paused(f"pause_{name}"), marked(f"pause_{name}", CheckpointKind.PAUSE))
    for number in range(4):
        await _add(store, RUN, marked(f"chk_{number}"))
    answer = Answer(value=True, raw="y", by="ada", via="cli")
    await _add(store, RUN, PauseAnswered(pause_id=PauseId("pause_two"), answer=answer))
    await store.pin(CheckpointId("chk_0"))

    assert await store.trim_marks(RUN, keep=1) == 2
    assert await _marks(store) == ["chk_3", "chk_0", "pause_two", "pause_one"]
    assert await store.trim_marks(RUN, keep=1, pauses=True) == 1
    assert await _marks(store) == ["chk_3", "chk_0", "pause_one"]


async def test_many_marks_are_trimmed_in_slices(store: Store) -> None:
    """All of them in the end; one stays at least."""
    await store.create_run(new_run())
    for start in range(0, 900, 100):
        await _add(store, RUN, *(marked(f"chk_{start + number:03}") for number in range(100)))

    assert await store.marked_runs(more_than=899) == ((await store.marked_runs(more_than=10))[0],)
    assert await store.trim_marks(RUN, keep=0) == 899
    assert await _marks(store) == ["chk_899"]


async def test_runs_with_many_marks_are_named(store: Store) -> None:
    """With how many of them may go; also those below others, and those that have not ended."""
    await _family(store)
    for run_id, count in ((RUN, 3), (CHILD, 5), (OTHER, 1)):
        await _add(store, run_id, *(marked(f"chk_{run_id}_{number}") for number in range(count)))
    for name in ("pause_x", "pause_y"):
        await _add(store, OTHER, paused(name), marked(name, CheckpointKind.PAUSE))
    answer = Answer(value=True, raw="y", by="ada", via="cli")
    await _add(store, OTHER, PauseAnswered(pause_id=PauseId("pause_x"), answer=answer))
    await store.pin(CheckpointId(f"chk_{RUN}_0"))

    found = {run.run_id: run.marks for run in await store.marked_runs(more_than=1)}
    assert found == {RUN: 2, CHILD: 5}
    closed = {run.run_id: run.marks for run in await store.marked_runs(more_than=1, pauses=True)}
    assert closed == {RUN: 2, CHILD: 5, OTHER: 2}


async def test_marks_of_a_removed_run_cannot_be_trimmed(store: Store) -> None:
    """It is said, not passed over."""
    with pytest.raises(RunNotFound):
        await store.trim_marks(RUN, keep=1)


# -- what decides, and what it takes ----------------------------------------------------------


async def test_what_decides_how_long_a_run_is_kept(store: Store) -> None:
    """Of runs on top, newest first by their order, with what is true of everything below."""
    await _family(store)
    await _add(store, GRANDCHILD, marked())
    await store.pin(CheckpointId("chk_one"))
    await _end(store, RUN, at=ENDED)
    await _end(store, CHILD, at=ENDED + 5)

    other, run = await store.kept_runs()
    assert (other.run_id, other.runs, other.unfinished, other.pinned) == (OTHER, 1, True, False)
    assert (run.run_id, run.runs, run.unfinished, run.pinned) == (RUN, 3, True, True)
    assert (run.workflow, run.definition, run.status) == (
        "deploy",
        definition_hash(DEFINITION),
        RunStatus.SUCCEEDED,
    )
    assert (run.created_at, run.ended_at) == (NOW, ENDED + 5)

    await _end(store, GRANDCHILD, at=ENDED + 2)
    (_, run) = await store.kept_runs("deploy")
    assert (run.unfinished, run.ended_at) == (False, ENDED + 5)
    assert await store.kept_runs("backup") == ()


async def test_the_order_of_runs_does_not_hang_on_the_clock(store: Store) -> None:
    """One that was started after the clock was set back is newer all the same."""
    for number, run_id in enumerate(("a", "b", "c")):
        await store.create_run(new_run(run_id, at=NOW - 1_000 * number))

    assert [run.run_id for run in await store.kept_runs()] == ["c", "b", "a"]


async def test_the_bytes_of_a_run_are_its_own_and_its_share(store: Store) -> None:
    """Events, output and values of everything below; a value of two runs is half each one's.

    Encrypted, each text is some fifty bytes longer.
    """
    await _family(store)
    before = await store.sizes([RUN, OTHER])
    rng = random.Random(1)  # noqa: S311
    await store.write_output(GRANDCHILD, BLOCK, 1, [chunk(n, rng.randbytes(1_000)) for n in range(10)])
    incompressible = rng.randbytes(6_000).hex()
    for run_id in (CHILD, OTHER):
        await _use(store, run_id, incompressible)

    after = await store.sizes([RUN, OTHER, RunId("unknown")])
    value = (await store.statistics()).value_bytes
    assert after.keys() == {RUN, OTHER}
    assert 0 < before[OTHER] < before[RUN]
    assert 10_000 + value // 2 <= after[RUN] - before[RUN] < 12_000 + value // 2
    assert value // 2 <= after[OTHER] - before[OTHER] < 1_000 + value // 2
    assert await store.sizes([]) == {}


async def test_statistics_count_what_is_there(store: Store) -> None:
    """For who wonders where the space has gone."""
    await _family(store)
    await _use(store, RUN, "x" * 9_000)
    await store.write_output(RUN, BLOCK, 1, [chunk(0, b"abc")])
    await _add(store, RUN, paused(), marked())

    found = await store.statistics()
    assert (found.runs, found.events, found.pauses, found.checkpoints) == (4, 7, 1, 1)
    assert (found.definitions, found.values) == (1, 1)
    assert 3 <= found.output_bytes < 100
    # Compressed, where values are not files for people.
    assert 0 < found.value_bytes <= 9_002
    assert found.schema >= 1
    assert found.cleaned_up_at is None
    assert found.removing == 0


# -- when -------------------------------------------------------------------------------------


async def test_one_cleans_up_in_an_interval(store: Store) -> None:
    """Of all processes; the time is kept in the store."""
    claims = await asyncio.gather(*(store.claim_clean_up(now=NOW, interval=60.0) for _ in range(20)))
    assert sorted(claims) == [False] * 19 + [True]

    assert not await store.claim_clean_up(now=NOW + 59, interval=60.0)
    assert await store.claim_clean_up(now=NOW + 60, interval=60.0)
    assert (await store.statistics()).cleaned_up_at == NOW + 60


async def test_a_clock_that_was_ahead_does_not_put_clean_up_off(store: Store) -> None:
    """Set right again, it is done when it would have been."""
    assert await store.claim_clean_up(now=NOW + 1e9, interval=60.0)
    assert await store.claim_clean_up(now=NOW, interval=60.0)
    assert not await store.claim_clean_up(now=NOW + 1, interval=60.0)


# -- any order --------------------------------------------------------------------------------


async def _snapshot(store: Store, run_id: RunId) -> tuple[object, ...]:
    """Return everything that is kept of a run."""
    records = await store.read(run_id)
    names = [
        value.sha256
        for record in records
        if isinstance(record.event, AttemptSucceeded)
        for value in record.event.outputs.values()
        if isinstance(value, Stored)
    ]
    row = await store.run(run_id)
    values: Mapping[str, bytes] = await store.values(names) if names else {}
    return (
        row,
        records,
        await store.pauses(PauseFilter(run_id=run_id, open_only=False)),
        await store.checkpoints(CheckpointFilter(run_id=run_id)),
        await store.read_output(run_id, BLOCK, 1, limit=1_000),
        dict(values),
        await store.definition(row.definition),
    )


async def _grow(store: Store, rng: random.Random, number: int) -> tuple[RunId, list[RunId], bool]:
    """Make a tree of runs with things that are its own, and some that others have, too; say if it has ended."""
    top = RunId(f"run{number}")
    definition = WorkflowDefinition(name=f"flow{rng.randrange(3)}", version=str(rng.randrange(2)))
    await store.create_run(new_run(top, at=NOW + number, definition=definition))
    tree = [top]
    for child in range(rng.randrange(4)):
        parent = rng.choice(tree)
        name = RunId(f"run{number}x{child}")
        await store.create_run(
            new_run(
                name,
                at=NOW + number,
                definition=definition,
                parent=below(f"b{child}", parent=parent, root=top),
            )
        )
        tree.append(name)
    for run_id in tree:
        for _ in range(rng.randrange(3)):
            await _use(store, run_id, f"value {rng.randrange(6)} " * 900)
        await _add(store, run_id, paused(f"pause_{run_id}"), marked(f"chk_{run_id}"))
        await store.write_output(run_id, BLOCK, 1, [chunk(n) for n in range(rng.randrange(4))])
    has_ended = rng.random() < 0.7
    await _end(store, *(tree if has_ended else tree[: rng.randrange(len(tree))]), at=ENDED)
    return top, tree, has_ended


@pytest.mark.parametrize("seed", range(6))
async def test_random_removals_leave_exactly_what_is_others(store: Store, seed: int) -> None:
    """Whatever is shared, whatever was refused, and wherever the slices fall."""
    rng = random.Random(seed)  # noqa: S311
    trees = [await _grow(store, rng, number) for number in range(12)]
    kept = {run_id: await _snapshot(store, run_id) for _, tree, _ in trees for run_id in tree}

    for top, tree, has_ended in rng.sample(trees, 9):
        if has_ended:
            assert set(await store.remove_run(top, at=LATER)) == set(tree)
            kept = {run_id: what for run_id, what in kept.items() if run_id not in tree}
        else:
            with pytest.raises(RunInUse):
                await store.remove_run(top, at=LATER)
        for _ in range(rng.randrange(2)):
            await store.empty_graves()
        assert await store.orphans() == {}
    await _empty(store)

    assert await store.orphans() == {}
    assert {row.run_id for row in await store.runs(RunFilter(limit=1_000))} == kept.keys()
    for run_id, what in kept.items():
        assert await _snapshot(store, run_id) == what
    used = {name for what in kept.values() for name in what[5]}  # type: ignore[attr-defined]
    assert (await store.statistics()).values == len(used)


async def test_an_answer_in_flight_while_others_are_removed_is_not_lost(store: Store) -> None:
    """Nor any event, of any run: removal and appends share one writer."""
    for number in range(30):
        await store.create_run(new_run(f"old{number}"))
        await _end(store, f"old{number}")
    await store.create_run(new_run())
    await store.append(adding(paused(), marked("pause_one", CheckpointKind.PAUSE)))
    answer = PauseAnswered(
        pause_id=PauseId("pause_one"), answer=Answer(value=True, raw="y", by="ada", via="cli")
    )

    async def clean() -> None:
        await asyncio.gather(*(store.remove_run(RunId(f"old{n}"), at=LATER) for n in range(30)))
        await _empty(store)

    _, head = await asyncio.gather(clean(), store.append(adding(answer, after=3, epoch=None)))

    assert head == Seq(4)
    assert (await store.pause(PauseId("pause_one"))).answer == answer.answer
    assert [row.run_id for row in await store.runs()] == [RUN]
    with pytest.raises(RunInUse):
        await store.remove_run(RUN, at=LATER)
    assert await store.orphans() == {}


async def test_an_open_question_keeps_its_mark(store: Store) -> None:
    """Deleting, trimming: neither takes what a person is to resume."""
    await store.create_run(new_run())
    await _add(store, RUN, paused(), marked("pause_one", CheckpointKind.PAUSE))

    with pytest.raises(CheckpointInUse):
        await store.delete_mark(CheckpointId("pause_one"))
    assert await store.trim_marks(RUN, keep=1, pauses=True) == 0
    assert BlockId("gate") == (await store.pauses())[0].block
