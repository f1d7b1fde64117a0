"""The connections that only read: a few, beside the writer, never in its way."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import aiosqlite

from tidegate.errors import StoreUnavailable
from tidegate.store.keys import PLAIN, Cipher
from tidegate.store.sqlite.connections import connect
from tidegate.store.sqlite.faults import NOT_AS_WRITTEN, Damaged, faults_of
from tidegate.store.sqlite.rows import Row

__all__ = ["Query", "Readers", "open_readers", "reading_connections"]

T = TypeVar("T")

_READERS = 2
_MANY_ROWS = 2_000
"""From here on rows are decoded on a thread, so that a long journal does not stop the loop."""


class Query(NamedTuple):
    """A statement and its values."""

    statement: str
    values: Sequence[object] = ()


class Readers:
    """A small pool; whoever finds it empty waits for a reader, not for the writer."""

    def __init__(self, connections: Sequence[aiosqlite.Connection], url: str, cipher: Cipher = PLAIN) -> None:
        self.cipher = cipher
        """What the rows of journals are encrypted with; statements see to all others."""
        self._connections = tuple(connections)
        self._url = url
        self._closed = False
        self._idle: asyncio.LifoQueue[aiosqlite.Connection] = asyncio.LifoQueue()
        for connection in connections:
            self._idle.put_nowait(connection)

    async def rows(self, query: Query, decode: Callable[[Row], T]) -> tuple[T, ...]:
        """Return what *query* finds, decoded; all of it is of one moment.

        Raises:
            StoreUnavailable: the file cannot be read now.
            CorruptStore: what it holds is not what was written.
        """
        with faults_of(self._url):
            found = await self._fetch(query)
            if len(found) < _MANY_ROWS:
                return _decoded(found, decode)
            return await asyncio.to_thread(_decoded, found, decode)

    async def first(self, query: Query, decode: Callable[[Row], T]) -> T | None:
        """Return the first thing *query* finds, if any."""
        found = await self.rows(query, decode)
        return found[0] if found else None

    async def close(self) -> None:
        """Close every connection, after what it is doing."""
        self._closed = True
        for connection in self._connections:
            await connection.close()

    async def _fetch(self, query: Query) -> Sequence[Row]:
        if self._closed:
            raise StoreUnavailable(self._url, "it has been closed")
        connection = await self._idle.get()
        try:
            return [tuple(row) for row in await connection.execute_fetchall(*query)]
        except UnicodeEncodeError:
            # An id with a lone surrogate, as an odd byte on the command line gives: the store holds no such text.
            return []
        finally:
            # Also when the caller was cancelled: the next statement queues behind this one on its thread.
            self._idle.put_nowait(connection)


def _decoded(found: Sequence[Row], decode: Callable[[Row], T]) -> tuple[T, ...]:
    try:
        return tuple(map(decode, found))
    except (TypeError, ValueError, AttributeError) as error:
        # Damage may also turn one type into another: SQLite keeps a type with each value.
        raise Damaged(f"{NOT_AS_WRITTEN}: something in it is of another kind") from error


async def open_readers(uri: str, url: str, cipher: Cipher = PLAIN) -> Readers:
    """Open the pool on *uri*."""
    return Readers(await reading_connections(uri, url, cipher), url, cipher)


async def reading_connections(uri: str, url: str, cipher: Cipher = PLAIN) -> Sequence[aiosqlite.Connection]:
    """Open the connections of a pool on *uri*: all of them, or none."""
    opened = await asyncio.gather(*(_open(uri, cipher) for _ in range(_READERS)), return_exceptions=True)
    connections = [one for one in opened if isinstance(one, aiosqlite.Connection)]
    if len(connections) < _READERS:
        await Readers(connections, url).close()
        with faults_of(url):
            raise next(one for one in opened if isinstance(one, BaseException))
    return connections


async def _open(uri: str, cipher: Cipher) -> aiosqlite.Connection:
    connection = aiosqlite.Connection(lambda: connect(uri, cipher), iter_chunk_size=64)
    # Its thread would keep an interpreter from ending in which a store was not closed.
    connection._thread.daemon = True  # noqa: SLF001
    return await connection
