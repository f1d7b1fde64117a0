"""What somebody should know before a run is forked so."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from tidegate.engine.forks.edits import Edits
from tidegate.engine.forks.fork import Fork
from tidegate.engine.forks.needs import is_read, references_of
from tidegate.engine.forks.preview import Fate, ForkedBlock
from tidegate.engine.parts import Parts
from tidegate.model.ids import BlockId, block_of
from tidegate.model.state import BlockStatus
from tidegate.model.transplant import is_the_same
from tidegate.workflows.references import Reference, Root

__all__ = ["warnings_of"]


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
    return any(_is_edited(fork.edits, reference) for reference in references_of(parts, fork, block))


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
    return any(is_read(name, reference) for name in names)


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
