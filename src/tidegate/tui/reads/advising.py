"""What somebody may want to know before a question is answered, looked up when it is wanted."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from tidegate.clock import Clock
from tidegate.errors import TidegateError
from tidegate.history.comparing import Comparison
from tidegate.history.counterparts import Counterpart
from tidegate.history.points import Point
from tidegate.model.checkpoint import PointState
from tidegate.model.ids import BlockId, Seq, block_of
from tidegate.model.listing import OutputChunk, PauseRow
from tidegate.model.outlook import Supposed
from tidegate.model.state import RunState
from tidegate.safe_text import safe_line
from tidegate.tui.engine_thread import EngineThread
from tidegate.tui.lines import Line
from tidegate.tui.nouns.advice import Advice, Foreseen, LookedUp
from tidegate.tui.nouns.turns import Turn, TurnRequest
from tidegate.tui.present.advice import difference_page, output_page, state_page
from tidegate.tui.present.earlier import earlier_page
from tidegate.tui.reads.ahead import foresee
from tidegate.tui.reads.file_place import read_rule_places
from tidegate.tui.reads.output_tail import OutputTail
from tidegate.tui.reads.prospects import read_prospect
from tidegate.tui.session import Session

__all__ = ["Written", "advice_on", "difference_of", "state_of"]

_CHUNKS = 4
"""Chunks of output that are read of one block."""
_BLOCKS = 8
"""Blocks whose output is read."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a block wrote last."""

    block: BlockId
    chunks: tuple[OutputChunk, ...]


def advice_on(engine: EngineThread, pause: PauseRow, clock: Clock) -> Advice:
    """Return what can be found out about a question; *clock* tells how long ago something was."""

    async def foreseen(raw: str | Supposed) -> Foreseen:
        return await engine.call(lambda session: foresee(session, pause, raw))

    async def output() -> Sequence[Line]:
        found = await engine.call(lambda session: _read_output(session, pause))
        return output_page([(it.block, _lines(it.chunks)) for it in found])

    async def earlier() -> Sequence[Line]:
        rows = await engine.call(lambda session: session.history.asked_before(pause.workflow, pause.block))
        return earlier_page(rows, clock.now())

    async def why_not_back() -> str:
        request = TurnRequest(Turn.SEND_BACK, pause.run_id, pause.block, pause.pause_id)
        try:
            await engine.call(lambda session: read_prospect(session, request))
        except TidegateError as error:
            return f"{safe_line(str(error), 300).rstrip('.')}."
        return ""

    async def rule_places() -> Callable[[str], str]:
        return await engine.call(lambda session: read_rule_places(session, pause.run_id, pause.block))

    pages = (
        LookedUp("State", partial(state_of, engine, pause)),
        LookedUp("Since last success", partial(difference_of, engine, pause)),
        LookedUp("Output", output),
        LookedUp("Earlier answers", earlier),
    )
    return Advice(foreseen, pages, why_not_back, rule_places)


async def state_of(engine: EngineThread, pause: PauseRow) -> Sequence[Line]:
    """Return what the run of a question knows now, as lines."""
    found = await engine.call(lambda session: _read_state(session, pause))
    # Not where keys are taken: values may be large, and each is written out before it is cut.
    return await asyncio.to_thread(state_page, found, block_of(pause.block))


async def difference_of(engine: EngineThread, pause: PauseRow) -> Sequence[Line]:
    """Return what is other than in the last run that went well, as lines.

    Raises:
        NoCounterpart: none has.
    """
    found = await engine.call(lambda session: _compare(session, pause))
    # Same: texts are compared line by line.
    return await asyncio.to_thread(difference_page, *found)


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
