"""How a person turns the course of a run: cancel, hold, release, run again, skip. Each is a vote."""

from collections.abc import Callable

from tidegate.engine.parts import Parts
from tidegate.engine.resume import downstream_of
from tidegate.engine.voting import vote
from tidegate.errors import BlockNotFound, NotResumable, RunFinished
from tidegate.model.codec import printable
from tidegate.model.events import (
    CancelRequested,
    JournalEvent,
    RunHeld,
    RunReleased,
    RunResumed,
    SkipRequested,
)
from tidegate.model.ids import BlockId, RunId, block_of, is_part
from tidegate.model.prompt import checked_comment
from tidegate.model.state import BlockStatus, RunState

__all__ = ["hold", "release", "request_cancel", "request_resume", "request_skip"]


async def request_cancel(
    parts: Parts, run_id: RunId, by: str, reason: str = "", *, force: bool = False
) -> None:
    """Ask for the end of a run; returns once that is durable. Asking twice is success.

    Args:
        parts: What the executor works with.
        run_id: Which run.
        by: Who asks.
        reason: Why.
        force: Whether blocks that run `always` are given up, too.

    Raises:
        RunNotFound: there is no such run.
        RunFinished: it has ended already.
    """

    def decide(state: RunState) -> JournalEvent | None:
        _must_go_on(state)
        if state.cancel is not None and (state.cancel.force or not force):
            return None
        return CancelRequested(by=printable(by), reason=printable(reason), force=force)

    await vote(parts, run_id, decide)


def _must_go_on(state: RunState) -> None:
    if state.finished is not None:
        raise RunFinished(state.run_id, state.status)


async def hold(parts: Parts, run_id: RunId, by: str, reason: str = "") -> None:
    """Let nothing new start in a run; what runs goes on to its end. Asking twice is success.

    Raises:
        RunNotFound: there is no such run.
        RunFinished: it has ended already.
    """

    def decide(state: RunState) -> JournalEvent | None:
        _must_go_on(state)
        return RunHeld(by=printable(by), reason=printable(reason)) if state.held is None else None

    await vote(parts, run_id, decide)


async def release(parts: Parts, run_id: RunId, by: str) -> None:
    """Let a held run go on. One that is not held stays as it is.

    Raises:
        RunNotFound: there is no such run.
        RunFinished: it has ended already.
    """

    def decide(state: RunState) -> JournalEvent | None:
        _must_go_on(state)
        return RunReleased(by=printable(by)) if state.held is not None else None

    await vote(parts, run_id, decide)


async def request_resume(
    parts: Parts,
    run_id: RunId,
    which: Callable[[RunState], tuple[BlockId, ...]],
    *,
    by: str,
    fresh: bool = False,
    feedback: str = "",
) -> None:
    """Plan blocks of a run again, whether it has ended or goes on.

    Args:
        parts: What the executor works with.
        run_id: Which run.
        which: Returns the places to plan again, or raises why that cannot be. Nothing to do: empty.
        by: Who asks.
        fresh: Whether they begin anew instead of going on where they failed.
        feedback: What is to be other this time, for them to read.

    Raises:
        RunNotFound: there is no such run.
        NotResumable: it is being cancelled, or was discarded.
        InvalidAnswer: *feedback* is too long, or no text.
    """
    said = checked_comment(feedback, "feedback")

    def decide(state: RunState) -> JournalEvent | None:
        if state.finished is None and state.is_stopping:
            raise NotResumable(f"run {run_id}", "it is being stopped", "Wait until it has ended")
        if state.finished is not None and state.finished.discarded:
            workflow = state.graph.definition.name
            raise NotResumable(
                f"run {run_id}",
                "its workflow says checkpoint.on_failure: rollback, so it was discarded",
                f"Start it again with `tidegate run {workflow}`",
            )
        places = which(state)
        return RunResumed(blocks=places, by=printable(by), fresh=fresh, feedback=said) if places else None

    await vote(parts, run_id, decide)


async def request_skip(parts: Parts, run_id: RunId, place: BlockId, *, by: str, reason: str) -> None:
    """Decide that a block, or one item of it, will not run. What hangs on it is decided again.

    Raises:
        RunNotFound: there is no such run.
        BlockNotFound: there is no such block.
        RunFinished: the run has ended, and not because this block failed.
        NotResumable: the block runs, or has ended well.
    """

    def decide(state: RunState) -> JournalEvent | None:
        _must_be_skippable(state, place)
        downstream: tuple[BlockId, ...] = ()
        if state.block(place).status.has_ended and not is_part(place):
            downstream = downstream_of(state, [place])
        return SkipRequested(block=place, reason=printable(reason), by=printable(by), downstream=downstream)

    await vote(parts, run_id, decide)


def _must_be_skippable(state: RunState, place: BlockId) -> None:
    known = state.graph.blocks
    if block_of(place) not in known or (is_part(place) and place not in set(state.parts_of(block_of(place)))):
        raise BlockNotFound(state.run_id, place, tuple(known))
    block, what = state.block(place), f"block '{place}'"
    runs_in_parts = block.fan is not None and not block.status.has_ended
    if block.is_at_work or runs_in_parts or place in state.children:
        raise NotResumable(what, "it runs now", "Cancel the run, or wait until the block has ended")
    if block.status.has_ended and block.status is not BlockStatus.FAILED:
        raise NotResumable(
            what, f"it {_has(block.status)} already", "Only what has not ended, or has failed, can be skipped"
        )
    if state.finished is not None and block.status is not BlockStatus.FAILED:
        raise RunFinished(state.run_id, state.status)
    if is_part(place) and state.block(block_of(place)).status.has_ended:
        raise NotResumable(what, "its block has ended", f"Skip the block '{block_of(place)}', or retry it")


def _has(status: BlockStatus) -> str:
    return "has succeeded" if status is BlockStatus.SUCCEEDED else f"was {status}"
