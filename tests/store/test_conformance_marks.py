"""What every store promises about checkpoints that people place and label."""

from pathlib import Path

import pytest

from store.builders import NOW, RUN, RUNNING, adding, marked, new_run, wave
from tidegate.clock import SystemClock
from tidegate.errors import CheckpointNotFound, JournalConflict, RunNotFound
from tidegate.model.events import RunFinished, RunStatus
from tidegate.model.ids import CheckpointId, RunId, Seq
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunSummary
from tidegate.store import open_store
from tidegate.store.protocol import PlaceMark, Store

MINE, THEIRS = CheckpointId("chk_mine"), CheckpointId("chk_one")
FAILED = RunSummary(status=RunStatus.FAILED)


def placed(
    seq: int = 1, *, name: str = MINE, run_id: str = RUN, label: str = "before the flood"
) -> PlaceMark:
    """Return a checkpoint that a person places."""
    return PlaceMark(
        run_id=RunId(run_id),
        seq=Seq(seq),
        checkpoint_id=CheckpointId(name),
        at=NOW + 5,
        summary=RUNNING,
        label=label,
        metadata={"by": "ada"},
    )


async def _label(store: Store, name: CheckpointId) -> tuple[str, bool]:
    row = await store.checkpoint(name)
    return row.label, row.relabelled


async def test_a_label_can_be_given_and_taken_off(store: Store) -> None:
    """What its workflow calls it is there again; whoever shows a list is told."""
    await store.create_run(new_run())
    await store.append(adding(marked()))
    cursor = await store.newest_cursor()

    await store.label_mark(THEIRS, "the good one")

    assert await _label(store, THEIRS) == ("the good one", True)
    assert [row.run_id for row in (await store.changes(cursor)).runs] == [RUN]
    await store.label_mark(THEIRS, None)
    assert await _label(store, THEIRS) == ("here", False)
    with pytest.raises(CheckpointNotFound):
        await store.label_mark(CheckpointId("chk_none"), "x")


async def test_a_checkpoint_can_be_placed_anywhere_and_changes_no_journal(store: Store) -> None:
    """In the past of a run that has ended, without its lease; it is found by its id."""
    await store.create_run(new_run())
    await store.append(adding(wave(), RunFinished(status=RunStatus.FAILED), summary=FAILED))
    before, cursor = await store.read(RUN), await store.newest_cursor()

    await store.place_mark(placed(2))

    (row,) = await store.checkpoints()
    assert (row.checkpoint_id, row.seq, row.kind, row.created_at) == (
        MINE,
        2,
        CheckpointKind.EXPLICIT,
        NOW + 5,
    )
    assert (row.label, row.metadata, row.summary, row.placed) == (
        "before the flood",
        {"by": "ada"},
        RUNNING,
        True,
    )
    assert await store.read(RUN) == before
    assert await store.matching("chk_m") == (MINE,)
    assert [run.run_id for run in (await store.changes(cursor)).runs] == [RUN]


async def test_what_a_person_placed_has_only_a_persons_label(store: Store) -> None:
    """Taken off, nothing is left of it."""
    await store.create_run(new_run())
    await store.place_mark(placed())

    await store.label_mark(MINE, "another")
    assert await _label(store, MINE) == ("another", False)

    await store.label_mark(MINE, None)
    assert await _label(store, MINE) == ("", False)


async def test_a_checkpoint_is_not_placed_where_there_is_nothing(store: Store) -> None:
    """No such run, no such event; a name is taken once. Nothing is written of it."""
    await store.create_run(new_run())
    await store.place_mark(placed())

    with pytest.raises(RunNotFound):
        await store.place_mark(placed(name="chk_a", run_id="nothing"))
    for seq in (0, 2):
        with pytest.raises(JournalConflict):
            await store.place_mark(placed(seq, name="chk_b"))
    with pytest.raises(ValueError, match="there is a checkpoint chk_mine already"):
        await store.place_mark(placed())
    assert len(await store.checkpoints()) == 1


async def test_what_a_person_placed_or_labelled_is_not_trimmed(store: Store) -> None:
    """It does not count either; nor does it go with what a failed run discards, if it was placed."""
    await store.create_run(new_run())
    await store.append(adding(*(marked(f"chk_{number}") for number in range(5))))
    await store.place_mark(placed(2))
    await store.label_mark(CheckpointId("chk_0"), "first")

    assert [run.marks for run in await store.marked_runs(more_than=3)] == [4]
    assert await store.trim_marks(RUN, keep=1) == 3
    assert [row.checkpoint_id for row in await store.checkpoints()] == [MINE, "chk_4", "chk_0"]
    await store.append(adding(RunFinished(status=RunStatus.FAILED, discarded=True), after=6, summary=FAILED))
    assert [row.checkpoint_id for row in await store.checkpoints()] == [MINE]
    await store.delete_mark(MINE)
    assert await store.checkpoints() == ()


async def test_they_go_with_their_run(store: Store) -> None:
    """Nothing of them is left, also once the removed run has been emptied."""
    await store.create_run(new_run())
    await store.append(adding(marked(), RunFinished(status=RunStatus.FAILED), summary=FAILED))
    await store.place_mark(placed(2))
    await store.label_mark(THEIRS, "x")

    await store.remove_run(RUN, at=NOW + 99)
    while await store.empty_graves():
        pass

    assert await store.checkpoints() == ()
    assert await store.orphans() == {}


@pytest.mark.parametrize("kind", ["sqlite", "file"])
async def test_they_are_there_when_the_store_is_opened_again(kind: str, tmp_path: Path) -> None:
    """By whatever process."""
    url = f"{kind}://{tmp_path}/state/it"
    store = await open_store(url, clock=SystemClock())
    await store.create_run(new_run())
    await store.append(adding(marked()))
    await store.place_mark(placed(2))
    await store.label_mark(THEIRS, "x")
    rows = await store.checkpoints()
    await store.close()

    again = await open_store(url, clock=SystemClock())

    assert await again.checkpoints() == rows
    await again.close()
