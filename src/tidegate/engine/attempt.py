"""One attempt at one place: from its durable intent to its outcome.

Knows nothing of journals: it runs the body and says how it ended. Whoever cancels an attempt
gets its `CancelledError` only after everything that the block had started is dead.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from tidegate.blocks.base import Completed, Failed, Mark, Result, WorkBlock
from tidegate.blocks.masking import Masks, StreamMask
from tidegate.blocks.secret_sources import Unreadable
from tidegate.clock import Clock
from tidegate.engine.bodies import raised
from tidegate.engine.leftovers import end_leftovers
from tidegate.engine.outcome import Outcome, success, told_failure
from tidegate.engine.output import OutputSink, OutputStore
from tidegate.engine.prepare import Ready
from tidegate.engine.secrecy import (
    NO_SECRETS,
    Secrets,
    asked_in,
    masked,
    masked_failure,
    masked_mark,
    masked_values,
    read_secrets,
)
from tidegate.engine.values import TooLarge, check_size, take_one
from tidegate.engine.view import View
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.codec import NotJson, copy, printable
from tidegate.model.events import AttemptFailed, Failure, ProgressNoted, StepRecorded
from tidegate.model.ids import BlockId, RunId
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import BlockDefinition

__all__ = ["Attempt", "Note", "Record", "run_attempt"]

Note = StepRecorded | ProgressNoted
"""What a block may have recorded while it is at work."""
Record = Callable[[Note, Mapping[str, bytes]], Awaitable[None]]
"""Adds a note to the run's journal; returns once it is durable."""

_PROGRESS_SECONDS = 1.0
"""How often progress is journalled at most: each time is a commit."""
_MOST_KEY = 200
"""Characters."""


@dataclass(slots=True)
class Attempt:
    """What is about to run. Also the context its block sees."""

    run_id: RunId
    place: BlockId
    block: BlockDefinition
    attempt: int
    idempotency_key: str
    working_dir: str
    ready: Ready
    store: OutputStore
    """Where its output goes."""
    record: Record
    clock: Clock
    max_bytes: int
    """Of JSON, for the result of a step."""
    state: dict[str, Json] = field(default_factory=dict)
    steps: dict[str, Json] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    secrets: Secrets = NO_SECRETS
    _streams: dict[int, StreamMask] = field(default_factory=dict)
    """What masks each of its streams."""
    _sink: OutputSink | None = None
    """What takes its output, from the first byte on: most blocks write none."""
    _noted_at: float = -_PROGRESS_SECONDS

    @property
    def block_id(self) -> BlockId:
        """The place that runs: the block's id, for an item with its key behind it."""
        return self.place

    @property
    def bindings(self) -> Mapping[str, str]:
        """Environment variables through which values reach shell text."""
        return self.ready.bindings

    @property
    def withheld(self) -> frozenset[str]:
        """Variables that no program of it inherits."""
        return self.secrets.withheld

    @property
    def masks(self) -> Masks:
        """What must not be kept of what it writes."""
        return self.secrets.masks

    def inputs(self) -> JsonObject:
        """Return what the body is given, secrets included."""
        fill = self.ready.with_secrets
        return self.ready.inputs if fill is None or not self.secrets.values else fill(self.secrets.values)

    async def emit(self, stream: int, data: bytes) -> None:
        """Keep bytes that the block wrote, masked."""
        if stream not in self._streams:
            self._streams[stream] = self.masks.stream()
        await self._keep(stream, self._streams[stream].feed(data))

    async def _keep(self, stream: int, data: bytes) -> None:
        if not data:
            return
        if self._sink is None:
            self._sink = OutputSink(self.store, self.run_id, self.place, self.attempt, self.clock)
        await self._sink.emit(stream, data)

    async def close(self) -> None:
        """Return when all of its output was written, or given up."""
        for stream, mask in self._streams.items():
            await self._keep(stream, mask.end())
        if self._sink is not None:
            await self._sink.close()

    async def record_step(self, key: str, value: Json) -> None:
        """Remember the result of a step; returns once it is durable.

        Raises:
            NotJson, TooLarge: it is nothing that a journal can hold, or too much.
            ValueError: *key* is none.
        """
        _check_key(key)
        if self.masks.text(key) != key:
            raise ValueError("the key of a step holds a secret, and is kept: name the step otherwise")
        what = f"step '{key}'"
        taken = take_one(key, self.masks.json(value), what)
        check_size(what, taken, self.max_bytes)
        step = StepRecorded(block=self.place, attempt=self.attempt, key=key, value=taken.values[key])
        await self.record(step, taken.stored)
        self.steps[key] = taken.plain[key]

    async def note_progress(self, fraction: float, message: str = "") -> None:
        """Say how far the work has come, 0 to 1.

        Raises:
            ValueError: *fraction* is no number.
        """
        part = float(fraction)
        if not math.isfinite(part):
            raise ValueError(f"progress is a number from 0 to 1, not {fraction}")
        if self.clock.monotonic() - self._noted_at < _PROGRESS_SECONDS:
            return
        self._noted_at = self.clock.monotonic()
        noted = ProgressNoted(
            block=self.place,
            attempt=self.attempt,
            fraction=min(max(part, 0.0), 1.0),
            message=printable(self.masks.message(str(message)))[:200],
        )
        await self.record(noted, {})


def _check_key(key: object) -> None:
    if not isinstance(key, str) or not 0 < len(key) <= _MOST_KEY or printable(key) != key:
        raise ValueError(f"the key of a step is a text of 1 to {_MOST_KEY} characters, not {key!r:.50}")


async def run_attempt(view: View, body: WorkBlock, attempt: Attempt) -> Outcome:
    """Run the body and return its outcome, the block's own timeout applied.

    *view* is of the run at the intent: what the block's own `outputs` may refer to.
    """
    clock = view.parts.clock
    if attempt.attempt > 1:
        # Never beside what an earlier attempt left running when its process was killed.
        await end_leftovers(attempt.run_id, attempt.place, attempt.attempt - 1)
    before = await view.load(view.state.variables)
    # Copies: a block may change a list in place, and that is a change like any other.
    attempt.state = {name: copy(value) for name, value in before.items()}
    attempt.steps = await view.load(view.state.block(attempt.place).steps)
    started = clock.monotonic()
    try:
        if body.takes_secrets:
            attempt.secrets = await read_secrets(
                view.state.graph.definition, attempt.ready.secrets, asked_in(view.parts.store, view.state)
            )
        result = masked(await _run_in_time(body, attempt), attempt.masks)
    except Unreadable as error:
        result = Failed(Failure(kind=FailureKind.INPUTS, message=str(error)))
    finally:
        await attempt.close()
    duration = clock.monotonic() - started
    return await _outcome(view, attempt, result, before, duration)


async def _outcome(
    view: View, attempt: Attempt, result: Result, before: Mapping[str, Json], duration: float
) -> Outcome:
    if not isinstance(result, Completed):
        return told_failure(view, attempt.place, result, duration)
    outcome = await success(
        view,
        attempt.place,
        result.outputs,
        duration,
        marks=[masked_mark(mark, attempt.masks) for mark in attempt.marks],
        before=before,
        state=masked_values(attempt.state, attempt.masks),
    )
    if isinstance(outcome.event, AttemptFailed):
        # What could not be taken is named, by a path of keys that somebody's code chose.
        told = masked_failure(outcome.event.failure, attempt.masks)
        return replace(outcome, event=outcome.event.evolve(failure=told))
    return outcome


async def _run_in_time(body: WorkBlock, attempt: Attempt) -> Result:
    seconds = attempt.block.timeout
    limit = asyncio.timeout(seconds) if seconds is not None else None
    try:
        async with limit or nullcontext():
            return _a_result(await body.run(attempt.inputs(), attempt))
    except TimeoutError as error:
        if limit is not None and limit.expired():
            message = f"timed out after {attempt.block.timeout:g} s, and was stopped"
            return Failed(Failure(kind=FailureKind.TIMEOUT, message=message))
        return Failed(raised(error))
    except InputsError as error:
        return Failed(Failure(kind=FailureKind.INPUTS, message=error.problem))
    except (NotJson, TooLarge) as error:  # Of a step.
        return Failed(Failure(kind=FailureKind.OUTPUTS, message=str(error)))
    except Exception as error:  # noqa: BLE001 - a block's code may raise anything; that is its outcome
        return Failed(raised(error))


def _a_result(returned: object) -> Result:
    if isinstance(returned, Completed | Failed):
        return returned
    message = f"it returned {type(returned).__name__}, which is neither Completed nor Failed"
    return Failed(Failure(kind=FailureKind.ERROR, message=message))
