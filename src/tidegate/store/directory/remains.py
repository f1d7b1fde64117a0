"""What removed runs leave in the directory, and how it goes: bit by bit, so that nobody waits long.

First the files go that nobody else needs, then the run's orders are taken out of the records, the newest
first. Whoever opens the store in between meets the beginning of a run, and then its removal; so the work
can be broken off anywhere, and is then done again by whoever comes next. The index has the run's grave
for that long.
"""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tidegate.model.ids import CheckpointId, RunId
from tidegate.store.directory.batch import Batch, BrokenRecord, merged, parse_batch, removed, text_of
from tidegate.store.directory.index import transaction
from tidegate.store.directory.place import Place, path_in, quoted, sync
from tidegate.store.orders import Order
from tidegate.store.sqlite import statements as sql
from tidegate.store.sqlite.removal import bury

__all__ = ["Remains", "run_of", "strays"]

_FILES_AT_ONCE = 256
_BYTES_AT_ONCE = 1 << 20
_RECORDS_AT_ONCE = 8
"""Each is written and made durable anew, which takes about two milliseconds."""
_WORTH_MERGING = 2
_PLACES = 1 << 10
"""More than a record has orders: a place in the log is one number."""

_GRAVES = "SELECT run_no, run_id FROM graves WHERE emptied = 0"
_BELOW = (
    "SELECT r.run_id, g.removed_at FROM runs r JOIN graves g ON r.root = g.run_id WHERE g.emptied = 0 LIMIT ?"
)
_LEFT_VALUES = (
    "SELECT DISTINCT u.sha256 FROM value_uses u JOIN graves g USING (run_no) WHERE g.emptied = 0"
    " AND NOT EXISTS (SELECT 1 FROM value_uses x JOIN runs r USING (run_no) WHERE x.sha256 = u.sha256)"
    " LIMIT ?"
)
_FORGET_VALUE = ("DELETE FROM value_uses WHERE sha256 = ?", "DELETE FROM vals WHERE sha256 = ?")
_RUN_IDS = "SELECT run_id FROM runs UNION SELECT run_id FROM graves WHERE emptied = 0"


class Remains:
    """The places of runs in the log of one opened store, and the work of taking them out."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._places: dict[RunId, array[int]] = {}
        self._going: set[RunId] = set()
        self._left: list[int] = []
        """Places of orders that are to be taken out, in order; the last is next."""
        self._empty: set[int] = set()
        """Numbers of records of which nothing is left."""

    def note(self, run_id: RunId, number: int, position: int) -> None:
        """Remember that an order of a run stands at *position* in the record with *number*."""
        self._places.setdefault(run_id, array("Q")).append(number * _PLACES + position)

    def note_empty(self, number: int) -> None:
        """Remember that nothing is left of a record."""
        self._empty.add(number)

    def take_out(self, connection: sqlite3.Connection, newest: int) -> bool:
        """Do a slice of the work; return whether there is more.

        To be called with the lock held alone, once the log has been followed.

        Args:
            connection: Of the index, outside of a transaction.
            newest: Number of the newest record.

        Raises:
            BrokenRecord: a record is not what was written.
        """
        graves = [RunId(run_id) for _, run_id in connection.execute(_GRAVES)]
        if _bury_below(connection) or self._drop_values(connection) or self._drop_output(graves):
            return True
        self._plan(graves)
        if self._take_out_orders() or self._merge(newest):
            return True
        if graves:
            # Only now: the orders of a new run need its definition.
            _remove(self._unused_definitions(connection))
        return False

    # -- files --------------------------------------------------------------------------------

    def _drop_values(self, connection: sqlite3.Connection) -> bool:
        names = [name for (name,) in connection.execute(_LEFT_VALUES, (_FILES_AT_ONCE,))]
        _remove(self._place.value(name.hex()) for name in names)
        with transaction(connection):
            for statement in _FORGET_VALUE:
                connection.executemany(statement, [(name,) for name in names])
        return len(names) == _FILES_AT_ONCE

    def _drop_output(self, graves: Iterable[RunId]) -> bool:
        left = _Slice()
        for run_id in graves:
            left.remove_below(self._place.output / quoted(run_id))
            if left.is_full:
                return True
        return False

    def _unused_definitions(self, connection: sqlite3.Connection) -> Iterator[Path]:
        known = {quoted(name) for (name,) in connection.execute("SELECT hash FROM definitions")}
        return (path for path in self._place.definitions.iterdir() if path.stem not in known)

    # -- records ------------------------------------------------------------------------------

    def _plan(self, graves: Iterable[RunId]) -> None:
        new = set(graves) - self._going
        if new:
            self._going |= new
            places = (self._places.pop(run_id, array("Q")) for run_id in new)
            self._left = sorted([*self._left, *(place for of_run in places for place in of_run)])

    def _take_out_orders(self) -> bool:
        rewritten = False
        for _ in range(_RECORDS_AT_ONCE):
            if not self._left:
                break
            number, positions = self._newest()
            rewritten |= self._rewrite(number, positions)
            del self._left[-len(positions) :]
        if rewritten:
            sync([self._place.records])
        return bool(self._left)

    def _newest(self) -> tuple[int, list[int]]:
        """Return the number of the newest record that has something to be taken out, and what."""
        number = self._left[-1] // _PLACES
        positions = []
        for place in reversed(self._left):
            if place // _PLACES != number:
                break
            positions.append(place % _PLACES)
        return number, positions

    def _rewrite(self, number: int, positions: Iterable[int]) -> bool:
        batch = self._batch(number)
        if batch is None or batch.upto:
            # Another process was faster.
            return False
        orders = list(batch.orders)
        for position in positions:
            orders[position] = removed(orders[position])
        left = batch.evolve(orders=tuple(orders))
        if left.is_empty:
            self._empty.add(number)
        if left == batch:
            return False
        self._place.replace(self._place.record(number), text_of(left))
        return True

    def _merge(self, newest: int) -> bool:
        """Let one record stand for some that follow each other and are empty; return whether there were such.

        Never the newest: that is where the next one follows. The first is replaced, then the others go in order.
        So whoever stands in the middle finds that the record he stands on is gone, or another one, and looks
        for the one that stands for it.
        """
        batches = self._empty_neighbours(newest)
        if len(batches) < _WORTH_MERGING:
            return False
        self._place.replace(self._place.record(batches[0].number), text_of(merged(batches)))
        sync([self._place.records])
        for batch in batches[1:]:
            self._place.record(batch.number).unlink(missing_ok=True)
            self._empty.discard(batch.number)
        return True

    def _empty_neighbours(self, newest: int) -> list[Batch]:
        """Return the first few records that follow each other and are empty, if there are any."""
        found: list[Batch] = []
        for number in sorted(self._empty):
            batch = self._batch(number)
            if batch is None or batch.last >= newest:
                continue
            if found and (batch.number != found[-1].last + 1 or len(found) == _FILES_AT_ONCE):
                if len(found) >= _WORTH_MERGING:
                    break
                found = []
            found.append(batch)
        return found

    def _batch(self, number: int) -> Batch | None:
        path = self._place.record(number)
        try:
            return parse_batch(path.read_bytes(), number)
        except FileNotFoundError:
            # Another process has merged it.
            self._empty.discard(number)
            return None
        except BrokenRecord as error:
            raise BrokenRecord(f"{path_in(self._place, path)} {error}") from error


class _Slice:
    """How many files may still be removed at once."""

    def __init__(self) -> None:
        self._files = _FILES_AT_ONCE
        self._bytes = _BYTES_AT_ONCE

    @property
    def is_full(self) -> bool:
        """Whether no more may be."""
        return self._files <= 0 or self._bytes <= 0

    def remove_below(self, folder: Path) -> None:
        """Remove files below *folder*, as many as may be, and the folders that are empty then."""
        # Backwards: what is in a folder comes before it.
        for path in sorted(folder.rglob("*"), reverse=True) if folder.is_dir() else ():
            if self.is_full:
                return
            if path.is_dir():
                path.rmdir()
            else:
                self._files -= 1
                self._bytes -= path.stat().st_size
                path.unlink()
        if folder.is_dir():
            folder.rmdir()


def _bury_below(connection: sqlite3.Connection) -> bool:
    """Remove some of what stands below removed runs; return whether there was something.

    All of a tree has to go before its orders do: what begins below a run that is not there does not fit.
    """
    found = connection.execute(_BELOW, (_FILES_AT_ONCE,)).fetchall()
    with transaction(connection):
        bury(connection, [RunId(run_id) for run_id, _ in found], max((at for _, at in found), default=0.0))
    return bool(found)


def run_of(connection: sqlite3.Connection, order: Order[Any]) -> RunId | None:
    """Return whose history *order* belongs to; None: nobody's alone.

    Args:
        connection: Of the index, before the order is carried out.
        order: Any one.
    """
    run_id: RunId | None = getattr(order, "run_id", None)
    checkpoint_id: CheckpointId | None = getattr(order, "checkpoint_id", None)
    if run_id is not None or checkpoint_id is None:
        return run_id
    row = connection.execute(sql.FIND_CHECKPOINT, (checkpoint_id,)).fetchone()
    return None if row is None else RunId(row[1])


def strays(connection: sqlite3.Connection, place: Place) -> dict[str, list[Path]]:
    """Return the files, by kind, that nothing refers to: those of a record that was never written.

    To be called with the lock held alone, once the log has been followed.
    """
    values = {name.hex() for (name,) in connection.execute("SELECT sha256 FROM vals")}
    definitions = {quoted(name) for (name,) in connection.execute("SELECT hash FROM definitions")}
    if connection.execute(_GRAVES).fetchone() is not None:
        definitions |= {path.stem for path in place.definitions.iterdir()}
    return {
        "files of values": [path for path in place.values.glob("*/*.json") if path.stem not in values],
        "files of definitions": [
            path for path in place.definitions.iterdir() if path.stem not in definitions
        ],
        "files of output": list(_stray_output(connection, place)),
    }


def _stray_output(connection: sqlite3.Connection, place: Place) -> Iterator[Path]:
    runs = {quoted(run_id): run_id for (run_id,) in connection.execute(_RUN_IDS)}
    named = {
        place.output_of(run_id, block, attempt) / data.decode()
        for run_id, block, attempt, data in connection.execute(
            "SELECT r.run_id, o.block, o.attempt, o.data FROM output o JOIN runs r USING (run_no)"
        )
    }
    buried = {run_id for _, run_id in connection.execute(_GRAVES)}
    for folder in place.output.iterdir() if place.output.is_dir() else ():
        if runs.get(folder.name) not in buried:
            yield from (path for path in folder.rglob("*") if path.is_file() and path not in named)


def _remove(paths: Iterable[Path]) -> None:
    # Not durable: what comes back with a power cut is a stray then.
    for path in list(paths):
        path.unlink(missing_ok=True)
