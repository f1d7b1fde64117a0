"""What the blocks of a fork read that run, and what of it may not be there."""

from collections.abc import Iterable, Iterator, Sequence

from tidegate.engine.forks.fork import Fork
from tidegate.engine.forks.preview import Fate, ForkedBlock
from tidegate.engine.parts import Parts
from tidegate.engine.secrecy import asked_in
from tidegate.engine.view import View
from tidegate.model.ids import BlockId
from tidegate.model.secret import FromAnswer
from tidegate.model.state import RunState
from tidegate.model.value import Stored, Value
from tidegate.workflows.references import Reference, Root
from tidegate.workflows.render import all_references_in

__all__ = ["is_read", "missing_secrets", "missing_values", "references_of"]


def references_of(parts: Parts, fork: Fork, block: ForkedBlock) -> Iterator[Reference]:
    """Yield all that a block reads."""
    # What had ended may be of a type that is not installed any more.
    body, definition = parts.blocks.get(block.type), fork.after.definition_of(block.block)
    if body is not None:
        yield from all_references_in(definition, body.spec, View(parts, fork.after).names(definition))


def is_read(name: str, reference: Reference) -> bool:
    """Return whether a reference reads what is of that name in what it starts from; without a step it reads all of it."""
    return not reference.steps or str(reference.steps[0]) == name


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
        yield from _referenced(after, references_of(parts, fork, block))


def _referenced(after: RunState, references: Iterable[Reference]) -> Iterator[tuple[str, Value]]:
    for reference in references:
        if reference.root is Root.STATE:
            for name, value in after.variables.items():
                if is_read(name, reference):
                    yield f"state '{name}' is damaged: what reads it fails (--set state.{name}=VALUE)", value
        elif reference.block is not None:
            block = BlockId(reference.block)
            for name, value in after.block(block).outputs.items():
                if is_read(name, reference):
                    advice = f"what reads it fails (--from {block} makes it anew)"
                    yield f"output '{name}' of block '{block}' is damaged: {advice}", value


async def missing_secrets(parts: Parts, fork: Fork, blocks: Sequence[ForkedBlock]) -> list[str]:
    """Return which secrets that people have typed are kept no longer, or only until the other run ends."""
    stays = {block.block for block in blocks if block.fate is Fate.STAYS}
    sources = {secret.name: secret.source for secret in fork.after.graph.definition.secrets}
    asked, found = asked_in(parts.store, fork.after), dict[str, None]()
    for block in (block for block in blocks if block.runs):
        for reference in references_of(parts, fork, block):
            source = sources.get(reference.name) if reference.root is Root.SECRET else None
            if isinstance(source, FromAnswer) and source.block in stays:
                there = await asked(source.block) is not None
                until = "is kept only until the run ends in which it was typed"
                problem = until if there else f"is kept no longer, and '{block.block}' fails without it"
                found[f"secret '{reference.name}' {problem} (--from {source.block} asks again)"] = None
    return list(found)
