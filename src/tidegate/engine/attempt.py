"""One attempt at one block: from its durable intent to its outcome.

Knows nothing of journals: it runs the body and says how it ended. Whoever cancels an attempt
gets its `CancelledError` only after everything that the block had started is dead.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from tidegate.blocks.base import Completed, Failed, Result, WorkBlock
from tidegate.engine.leftovers import end_leftovers
from tidegate.engine.output import OutputSink
from tidegate.engine.prepare import Ready
from tidegate.engine.values import pack
from tidegate.engine.view import View
from tidegate.errors import ExpressionError, InputsError
from tidegate.model.base import JsonObject
from tidegate.model.events import AttemptFailed, AttemptSucceeded, Failure, FailureKind, JournalEvent
from tidegate.model.ids import BlockId, RunId
from tidegate.model.workflow import BlockDefinition

__all__ = ["Attempt", "Outcome", "run_attempt", "success"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An event that ends an attempt, and the values it refers to."""

    event: JournalEvent
    values: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is about to run. Also the context its block sees."""

    run_id: RunId
    block: BlockDefinition
    attempt: int
    idempotency_key: str
    working_dir: str
    ready: Ready
    sink: OutputSink

    @property
    def block_id(self) -> BlockId:
        """The block's id."""
        return self.block.id

    @property
    def bindings(self) -> Mapping[str, str]:
        """Environment variables through which values reach shell text."""
        return self.ready.bindings

    async def emit(self, stream: int, data: bytes) -> None:
        """Keep bytes that the block wrote."""
        await self.sink.emit(stream, data)


async def run_attempt(view: View, body: WorkBlock, attempt: Attempt) -> Outcome:
    """Run the body and return its outcome, the block's own timeout applied.

    *view* is of the run at the intent: what the block's own `outputs` may refer to.
    """
    clock = view.parts.clock
    if attempt.attempt > 1:
        # Never beside what an earlier attempt left running when its process was killed.
        await end_leftovers(attempt.run_id, attempt.block.id, attempt.attempt - 1)
    started = clock.monotonic()
    try:
        result = await _run_in_time(body, attempt)
    finally:
        await attempt.sink.close()
    duration = clock.monotonic() - started
    if isinstance(result, Completed):
        return await success(view, attempt.block, attempt.attempt, result.outputs, duration)
    return failure(attempt.block.id, attempt.attempt, result, duration)


async def _run_in_time(body: WorkBlock, attempt: Attempt) -> Result:
    limit = asyncio.timeout(attempt.block.timeout)
    try:
        async with limit:
            return await body.run(attempt.ready.inputs, attempt)
    except TimeoutError as error:
        if limit.expired():
            message = f"timed out after {attempt.block.timeout:g} s, and was stopped"
            return Failed(Failure(kind=FailureKind.TIMEOUT, message=message))
        return _raised(error)
    except InputsError as error:
        return Failed(Failure(kind=FailureKind.INPUTS, message=error.problem))
    except Exception as error:  # noqa: BLE001 - a block's code may raise anything; that is its outcome
        return _raised(error)


def _raised(error: Exception) -> Failed:
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Failed(Failure(kind=FailureKind.ERROR, message=text[:2000]))


async def success(
    view: View, block: BlockDefinition, attempt: int, outputs: JsonObject, duration: float = 0.0
) -> Outcome:
    """Return the outcome of a block that worked; a failure if its own `outputs` cannot be made."""
    try:
        values, stored = pack(await view.with_own_outputs(block, outputs))
    except (ExpressionError, ValueError) as error:
        failed = Failed(Failure(kind=FailureKind.OUTPUTS, message=str(error)))
        return failure(block.id, attempt, failed, duration)
    return Outcome(
        AttemptSucceeded(block=block.id, attempt=attempt, outputs=values, duration=duration), stored
    )


def failure(block_id: BlockId, attempt: int, failed: Failed, duration: float = 0.0) -> Outcome:
    """Return the outcome of a block that did not work."""
    try:
        values, stored = pack(failed.outputs)
    except ValueError:
        # The failure itself is what matters; outputs that no journal can hold are left out.
        values, stored = {}, {}
    event = AttemptFailed(
        block=block_id, attempt=attempt, failure=failed.failure, outputs=values, duration=duration
    )
    return Outcome(event, stored)
