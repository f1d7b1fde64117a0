"""A store that says how long it took: everything else of it is the store that it stands for."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar, cast

from tidegate.clock import Clock
from tidegate.errors import StoreError
from tidegate.history.latencies import Latencies
from tidegate.model.events import Record
from tidegate.model.ids import RunId, Seq
from tidegate.store.orders import Append, Claim, NewRun
from tidegate.store.protocol import Store

__all__ = ["timed"]

T = TypeVar("T")
_START = Seq(0)


def timed(store: Store, clock: Clock, latencies: Latencies) -> Store:
    """Return *store*, which from now on counts its saves and loads in *latencies*."""
    # It has what it does not write out by `__getattr__`, which a protocol cannot see.
    return cast("Store", _TimedStore(store, clock, latencies))


class _TimedStore:
    """Passes everything on, and times what runs wait for."""

    def __init__(self, store: Store, clock: Clock, latencies: Latencies) -> None:
        self._store = store
        self._clock = clock
        self._latencies = latencies

    def __getattr__(self, name: str) -> object:
        """Return what the store itself has."""
        return getattr(self._store, name)

    async def append(self, append: Append) -> Seq:
        """Add events; return the new head once they are durable."""
        return await self._timed(self._latencies.saved, "append", self._store.append(append))

    async def create_run(self, run: NewRun) -> Claim:
        """Create a run with its first events, and keep its definition."""
        return await self._timed(self._latencies.saved, "create_run", self._store.create_run(run))

    async def read(
        self, run_id: RunId, *, after: Seq = _START, upto: Seq | None = None
    ) -> tuple[Record, ...]:
        """Return the events with ``after < seq <= upto``, in order."""
        reading = self._store.read(run_id, after=after, upto=upto)
        return await self._timed(self._latencies.loaded, "read", reading)

    async def values(self, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the JSON of stored values by SHA-256."""
        return await self._timed(self._latencies.loaded, "values", self._store.values(hashes))

    async def _timed(self, count: Callable[[str, float], None], operation: str, work: Awaitable[T]) -> T:
        begun = self._clock.monotonic()
        try:
            done = await work
        except StoreError as error:
            self._latencies.failed(operation, type(error).__name__)
            raise
        count(operation, self._clock.monotonic() - begun)
        return done
