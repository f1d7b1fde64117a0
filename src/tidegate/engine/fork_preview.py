"""What a fork will do, read from where it begins: what stays, what runs, what has effects, what is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tidegate.engine.calls import parent_of
from tidegate.engine.decide import decide
from tidegate.engine.draft import Draft
from tidegate.engine.edits import EditedValue
from tidegate.engine.fork import Fork, ForkRequest, prepare_fork
from tidegate.engine.parts import Parts
from tidegate.engine.start import call_again
from tidegate.model.base import JsonObject
from tidegate.model.effects import asks_somebody, has_effect, is_reversible
from tidegate.model.events import Origin
from tidegate.model.fork_events import KeptAnswer, question_key
from tidegate.model.ids import BlockId, Seq, block_of, new_run_id
from tidegate.model.prompt import Answer, RecoveryPrompt, describe_value
from tidegate.model.state import BlockStatus, Pause
from tidegate.model.transplant import is_the_same

__all__ = ["Below", "Fate", "ForkPreview", "ForkedBlock", "preview_of"]


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
    more_questions: int = 0
    """How many more it asks at once, of other items."""
    answer: str = ""
    """What was answered to that question there, or with the fork, if it counts for the very same one."""
    is_given: bool = False
    """Whether that answer is given with the fork."""
    only_below: bool = False
    """Whether all of it that runs is in runs below that go on."""
    above: str = ""
    """The places above that it is below of, such as ``regions[red]``; empty for a block of the run itself."""

    @property
    def name(self) -> str:
        """Its id, with the places above."""
        return f"{self.above}/{self.block}" if self.above else str(self.block)

    @property
    def runs(self) -> bool:
        """Whether something of it may run."""
        return self.fate is not Fate.STAYS


@dataclass(frozen=True, slots=True)
class Below:
    """What the fork of a run below will do."""

    place: BlockId
    """Whose work it does."""
    preview: "ForkPreview"


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
    below: tuple[Below, ...] = ()
    """Runs below that go on as forks of their own, by the places whose work they do."""

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
        """What may run, here or below, and then changes something outside; first what cannot be undone."""
        return tuple(sorted((it for it in self.leaves() if it.has_effect), key=lambda it: it.reversible))

    @property
    def questions(self) -> tuple[ForkedBlock, ...]:
        """What may ask somebody, here or below."""
        return tuple(block for block in self.leaves() if block.asks)

    def leaves(self) -> Iterator[ForkedBlock]:
        """Yield the blocks of the run, in the place of those whose run goes on the blocks of that one."""
        below = {it.place: it.preview for it in self.below}
        for block in self.blocks:
            if not block.only_below:
                yield block
            for place, preview in below.items():
                if block_of(place) == block.block:
                    for it in preview.leaves():
                        yield replace(it, above="/".join(filter(None, (place, it.above))))

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
            "below": [{"place": it.place, **it.preview.as_json()} for it in self.below],
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
        "more_questions": block.more_questions,
        "kept_answer": block.answer or None,
        "answer_is_given": block.is_given,
    }


async def preview_of(parts: Parts, fork: Fork) -> ForkPreview:
    """Return what *fork* will do. Nothing is written."""
    before = fork.before
    going_on = await _going_on(parts, fork)
    at_once = await _asked_at_once(parts, fork)
    found = tuple(_ForkedBlocks(fork, at_once, going_on))
    below = [Below(place, await _below(parts, fork, place, origin)) for place, origin in going_on.items()]
    return ForkPreview(
        origin=fork.event.origin,
        head=fork.head,
        at=before.updated_at,
        workflow=before.graph.definition.name,
        blocks=found,
        edits=tuple(fork.edits.values.values()),
        warnings=(*_warnings(fork, found), *_other_questions(fork, at_once)),
        below=tuple(below),
    )


async def _going_on(parts: Parts, fork: Fork) -> dict[BlockId, Origin]:
    """Return the runs below that go on as forks, by place, asking what the fork itself asks when it calls them."""
    found: dict[BlockId, Origin] = {}
    for place in fork.event.children:
        block = fork.after.block(place)
        if place not in fork.after.touched or block.status.has_ended:
            continue
        started = await call_again(parts, fork.after, place)
        if started is not None and started.origin is not None:
            found[place] = started.origin
    return found


async def _below(parts: Parts, fork: Fork, place: BlockId, origin: Origin) -> ForkPreview:
    request = ForkRequest(origin, blocks=origin.again, keep_answers=fork.event.keep_answers)
    parent = parent_of(fork.after, place)
    below = await prepare_fork(parts, request, new_run_id(), by=fork.event.by, parent=parent)
    return await preview_of(parts, below)


async def _asked_at_once(parts: Parts, fork: Fork) -> dict[BlockId, list[Pause]]:
    """Return what the fork asks as it begins: decided as the fork itself does, on a draft that is thrown away."""
    draft = Draft(fork.after, fork.at)
    await decide(parts, draft)
    opened = [pause for pause in draft.state.pauses.values() if pause.pause_id not in fork.after.pauses]
    found: dict[BlockId, list[Pause]] = {}
    for pause in sorted(opened, key=_when):
        found.setdefault(block_of(pause.block), []).append(pause)
    return found


def _when(pause: Pause) -> Seq:
    return pause.opened_seq


class _ForkedBlocks:
    """Yields the blocks of a fork."""

    def __init__(
        self, fork: Fork, at_once: Mapping[BlockId, Sequence[Pause]], going_on: Mapping[BlockId, Origin]
    ) -> None:
        self._fork = fork
        self._at_once = at_once
        self._going_on = going_on
        self._asked = {**_questions(fork), **{block: asked[0] for block, asked in at_once.items()}}

    def __iter__(self) -> Iterator[ForkedBlock]:
        workflow = self._fork.after.graph.definition
        for block_id, definition in self._fork.after.graph.blocks.items():
            fate, why = _fate(self._fork, block_id, self._going_on)
            stays = fate is Fate.STAYS
            asked = self._asked.get(block_id)
            answer = _kept_answer(self._fork, asked) if asked is not None and not stays else None
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
                more_questions=max(0, len(self._at_once.get(block_id, ())) - 1),
                only_below=self._is_only_below(block_id),
                answer=_said(answer.answer) if answer is not None else "",
                is_given=answer in self._fork.edits.answers.values(),
            )

    def _is_only_below(self, block: BlockId) -> bool:
        after = self._fork.after
        places = [block] if after.block(block).fan is None else after.parts_of(block)
        left = [place for place in places if not after.block(place).status.has_ended]
        return bool(left) and all(place in self._going_on for place in left)


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


def _kept_answer(fork: Fork, asked: Pause) -> KeptAnswer | None:
    """Return the answer that counts if *asked* is asked again."""
    key = question_key(asked.prompt)
    kept = fork.event.kept.get(asked.block, ())
    return next((it for it in kept if it.question == key), None)


def _said(answer: Answer) -> str:
    # What was typed may be nothing, where there is a default.
    return answer.raw or describe_value(answer.value)


def _fate(fork: Fork, block: BlockId, going_on: Mapping[BlockId, Origin]) -> tuple[Fate, str]:
    before, after = fork.before, fork.after
    then, now = before.block(block), after.block(block)
    if now.status.has_ended:
        return Fate.STAYS, ""
    if now.status is BlockStatus.PAUSED:
        return Fate.GOES_ON, "its question was answered before"
    if now.fan is not None:
        parts = list(after.parts_of(block))
        return Fate.GOES_ON, _parts_that_stay(parts, sum(after.block(it).status.has_ended for it in parts))
    if block in going_on:
        return Fate.GOES_ON, f"run {going_on[block].run_id} goes on as a fork"
    if then.status is BlockStatus.PENDING and then.wake_at is None:
        return Fate.AHEAD, ""
    anew = (
        ", and what it calls, or is called with, is another one now" if block in fork.event.children else ""
    )
    return Fate.AGAIN, f"it {_SAID[then.status]}{anew}"


def _parts_that_stay(parts: Sequence[BlockId], ended: int) -> str:
    noun = "iteration" if any("#" in part for part in parts) else "item"
    of_all = f"{ended:,} of its {len(parts):,} {noun}{'' if len(parts) == 1 else 's'}"
    return f"{of_all} {'stays' if ended == 1 else 'stay'}"


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
    if fork.newest.head < fork.head:
        yield f"what the other run did after event {fork.newest.head} is damaged: answers given there count for nothing"
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


def _other_questions(fork: Fork, at_once: Mapping[BlockId, Sequence[Pause]]) -> Iterator[str]:
    """Yield which answers that are given with the fork count for nothing, as far as is known."""
    for place, answer in fork.edits.answers.items():
        for pause in at_once.get(block_of(place), ()):
            if pause.block == place and question_key(pause.prompt) != answer.question:
                yield f"block '{place}' asks another question now: the answer to the former one does not count"


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
