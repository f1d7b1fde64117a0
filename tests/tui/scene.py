"""A store in a known state: journals told event by event, with fixed ids and times.

Everything goes through the real store and the real fold; only the executor is not asked, because it
mints ids and reads the clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from running import definition_of
from tidegate.model.events import (
    AttemptFailed,
    AttemptStarted,
    AttemptSucceeded,
    BlockPaused,
    BlockSkipped,
    CheckpointMarked,
    Failure,
    JournalEvent,
    Parent,
    PauseAnswered,
    Record,
    RunFinished,
    RunStarted,
    RunStatus,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.fold import apply
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import Epoch, OutputChunk, Stream
from tidegate.model.policy import CheckpointKind, FailureKind
from tidegate.model.prompt import Answer, ChoicePrompt, ConfirmPrompt, InputKind, InputPrompt, Prompt
from tidegate.model.state import RunState, RunSummary, new_state
from tidegate.model.value import Inline
from tidegate.model.workflow import Graph, WorkflowDefinition, definition_hash
from tidegate.store.protocol import Append, NewRun, Store

NOW = 1_790_000_000.0
"""When it is, on every clock of a scene."""

ELSEWHERE = "elsewhere:1:1"
"""The process that drives what runs: on another host, so nobody can say it is dead."""

DEPLOY = """
name: deploy-api
description: Build, test, and ask before production.
blocks:
  - {id: checkout, type: Shell, description: Fetch the sources., inputs: {command: git pull}}
  - {id: plan, type: Shell, inputs: {command: make plan}}
  - {id: build_api, type: Shell, depends_on: [checkout], inputs: {command: make api}}
  - {id: build_web, type: Shell, depends_on: [checkout], inputs: {command: make web}}
  - {id: lint, type: Shell, depends_on: [plan], inputs: {command: make lint}}
  - {id: canary, type: Shell, depends_on: [build_api, build_web], inputs: {command: make canary}}
  - {id: approve_prod, type: ConfirmOperation, depends_on: [build_api, lint], inputs: {message: Promote?}}
  - {id: deploy_prod, type: Shell, depends_on: [approve_prod, canary], inputs: {command: make deploy}}
  - {id: smoke_test, type: Shell, depends_on: [deploy_prod], inputs: {command: make smoke}}
  - {id: announce, type: Shell, depends_on: [smoke_test], inputs: {command: make announce}}
"""
ETL = """
name: nightly-etl
blocks:
  - {id: extract, type: Shell, inputs: {command: make extract}}
  - {id: drift, type: AskChoice, depends_on: [extract], inputs: {question: Now?, choices: [load, skip]}}
  - {id: load, type: Shell, depends_on: [drift], inputs: {command: make load}}
"""
INVOICE = """
name: invoice-run
blocks:
  - {id: ask_fx, type: GetInput, inputs: {prompt: Enter the rate}}
  - {id: recalc, type: Shell, depends_on: [ask_fx], inputs: {command: make recalc}}
"""
CLEANUP = """
name: cleanup
blocks:
  - {id: list_files, type: Shell, inputs: {command: ls}}
  - {id: remove, type: Shell, depends_on: [list_files], inputs: {command: rm -r old}}
  - {id: report, type: Shell, depends_on: [remove], inputs: {command: make report}}
"""
BACKUP = """
name: backup-all
blocks:
  - {id: snapshot, type: Shell, inputs: {command: make snapshot}}
  - {id: verify, type: Shell, depends_on: [snapshot], inputs: {command: make verify}}
"""

PROMOTE = ConfirmPrompt(
    message="Promote build 1.5.3 to prod?\n\n12 commits, 0 migrations.\nCanary: 99.97 % ok over 30 min.",
    operation="deploy to 12 production hosts",
    details={"build": "1.5.3", "hosts": 12},
)
DRIFT = ChoicePrompt(
    question="Row count drift 14 % since yesterday - what now?",
    choices=("load anyway", "skip today", "abort and page on-call"),
)
RATE = InputPrompt(
    prompt="Enter the EUR to USD rate for 2026-11", input_type=InputKind.NUMBER, min=0.5, max=2.0
)


@dataclass
class Told:
    """One run, as its journal tells it."""

    store: Store
    state: RunState
    at: float

    async def tell(self, after: float, *events: JournalEvent) -> None:
        """Append events, *after* seconds later than the last ones."""
        self.at += after
        marks: dict[str, RunSummary] = {}
        before = self.state.head
        for event in events:
            self.state = apply(self.state, self._record(event))
            if isinstance(event, CheckpointMarked):
                marks[event.checkpoint_id] = self.state.summarise()
        await self.store.append(self._append(before, events, marks))

    def _record(self, event: JournalEvent) -> Record:
        return Record(run_id=self.state.run_id, seq=Seq(self.state.head + 1), at=self.at, event=event)

    def _append(
        self, after: Seq, events: tuple[JournalEvent, ...], marks: Mapping[str, RunSummary]
    ) -> Append:
        return Append(
            run_id=self.state.run_id,
            after=after,
            at=self.at,
            events=events,
            summary=self.state.summarise(),
            marks=marks,
            epoch=Epoch(1),
        )

    async def wave(self, number: int, seconds: float, *blocks: str) -> None:
        """Let blocks of a wave start, and succeed within *seconds*; the wave is not ended by it."""
        await self.tell(0.0, WaveStarted(wave=number), *[started(block) for block in blocks])
        await self.tell(seconds, *[succeeded(block, seconds) for block in blocks])

    async def end_wave(self, number: int) -> None:
        """Mark the end of a wave."""
        mark = CheckpointId(f"chk_{self.state.run_id[:6]}wave{number}")
        label = f"wave {number + 1}"
        await self.tell(
            0.0,
            WaveCompleted(wave=number),
            CheckpointMarked(checkpoint_id=mark, kind=CheckpointKind.WAVE, label=label),
        )

    async def ask(self, block: str, prompt: Prompt, *, limit: float | None = None) -> PauseId:
        """Let a block ask; *limit* in seconds."""
        item = block.partition("[")[2].removesuffix("]")
        pause_id = PauseId(f"pause_{self.state.run_id[:6]}{item[-6:] or block[:6]}")
        deadline = None if limit is None else self.at + limit
        paused = BlockPaused(
            block=BlockId(block), attempt=1, pause_id=pause_id, prompt=prompt, deadline=deadline
        )
        mark = CheckpointMarked(
            checkpoint_id=CheckpointId(pause_id), kind=CheckpointKind.PAUSE, block=BlockId(block)
        )
        await self.tell(0.0, started(block), paused, mark)
        return pause_id


def started(block: str, summary: str = "") -> AttemptStarted:
    """Return the intent of a block's first attempt."""
    return AttemptStarted(block=BlockId(block), attempt=1, key=f"key_{block}", summary=summary)


def succeeded(block: str, seconds: float) -> AttemptSucceeded:
    """Return the good end of a block's first attempt."""
    outputs = {"exit_code": Inline(value=0), "stdout": Inline(value=f"{block} is done\n")}
    return AttemptSucceeded(block=BlockId(block), attempt=1, outputs=dict(outputs), duration=seconds)


async def begin(
    store: Store, workflow: str | WorkflowDefinition, run_id: str, ago: float, *, parent: Parent | None = None
) -> Told:
    """Create a run that began *ago* seconds before now, by itself or as a part of another one."""
    definition = definition_of(workflow) if isinstance(workflow, str) else workflow
    definition = definition.evolve(working_dir="/srv/work")
    name, at = definition_hash(definition), NOW - ago
    event = RunStarted(workflow=definition.name, definition=name, by="ana", parent=parent)
    state = new_state(RunId(run_id), Graph(definition))
    state = apply(state, Record(run_id=state.run_id, seq=Seq(1), at=at, event=event))
    await store.create_run(
        NewRun(
            run_id=state.run_id,
            definition=definition,
            definition_hash=name,
            at=at,
            events=(event,),
            summary=state.summarise(),
            owner=ELSEWHERE,
            lease_until=NOW + 86_400,
        )
    )
    return Told(store, state, at)


async def fill(store: Store) -> None:
    """Tell six runs: one failed, one done, three that wait for somebody, one at work."""
    await _failed(store)
    await _done(store)
    await _drifting(store)
    await _priced(store)
    await _deploying(store)
    await _at_work(store)


async def _failed(store: Store) -> None:
    run = await begin(store, CLEANUP, "cqt2h7k9m4xw", 4000)
    await run.wave(0, 0.4, "list_files")
    await run.end_wave(0)
    failure = Failure(
        kind=FailureKind.EXIT, message="the command ended with exit code 3: Permission denied", exit_code=3
    )
    failed = AttemptFailed(block=BlockId("remove"), attempt=1, failure=failure, duration=2.5)
    mark = CheckpointMarked(
        checkpoint_id=CheckpointId("chk_cqt2hremove"), kind=CheckpointKind.FAILURE, block=BlockId("remove")
    )
    await run.tell(0.0, WaveStarted(wave=1), started("remove"))
    await run.tell(2.5, failed, mark)
    await run.tell(0.0, BlockSkipped(block=BlockId("report"), reason="'remove' failed"))
    await run.tell(0.1, RunFinished(status=RunStatus.FAILED))


async def _done(store: Store) -> None:
    run = await begin(store, ETL, "dmw5r8t3k6zq", 1800)
    await run.wave(0, 61.0, "extract")
    await run.end_wave(0)
    await run.tell(0.0, WaveStarted(wave=1))
    pause_id = await run.ask("drift", DRIFT)
    answer = Answer(value="load anyway", raw="1", by="ben", via="cli", comment="known campaign")
    await run.tell(1400.0, PauseAnswered(pause_id=pause_id, answer=answer))
    await run.tell(0.1, succeeded("drift", 0.0))
    await run.end_wave(1)
    await run.wave(2, 30.0, "load")
    await run.end_wave(2)
    await run.tell(0.0, RunFinished(status=RunStatus.SUCCEEDED))


async def _drifting(store: Store) -> None:
    run = await begin(store, ETL, "fkz9p2x7c5vj", 900)
    await run.wave(0, 58.0, "extract")
    await run.end_wave(0)
    await run.tell(0.0, WaveStarted(wave=1))
    await run.ask("drift", DRIFT)


async def _priced(store: Store) -> None:
    run = await begin(store, INVOICE, "gx4n6b8d3mhr", 600)
    await run.tell(0.0, WaveStarted(wave=0))
    await run.ask("ask_fx", RATE, limit=420.0)


async def _deploying(store: Store) -> None:
    run = await begin(store, DEPLOY, "hw7j5v9t2qcp", 500)
    await run.wave(0, 29.0, "checkout", "plan")
    await run.end_wave(0)
    await run.wave(1, 281.0, "build_api", "build_web", "lint")
    await run.end_wave(1)
    await run.wave(2, 42.0, "canary")
    await run.ask("approve_prod", PROMOTE, limit=600.0)


async def _at_work(store: Store) -> None:
    run = await begin(store, BACKUP, "jb3c6k8p9rty", 95)
    await run.tell(0.0, WaveStarted(wave=0), started("snapshot", "make snapshot"))
    lines = "".join(f"12:04:{n:02} copied chunk {n} of volume data\n" for n in range(60))
    chunks = [
        OutputChunk(n=0, stream=Stream.STDOUT, offset=0, data=lines.encode()),
        OutputChunk(n=1, stream=Stream.STDERR, offset=0, data=b"warning: volume is 91 % full\n"),
    ]
    await store.write_output(run.state.run_id, BlockId("snapshot"), 1, chunks)
