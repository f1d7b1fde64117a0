"""From where a question may be asked anew, and what would be done again for it."""

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from tidegate.engine.resume import rerun_blocks, standing_of
from tidegate.errors import NotResumable
from tidegate.history.block_types import input_of_call
from tidegate.model.ids import BlockId, PauseId, block_of, is_part
from tidegate.model.state import RunState
from tidegate.model.workflow import WorkflowDefinition
from tidegate.safe_text import safe_line
from tidegate.tui.nouns.turns import Prospect, Turn, TurnRequest, Way
from tidegate.tui.reads.running_again import again_said, final_said, title_of
from tidegate.tui.session import Session

__all__ = ["send_back"]

_OFFERED = 100
"""Blocks to which a question may be sent back."""


def send_back(state: RunState, place: BlockId, request: TurnRequest) -> Prospect:
    """Return from which of the blocks that a question follows it may be asked anew, the nearest first."""
    before = _before(state, place)
    if not before:
        raise NotResumable(f"block '{place}'", "it follows no other block", "Answer it, or cancel the run")
    ways = tuple(islice(_ways_back(state, before, request.pause_id), _OFFERED))
    if not ways:
        rerun_blocks(state, before[0])  # Says why.
    said = [f"{safe_line(place, 60)} is asked anew, once what it follows has been done again."]
    if is_part(place):
        said.append("So are all its other parts, whether they were answered or not.")
    if state.held is not None:
        said.append("The run is paused: nothing of it starts until somebody lets it go on.")
    title = title_of("Send back", state, place)
    return Prospect(Turn.SEND_BACK, state.run_id, title, tuple(said), ways, words=request.words)


def _before(state: RunState, place: BlockId) -> list[BlockId]:
    """Return what a place follows, near or far, in the order of the file turned round."""
    found, frontier = set[BlockId](), [block_of(place)]
    while frontier:
        direct = {wait.block for wait in state.graph.blocks[frontier.pop()].depends_on}
        frontier += direct - found
        found |= direct
    return [block for block in reversed(tuple(state.graph.blocks)) if block in found]


def _ways_back(state: RunState, before: Iterable[BlockId], pause_id: PauseId | None) -> Iterator[Way]:
    readers = _readers(state.graph.definition)
    for block in before:
        if (way := _way_back(state, block, pause_id, readers)) is not None:
            yield way


def _way_back(
    state: RunState, block: BlockId, pause_id: PauseId | None, readers: frozenset[BlockId]
) -> Way | None:
    """Return how to go back to a block; None: it has not ended, or something that follows it runs now."""
    try:
        again = rerun_blocks(state, block)
    except NotResumable:
        return None
    name, seen = safe_line(block, 60), standing_of(state, again)

    async def act(session: Session, feedback: str) -> None:
        if pause_id is None:
            raise TypeError("nothing is sent back but a question")
        await session.executor.send_back(pause_id, block, by=session.operator, feedback=feedback, seen=seen)

    said = again_said(state, again, fresh=True)
    if readers.isdisjoint(map(block_of, again)):
        said.append("None of these reads what you say (${run.feedback}): it is kept in the history.")
    return Way(f"to {name}", "\n".join(said), act, f"sent back to {name}", final_said(state, again))


def _readers(definition: WorkflowDefinition) -> frozenset[BlockId]:
    """Return the blocks that read what is said to them, or call a workflow in which one does."""
    called = {name for name, child in definition.children.items() if _readers(child)}
    return frozenset(
        block.id
        for block in definition.blocks
        if str(block.inputs.get(input_of_call(block.type), "")) in called
        or b"run.feedback" in msgspec.json.encode(block)
    )
