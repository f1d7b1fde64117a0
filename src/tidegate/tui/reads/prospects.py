"""What a turn of a run would do, read from its state and said in sentences.

Who decides with the same rules as the engine refuses here what it would refuse: before anybody is
asked. The engine still has the last word when it is done.
"""

from collections.abc import Sequence

from tidegate.engine.pauses import recovery_of
from tidegate.engine.resume import (
    downstream_of,
    rerun_blocks,
    resumed_blocks,
    retried_blocks,
    standing_of,
)
from tidegate.errors import NotResumable, RunFinished
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId, block_of, is_part
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.workflow import OnInterrupt
from tidegate.safe_text import safe_line
from tidegate.tui.nouns.turns import Prospect, Turn, TurnRequest, Way
from tidegate.tui.present.shared import counted
from tidegate.tui.present.turns import LOST
from tidegate.tui.reads.running_again import again_said, final_said, names_of, title_of
from tidegate.tui.reads.sending_back import send_back
from tidegate.tui.session import Session

__all__ = ["read_prospect"]

_HALF_DONE = (BlockStatus.RUNNING, BlockStatus.INTERRUPTED)


async def read_prospect(session: Session, request: TurnRequest) -> Prospect:
    """Return what a turn would do.

    Raises:
        RunNotFound, BlockNotFound: there is no such run or block.
        RunFinished, NotResumable: it cannot be done, and why.
    """
    state = await session.history.state(request.run_id)
    match request.turn:
        case Turn.PAUSE:
            in_flight = (await session.history.tree(request.run_id)).in_flight
            return _unpause(state) if state.held is not None else _pause(state, in_flight)
        case Turn.RETRY:
            view = await session.history.run_view(request.run_id)
            return _retry(state, request.place, view.status)
        case Turn.RERUN:
            return _rerun(state, _named(state, request))
        case Turn.SEND_BACK:
            return send_back(state, _named(state, request), request)
        case Turn.SKIP:
            return _skip(state, _named(state, request))
        case Turn.CANCEL:
            return _cancel(state)


def _named(state: RunState, request: TurnRequest) -> BlockId:
    if request.place is None:
        raise NotResumable(f"run {state.run_id}", "no block is chosen", "Put the cursor on one first")
    return request.place


def _must_go_on(state: RunState) -> None:
    if state.finished is not None:
        raise RunFinished(state.run_id, state.status)


# -- pause and unpause ------------------------------------------------------------------------


def _pause(state: RunState, in_flight: int) -> Prospect:
    _must_go_on(state)
    run_id = state.run_id

    async def act(session: Session, reason: str) -> None:
        await session.executor.pause(run_id, by=session.operator, reason=reason)

    said = (
        "Nothing new starts, in this run and in those below it.",
        f"{in_flight} in flight will finish." if in_flight else "Nothing is in flight.",
        "Deadlines stand still until it goes on; open questions can still be answered.",
    )
    way = Way("Pause", "Nothing new starts until it is unpaused.", act, f"run {run_id[:6]} is paused")
    return Prospect(Turn.PAUSE, run_id, title_of("Pause", state), said, (way,))


def _unpause(state: RunState) -> Prospect:
    _must_go_on(state)
    run_id, held = state.run_id, state.held

    async def act(session: Session, reason: str) -> None:
        del reason
        await session.executor.unpause(run_id, by=session.operator)

    by = safe_line(held.by or "somebody", 60) if held is not None else "somebody"
    why = f": {safe_line(held.reason, 300)}" if held is not None and held.reason else ""
    said = (f"It was paused by {by}{why}.", "What is ready starts at once, and deadlines run again.")
    way = Way("Unpause", "The run goes on.", act, f"run {run_id[:6]} goes on")
    return Prospect(Turn.PAUSE, run_id, title_of("Unpause", state), said, (way,))


# -- run again --------------------------------------------------------------------------------


def _retry(state: RunState, place: BlockId | None, status: RunStatus) -> Prospect:
    if place is not None and state.block(place).status in LOST:
        return _retry_one(state, place)
    if status is RunStatus.INTERRUPTED:
        return _resume(state)
    again = retried_blocks(state, None) if state.finished is None else resumed_blocks(state)
    said = (*again_said(state, again, fresh=False), "What had succeeded is kept.")
    # As its key is called, and what it does: what was cancelled only goes on.
    verb = "Retry" if any(state.block(block).status in LOST for block in again) else "Resume"
    way = _way_of_all(state, verb, again)
    return Prospect(Turn.RETRY, state.run_id, title_of(verb, state), said, (way,))


def _retry_one(state: RunState, place: BlockId) -> Prospect:
    again = retried_blocks(state, place)
    run_id, name = state.run_id, safe_line(place, 60)

    async def act(session: Session, reason: str) -> None:
        del reason
        await session.executor.retry(run_id, place, by=session.operator)

    final = final_said(state, again)
    ways = [
        Way(f"Retry {name}", "It runs again, then what follows it.", act, f"{name} is tried again", final)
    ]
    failed = [block for block in state.graph.blocks if state.block(block).status is BlockStatus.FAILED]
    if failed not in ([], [block_of(place)]):
        ways.append(_way_of_all(state, f"Retry all {len(failed)} that failed", _every_lost(state)))
    said = (*again_said(state, again, fresh=False), "Other open questions of the run stay as they are.")
    return Prospect(Turn.RETRY, run_id, title_of("Retry", state, place), said, tuple(ways))


def _every_lost(state: RunState) -> tuple[BlockId, ...]:
    """Return what runs again with all that failed; nothing where that is refused once it is chosen."""
    try:
        return retried_blocks(state, None) if state.finished is None else resumed_blocks(state)
    except (NotResumable, RunFinished):
        return ()


def _way_of_all(state: RunState, label: str, again: Sequence[BlockId]) -> Way:
    run_id, has_ended = state.run_id, state.finished is not None

    async def act(session: Session, reason: str) -> None:
        del reason
        if has_ended:
            await session.executor.resume(run_id, by=session.operator)
        else:
            await session.executor.retry(run_id, by=session.operator)

    done = f"run {run_id[:6]} goes on"
    return Way(label, "Blocks that failed run again.", act, done, final_said(state, again))


def _resume(state: RunState) -> Prospect:
    """Return what becomes of an interrupted run that goes on."""
    run_id = state.run_id

    async def act(session: Session, reason: str) -> None:
        del reason
        await session.executor.resume(run_id, by=session.operator)

    asked = _half_done(state, OnInterrupt.ASK)
    rerun = _half_done(state, OnInterrupt.RERUN)
    ended = _half_done(state, OnInterrupt.SKIP, OnInterrupt.FAIL)
    said = []
    if asked:
        said.append(f"Interrupted: {names_of(asked)}. You are asked what to do about it first.")
    if rerun:
        said.append(f"Interrupted, and run again without a question: {names_of(rerun)}.")
    if ended:
        said.append(f"Interrupted, and not run again, as the workflow says: {names_of(ended)}.")
    said = [*(said or ["No block was interrupted half-way."]), "The run goes on from where it stopped."]
    if final := _final_from(state, (*asked, *rerun)):
        said.append(f"Cannot be undone: {final}.")
    # Of what one is asked about first that question makes certain.
    way = Way("Resume", "The run goes on.", act, f"run {run_id[:6]} goes on", _final_from(state, rerun))
    return Prospect(Turn.RETRY, run_id, title_of("Resume", state), tuple(said), (way,))


def _final_from(state: RunState, places: Sequence[BlockId]) -> str:
    return final_said(state, [*places, *downstream_of(state, map(block_of, places))])


def _half_done(state: RunState, *rules: OnInterrupt) -> tuple[BlockId, ...]:
    """Return the places that were at work, and fall under one of *rules*."""
    return tuple(
        place
        for place, block in state.touched.items()
        if block.status in _HALF_DONE
        and block.fan is None
        and place not in state.children
        and recovery_of(state.definition_of(place)) in rules
    )


def _rerun(state: RunState, place: BlockId) -> Prospect:
    block = block_of(place)
    again = rerun_blocks(state, block)
    run_id, name, seen = state.run_id, safe_line(block, 60), standing_of(state, again)

    async def act(session: Session, reason: str) -> None:
        del reason
        await session.executor.rerun(run_id, block, by=session.operator, seen=seen)

    said = [*again_said(state, again, fresh=True), "They begin anew: new keys, nothing remembered of before."]
    if is_part(place):
        said.insert(0, f"{safe_line(place, 60)} is a part: all parts of {name} run again.")
    said_of = "It and what follows run as if for the first time."
    way = Way(f"Rerun {name}", said_of, act, f"{name} runs again", final_said(state, again))
    return Prospect(Turn.RERUN, run_id, title_of("Rerun from", state, block), tuple(said), (way,))


# -- skip -------------------------------------------------------------------------------------


def _skip(state: RunState, place: BlockId) -> Prospect:
    block, run_id, name = state.block(place), state.run_id, safe_line(place, 60)
    what = f"block '{place}'"
    if block.is_at_work or block.fan is not None or place in state.children:
        raise NotResumable(what, "it runs now", "Cancel the run, or wait until the block has ended")
    if block.status.has_ended and block.status is not BlockStatus.FAILED:
        raise NotResumable(
            what, f"it is {block.status}", "Only what has not ended, or has failed, can be skipped"
        )
    if state.finished is not None and block.status is not BlockStatus.FAILED:
        raise RunFinished(run_id, state.status)

    async def act(session: Session, reason: str) -> None:
        await session.executor.skip(run_id, place, by=session.operator, reason=reason)

    way = Way(f"Skip {name}", "It will not run.", act, f"{name} is skipped")
    said = [f"{name} will not run, in this run only.", *_hangs_on(state, place)]
    return Prospect(Turn.SKIP, run_id, title_of("Skip", state, place), tuple(said), (way,))


def _hangs_on(state: RunState, place: BlockId) -> list[str]:
    if is_part(place):
        return [f"The other parts of {safe_line(block_of(place), 60)} go on."]
    direct = state.graph.dependants[place]
    if not direct:
        return ["Nothing hangs on it."]
    further = [block for block in downstream_of(state, [place]) if block not in direct]
    said = [
        f"On it hang: {names_of(direct)}. They are skipped too, unless something else they need succeeds."
    ]
    if state.block(place).status.has_ended:
        said = [f"On it hang: {names_of(direct)}. Whether they run is decided again."]
    return said + ([f"Further down: {names_of(further)}."] if further else [])


# -- cancel -----------------------------------------------------------------------------------


def _cancel(state: RunState) -> Prospect:
    _must_go_on(state)
    run_id = state.run_id
    remain = [
        block.id
        for block in state.graph.definition.blocks
        if block.always and not state.block(block.id).status.has_ended
    ]
    said = ["Its running blocks are stopped, its open questions are closed, and nothing after them starts."]
    if remain:
        said.append(f"These run all the same, as the workflow says: {names_of(remain)}.")
    if state.children:
        said.append(f"{counted(len(state.children), 'run')} that its blocks started are cancelled with it.")
    said.append("This cannot be undone; what was done outside stays done.")
    done = f"run {run_id[:6]} is being cancelled"
    ways = [_way_to_cancel(run_id, done, force=False)]
    if remain or state.children:
        ways.append(_way_to_cancel(run_id, done, force=True))
    return Prospect(Turn.CANCEL, run_id, title_of("Cancel", state), tuple(said), tuple(ways))


def _way_to_cancel(run_id: RunId, done: str, *, force: bool) -> Way:
    async def act(session: Session, reason: str) -> None:
        await session.executor.cancel(run_id, by=session.operator, reason=reason, force=force)

    label = "Cancel now" if force else "Cancel"
    effect = "What runs always is given up, too." if force else "What runs always still runs."
    return Way(label, effect, act, done)
