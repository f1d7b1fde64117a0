"""What an answer would lead to: the engine's own decisions, made on a draft that is thrown away.

What happens in the moment of the answer is exact: the same code decides, over the same values. What
follows is what the plan says if all goes well; a condition that reads what is not known yet is told as it
is written.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tidegate.blocks.base import InteractiveBlock
from tidegate.engine.decide import decide
from tidegate.engine.draft import Draft
from tidegate.engine.parts import Parts
from tidegate.engine.plan import end_status, why_skipped
from tidegate.engine.prepare import Ready, block_as_given, prepare
from tidegate.engine.start import summary_of
from tidegate.engine.view import View
from tidegate.engine.votes import as_kept
from tidegate.errors import ExpressionError, PauseClosed, RunNotFound
from tidegate.model.effects import asks_somebody, has_effect
from tidegate.model.events import JournalEvent, PauseAnswered, PauseExpired, RunStatus
from tidegate.model.ids import BlockId, PauseId
from tidegate.model.outlook import Ahead, ForeseenBlock, Outlook, Supposed
from tidegate.model.policy import OnFailure
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.model.workflow import BlockDefinition
from tidegate.workflows.expressions import Reference, compile_condition
from tidegate.workflows.references import Root
from tidegate.workflows.render import references_in

__all__ = ["MOST_FORESEEN", "foresee"]

MOST_FORESEEN = 200
"""Blocks that are told of one run; of more it is only said how many there are."""
_UNKNOWABLE = frozenset({Root.STATE, Root.ITEM, Root.INDEX, Root.RUN_STATUS, Root.RUN_FAILURES})
"""What a block that is still ahead may find changed by those before it."""
_AT_ONCE = 50
"""Blocks that are looked at before others have their turn."""
_NONE: Mapping[BlockId, BlockStatus] = {}
_LEFT = frozenset({BlockStatus.RUNNING, BlockStatus.PAUSED, BlockStatus.INTERRUPTED})


async def foresee(parts: Parts, pause_id: PauseId, raw: str | Supposed) -> Outlook:
    """Return what an answer would lead to. Nothing is written.

    Args:
        parts: What the executor works with.
        pause_id: The question.
        raw: The answer as typed, or what is supposed instead of one.

    Raises:
        PauseNotFound: there is no such question.
        PauseClosed: it takes no answer any more.
        InvalidAnswer: the answer breaks a rule of the question.
    """
    state = await parts.states.newest((await parts.store.pause(pause_id)).run_id)
    pause = state.pauses[pause_id]
    if not pause.is_open:
        raise PauseClosed(pause_id, f"it is {pause.state.name.lower()}")
    if raw is Supposed.NOTHING and pause.deadline is None:
        return Outlook(
            pause_id=pause_id, run_id=state.run_id, head=state.head, is_held=state.held is not None
        )
    after = await _after(parts, state, pause_id, raw)
    told = _Told(MOST_FORESEEN)
    await told.take(_moment(state, after, pause.block))
    await told.take(_later(parts, after))
    await _tell_above(parts, after, told)
    block = after.block(pause.block)
    asks_again = (
        block.pause_id is not None and block.pause_id != pause_id and block.status is BlockStatus.PAUSED
    )
    return Outlook(
        pause_id=pause_id,
        run_id=state.run_id,
        head=state.head,
        blocks=tuple(told.blocks),
        hidden=told.hidden,
        block_ends=block.status.value if block.status.has_ended else "",
        ends=after.finished.status if after.finished is not None else None,
        asks_again=after.pauses[block.pause_id].prompt.text if asks_again and block.pause_id else "",
        is_held=state.held is not None,
    )


async def _after(parts: Parts, state: RunState, pause_id: PauseId, raw: str | Supposed) -> RunState:
    """Return the state after the answer and all that it decides."""
    now = parts.clock.now()
    if raw is Supposed.ANYTHING:
        block = state.pauses[pause_id].block
        return state.with_block(block, state.block(block).evolve(status=BlockStatus.RUNNING))
    draft = Draft(state, now)
    draft.add(_event(state, pause_id, raw))
    await decide(parts, draft)
    return draft.state


def _event(state: RunState, pause_id: PauseId, raw: str) -> JournalEvent:
    if raw is Supposed.NOTHING:
        return PauseExpired(pause_id=pause_id)
    answer = as_kept(state.pauses[pause_id], raw).evolve(via="outlook")
    return PauseAnswered(pause_id=pause_id, answer=answer)


@dataclass(slots=True)
class _Told:
    """Blocks, as many as are told."""

    room: int
    blocks: list[ForeseenBlock] = field(default_factory=list)
    hidden: int = 0

    async def take(self, found: AsyncIterator[ForeseenBlock]) -> None:
        """Tell some more, one after the other."""
        async for block in found:
            if len(self.blocks) < self.room:
                self.blocks.append(block)
            else:
                self.hidden += 1


# -- in the moment of the answer --------------------------------------------------------------


async def _moment(before: RunState, after: RunState, asking: BlockId) -> AsyncIterator[ForeseenBlock]:
    """Yield what the answer itself starts, asks, or skips."""
    for block_id, definition in after.graph.blocks.items():
        was, now = before.block(block_id), after.block(block_id)
        if now.attempt > was.attempt:
            why = now.failure.message if now.status is BlockStatus.FAILED and now.failure is not None else ""
            yield _foreseen(after, definition, Ahead.AT_ONCE, does=_does(now), reason=why)
        elif now.status is BlockStatus.SKIPPED is not was.status and block_id != asking:
            yield _foreseen(after, definition, Ahead.SKIPPED, reason=now.reason)


def _does(block: BlockState) -> str:
    return f"{len(block.fan.keys):,} items" if block.fan is not None and block.fan.keys else block.summary


def _foreseen(
    state: RunState,
    block: BlockDefinition,
    ahead: Ahead,
    *,
    does: str = "",
    condition: str = "",
    is_sure: bool = True,
    reason: str = "",
) -> ForeseenBlock:
    workflow, runs = state.graph.definition, ahead is not Ahead.SKIPPED
    return ForeseenBlock(
        block=block.id,
        type=block.type,
        ahead=ahead,
        does=does,
        condition=condition,
        is_sure=is_sure,
        has_effect=runs and has_effect(block, workflow),
        asks=runs and asks_somebody(block, workflow),
        always=block.always,
        reason=reason,
    )


# -- after that -------------------------------------------------------------------------------


class _Walk:
    """Goes on through the plan as if all went well, remembering of what that is not known."""

    def __init__(self, parts: Parts, state: RunState, ends: Mapping[BlockId, BlockStatus]) -> None:
        self._parts = parts
        self._known = View(parts, state)
        """What there is: texts that read no more than this can be evaluated."""
        self._unsure: set[str] = set()
        """Blocks that may be skipped as well."""
        open_blocks = [block for block, it in state.touched.items() if it.status in _LEFT]
        self._supposed = state
        """How blocks end if all goes well."""
        self._suppose({**dict.fromkeys(open_blocks, BlockStatus.SUCCEEDED), **ends})

    def _suppose(self, ends: Mapping[BlockId, BlockStatus]) -> None:
        touched, block = self._supposed.touched, self._supposed.block
        for block_id, status in ends.items():
            touched = touched.set(block_id, block(block_id).evolve(status=status))
        self._supposed = self._supposed.evolve(touched=touched)

    async def look_at(self, block: BlockDefinition) -> ForeseenBlock:
        """Return what becomes of a block that is still ahead."""
        state = self._known.state
        reason = why_skipped(self._supposed, block)
        condition = "" if reason else await self._undecided(block)
        if condition is None:
            reason, condition = f"its condition is false: {block.condition}", ""
        status = BlockStatus.SKIPPED if reason else BlockStatus.SUCCEEDED
        self._suppose({block.id: status})
        is_sure = not condition and not self._hangs_on_the_unsure(block, skipped=bool(reason))
        if not is_sure:
            self._unsure.add(block.id)
        if reason:
            return _foreseen(state, block, Ahead.SKIPPED, reason=reason, is_sure=is_sure)
        does = await self._does(block)
        return _foreseen(state, block, Ahead.LATER, does=does, condition=condition, is_sure=is_sure)

    def _hangs_on_the_unsure(self, block: BlockDefinition, *, skipped: bool) -> bool:
        if block.always or not block.depends_on:
            return False
        unsure = [it.block in self._unsure for it in block.depends_on]
        # One dependency that surely succeeds lets it run; one that may be skipped may turn a skip into a run.
        return any(unsure) if skipped else all(unsure)

    async def _undecided(self, block: BlockDefinition) -> str | None:
        """Return a condition that cannot be decided yet; empty: it holds, or there is none; None: it is false."""
        if block.condition is None:
            return ""
        names = self._known.names(block)
        condition = compile_condition(block.condition, names)
        if not self._are_known(condition.references):
            return block.condition
        try:
            holds = condition.evaluate(await self._known.scope(condition.blocks, block.id))
        except ExpressionError:
            return block.condition
        return "" if holds else None

    async def _does(self, block: BlockDefinition) -> str:
        """Return what a block runs, if nothing is ahead that could still change it."""
        body = self._parts.blocks[block.type]
        if block.for_each is not None or block.loop is not None or isinstance(body, InteractiveBlock):
            return ""
        given = block_as_given(self._known.state, block)
        if not self._are_known(references_in(given, body.spec, self._known.names(given))):
            return ""
        ready = await prepare(self._known, block.id)
        return summary_of(self._parts, self._known.state, block.id, ready) if isinstance(ready, Ready) else ""

    def _are_known(self, references: Iterable[Reference]) -> bool:
        return all(self._is_known(it) for it in references)

    def _is_known(self, reference: Reference) -> bool:
        if reference.root is Root.BLOCK:
            return self._known.state.block(BlockId(reference.name)).status.has_ended
        return reference.root not in _UNKNOWABLE


async def _later(
    parts: Parts, state: RunState, ends: Mapping[BlockId, BlockStatus] = _NONE
) -> AsyncIterator[ForeseenBlock]:
    """Yield what follows if all goes well, in the order of the waves.

    Args:
        parts: What the executor works with.
        state: Where the run stands.
        ends: Blocks that end in a certain way, which they have not done yet.
    """
    if state.finished is not None:
        return
    walk = _Walk(parts, state, ends)
    for number, block in enumerate(_ahead(state)):
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)  # Runs go on meanwhile.
        yield await walk.look_at(block)


def _ahead(state: RunState) -> Iterator[BlockDefinition]:
    """Yield the blocks that have not begun, in the order in which they can."""
    for wave in state.graph.definition.waves:
        for block in wave:
            it = state.block(block)
            if it.status is BlockStatus.PENDING and it.wake_at is None:
                yield state.graph.blocks[block]


# -- in the workflows that have called this one -----------------------------------------------

_GIVES = {RunStatus.SUCCEEDED: BlockStatus.SUCCEEDED, RunStatus.REJECTED: BlockStatus.REJECTED}


async def _tell_above(parts: Parts, state: RunState, told: _Told) -> None:
    """Tell what follows in the runs whose blocks wait for this one."""
    ends = state.finished.status if state.finished is not None else end_status(state)
    while state.parent is not None:
        block = state.parent.block
        try:
            state = await parts.states.newest(state.parent.run_id)
        except RunNotFound:
            return
        status = _GIVES.get(ends, BlockStatus.FAILED)
        await told.take(_named(_later(parts, state, {block: status}), state.graph.definition.name))
        ends = _end_with(state, block, status)


def _end_with(state: RunState, block: BlockId, status: BlockStatus) -> RunStatus:
    """Return as what a run ends if nothing goes wrong in it but *block* ends as *status*."""
    is_tolerated = state.definition_of(block).on_failure is OnFailure.CONTINUE
    if status is BlockStatus.FAILED and not is_tolerated:
        return RunStatus.FAILED
    return RunStatus.REJECTED if status is BlockStatus.REJECTED else end_status(state)


async def _named(blocks: AsyncIterator[ForeseenBlock], workflow: str) -> AsyncIterator[ForeseenBlock]:
    async for block in blocks:
        yield block.evolve(above=workflow)
