"""What commands printed: how a chunk is kept, with a checksum, and read back; the job that keeps some and forgets others."""

import sqlite3
import zlib
from struct import Struct
from typing import Any

import zstandard

from tidegate.errors import RunNotFound
from tidegate.model.ids import BlockId
from tidegate.model.listing import OutputChunk, Stream
from tidegate.store.keys import PLAIN, Cipher
from tidegate.store.orders import WriteOutput
from tidegate.store.sqlite import statements as sql
from tidegate.store.sqlite.connections import cipher_of
from tidegate.store.sqlite.faults import Damaged
from tidegate.store.sqlite.readers import Query, Readers
from tidegate.store.sqlite.rows import Row, pack, unpack

__all__ = ["OUTPUT_COLUMNS", "output_chunk", "read_chunks", "write_output"]

OUTPUT_COLUMNS = "o.run_no, o.block, o.attempt, o.n, o.stream, o.start, o.at, o.codec, o.data, o.crc"
_TYPES: tuple[type | tuple[type, ...], ...] = (
    int,
    str,
    int,
    int,
    int,
    int,
    float,
    int,
    bytes,
    (int, type(None)),
)
_place = Struct(">qqqqqdq").pack
_NOT_AS_WRITTEN = "it is not what was written"


def write_output(connection: sqlite3.Connection, order: WriteOutput) -> None:
    """Add chunks of one attempt, and forget those that it may drop.

    Raises:
        RunNotFound: there is no such run.
    """
    run = connection.execute(sql.FIND_RUN, (order.run_id,)).fetchone()
    if run is None:
        raise RunNotFound(order.run_id)
    key = (run[0], order.block, order.attempt)
    if order.drop:
        connection.execute(sql.DROP_OUTPUT, (*key, *order.drop))
    cipher = cipher_of(connection)
    connection.executemany(sql.ADD_OUTPUT, [_kept(key, chunk, cipher) for chunk in order.chunks])


def _kept(key: tuple[int, BlockId, int], chunk: OutputChunk, cipher: Cipher) -> Row:
    """Return a chunk as it is kept, in the order of `OUTPUT_COLUMNS`."""
    codec, data = pack(chunk.data)
    row = (*key, chunk.n, chunk.stream, chunk.offset, float(chunk.at), codec, cipher.encrypt(data))
    return (*row, _checksum(row))


def _checksum(kept: Row) -> int:
    """Return the checksum of a chunk, from all columns but that one: of where it belongs, and of its bytes.

    Of these as they are stored: in an encrypted store it tells nothing about what was printed.
    """
    run_no, block, *numbers, data = kept
    where = _place(run_no, *numbers) + block.encode()
    return zlib.crc32(data, zlib.crc32(where))


async def read_chunks(readers: Readers, query: Query) -> tuple[OutputChunk, ...]:
    """Return the chunks that *query*, of `OUTPUT_COLUMNS`, finds; a damaged one says so.

    Raises:
        StoreUnavailable: the file cannot be read now.
        CorruptStore: the order of the chunks is lost, or the file is damaged.
    """
    return await readers.rows(query, lambda row: output_chunk(row, readers.cipher))


def output_chunk(row: Row, cipher: Cipher = PLAIN) -> OutputChunk:
    """Return a chunk of output from `OUTPUT_COLUMNS`. One that is not what was written says so, and has no bytes.

    Raises:
        Damaged: not even its place among the others can be read.
    """
    _, _, _, n, stream, start, at, *_ = row
    if not isinstance(n, int):
        raise Damaged("the number of a part of some output is damaged")
    data = _data(row, cipher)
    if data is not None:
        # What is encrypted is authentic, or cannot be decrypted.
        is_unverified = row[-1] is None and cipher is PLAIN
        stream = Stream(stream)
        return OutputChunk(n=n, stream=stream, offset=start, at=at, data=data, is_unverified=is_unverified)
    return OutputChunk(
        n=n,
        stream=Stream(stream) if stream in _STREAMS else Stream.STDOUT,
        offset=start if isinstance(start, int) else 0,
        at=at if isinstance(at, float) else 0.0,
        data=b"",
        damage=_NOT_AS_WRITTEN,
    )


_STREAMS: frozenset[Any] = frozenset(Stream)


def _data(row: Row, cipher: Cipher) -> bytes | None:
    """Return the bytes of a chunk; None if they, or what is kept with them, are not what was written."""
    # Damage may turn one type into another: SQLite keeps a type with each value.
    if not all(map(isinstance, row, _TYPES)):
        return None
    kept, crc = row[:-1], row[-1]
    # Chunks from before there were checksums have none.
    if kept[4] not in _STREAMS or (crc is not None and not _has_sum(kept, crc)):
        return None
    *_, codec, data = kept
    plain = cipher.decrypt(data)
    if not plain and (data or cipher is not PLAIN):
        # No chunk is empty: this was not written with the key.
        return None
    try:
        return unpack(codec, plain)
    except zstandard.ZstdError:
        return None


def _has_sum(kept: Row, crc: int) -> bool:
    try:
        return _checksum(kept) == crc
    except (OverflowError, UnicodeEncodeError):  # No number and no text that we write.
        return False
