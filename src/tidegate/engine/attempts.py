"""The attempts that a driver has running, each in a task of its own."""

import asyncio
import logging
from collections.abc import Callable, Mapping

from tidegate.blocks.base import Failed, WorkBlock
from tidegate.engine.attempt import Attempt, Note, Record, run_attempt
from tidegate.engine.draft import Launch
from tidegate.engine.outcome import Outcome, failure
from tidegate.engine.parts import Parts
from tidegate.engine.results import who_cancelled
from tidegate.engine.view import View
from tidegate.model.events import AttemptCancelled, AttemptInterrupted, Failure
from tidegate.model.ids import BlockId
from tidegate.model.policy import FailureKind
from tidegate.model.state import RunState

__all__ = ["Attempts"]

log = logging.getLogger(__name__)


class Attempts:
    """Launches bodies whose intent is durable, and takes their outcomes."""

    def __init__(self, parts: Parts, record: Record, ended: Callable[[], None]) -> None:
        """Begin without any.

        Args:
            parts: What the executor works with.
            record: Adds a note to the run's journal.
            ended: Called when an attempt has ended.
        """
        self._parts = parts
        self._record = record
        self._ended_one = ended
        self._tasks: dict[BlockId, asyncio.Task[Outcome]] = {}
        self._ended: dict[BlockId, None] = {}
        """Those whose outcome can be taken, in the order in which they ended."""
        self._going: set[BlockId] = set()
        """Those that are being stopped."""

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def places(self) -> tuple[BlockId, ...]:
        """Where something runs."""
        return tuple(self._tasks)

    def launch(self, state: RunState, launch: Launch) -> None:
        """Start the body of a durable intent, which *state* holds."""
        body = self._parts.blocks[launch.block.type]
        assert isinstance(body, WorkBlock)  # noqa: S101 - no other kind of block is ever launched
        attempt = Attempt(
            run_id=state.run_id,
            place=launch.place,
            block=launch.block,
            attempt=launch.intent.attempt,
            idempotency_key=launch.intent.key,
            working_dir=state.graph.definition.working_dir,
            ready=launch.ready,
            store=self._parts.store,
            record=self._note,
            clock=self._parts.clock,
            max_bytes=self._parts.max_bytes,
        )
        self._tasks[launch.place] = asyncio.create_task(
            self._run(View(self._parts, state), body, attempt), name=f"{state.run_id} {launch.place}"
        )

    async def _run(self, view: View, body: WorkBlock, attempt: Attempt) -> Outcome:
        try:
            return await run_attempt(view, body, attempt)
        finally:
            # The last that the task does: when the driver comes to look, it is done.
            self._ended[attempt.place] = None
            self._ended_one()

    async def _note(self, note: Note, values: Mapping[str, bytes]) -> None:
        # Who stops it waits for its end, and would never come to record anything; of one that has ended
        # nobody would.
        if note.block in self._going or note.block not in self._tasks:
            raise asyncio.CancelledError
        await self._record(note, values)

    def collect(self, state: RunState) -> list[Outcome]:
        """Take the outcomes of the attempts that have ended."""
        return [self._take(state, place) for place in tuple(self._ended)]

    async def stop(self, state: RunState, which: Callable[[BlockId], bool], reason: str) -> list[Outcome]:
        """Stop attempts; one that ended by itself just before keeps its own outcome.

        Args:
            state: The run.
            which: Which places to stop.
            reason: Why, if nobody has cancelled the run.
        """
        chosen = [place for place in self._tasks if which(place)]
        await self._kill(chosen)
        return [self._take(state, place, reason) for place in chosen]

    async def kill(self) -> None:
        """Stop all of them; nobody asks for their outcomes any more."""
        await self._kill(list(self._tasks))

    async def _kill(self, places: list[BlockId]) -> None:
        self._going.update(places)
        tasks = [self._tasks[place] for place in places]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _take(self, state: RunState, place: BlockId, reason: str = "") -> Outcome:
        task = self._tasks.pop(place)
        self._ended.pop(place, None)
        self._going.discard(place)
        attempt = state.block(place).attempt
        if task.cancelled():
            if not state.is_stopping:
                return Outcome(AttemptInterrupted(block=place, attempt=attempt, reason=reason))
            why = who_cancelled(state.cancel) if state.cancel is not None else "its run timed out"
            return Outcome(AttemptCancelled(block=place, attempt=attempt, reason=why))
        if (error := task.exception()) is not None:
            log.error("block %s of run %s", place, state.run_id, exc_info=error)
            message = f"its outcome could not be told: {error}"
            return failure(state, place, Failed(Failure(kind=FailureKind.ERROR, message=message)))
        return task.result()
