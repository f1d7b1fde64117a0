"""How long leases hold, in a file per process: they are renewed every few seconds, and that is no history.

Taking a lease and giving it back are orders of the log. Renewing one only moves the end of it, so
it goes into a small file that is replaced each time, is of no use to anybody on another day, and is
kept out of version control. A file that is missing or damaged renews nothing: the lease then ends
when the log says, and whoever takes the run over does so under a new epoch.
"""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from tidegate.model.base import Noun
from tidegate.model.ids import RunId
from tidegate.model.listing import Epoch
from tidegate.store.directory.place import Place
from tidegate.store.orders import RenewLeases
from tidegate.store.owner import Owner, current_owner
from tidegate.store.sqlite import statements as sql
from tidegate.store.sqlite.perform import perform

__all__ = ["Leases"]


class Renewed(Noun):
    """A lease that was renewed."""

    epoch: Epoch
    until: float
    """Seconds since 1970 UTC."""


class LeaseFile(Noun):
    """What one process has renewed."""

    process: str
    """As a lease names it."""
    leases: dict[RunId, Renewed]


class _Seen(NamedTuple):
    """A file as it was when it was read."""

    mark: tuple[int, int]
    """Its inode and its time of change."""
    content: LeaseFile | None
    """None: not one of ours, or damaged."""


class Leases:
    """The files of a store that say how long leases hold, as one opened store sees them."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._own = place.leases / f"{secrets.token_hex(6)}.json"
        self._renewed: dict[RunId, Renewed] = {}
        self._seen: dict[Path, _Seen] = {}
        self._looked_at = -1

    def have_changed(self) -> bool:
        """Whether somebody has renewed something since the last `follow`."""
        return self._time() != self._looked_at

    def _time(self) -> int:
        try:
            return self._place.leases.stat().st_mtime_ns
        except FileNotFoundError:
            return -1

    # -- those of others ----------------------------------------------------------------------

    def follow(self, connection: sqlite3.Connection) -> None:
        """Bring what others have renewed into the index; the log must have been followed before."""
        # Before the look: what is renewed meanwhile is then seen the next time.
        self._looked_at = self._time()
        self._seen = dict(self._look())
        for _, content in self._seen.values():
            if content is not None:
                for run_id, lease in content.leases.items():
                    perform(connection, RenewLeases(epochs={run_id: lease.epoch}, until=lease.until))

    def _look(self) -> Iterator[tuple[Path, _Seen]]:
        for path in sorted(self._place.leases.glob("*.json")) if self._place.leases.is_dir() else ():
            # It may be gone by now.
            with suppress(FileNotFoundError):
                if path != self._own:
                    found = path.stat()
                    mark = (found.st_ino, found.st_mtime_ns)
                    known = self._seen.get(path)
                    yield path, known if known and known.mark == mark else _Seen(mark, _content_of(path))

    def clear(self) -> None:
        """Remove the files of processes that are gone."""
        for path, (_, content) in self._seen.items():
            owner = Owner.parse(content.process) if content else None
            if owner is not None and owner.is_dead():
                path.unlink(missing_ok=True)

    # -- our own ------------------------------------------------------------------------------

    def renew(self, connection: sqlite3.Connection, order: RenewLeases) -> None:
        """Write down what *order* extends.

        Args:
            connection: Of the index; runs that have moved on are left out from now on.
            order: As it was carried out.
        """
        self._renewed |= {run: Renewed(epoch=epoch, until=order.until) for run, epoch in order.epochs.items()}
        self._renewed = {run: it for run, it in self._renewed.items() if _is_held(connection, run, it.epoch)}
        content = LeaseFile(process=str(current_owner()), leases=self._renewed)
        text = msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"
        # Not durable: after a power cut nobody drives what was driven before.
        self._place.replace(self._own, text, durable=False)

    def close(self) -> None:
        """Remove our own file: who leaves without giving a lease back holds it as long as the log says."""
        self._own.unlink(missing_ok=True)


def _content_of(path: Path) -> LeaseFile | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=LeaseFile)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _is_held(connection: sqlite3.Connection, run_id: RunId, epoch: Epoch) -> bool:
    row = connection.execute(sql.FIND_LEASE, (run_id,)).fetchone()
    return row is not None and row[1] == epoch and bool(row[2])
