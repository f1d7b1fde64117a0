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
    definition = await store.definition(row.definition)
    return await catch_up(store, new_state(run_id, Graph(definition)), upto=upto)


async def catch_up(store: Store, state: RunState, *, upto: Seq | None = None) -> RunState:
    """Return *state* moved on by the events that were added after its head."""
    return fold(state, await store.read(state.run_id, after=state.head, upto=upto))
