"""A recorded run, done again by its workflow without doing anything: the real engine, and recorded results.

Conditions, joins, items, iterations, retries and questions are those of the workflow as it is now. What a
block's work would be is not done: it ends as it did in the recording. Nothing is waited for, nothing is run,
nothing is read but the workflow, and nothing is kept.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tidegate.blocks.base import Block, BlockContext, Completed, Failed, Result, TimerBlock, WorkBlock
from tidegate.clock import SystemClock
from tidegate.embedding.block_types import catalog_with, types_with
from tidegate.embedding.hasty import hasty
from tidegate.engine.executor import Executor
from tidegate.errors import InputsError, InvalidAnswer
from tidegate.history.history import History
from tidegate.history.recording import (
    RecordedAttempt,
    RecordedQuestion,
    Recording,
    path_of,
    read_recording,
    recorded_questions,
    told_path,
    told_questions,
)
from tidegate.history.views import where
from tidegate.model.answer import Reply
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec
from tidegate.model.events import Failure, RunStatus
from tidegate.model.ids import BlockId, PauseId, RunId, is_part, new_run_id
from tidegate.model.listing import PauseRow
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store
from tidegate.workflows.loader import Loaded, load_workflow
from tidegate.workflows.run_inputs import validate_inputs

__all__ = ["Replayed", "replay", "replay_async"]

_YEARS = 100 * 365 * 86_400.0
_MOST_ROUNDS = 100_000


@dataclass(frozen=True, slots=True)
class Replayed:
    """What the workflow made of a recording."""

    status: RunStatus
    outputs: JsonObject
    path: dict[str, str]
    """How each block stands at the end, those of runs below included: `{"build": "succeeded"}`."""
    questions: tuple[str, ...]
    """What was asked, each with its place, in the order of the places: `gate: Go?`."""
    differences: tuple[str, ...]
    """What is other than in the recording, a sentence each; empty: nothing."""

    @property
    def blocks(self) -> dict[str, str]:
        """How each block stands at the end, without its items and iterations."""
        return {place: stands for place, stands in self.path.items() if not is_part(BlockId(place))}

    def __str__(self) -> str:
        if not self.differences:
            return f"{self.status}, as in the recording"
        return "\n".join(("other than in the recording:", *(f"  {it}" for it in self.differences)))


def replay(
    workflow: Loaded | str | os.PathLike[str],
    recording: Recording | str | os.PathLike[str],
    *,
    blocks: Mapping[str, Block] | None = None,
) -> Replayed:
    """Let a workflow do again what a run of it did, without doing anything; return what came of it.

    Args:
        workflow: A file, or what `Tidegate.load` returned.
        recording: What `tidegate checkpoints export --as-test` has written.
        blocks: The program's own block types by name, as for `tidegate.open`; their work is not done either.

    Raises:
        DefinitionError: the workflow has faults.
        BadRecording: the file is no recording.
    """
    return asyncio.run(replay_async(workflow, recording, blocks=blocks))


async def replay_async(
    workflow: Loaded | str | os.PathLike[str],
    recording: Recording | str | os.PathLike[str],
    *,
    blocks: Mapping[str, Block] | None = None,
) -> Replayed:
    """Do as `replay`, in a running event loop."""
    own = blocks or {}
    if not isinstance(workflow, Loaded):
        workflow = await asyncio.to_thread(load_workflow, Path(workflow), catalog_with(own))
    if not isinstance(recording, Recording):
        text = await asyncio.to_thread(Path(recording).read_bytes)
        recording = read_recording(text, str(recording))
    clock = _Ahead()
    store = await open_store("memory://", clock=clock)
    try:
        return await _Replay(store, clock, recording, types_with(own)).run(workflow.definition)
    finally:
        await store.close()


class _Ahead(SystemClock):
    """The machine's clock, set forward to whatever would be waited for."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """Return the instant, in seconds since 1970 UTC."""
        return super().now() + self._ahead

    def skip_to(self, instant: float) -> None:
        """Let it be that instant, if it is still to come."""
        self._ahead += max(0.0, instant - self.now())


@dataclass(slots=True)
class _Tape:
    """The attempts of a recording, each to be taken once."""

    recording: Recording
    store: Store
    taken: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    async def next(self, context: BlockContext) -> RecordedAttempt | None:
        """Return how the next attempt at a place ended; None: nothing is recorded of it."""
        path = path_of((await self.store.run(context.run_id)).path, context.block_id)
        attempts = self.recording.attempts.get(path, ())
        number = self.taken.get(path, 0)
        self.taken[path] = number + 1
        if number < len(attempts):
            return attempts[number]
        self.differences.append(_not_recorded(self.recording, path, number))
        return None

    def unused(self) -> Iterator[str]:
        """Yield a sentence for each place that did less than in the recording."""
        for path, attempts in self.recording.attempts.items():
            taken = self.taken.get(path, 0)
            if 0 < taken < len(attempts):
                yield f"block '{path}' did its work {_times(taken)}, and {_times(len(attempts))} in the recording"


def _not_recorded(recording: Recording, path: str, number: int) -> str:
    if number:
        return f"block '{path}' did its work {_times(number + 1)}, and only {_times(number)} in the recording"
    stood = recording.path.get(path)
    if stood is None:
        return f"block '{path}' ran, and the recording knows no such block: record it anew"
    reason = recording.reasons.get(path)
    return f"block '{path}' ran, and was {stood} in the recording{f' ({reason})' if reason else ''}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


@dataclass(slots=True)
class _Names:
    """The ids of the recorded runs, each to be taken once: what texts say of a run is then as it was."""

    recording: Recording
    taken: Counter[str] = field(default_factory=Counter)

    def next(self, path: str) -> RunId:
        """Return what the next run is called that does the work of a place; empty: the run on top."""
        known = self.recording.children.get(path, ()) if path else (self.recording.run_id,)
        number = self.taken[path]
        self.taken[path] += 1
        return known[number] if number < len(known) else new_run_id()


class _Played(WorkBlock):
    """A block whose work ends as it did in the recording."""

    spec: ClassVar[BlockSpec]
    takes_secrets: ClassVar[bool] = False

    def __init__(self, spec: BlockSpec, tape: _Tape) -> None:
        # Of the instance: each stands for another type.
        self.spec = spec  # type: ignore[misc]
        self._tape = tape

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """End as it did."""
        attempt = await self._tape.next(context)
        if attempt is None:
            message = "nothing is recorded of it: it did not run, or not as often"
            return Failed(Failure(kind=FailureKind.ERROR, message=message))
        if attempt.failure is not None:
            return Failed(attempt.failure, attempt.outputs)
        for name, value in attempt.state.items():
            context.state[name] = value
        return Completed(attempt.outputs)

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return that nothing is done."""
        return "replayed"


class _Types(Mapping[str, Block]):
    """Every block type, those that would do something or wait replaced by ones that play a tape."""

    def __init__(self, types: Mapping[str, Block], tape: _Tape) -> None:
        self._types = types
        self._tape = tape

    def __getitem__(self, name: str) -> Block:
        block = self._types[name]
        return _Played(block.spec, self._tape) if isinstance(block, WorkBlock | TimerBlock) else block

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)


class _Replay:
    """One recording, being played."""

    def __init__(self, store: Store, clock: _Ahead, recording: Recording, types: Mapping[str, Block]) -> None:
        self._clock = clock
        self._recording = recording
        self._tape = _Tape(recording, store)
        self._executor = Executor(
            store,
            clock,
            _Types(types, self._tape),
            lease_seconds=_YEARS,
            max_checkpoint_size_mb=1 << 20,
            run_id=_Names(recording).next,
        )
        self._history = History(store, clock, self._executor.states)
        self._seen: set[PauseId] = set()
        self._turns: Counter[str] = Counter()
        """How often each place has asked."""
        self._differences = self._tape.differences

    async def run(self, definition: WorkflowDefinition) -> Replayed:
        """Play it to where the recording ends."""
        try:
            inputs = validate_inputs(definition, self._recording.inputs, from_text=False)
        except InputsError as error:
            return Replayed(RunStatus.FAILED, {}, {}, (), (f"its inputs are not taken: {error.problem}",))
        await self._executor.open()
        try:
            run_id = await self._executor.start(hasty(definition), inputs, by="replay")
            await self._play(run_id)
            return await self._replayed(run_id)
        finally:
            await self._executor.close()

    async def _play(self, run_id: RunId) -> None:
        for _ in range(_MOST_ROUNDS):
            row = await self._executor.settle(run_id)
            if row.summary.status.is_terminal or not await self._turn(run_id):
                return

    async def _turn(self, run_id: RunId) -> bool:
        """Do as people did, in one respect; return whether there was anything to do."""
        for pause in await self._history.inbox(run_id):
            if pause.pause_id not in self._seen and await self._settle(pause):
                return True
        return False

    async def _settle(self, pause: PauseRow) -> bool:
        path = where(pause)
        recorded = self._recording.questions.get(path, ())
        # By place, in their order: a place asks one question after the other.
        number = self._turns[path]
        self._turns[path] += 1
        self._seen.add(pause.pause_id)
        if number >= len(recorded) or recorded[number].end in ("waits", "closed"):
            return False
        if recorded[number].end == "expired":
            return await self._expire(pause)
        return await self._answer(pause, recorded[number], path)

    async def _expire(self, pause: PauseRow) -> bool:
        if pause.deadline is None:
            self._differences.append(
                f"the question at '{where(pause)}' has no deadline, and expired in the recording"
            )
            return False
        self._clock.skip_to(pause.deadline)
        await self._executor.resume(pause.run_id, by="replay")
        return True

    async def _answer(self, pause: PauseRow, recorded: RecordedQuestion, path: str) -> bool:
        reply = _reply(pause, recorded)
        try:
            await self._executor.answer(pause.pause_id, reply)
        except InvalidAnswer as error:
            self._differences.append(f"the question at '{path}' does not take the recorded answer: {error}")
            return False
        return True

    # -- what came of it ----------------------------------------------------------------------

    async def _replayed(self, run_id: RunId) -> Replayed:
        tree = await self._history.tree(run_id)
        path: dict[str, str] = {}
        questions: dict[str, list[RecordedQuestion]] = {}
        for view in tree.views:
            state = await self._history.state(view.row.run_id)
            path |= told_path(state, view.row.path)
            for place, asked in recorded_questions(state, view.row.path).items():
                questions.setdefault(place, []).extend(asked)
        top = await self._history.state(run_id)
        outputs = top.finished.outputs if top.finished is not None else {}
        found = [
            *self._differences,
            *self._tape.unused(),
            *_other_path(self._recording, path, self._differences),
            *_other_questions(self._recording, questions),
            *_other_end(self._recording, top.status, outputs, top.summarise().reason),
        ]
        return Replayed(top.status, outputs, path, told_questions(questions), tuple(dict.fromkeys(found)))


def _reply(pause: PauseRow, recorded: RecordedQuestion) -> Reply:
    """Return the recorded answer as a text that its question, as it is now, reads as the same."""
    try:
        raw = pause.prompt.spell(recorded.answer)
    except (TypeError, ValueError, AttributeError, KeyError):
        # Of another kind than the question was.
        raw = str(recorded.answer)
    return Reply(raw=raw, by="replay", via="api", comment=recorded.comment)


def _other_path(recording: Recording, path: Mapping[str, str], said: Iterable[str]) -> Iterator[str]:
    known = set(said)
    for place, stood in recording.path.items():
        now = path.get(place)
        if now == stood or _not_recorded(recording, place, 0) in known:
            continue
        reason = f" ({recording.reasons[place]})" if place in recording.reasons else ""
        if now is None:
            yield f"block '{place}' is not there, and was {stood} in the recording"
        else:
            yield f"block '{place}' is {now}, and was {stood} in the recording{reason}"
    for place, now in path.items():
        if (
            place not in recording.path
            and now != "pending"
            and _not_recorded(recording, place, 0) not in known
        ):
            yield f"block '{place}' is {now}, and the recording knows no such block"


def _other_questions(recording: Recording, questions: Mapping[str, list[RecordedQuestion]]) -> Iterator[str]:
    for place in dict.fromkeys((*recording.questions, *questions)):
        before, now = recording.questions.get(place, ()), questions.get(place, [])
        for one, other in zip(before, now, strict=False):
            if (one.kind, one.text) != (other.kind, other.text):
                yield f"'{place}' asks '{other.text}' ({other.kind}), and '{one.text}' ({one.kind}) in the recording"
        if len(before) > len(now):
            yield f"'{place}' does not ask '{before[len(now)].text}', as it did in the recording"
        elif len(now) > len(before):
            yield f"'{place}' asks '{now[len(before)].text}', which it did not in the recording"


def _other_end(recording: Recording, status: RunStatus, outputs: JsonObject, reason: str) -> Iterator[str]:
    if status is not recording.status:
        yield f"the run is {status}{f' ({reason})' if reason else ''}, and was {recording.status} in the recording"
    for name in dict.fromkeys((*recording.outputs, *outputs)):
        before, now = recording.outputs.get(name), outputs.get(name)
        if before != now:
            yield f"the output '{name}' is {now!r:.200}, and was {before!r:.200} in the recording"
