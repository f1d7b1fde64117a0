"""What an answer would lead to: the engine's own decisions, made on a draft that is thrown away.

What happens in the moment of the answer is exact: the same code decides, over the same values. What
follows is what hangs on the answer, if all goes well: what depends on the block that asks, and what
waits for its wave. What other people decide about as well is told apart, and what has nothing to do with
the answer not at all. A condition that reads what is not known yet is told as it is written.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count

from tidegate.blocks.base import InteractiveBlock
from tidegate.engine.decide import decide
from tidegate.engine.draft import Draft
from tidegate.engine.parts import Parts
from tidegate.engine.plan import end_status, why_skipped
from tidegate.engine.prepare import Ready, block_as_given, prepare
from tidegate.engine.start import summary_of
from tidegate.engine.ties import Ties, has_begun
from tidegate.engine.view import View
from tidegate.engine.votes import as_kept
from tidegate.errors import ExpressionError, PauseClosed, RunNotFound
from tidegate.model.effects import asks_somebody, has_effect, is_reversible
from tidegate.model.events import JournalEvent, PauseAnswered, PauseExpired, RunStatus
from tidegate.model.ids import BlockId, PauseId, block_of
from tidegate.model.outlook import Ahead, ForeseenBlock, Outlook, Supposed
from tidegate.model.policy import OnFailure
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.model.workflow import BlockDefinition, Dependency
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
_LOST = (BlockStatus.FAILED, BlockStatus.REJECTED)
"""The worst first."""
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
    ties = Ties(state, after, pause.block)
    await told.take(_later(parts, after, ties, await _ends_once_let_go(parts, state, pause_id, raw)))
    caller = await _tell_above(parts, after, ties, told)
    block = after.block(pause.block)
    return Outlook(
        pause_id=pause_id,
        run_id=state.run_id,
        head=state.head,
        blocks=tuple(told.blocks),
        hidden=told.hidden,
        block_ends=block.status.value if block.status.has_ended else "",
        ends=after.finished.status if after.finished is not None else None,
        asks_again=_asks_again(state, after, block_of(pause.block)),
        caller=caller,
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


async def _ends_once_let_go(
    parts: Parts, state: RunState, pause_id: PauseId, raw: str | Supposed
) -> Mapping[BlockId, BlockStatus]:
    """Return as what the block that asks ends which a held run does not settle before it is let go on."""
    if state.held is None:
        return _NONE
    place = state.pauses[pause_id].block
    status = (await _after(parts, state.evolve(held=None), pause_id, raw)).block(place).status
    return {place: status} if status.has_ended else _NONE


def _asks_again(before: RunState, after: RunState, block: BlockId) -> str:
    """Return what a block asks next because of the answer: once more, of another item, or in another iteration."""
    opened = [after.pauses[it] for it in after.open_pauses if it not in before.pauses]
    return next((pause.prompt.text for pause in opened if block_of(pause.block) == block), "")


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
        """Tell some more, one after the other; what cannot be undone is told in any case."""
        async for block in found:
            if len(self.blocks) < self.room or not block.reversible:
                self.blocks.append(block)
            else:
                self.hidden += 1


# -- in the moment of the answer --------------------------------------------------------------


async def _moment(before: RunState, after: RunState, asking: BlockId) -> AsyncIterator[ForeseenBlock]:
    """Yield what the answer itself starts, asks, or skips."""
    for block_id, definition in after.graph.blocks.items():
        was, now = before.block(block_id), after.block(block_id)
        if has_begun(was, now):
            yield _begun(after, definition, block_id)
        elif now.status is BlockStatus.SKIPPED is not was.status and block_id != asking:
            yield _foreseen(after, definition, Ahead.SKIPPED, reason=now.reason)
    if after.fan_of(asking) is not None and not has_begun(
        before.block(block_of(asking)), after.block(block_of(asking))
    ):
        for part in after.parts_of(block_of(asking)):
            if has_begun(before.block(part), after.block(part)):
                yield _begun(after, after.definition_of(part), part).evolve(block=part)


def _begun(after: RunState, definition: BlockDefinition, place: BlockId) -> ForeseenBlock:
    now = after.block(place)
    why = now.failure.message if now.status is BlockStatus.FAILED and now.failure is not None else ""
    return _foreseen(after, definition, Ahead.AT_ONCE, does=_does(now), reason=why)


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
        reversible=not runs or is_reversible(block, workflow),
        asks=runs and asks_somebody(block, workflow),
        always=block.always,
        reason=reason,
    )


# -- after that -------------------------------------------------------------------------------


class _Walk:
    """Goes on through the plan as if all went well, remembering of what that is not known."""

    def __init__(
        self, parts: Parts, state: RunState, ties: Ties, ends: Mapping[BlockId, BlockStatus]
    ) -> None:
        self._parts = parts
        self._ties = ties
        self._known = View(parts, state)
        """What there is: texts that read no more than this can be evaluated."""
        self._unsure: set[str] = set()
        """Blocks that may be skipped as well."""
        open_blocks = [block for block, it in state.touched.items() if it.status in _LEFT]
        self._supposed = state
        """How blocks end if all goes well."""
        self._suppose({**{block: _end_of(state, block, ends) for block in open_blocks}, **ends})

    def _suppose(self, ends: Mapping[BlockId, BlockStatus]) -> None:
        touched, block = self._supposed.touched, self._supposed.block
        for block_id, status in ends.items():
            touched = touched.set(block_id, block(block_id).evolve(status=status))
        self._supposed = self._supposed.evolve(touched=touched)

    async def look_at(self, block: BlockDefinition) -> ForeseenBlock | None:
        """Return what becomes of a block that is still ahead; None if that has nothing to do with the answer."""
        tie = self._ties.of(block)
        found = await self._become(block)
        self._ties.go_on(block, tie, is_skipped=found.skipped, is_sure=found.is_sure)
        found = found.evolve(after_question=tie.after_question)
        if found.skipped:
            return found if tie.follows else None
        if tie.others:
            return found.evolve(ahead=Ahead.WAITS, waits_for=tie.others) if tie.follows else None
        return found.evolve(by_wave=tie.by_wave) if tie.is_due else None

    async def _become(self, block: BlockDefinition) -> ForeseenBlock:
        state = self._known.state
        reason = self._why_skipped(block)
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

    def _why_skipped(self, block: BlockDefinition) -> str:
        """Return why a block is skipped, whatever other people decide of what it depends on."""
        if not any(self._ties.waits(it.block) for it in block.depends_on):
            return why_skipped(self._supposed, block)
        decided = [it for it in block.depends_on if self._decides(it)]
        # One that was skipped leaves the block to the others.
        found = (why_skipped(self._supposed, block.evolve(depends_on=(it,))) for it in decided)
        return next(filter(None, found), "")

    def _decides(self, dependency: Dependency) -> bool:
        """Whether how a dependency ends is known, and may be enough to skip what depends on it."""
        status = self._supposed.block(dependency.block).status
        if not self._ties.waits(dependency.block):
            return bool(dependency.when) or status is not BlockStatus.SKIPPED
        # Of what has lost already others decide how much more.
        tolerates = self._supposed.graph.blocks[dependency.block].on_failure is OnFailure.CONTINUE
        return status in _LOST and not dependency.when and not tolerates

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


def _end_of(state: RunState, place: BlockId, ends: Mapping[BlockId, BlockStatus]) -> BlockStatus:
    """Return as what a place ends that has begun, if all goes well from now on: in parts, as the worst of them."""
    if place in ends or state.block(place).fan is None:
        return ends.get(place, BlockStatus.SUCCEEDED)
    parts = [state.block(part).status for part in state.parts_of(place)]
    parts += [status for part, status in ends.items() if block_of(part) == place]
    return next((lost for lost in _LOST if lost in parts), BlockStatus.SUCCEEDED)


async def _later(
    parts: Parts, state: RunState, ties: Ties, ends: Mapping[BlockId, BlockStatus] = _NONE
) -> AsyncIterator[ForeseenBlock]:
    """Yield what follows if all goes well, in the order of the waves.

    Args:
        parts: What the executor works with.
        state: Where the run stands.
        ties: What hangs on the answer.
        ends: Blocks that end in a certain way, which they have not done yet.
    """
    if state.finished is not None:
        return
    walk = _Walk(parts, state, ties, ends)
    looked_at = count()
    for wave in state.graph.definition.waves:
        for block in wave:
            if next(looked_at) % _AT_ONCE == 0:
                await asyncio.sleep(0)  # Runs go on meanwhile.
            definition, it = state.graph.blocks[block], state.block(block)
            if it.status is not BlockStatus.PENDING or it.wake_at is not None:
                ties.pass_by(definition)
            elif (found := await walk.look_at(definition)) is not None:
                yield found
        ties.end_wave()


# -- in the workflows that have called this one -----------------------------------------------

_GIVES = {RunStatus.SUCCEEDED: BlockStatus.SUCCEEDED, RunStatus.REJECTED: BlockStatus.REJECTED}


async def _tell_above(parts: Parts, state: RunState, below: Ties, told: _Told) -> str:
    """Tell what follows in the runs whose blocks wait for this one; return the workflow that has called it.

    Args:
        parts: What the executor works with.
        state: Where the run that asks stands after the answer.
        below: What hangs on the answer in that run.
        told: Where it is told.
    """
    caller, others, asks = "", below.others, below.asks
    ends = state.finished.status if state.finished is not None else end_status(state)
    while state.parent is not None:
        block = state.parent.block
        try:
            state = await parts.states.newest(state.parent.run_id)
        except RunNotFound:
            return caller
        caller = caller or state.graph.definition.name
        status = _GIVES.get(ends, BlockStatus.FAILED)
        ties = Ties(state, state, block, others, is_asked_first=asks)
        await told.take(_named(_later(parts, state, ties, {block: status}), state.graph.definition.name))
        ends, others, asks = _end_with(state, block, status), ties.others, ties.asks
    return caller


def _end_with(state: RunState, block: BlockId, status: BlockStatus) -> RunStatus:
    """Return as what a run ends if nothing goes wrong in it but *block* ends as *status*."""
    is_tolerated = state.definition_of(block).on_failure is OnFailure.CONTINUE
    if status is BlockStatus.FAILED and not is_tolerated:
        return RunStatus.FAILED
    return RunStatus.REJECTED if status is BlockStatus.REJECTED else end_status(state)


async def _named(blocks: AsyncIterator[ForeseenBlock], workflow: str) -> AsyncIterator[ForeseenBlock]:
    async for block in blocks:
        yield block.evolve(above=workflow)
