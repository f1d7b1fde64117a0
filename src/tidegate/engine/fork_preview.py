"""What a fork will do, read from where it begins: what stays, what runs, what has effects, what is asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tidegate.engine.decide import decide
from tidegate.engine.draft import Draft
from tidegate.engine.edits import EditedValue
from tidegate.engine.fork import Fork
from tidegate.engine.parts import Parts
from tidegate.model.base import JsonObject
from tidegate.model.effects import asks_somebody, has_effect, is_reversible
from tidegate.model.events import Origin
from tidegate.model.fork_events import question_key
from tidegate.model.ids import BlockId, Seq, block_of
from tidegate.model.prompt import RecoveryPrompt
from tidegate.model.state import BlockStatus, Pause
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
    reversible: bool = True
    """Whether what it does outside can be undone, as far as its author knows."""
    asks: bool = False
    """Whether it, or a run that it starts, may put a question to somebody; never said of one that stays."""
    question: str = ""
    """What it asks at once; or else what it asked in the other run, the newest that was known at the point."""
    is_sure: bool = False
    """Whether it asks that: what it asked in the other run may have read what is other by then."""
    answer: str = ""
    """What was answered to that question there, if it counts again for the very same one."""

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
        """What may run, and then changes something outside; first what cannot be undone."""
        return tuple(sorted((it for it in self.blocks if it.has_effect), key=lambda it: it.reversible))

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
        "reversible": block.reversible,
        "asks": block.asks,
        "question": block.question or None,
        "question_is_sure": block.is_sure,
        "kept_answer": block.answer or None,
    }


async def preview_of(parts: Parts, fork: Fork) -> ForkPreview:
    """Return what *fork* will do. Nothing is written."""
    before = fork.before
    found = tuple(_ForkedBlocks(fork, await _asked_at_once(parts, fork)))
    return ForkPreview(
        origin=fork.event.origin,
        head=fork.newest.head,
        at=before.updated_at,
        workflow=before.graph.definition.name,
        blocks=found,
        edits=tuple(fork.edits.values.values()),
        warnings=tuple(_warnings(fork, found)),
    )


async def _asked_at_once(parts: Parts, fork: Fork) -> dict[BlockId, Pause]:
    """Return what the fork asks as it begins: decided as the fork itself does, on a draft that is thrown away."""
    draft = Draft(fork.after, fork.at)
    await decide(parts, draft)
    opened = [pause for pause in draft.state.pauses.values() if pause.pause_id not in fork.after.pauses]
    return {block_of(pause.block): pause for pause in sorted(opened, key=_when, reverse=True)}


def _when(pause: Pause) -> Seq:
    return pause.opened_seq


class _ForkedBlocks:
    """Yields the blocks of a fork."""

    def __init__(self, fork: Fork, at_once: Mapping[BlockId, Pause]) -> None:
        self._fork = fork
        self._at_once = at_once
        self._asked = {**_questions(fork), **at_once}

    def __iter__(self) -> Iterator[ForkedBlock]:
        workflow = self._fork.after.graph.definition
        for block_id, definition in self._fork.after.graph.blocks.items():
            fate, why = _fate(self._fork, block_id)
            stays = fate is Fate.STAYS
            asked = self._asked.get(block_id)
            yield ForkedBlock(
                block=block_id,
                type=definition.type,
                fate=fate,
                then=self._fork.before.block(block_id).status,
                why=why,
                has_effect=not stays and has_effect(definition, workflow),
                reversible=stays or is_reversible(definition, workflow),
                asks=not stays and asks_somebody(definition, workflow),
                question=asked.prompt.text if asked is not None else "",
                is_sure=block_id in self._at_once,
                answer=_kept_answer(self._fork, asked) if asked is not None and not stays else "",
            )


def _questions(fork: Fork) -> dict[BlockId, Pause]:
    """Return what the blocks have asked in the other run, of each what is nearest to what the fork would ask."""
    found: dict[BlockId, Pause] = {}
    for pause in sorted(fork.newest.pauses.values(), key=_when):
        # What to do about an interruption was asked about that one alone.
        if not isinstance(pause.prompt, RecoveryPrompt) and _is_nearer(fork, found, pause):
            found[block_of(pause.block)] = pause
    return found


def _is_nearer(fork: Fork, found: Mapping[BlockId, Pause], pause: Pause) -> bool:
    """Whether a question tells more than the one before: the newest at the point, or the first one after it.

    The latter where the block was still to ask then: what had changed since its last question is in that one.
    """
    point, block = fork.event.origin.seq, block_of(pause.block)
    if pause.opened_seq <= point or block not in found:
        return True
    is_ahead = fork.before.block(block).status in (BlockStatus.PENDING, BlockStatus.SKIPPED)
    return is_ahead and found[block].opened_seq <= point


def _kept_answer(fork: Fork, asked: Pause) -> str:
    """Return the answer that counts again if *asked* is asked again; empty: there is none."""
    key = question_key(asked.prompt)
    kept = fork.event.kept.get(asked.block, ())
    return next((it.answer.raw for it in kept if it.question == key), "")


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
