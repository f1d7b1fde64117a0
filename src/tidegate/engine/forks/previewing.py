"""Reads from where a fork begins what it will do."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tidegate.engine.calls import parent_of
from tidegate.engine.forks.cautions import warnings_of
from tidegate.engine.forks.edits import EditedValue
from tidegate.engine.forks.fork import Fork, prepare_fork, request_below
from tidegate.engine.forks.needs import missing_secrets, missing_values
from tidegate.engine.forks.preview import Below, Fate, ForkedBlock, ForkPreview, name_below
from tidegate.engine.forks.questions import (
    ForkedQuestion,
    asked_at_once,
    decided_at_once,
    other_questions,
    questions_of,
)
from tidegate.engine.parts import Parts
from tidegate.engine.start import call_again
from tidegate.model.effects import asks_if_it_fails, asks_somebody, called_by, has_effect, is_reversible
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, block_of, new_run_id
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.model.workflow import BlockDefinition
from tidegate.workflows.nearest import named

__all__ = ["preview_of"]


async def preview_of(parts: Parts, fork: Fork) -> ForkPreview:
    """Return what *fork* will do. Nothing is written."""
    going_on = await _going_on(parts, fork)
    below = {place: await _below(parts, fork, place, origin) for place, origin in going_on.items()}
    begun = await decided_at_once(parts, fork)
    at_once = asked_at_once(fork, begun)
    found = tuple(_ForkedBlocks(fork, begun, questions_of(fork, at_once), below))
    return ForkPreview(
        origin=fork.event.origin,
        head=fork.head,
        at=fork.before.updated_at,
        workflow=fork.before.graph.definition.name,
        blocks=found,
        edits=(*fork.edits.values.values(), *_edits_below(below)),
        warnings=(
            *warnings_of(parts, fork, found, below),
            *await missing_values(parts, fork, found),
            *await missing_secrets(parts, fork, found),
            *other_questions(fork, at_once),
        ),
        below=tuple(Below(place, preview) for place, preview in below.items()),
    )


def _edits_below(below: Mapping[BlockId, ForkPreview]) -> Iterator[EditedValue]:
    for place, preview in below.items():
        for edit in preview.edits:
            section, inner, *path = edit.path
            yield replace(edit, path=(section, name_below(place, inner), *path))


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
    request = request_below(origin, keep_answers=fork.event.keep_answers)
    parent = parent_of(fork.after, place)
    below = await prepare_fork(parts, request, new_run_id(), by=fork.event.by, parent=parent)
    return await preview_of(parts, below)


class _ForkedBlocks:
    """Yields the blocks of a fork."""

    def __init__(
        self,
        fork: Fork,
        begun: RunState,
        questions: Mapping[BlockId, tuple[ForkedQuestion, ...]],
        below: Mapping[BlockId, ForkPreview],
    ) -> None:
        self._fork = fork
        self._begun = begun
        self._questions = questions
        self._below = below

    def __iter__(self) -> Iterator[ForkedBlock]:
        workflow = self._fork.after.graph.definition
        for block_id, definition in self._fork.after.graph.blocks.items():
            fate, why = self._fate(block_id)
            runs = fate.runs
            yield ForkedBlock(
                block=block_id,
                type=definition.type,
                fate=fate,
                then=self._fork.before.block(block_id).status,
                why=why,
                has_effect=runs and has_effect(definition, workflow),
                reversible=not runs or is_reversible(definition, workflow),
                asks=runs and self._asks(definition),
                asks_if_it_fails=runs and asks_if_it_fails(definition, workflow),
                questions=tuple(self._asked(block_id)) if runs else (),
                parts=tuple(self._parts(block_id)) if fate is Fate.GOES_ON else (),
                only_below=self._is_only_below(block_id),
            )

    def _fate(self, block: BlockId) -> tuple[Fate, str]:
        then, now = self._fork.before.block(block), self._fork.after.block(block)
        if now.status.has_ended:
            return Fate.STAYS, ""
        begun = self._begun.block(block)
        if begun.status in (BlockStatus.SKIPPED, BlockStatus.CANCELLED):
            return Fate.NOT_RUN, begun.reason
        if begun.status is BlockStatus.FAILED and begun.failure is not None:
            return Fate.NOT_RUN, f"it fails at once: {begun.failure.message}"
        if why := self._why_it_goes_on(block):
            return Fate.GOES_ON, why
        if _is_ahead(then):
            return Fate.AHEAD, ""
        return Fate.AGAIN, f"it {_SAID[then.status]}{self._anew(block)}"

    def _anew(self, block: BlockId) -> str:
        """Return what it means that a block begins from its beginning, where that is more than itself."""
        after, parts = self._fork.after, list(self._fork.before.parts_of(block))
        words = _ANEW if block in self._fork.event.children else ""
        if parts and "#" not in parts[0]:
            words += f"; all of its {len(parts):,} items begin again"
        called = called_by(after.definition_of(block), after.graph.definition)
        if called is not None:
            words += f"; it runs all of '{called.name}': {named([it.id for it in called.blocks])}"
        return words

    def _why_it_goes_on(self, block: BlockId) -> str:
        now = self._fork.after.block(block)
        if now.status is BlockStatus.PAUSED:
            return "its question was answered before"
        if now.fan is not None:
            return self._why_in_parts(block)
        return f"run {self._below[block].origin.run_id} goes on as a fork" if block in self._below else ""

    def _asks(self, definition: BlockDefinition) -> bool:
        if self._fork.after.block(definition.id).status is BlockStatus.PAUSED:
            return any(self._asked(definition.id))
        if self._is_only_below(definition.id):
            places = [place for place in self._below if block_of(place) == definition.id]
            return any(self._below[place].questions for place in places)
        return asks_somebody(definition, self._fork.after.graph.definition)

    def _asked(self, block: BlockId) -> Iterator[ForkedQuestion]:
        asked = self._questions.get(block, ())
        # What stays paused has its answer, unless that leads to another question at once.
        is_answered = self._fork.after.block(block).status is BlockStatus.PAUSED
        yield from (it for it in asked if it.is_sure or not is_answered)

    def _is_only_below(self, block: BlockId) -> bool:
        after = self._fork.after
        places = [block] if after.block(block).fan is None else after.parts_of(block)
        left = [place for place in places if not after.block(place).status.has_ended]
        return bool(left) and all(place in self._below for place in left)

    # -- items and iterations -----------------------------------------------------------------

    def _parts(self, block: BlockId) -> Iterator[tuple[BlockId, Fate]]:
        """Yield those that run."""
        for place in self._fork.after.parts_of(block):
            now, then = self._fork.after.block(place), self._fork.before.block(place)
            if now.status.has_ended:
                continue
            if place in self._below or now.status is BlockStatus.PAUSED:
                yield place, Fate.GOES_ON
            else:
                yield place, Fate.AHEAD if _is_ahead(then) else Fate.AGAIN

    def _why_in_parts(self, block: BlockId) -> str:
        parts, left = list(self._fork.after.parts_of(block)), dict(self._parts(block))
        noun = "iteration" if any("#" in part for part in parts) else "item"
        stay, plural = len(parts) - len(left), "" if len(parts) == 1 else "s"
        words = [f"{stay:,} of its {len(parts):,} {noun}{plural} {'stays' if stay == 1 else 'stay'}"]
        for fate, (one, several) in _VERBS.items():
            if names := [place for place in left if left[place] is fate]:
                words.append(f"{named(names)} {one if len(names) == 1 else several}")
        anew = [place for place in left if place in self._fork.event.children and place not in self._below]
        return "; ".join(words) + (_ANEW if anew else "")


def _is_ahead(block: BlockState) -> bool:
    """Whether nothing of it had begun."""
    return block.status is BlockStatus.PENDING and block.wake_at is None


_VERBS = {
    Fate.GOES_ON: ("goes on", "go on"),
    Fate.AGAIN: ("runs again", "run again"),
    Fate.AHEAD: ("is still to run", "are still to run"),
}
_ANEW = ", and what it calls, or is called with, is another one now"
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
