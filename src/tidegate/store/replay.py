"""From a journal on disk to a state in memory."""

import asyncio
from typing import TYPE_CHECKING

from tidegate.errors import CorruptStore
from tidegate.model.events import Record
from tidegate.model.fold import fold
from tidegate.model.ids import RunId, Seq
from tidegate.model.state import RunState, new_state
from tidegate.model.workflow import Graph
from tidegate.store.damage import of_run, read_journal
from tidegate.store.protocol import NewRun, Store

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["States", "catch_up", "first_definition", "first_state", "replay"]

_KEPT_STATES = 16
_KEPT_SIZE = 10_000
"""Blocks, and a few more for each state: as long as they are fewer, more states are kept."""


async def replay(store: Store, run_id: RunId, *, upto: Seq | None = None) -> RunState:
    """Return the state of a run at its head, or at *upto*.

    Raises:
        RunNotFound: there is no such run.
        CorruptStore: its journal or its definition is damaged, or missing.
    """
    try:
        graph = await _graph(store, await first_definition(store, run_id))
    except CorruptStore as damage:
        # Somebody may have removed it, with its definition, in between: then nothing is damaged.
        await store.run(run_id)
        raise of_run(run_id, damage) from damage
    return await catch_up(store, new_state(run_id, graph), upto=upto)


async def first_definition(store: Store, run_id: RunId) -> str:
    """Return the hash of the definition that a journal begins with: a fork may go on with another one.

    Raises:
        RunNotFound: there is no such run.
    """
    while (row := await store.run(run_id)).origin is not None:
        run_id = row.origin.run_id
    return row.definition


_graphs: dict[str, Graph] = {}
_MOST_GRAPHS = 64


async def _graph(store: Store, definition_hash: str) -> Graph:
    """Return the graph of a definition. Many runs share one: whatever has this hash is the same workflow."""
    graph = _graphs.get(definition_hash) or Graph(await store.definition(definition_hash))
    return _remembered(definition_hash, graph)


def _remembered(definition_hash: str, graph: Graph) -> Graph:
    # The one used last stands last.
    _graphs.pop(definition_hash, None)
    _graphs[definition_hash] = graph
    if len(_graphs) > _MOST_GRAPHS:
        del _graphs[next(iter(_graphs))]
    return graph


def first_state(run: NewRun) -> RunState:
    """Return the state of a run that has just been created, and is no fork: what reading it would give."""
    graph = _remembered(run.definition_hash, _graphs.get(run.definition_hash) or Graph(run.definition))
    records = (
        Record(run_id=run.run_id, seq=Seq(seq), at=run.at, event=event)
        for seq, event in enumerate(run.events, 1)
    )
    return fold(new_state(run.run_id, graph), records)


async def catch_up(store: Store, state: RunState, *, upto: Seq | None = None) -> RunState:
    """Return *state* moved on by the events that were added after its head.

    Raises:
        CorruptStore: they are damaged; it says up to where the run is good.
    """
    return fold(state, await read_journal(store, state.run_id, after=state.head, upto=upto))


class States:
    """The newest states of the runs of a store. A few are kept, so that asking again reads only what is new."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[RunId, RunState] = {}
        """The one used last stands last."""
        self._size = 0
        self.on_replayed: Callable[[float], None] = lambda _: None
        """Is told how many seconds it took whenever a state was not kept and its whole journal was read."""

    async def newest(self, run_id: RunId) -> RunState:
        """Return the state of a run at its head.

        Raises:
            RunNotFound: there is no such run.
            CorruptStore: its journal or its definition is damaged, or missing.
        """
        known = self._kept.get(run_id)
        if known is None:
            known = await self._replayed(run_id)
        elif (await self._store.run(run_id)).head != known.head:
            known = await catch_up(self._store, known)
        self.keep(known)
        return known

    async def _replayed(self, run_id: RunId) -> RunState:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        state = await replay(self._store, run_id)
        self.on_replayed(loop.time() - begun)
        return state

    def known(self, run_id: RunId) -> RunState | None:
        """Return the state of a run as it was asked for last, if it is kept still; nothing is read for that."""
        return self._kept.get(run_id)

    def keep(self, state: RunState) -> None:
        """Remember a state that somebody has arrived at anyway."""
        self._drop(state.run_id)
        self._kept[state.run_id] = state
        self._size += _size_of(state)
        while len(self._kept) > _KEPT_STATES and self._size > _KEPT_SIZE:
            self._drop(next(iter(self._kept)))

    def _drop(self, run_id: RunId) -> None:
        if (state := self._kept.pop(run_id, None)) is not None:
            self._size -= _size_of(state)


def _size_of(state: RunState) -> int:
    return 10 + len(state.touched)
