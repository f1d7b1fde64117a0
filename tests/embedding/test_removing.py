"""A program removes runs, and keeps what it wants kept."""

from pathlib import Path

import pytest

import tidegate
from embedding.gates import BREAKS, GATE
from tidegate.clock import SystemClock
from tidegate.errors import CheckpointNotFound, CheckpointPinned, RunInUse, RunNotFound
from tidegate.store.opening import open_store


async def test_a_run_is_deleted_and_what_waits_is_not(tmp_path: Path) -> None:
    """What has not ended is refused, and so is what is not there any more."""
    async with tidegate.open(tmp_path / "store.db", by="ana") as gate:
        waiting = await gate.execute_workflow(gate.workflow(GATE))
        broken = await gate.execute_workflow(gate.workflow(BREAKS))

        with pytest.raises(RunInUse, match="it has not ended, it is paused"):
            await gate.delete_run(waiting.run_id)
        assert await gate.delete_run(broken.run_id) == (broken.run_id,)
        again = await gate.execute_workflow(gate.workflow(BREAKS))
        await gate.delete_run(again.run_id, by="ben")
        with pytest.raises(RunNotFound):
            await gate.delete_run(broken.run_id)
        with pytest.raises(RunNotFound):
            await gate.get_run(broken.run_id)
        assert [run.run_id for run in await gate.list_runs()] == [waiting.run_id]

    store = await open_store(f"sqlite:///{tmp_path / 'store.db'}", clock=SystemClock())
    assert [removal.by for removal in (await store.removals()).newest] == ["ben", "ana"]
    await store.close()


async def test_what_is_kept_no_longer_is_cleaned_up_and_pins_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the settings say; what would go can be seen before."""
    monkeypatch.setenv("TIDEGATE_MAX_PER_WORKFLOW", "1")
    async with tidegate.open(tmp_path / "store.db", by="ana") as gate:
        broken = gate.workflow(BREAKS)
        first, second, last = [(await gate.execute_workflow(broken)).run_id for _ in range(3)]
        (mark, *_) = await gate.list_checkpoints(run_id=first)
        await gate.pin_checkpoint(mark.checkpoint_id)

        planned = await gate.clean_up(dry_run=True)
        assert [run.run_id for run in await gate.list_runs()] == [last, second, first]
        done = await gate.clean_up()
        assert isinstance(done, tidegate.CleanUp)
        assert (
            [fate.run.run_id for fate in planned.going]
            == [fate.run.run_id for fate in done.going]
            == [second]
        )
        assert {fate.run.run_id: fate.why for fate in done.staying}[first] == "a checkpoint of it is pinned"
        assert done.going[0].bytes > 0

        with pytest.raises(CheckpointPinned, match="unpin"):
            await gate.delete_checkpoint(mark.checkpoint_id)
        assert (await gate.list_checkpoints(run_id=first))[0].pinned
        await gate.pin_checkpoint(mark.checkpoint_id, pinned=False)
        assert len((await gate.clean_up(workflow="other")).going) == 0
        assert len((await gate.clean_up()).going) == 1
        with pytest.raises(CheckpointNotFound):
            await gate.pin_checkpoint(mark.checkpoint_id)
