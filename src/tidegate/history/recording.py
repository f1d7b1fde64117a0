"""What a run did, as a recording: enough to let its workflow do the same again without doing anything.

Recorded is what came from outside: how each attempt at a block's work ended, and what people answered. All
else (conditions, joins, items, iterations, retries, the end) follows from the workflow, and is what a replay
is to find out again. Attempts that a crash cut off, and what people decided about those, are left out: a
replay has no crashes. What a person let run again counts as it was the last time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from tidegate.errors import RunNotFound, TidegateError
from tidegate.history.portable import NotExportable
from tidegate.history.walk import slices
from tidegate.model.base import Json, JsonObject, Noun
from tidegate.model.events import (
    AttemptFailed,
    AttemptStarted,
    AttemptSucceeded,
    BlockExpanded,
    ChildStarted,
    Failure,
    JournalEvent,
    PauseAnswered,
    Record,
    RunForked,
    RunResumed,
    RunStatus,
    SkipRequested,
)
from tidegate.model.fold import apply
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import RecoveryAction, RecoveryPrompt
from tidegate.model.state import BlockStatus, PauseState, RunState, new_state
from tidegate.model.value import Value
from tidegate.model.workflow import Graph, WorkflowDefinition
from tidegate.store.protocol import Store
from tidegate.store.replay import first_definition
from tidegate.store.values import load_values

__all__ = [
    "BadRecording",
    "Recorded",
    "RecordedAttempt",
    "RecordedQuestion",
    "Recording",
    "path_of",
    "read_recording",
    "record",
    "recorded_questions",
    "told_path",
    "told_questions",
]

FORMAT = "tidegate-recording"
VERSION = 1

_OF_THE_ENGINE = frozenset({FailureKind.CONDITION, FailureKind.INPUTS, FailureKind.ITEMS, FailureKind.LOOP})
"""Failures before, or around, a block's own work: a replay meets them by itself."""


class BadRecording(TidegateError):
    """A file is no recording of a run, or one that this version does not know."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{file}: {problem}. Write it anew with `tidegate checkpoints export --as-test`")


class RecordedAttempt(Noun):
    """How one attempt at a block's work ended."""

    outputs: JsonObject = {}
    state: JsonObject = {}
    """What it set of the run's own state."""
    failure: Failure | None = None
    """None: it succeeded."""


class RecordedQuestion(Noun):
    """A question, and what became of it."""

    kind: str
    text: str
    answer: Json = None
    comment: str = ""
    end: str = "waits"
    """`answered`, `expired`, `waits`, or `closed`: its run ended, or was planned again, before anybody answered."""


class Recording(Noun):
    """What a run did. Blocks of runs below it are named by their path: `release/deploy[red]`."""

    format: str
    version: int
    run_id: RunId
    workflow: str
    status: RunStatus
    reason: str = ""
    inputs: JsonObject = {}
    outputs: JsonObject = {}
    path: dict[str, str] = {}
    """How each block stands at the end, and each item or iteration of it."""
    reasons: dict[str, str] = {}
    """Why a block was skipped, or failed."""
    attempts: dict[str, tuple[RecordedAttempt, ...]] = {}
    """Of each place that did work of its own, in their order."""
    questions: dict[str, tuple[RecordedQuestion, ...]] = {}
    children: dict[str, tuple[RunId, ...]] = {}
    """The runs that did the work of a place, in their order: texts of the workflow may name them."""


def read_recording(text: bytes, file: str) -> Recording:
    """Return the recording in a file.

    Raises:
        BadRecording: it is none.
    """
    try:
        recording = msgspec.json.decode(text, type=Recording)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadRecording(file, f"it is no recording of a run ({error})") from error
    if recording.format != FORMAT or recording.version != VERSION:
        problem = f"it is '{recording.format}' of version {recording.version}, not '{FORMAT}' of {VERSION}"
        raise BadRecording(file, problem)
    return recording


@dataclass(slots=True)
class Recorded:
    """A run that was recorded, with what its test is written from."""

    recording: Recording
    definition: WorkflowDefinition
    source: str
    """The text of the workflow's file."""
    is_fork: bool


@dataclass(slots=True)
class _Attempt:
    outputs: Mapping[str, Value]
    state: Mapping[str, Value]
    failure: Failure | None


@dataclass(slots=True)
class _Walk:
    """One run, being recorded."""

    state: RunState
    attempts: dict[BlockId, list[_Attempt]] = field(default_factory=dict)
    children: dict[BlockId, dict[RunId, None]] = field(default_factory=dict)
    begun: set[BlockId] = field(default_factory=set)
    """Places at work. Without that, an outcome is what a person decided after a failure."""
    parted: set[BlockId] = field(default_factory=set)
    """Blocks whose outcome follows from that of their items or iterations."""
    forgotten: set[PauseId] = field(default_factory=set)
    """Questions that count no more, because a person let their block run again."""

    def take(self, record: Record) -> None:
        event = record.event
        self.state = apply(self.state, record.evolve(run_id=self.state.run_id))
        match event:
            case BlockExpanded():
                self.parted.add(event.block)
            case ChildStarted():
                self.children.setdefault(event.block, {})[event.child] = None
            case AttemptStarted():
                self.begun.add(event.block)
            case AttemptSucceeded() | AttemptFailed():
                self._end(event)
            case RunResumed(blocks=blocks):
                self._forget(blocks)
            case RunForked():
                self._forget([*event.again, *self._begins_anew()])
            case _:
                pass
        self._must_be_of_the_workflow(event)

    def _end(self, event: AttemptSucceeded | AttemptFailed) -> None:
        is_own = event.block in self.begun - self.children.keys() - self.parted
        self.begun.discard(event.block)
        is_asked = self.state.definition_of(event.block).interactive
        failure = event.failure if isinstance(event, AttemptFailed) else None
        if is_own and not is_asked and (failure is None or failure.kind not in _OF_THE_ENGINE):
            state = event.state if isinstance(event, AttemptSucceeded) else {}
            self.attempts.setdefault(event.block, []).append(_Attempt(event.outputs, state, failure))

    def _begins_anew(self) -> list[BlockId]:
        """Return the places that had begun in the run before, and have not ended in the fork of it."""
        begun = {*self.attempts, *self.children, *(pause.block for pause in self.state.pauses.values())}
        return [place for place in begun if not self.state.block(place).status.has_ended]

    def _forget(self, places: Iterable[BlockId]) -> None:
        for place in places:
            self.attempts.pop(place, None)
            self.children.pop(place, None)
        again = set(places)
        self.forgotten |= {it.pause_id for it in self.state.pauses.values() if it.block in again}

    def _skips_what_was_cut_off(self, event: PauseAnswered) -> bool:
        prompt, value = self.state.pauses[event.pause_id].prompt, event.answer.value
        is_skip = isinstance(value, dict) and value.get("action") == RecoveryAction.SKIP
        return isinstance(prompt, RecoveryPrompt) and not prompt.failure and is_skip

    def _must_be_of_the_workflow(self, event: JournalEvent) -> None:
        """Refuse what a person did to the run itself: nothing in the workflow would do it again."""
        run = f"run {self.state.run_id}"
        if isinstance(event, SkipRequested):
            raise NotExportable(
                f"{run} can be no test: {event.by or 'a person'} skipped block '{event.block}'"
            )
        if isinstance(event, PauseAnswered) and self._skips_what_was_cut_off(event):
            block, by = self.state.pauses[event.pause_id].block, event.answer.by or "a person"
            raise NotExportable(f"{run} can be no test: {by} skipped block '{block}', which was cut off")
        if isinstance(event, RunForked) and (event.given or event.variables or event.outputs):
            raise NotExportable(
                f"{run} can be no test: it is a fork in which a person changed what blocks had"
            )


async def record(store: Store, run_id: RunId, upto: Seq) -> Recorded:
    """Return what a run did, with everything below it, up to an event.

    Raises:
        RunNotFound: there is no such run.
        NotExportable: it moves there, or a person ended or turned it in a way that its workflow does not.
        CorruptStore: something of it is damaged, or missing.
    """
    row = await store.run(run_id)
    walk = await _walk(store, run_id, upto)
    state, definition = walk.state, walk.state.graph.definition
    _must_be_at_rest(state, upto)
    told = _Told(store)
    await told.tell(walk, "")
    recording = Recording(
        format=FORMAT,
        version=VERSION,
        run_id=run_id,
        workflow=definition.name,
        status=state.status,
        reason=state.summarise().reason,
        inputs=state.inputs,
        outputs=state.finished.outputs if state.finished is not None else {},
        path=told.path,
        reasons=told.reasons,
        attempts={path: tuple(attempts) for path, attempts in told.attempts.items()},
        questions={path: tuple(questions) for path, questions in told.questions.items()},
        children={path: tuple(children) for path, children in told.children.items()},
    )
    source = await store.definition_source(row.definition)
    is_fork = state.forked_from is not None
    return Recorded(_as_one(recording, told.former), definition, source, is_fork)


def _as_one(recording: Recording, former: Mapping[RunId, RunId]) -> Recording:
    """Return what a fork did as if it had done all of it: what it goes on from knew itself by another id."""
    text = msgspec.json.encode(recording)
    for before, now in former.items():
        text = text.replace(before.encode(), now.encode())
    return msgspec.json.decode(text, type=Recording)


def _must_be_at_rest(state: RunState, upto: Seq) -> None:
    run = f"run {state.run_id} can be no test"
    if state.cancel is not None or state.timed_out:
        why = "it was cancelled" if state.cancel is not None else "it used up its time"
        raise NotExportable(f"{run}: {why}, and a replay would not be")
    if state.held is not None or not (state.status.is_terminal or state.status is RunStatus.PAUSED):
        problem = f"it is {state.status} at event {upto}"
        raise NotExportable(f"{run}: {problem}. Name a point at which it has ended, or waits for an answer")


async def _walk(store: Store, run_id: RunId, upto: Seq) -> _Walk:
    definition = await store.definition(await first_definition(store, run_id))
    walk = _Walk(new_state(run_id, Graph(definition)))
    async for records in slices(store, run_id, upto):
        for it in records:
            walk.take(it)
    return walk


class _Told:
    """What is told of a run and of those below it, by path."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.path: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.attempts: dict[str, list[RecordedAttempt]] = {}
        self.questions: dict[str, list[RecordedQuestion]] = {}
        self.children: dict[str, list[RunId]] = {}
        self.former: dict[RunId, RunId] = {}
        """Of runs that forks go on from, the forks."""

    async def tell(self, walk: _Walk, above: str) -> None:
        """Tell of a run that stands at a place."""
        state = walk.state
        await self._name_former(state.run_id)
        self.path |= told_path(state, above)
        for place, block in state.touched.items():
            reason = block.failure.message if block.failure is not None else block.reason
            if reason and block.status is not BlockStatus.SUCCEEDED:
                self.reasons[path_of(above, place)] = reason
        for place, attempts in walk.attempts.items():
            groups = [group for it in attempts for group in (it.outputs, it.state)]
            loaded = await load_values(self._store, groups)
            told = self.attempts.setdefault(path_of(above, place), [])
            for number, it in enumerate(attempts):
                outputs, variables = loaded[2 * number], loaded[2 * number + 1]
                told.append(RecordedAttempt(outputs=outputs, state=variables, failure=it.failure))
        for path, questions in recorded_questions(state, above, walk.forgotten).items():
            self.questions.setdefault(path, []).extend(questions)
        for place, children in walk.children.items():
            self.children.setdefault(path_of(above, place), []).extend(children)
            for child in children:
                await self._below(child, path_of(above, place), state)

    async def _name_former(self, run_id: RunId) -> None:
        row = await self._store.run(run_id)
        while row.origin is not None:
            row = await self._store.run(row.origin.run_id)
            self.former[row.run_id] = run_id

    async def _below(self, run_id: RunId, path: str, above: RunState) -> None:
        try:
            row = await self._store.run(run_id)
        except RunNotFound:
            problem = f"run {run_id}, which did the work of '{path}', is not there any more"
            raise NotExportable(f"run {above.run_id} can be no test: {problem}") from None
        await self.tell(await _walk(self._store, run_id, row.head), path)


def told_questions(questions: Mapping[str, Iterable[RecordedQuestion]]) -> tuple[str, ...]:
    """Return what was asked, each with its place (`gate: Go?`), in the order of the places.

    In which order different places have asked depends on how long work took, and in a replay none takes long.
    """
    return tuple(f"{place}: {it.text}" for place, asked in sorted(questions.items()) for it in asked)


def path_of(above: str, place: str) -> str:
    """Return the path of a place in a run that stands at another one."""
    return f"{above}/{place}" if above else place


def told_path(state: RunState, above: str) -> dict[str, str]:
    """Return how each block of a run stands, and each item and iteration of it, by path."""
    told = {}
    for block in state.graph.blocks:
        for place in (block, *state.parts_of(block)):
            told[path_of(above, place)] = state.block(place).status.value
    return told


def recorded_questions(
    state: RunState, above: str, forgotten: Iterable[PauseId] = ()
) -> dict[str, list[RecordedQuestion]]:
    """Return the questions of a run by the path of what asked, in the order in which they were asked."""
    found: dict[str, list[RecordedQuestion]] = {}
    left_out = set(forgotten)
    for pause in sorted(state.pauses.values(), key=lambda pause: pause.opened_seq):
        prompt = pause.prompt
        if pause.pause_id in left_out or (isinstance(prompt, RecoveryPrompt) and not prompt.failure):
            continue
        question = RecordedQuestion(
            kind=prompt.kind,
            text=prompt.text,
            answer=pause.answer.value if pause.answer is not None else None,
            comment=pause.answer.comment if pause.answer is not None else "",
            end=_end_of(pause.state),
        )
        found.setdefault(path_of(above, pause.block), []).append(question)
    return found


def _end_of(state: PauseState) -> str:
    match state:
        case PauseState.OPEN:
            return "waits"
        case PauseState.ANSWERED:
            return "answered"
        case PauseState.EXPIRED:
            return "expired"
        case PauseState.CLOSED:
            return "closed"
        case _:
            assert_never(state)
