"""What is left of a damaged database, judged: an event counts if its chain leads to it, a value if it has its hash."""

import asyncio
import sqlite3
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import zstandard

from tidegate.errors import StoreUnavailable
from tidegate.model.events import Record, RunForked
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.listing import Epoch, ListedMark, OutputChunk
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.store.keys import Keys
from tidegate.store.sqlite.chain import first_link, next_link
from tidegate.store.sqlite.connections import cipher_of, connect, file_uri
from tidegate.store.sqlite.envelopes import read_envelope
from tidegate.store.sqlite.faults import Damaged, faults_of
from tidegate.store.sqlite.output import OUTPUT_COLUMNS, output_chunk
from tidegate.store.sqlite.rows import Row, definition_of, record_of, stored_value, text_of
from tidegate.store.sqlite.salvage import salvage
from tidegate.store.wreck import WreckedMarks, WreckedRun

__all__ = ["SqliteWreck", "open_sqlite_wreck"]

T = TypeVar("T")

_BROKEN = (msgspec.MsgspecError, zstandard.ZstdError, Damaged, TypeError, ValueError, AttributeError)
_CHUNKS = 64
_LAST_SEQ = 2**32 - 1


@asynccontextmanager
async def open_sqlite_wreck(path: Path, scratch: Path, keys: Keys) -> AsyncIterator["SqliteWreck"]:
    """Read what is left of the database at *path*. See `tidegate.store.wreck.open_wreck`."""
    url = f"sqlite://{path}"
    try:
        with faults_of(url):
            try:
                await asyncio.to_thread(salvage, path, scratch)
            except OSError as error:
                raise StoreUnavailable(url, f"it cannot be read: {error.strerror or error}") from error
            with closing(connect(file_uri(scratch, "ro"))) as connection:
                found = connection.execute("SELECT text FROM envelopes").fetchone()
                envelope = None if found is None else read_envelope(found[0])
                connection.use(keys.cipher(url, envelope))
                yield SqliteWreck(connection)
    finally:
        await asyncio.to_thread(scratch.unlink, missing_ok=True)


class SqliteWreck:
    """See `tidegate.store.wreck.Wreck` for what it promises."""

    def __init__(self, scratch: sqlite3.Connection) -> None:
        """Read from what `salvage` has made."""
        self._scratch = scratch
        self._cipher = cipher_of(scratch)
        self._nameless = 0
        self._torn = {name for (name,) in scratch.execute("SELECT name FROM torn")}

    @property
    def nameless(self) -> int:
        """How many events are left of runs of which not even the name is."""
        return self._nameless

    async def runs(self) -> tuple[WreckedRun, ...]:
        """Return the runs that can be named, oldest first."""
        return await asyncio.to_thread(self._runs)

    def _runs(self) -> tuple[WreckedRun, ...]:
        self._nameless = 0
        numbers = "SELECT run_no FROM runs UNION SELECT DISTINCT id >> 32 FROM events ORDER BY 1"
        found = [self._run(number) for (number,) in self._scratch.execute(numbers).fetchall()]
        return tuple(run for run in found if run is not None)

    def _run(self, number: int) -> WreckedRun | None:
        row = self._scratch.execute(
            "SELECT run_id, head, epoch, owner, lease_until, origin, origin_seq FROM runs WHERE run_no = ?",
            (number,),
        ).fetchone()
        name = self._name(number, row[0] if row else None)
        if name is None:
            self._nameless += self._count(number) if "runs" in self._torn else 0
            return None
        if row is None or row[0] != name:
            return WreckedRun(run_id=RunId(name), number=number)
        _, head, epoch, owner, until, origin, seq = row
        return WreckedRun(
            run_id=RunId(name),
            number=number,
            head=Seq(head),
            epoch=Epoch(epoch),
            owner=owner,
            lease_until=float(until),
            origin=None if origin is None else Origin(run_id=RunId(origin), seq=Seq(seq)),
        )

    def _name(self, number: int, said: str | None) -> str | None:
        """Return the name under which the first event is what was written; else the one that the row says."""
        first = self._scratch.execute(
            "SELECT id & 4294967295, at, body, seal FROM events WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1",
            (number << 32 | 1, number << 32 | _LAST_SEQ),
        ).fetchone()
        names: list[str] = [
            name for (name,) in self._scratch.execute("SELECT run_id FROM names WHERE run_no = ?", (number,))
        ]
        for name in dict.fromkeys([*([said] if said else []), *names]):
            if first is not None and next_link(first_link(name), *first[:3]) == first[3]:
                return name
        return said

    def _count(self, number: int) -> int:
        span = (number << 32, number << 32 | _LAST_SEQ)
        (count,) = self._scratch.execute(
            "SELECT count(*) FROM events WHERE id BETWEEN ? AND ?", span
        ).fetchone()
        return int(count)

    async def events(self, run: WreckedRun) -> tuple[tuple[Record, ...], str]:
        """Return a run's events from the first to the last good one, and why they end there; empty: whole."""
        return await asyncio.to_thread(self._events, run)

    def _events(self, run: WreckedRun) -> tuple[tuple[Record, ...], str]:
        rows = self._scratch.execute(
            "SELECT id & 4294967295, at, codec, body, seal FROM events WHERE id BETWEEN ? AND ? ORDER BY id",
            (run.number << 32 | 1, run.number << 32 | _LAST_SEQ),
        )
        records: list[Record] = []
        is_good, due = _sealed(run.run_id), 0
        for row in rows:
            seq, at, _, body, seal = row
            due = due or _start_of(run, row)
            if seq != due:
                return tuple(records), f"event {due} is missing"
            try:
                if not is_good(seq, at, body, seal):
                    return tuple(records), f"event {seq} is damaged"
                records.append(record_of(run.run_id, row, self._cipher))
            except _BROKEN:
                return tuple(records), f"event {seq} cannot be read"
            due += 1
        # Without its row a run looks whole wherever its journal was cut off.
        if run.head is None:
            return tuple(records), "its row is lost: whether anything followed is not known"
        return tuple(records), f"event {max(due, 1)} is missing" if max(due, 1) <= run.head else ""

    async def definition(self, definition_hash: str) -> tuple[WorkflowDefinition, str] | None:
        """Return a definition with the text of its file; None if it is lost."""
        row = self._scratch.execute(
            "SELECT decrypted(body), decrypted(source) FROM definitions WHERE hash = ?", (definition_hash,)
        ).fetchone()
        try:
            found = definition_of(row) if row is not None else None
        except _BROKEN:
            return None
        return (found, text_of(row[1:])) if found is not None and _is_named(found, definition_hash) else None

    async def values(self, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the JSON of those stored values that are left."""
        return await asyncio.to_thread(lambda: dict(self._values(hashes)))

    def _values(self, hashes: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for name in hashes:
            row = self._scratch.execute(
                "SELECT sha256, codec, decrypted(data) FROM vals WHERE sha256 = ?", (bytes.fromhex(name),)
            ).fetchone()
            value = _decoded(stored_value, row) if row is not None else None
            if value is not None:
                yield value

    async def output(self, run: WreckedRun) -> AsyncIterator[tuple[BlockId, int, OutputChunk]]:
        """Yield what is left of what a run's attempts wrote, with block and attempt, in order; what is damaged says so."""
        rows = self._scratch.execute(
            f"SELECT {OUTPUT_COLUMNS} FROM output o WHERE run_no = ? ORDER BY block, attempt, n",  # noqa: S608  # constants
            (run.number,),
        )
        while some := await asyncio.to_thread(rows.fetchmany, _CHUNKS):
            for row in some:
                yield BlockId(row[1]), row[2], output_chunk(row, self._cipher)

    async def marks(self, run: WreckedRun) -> WreckedMarks:
        """Return a run's list of checkpoints."""
        rows = self._scratch.execute(
            "SELECT checkpoint_id, seq, created_at, label, decrypted(metadata), pinned, placed, new_label FROM marks"
            " WHERE run_no = ?",
            (run.number,),
        ).fetchall()
        found = (_decoded(_mark, row) for row in rows)
        return WreckedMarks(
            marks=tuple(mark for mark in found if mark is not None), is_whole="marks" not in self._torn
        )


def _mark(row: Row) -> ListedMark:
    name, seq, at, label, metadata, pinned, placed, new_label = row
    return ListedMark(
        checkpoint_id=CheckpointId(name),
        seq=Seq(seq),
        created_at=float(at),
        label=label if new_label is None else new_label,
        metadata={} if metadata is None else msgspec.json.decode(metadata, type=dict[str, Any]),
        pinned=bool(pinned),
        relabelled=new_label is not None,
        placed=bool(placed),
    )


def _start_of(run: WreckedRun, row: Row) -> int:
    """Return which event is a run's first own one, given the first that there is: as its row says, or that itself."""
    if run.head is not None:
        return 1 if run.origin is None else run.origin.seq + 1
    try:
        event = record_of(run.run_id, row).event
    except _BROKEN:
        return 1
    return event.origin.seq + 1 if isinstance(event, RunForked) else 1


def _sealed(run_id: RunId) -> Callable[[int, float, bytes, bytes | int], bool]:
    """Return what tells whether an event, met in order, is what was written."""
    link = first_link(run_id)

    def is_good(seq: int, at: float, body: bytes, seal: bytes | int) -> bool:
        nonlocal link
        if isinstance(seal, int):  # Of a schema before the chain.
            return zlib.crc32(body, seq) == seal
        link = next_link(link, seq, at, body)
        return link == seal

    return is_good


def _is_named(definition: WorkflowDefinition, name: str) -> bool:
    return definition_hash(definition) == name


def _decoded(decode: Callable[[tuple[object, ...]], T], row: tuple[object, ...]) -> T | None:
    try:
        return decode(row)
    except _BROKEN:
        return None
