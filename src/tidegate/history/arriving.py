"""Writing an imported run into a store: all of it, or such that the same import goes on where it broke off.

Nobody drives any of its runs before all of them are there, with their values, output and checkpoints. What had
not ended arrives held: it may go on elsewhere, too, and does nothing here before a person has looked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tidegate.clock import Clock
from tidegate.errors import CheckpointNotFound, PauseNotFound, RunNotFound
from tidegate.history.importing import Parcel
from tidegate.history.portable import BadExport, PortableEvent, PortableMarks, PortableOutput, PortableRun
from tidegate.history.renaming import fork_of, of_a_fork, with_run_ids, with_turn_ids
from tidegate.history.retelling import OutputTold, Retelling, held_by, tell_marks
from tidegate.model.events import BlockPaused, CheckpointMarked, RunForked
from tidegate.model.ids import CheckpointId, PauseId, RunId, Seq, new_checkpoint_id, new_pause_id, new_run_id
from tidegate.model.listing import Epoch, RunRow
from tidegate.model.state import RunState
from tidegate.store.protocol import Store
from tidegate.store.replay import replay

__all__ = ["Arrival", "Arriving", "Import", "under_new_ids"]

_BY = "import"
_HELD = "it was imported before it had ended"


class Arrival(StrEnum):
    """What becomes of a run."""

    NEW = "new"
    GOES_ON = "goes on"
    """An import of it broke off, and goes on where it did."""
    THERE = "there"
    """It is there already, with the same events; it may have gone on since."""


@dataclass(frozen=True, slots=True)
class Arriving:
    """One run of an export, and how it comes into the store."""

    run: PortableRun
    arrival: Arrival
    held: bool
    """Whether it goes on only once a person lets it."""
    epoch: Epoch
    """Under which it is written."""


def under_new_ids(parcel: Parcel) -> Parcel:
    """Return what a file holds under ids that nothing has yet, the same everywhere in it."""
    runs = {run.run_id: new_run_id() for run in parcel.document.runs}
    marks: dict[str, str] = {}

    def name_of(name: str) -> str:
        if name not in marks:
            marks[name] = new_pause_id() if name.startswith("pause_") else new_checkpoint_id()
        return marks[name]

    def renamed(it: PortableEvent) -> PortableEvent:
        return it.evolve(event=with_turn_ids(with_run_ids(it.event, runs), name_of))

    def listed(it: PortableMarks) -> PortableMarks:
        named = (mark.evolve(checkpoint_id=CheckpointId(name_of(mark.checkpoint_id))) for mark in it.marks)
        return it.evolve(run_id=runs[it.run_id], marks=tuple(named))

    document = parcel.document
    document = document.evolve(
        run_id=runs[document.run_id],
        runs=tuple(
            run.evolve(run_id=runs[run.run_id], events=tuple(map(renamed, run.events)))
            for run in document.runs
        ),
        checkpoints=tuple(map(listed, document.checkpoints)),
        output=tuple(it.evolve(run_id=runs[it.run_id]) for it in document.output),
    )
    states = {runs[run_id]: state.evolve(run_id=runs[run_id]) for run_id, state in parcel.states.items()}
    return Parcel(document, parcel.definitions, parcel.values, states)


class Import:
    """One export, on its way into a store."""

    def __init__(self, store: Store, parcel: Parcel, clock: Clock, file: str) -> None:
        """Begin.

        Args:
            store: Where to.
            parcel: What the file holds.
            clock: The time.
            file: What to call the file in a message.
        """
        self._store = store
        self._parcel = parcel
        self._clock = clock
        self._file = file
        self._marks = {it.run_id: it.marks for it in parcel.document.checkpoints}
        self._output: dict[RunId, list[PortableOutput]] = {}
        for output in parcel.document.output:
            self._output.setdefault(output.run_id, []).append(output)

    async def plan(self) -> tuple[Arriving, ...]:
        """Return what becomes of each run. Nothing is written.

        Raises:
            BadExport: something else has one of its ids.
        """
        return tuple([await self._plan_one(run) for run in self._parcel.document.runs])

    async def _plan_one(self, run: PortableRun) -> Arriving:
        held = self._parcel.states[run.run_id].finished is None
        row = await self._row(run.run_id)
        if row is None:
            await self._must_be_free(run)
            return Arriving(run, Arrival.NEW, held, run.epoch)
        told = await self._told(run, row)
        if told == len(run.events) and not Retelling.is_in_the_making(row):
            return Arriving(run, Arrival.THERE, held=False, epoch=row.epoch)
        if Retelling.is_in_the_making(row):
            return Arriving(run, Arrival.GOES_ON, held, row.epoch)
        problem = (
            f"run {run.run_id} is there already, with the first {told} of these {len(run.events)} events"
        )
        raise BadExport(self._file, f"{problem}: {_ADVICE}")

    async def _row(self, run_id: RunId) -> RunRow | None:
        try:
            return await self._store.run(run_id)
        except RunNotFound:
            return None

    async def _told(self, run: PortableRun, row: RunRow) -> int:
        """Return how many of a run's events are in the store already.

        Raises:
            BadExport: another run of that id is.
        """
        upto = Seq(min(row.head, len(run.events)))
        there, fork = await self._store.read(run.run_id, upto=upto), await fork_of(self._store, row)
        for mine, theirs in zip(run.events, there, strict=False):
            # Of a fork the file has one journal, and the store the events of the run that it goes on from.
            event = of_a_fork(run.run_id, theirs, fork)
            if not _is_same(mine, PortableEvent(seq=theirs.seq, at=theirs.at, event=event)):
                problem = f"there is a run {run.run_id} already, and its event {mine.seq} is another one"
                raise BadExport(self._file, f"{problem}: {_ADVICE}")
        return len(there)

    async def _must_be_free(self, run: PortableRun) -> None:
        for it in run.events:
            taken = False
            if isinstance(it.event, BlockPaused):
                taken = await self._has_pause(it.event.pause_id)
            elif isinstance(it.event, CheckpointMarked):
                taken = await self._has_checkpoint(it.event.checkpoint_id)
            if taken:
                problem = f"another run has a question or a checkpoint of the same id as event {it.seq}"
                raise BadExport(self._file, f"{problem} of run {run.run_id}: {_ADVICE}")
        for mark in self._marks.get(run.run_id, ()):
            if mark.placed and await self._has_checkpoint(mark.checkpoint_id):
                raise BadExport(self._file, f"there is a checkpoint {mark.checkpoint_id} already: {_ADVICE}")

    async def _has_pause(self, pause_id: PauseId) -> bool:
        try:
            await self._store.pause(pause_id)
        except PauseNotFound:
            return False
        return True

    async def _has_checkpoint(self, checkpoint_id: CheckpointId) -> bool:
        try:
            await self._store.checkpoint(checkpoint_id)
        except CheckpointNotFound:
            return False
        return True

    # -- writing ------------------------------------------------------------------------------

    async def write(self) -> tuple[Arriving, ...]:
        """Write what is not there yet; return what became of each run.

        Raises:
            BadExport: as `plan` raises it; nothing was written.
            StoreUnavailable: the store cannot be written now. Imported again, it goes on from there.
        """
        # What a removed run of the same id has left must not be mistaken for a part of this one.
        while await self._store.empty_graves():
            pass
        planned = await self.plan()
        made = [await self._write_one(it) for it in planned if it.arrival is not Arrival.THERE]
        # Only now: what is begun before all of it is there would begin what is missing anew.
        for retelling, state in reversed(made):
            await retelling.let_go(state)
        return planned

    async def _write_one(self, arriving: Arriving) -> tuple[Retelling, RunState]:
        run = arriving.run
        retelling = Retelling(self._store, self._values_of, arriving.epoch)
        state = await self._write_events(retelling, arriving)
        await tell_marks(self._store, state, self._marks.get(run.run_id, ()))
        return retelling, state

    async def _write_events(self, retelling: Retelling, arriving: Arriving) -> RunState:
        run, records = arriving.run, arriving.run.records()
        if arriving.arrival is Arrival.NEW:
            definition, source = self._parcel.definitions[run.definition]
            state = await retelling.begin(
                records, definition, name=run.definition, source=source, now=self._clock.now()
            )
        else:
            state = await replay(self._store, run.run_id)
        # Before the events: with the last of them a run that has ended is there.
        await self._write_output(run.run_id)
        state = await retelling.go_on(state, records[state.head :])
        if arriving.held and state.head == len(records):
            state = await retelling.add(state, self._clock.now(), *held_by(state, _BY, _HELD))
        return state

    async def _values_of(self, names: Sequence[str]) -> Mapping[str, bytes]:
        return {name: self._parcel.values[name] for name in names}

    async def _write_output(self, run_id: RunId) -> None:
        told = OutputTold(self._store, run_id)
        for output in self._output.get(run_id, ()):
            await self._tell(told, output)
        await told.write()

    @staticmethod
    async def _tell(told: OutputTold, output: PortableOutput) -> None:
        for it in output.chunks:
            await told.add(output.block, output.attempt, it.chunk)


def _is_same(mine: PortableEvent, theirs: PortableEvent) -> bool:
    """Whether a run that is there has the same event; what a fork was forked from, files of before may not say."""
    one, other = mine.event, theirs.event
    if isinstance(one, RunForked) and isinstance(other, RunForked) and None in (one.former, other.former):
        mine, theirs = (
            mine.evolve(event=one.evolve(former=None)),
            theirs.evolve(event=other.evolve(former=None)),
        )
    return mine == theirs


_ADVICE = "say --as-new to import it as a second run, beside that one"
