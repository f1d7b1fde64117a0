"""Lists out of a file that may be damaged: what can be read is listed, and what cannot is said.

One damaged run must not hide the others. A row that is not what was written is left out, or stands in
the list with what is known of it. Where the file's structure is damaged, the list is read piece by
piece: which rows there are is known from the table and from its index, and one of them is enough.
"""

# ruff: noqa: S608  # what is joined here are constants; values are always bound

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec
import zstandard

from tidegate.errors import CorruptStore
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId, Seq, block_of
from tidegate.model.listing import (
    CheckpointFilter,
    CheckpointRow,
    Counts,
    OpenPause,
    PauseFilter,
    PauseRow,
    RunFilter,
    RunRow,
)
from tidegate.model.state import PauseState, RunSummary
from tidegate.store.sqlite import queries
from tidegate.store.sqlite.faults import NOT_AS_WRITTEN, Damaged
from tidegate.store.sqlite.readers import Query, Readers
from tidegate.store.sqlite.rows import (
    CHECKPOINT_COLUMNS,
    PAUSE_COLUMNS,
    RUN_COLUMNS,
    Row,
    checkpoint_row,
    pause_row,
    run_row,
)

__all__ = ["Lists", "known_row"]

T = TypeVar("T")

_MOVING = (RunStatus.QUEUED, RunStatus.RUNNING)
_AT_ONCE = 256
_LAST_ROW = 2**62
_MOST_FAILURES = 1_000
"""Of looks at a damaged table: behind its last page no number is too high to be looked for."""
_NOT_DECODED = (msgspec.MsgspecError, zstandard.ZstdError, Damaged, TypeError, ValueError, AttributeError)

# The rows to read come first, and one by one: no other part of the table is touched.
_RUNS = (
    f"SELECT r.run_no, {RUN_COLUMNS} FROM json_each(?) j CROSS JOIN runs r NOT INDEXED ON r.run_no = j.value"
)
_PAUSES = (
    f"SELECT p.rowid, {PAUSE_COLUMNS} FROM json_each(?) j CROSS JOIN pauses p NOT INDEXED ON p.rowid = j.value"
    " CROSS JOIN runs r NOT INDEXED ON r.run_no = p.run_no"
)
_CHECKPOINTS = (
    f"SELECT c.no, {CHECKPOINT_COLUMNS} FROM json_each(?) j"
    " CROSS JOIN checkpoints c NOT INDEXED ON c.no = j.value CROSS JOIN runs r NOT INDEXED ON r.run_no = c.run_no"
    " LEFT JOIN pauses p ON p.pause_id = c.checkpoint_id"
)

_CHECKPOINTS_ALONE = _CHECKPOINTS.replace(" LEFT JOIN pauses p ON p.pause_id = c.checkpoint_id", "").replace(
    "p.state, decrypted(p.prompt)", "NULL, NULL"
)


class Lists:
    """Reads the lists of one database."""

    def __init__(self, readers: Readers, url: str, note: Callable[[CorruptStore], None]) -> None:
        """Make it.

        Args:
            readers: Where rows come from.
            url: For messages.
            note: Told of damage that a list was given in spite of.
        """
        self._readers = readers
        self._url = url
        self._note = note

    async def runs(self, wanted: RunFilter) -> tuple[RunRow, ...]:
        """Return runs, newest first; one that cannot be read stands in the list by its name."""
        try:
            found = await self._readers.rows(queries.runs(wanted), _as_it_is)
        except CorruptStore as damage:
            self._note(damage)
            every = await self._every_run()
            chosen = sorted(filter(_choice(wanted, every), every), key=_age_in(wanted))
            return tuple(chosen[: wanted.limit])
        return self.known(found)

    def known(self, found: Iterable[Row]) -> tuple[RunRow, ...]:
        """Return runs from rows of `RUN_COLUMNS`; one that is damaged keeps what is known of it."""
        return tuple(self._known(row) for row in found)

    def _known(self, row: Row) -> RunRow:
        known = known_row(row)
        if known.damage:
            self._note(CorruptStore(self._url, f"run {known.run_id}: {known.damage}", run_id=known.run_id))
        return known

    async def pauses(self, wanted: PauseFilter) -> tuple[PauseRow, ...]:
        """Return pauses: those with a deadline first, earliest first, then oldest first."""
        try:
            found = await self._readers.rows(queries.pauses(wanted), _as_it_is)
        except CorruptStore as damage:
            self._note(damage)
            rows = self._decoded(
                await self._every("pauses", "rowid", "pause_id", _PAUSES), pause_row, "question"
            )
            return await self._some_pauses(rows, wanted)
        return tuple(self._decoded(found, pause_row, "question"))

    async def checkpoints(self, wanted: CheckpointFilter) -> tuple[CheckpointRow, ...]:
        """Return checkpoints, newest first."""
        try:
            found = await self._readers.rows(queries.checkpoints(wanted), _as_it_is)
        except CorruptStore as damage:
            self._note(damage)
            # Where the questions cannot be read either, whether one is open is all that is not known.
            every = await self._every(
                "checkpoints", "no", "checkpoint_id", _CHECKPOINTS
            ) or await self._every("checkpoints", "no", "checkpoint_id", _CHECKPOINTS_ALONE)
            rows = self._decoded(every[::-1], checkpoint_row, "checkpoint")
            chosen = [row for row in rows if _is_wanted(row, wanted)]
            left = _behind(chosen, wanted.older_than, lambda row: row.checkpoint_id)
            return tuple(left[: wanted.limit])
        return tuple(self._decoded(found, checkpoint_row, "checkpoint"))

    async def counts(self) -> Counts:
        """Return how much there is, counted one by one."""
        runs: dict[str, int] = {}
        for row in await self.runs(RunFilter(top_only=True, limit=_LAST_ROW)):
            runs[row.summary.status.value] = runs.get(row.summary.status.value, 0) + 1
        waiting = await self.pauses(PauseFilter(limit=_LAST_ROW))
        return Counts(pauses=tuple(map(_call_of, waiting)), runs=runs)

    def _decoded(self, found: Iterable[Row], decode: Callable[[Row], T], what: str) -> list[T]:
        decoded = []
        for row in found:
            try:
                decoded.append(decode(row))
            except _NOT_DECODED:
                self._note(CorruptStore(self._url, f"{what} {row[0]} of run {row[1]} cannot be read"))
        return decoded

    # -- piece by piece -----------------------------------------------------------------------

    async def _every_run(self) -> list[RunRow]:
        names = await self._names("runs", "run_no", "run_id")
        read = {row[0]: known_row(row[1:]) for row in await self._pieces(_RUNS, sorted(names))}
        lost = {number: _unreadable(RunId(name)) for number, name in names.items() if name is not None}
        return [row for _, row in sorted({**lost, **read}.items(), reverse=True)]

    async def _every(self, table: str, number: str, name: str, statement: str) -> list[Row]:
        names = await self._names(table, number, name)
        return [row[1:] for row in await self._pieces(statement, sorted(names))]

    async def _names(self, table: str, number: str, name: str) -> dict[int, str | None]:
        """Return the numbers of a table's rows, with their names where the index says them."""
        with suppress(CorruptStore):
            index = f"sqlite_autoindex_{table}_1"
            query = Query(f"SELECT {number}, {name} FROM {table} INDEXED BY {index}")
            return dict(await self._readers.rows(query, lambda row: (int(row[0]), str(row[1]))))
        return dict.fromkeys(await self._numbers(table, number))

    async def _numbers(self, table: str, number: str) -> list[int]:
        """Return the numbers of the rows in a table, read in halves around what cannot be read, lowest first."""
        found: list[int] = []
        spans, failures = [(0, _LAST_ROW)], 0
        statement = f"SELECT {number} FROM {table} NOT INDEXED WHERE {number} BETWEEN ? AND ?"
        while spans and failures < _MOST_FAILURES:
            low, high = spans.pop()
            try:
                found += await self._readers.rows(Query(statement, (low, high)), lambda row: int(row[0]))
            except CorruptStore:
                failures += 1
                if low < high:
                    middle = (low + high) // 2
                    spans += [(middle + 1, high), (low, middle)]
        return found

    async def _pieces(self, statement: str, numbers: Sequence[int]) -> list[Row]:
        """Return the rows with *numbers*, as far as they can be read."""
        found: list[Row] = []
        for start in range(0, len(numbers), _AT_ONCE):
            found += await self._piece(statement, numbers[start : start + _AT_ONCE])
        return found

    async def _piece(self, statement: str, numbers: Sequence[int]) -> list[Row]:
        with suppress(CorruptStore):
            query = Query(statement, (msgspec.json.encode(list(numbers)).decode(),))
            return list(await self._readers.rows(query, _as_it_is))
        if len(numbers) == 1:
            return []
        middle = len(numbers) // 2
        return await self._piece(statement, numbers[:middle]) + await self._piece(statement, numbers[middle:])

    async def _some_pauses(self, rows: list[PauseRow], wanted: PauseFilter) -> tuple[PauseRow, ...]:
        chosen = [
            row
            for row in rows
            if (not wanted.open_only or row.state is PauseState.OPEN)
            and wanted.run_id in (None, row.run_id)
            and wanted.root in (None, row.root or row.run_id)
            and wanted.workflow in (None, row.workflow)
            and wanted.block in (None, row.block, block_of(row.block))
            and (wanted.due_by is None or (row.deadline is not None and row.deadline <= wanted.due_by))
            and (wanted.closed_since is None or (row.closed_at or -1.0) >= wanted.closed_since)
        ]
        if wanted.closed_since is None:
            chosen.sort(key=lambda row: (row.deadline is None, row.deadline or 0.0, row.opened_at))
        else:
            chosen.sort(key=lambda row: -(row.closed_at or 0.0))
        return tuple(_behind(chosen, wanted.behind, lambda row: row.pause_id)[: wanted.limit])


def _behind(rows: list[T], last: str | None, name: Callable[[T], str]) -> list[T]:
    """Return the rows behind the one that is named *last*: all if none is named, none if that is not there."""
    if last is None:
        return rows
    following = iter(rows)
    any(name(row) == last for row in following)
    return list(following)


def _call_of(row: PauseRow) -> OpenPause:
    return OpenPause(pause_id=row.pause_id, deadline=row.deadline, assignee=row.assignee)


def _as_it_is(row: Row) -> Row:
    return row


def known_row(row: Row) -> RunRow:
    """Return a run from `RUN_COLUMNS`; of one that is damaged what can be read, and that it is."""
    try:
        return run_row(row)
    except _NOT_DECODED as error:
        why = str(error) if isinstance(error, Damaged) else NOT_AS_WRITTEN
        name = RunId(row[0] if isinstance(row[0], str) else "?")
        return _unreadable(name, workflow=row[1], created_at=row[3], head=row[5], why=why)


def _unreadable(
    run_id: RunId,
    *,
    workflow: object = "?",
    created_at: object = 0.0,
    head: object = 0,
    why: str = "the file is damaged there",
) -> RunRow:
    """Return a stand-in for a run that cannot be listed. It has no owner: nobody goes on with it by himself."""
    damage = f"its row cannot be read ({why})"
    return RunRow(
        run_id=run_id,
        workflow=workflow if isinstance(workflow, str) else "?",
        definition="",
        created_at=created_at if isinstance(created_at, float) else 0.0,
        updated_at=created_at if isinstance(created_at, float) else 0.0,
        head=Seq(head if isinstance(head, int) else 0),
        summary=RunSummary(status=RunStatus.INTERRUPTED, reason=f"damaged: {damage}"),
        damage=damage,
    )


def _choice(wanted: RunFilter, every: Sequence[RunRow]) -> Callable[[RunRow], bool]:
    """Return what *wanted* says of a row, when SQLite cannot be asked. A damaged one is always wanted."""
    last = next((row for row in every if row.run_id == wanted.older_than), None)
    limit = min(wanted.before or float("inf"), last.created_at if last is not None else float("inf"))

    def is_chosen(row: RunRow) -> bool:
        if row.damage:
            return last is None and (not wanted.ids or row.run_id in wanted.ids)
        return (
            wanted.workflow in (None, row.workflow)
            and (not wanted.statuses or row.summary.status in wanted.statuses)
            and (not wanted.ids or row.run_id in wanted.ids)
            and wanted.parent in (None, row.parent)
            and (wanted.origin is None or (row.origin is not None and row.origin.run_id == wanted.origin))
            and wanted.root in (None, row.root, row.run_id)
            and not (wanted.top_only and row.parent is not None)
            and (not wanted.left_only or bool(row.owner) or row.summary.status in _MOVING)
            and row.created_at < limit
        )

    return is_chosen


def _age_in(wanted: RunFilter) -> Callable[[RunRow], float]:
    """Return by what rows are put in order, the smallest first, when SQLite cannot be asked."""
    return lambda row: -(row.updated_at if wanted.last_changed_first else row.created_at)


def _is_wanted(row: CheckpointRow, wanted: CheckpointFilter) -> bool:
    """Return what *wanted* says of a row, when SQLite cannot be asked."""
    return (
        _is_of(row, wanted)
        and (
            (row.block is not None and wanted.block in (row.block, block_of(row.block)))
            or wanted.block is None
        )
        and (
            (not wanted.statuses or row.summary.status in wanted.statuses)
            and (wanted.since is None or row.created_at >= wanted.since)
            and (wanted.before is None or row.created_at < wanted.before)
        )
    )


def _is_of(row: CheckpointRow, wanted: CheckpointFilter) -> bool:
    return (
        wanted.run_id in (None, row.run_id)
        and wanted.workflow in (None, row.workflow)
        and (not wanted.kinds or row.kind in wanted.kinds)
        and (row.pause_open or not wanted.open_pauses_only)
    )
