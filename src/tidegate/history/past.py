"""Runs as they were: the state at any point, walking from one to the next, and comparing two of them."""

from collections.abc import Iterator

from tidegate.errors import CorruptStore
from tidegate.history.comparing import Comparison, Rules, compare_states
from tidegate.history.counterparts import Counterpart, counterpart
from tidegate.history.points import Point, find_point
from tidegate.history.uses import place_at_point
from tidegate.history.views import checkpoint_metadata
from tidegate.history.walker import Walker
from tidegate.model.base import JsonObject
from tidegate.model.checkpoint import CheckpointState, PointState
from tidegate.model.events import Record
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.model.state import RunState
from tidegate.model.value import Value
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.below import stood_below
from tidegate.store.damage import WHERE_USED, read_journal
from tidegate.store.protocol import Store
from tidegate.store.replay import States, replay
from tidegate.store.values import load_values

__all__ = ["Past"]

_START = Seq(0)
_WALKERS = 4
"""Runs that are kept walked through."""


class Past:
    """Reads the journals of one store."""

    def __init__(self, store: Store, states: States) -> None:
        """Read *store*; *states* may be shared with others who read it."""
        self._store = store
        self._states = states
        self._walkers: dict[RunId, Walker] = {}

    async def state(self, run_id: RunId) -> RunState:
        """Return a run's newest state. Asked again, it reads only what was added since.

        Raises:
            RunNotFound: there is no such run.
        """
        return await self._states.newest(run_id)

    async def events(
        self, run_id: RunId, *, after: Seq = _START, upto: Seq | None = None
    ) -> tuple[Record, ...]:
        """Return a run's journal, or what was added after an event; of that what there is up to another one."""
        return await read_journal(self._store, run_id, after=after, upto=upto)

    async def definition(self, definition_hash: str) -> WorkflowDefinition:
        """Return the definition that runs are pinned to by its hash."""
        return await self._store.definition(definition_hash)

    async def outputs(self, values: dict[str, Value]) -> JsonObject:
        """Return a block's outputs as what they are."""
        return (await load_values(self._store, [values]))[0]

    # -- points -------------------------------------------------------------------------------

    async def find_point(self, text: str) -> Point:
        """Return the point that *text* means: `RUN@SEQ`, a checkpoint, a question, or a run as it is now.

        Raises:
            RunNotFound: there is no run of that name before the `@`.
            PointNotFound: nothing has such an id, or the run has no such event.
            AmbiguousId: more than one thing has.
        """
        return await find_point(self._store, text)

    async def state_at(self, point: Point) -> RunState:
        """Return a run's state right after one of its events. To walk from one to the next, see `walk`.

        Raises:
            RunNotFound: there is no such run.
            CorruptStore: its journal is damaged before that point.
        """
        return await replay(self._store, point.run_id, upto=point.seq)

    async def checkpoint(self, checkpoint_id: CheckpointId) -> CheckpointState:
        """Return the state of a run at a checkpoint.

        Raises:
            CheckpointNotFound: there is none.
        """
        row = await self._store.checkpoint(checkpoint_id)
        found = await self.point_state(Point(row.run_id, row.seq))
        return CheckpointState(
            metadata=checkpoint_metadata(row),
            state=found.state,
            context=found.context,
            variables=found.variables,
        )

    async def point_state(self, point: Point) -> PointState:
        """Return everything a run was right after one of its events, its values loaded.

        Raises:
            RunNotFound: there is no such run.
            CorruptStore: something that is needed for it is damaged.
        """
        state = await self.state_at(point)
        try:
            context, variables = await self._loaded(state)
        except CorruptStore as damage:
            raise _with_its_place(damage, state) from damage
        return PointState(state=state, context=context, variables=variables)

    async def _loaded(self, state: RunState) -> tuple[dict[str, JsonObject], JsonObject]:
        """Return the outputs of what had ended, and the run's own state."""
        ended = list(_ended(state))
        groups = [dict(state.variables), *(state.block(place).outputs for place in ended)]
        variables, *outputs = await load_values(self._store, groups)
        return dict(zip(map(str, ended), outputs, strict=True)), variables

    async def walk(self, run_id: RunId) -> Walker:
        """Return what walks through a run's past. The last few are kept: opened again, they know what they knew.

        Raises:
            RunNotFound: there is no such run.
        """
        walker = self._walkers.pop(run_id, None)
        if walker is None:
            walker = Walker(self._store, self._states, run_id, (await self._store.run(run_id)).head)
        else:
            await walker.catch_up()
        # The one opened last stands last.
        self._walkers[run_id] = walker
        if len(self._walkers) > _WALKERS:
            del self._walkers[next(iter(self._walkers))]
        return walker

    async def point_below(self, point: Point, place: BlockId) -> Point | None:
        """Return where the run stood then that does the work of a place; None: none does, or it is gone.

        Raises:
            RunNotFound, PointNotFound: there is no such point.
        """
        walker = await self.walk(point.run_id)
        state = await walker.state(point.seq)
        child = state.block(place).child
        seq = await stood_below(self._store, state, walker.head, place)
        return Point(child.run_id, seq) if child is not None and seq else None

    async def compare(self, left: Point, right: Point, rules: Rules | None = None) -> Comparison:
        """Return what differs between two points, of one run or of two; large values are loaded if they differ.

        Raises:
            RunNotFound: there is no such run.
            ValueError: a pattern of the rules is no path.
            CorruptStore: something that is needed for it is damaged.
        """
        states = [(point, await (await self.walk(point.run_id)).state(point.seq)) for point in (left, right)]
        return await compare_states(self._store, states[0], states[1], rules or Rules())

    async def counterpart(self, point: Point, word: Counterpart) -> Point:
        """Return what a point is compared with: the run as it is now, what it was forked from, and so on.

        Raises:
            NoCounterpart: there is no such thing.
        """
        return await counterpart(self._store, point, word)


def _with_its_place(damage: CorruptStore, state: RunState) -> CorruptStore:
    """Return damage of a stored value with where that stands: its hash says nothing to people."""
    places = (place_at_point(state, word) for word in damage.problem.replace(":", " ").split())
    place = next(filter(None, places), "")
    if not place:
        return damage
    problem = f"{place} of run {state.run_id} cannot be shown: {damage.problem.removesuffix(WHERE_USED)}"
    return CorruptStore(damage.url, problem, run_id=state.run_id)


def _ended(state: RunState) -> Iterator[BlockId]:
    """Yield the blocks that had ended; of one that had not, its parts that had."""
    for block in state.graph.blocks:
        places = (block,) if state.block(block).status.has_ended else state.parts_of(block)
        yield from (place for place in places if state.block(place).status.has_ended)
