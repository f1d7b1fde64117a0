"""The log in the directory, and how far the index has followed it.

What is to happen is written down first: a record is complete and durable before the index shows
it and before anybody hears that it is done. The number after the newest is what writers compete
for; whoever finds it taken follows what is there, decides again, and takes the next.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from tidegate.clock import Clock
from tidegate.errors import CorruptStore, StoreUnavailable, TidegateError
from tidegate.model.ids import RunId
from tidegate.store.directory.batch import (
    Batch,
    BrokenRecord,
    RunsRemoved,
    encode_order,
    first_checksum,
    is_recorded,
    order_of,
    parse_batch,
    read_batch,
    text_of,
)
from tidegate.store.directory.identity import Identity, time_text
from tidegate.store.directory.index import transaction
from tidegate.store.directory.kept import Kept, Reduced
from tidegate.store.directory.leases import Leases
from tidegate.store.directory.place import Place, path_in, sync
from tidegate.store.directory.remains import Remains, run_of
from tidegate.store.orders import ClaimCleanUp, Order, RenewLeases
from tidegate.store.sqlite.faults import Damaged
from tidegate.store.sqlite.perform import perform
from tidegate.store.sqlite.removal import bury, note_removals
from tidegate.store.sqlite.statements import NOTE_CLEAN_UP

__all__ = ["Ledger", "Overtaken"]

T = TypeVar("T")


class Overtaken(Exception):
    """Somebody else has written the record that was to be ours."""


class _Position(NamedTuple):
    """How far the index has followed the log."""

    number: int
    """Of the newest record that it has."""
    checksum: str
    """Of that record."""
    file: int
    """The number in the name of the file that it is in: a lower one, if that stands for several."""
    mark: tuple[int, int] | None
    """Inode and time of that file; None before the first record."""


class Ledger:
    """The log of one opened store. Used by one thread; `is_behind` by any."""

    def __init__(self, place: Place, identity: Identity, clock: Clock) -> None:
        self.place = place
        self.kept = Kept(place)
        self._leases = Leases(place)
        self._remains = Remains(place)
        self._clock = clock
        self._at = _Position(0, first_checksum(identity.store_id), 0, None)

    @property
    def number(self) -> int:
        """Of the newest record that the index has."""
        return self._at.number

    def is_behind(self) -> bool:
        """Whether there is something that the index has not followed yet."""
        at = self._at
        return (
            self.place.record(at.number + 1).exists()
            or self._mark_of(at.file) != at.mark
            or self._leases.have_changed()
        )

    def _next(self) -> Path:
        return self.place.record(self._at.number + 1)

    def _mark_of(self, number: int) -> tuple[int, int] | None:
        try:
            found = self.place.record(number).stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns

    # -- following ----------------------------------------------------------------------------

    def follow(self, connection: sqlite3.Connection) -> None:
        """Bring the index up to the newest record, and to what others have renewed.

        Raises:
            CorruptStore: a record, or something that it needs, is missing or damaged. The index stays
                as the record before left it.
        """
        self._stand(connection)
        while (text := _read(self._next())) is not None:
            with self._damage_named(self._at.number + 1):
                self._follow_batch(connection, read_batch(text, self._at.number + 1, self._at.checksum))
        if self._leases.have_changed():
            with transaction(connection):
                self._leases.follow(connection)

    def follow_whoever_was_faster(self, connection: sqlite3.Connection) -> None:
        """Bring the index up to the record that has the number which was to be ours.

        Raises:
            StoreUnavailable: it cannot be seen, though it is there.
        """
        before = self._at.number
        self.follow(connection)
        if self._at.number == before:
            problem = f"{self._name_of(before + 1)} is taken, but cannot be seen yet"
            raise StoreUnavailable(self.place.url, problem, "Keep the store on a local disk")

    def check_complete(self) -> None:
        """Check that nothing in the folder of records is unlike the others, or comes after a gap.

        Raises:
            CorruptStore: something is.
        """
        for entry in sorted(self.place.records.iterdir()) if self.place.records.is_dir() else ():
            number = int(entry.stem) if entry.stem.isdecimal() else 0
            if entry.name.startswith("."):
                continue
            if not number or entry != self.place.record(number):
                raise self._damaged(f"{path_in(self.place, entry)} is no record")
            if number > self._at.number and not self._next().exists():
                raise self._damaged(f"{self._name_of(self._at.number + 1)} is missing")

    def _follow_batch(self, connection: sqlite3.Connection, batch: Batch) -> None:
        owned = []
        with transaction(connection):
            for position, said in enumerate(batch.orders):
                order = order_of(said)
                if order is not None:
                    owned.append((run_of(connection, order), position))
                    self._carry_out_as_told(connection, order)
        self._move_to(batch, owned)

    def _stand(self, connection: sqlite3.Connection) -> None:
        """See to it that the directory goes on from where the index is.

        Where runs were removed, another file may be in the place of the newest record, or stand for it and more.

        Raises:
            CorruptStore: the newest record is gone, or of another history.
        """
        if self._mark_of(self._at.file) == self._at.mark:
            return
        number = self._covering()
        if number is None:
            raise self._damaged(f"{self._name_of(self._at.file)} is gone since it was read")
        with self._damage_named(number):
            batch = parse_batch(self.place.record(number).read_bytes(), number)
            if batch.last < self._at.number:
                raise self._damaged(f"{self._name_of(self._at.number)} is gone since it was read")
            if batch.last == self._at.number and batch.checksum != self._at.checksum:
                raise BrokenRecord("is not the one that was read: it is of another history")
            if batch.upto:
                self._follow_batch(connection, batch)
            else:
                self._move_to(batch, ())

    def _covering(self) -> int | None:
        """Return the number of the file that has the newest record, or may stand for it; None: there is none."""
        files = self.place.records.glob("*.json") if self.place.records.is_dir() else ()
        numbers = (int(entry.stem) for entry in files if entry.stem.isdecimal())
        return max((number for number in numbers if number <= self._at.number), default=None)

    def _name_of(self, number: int) -> str:
        return path_in(self.place, self.place.record(number))

    def _carry_out_as_told(self, connection: sqlite3.Connection, order: Order[Any]) -> None:
        try:
            self._carry_out(connection, order)
        except (TidegateError, sqlite3.Error, ValueError) as error:
            raise BrokenRecord(f"does not fit what was before it ({error})") from error

    def _carry_out(self, connection: sqlite3.Connection, order: Order[T]) -> T:
        if isinstance(order, RunsRemoved):
            bury(connection, order.runs, order.at)
            note_removals(connection, order.told)
            return cast("T", order.runs)
        return perform(connection, self.kept.restored(connection, order))

    def _move_to(self, batch: Batch, owned: Iterable[tuple[RunId | None, int]]) -> None:
        for run_id, position in owned:
            if run_id is not None:
                self._remains.note(run_id, batch.number, position)
        if batch.is_empty:
            self._remains.note_empty(batch.number)
        self._at = _Position(batch.last, batch.checksum, batch.number, self._mark_of(batch.number))

    @contextmanager
    def _damage_named(self, number: int) -> Iterator[None]:
        try:
            yield
        except BrokenRecord as error:
            raise self._damaged(f"{self._name_of(number)} {error}") from error
        except Damaged as error:
            raise self._damaged(f"{error}, and {self._name_of(number)} needs it") from error

    def _damaged(self, problem: str) -> CorruptStore:
        return CorruptStore(self.place.url, problem)

    # -- adding -------------------------------------------------------------------------------

    def write(self, reduced: Sequence[Reduced]) -> Batch | None:
        """Write a record of orders that the index accepts, durable when this returns.

        Args:
            reduced: The orders, and the files that belong to them.

        Returns:
            What was written; None if there is nothing to be remembered.

        Raises:
            Overtaken: somebody else has written the next record first.
            CorruptStore: the store is gone.
            OSError: it cannot be written; nothing of it was.
        """
        lasting = [it for it in reduced if is_recorded(it.order)]
        if not lasting:
            return None
        if not self.place.identity.exists():
            raise self._damaged(f"{self.place.identity.name} is gone since it was read")
        for folders in [self.kept.write(it.files) for it in lasting]:
            sync(folders)
        batch = Batch(
            number=self._at.number + 1,
            at=time_text(self._clock.now()),
            orders=tuple(encode_order(it.order) for it in lasting),
            previous=self._at.checksum,
        ).sealed()
        if not self.place.add(self._next(), text_of(batch)):
            raise Overtaken
        sync([self.place.records])
        return batch

    def enter(
        self, connection: sqlite3.Connection, batch: Batch | None, orders: Sequence[Order[Any]]
    ) -> list[Any]:
        """Bring what was written into the index; return what each order gives back.

        Args:
            connection: Of the index.
            batch: As `write` gave it.
            orders: As `write` was given them, also those that are not in the batch.
        """
        results, forgotten = [], []
        owned = [(run_of(connection, order), n) for n, order in enumerate(filter(is_recorded, orders))]
        with transaction(connection):
            for order in orders:
                forgotten += self.kept.forgotten(connection, order)
                results.append(self._carry_out(connection, order))
        if batch is not None:
            self._move_to(batch, owned)
        with suppress(OSError):
            for path in forgotten:
                path.unlink(missing_ok=True)
        return results

    def renew(self, connection: sqlite3.Connection, orders: Iterable[Order[Any]]) -> None:
        """Write down for others which leases are extended."""
        for order in orders:
            if isinstance(order, RenewLeases):
                self._leases.renew(connection, order)

    # -- keeping it small ---------------------------------------------------------------------

    def take_out(self, connection: sqlite3.Connection) -> bool:
        """Take a slice of what removed runs have left out of the directory; return whether there is more.

        To be called with the lock held alone.
        """
        self.follow(connection)
        try:
            return self._remains.take_out(connection, self._at.number)
        except BrokenRecord as error:
            raise self._damaged(str(error)) from error

    def claim_clean_up(self, connection: sqlite3.Connection, order: ClaimCleanUp) -> bool:
        """Note that somebody cleans up now, unless somebody has just done so, here or in another process.

        To be called with the lock held alone.
        """
        with transaction(connection):
            with suppress(OSError, ValueError):
                last = float(self.place.cleaned_up.read_text())
                connection.execute(NOTE_CLEAN_UP, (last,))
            is_ours = perform(connection, order)
        if is_ours:
            self.place.replace(self.place.cleaned_up, f"{order.now!r}\n".encode(), durable=False)
        return is_ours

    # -- ending -------------------------------------------------------------------------------

    def clear(self) -> None:
        """Remove what processes that are gone have left."""
        self._leases.clear()
        self.place.clear()

    def close(self) -> None:
        """Leave nothing behind that only we need."""
        # The directory may be gone, or read-only by now.
        with suppress(OSError):
            self._leases.close()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
