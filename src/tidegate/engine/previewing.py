"""Reads from where a fork begins what it will do."""

from collections.abc import Iterator, Mapping, Sequence

from tidegate.engine.calls import parent_of
from tidegate.engine.fork import Fork, ForkRequest, prepare_fork
from tidegate.engine.fork_preview import Below, Fate, ForkedBlock, ForkPreview
from tidegate.engine.fork_questions import ForkedQuestion, asked_at_once, other_questions, questions_of
from tidegate.engine.fork_warnings import warnings_of
from tidegate.engine.parts import Parts
from tidegate.engine.start import call_again
from tidegate.model.effects import asks_somebody, has_effect, is_reversible
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, new_run_id
from tidegate.model.state import BlockStatus

__all__ = ["preview_of"]


async def preview_of(parts: Parts, fork: Fork) -> ForkPreview:
    """Return what *fork* will do. Nothing is written."""
    before = fork.before
    going_on = await _going_on(parts, fork)
    at_once = await asked_at_once(parts, fork)
    found = tuple(_ForkedBlocks(fork, questions_of(fork, at_once), going_on))
    below = [Below(place, await _below(parts, fork, place, origin)) for place, origin in going_on.items()]
    return ForkPreview(
        origin=fork.event.origin,
        head=fork.head,
        at=before.updated_at,
        workflow=before.graph.definition.name,
        blocks=found,
        edits=tuple(fork.edits.values.values()),
        warnings=(*warnings_of(parts, fork, found), *other_questions(fork, at_once)),
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


class _ForkedBlocks:
    """Yields the blocks of a fork."""

    def __init__(
        self,
        fork: Fork,
        questions: Mapping[BlockId, tuple[ForkedQuestion, ...]],
        going_on: Mapping[BlockId, Origin],
    ) -> None:
        self._fork = fork
        self._questions = questions
        self._going_on = going_on

    def __iter__(self) -> Iterator[ForkedBlock]:
        workflow = self._fork.after.graph.definition
        for block_id, definition in self._fork.after.graph.blocks.items():
            fate, why = _fate(self._fork, block_id, self._going_on)
            stays = fate is Fate.STAYS
            yield ForkedBlock(
                block=block_id,
                type=definition.type,
                fate=fate,
                then=self._fork.before.block(block_id).status,
                why=why,
                has_effect=not stays and has_effect(definition, workflow),
                reversible=stays or is_reversible(definition, workflow),
                asks=not stays and asks_somebody(definition, workflow),
                questions=() if stays else self._questions.get(block_id, ()),
                only_below=self._is_only_below(block_id),
            )

    def _is_only_below(self, block: BlockId) -> bool:
        after = self._fork.after
        places = [block] if after.block(block).fan is None else after.parts_of(block)
        left = [place for place in places if not after.block(place).status.has_ended]
        return bool(left) and all(place in self._going_on for place in left)


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
