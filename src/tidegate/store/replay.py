"""From a journal on disk to a state in memory."""

from tidegate.model.fold import fold
from tidegate.model.ids import RunId, Seq
from tidegate.model.state import RunState, new_state
from tidegate.model.workflow import Graph
from tidegate.store.protocol import Store

__all__ = ["catch_up", "replay"]


async def replay(store: Store, run_id: RunId, *, upto: Seq | None = None) -> RunState:
    """Return the state of a run at its head, or at *upto*.

    Raises:
        RunNotFound: there is no such run.
        CorruptStore: its definition is missing.
    """
    row = await store.run(run_id)
    return await catch_up(store, new_state(run_id, await _graph(store, row.definition)), upto=upto)


_graphs: dict[str, Graph] = {}
_MOST_GRAPHS = 64


async def _graph(store: Store, definition_hash: str) -> Graph:
    """Return the graph of a definition. Many runs share one: whatever has this hash is the same workflow."""
    graph = _graphs.pop(definition_hash, None) or Graph(await store.definition(definition_hash))
    # The one used last stands last.
    _graphs[definition_hash] = graph
    if len(_graphs) > _MOST_GRAPHS:
        del _graphs[next(iter(_graphs))]
    return graph


async def catch_up(store: Store, state: RunState, *, upto: Seq | None = None) -> RunState:
    """Return *state* moved on by the events that were added after its head."""
    return fold(state, await store.read(state.run_id, after=state.head, upto=upto))
