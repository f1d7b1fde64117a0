"""A new run that goes on from a point of another one.

What had ended at that point stays; what had begun, or had failed, begins again. The other run is only
read: it may go on meanwhile, and is never changed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tidegate.engine.calls import parent_of
from tidegate.engine.forks.edit_rules import put_together, runs_again, stays
from tidegate.engine.forks.edited_secrets import refuse_secrets
from tidegate.engine.forks.edits import Edit, Edits, InvalidEdit, read_edits
from tidegate.engine.forks.places import Inner, Named, Places, edits_apart, named_places, places_again
from tidegate.engine.parts import Parts
from tidegate.engine.view import View
from tidegate.errors import CheckpointNotFound, CorruptStore, InputsError
from tidegate.model.base import JsonObject
from tidegate.model.codec import printable
from tidegate.model.events import Origin, Parent, Record, RunForked
from tidegate.model.fold import apply
from tidegate.model.fork_events import KeptAnswer, question_key
from tidegate.model.ids import BlockId, RunId, Seq, block_of, is_part, new_run_id
from tidegate.model.prompt import RecoveryPrompt, is_secret
from tidegate.model.state import BlockStatus, Child, PauseState, RunState
from tidegate.model.workflow import Graph, WorkflowDefinition, definition_hash
from tidegate.store.below import stood_below
from tidegate.store.protocol import NewRun
from tidegate.store.replay import replay
from tidegate.workflows.run_inputs import validate_inputs

__all__ = ["Fork", "ForkRequest", "asked_fork", "forked_child", "new_fork", "prepare_fork", "request_below"]


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """What a person asks for."""

    origin: Origin
    edits: tuple[Edit, ...] = ()
    """What is to be other than it was."""
    blocks: tuple[BlockId, ...] = ()
    """Blocks, or items of them, that are to run again with everything downstream, though they had ended; of a run
    below after the place that called it, as in ``regions[red]/deploy``: that run goes on as a fork, too."""
    workflow: WorkflowDefinition | None = None
    """What it goes on with, if not with what the other run is pinned to."""
    source: str = ""
    """The text of that one's file."""
    keep_answers: bool = False
    """Whether answers that were given after the point count again for the very same questions."""


@dataclass(frozen=True, slots=True)
class Fork:
    """A fork that could be made."""

    event: RunForked
    at: float
    before: RunState
    """Of the other run, at the point."""
    after: RunState
    """Of the fork, as it begins."""
    newest: RunState
    """Of the other run, as far as it can be read."""
    head: Seq
    """The newest event of the other run."""
    edits: Edits
    source: str = ""
    """The text of its workflow's file, where that is not the other run's."""


@dataclass(frozen=True, slots=True)
class _Basis:
    """What a fork is made from."""

    head: Seq
    """The newest event of the other run."""
    before: RunState
    """Of the other run, at the point."""
    newest: RunState
    """Of the other run, as far as it can be read."""
    workflow: WorkflowDefinition | None
    """What the fork goes on with, if that is another definition."""

    @property
    def pinned(self) -> WorkflowDefinition:
        """The definition that the fork has."""
        return self.before.graph.definition if self.workflow is None else self.workflow

    def has_inputs(self) -> JsonObject:
        """Return what is given to a run of that definition, as far as it was given there or has a default."""
        return self.before.inputs if self.workflow is None else self.workflow.inputs_of(self.before.inputs)

    def as_edited(self) -> RunState:
        """Return the state in which edits are read: with what the fork's definition has blocks and inputs for."""
        if self.workflow is None:
            return self.before
        return self.before.evolve(graph=Graph(self.workflow), inputs=self.has_inputs())


async def prepare_fork(
    parts: Parts, request: ForkRequest, run_id: RunId, *, by: str, parent: Parent | None = None
) -> Fork:
    """Return the fork that *request* asks for. Nothing is written.

    Args:
        parts: What the executor works with.
        request: What is asked for.
        run_id: That of the fork.
        by: Who asks.
        parent: The block whose work it does, if it does one's.

    Raises:
        RunNotFound, CheckpointNotFound, BlockNotFound: there is no such run, point or block.
        InvalidEdit: something cannot be changed, or not to this.
    """
    now, basis = parts.clock.now(), await _basis(parts, request)
    own, below = edits_apart(basis.before, request.edits)
    asked = tuple(basis.newest.pauses.values())
    edits = await read_edits(View(parts, basis.as_edited()), own, asked, by=by)
    named = named_places(basis.before, [*request.blocks, *edits.answers], below)
    places = places_again(basis.before, named)
    event = RunForked(
        origin=request.origin.evolve(again=(), edits=()),
        definition=definition_hash(basis.pinned),
        workflow=basis.workflow,
        by=printable(by),
        parent=parent,
        again=places.again,
        inputs=edits.inputs if basis.workflow is None else _all_inputs(basis, edits),
        given=edits.given,
        outputs=edits.outputs,
        variables=edits.variables,
        kept={place: (kept,) for place, kept in edits.answers.items()},
        keep_answers=request.keep_answers,
        children=await _children(parts, basis, places, named),
    )
    after = _begin(basis.before, event, run_id, now)
    _check_edits(edits, after)
    if request.keep_answers:
        event = event.evolve(kept=_kept(basis.newest, after, edits.answers))
        after = _begin(basis.before, event, run_id, now)
    return Fork(event, now, basis.before, after, basis.newest, basis.head, edits, request.source)


async def asked_fork(parts: Parts, request: ForkRequest, run_id: RunId, *, by: str) -> Fork:
    """Return the fork that a person asks for, as `prepare_fork` does: what is a secret, is refused.

    Raises: as it does; InvalidEdit also for what a secret is.
    """
    fork = await prepare_fork(parts, request, run_id, by=by)
    await refuse_secrets(parts.store, fork.after, fork.edits.values.values())
    return fork


async def _basis(parts: Parts, request: ForkRequest) -> _Basis:
    origin = request.origin
    head = (await parts.store.run(origin.run_id)).head
    if not 1 <= origin.seq <= head:
        raise CheckpointNotFound(f"{origin.run_id}@{origin.seq}")
    before = await _as_it_was(parts, origin, head)
    return _Basis(head, before, await _newest(parts, before), _another(before, request))


async def _as_it_was(parts: Parts, origin: Origin, head: Seq) -> RunState:
    if origin.seq < head:
        return await replay(parts.store, origin.run_id, upto=origin.seq)
    newest = await parts.states.newest(origin.run_id)
    return newest if newest.head == origin.seq else await replay(parts.store, origin.run_id, upto=origin.seq)


async def _newest(parts: Parts, before: RunState) -> RunState:
    """Return the state at the head; if that cannot be read, the one at the point: that is all that a fork needs."""
    try:
        return await parts.states.newest(before.run_id)
    except CorruptStore:
        return before


def _another(before: RunState, request: ForkRequest) -> WorkflowDefinition | None:
    """Return the definition that a fork goes on with, if it is another one."""
    if request.workflow is None or definition_hash(request.workflow) == definition_hash(
        before.graph.definition
    ):
        return None
    return request.workflow


def _all_inputs(basis: _Basis, edits: Edits) -> JsonObject:
    """Return the inputs of a run of another definition, with its defaults.

    Raises:
        InvalidEdit: one is missing, or what the other run was started with is not what this one takes.
    """
    try:
        return validate_inputs(basis.pinned, {**basis.has_inputs(), **edits.inputs}, from_text=False)
    except InputsError as error:
        problem = f"the workflow takes other inputs now: {error.problem}"
        raise InvalidEdit(("inputs",), f"{problem} (--set inputs.NAME=VALUE)") from None


def _begin(before: RunState, event: RunForked, run_id: RunId, at: float) -> RunState:
    record = Record(run_id=run_id, seq=Seq(before.head + 1), at=at, event=event)
    return apply(before.evolve(run_id=run_id), record)


def new_fork(parts: Parts, fork: Fork) -> NewRun:
    """Return the run to be created, with its lease taken by this process."""
    return NewRun(
        run_id=fork.after.run_id,
        definition=fork.after.graph.definition,
        definition_hash=fork.event.definition,
        source=fork.source,
        at=fork.at,
        events=(fork.event,),
        summary=fork.after.summarise(),
        owner=parts.owner,
        lease_until=fork.at + parts.lease_seconds,
    )


# -- what is changed -------------------------------------------------------------------------


def _check_edits(edits: Edits, after: RunState) -> None:
    """Refuse what would be changed for nothing."""
    for place, outputs in edits.outputs.items():
        name = next(iter(outputs))
        if not after.block(place).status.has_ended:
            raise InvalidEdit(("blocks", place, "outputs", name), runs_again(place))
        if is_part(place) and after.block(block_of(place)).status.has_ended:
            raise InvalidEdit(("blocks", place, "outputs", name), put_together(after, place, name))
    for block, given in edits.given.items():
        if after.block(block).status.has_ended:
            problem = f"{stays(block)}: let it run again (--from {block})"
            raise InvalidEdit(("blocks", block, "inputs", next(iter(given))), problem)


# -- answers that count again -----------------------------------------------------------------


def _kept(
    newest: RunState, after: RunState, given: Mapping[BlockId, KeptAnswer]
) -> dict[BlockId, tuple[KeptAnswer, ...]]:
    """Return the answers of the other run to questions that the fork may still ask; of equal ones the last.

    Those that are *given* with the fork come before any.
    """
    found: dict[BlockId, dict[str, KeptAnswer]] = {}
    for pause in sorted(newest.pauses.values(), key=lambda pause: pause.opened_seq):
        if pause.state is not PauseState.ANSWERED or pause.answer is None:
            continue
        # What to do about an interruption was decided about that one alone.
        # A secret is not in the history.
        of_its_own = isinstance(pause.prompt, RecoveryPrompt) or is_secret(pause.prompt)
        if of_its_own or after.block(pause.block).status.has_ended:
            continue
        key = question_key(pause.prompt)
        answer = pause.answer.evolve(via="fork")
        kept = KeptAnswer(question=key, answer=answer, pause_id=pause.pause_id)
        found.setdefault(pause.block, {})[key] = kept
    for place, kept in given.items():
        found.setdefault(place, {})[kept.question] = kept
    return {block: tuple(answers.values()) for block, answers in found.items()}


# -- runs that its blocks had started ---------------------------------------------------------


def _left_undone(state: RunState, places: Places) -> Iterator[BlockId]:
    """Yield the places that stay as they are, and are to go on with a fork of another run.

    That run did not do their work, and a retry goes on with a fork of it; or this is a fork that had not come to it.
    """
    for place in places.untouched(state.touched):
        block = state.block(place)
        if block.child is not None:
            has_lost = block.status.has_ended and block.status is not BlockStatus.SUCCEEDED
            if has_lost or block.child.is_to_be_forked:
                yield place


async def _children(parts: Parts, basis: _Basis, places: Places, named: Named) -> dict[BlockId, Origin]:
    """Return for places that another run was doing the work of, the point at which that one was."""
    before, head = basis.before, basis.head
    found: dict[BlockId, Origin] = {}
    for place in (*places.going_on, *_left_undone(before, places)):
        seq = await stood_below(parts.store, before, head, place)
        child = before.block(place).child
        if child is not None and seq is not None:
            inner = _still_wanted(child).then(named.below.get(place, Inner()))
            found[place] = Origin(run_id=child.run_id, seq=seq, again=inner.again, edits=inner.edits)
    for place in named.below:
        await _must_be_possible(parts, place, found.get(place))
    return found


def _still_wanted(child: Child) -> Inner:
    """Return what is wanted of a run below by the fork of which this is one, where that had not come to it."""
    if child.origin is None or not child.is_to_be_forked:
        return Inner()
    return Inner(child.origin.again, child.origin.edits)


async def _must_be_possible(parts: Parts, place: BlockId, origin: Origin | None) -> None:
    """Refuse what is wanted below, but cannot be done there."""
    if origin is None:
        problem = f"the run that did the work of '{place}' is gone: leave it out, and all of it begins again"
        raise InvalidEdit(("blocks", place), problem)
    try:
        await asked_fork(parts, request_below(origin), new_run_id(), by="")
    except InvalidEdit as error:
        where, *inner = error.path[1:]
        raise InvalidEdit(("blocks", f"{place}/{where}", *inner), error.problem) from None


def request_below(origin: Origin, *, keep_answers: bool = False) -> ForkRequest:
    """Return what is asked for of a run below that goes on from a point."""
    return ForkRequest(origin, origin.edits, origin.again, keep_answers=keep_answers)


async def forked_child(
    parts: Parts, state: RunState, place: BlockId, run_id: RunId, origin: Origin
) -> NewRun:
    """Return the run that does the work of *place* by going on from a point of another run."""
    request = request_below(origin, keep_answers=state.keep_answers)
    fork = await prepare_fork(parts, request, run_id, by=state.by, parent=parent_of(state, place))
    return new_fork(parts, fork)
