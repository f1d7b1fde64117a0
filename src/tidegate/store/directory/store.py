"""The store in a directory: the one on SQLite, with the index as its database and the log as its truth."""

import asyncio
import logging
import secrets
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from tidegate.clock import Clock
from tidegate.errors import CorruptStore, StoreUnavailable
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import OutputChunk, Statistics
from tidegate.store.changes import ChangeSignal, watch_on
from tidegate.store.directory import accounts
from tidegate.store.directory.following import FollowingReaders, NewestRecord
from tidegate.store.directory.hands import Hands
from tidegate.store.directory.identity import Identity, ensure
from tidegate.store.directory.ledger import Ledger
from tidegate.store.directory.lock import Lock
from tidegate.store.directory.mirror import mirror
from tidegate.store.directory.place import Place, os_faults
from tidegate.store.directory.writer import LedgerWriter
from tidegate.store.sqlite.connections import memory_uri
from tidegate.store.sqlite.faults import Damaged, faults_of
from tidegate.store.sqlite.mounts import MOUNTS, mount_of, network_use
from tidegate.store.sqlite.readers import Readers, reading_connections
from tidegate.store.sqlite.store import Parts, SqliteStore, connect_for_writing

__all__ = ["DirectoryStore", "open_directory"]

log = logging.getLogger(__name__)

_TRIES = 50
"""To find a moment in which nobody writes; each takes a fifth of a second."""


class DirectoryStore(SqliteStore):
    """A store in a directory. See `tidegate.store.protocol.Store` for what it promises."""

    def __init__(
        self, ledger: Ledger, log: LedgerWriter, hands: Hands, rest: tuple[Readers, ChangeSignal]
    ) -> None:
        """Own all of them from now on.

        Args:
            ledger: The log; the writer's thread writes it.
            log: Writes the log, and the index.
            hands: Look at files.
            rest: Readers of the index, and what tells of changes in the log.
        """
        super().__init__(ledger.place.url, Parts(log, *rest))
        self._place = ledger.place
        self._kept = ledger.kept
        self._log = log
        self._hands = hands

    async def close(self) -> None:
        """Finish what was acknowledged or is waiting, then let go of everything."""
        await super().close()
        self._hands.close()

    async def values(self, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the JSON of stored values by SHA-256."""
        with faults_of(self.url):
            return await self._hands.do(lambda: self._kept.values(dict.fromkeys(hashes)))

    async def missing_values(self, hashes: Sequence[str]) -> frozenset[str]:
        """Return which stored values are not there."""
        with faults_of(self.url):
            return await self._hands.do(lambda: self._kept.missing_values(hashes))

    async def read_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, after: int = -1, limit: int = 64
    ) -> tuple[OutputChunk, ...]:
        """Return up to *limit* chunks with ``n > after``, in order."""
        read = super().read_output
        return await self._filled(
            self._place.output_of(run_id, block, attempt),
            lambda: read(run_id, block, attempt, after=after, limit=limit),
        )

    async def last_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, limit: int = 4
    ) -> tuple[OutputChunk, ...]:
        """Return the last chunks, in order."""
        read = super().last_output
        return await self._filled(
            self._place.output_of(run_id, block, attempt), lambda: read(run_id, block, attempt, limit=limit)
        )

    @property
    def keeps_secrets(self) -> bool:
        """Whether nobody who only has its files can read what is kept in it: they are made to be read."""
        return False

    async def sizes(self, run_ids: Sequence[RunId]) -> Mapping[RunId, int]:
        """Return the bytes that runs take, each with everything below it, by its id."""
        events = await super().sizes(run_ids)
        runs = await self._readers.rows(accounts.trees(run_ids), tuple)
        values = await self._readers.rows(accounts.values_of_trees(run_ids), tuple)
        files = await self._hands.do(lambda: accounts.file_bytes(self._place, runs, values))
        return {run_id: size + files.get(run_id, 0) for run_id, size in events.items()}

    async def statistics(self) -> Statistics:
        """Return how much there is; it looks at every file."""
        counted = await super().statistics()
        return await self._hands.do(lambda: accounts.of_directory(self._place, counted))

    async def orphans(self) -> Mapping[str, int]:
        """Return how many things there are, by kind, that nothing owns or that miss what they need."""
        found = await self._log.strays()
        return {**await super().orphans(), **{kind: len(paths) for kind, paths in found.items() if paths}}

    async def copy_to(self, place: Path) -> None:
        """Write the whole store, as of one moment, to *place*, where nothing is yet. Others go on writing."""
        with os_faults(f"file://{place}"):
            await self._hands.do(partial(mirror, self._place, place))
            for _ in range(_TRIES):
                if await self._log.mirror(place):
                    return
        problem = "others write into it without a pause, so that no moment can be copied"
        raise StoreUnavailable(self.url, problem, "Try again when less is going on")

    async def give_back(self) -> int:
        """Remove files that nothing refers to; return their bytes, 0 when there are none."""
        return await self._log.remove_strays()

    async def _filled(
        self, folder: Path, named: Callable[[], Awaitable[tuple[OutputChunk, ...]]]
    ) -> tuple[OutputChunk, ...]:
        """Return chunks with their content.

        Args:
            folder: Where their files are.
            named: Looks them up in the index, which knows the names of their files.
        """
        chunks = await named()
        while chunks:
            try:
                return await self._hands.do(partial(self._kept.output, folder, chunks))
            except Damaged as missing:
                found, chunks = chunks, await named()
                # Somebody may have forgotten it between the two looks; then the index has done so, too.
                if chunks == found:
                    raise CorruptStore(self.url, str(missing)) from missing
        return ()


async def open_directory(path: Path, clock: Clock, *, mounts: Path = MOUNTS) -> DirectoryStore:
    """Open the store in a directory, and create it if nothing is there.

    All of its log is carried out first, and so it takes the longer the more has ever happened in it.

    Args:
        path: Where it is.
        clock: Dates its records.
        mounts: The list of mounts, as the kernel gives it.
    """
    place = Place(path)
    harm = "where one machine does not see in time what another one writes"
    if use := network_use(place.url, mount_of(place.path, mounts), harm):
        log.warning("store %s: %s", place.url, use)
    identity = await asyncio.to_thread(ensure, place, clock)
    ledger = Ledger(place, identity, clock)
    uri = memory_uri(f"tidegate-{secrets.token_hex(8)}")
    async with AsyncExitStack() as opened:
        # Here, not on a thread: with its last connection a database in memory is gone.
        index = connect_for_writing(uri, place.url)
        opened.callback(index.close)
        await asyncio.to_thread(_build, index, ledger, identity)
        lock = await asyncio.to_thread(_lock_of, ledger)
        if isinstance(lock, Lock):
            opened.callback(lock.close)
        signal = ChangeSignal(NewestRecord(place, lambda: ledger.number), watch_on(place.records))
        opened.push_async_callback(signal.close)
        connections = await reading_connections(uri, place.url)
        # All of it is there: from here on the store closes it.
        opened.pop_all()
    writer = LedgerWriter(index, ledger, lock, signal.committed)
    hands = Hands(place.url)
    readers = FollowingReaders(
        connections, place.url, is_behind=lambda: hands.do(ledger.is_behind), follow=writer.follow
    )
    return DirectoryStore(ledger, writer, hands, (readers, signal))


def _build(index: sqlite3.Connection, ledger: Ledger, identity: Identity) -> None:
    """Carry out the log.

    Raises:
        CorruptStore: a record, or something that it needs, is missing or damaged.
        StoreUnavailable: the directory cannot be read.
    """
    with os_faults(ledger.place.url), faults_of(ledger.place.url):
        index.execute("UPDATE meta SET value = ? WHERE name = 'store_id'", (identity.store_id,))
        index.execute("INSERT INTO meta (name, value) VALUES ('created_at', ?)", (identity.created_at,))
        ledger.follow(index)
        ledger.check_complete()


def _lock_of(ledger: Ledger) -> Lock | StoreUnavailable:
    """Return the lock of the directory; or why nothing can be written into it."""
    place = ledger.place
    if not place.is_writable():
        return StoreUnavailable(place.url, "the directory is read-only", "Make it writable to go on")
    with os_faults(place.url):
        ledger.clear()
        return Lock(place)
