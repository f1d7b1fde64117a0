"""A state under another definition: what had ended of blocks that are still there, and everything else anew."""

from collections.abc import Iterator

from tidegate.model.block_state import BlockState, BlockStatus
from tidegate.model.fifo import Fifo
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.replan import refan, reopen
from tidegate.model.state import RunState, new_state
from tidegate.model.workflow import BlockDefinition, Graph, WorkflowDefinition

__all__ = ["is_the_same", "transplant"]


def is_the_same(before: BlockDefinition, now: BlockDefinition) -> bool:
    """Whether a block is to do what it did: its description, and where it stands in its file, do not count."""
    return before.evolve(line=now.line, description=now.description) == now


def transplant(state: RunState, definition: WorkflowDefinition) -> RunState:
    """Return *state*, of a run in which nothing is at work, as that of a run of *definition*.

    What had ended stays, also if its block says something else now. Of what had not, only that stays whose block
    is still the very same; everything else has not begun.
    """
    graph = Graph(definition)
    moved = new_state(state.run_id, graph).evolve(
        head=state.head,
        by=state.by,
        inputs=definition.inputs_of(state.inputs),
        parent=state.parent,
        origin=state.origin,
        forked_from=state.forked_from,
        inherited=state.inherited,
        started_at=state.started_at,
        updated_at=state.updated_at,
        idle_seconds=state.idle_seconds,
        variables=state.variables,
        given=state.given,
        kept=state.kept,
        keep_answers=state.keep_answers,
        pauses=state.pauses,
    )
    if state.wave < 0:
        return moved
    staying = dict(_staying(state, graph))
    # Parts first: a block that is there already would count them once more.
    for place in sorted(staying, key=is_part, reverse=True):
        moved = moved.with_block(place, staying[place])
    moved = moved.evolve(work=Fifo(), asking=Fifo())
    for place, block in staying.items():
        if block.status is BlockStatus.PAUSED:
            moved = moved.evolve(attention=moved.attention.push([place]))
        elif block.fan is not None and not block.status.has_ended:
            moved = _with_parts_left(refan(moved, place), place)
    unfinished = [block for block in graph.blocks if not moved.block(block).status.has_ended]
    return reopen(moved.evolve(wave=len(definition.waves) - 1), unfinished)


def _staying(state: RunState, graph: Graph) -> Iterator[tuple[BlockId, BlockState]]:
    for place, block in state.touched.items():
        before, now = state.graph.blocks[block_of(place)], graph.blocks.get(block_of(place))
        if now is None:
            continue
        has_ended = state.block(block_of(place)).status.has_ended
        stays = _are_alike(before, now) and (has_ended or is_the_same(before, now))
        # However often it was tried: what its attempts wrote is found by their numbers.
        yield place, block if stays else BlockState(attempt=block.attempt)


def _are_alike(before: BlockDefinition, now: BlockDefinition) -> bool:
    """Whether what a block has given as it was defined can stand for what it would give as it is defined now."""
    return before.type == now.type and (before.for_each is None, before.loop is None) == (
        now.for_each is None,
        now.loop is None,
    )


def _with_parts_left(state: RunState, block: BlockId) -> RunState:
    """Let a block be decided about of which all parts had ended."""
    fan = state.block(block).fan
    return state if fan is None or fan.left else state.evolve(attention=state.attention.push([block]))
