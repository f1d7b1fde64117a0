"""`tidegate worker`: an executor without a terminal."""

import asyncio
import contextlib

import click

from tidegate.cli import options
from tidegate.cli.console import complain
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command
from tidegate.cli.wiring import Session, run_with_session
from tidegate.clock import SystemClock
from tidegate.errors import TidegateError
from tidegate.model.events import UNFINISHED, RunAdopted
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import Changes, RunFilter, RunRow
from tidegate.settings import Settings
from tidegate.store.owner import current_owner, describe_owner

__all__ = ["worker"]

_LOOK_AGAIN = 0.5
"""Seconds: a deadline that passes is no change in the store."""
_MANY = 1_000_000


@click.command(cls=Command)
@click.option("--once", is_flag=True, help="End when nothing moves any more; timers are waited for.")
@options.serves("--metrics", help="Serve metrics over HTTP at /metrics: of the store, and of this process.")
@options.store
@options.pass_settings
def worker(settings: Settings, once: bool, serve_at: tuple[str, int] | None) -> int:
    """Drive runs without a terminal: take over what was left behind, let deadlines and timers fire.

    A line on standard error tells of each run that it takes in hand, and of each that comes to rest.
    INT or TERM stops it in order: what runs is stopped, that is recorded, and `tidegate resume` goes on.

    Exit code: 0 when it was stopped, or with --once when nothing moves any more.
    """

    async def work(session: Session) -> int:
        teller = _Teller(session)
        await teller.begin()
        complain(f"tidegate: worker on {session.url}")
        telling = asyncio.create_task(teller.follow())
        try:
            async with _metrics(session, serve_at):
                await (_until_all_rests(session) if once else asyncio.Event().wait())
        finally:
            await session.executor.close("the worker was stopped")
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
            await teller.tell()
        return Exit.SUCCEEDED

    with contextlib.suppress(KeyboardInterrupt):  # That is how it ends.
        run_with_session(settings, work, creates=True, adopts=True)
    return Exit.SUCCEEDED


def _metrics(session: Session, where: tuple[str, int] | None) -> contextlib.AbstractAsyncContextManager[None]:
    # Here: most workers serve none.
    from tidegate.cli.metrics import with_metrics

    return with_metrics(session, where)


async def _until_all_rests(session: Session) -> None:
    """Return once nothing moves here, and nothing is left to be taken over or to expire."""
    quiet = 0
    # Twice: a question may expire right after the first look, and its run is not ours yet then.
    while quiet < 2:  # noqa: PLR2004
        adopted = await session.executor.adopt()
        ours = await _ours(session)
        for run_id in ours:
            await session.executor.settle(run_id)
        quiet = 0 if adopted or ours or await _is_overdue(session) else quiet + 1
        if not ours and quiet < 2:  # noqa: PLR2004
            await asyncio.sleep(_LOOK_AGAIN)


async def _ours(session: Session) -> list[RunId]:
    rows = await session.history.runs(RunFilter(statuses=UNFINISHED, limit=_MANY))
    return [view.row.run_id for view in rows if view.row.owner == str(current_owner())]


async def _is_overdue(session: Session) -> bool:
    """Whether a question's deadline has passed that has not expired yet."""
    # Of a run that cannot be driven no question expires.
    waiting = [row for row in await session.history.inbox() if row.run_id not in session.executor.troubles]
    return bool(waiting) and (waiting[0].deadline or float("inf")) <= SystemClock().now()


class _Teller:
    """Says which runs this process takes in hand, and where it leaves them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._me = str(current_owner())
        self._driven: set[RunId] = set()
        self._known: dict[RunId, RunRow] = {}
        """As they were when they were seen last."""

    async def begin(self) -> None:
        """Note who drives what now: what changes from here on is told."""
        self._cursor = await self._session.executor.feed.now()
        rows = await self._session.history.runs(RunFilter(statuses=UNFINISHED, limit=_MANY))
        self._known = {view.row.run_id: view.row for view in rows if view.row.owner != self._me}

    async def follow(self) -> None:
        """Tell what changes, until cancelled."""
        while True:
            try:
                async for changes in self._session.executor.feed.follow(self._cursor):
                    self._cursor = changes.cursor
                    await self._take(changes)
            except TidegateError as error:
                complain(f"tidegate: {error}")
                await asyncio.sleep(_LOOK_AGAIN)

    async def tell(self) -> None:
        """Tell what has changed, once."""
        async for changes in self._session.executor.feed.follow(self._cursor):
            await self._take(changes)
            return

    async def _take(self, changes: Changes) -> None:
        for row in changes.runs:
            await self._look_at(row)
        for run_id in changes.gone:
            self._known.pop(run_id, None)

    async def _look_at(self, row: RunRow) -> None:
        if row.parent is not None:  # It is driven with the run at its top.
            return
        before, self._known[row.run_id] = self._known.get(row.run_id), row
        is_new = before is None or row.epoch != before.epoch
        if row.run_id not in self._driven and is_new and await self._was_ours(row, before):
            self._driven.add(row.run_id)
            previous = before.owner if before is not None else ""
            whose = f", after {describe_owner(previous)}" if previous else ""
            complain(f"tidegate: run {row.run_id} of {row.workflow} goes on here{whose}")
        if row.run_id in self._driven and row.owner != self._me:
            self._driven.discard(row.run_id)
            status = self._session.history.seen(row).status
            why = f": {row.summary.reason}" if row.summary.reason else ""
            complain(f"tidegate: run {row.run_id} of {row.workflow} is {status}{why}")

    async def _was_ours(self, row: RunRow, before: RunRow | None) -> bool:
        """Whether this process drives a run, or took it over and has left it already."""
        if row.owner == self._me:
            return True
        after = before.head if before is not None else Seq(0)
        added = await self._session.history.events(row.run_id, after=after)
        events = [record.event for record in added]
        return any(isinstance(event, RunAdopted) and event.owner == self._me for event in events)
