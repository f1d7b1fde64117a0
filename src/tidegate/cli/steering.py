"""`tidegate runs pause | unpause | retry | rerun | skip | cancel`: turning the course of a run."""

from collections.abc import Awaitable, Callable

import click

from tidegate.cli import options
from tidegate.cli.console import complain, emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument, not_empty
from tidegate.cli.report import follow_to_rest, held_text, run_document
from tidegate.cli.telling import heads_of
from tidegate.cli.wiring import Session, run_with_session
from tidegate.model.ids import RunId
from tidegate.settings import Settings

__all__ = ["cancel", "pause", "rerun", "retry", "skip", "unpause"]

_LOOK_AGAIN = 1.0
"""Seconds: the death of a process that drives a run is no change in the store."""

_run = argument("run", metavar="RUN", help="A run's id, or the beginning of it.")
_block = click.option(
    "--block",
    "-b",
    metavar="BLOCK",
    required=True,
    callback=not_empty,
    help="Which block, item of one, or path through the runs below: a, a[red], deploy[red]/a.",
)
_reason = click.option("--reason", metavar="TEXT", default="", show_default=False, help="Kept with the run.")


def _steer(
    settings: Settings,
    run: str,
    turn: Callable[[Session, RunId], Awaitable[None]],
    *,
    as_json: bool,
) -> int:
    """Turn the course of a run, then follow it until it rests; return the exit code for where that is."""

    async def work(session: Session) -> int:
        run_id = await session.history.find_run(run)
        before = await heads_of(session.history, run_id)
        await turn(session, run_id)
        return await follow_to_rest(session, run_id, as_json=as_json, since=before)

    return run_with_session(settings, work)


# -- pause ------------------------------------------------------------------------------------


@click.command(cls=Command)
@_run
@_reason
@click.option("--wait/--no-wait", default=True, help="Wait until what is at work has ended.")
@options.by
@options.as_json
@options.store
@options.pass_settings
def pause(settings: Settings, run: str, reason: str, wait: bool, by: str | None, as_json: bool) -> int:
    """Let nothing new start in a run, nor in the runs that it started.

    What is at work goes on to its end. Deadlines of questions stand still; answers are taken and wait.

    Exit code: 0 once it is paused, 6 if it has ended already, 7 if there is no such run.
    """

    async def work(session: Session) -> int:
        run_id = await session.history.find_run(run)
        was_held = (await session.history.run_view(run_id)).row.summary.held
        await session.executor.pause(run_id, by=by or session.operator, reason=reason)
        if not as_json:
            said = held_text(await session.history.state(run_id))
            say(f"run {run_id} is {said}" if not was_held else f"run {run_id} was {said} already")
        if wait:
            await _drain(session, run_id, quiet=as_json)
        if as_json:
            emit_json(await run_document(session.history, await session.history.run_view(run_id)))
        else:
            say(f"  go on with: {session.call} runs unpause {run_id}")
        return Exit.SUCCEEDED

    return run_with_session(settings, work)


async def _drain(session: Session, run_id: RunId, *, quiet: bool) -> None:
    """Return once nothing of a run is at work any more; say how much is."""
    feed, told = session.executor.feed, 0
    while True:
        cursor = await feed.now()
        left = (await session.history.tree(run_id)).in_flight
        if not quiet and left != told:
            say(f"draining {left} in flight" if left else "drained")
        if not left:
            return
        told = left
        await feed.wait(cursor, within=_LOOK_AGAIN)


@click.command(cls=Command)
@_run
@options.by
@options.as_json
@options.store
@options.pass_settings
def unpause(settings: Settings, run: str, by: str | None, as_json: bool) -> int:
    """Let a run that somebody has paused go on, and follow it until it ends or waits for a person.

    Exit code: that of the run (0, 1, 3, 4, 5), 6 if it has ended already, 7 if there is no such run.
    """

    async def turn(session: Session, run_id: RunId) -> None:
        was_held = (await session.history.run_view(run_id)).row.summary.held
        await session.executor.unpause(run_id, by=by or session.operator)
        if not was_held:
            complain(f"run {run_id} was not paused by anybody")

    return _steer(settings, run, turn, as_json=as_json)


# -- again ------------------------------------------------------------------------------------


@click.command(cls=Command)
@_run
@click.option(
    "--block",
    "-b",
    metavar="BLOCK",
    callback=not_empty,
    help="Only this block, item of one, or path: a, a[red], deploy[red]/a. Default: all that failed.",
)
@options.by
@options.as_json
@options.store
@options.pass_settings
def retry(settings: Settings, run: str, block: str | None, by: str | None, as_json: bool) -> int:
    """Run what has failed again, with everything downstream, whether or not the run has ended.

    What had succeeded is kept; of a block that goes through items only the failed ones run. Questions
    that are open elsewhere in the run stay open.

    Exit code: that of the run (0, 1, 3, 4, 5), 6 if nothing there has failed, 7 if there is no such
    run or block.
    """

    async def turn(session: Session, run_id: RunId) -> None:
        if block is None:
            await session.executor.retry(run_id, by=by or session.operator)
        else:
            where, place = await session.history.find_place(run_id, block)
            await session.executor.retry(where, place, by=by or session.operator)

    return _steer(settings, run, turn, as_json=as_json)


@click.command(cls=Command)
@_run
@_block
@click.option(
    "--feedback",
    metavar="TEXT",
    callback=not_empty,
    help="What is to be other this time: these blocks read it as ${run.feedback}, and it is kept with the run.",
)
@options.by
@options.as_json
@options.store
@options.pass_settings
def rerun(
    settings: Settings, run: str, block: str, feedback: str | None, by: str | None, as_json: bool
) -> int:
    """Run a block that has ended again, with everything downstream, as if for the first time.

    All of it: of one that goes through items, every item. It gets a new idempotency key, and starts new runs where it had started some.

    Exit code: that of the run (0, 1, 3, 4, 5), 6 if the block has not ended, 7 if there is no such
    run or block.
    """

    async def turn(session: Session, run_id: RunId) -> None:
        where, place = await session.history.find_place(run_id, block)
        await session.executor.rerun(where, place, by=by or session.operator, feedback=feedback or "")

    return _steer(settings, run, turn, as_json=as_json)


@click.command(cls=Command)
@_run
@_block
@click.option(
    "--reason",
    metavar="TEXT",
    required=True,
    callback=not_empty,
    help="Why it is not needed. Kept with the run.",
)
@options.by
@options.as_json
@options.store
@options.pass_settings
def skip(settings: Settings, run: str, block: str, reason: str, by: str | None, as_json: bool) -> int:
    """Decide that a block will not run: one that failed, or has not begun.

    An item can be skipped as long as its block goes on.     What depends on it is decided again: it sees the block as skipped.

    Exit code: that of the run (0, 1, 3, 4, 5), 6 if the block is at work or has ended well, 7 if
    there is no such run or block.
    """

    async def turn(session: Session, run_id: RunId) -> None:
        where, place = await session.history.find_place(run_id, block)
        await session.executor.skip(where, place, by=by or session.operator, reason=reason)

    return _steer(settings, run, turn, as_json=as_json)


# -- end --------------------------------------------------------------------------------------


@click.command(cls=Command)
@_run
@_reason
@click.option("--now", is_flag=True, help="Give up what runs `always`, too: no clean-up.")
@options.by
@options.as_json
@options.store
@options.pass_settings
def cancel(settings: Settings, run: str, reason: str, now: bool, by: str | None, as_json: bool) -> int:
    """Cancel a run and the runs that it started: stop what is at work, close its questions.

    Blocks that run `always` still run, unless --now is given: now, or in a second call.

    Exit code: 5 once it is cancelled, 6 if it had ended already, 7 if there is no such run.
    """

    async def turn(session: Session, run_id: RunId) -> None:
        await session.executor.cancel(run_id, by=by or session.operator, reason=reason, force=now)

    return _steer(settings, run, turn, as_json=as_json)
