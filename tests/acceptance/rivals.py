"""Errands of processes that want different things of the same runs at the same instant."""

import asyncio
import itertools
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from lives import Engine, begin
from tidegate.clock import SystemClock
from tidegate.errors import AlreadyAnswered, PauseClosed, RunFinished
from tidegate.model.answer import Reply
from tidegate.model.listing import PauseFilter, PauseRow, RunFilter, RunRow

__all__ = [
    "answer_at_deadlines",
    "answer_from",
    "cancel_from",
    "hold_cursor",
    "start_asking",
]

VOLLEY = 10
_APART = 0.25
"""Seconds between two volleys."""
_MANY = 10_000


async def start_asking(engine: Engine, file: str, count: int) -> list[str]:
    """Start so many runs of a file, and drive them until each waits for a person; return them."""
    return await asyncio.gather(*(begin(engine, file) for _ in range(count)))


async def _at(instant: float) -> None:
    await asyncio.sleep(max(0.0, instant - SystemClock().now()))


async def _pauses(engine: Engine) -> list[PauseRow]:
    rows = await engine.store.pauses(PauseFilter(limit=_MANY))
    return sorted(rows, key=lambda row: row.run_id)


async def _runs(engine: Engine) -> list[RunRow]:
    return sorted(await engine.store.runs(RunFilter(limit=_MANY)), key=lambda row: row.run_id)


async def _in_volleys(instant: float, tasks: Sequence[Callable[[], Awaitable[str]]]) -> list[str]:
    """Do what rivals do too, some at once, each volley at an instant that all rivals know."""
    told: list[str] = []
    for number, first in enumerate(range(0, len(tasks), VOLLEY)):
        await _at(instant + number * _APART)
        told += await asyncio.gather(*(task() for task in tasks[first : first + VOLLEY]))
    return told


async def answer_from(engine: Engine, instant: float) -> dict[str, str]:
    """Answer every question from an instant on, driving what that moves; return, by run, `won` or why not."""
    pauses = await _pauses(engine)
    told = await _in_volleys(instant, [partial(_answer, engine, pause) for pause in pauses])
    for pause in pauses:
        await engine.executor.settle(pause.run_id)
    return {str(pause.run_id): word for pause, word in zip(pauses, told, strict=True)}


async def answer_at_deadlines(engine: Engine, early: Sequence[float]) -> dict[str, str]:
    """Answer every question so many seconds before its deadline; return, by run, `won` or why not."""

    async def answer(pause: PauseRow, seconds: float) -> str:
        await _at((pause.deadline or 0.0) - seconds)
        return await _answer(engine, pause)

    pauses = await _pauses(engine)
    told = await asyncio.gather(
        *(answer(pause, seconds) for pause, seconds in zip(pauses, itertools.cycle(early), strict=False))
    )
    for pause in pauses:
        await engine.executor.settle(pause.run_id)
    return {str(pause.run_id): word for pause, word in zip(pauses, told, strict=True)}


async def _answer(engine: Engine, pause: PauseRow) -> str:
    try:
        await engine.executor.answer(pause.pause_id, Reply(raw="yes", by="ben", via="test"))
    except (AlreadyAnswered, PauseClosed) as error:
        return str(error)
    return "won"


async def cancel_from(engine: Engine, instant: float) -> dict[str, str]:
    """Cancel every run from an instant on; return, by run, `won` or why not."""
    rows = await _runs(engine)
    told = await _in_volleys(instant, [partial(_cancel, engine, row) for row in rows])
    for row in rows:
        await engine.executor.settle(row.run_id)
    return {str(row.run_id): word for row, word in zip(rows, told, strict=True)}


async def _cancel(engine: Engine, row: RunRow) -> str:
    try:
        await engine.executor.cancel(row.run_id, by="eve")
    except RunFinished as error:
        return str(error)
    return "won"


async def hold_cursor(engine: Engine, seconds: float) -> dict[str, int]:
    """Read the events of a SQLite store with one cursor for so long; return what the reader saw, first and last.

    The cursor sees the store as of when it was opened: not a row more, however much is written meanwhile.
    """
    with sqlite3.connect(engine.folder / "store.db") as connection:
        connection.execute("BEGIN")
        heads = connection.execute("SELECT coalesce(sum(head), 0) FROM runs").fetchone()[0]
        cursor = connection.execute("SELECT id FROM events")
        first = cursor.fetchone() is not None
        await asyncio.sleep(seconds)
        seen = int(first) + sum(1 for _ in cursor)
        heads_after = connection.execute("SELECT coalesce(sum(head), 0) FROM runs").fetchone()[0]
    connection.close()
    return {"heads": heads, "seen": seen, "heads_after": heads_after}
