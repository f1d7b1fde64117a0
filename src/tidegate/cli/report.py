"""How a run is told: line by line while it moves, and as a whole when it rests."""

import asyncio
import contextlib
from datetime import UTC, datetime

from tidegate.cli.asking import question_of
from tidegate.cli.console import emit_json, say, shown_value
from tidegate.cli.exits import exit_of_status
from tidegate.cli.wiring import Session
from tidegate.history.history import History
from tidegate.history.narrate import narrate
from tidegate.history.views import RunView, pause_json
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import Record, RunFinished, RunStarted, RunStatus
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import CheckpointFilter, PauseRow
from tidegate.model.state import BlockStatus, RunState
from tidegate.safe_text import safe_line
from tidegate.store.owner import describe_owner

__all__ = ["follow_to_rest", "run_document", "tell_outputs"]

_LINE = 200
"""Characters of one line of progress: enough for what happened; the whole text is in `logs` and `show`."""
_OUTPUT = 500
"""Characters of one output of a run; `--json` has all of them."""


async def follow_to_rest(session: Session, run_id: RunId, *, as_json: bool, since: int = 0) -> int:
    """Tell what happens to a run until nothing of it moves; return the exit code for where it rests.

    A signal ends it as well: what this process drives is stopped and recorded, and that is told.

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
    except asyncio.CancelledError:
        await session.executor.close()
    finally:
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
    view = await session.history.run_view(run_id)
    # A reader that has gone (`| head`) changes nothing about the run, nor about what its exit code says.
    with contextlib.suppress(BrokenPipeError):
        if as_json:
            emit_json(await run_document(session.history, view))
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
            if (words := _words(record)) is not None:
                time = datetime.fromtimestamp(record.at, UTC).astimezone()
                say(f"{time:%H:%M:%S}  {safe_line(words, limit=_LINE)}")


def _words(record: Record) -> str | None:
    match record.event:
        case RunStarted(workflow=workflow, by=by):
            return f"○ run {record.run_id} of {workflow} started" + (f" by {by}" if by else "")
        case RunFinished():
            return None  # The last line says it, with the outputs.
        case event:
            return narrate(event)


async def _tell_rest(session: Session, view: RunView) -> None:
    run_id, reason = view.row.run_id, view.row.summary.reason
    if view.status is RunStatus.PAUSED:
        for pause in await session.history.inbox(run_id):
            _tell_pause(session, pause)
    elif view.status is RunStatus.RUNNING:
        say(f"run {run_id} goes on in {describe_owner(view.row.owner)}")
    elif view.status in {RunStatus.INTERRUPTED, RunStatus.QUEUED}:
        trouble = session.executor.troubles.get(run_id, "")
        say(f"run {run_id} is interrupted" + (f": {trouble}" if trouble else ""))
        say(f"  go on with: {session.call} resume {run_id}")
    else:
        # Some reasons begin with the status: "cancelled by ana".
        ending = reason if reason.startswith(view.status) else ": ".join(filter(None, (view.status, reason)))
        say(f"run {run_id} {ending}")
        tell_outputs(await session.history.state(run_id))


def tell_outputs(state: RunState) -> None:
    """Say what a finished run gives, a line for each output."""
    for name, value in (state.finished.outputs if state.finished else {}).items():
        say(safe_line(f"output {name} = {shown_value(value)}", limit=_OUTPUT))


def _tell_pause(session: Session, pause: PauseRow) -> None:
    say(f"run {pause.run_id} waits for an answer at block '{pause.block}' ({pause.prompt.kind}):")
    say("\n".join(f"    {line}" for line in question_of(pause.prompt)))
    say(f"  {pause.prompt.rule}")
    say(f"  answer with: {session.call} answer {pause.pause_id} ANSWER")


async def run_document(history: History, view: RunView) -> JsonObject:
    """Return everything that a script wants to know of a run at rest."""
    run_id = view.row.run_id
    state = await history.state(run_id)
    newest = await history.checkpoints(CheckpointFilter(run_id=run_id, limit=1))
    pauses: list[Json] = [pause_json(row) for row in await history.inbox(run_id)]
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
