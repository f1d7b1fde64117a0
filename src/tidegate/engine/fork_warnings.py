"""What somebody should know before a run is forked so."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from tidegate.engine.edits import Edits
from tidegate.engine.fork import Fork
from tidegate.engine.fork_preview import Fate, ForkedBlock
from tidegate.engine.parts import Parts
from tidegate.engine.view import View
from tidegate.model.ids import BlockId, block_of
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.transplant import is_the_same
from tidegate.model.value import Stored, Value
from tidegate.workflows.references import Reference, Root
from tidegate.workflows.render import all_references_in

__all__ = ["missing_values", "warnings_of"]


def warnings_of(
    parts: Parts, fork: Fork, blocks: Sequence[ForkedBlock], below: Collection[BlockId]
) -> Iterator[str]:
    """Yield what there is to know beforehand of a fork.

    Args:
        parts: What the executor works with.
        fork: The fork.
        blocks: What becomes of its blocks.
        below: The places whose run goes on as a fork, too.
    """
    if fork.newest.head < fork.head:
        yield f"what the other run did after event {fork.newest.head} is damaged: answers given there count for nothing"
    if not any(block.runs for block in blocks):
        yield "nothing is left to run: name a block that is to run again, or an earlier point"
    yield from _elsewhere(fork, blocks)
    yield from _other_blocks(fork, blocks)
    yield from _not_below(fork, below)
    yield from _former_values(parts, fork, blocks)


def _elsewhere(fork: Fork, blocks: Sequence[ForkedBlock]) -> Iterator[str]:
    """Yield what goes on beside the fork, and who hears nothing of it."""
    run_id, caller = fork.before.run_id, fork.before.parent
    if fork.event.parent is not None:
        return
    if not fork.newest.status.is_terminal:
        twice = (
            ": what it still does outside, it does there, too" if any(it.has_effect for it in blocks) else ""
        )
        yield f"run {run_id} itself has not ended{twice}"
    if caller is not None:
        place = f"block '{caller.block}' of run {caller.run_id}"
        yield f"run {run_id} does the work of {place}, which gets nothing of the fork: nobody stands above that"


def _not_below(fork: Fork, below: Collection[BlockId]) -> Iterator[str]:
    """Yield what was wanted of runs below that do not go on: something else is called now."""
    for place, origin in fork.event.children.items():
        if (origin.again or origin.edits) and place not in below:
            yield (
                f"'{place}' begins anew, as what it calls, or is called with, is another one now: "
                "what is named or changed in its run counts for nothing"
            )


def _former_values(parts: Parts, fork: Fork, blocks: Sequence[ForkedBlock]) -> Iterator[str]:
    """Yield which blocks have read what is other in the fork, and do not read it again."""
    readers = [
        block
        for block in blocks
        if block.then is not BlockStatus.PENDING and _reads_edited(parts, fork, block)
    ]
    if ended := [block.block for block in readers if block.fate is Fate.STAYS]:
        yield f"has read the former values, and stays as it is (--from runs it again): {', '.join(ended)}"
    going = [
        it.block for it in readers if it.fate is Fate.GOES_ON and fork.after.block(it.block).fan is not None
    ]
    if going:
        yield f"goes on with the items it had (--from begins anew): {', '.join(going)}"


def _reads_edited(parts: Parts, fork: Fork, block: ForkedBlock) -> bool:
    return any(_is_edited(fork.edits, reference) for reference in _references(parts, fork, block))


def _references(parts: Parts, fork: Fork, block: ForkedBlock) -> Iterator[Reference]:
    # What had ended may be of a type that is not installed any more.
    body, definition = parts.blocks.get(block.type), fork.after.definition_of(block.block)
    if body is not None:
        yield from all_references_in(definition, body.spec, View(parts, fork.after).names(definition))


def _is_edited(edits: Edits, reference: Reference) -> bool:
    match reference.root:
        case Root.INPUT:
            return reference.name in edits.inputs
        case Root.INPUTS:
            return _reads(edits.inputs, reference)
        case Root.STATE:
            return _reads(edits.variables, reference)
        case Root.BLOCK:
            changed = [it for place, it in edits.outputs.items() if block_of(place) == reference.name]
            return any(_reads(outputs, reference) for outputs in changed)
        case _:
            return False


def _reads(names: Mapping[str, object], reference: Reference) -> bool:
    """Whether a reference reads one of *names* of what it starts from; without a step, it reads all of them."""
    return any(_is_read(name, reference) for name in names)


def _is_read(name: str, reference: Reference) -> bool:
    return not reference.steps or str(reference.steps[0]) == name


def _other_blocks(fork: Fork, blocks: Sequence[ForkedBlock]) -> Iterator[str]:
    """Yield what there is to know of blocks that are other ones in the fork's definition."""
    if fork.event.workflow is None:
        return
    before, now = fork.before.graph.blocks, fork.after.graph.blocks
    if gone := [block for block in before if block not in now and block in fork.before.touched]:
        yield f"not in the workflow any more, and so neither is what they gave: {', '.join(gone)}"
    former = [
        block.block
        for block in blocks
        if block.fate is Fate.STAYS and not is_the_same(before[block.block], now[block.block])
    ]
    if former:
        yield f"had ended as the former definition says, and stay as they are: {', '.join(former)}"


async def missing_values(parts: Parts, fork: Fork, blocks: Sequence[ForkedBlock]) -> tuple[str, ...]:
    """Return what the store has lost of what these blocks of a fork read."""
    held = [
        (said, value.sha256) for said, value in _read_by(parts, fork, blocks) if isinstance(value, Stored)
    ]
    lost = await parts.store.missing_values([sha256 for _, sha256 in held])
    return tuple(dict.fromkeys(said for said, sha256 in held if sha256 in lost))


def _read_by(parts: Parts, fork: Fork, blocks: Sequence[ForkedBlock]) -> Iterator[tuple[str, Value]]:
    """Yield what those blocks read that run, each with what to say if it is not there."""
    after = fork.after
    for block in blocks:
        if not block.runs:
            continue
        if (fan := after.block(block.block).fan) is not None:
            said = (
                f"items of block '{block.block}' are damaged, and it fails (--from {block.block} begins anew)"
            )
            yield from ((said, item) for item in fan.items)
        yield from _referenced(after, _references(parts, fork, block))


def _referenced(after: RunState, references: Iterable[Reference]) -> Iterator[tuple[str, Value]]:
    for reference in references:
        if reference.root is Root.STATE:
            for name, value in after.variables.items():
                if _is_read(name, reference):
                    yield f"state '{name}' is damaged: what reads it fails (--set state.{name}=VALUE)", value
        elif reference.block is not None:
            block = BlockId(reference.block)
            for name, value in after.block(block).outputs.items():
                if _is_read(name, reference):
                    advice = f"what reads it fails (--from {block} makes it anew)"
                    yield f"output '{name}' of block '{block}' is damaged: {advice}", value
