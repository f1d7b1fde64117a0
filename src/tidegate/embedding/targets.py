"""Which runs are meant."""

from tidegate.embedding.results import RunInfo, run_info
from tidegate.errors import NotResumable
from tidegate.history.history import History
from tidegate.model.events import RunStatus
from tidegate.model.ids import CheckpointId, PauseId, RunId
from tidegate.model.listing import CheckpointFilter, RunFilter, RunRow
from tidegate.model.state import PauseState
from tidegate.store.protocol import Store

__all__ = ["listed_runs", "resumed_run"]

_EVERY = 1_000_000
"""More runs than any store holds: whether one is interrupted depends on who lives now."""
_OVER = frozenset({RunStatus.SUCCEEDED, RunStatus.REJECTED, RunStatus.CANCELLED})
"""With which nothing can go on."""


async def resumed_run(store: Store, target: str, *, is_answered: bool) -> tuple[RunId, PauseId | None]:
    """Return the run that *target* means to go on with, and the pause, if it names one.

    Args:
        store: Where it is.
        target: The id of a run, a checkpoint or a pause.
        is_answered: Whether there is an answer: then whether a pause still takes one is not judged here.

    Raises:
        RunNotFound, CheckpointNotFound, PauseNotFound: there is none.
        NotResumable: it is a checkpoint that its run has left behind.
    """
    if target.startswith("chk_"):
        return await _left_nothing_behind(store, CheckpointId(target)), None
    if not target.startswith("pause_"):
        return (await store.run(RunId(target))).run_id, None
    pause = await store.pause(PauseId(target))
    if pause.state is not PauseState.OPEN and not is_answered:
        await _left_nothing_behind(store, CheckpointId(target))
    return pause.root or pause.run_id, pause.pause_id


async def _left_nothing_behind(store: Store, checkpoint_id: CheckpointId) -> RunId:
    """Return the run of a checkpoint, which must be its newest."""
    run_id = (await store.checkpoint(checkpoint_id)).run_id
    newest, *_ = await store.checkpoints(CheckpointFilter(run_id=run_id, limit=1))
    if newest.checkpoint_id != checkpoint_id:
        raise NotResumable(
            checkpoint_id,
            f"run {run_id} has gone on since; its newest checkpoint is {newest.checkpoint_id}",
            _what_was_meant(checkpoint_id, await store.run(run_id)),
        )
    return run_id


def _what_was_meant(checkpoint_id: CheckpointId, run: RunRow) -> str:
    fork = f"`tidegate checkpoints fork {checkpoint_id}` goes on from there, as another run"
    if run.summary.status in _OVER:
        return fork
    return f"{fork}; to go on with this one, from where it is, resume {run.run_id}"


async def listed_runs(
    history: History, workflow: str | None, statuses: frozenset[RunStatus], limit: int
) -> tuple[RunInfo, ...]:
    """Return runs as they stand now, newest first."""
    # One that runs, as journalled, may be interrupted by now.
    running = {RunStatus.RUNNING} if RunStatus.INTERRUPTED in statuses else set()
    wanted = statuses | running
    query = RunFilter(
        workflow=workflow,
        statuses=tuple(wanted),
        limit=_EVERY if RunStatus.RUNNING in wanted else limit,
    )
    found = await history.runs(query)
    return tuple(run_info(view) for view in found if not statuses or view.status in statuses)[:limit]
