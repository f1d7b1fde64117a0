"""A store as a team has it after years: many runs, ten checkpoints each, and many questions that wait.

Everything goes through the store and the fold, so it is what an engine would have written; only nothing is run. The
journals are told with the times of the past, and nobody drives what has not ended.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from tidegate.model.events import (
    AttemptFailed,
    AttemptStarted,
    AttemptSucceeded,
    BlockPaused,
    CheckpointMarked,
    Failure,
    JournalEvent,
    PauseAnswered,
    Record,
    RunFinished,
    RunStarted,
    RunStatus,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.fold import apply
from tidegate.model.ids import (
    BlockId,
    CheckpointId,
    PauseId,
    RunId,
    Seq,
    new_checkpoint_id,
    new_idempotency_key,
    new_pause_id,
    new_run_id,
)
from tidegate.model.policy import CheckpointKind, FailureKind
from tidegate.model.prompt import Answer, ChoicePrompt, ConfirmPrompt, Prompt
from tidegate.model.state import RunState, RunSummary, new_state
from tidegate.model.value import Inline
from tidegate.model.workflow import BlockDefinition, Graph, WorkflowDefinition, definition_hash
from tidegate.store.protocol import Append, NewRun, Store

__all__ = ["CHECKPOINTS_OF_A_RUN", "Size", "write"]

CHECKPOINTS_OF_A_RUN = 10
_NAMES = ("deploy-api", "nightly-etl", "invoice-run", "rotate-keys", "backup-all")
_HOUR, _DAY = 3_600.0, 86_400.0
_LIMIT = 40 * _DAY
"""Seconds that there are for an answer, if there is a deadline."""
_HERE, _LEASE = "benchmark:0:0", 60.0
_BLOCK, _LASTED = 40.0, 1_000.0
"""Seconds that a block takes, and a run until it ends or asks. Its events are one commit, and have one time."""
_FAILS, _ASKED, _LIMITED, _CHOICES = 9, 4, 3, 5
"""One of so many ended runs has failed, or was asked something; one of so many questions has a deadline, or choices."""
_AT_ONCE = 100
"""Runs that are written side by side, so that they share what a commit costs."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is."""

    runs: int = 10_000
    questions: int = 2_000
    """Runs that wait, each with one open question; the others have ended."""
    days: float = 20.0
    """How long ago the oldest run began: not so long that it would be cleaned up."""

    @property
    def checkpoints(self) -> int:
        """How many checkpoints all of them have."""
        return self.runs * CHECKPOINTS_OF_A_RUN


def _definition(name: str) -> WorkflowDefinition:
    """Return a workflow of ten blocks in a row, the last but one of which asks."""
    names = [BlockId(f"step_{n}") for n in range(CHECKPOINTS_OF_A_RUN)]
    blocks = [BlockDefinition(id=block, type="Shell", inputs={"command": f"make {block}"}) for block in names]
    blocks[-2] = BlockDefinition(id=names[-2], type="ConfirmOperation", inputs={"message": "Go on?"})
    return WorkflowDefinition(
        name=name, blocks=tuple(blocks), waves=tuple((block,) for block in names), working_dir="/srv/work"
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to become of one run."""

    number: int
    definition: WorkflowDefinition
    began: float
    waits: bool
    now: float

    @property
    def asks(self) -> bool:
        return self.waits or self.number % _ASKED == 0

    @property
    def fails(self) -> bool:
        return not self.waits and self.number % _FAILS == 0

    @property
    def chooses(self) -> bool:
        return self.number // _CHOICES % _CHOICES == 0

    def prompt(self) -> Prompt:
        if self.chooses:
            question = f"{self.number:,} rows differ from yesterday - what now?"
            return ChoicePrompt(question=question, choices=("load anyway", "skip today", "stop"))
        message = f"Promote build 1.{self.number % 40}.{self.number % 7} to production?"
        return ConfirmPrompt(message=message, operation="deploy to 12 production hosts")


def _events(plan: _Plan) -> Iterator[JournalEvent]:
    """Yield what happens in a run after its start: with ten checkpoints, whatever becomes of it."""
    for wave, (block,) in enumerate(plan.definition.waves[:-2]):
        yield from _done(wave, block)
    asking, last = plan.definition.waves[-2][0], plan.definition.waves[-1][0]
    yield WaveStarted(wave=8)
    yield AttemptStarted(block=asking, attempt=1, key=new_idempotency_key())
    # One that waits has marked its eight waves, a point of its author's, and the question.
    yield CheckpointMarked(checkpoint_id=new_checkpoint_id(), kind=CheckpointKind.EXPLICIT, label="ready")
    if not plan.asks:
        yield AttemptSucceeded(block=asking, attempt=1, outputs={}, duration=0.1)
    else:
        yield from _asked(plan, asking)
    if plan.waits:
        return
    yield WaveCompleted(wave=8)
    yield WaveStarted(wave=9)
    yield AttemptStarted(block=last, attempt=1, key=new_idempotency_key())
    if plan.fails:
        failure = Failure(kind=FailureKind.EXIT, message="the command ended with exit code 3", exit_code=3)
        yield AttemptFailed(block=last, attempt=1, failure=failure, duration=2.5)
    else:
        yield AttemptSucceeded(block=last, attempt=1, outputs={}, duration=1.0)
        yield WaveCompleted(wave=9)
    if not plan.asks:
        kind = CheckpointKind.FAILURE if plan.fails else CheckpointKind.WAVE
        yield CheckpointMarked(checkpoint_id=new_checkpoint_id(), kind=kind)
    yield RunFinished(status=RunStatus.FAILED if plan.fails else RunStatus.SUCCEEDED)


def _done(wave: int, block: BlockId) -> Iterator[JournalEvent]:
    yield WaveStarted(wave=wave)
    yield AttemptStarted(block=block, attempt=1, key=new_idempotency_key())
    outputs = {"exit_code": Inline(value=0), "stdout": Inline(value=f"made {block}\n")}
    yield AttemptSucceeded(block=block, attempt=1, outputs=dict(outputs), duration=_BLOCK)
    yield WaveCompleted(wave=wave)
    yield CheckpointMarked(
        checkpoint_id=new_checkpoint_id(), kind=CheckpointKind.WAVE, label=f"wave {wave + 1}"
    )


def _asked(plan: _Plan, block: BlockId) -> Iterator[JournalEvent]:
    pause_id: PauseId = new_pause_id()
    limit = plan.began + _LIMIT if plan.number % _LIMITED == 0 else None
    yield BlockPaused(block=block, attempt=1, pause_id=pause_id, prompt=plan.prompt(), deadline=limit)
    yield CheckpointMarked(checkpoint_id=CheckpointId(pause_id), kind=CheckpointKind.PAUSE, block=block)
    if not plan.waits:
        value = "load anyway" if plan.chooses else True
        yield PauseAnswered(pause_id=pause_id, answer=Answer(value=value, raw="1", by="ana", via="cli"))
        yield AttemptSucceeded(block=block, attempt=1, outputs={}, duration=0.1)


async def write(store: Store, size: Size, now: float) -> None:
    """Write so many runs into an empty store, spread evenly over some days until an hour before *now*."""
    definitions = [_definition(name) for name in _NAMES]
    for start in range(0, size.runs, _AT_ONCE):
        numbers = range(start, min(start + _AT_ONCE, size.runs))
        plans = [
            _Plan(
                number=n,
                # Not in step with which of them wait.
                definition=definitions[(n + n // 5) % len(definitions)],
                began=now - _HOUR - size.days * _DAY * (1 - n / size.runs),
                waits=(n + 1) * size.questions // size.runs > n * size.questions // size.runs,
                now=now,
            )
            for n in numbers
        ]
        await asyncio.gather(*(_tell(store, plan) for plan in plans))


async def _tell(store: Store, plan: _Plan) -> None:
    """Write one run."""
    definition = plan.definition
    name, run_id = definition_hash(definition), new_run_id()
    started = RunStarted(workflow=definition.name, definition=name, by="ana")
    state = _moved(new_state(run_id, Graph(definition)), started, plan.began)
    claim = await store.create_run(_new(run_id, plan, started, state))
    events: list[JournalEvent] = []
    marks: dict[str, RunSummary] = {}
    at = plan.began + _LASTED
    for event in _events(plan):
        state = _moved(state, event, at)
        events.append(event)
        if isinstance(event, CheckpointMarked):
            marks[event.checkpoint_id] = state.summarise()
    await store.append(_append(state, events, marks, at).evolve(epoch=claim.epoch))
    await store.release(run_id, epoch=claim.epoch, head=state.head)


def _moved(state: RunState, event: JournalEvent, at: float) -> RunState:
    return apply(state, Record(run_id=state.run_id, seq=Seq(state.head + 1), at=at, event=event))


def _new(run_id: RunId, plan: _Plan, started: RunStarted, state: RunState) -> NewRun:
    return NewRun(
        run_id=run_id,
        definition=plan.definition,
        definition_hash=started.definition,
        at=plan.began,
        events=(started,),
        summary=state.summarise(),
        # Held while it is written: an engine that is open would drive it on otherwise.
        owner=_HERE,
        lease_until=plan.now + _LEASE,
    )


def _append(state: RunState, events: list[JournalEvent], marks: dict[str, RunSummary], at: float) -> Append:
    return Append(
        run_id=state.run_id,
        after=Seq(state.head - len(events)),
        at=at,
        events=tuple(events),
        summary=state.summarise(),
        marks=marks,
    )
