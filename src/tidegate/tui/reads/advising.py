"""What somebody may want to know before a question is answered, looked up when it is wanted."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidegate.history.comparing import Comparison
from tidegate.history.counterparts import Counterpart
from tidegate.history.points import Point
from tidegate.model.checkpoint import PointState
from tidegate.model.ids import BlockId, Seq, block_of
from tidegate.model.listing import OutputChunk, PauseRow
from tidegate.model.outlook import Supposed
from tidegate.model.state import RunState
from tidegate.tui.dialogs.foresight import Advice
from tidegate.tui.dialogs.pages import LookedUp
from tidegate.tui.engine_thread import EngineThread
from tidegate.tui.lines import Line
from tidegate.tui.present.advice import difference_page, output_page, state_page
from tidegate.tui.present.outlook import Foreseen
from tidegate.tui.reads.ahead import foresee
from tidegate.tui.reads.output_tail import OutputTail
from tidegate.tui.session import Session

__all__ = ["Written", "advice_on"]

_CHUNKS = 4
"""Chunks of output that are read of one block."""
_BLOCKS = 8
"""Blocks whose output is read."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a block wrote last."""

    block: BlockId
    chunks: tuple[OutputChunk, ...]


def advice_on(engine: EngineThread, pause: PauseRow) -> Advice:
    """Return what can be found out about a question."""

    async def foreseen(raw: str | Supposed) -> Foreseen:
        return await engine.call(lambda session: foresee(session, pause, raw))

    async def state() -> Sequence[Line]:
        found = await engine.call(lambda session: _read_state(session, pause))
        return state_page(found, block_of(pause.block))

    async def difference() -> Sequence[Line]:
        found = await engine.call(lambda session: _compare(session, pause))
        return difference_page(*found)

    async def output() -> Sequence[Line]:
        found = await engine.call(lambda session: _read_output(session, pause))
        return output_page([(it.block, _lines(it.chunks)) for it in found])

    pages = (
        LookedUp("State", state),
        LookedUp("Since last success", difference),
        LookedUp("Output", output),
    )
    return Advice(foreseen, pages)


async def _read_state(session: Session, pause: PauseRow) -> PointState:
    head = (await session.history.run_view(pause.run_id)).row.head
    return await session.history.point_state(Point(pause.run_id, head))


async def _compare(session: Session, pause: PauseRow) -> tuple[Point, bool, Comparison]:
    """Compare with the last run that went well: as it was when it asked the same, or else as it ended."""
    head = (await session.history.run_view(pause.run_id)).row.head
    here = Point(pause.run_id, head)
    other = await session.history.counterpart(here, Counterpart.LAST_SUCCESSFUL)
    asked = _asked_there(await session.history.state(other.run_id), block_of(pause.block))
    left = other if asked is None else Point(other.run_id, asked)
    return left, asked is not None, await session.history.compare(left, here)


def _asked_there(state: RunState, block: BlockId) -> Seq | None:
    asked = [pause.opened_seq for pause in state.pauses.values() if block_of(pause.block) == block]
    return max(asked, default=None)


async def _read_output(session: Session, pause: PauseRow) -> tuple[Written, ...]:
    state = await session.history.state(pause.run_id)
    found = []
    for dependency in state.definition_of(pause.block).depends_on[:_BLOCKS]:
        block = dependency.block
        attempt = state.block(block).attempt
        chunks = await session.history.last_output(pause.run_id, block, attempt, limit=_CHUNKS)
        found.append(Written(block, chunks))
    return tuple(found)


def _lines(chunks: Sequence[OutputChunk]) -> list[Line]:
    tail = OutputTail()
    tail.feed(chunks)
    return tail.lines()
