"""Why something cannot be changed in a fork: told before a value is typed, and once more when the fork is made.

Pure: from a state and the name of a place. Each returns a sentence without its end; empty: as far as it knows, it can.
"""

from collections.abc import Collection

from tidegate.model.catalog import BlockSpec
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.state import BlockStatus, RunState
from tidegate.workflows.nearest import did_you_mean, listed

__all__ = [
    "gives_in_parts",
    "place_of",
    "put_together",
    "runs_again",
    "stays",
    "why_no_output",
    "why_no_outputs",
    "why_not_given",
    "why_unknown",
]


def place_of(state: RunState, name: BlockId) -> BlockId | None:
    """Return the place of a run that a name stands for: itself, or the one whose run has such a place; None: none."""
    # The key of an item may have a slash, too: what is there decides.
    places = {*state.graph.blocks, *state.touched}
    if name in places:
        return name if block_of(name) in state.graph.blocks else None
    return max((it for it in places if name.startswith(f"{it}/")), key=len, default=None)


def why_unknown(state: RunState, name: BlockId) -> str:
    """Return why there is nothing to be changed, or to run again, of what a name stands for."""
    place = place_of(state, name)
    if place is None:
        blocks = state.graph.blocks
        hint = did_you_mean(name, blocks) or f"; there is {listed(sorted(blocks))}"
        return f"the run has no block '{name}'{hint}"
    if place != name and state.block(place).child is None:
        problem = f"block '{place}' has no run there of which a block could be named"
        return f"{problem}: leave it out, or name '{place}'"
    return ""


def why_no_outputs(state: RunState, place: BlockId) -> str:
    """Return why nothing can be changed that a place gave: it gave nothing, or what somebody answered."""
    status = state.block(place).status
    if state.definition_of(place).interactive:
        instead = f"write blocks.{place}.answer=VALUE, or let it ask again (--from {block_of(place)})"
        return f"block '{place}' gives what somebody answers: {instead}"
    if not status.has_ended:
        advice = f"fork from a later point, or change what it is given: blocks.{block_of(place)}.inputs.NAME"
        return f"block '{place}' is {status} there, and has no outputs: {advice}"
    if status is BlockStatus.SKIPPED:
        advice = "change what its condition reads, or what reads it"
        return f"block '{place}' was skipped there, and has no outputs: {advice}"
    return ""


def gives_in_parts(state: RunState, place: BlockId) -> bool:
    """Return whether what a place gave was put together of what its parts gave."""
    definition = state.definition_of(place)
    return not is_part(place) and (definition.for_each is not None or definition.loop is not None)


def why_no_output(state: RunState, spec: BlockSpec, place: BlockId, name: str) -> str:
    """Return why there is no such output of a place that gave something."""
    known, is_closed = _outputs_of(state, spec, place)
    if name in known or not (is_closed or not spec.open_outputs):
        return ""
    hint = did_you_mean(name, known) or f"; it has {listed(sorted(known)) or 'none'}"
    return f"block '{place}' has no output '{name}'{hint}"


def _outputs_of(state: RunState, spec: BlockSpec, place: BlockId) -> tuple[Collection[str], bool]:
    outputs = state.block(place).outputs
    # Of a block in parts others see what was put together, and of a call what its run gave: no more than that.
    if gives_in_parts(state, place) or spec.calls is not None:
        return {*outputs}, True
    return {*spec.outputs, *state.definition_of(place).outputs, *outputs}, False


def why_not_given(place: BlockId) -> str:
    """Return why a place is given nothing of its own."""
    return "all items of a block are given the same: name the block itself" if is_part(place) else ""


def runs_again(place: BlockId) -> str:
    """Return that what a place gave cannot be changed, as it runs again in the fork."""
    instead = f"change what it is given instead: blocks.{block_of(place)}.inputs.NAME"
    return f"block '{place}' runs again in this fork, and gives others: {instead}"


def stays(block: BlockId) -> str:
    """Return that what a block is given cannot be changed, as it is not run again in the fork; how it would be follows."""
    return f"block '{block}' had ended there and stays as it is"


def put_together(state: RunState, place: BlockId, name: str) -> str:
    """Return that what a part gave cannot be changed, as others read what its block has put together."""
    block, fan = block_of(place), state.fan_of(place)
    key = place[len(block) + 1 : -1]
    inner = f"results.{fan.positions[key]}.outputs." if fan is not None and key in fan.positions else ""
    return f"what '{block}' gave was put together before: change blocks.{block}.outputs.{inner}{name}"
