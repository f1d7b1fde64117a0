"""Writing a run, with everything below it, as one portable file.

It is read in slices and written as it is read: memory is that of one run's state and the hashes of its
values, however long its journal and however much it wrote.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import msgspec

from tidegate.clock import Clock, iso
from tidegate.errors import CorruptStore
from tidegate.history.points import Point
from tidegate.history.portable import (
    FORMAT,
    PARTS,
    VERSION,
    Chain,
    Digest,
    Document,
    NotExportable,
    PortableChunk,
    PortableDefinition,
    PortableEvent,
    PortableMarks,
    PortableOutput,
    PortableRun,
    PortableValue,
)
from tidegate.history.renaming import fork_of, of_a_fork
from tidegate.history.walk import slices
from tidegate.model.events import (
    AttemptStarted,
    ChildStarted,
    Record,
    RunForked,
)
from tidegate.model.fold import apply
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import (
    CheckpointFilter,
    CheckpointRow,
    Epoch,
    ListedMark,
    OutputChunk,
    RunFilter,
    RunRow,
)
from tidegate.model.state import RunState, new_state
from tidegate.model.value import stored_in
from tidegate.model.workflow import Graph
from tidegate.store.below import stood_below
from tidegate.store.protocol import Store
from tidegate.store.replay import first_definition

__all__ = ["Export", "Survey", "prepare_export"]

_VALUES = 8
"""Stored values that are read at once: each may be some megabytes long."""
_CHUNKS = 64
_MANY = 10_000_000


@dataclass(slots=True)
class Survey:
    """What is to be known of one run before it is written."""

    row: RunRow
    upto: Seq
    definition: str
    """The hash of what its journal begins with."""
    state: RunState
    fork: RunForked | None
    """The first event of its own, if it is a fork."""
    children: dict[RunId, None] = field(default_factory=dict)
    """The runs that its blocks started, in that order."""
    values: dict[str, None] = field(default_factory=dict)
    attempts: dict[tuple[BlockId, int], Seq] = field(default_factory=dict)
    """The event with which each began."""

    def take(self, record: Record) -> None:
        """Go on by one event."""
        self.state = apply(self.state, record.evolve(run_id=self.row.run_id))
        event = record.event
        if isinstance(event, ChildStarted):
            self.children[event.child] = None
        elif isinstance(event, AttemptStarted):
            self.attempts[event.block, event.attempt] = record.seq
        self.values |= dict.fromkeys(value.sha256 for value in stored_in(event))

    def event(self, record: Record) -> PortableEvent:
        """Return one of its events as it stands in the file."""
        event = of_a_fork(self.row.run_id, record, self.fork)
        return PortableEvent(seq=record.seq, at=record.at, event=event)


async def prepare_export(
    store: Store, point: Point, clock: Clock, *, output: bool = True, program: str = ""
) -> "Export":
    """Look at everything that is to be written.

    Args:
        store: Where the run is.
        point: Up to which event. Runs below it go as far as they had come by then.
        clock: Dates the file.
        output: Whether what commands printed goes along.
        program: The version of the program, for people.

    Raises:
        RunNotFound: there is no such run.
        NotExportable: it is a part of another run.
        CorruptStore: something of it is damaged, or missing.
    """
    row = await store.run(point.run_id)
    if row.root is not None:
        problem = f"run {row.run_id} is a part of run {row.root}"
        raise NotExportable(f"{problem}: export that one, and it goes along")
    top = await _survey(store, row, point.seq)
    surveys, left = [top], [(top, child) for child in reversed(top.children)]
    rows = {it.run_id: it for it in await store.runs(RunFilter(root=row.run_id, limit=_MANY))}
    while left:
        above, run_id = left.pop()
        child = rows.pop(run_id, None)
        upto = None if child is None else await _upto(store, above, child)
        if child is not None and upto:
            surveys.append(await _survey(store, child, upto))
            left += [(surveys[-1], below) for below in reversed(surveys[-1].children)]
    document = Document(
        format=FORMAT,
        version=VERSION,
        tidegate=program,
        exported_at=iso(clock.now()),
        run_id=row.run_id,
        seq=top.upto,
        workflow=row.workflow,
        status=top.state.status.value,
    )
    return Export(store, tuple(surveys), document, output=output)


async def _upto(store: Store, above: Survey, row: RunRow) -> Seq | None:
    """Return the event that a run had come to when the one above stood where it is surveyed."""
    for place, block in above.state.touched.items():
        if block.child is not None and block.child.run_id == row.run_id:
            return await stood_below(store, above.state, above.row.head, place)
    # It did the work of an attempt before, or of an iteration, and has ended since long.
    return row.head


async def _survey(store: Store, row: RunRow, upto: Seq) -> Survey:
    # Of a fork that of the run at its very beginning: what it has now is in an event.
    definition = await first_definition(store, row.run_id)
    state = new_state(row.run_id, Graph(await store.definition(definition)))
    survey = Survey(row, upto, definition, state, await fork_of(store, row))
    async for records in slices(store, row.run_id, upto):
        for record in records:
            survey.take(record)
    return survey


class Export:
    """One run with everything below it, ready to be written, once."""

    def __init__(
        self, store: Store, surveys: tuple[Survey, ...], document: Document, *, output: bool
    ) -> None:
        self._store = store
        self.surveys = surveys
        """The run on top first."""
        self._output = output
        self._digest = Digest()
        self._document = document

    async def whole(self) -> AsyncIterator[bytes]:
        """Yield the file, piece by piece."""
        yield self._header()
        for section in (self._state, self._checkpoints, self._values):
            async for piece in section():
                yield piece
        yield self._ending()

    async def parts(self) -> AsyncIterator[tuple[str, bytes]]:
        """Yield the pieces of the three files, each with the name of the file that it belongs to."""
        metadata, state, values = PARTS
        for name, section in ((state, self._state), (values, self._values)):
            yield name, self._header()
            async for piece in section():
                yield name, piece
            yield name, b"\n}\n"
        yield metadata, self._header()
        async for piece in self._checkpoints():
            yield metadata, piece
        yield metadata, self._ending()

    def _header(self) -> bytes:
        return msgspec.json.format(_json(self._document), indent=0)[:-1].rstrip()

    def _ending(self) -> bytes:
        return b',\n"digest":' + _json(self._digest.of(self._document)) + b"\n}\n"

    # -- sections -----------------------------------------------------------------------------

    async def _state(self) -> AsyncIterator[bytes]:
        yield b',\n"definitions":['
        before = b"\n"
        for name in dict.fromkeys(survey.definition for survey in self.surveys):
            definition = await self._definition(name)
            self._digest.add_definition(definition)
            yield before + _json(definition)
            before = b",\n"
        yield b'\n],\n"runs":['
        before = b"\n"
        for survey in self.surveys:
            async for piece in self._run(survey):
                yield before + piece
                before = b""
            before = b",\n"
        yield b"\n]"

    async def _definition(self, name: str) -> PortableDefinition:
        definition = await self._store.definition(name)
        source = await self._store.definition_source(name)
        return PortableDefinition(hash=name, source=source, definition=definition)

    async def _run(self, survey: Survey) -> AsyncIterator[bytes]:
        row, chain = survey.row, Chain(survey.row.run_id)
        epoch = Epoch(max(row.epoch, 1))
        origin = row.origin or survey.state.forked_from
        run = PortableRun(run_id=row.run_id, definition=survey.definition, epoch=epoch, origin=origin)
        # All of it but its events, which are written as they are read.
        yield _json(run)[:-1] + b',"events":['
        before = b"\n"
        async for records in slices(self._store, row.run_id, survey.upto):
            events = [survey.event(record) for record in records]
            for event in events:
                chain.add(event)
            yield before + b",\n".join(map(_json, events))
            before = b",\n"
        self._digest.add_run(run, str(chain))
        yield b'\n],"chain":' + _json(str(chain)) + b"}"

    async def _checkpoints(self) -> AsyncIterator[bytes]:
        yield b',\n"checkpoints":['
        before = b"\n"
        for survey in self.surveys:
            query = CheckpointFilter(run_id=survey.row.run_id, limit=_MANY)
            rows = [row for row in await self._store.checkpoints(query) if row.seq <= survey.upto]
            marks = PortableMarks(run_id=survey.row.run_id, marks=tuple(map(_listed, reversed(rows))))
            self._digest.add_marks(marks)
            yield before + _json(marks)
            before = b",\n"
        yield b"\n]"

    async def _values(self) -> AsyncIterator[bytes]:
        yield b',\n"values":['
        before = b"\n"
        names = list(dict.fromkeys(name for survey in self.surveys for name in survey.values))
        for start in range(0, len(names), _VALUES):
            for name, data in (await self._store.values(names[start : start + _VALUES])).items():
                self._digest.add_value(name)
                yield before + _json(PortableValue(sha256=name, text=data.decode()))
                before = b",\n"
        yield b'\n],\n"output":['
        before = b"\n"
        async for told in self._attempts():
            self._digest.add_output(told)
            yield before + _json(told)
            before = b",\n"
        yield b"\n]"

    async def _attempts(self) -> AsyncIterator[PortableOutput]:
        for survey in self.surveys if self._output else ():
            for (block, attempt), seq in survey.attempts.items():
                writer, after = await self._writer(survey.row, seq), -1
                read = self._store.read_output
                while chunks := await read(writer, block, attempt, after=after, limit=_CHUNKS):
                    after = chunks[-1].n
                    self._refuse_damaged(survey.row.run_id, block, attempt, chunks)
                    yield PortableOutput(
                        run_id=survey.row.run_id,
                        block=block,
                        attempt=attempt,
                        chunks=tuple(map(PortableChunk.of, chunks)),
                    )

    def _refuse_damaged(
        self, run_id: RunId, block: BlockId, attempt: int, chunks: Sequence[OutputChunk]
    ) -> None:
        """Refuse damaged output: the file would give it a digest, as if it were what was written."""
        for chunk in chunks:
            if chunk.damage:
                what = (
                    f"the output of '{block}', attempt {attempt}, of run {run_id} is damaged: {chunk.damage}"
                )
                problem = f"{what} (--no-output exports all but the output)"
                raise CorruptStore(self._store.url, problem, run_id=run_id)

    async def _writer(self, row: RunRow, seq: Seq) -> RunId:
        """Return the run that wrote what an attempt printed: of a fork that may be the one it goes on from."""
        while row.origin is not None and seq <= row.origin.seq:
            row = await self._store.run(row.origin.run_id)
        return row.run_id


def _listed(row: CheckpointRow) -> ListedMark:
    is_theirs = row.placed or row.relabelled
    return ListedMark(
        checkpoint_id=row.checkpoint_id,
        seq=row.seq,
        created_at=row.created_at,
        label=row.label if is_theirs else "",
        metadata=row.metadata if row.placed else {},
        pinned=row.pinned,
        relabelled=row.relabelled,
        placed=row.placed,
    )


def _json(said: object) -> bytes:
    return msgspec.json.encode(said)
