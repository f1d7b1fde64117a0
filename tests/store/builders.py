"""Small runs, events and waits for the tests of the store."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from tidegate.model.base import JsonObject
from tidegate.model.events import (
    BlockPaused,
    CheckpointMarked,
    JournalEvent,
    Parent,
    RunStarted,
    RunStatus,
    WaveStarted,
)
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import Epoch, OutputChunk, Stream
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import ConfirmPrompt
from tidegate.model.state import RunSummary
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition, definition_hash
from tidegate.store.protocol import Append, NewRun, Store

RUN = RunId("bcdf2345ghjk")
NOW = 1_700_000_000.0
BLOCK = BlockId("gate")
RUNNING = RunSummary(status=RunStatus.RUNNING)
DEFINITION = WorkflowDefinition(
    name="deploy", blocks=(BlockDefinition(id=BLOCK, type="Shell"),), waves=((BLOCK,),)
)
Opened = Callable[[Path], Awaitable[Store]]
"""Opens the store in a file; it is closed when the test ends, whatever happens."""
PATIENCE = 20.0
"""Seconds until a test stops waiting for something that should have happened."""


def new_run(
    run_id: str = RUN,
    *,
    owner: str = "me",
    at: float = NOW,
    definition: WorkflowDefinition = DEFINITION,
    parent: Parent | None = None,
) -> NewRun:
    """Return a run with one event, leased to *owner*."""
    name = definition_hash(definition)
    return NewRun(
        run_id=RunId(run_id),
        definition=definition,
        definition_hash=name,
        source="name: deploy\n",
        at=at,
        events=(RunStarted(workflow=definition.name, definition=name, by="ada", parent=parent),),
        summary=RUNNING,
        owner=owner,
        lease_until=at + 30 if owner else 0.0,
    )


def below(path: str, *, parent: str = RUN, root: str = RUN) -> Parent:
    """Return a place in a run where another one is started."""
    places = tuple(BlockId(place) for place in path.split("/"))
    return Parent(run_id=RunId(parent), block=places[-1], root=RunId(root), path=places)


def adding(
    *events: JournalEvent,
    after: int = 1,
    run_id: str = RUN,
    at: float = NOW + 1,
    epoch: int | None = 1,
    summary: RunSummary = RUNNING,
    values: Mapping[str, bytes] | None = None,
    closed: Sequence[str] = (),
    deadlines: Mapping[str, float | None] | None = None,
) -> Append:
    """Return an append of *events*, under the first epoch."""
    return Append(
        run_id=RunId(run_id),
        after=Seq(after),
        at=at,
        events=events,
        summary=summary,
        epoch=None if epoch is None else Epoch(epoch),
        values=values or {},
        closed=tuple(PauseId(pause_id) for pause_id in closed),
        deadlines={PauseId(pause_id): due for pause_id, due in (deadlines or {}).items()},
    )


def wave(number: int = 0) -> WaveStarted:
    """Return an event that says little."""
    return WaveStarted(wave=number)


def paused(
    pause_id: str = "pause_one", *, block: str = BLOCK, deadline: float | None = None, message: str = "Go?"
) -> BlockPaused:
    """Return the opening of a pause."""
    return BlockPaused(
        block=BlockId(block),
        attempt=1,
        pause_id=PauseId(pause_id),
        prompt=ConfirmPrompt(message=message),
        deadline=deadline,
    )


def marked(
    checkpoint_id: str = "chk_one",
    kind: CheckpointKind = CheckpointKind.WAVE,
    *,
    metadata: JsonObject | None = None,
) -> CheckpointMarked:
    """Return a mark."""
    return CheckpointMarked(
        checkpoint_id=CheckpointId(checkpoint_id), kind=kind, label="here", metadata=metadata or {}
    )


def chunk(
    n: int, data: bytes = b"line\n", *, stream: Stream = Stream.STDOUT, offset: int = 0, at: float = 0.0
) -> OutputChunk:
    """Return a chunk of output."""
    return OutputChunk(n=n, stream=stream, offset=offset, data=data, at=at)


def hashed(value: object) -> tuple[str, bytes]:
    """Return the name and the JSON of a stored value."""
    data = msgspec.json.encode(value)
    return hashlib.sha256(data).hexdigest(), data


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Return once *condition* holds; fail if it does not in a long time."""
    async with asyncio.timeout(PATIENCE):
        while not await condition():
            pass
