"""What a fork will do, read from where it begins: what stays, what runs, what has effects, what is asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tidegate.engine.edits import EditedValue
from tidegate.engine.fork import Fork
from tidegate.model.base import JsonObject
from tidegate.model.effects import asks_somebody, has_effect
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, block_of
from tidegate.model.state import BlockStatus
from tidegate.model.transplant import is_the_same

__all__ = ["Fate", "ForkPreview", "ForkedBlock", "preview_of"]


class Fate(StrEnum):
    """What becomes of a block in a fork."""

    STAYS = "stays"
    """It had ended, and is not run again."""
    AGAIN = "again"
    """It had begun, or even ended, and runs again."""
    GOES_ON = "goes on"
    """Some of its parts stay and others run, its question was answered before the point, or the run that does
    its work goes on as a fork."""
    AHEAD = "ahead"
    """It had not begun, and runs if its condition and what it depends on let it."""


@dataclass(frozen=True, slots=True)
class ForkedBlock:
    """One block in a fork."""

    block: BlockId
    type: str
    fate: Fate
    then: BlockStatus
    """Where it stood at the point."""
    why: str = ""
    """For people; empty where the fate says it."""
    has_effect: bool = False
    """Whether running it may change something outside of the run; never said of one that stays."""
    asks: bool = False
    """Whether it, or a run that it starts, may put a question to somebody; never said of one that stays."""
    question: str = ""
    """What it asked in the other run, if it did."""
    answer: str = ""
    """What was answered there, if that counts again for the very same question."""

    @property
    def runs(self) -> bool:
        """Whether something of it may run."""
        return self.fate is not Fate.STAYS


@dataclass(frozen=True, slots=True)
class ForkPreview:
    """What a fork will do."""

    origin: Origin
    head: int
    """The newest event of the other run."""
    at: float
    """When it stood at the point. Seconds since 1970 UTC."""
    workflow: str
    blocks: tuple[ForkedBlock, ...]
    """In the order of the file."""
    edits: tuple[EditedValue, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def stays(self) -> tuple[ForkedBlock, ...]:
        """What is not run again."""
        return tuple(block for block in self.blocks if not block.runs)

    @property
    def runs(self) -> tuple[ForkedBlock, ...]:
        """What may run."""
        return tuple(block for block in self.blocks if block.runs)

    @property
    def effects(self) -> tuple[ForkedBlock, ...]:
        """What may run, and then changes something outside."""
        return tuple(block for block in self.blocks if block.has_effect)

    @property
    def questions(self) -> tuple[ForkedBlock, ...]:
        """What may ask somebody."""
        return tuple(block for block in self.blocks if block.asks)

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {
            "forked_from": {"run_id": self.origin.run_id, "seq": self.origin.seq, "head": self.head},
            "workflow": self.workflow,
            "blocks": [_block_json(block) for block in self.blocks],
            "edits": [
                {"path": list(edit.path), "before": edit.before, "after": edit.after} for edit in self.edits
            ],
            "warnings": list(self.warnings),
        }


def _block_json(block: ForkedBlock) -> JsonObject:
    return {
        "block": block.block,
        "type": block.type,
        "fate": block.fate.value,
        "status_then": block.then.value,
        "why": block.why,
        "has_effect": block.has_effect,
        "asks": block.asks,
        "question": block.question or None,
        "kept_answer": block.answer or None,
    }


def preview_of(fork: Fork) -> ForkPreview:
    """Return what *fork* will do."""
    before = fork.before
    found = tuple(_ForkedBlocks(fork))
    return ForkPreview(
        origin=fork.event.origin,
        head=fork.newest.head,
        at=before.updated_at,
        workflow=before.graph.definition.name,
        blocks=found,
        edits=tuple(fork.edits.values.values()),
        warnings=tuple(_warnings(fork, found)),
    )


class _ForkedBlocks:
    """Yields the blocks of a fork."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._asked = {pause.block: pause for pause in fork.newest.pauses.values()}
        self._kept = {block_of(place): answers for place, answers in fork.event.kept.items()}

    def __iter__(self) -> Iterator[ForkedBlock]:
        workflow = self._fork.after.graph.definition
        for block_id, definition in self._fork.after.graph.blocks.items():
            fate, why = _fate(self._fork, block_id)
            stays = fate is Fate.STAYS
            kept = self._kept.get(block_id, ())
            yield ForkedBlock(
                block=block_id,
                type=definition.type,
                fate=fate,
                then=self._fork.before.block(block_id).status,
                why=why,
                has_effect=not stays and has_effect(definition, workflow),
                asks=not stays and asks_somebody(definition, workflow),
                question=self._question(block_id),
                answer=kept[-1].answer.raw if kept and not stays else "",
            )

    def _question(self, block: BlockId) -> str:
        pause = self._asked.get(block)
        return pause.prompt.text if pause is not None else ""


def _fate(fork: Fork, block: BlockId) -> tuple[Fate, str]:
    before, after = fork.before, fork.after
    then, now = before.block(block), after.block(block)
    if now.status.has_ended:
        return Fate.STAYS, ""
    if now.status is BlockStatus.PAUSED:
        return Fate.GOES_ON, "its question was answered before"
    if now.fan is not None:
        parts = list(after.parts_of(block))
        ended = sum(after.block(part).status.has_ended for part in parts)
        noun = "iterations" if any("#" in part for part in parts) else "items"
        return Fate.GOES_ON, f"{ended:,} of its {len(parts):,} {noun} stay"
    if block in fork.event.children and block in after.touched:
        return Fate.GOES_ON, f"run {fork.event.children[block].run_id} goes on as a fork"
    if then.status is BlockStatus.PENDING and then.wake_at is None:
        return Fate.AHEAD, ""
    return Fate.AGAIN, f"it {_SAID[then.status]}"


_SAID = {
    BlockStatus.PENDING: "was waiting for another attempt",
    BlockStatus.RUNNING: "was at work",
    BlockStatus.PAUSED: "was waiting for somebody",
    BlockStatus.SUCCEEDED: "had succeeded",
    BlockStatus.FAILED: "had failed",
    BlockStatus.SKIPPED: "had been skipped",
    BlockStatus.REJECTED: "had been rejected",
    BlockStatus.CANCELLED: "had been cancelled",
    BlockStatus.INTERRUPTED: "had been interrupted",
}


def _warnings(fork: Fork, blocks: tuple[ForkedBlock, ...]) -> Iterator[str]:
    if not any(block.runs for block in blocks):
        yield "nothing is left to run: name a block that is to run again, or an earlier point"
    touched = fork.edits.inputs or fork.edits.variables or fork.edits.outputs
    yield from _other_blocks(fork, blocks)
    ended = [block.block for block in blocks if not block.runs and block.then is not BlockStatus.SKIPPED]
    if touched and ended:
        yield "what has ended has seen the former values, and stays as it is"
    going = [
        name for block in blocks if block.fate is Fate.GOES_ON and fork.after.block(name := block.block).fan
    ]
    if touched and going:
        yield f"goes on with the items it had; --from begins anew: {', '.join(going)}"


def _other_blocks(fork: Fork, blocks: tuple[ForkedBlock, ...]) -> Iterator[str]:
    """Yield what there is to know of blocks that are other ones in the fork's definition."""
    if fork.event.workflow is None:
        return
    before, now = fork.before.graph.blocks, fork.after.graph.blocks
    if gone := [block for block in before if block not in now and block in fork.before.touched]:
        yield f"not in the workflow any more, and so neither is what they gave: {', '.join(gone)}"
    former = [
        block.block
        for block in blocks
        if not block.runs and not is_the_same(before[block.block], now[block.block])
    ]
    if former:
        yield f"had ended as the former definition says, and stay as they are: {', '.join(former)}"
