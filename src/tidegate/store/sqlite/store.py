"""The store on SQLite: the writer, the readers and the change signal behind one contract."""

import asyncio
import secrets
import sqlite3
import weakref
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from tidegate.clock import Clock
from tidegate.errors import CheckpointNotFound, CorruptStore, PauseNotFound, RunNotFound, StoreUnavailable
from tidegate.model.events import OPERATOR_EVENTS, Record
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import (
    Changes,
    CheckpointFilter,
    CheckpointRow,
    Counts,
    Cursor,
    Epoch,
    OutputChunk,
    PauseFilter,
    PauseRow,
    RunFilter,
    RunRow,
)
from tidegate.model.workflow import WorkflowDefinition
from tidegate.model.workflow import definition_hash as hash_of
from tidegate.store.changes import ChangeSignal
from tidegate.store.damage import of_run, of_value
from tidegate.store.keys import PLAIN, Cipher, Keys
from tidegate.store.orders import (
    Append,
    Claim,
    ClaimLease,
    DeleteMark,
    NewRun,
    ReleaseLease,
    RenewLeases,
    WriteOutput,
)
from tidegate.store.sqlite import queries
from tidegate.store.sqlite.chain import ChainedRows
from tidegate.store.sqlite.connections import (
    begin_logging,
    connect,
    file_uri,
    memory_uri,
    prepare_for_writing,
)
from tidegate.store.sqlite.faults import faults_of
from tidegate.store.sqlite.file import StoreFile
from tidegate.store.sqlite.file_writer import FileWriter
from tidegate.store.sqlite.housekeeping import Housekeeping
from tidegate.store.sqlite.lists import Lists, known_row
from tidegate.store.sqlite.migrate import known_migrations, migrate
from tidegate.store.sqlite.mounts import MOUNTS
from tidegate.store.sqlite.output import read_chunks
from tidegate.store.sqlite.probe import signal_for_file
from tidegate.store.sqlite.readers import Readers, open_readers
from tidegate.store.sqlite.rows import (
    checkpoint_row,
    count_row,
    counts_of,
    definition_of,
    pause_row,
    run_row,
    stored_value,
    text_of,
)
from tidegate.store.sqlite.space import let_shrink
from tidegate.store.sqlite.writer import Refusal, Writer

__all__ = ["Parts", "SqliteStore", "connect_for_writing", "open_file", "open_memory"]

_VALUES_AT_ONCE = 500
_START = Seq(0)
_ALL_RUNS = RunFilter()
_OPEN_PAUSES = PauseFilter()
_ALL_CHECKPOINTS = CheckpointFilter()
_NO_KEYS = Keys()


class Parts(NamedTuple):
    """What a store is made of."""

    writer: Writer | Refusal
    readers: Readers
    signal: ChangeSignal


class SqliteStore(Housekeeping):
    """A store in one SQLite database. See `tidegate.store.protocol.Store` for what it promises."""

    def __init__(self, url: str, parts: Parts, file: StoreFile | None = None) -> None:
        self._url = url
        self._file = file
        self._writer, self._readers, self._signal = parts
        self._lists = Lists(self._readers, url, self._note)
        self._damage = ""
        # A store that nobody closed lets its thread end all the same.
        weakref.finalize(self, parts.writer.stop)

    @property
    def url(self) -> str:
        """Where it is, as `open_store` takes it."""
        return self._url

    @property
    def damage(self) -> str:
        """What of it was found to be damaged; empty: nothing so far."""
        return self._damage or self._writer.damage

    def _note(self, damage: CorruptStore) -> None:
        self._damage = self._damage or str(damage)

    async def close(self) -> None:
        """Finish what was acknowledged or is waiting, then let go of everything."""
        await self._signal.close()
        # Readers first: the writer empties the log last, and a reader would keep it from that.
        await self._readers.close()
        await self._writer.close()

    # -- journals -----------------------------------------------------------------------------

    async def create_run(self, run: NewRun) -> Claim:
        """Create a run with its first events, and keep its definition."""
        return await self._carry_out(run)

    async def append(self, append: Append) -> Seq:
        """Add events; return the new head once they are durable."""
        if append.epoch is None and not all(isinstance(event, OPERATOR_EVENTS) for event in append.events):
            raise ValueError("without the run's lease only an operator's events may be appended")
        return await self._carry_out(append)

    async def read(
        self, run_id: RunId, *, after: Seq = _START, upto: Seq | None = None
    ) -> tuple[Record, ...]:
        """Return the events with ``after < seq <= upto``, in order; empty for an unknown run."""
        journal = ChainedRows(run_id, after, upto, self._readers.cipher)
        found = await self._readers.rows(queries.events(run_id, after, upto), journal.read)
        with faults_of(self._url):
            journal.end()
        records = tuple(record for record in found if record is not None)
        origin = journal.origin
        if origin is None or after >= origin.seq:
            return records
        before = await self.read(
            origin.run_id, after=after, upto=origin.seq if upto is None else min(upto, origin.seq)
        )
        return before + records

    async def definition(self, definition_hash: str) -> WorkflowDefinition:
        """Return a kept definition."""
        found = await self._readers.first(queries.definition_by_hash(definition_hash), definition_of)
        if found is None:
            raise CorruptStore(self._url, f"the definition {definition_hash} is missing")
        if hash_of(found) != definition_hash:
            raise CorruptStore(self._url, f"the definition {definition_hash} is damaged")
        return found

    async def definition_source(self, definition_hash: str) -> str:
        """Return the text of the file that a kept definition was read from first; empty: there is none."""
        return await self._readers.first(queries.definition_source(definition_hash), text_of) or ""

    async def values(self, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the JSON of stored values by SHA-256."""
        found: dict[str, bytes] = {}
        digests = [bytes.fromhex(name) for name in dict.fromkeys(hashes)]
        for start in range(0, len(digests), _VALUES_AT_ONCE):
            query = queries.values_by_hash(digests[start : start + _VALUES_AT_ONCE])
            found.update(await self._readers.rows(query, stored_value))
        missing = set(hashes) - found.keys()
        if missing:
            raise CorruptStore(self._url, of_value(min(missing), "missing"))
        return found

    # -- output -------------------------------------------------------------------------------

    async def write_output(
        self,
        run_id: RunId,
        block: BlockId,
        attempt: int,
        chunks: Sequence[OutputChunk],
        *,
        drop: range | None = None,
    ) -> None:
        """Add chunks, and forget those whose `n` is in *drop*. Durable no later than the next append."""
        span = (drop.start, drop.stop) if drop else None
        order = WriteOutput(run_id=run_id, block=block, attempt=attempt, chunks=tuple(chunks), drop=span)
        await self._carry_out(order)

    async def read_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, after: int = -1, limit: int = 64
    ) -> tuple[OutputChunk, ...]:
        """Return up to *limit* chunks with ``n > after``, in order."""
        return await read_chunks(self._readers, queries.output_after(run_id, block, attempt, after, limit))

    async def last_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, limit: int = 4
    ) -> tuple[OutputChunk, ...]:
        """Return the last chunks, in order."""
        found = await read_chunks(self._readers, queries.output_at_end(run_id, block, attempt, limit))
        return found[::-1]

    # -- leases -------------------------------------------------------------------------------

    async def claim(
        self, run_id: RunId, *, owner: str, now: float, until: float, over: Epoch | None = None
    ) -> Claim:
        """Take the lease of a run under the next epoch."""
        return await self._carry_out(ClaimLease(run_id=run_id, owner=owner, now=now, until=until, over=over))

    async def renew(self, epochs: Mapping[RunId, Epoch], *, until: float) -> frozenset[RunId]:
        """Extend leases; return the runs whose lease is lost (another epoch, or no such run)."""
        return await self._carry_out(RenewLeases(epochs=dict(epochs), until=until))

    async def release(self, run_id: RunId, *, epoch: Epoch, head: Seq) -> bool:
        """Give the lease back if the head is still *head*."""
        return await self._carry_out(ReleaseLease(run_id=run_id, epoch=epoch, head=head))

    # -- listing ------------------------------------------------------------------------------

    async def run(self, run_id: RunId) -> RunRow:
        """Return one run's row."""
        try:
            found = await self._readers.first(queries.run_by_id(run_id), run_row)
        except CorruptStore as damage:
            raise of_run(run_id, damage) from damage
        if found is None:
            raise RunNotFound(run_id)
        return found

    async def runs(self, query: RunFilter = _ALL_RUNS) -> tuple[RunRow, ...]:
        """Return runs, newest first."""
        return await self._lists.runs(query)

    async def pauses(self, query: PauseFilter = _OPEN_PAUSES) -> tuple[PauseRow, ...]:
        """Return pauses: those with a deadline first, earliest first, then oldest first."""
        return await self._lists.pauses(query)

    async def pause(self, pause_id: PauseId) -> PauseRow:
        """Return one pause."""
        found = await self._readers.first(queries.pause_by_id(pause_id), pause_row)
        if found is None:
            raise PauseNotFound(pause_id)
        return found

    @property
    def keeps_secrets(self) -> bool:
        """Whether nobody who only has its files can read what is kept in it."""
        return self._file is None or self._readers.cipher is not PLAIN

    async def secret(self, pause_id: PauseId) -> str | None:
        """Return what was answered to a question whose answer no history shows; None: it is not kept."""
        return await self._readers.first(queries.secret_of(pause_id), text_of)

    async def checkpoints(self, query: CheckpointFilter = _ALL_CHECKPOINTS) -> tuple[CheckpointRow, ...]:
        """Return checkpoints, newest first."""
        return await self._lists.checkpoints(query)

    async def checkpoint(self, checkpoint_id: CheckpointId) -> CheckpointRow:
        """Return one checkpoint."""
        found = await self._readers.first(queries.checkpoint_by_id(checkpoint_id), checkpoint_row)
        if found is None:
            raise CheckpointNotFound(checkpoint_id)
        return found

    async def delete_mark(self, checkpoint_id: CheckpointId) -> None:
        """Take a checkpoint off the list; the journal it points into stays as it is."""
        await self._carry_out(DeleteMark(checkpoint_id=checkpoint_id))

    async def matching(self, prefix: str, *, limit: int = 6) -> tuple[str, ...]:
        """Return ids of runs, pauses and checkpoints that start with *prefix*, an exact one first."""
        return await self._readers.rows(queries.ids_with_prefix(prefix, limit), lambda row: str(row[0]))

    async def counts(self) -> Counts:
        """Return which pauses are open and how many runs have each status, all of one moment."""
        try:
            return counts_of(await self._readers.rows(queries.counts(), count_row))
        except CorruptStore as damage:
            self._note(damage)
            return await self._lists.counts()

    # -- changes ------------------------------------------------------------------------------

    async def changes(self, since: Cursor) -> Changes:
        """Return what changed after *since*; 0 is before everything."""
        found = await self._readers.rows(
            queries.runs_changed(since),
            lambda row: (row[-1], None if row[0] is None else known_row(row[:-2]), row[-2]),
        )
        return Changes(
            cursor=Cursor(found[-1][0]) if found else since,
            runs=tuple(run for _, run, _ in found if run is not None),
            gone=tuple(RunId(gone) for *_, gone in found if gone is not None),
        )

    async def newest_cursor(self) -> Cursor:
        """Return the position after everything that has changed so far."""
        return Cursor(await self._readers.first(queries.newest_change(), lambda row: int(row[0])) or 0)

    async def wait_for_change(self, since: Cursor) -> None:
        """Return once `changes(since)` may have something, whoever wrote it; may return early."""
        # The count first: a commit between the two look-ups is then seen by one of them.
        count = self._signal.look()
        if await self.newest_cursor() <= since:
            await self._signal.after(count)


async def open_memory(clock: Clock) -> SqliteStore:
    """Open a new, empty store that lives in this process until it is closed."""
    url = "memory://"
    uri = memory_uri(f"tidegate-{secrets.token_hex(8)}")
    connection = connect_for_writing(uri, url)
    connection.execute("INSERT INTO meta (name, value) VALUES ('created_at', ?)", (clock.now(),))
    signal = ChangeSignal()
    readers = await open_readers(uri, url)
    return SqliteStore(url, Parts(Writer(connection, url, signal.committed), readers, signal))


async def open_file(
    path: Path,
    clock: Clock,
    *,
    mounts: Path = MOUNTS,
    reads_only: bool = False,
    keys: Keys = _NO_KEYS,
) -> SqliteStore:
    """Open the store in a file, and create it if nothing is there.

    Args:
        path: Where it is, or will be.
        clock: Dates its creation.
        mounts: The list of mounts, as the kernel gives it.
        reads_only: Whether nothing may be made or changed.
        keys: What opens it if it is encrypted, and encrypts it if it is made here.
    """
    file = StoreFile(path, keys, mounts, reads_only=reads_only)
    async with AsyncExitStack() as opened:
        reading, writing, cipher = await asyncio.to_thread(_connections, file, clock)
        signal = signal_for_file(reading, file.path.parent)
        opened.push_async_callback(signal.close)
        writer = _writer(writing, file, signal)
        opened.push_async_callback(writer.close)
        readers = await open_readers(file.uri_for_reading(), file.url, cipher)
        # All of it is there: from here on the store closes it.
        opened.pop_all()
    return SqliteStore(file.url, Parts(writer, readers, signal), file)


def _connections(
    file: StoreFile, clock: Clock
) -> tuple[sqlite3.Connection, sqlite3.Connection | StoreUnavailable | CorruptStore, Cipher]:
    """Open a file: a connection that reads, one that writes, or why there is none, and how both encrypt."""
    reading, refusal, cipher = file.open(clock)
    if refusal is not None:
        return reading, refusal, cipher
    try:
        writing = connect_for_writing(file_uri(file.path, "rw"), file.url, cipher)
    except BaseException:
        reading.close()
        raise
    if file.may_log:
        begin_logging(writing)
    return reading, writing, cipher


def _writer(
    writing: sqlite3.Connection | StoreUnavailable | CorruptStore, file: StoreFile, signal: ChangeSignal
) -> Writer | Refusal:
    if isinstance(writing, sqlite3.Connection):
        return FileWriter(writing, file, signal.committed)
    return Refusal(writing)


def connect_for_writing(uri: str, url: str, cipher: Cipher = PLAIN) -> sqlite3.Connection:
    """Open a connection for a writer, and bring the schema of what is there up to date."""
    with faults_of(url):
        connection = connect(uri, cipher)
        try:
            migrate(connection, known_migrations())
            prepare_for_writing(connection)
            let_shrink(connection)
        except BaseException:
            connection.close()
            raise
    return connection
