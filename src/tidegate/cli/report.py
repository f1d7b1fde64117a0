"""How a run is told: line by line while it moves, and as a whole when it rests."""

import asyncio

from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import exit_of_status
from tidegate.cli.wiring import Session
from tidegate.history.narrate import narrate
from tidegate.history.views import RunView, pause_json
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId, Seq
from tidegate.model.state import BlockStatus, RunState
from tidegate.store.protocol import CheckpointFilter, PauseRow

__all__ = ["follow_to_rest", "run_document"]


async def follow_to_rest(session: Session, run_id: RunId, *, as_json: bool, since: int = 0) -> int:
    """Tell what happens to a run until nothing of it moves; return the exit code for where it rests.

    Args:
        session: The open store.
        run_id: Which run.
        as_json: Say nothing on the way, and write one document at the end.
        since: Tell only events after this position of its journal.
    """
    teller = _Teller(session, run_id, Seq(since))
    following = None if as_json else asyncio.create_task(teller.follow())
    try:
        await session.executor.settle(run_id)
    finally:
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
    view = await session.history.run_view(run_id)
    if as_json:
        emit_json(await run_document(session, view))
    else:
        await teller.tell()
        await _tell_rest(session, view)
    return exit_of_status(view.status)


class _Teller:
    """Tells each event of a run once, in words."""

    def __init__(self, session: Session, run_id: RunId, since: Seq) -> None:
        self._session = session
        self._run_id = run_id
        self._told = since

    async def follow(self) -> None:
        """Tell what is there and what comes, until cancelled."""
        async for _ in self._session.executor.feed.follow():
            await self.tell()

    async def tell(self) -> None:
        """Tell what was not told yet."""
        for record in await self._session.history.events(self._run_id, after=self._told):
            self._told = record.seq
            if (line := narrate(record.event)) is not None:
                say(line)


async def _tell_rest(session: Session, view: RunView) -> None:
    run_id = view.row.run_id
    if view.status is RunStatus.PAUSED:
        for pause in await session.history.inbox(run_id):
            _tell_pause(pause)
    elif view.status is RunStatus.INTERRUPTED:
        say(f"run {run_id} is interrupted. Go on with: tidegate resume {run_id}")
    else:
        say(
            f"run {run_id} {view.status}"
            + (f": {view.row.summary.reason}" if view.row.summary.reason else "")
        )


def _tell_pause(pause: PauseRow) -> None:
    say(f"run {pause.run_id} waits for an answer at block '{pause.block}' ({pause.prompt.kind}):")
    for line in pause.prompt.text.rstrip().splitlines():
        say(f"    {line}")
    for number, choice in enumerate(getattr(pause.prompt, "choices", ()), 1):
        say(f"    {number}. {choice}")
    say(f"  {pause.prompt.rule}")
    say(f"  answer with: tidegate answer {pause.pause_id} ANSWER")


async def run_document(session: Session, view: RunView) -> JsonObject:
    """Return everything that a script wants to know of a run at rest."""
    run_id = view.row.run_id
    state = await session.history.state(run_id)
    newest = await session.history.checkpoints(CheckpointFilter(run_id=run_id, limit=1))
    pauses: list[Json] = [pause_json(row) for row in await session.history.inbox(run_id)]
    return {
        "run_id": run_id,
        "workflow": view.row.workflow,
        "status": view.status.value,
        "outputs": state.finished.outputs if state.finished else {},
        "pauses": pauses,
        "failures": _failures(state),
        "checkpoint_id": newest[0].checkpoint_id if newest else None,
        "reason": view.row.summary.reason,
    }


def _failures(state: RunState) -> list[Json]:
    failures: list[Json] = []
    for block_id in state.graph.blocks:
        block = state.block(block_id)
        if block.status is BlockStatus.FAILED and block.failure is not None:
            failures.append(
                {
                    "block": block_id,
                    "kind": block.failure.kind.value,
                    "message": block.failure.message,
                    "exit_code": block.failure.exit_code,
                }
            )
    return failures
