"""Whether what a store holds of a run is what was written, down to the last value.

A journal is read in slices and folded, and what follows from it is compared: the run's row, its pauses,
its checkpoints, the values and the output that it names. Nothing is changed. Memory is that of one run's
state, however long its journal is.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidegate.clock import iso
from tidegate.errors import CorruptStore
from tidegate.history.uses import Use, uses_in
from tidegate.history.verdict import DamagedValue, Verdict
from tidegate.history.walk import Mark, Walked, slices
from tidegate.model.base import fields_of
from tidegate.model.events import Record, RunStatus
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.listing import (
    CheckpointFilter,
    CheckpointRow,
    OutputChunk,
    PauseFilter,
    PauseRow,
    RunFilter,
    RunRow,
)
from tidegate.model.state import Pause, RunState, RunSummary
from tidegate.store.damage import WHERE_USED, last_checkpoint
from tidegate.store.protocol import Store
from tidegate.store.replay import replay

__all__ = ["verify", "verify_run"]

_VALUES = 8
"""Stored values that are read at once: each may be some megabytes long."""
_CHUNKS = 64
_PAGE = 500
_MANY = 10_000_000
_TRIES = 3
_MOST_FINDINGS = 20
"""Of one run: beyond these, more of them say nothing new."""


async def verify(store: Store) -> AsyncIterator[Verdict]:
    """Yield a verdict on every run of a store, newest first."""
    query = RunFilter(limit=_PAGE)
    while rows := await store.runs(query):
        for row in rows:
            verdict = await _verdict_on(store, row)
            if verdict is not None:
                yield verdict
        if len(rows) < _PAGE:
            return
        query = query.evolve(older_than=rows[-1].run_id)


async def verify_run(store: Store, run_id: RunId) -> Verdict | None:
    """Return a verdict on one run; None if there is no such run."""
    rows = await store.runs(RunFilter(ids=(run_id,)))
    return await _verdict_on(store, rows[0]) if rows else None


async def _verdict_on(store: Store, row: RunRow) -> Verdict | None:
    """Return a verdict on a run as it is listed; None if it was removed meanwhile."""
    for _ in range(_TRIES):
        verdict = await _Check(store, row).verdict()
        if verdict.is_sound:
            return verdict
        now = await _listed_now(store, row)
        if now is None or now.head == row.head:
            return verdict if now is not None else None
        # Of a run that moved on meanwhile, one half of what was read disagrees with the other.
        row = now
    return verdict


async def _listed_now(store: Store, row: RunRow) -> RunRow | None:
    """Return a run as it is listed by now; None if it is not."""
    # By its name, or else among all: the index of names may be what is damaged.
    for query in (RunFilter(ids=(row.run_id,)), RunFilter(limit=_MANY)):
        for now in await store.runs(query):
            if now.run_id == row.run_id:
                return now
    return None


@dataclass(slots=True)
class _Check:
    """One run, being looked at."""

    store: Store
    row: RunRow
    findings: list[str] = field(default_factory=list)
    uses: dict[str, list[Use]] = field(default_factory=dict)
    """Where a damaged value is used, by its hash."""
    problems: dict[str, str] = field(default_factory=dict)
    """What is wrong with it."""
    unverified: int = 0
    """Parts of its output without a checksum."""

    def _find(self, finding: str) -> None:
        if finding not in self.findings and len(self.findings) < _MOST_FINDINGS:
            self.findings.append(finding)

    async def verdict(self) -> Verdict:
        """Look at everything."""
        row, walked = self.row, Walked(self.row.run_id)
        if row.damage:
            self._find(row.damage)
        is_whole = await self._walk(walked)
        if is_whole and walked.state is not None and not row.damage:
            self._compare_row(walked, walked.state)
            await self._compare_listed(walked.state)
            await self._compare_pauses(walked.state)
            await self._compare_checkpoints(walked)
        if walked.state is not None:
            await self._read_output(walked.state)
        seq, at = (walked.last.seq, walked.last.at) if walked.last is not None else (Seq(0), None)
        values = tuple(
            DamagedValue(name, self.problems[name], tuple(uses)) for name, uses in self.uses.items()
        )
        usable = min((Seq(value.uses[0].seq - 1) for value in values), default=seq)
        is_usable = is_whole and usable == seq
        return Verdict(
            row.run_id,
            row.workflow,
            row.head,
            seq,
            at,
            checkpoint=None if is_usable else await last_checkpoint(self.store, row.run_id, usable),
            findings=(*self.findings, *map(str, values))[:_MOST_FINDINGS],
            values=values,
            # Without its definition nothing can be made of its events.
            usable=usable if walked.state is not None else Seq(0),
            unverified=self.unverified,
        )

    # -- the journal --------------------------------------------------------------------------

    async def _walk(self, walked: Walked) -> bool:
        """Read and fold every event, as far as they are good; return whether that is all of them."""
        upto = self.row.head if not self.row.damage else None
        try:
            async for records in slices(self.store, self.row.run_id, upto):
                if walked.last is None:
                    await self._begin(walked, records[0])
                for record in records:
                    if problem := walked.take(record):
                        self._find(problem)
                        return False
                await self._check_values(records)
        except CorruptStore as damage:
            self._find(damage.problem)
            return False
        if walked.last is None:
            self._find(f"run {self.row.run_id} has no events")
        return walked.last is not None

    async def _begin(self, walked: Walked, first: Record) -> None:
        """Load what the run is pinned to: its first event says it."""
        name = getattr(first.event, "definition", "")
        try:
            walked.begin(await self.store.definition(name))
        except CorruptStore as damage:
            self._find(damage.problem)

    async def _check_values(self, records: Sequence[Record]) -> None:
        used: dict[str, list[Use]] = {}
        for record in records:
            for name, use in uses_in(record):
                used.setdefault(name, []).append(use)
        names = list(used)
        for start in range(0, len(names), _VALUES):
            try:
                await self.store.values(names[start : start + _VALUES])
            except CorruptStore:
                await self._find_values(names[start : start + _VALUES], used)

    async def _find_values(self, names: Sequence[str], used: Mapping[str, list[Use]]) -> None:
        for name in names:
            try:
                await self.store.values([name])
            except CorruptStore as damage:
                problem = damage.problem.removesuffix(WHERE_USED)
                self.problems[name] = problem if name in problem else f"the value {name}: {problem}"
                self.uses.setdefault(name, []).extend(used[name])

    # -- what follows from it -----------------------------------------------------------------

    def _compare_row(self, walked: Walked, state: RunState) -> None:
        row, parent = self.row, state.parent
        # A fork that an older version has imported began, by its row, with the run that it was forked from.
        began = (state.started_at, walked.started_at)
        said = {
            "definition": row.definition,
            "workflow": row.workflow,
            "started by": row.by,
            "created at": row.created_at,
            "updated at": row.updated_at,
            "parent": (row.parent, row.root, row.path),
            "origin": row.origin,
        }
        above = (
            (parent.run_id, parent.root, "/".join(parent.path)) if parent is not None else (None, None, "")
        )
        true = {
            "definition": walked.definition,
            "workflow": state.graph.definition.name,
            "started by": state.by,
            "created at": row.created_at if row.created_at in began else state.started_at,
            "updated at": walked.last.at if walked.last is not None else 0.0,
            "parent": above,
            "origin": state.origin,
        }
        for name, value in said.items():
            if value != true[name]:
                self._find(f"its row says {name} {_told(value)}, its journal {_told(true[name])}")
        self._compare_summary(state)

    async def _compare_listed(self, state: RunState) -> None:
        """Look for the run in the lists of those of its status: they go by a column of their own."""
        if not await self._is_listed(state.status):
            said = [status for status in RunStatus if await self._is_listed(status)]
            among = f"lists have it as '{said[0]}'" if said else "it is in no list of runs by status"
            self._find(f"{among}, and by its journal it is '{state.status}'")

    async def _is_listed(self, status: RunStatus) -> bool:
        return bool(await self.store.runs(RunFilter(ids=(self.row.run_id,), statuses=(status,))))

    def _compare_summary(self, state: RunState) -> None:
        said, true = self.row.summary, state.summarise()
        for (name, here), (_, there) in zip(fields_of(said), fields_of(_as_told(said, true)), strict=True):
            if here != there:
                self._find(f"its row says {name} {_told(here)}, its journal {_told(there)}")

    async def _compare_pauses(self, state: RunState) -> None:
        try:
            rows = await self.store.pauses(PauseFilter(run_id=state.run_id, open_only=False, limit=_MANY))
        except CorruptStore as damage:
            self._find(damage.problem)
            return
        listed = {row.pause_id: row for row in rows}
        # Of what a fork goes on from, the questions are listed as those of the other run.
        start = state.origin.seq if state.origin is not None else 0
        own = {pause_id: pause for pause_id, pause in state.pauses.items() if pause.opened_seq > start}
        for pause_id, pause in own.items():
            if pause_id not in listed:
                self._find(f"question {pause_id} is not in the list of questions")
            elif not _is_same_pause(listed[pause_id], pause):
                self._find(f"question {pause_id} is not listed as its journal has it")
        for pause_id in listed.keys() - set(own):
            self._find(f"question {pause_id} is in the list of questions, and not in its journal")

    async def _compare_checkpoints(self, walked: Walked) -> None:
        # One that is in the journal and not in the list was deleted: that removes the mark, never history.
        try:
            rows = await self.store.checkpoints(CheckpointFilter(run_id=walked.run_id, limit=_MANY))
        except CorruptStore as damage:
            self._find(damage.problem)
            return
        for row in rows:
            mark = walked.marks.get(row.checkpoint_id)
            if row.placed:
                await self._compare_placed(row, walked)
            elif mark is None:
                self._find(f"checkpoint {row.checkpoint_id} is not in its journal")
            elif not _is_same_mark(row, mark):
                self._find(f"checkpoint {row.checkpoint_id} is not listed as its journal has it")

    async def _compare_placed(self, row: CheckpointRow, walked: Walked) -> None:
        """Compare a checkpoint that a person has placed: of it the journal has no more than the point."""
        head = walked.last.seq if walked.last is not None else 0
        if not 1 <= row.seq <= head:
            self._find(f"checkpoint {row.checkpoint_id} is at event {row.seq}, which its run does not have")
            return
        true = (await replay(self.store, self.row.run_id, upto=row.seq)).summarise()
        if _as_told(row.summary, true) != row.summary:
            self._find(f"checkpoint {row.checkpoint_id} is not listed as its journal has it")

    async def _read_output(self, state: RunState) -> None:
        """Read what every attempt wrote, to its end."""
        for place, block in state.touched.items():
            for attempt in range(1, block.attempt + 1):
                try:
                    await self._read_attempt(place, attempt)
                except CorruptStore as damage:
                    self._find(f"the output of '{place}', attempt {attempt}: {damage.problem}")

    async def _read_attempt(self, place: BlockId, attempt: int) -> None:
        after, ends = -1, dict[int, int]()
        while chunks := await self.store.read_output(
            self.row.run_id, place, attempt, after=after, limit=_CHUNKS
        ):
            self.unverified += sum(chunk.is_unverified for chunk in chunks)
            for chunk in chunks:
                if chunk.damage:
                    self._find_chunk(place, attempt, chunk)
                    continue
                if chunk.offset < ends.get(chunk.stream, 0):
                    self._find(f"the output of '{place}', attempt {attempt}: chunk {chunk.n} is out of place")
                ends[chunk.stream] = chunk.offset + len(chunk.data)
            after = chunks[-1].n

    def _find_chunk(self, place: BlockId, attempt: int, chunk: OutputChunk) -> None:
        # Its number, as the first one is 0 for us only.
        where = f"the output of '{place}', attempt {attempt}: part {chunk.n + 1}"
        self._find(f"{where} ({chunk.stream.name.lower()}) is damaged: {chunk.damage}")


def _told(said: object) -> str:
    """Return what a row or a journal says, for people."""
    match said:
        case None | "":
            return "nothing"
        case Origin(run_id=run_id, seq=seq):
            return f"'{run_id}@{seq}'"
        case tuple():
            return "(" + ", ".join(map(_told, said)) + ")"
        case bool():
            return "yes" if said else "no"
        case int() | float():
            return f"{said:,}" if isinstance(said, int) else iso(said)
        case _:
            return f"'{said}'"


def _is_same_pause(row: PauseRow, pause: Pause) -> bool:
    """Whether a pause is listed as the journal has it."""
    said = (row.block, row.attempt, row.prompt, row.opened_at, row.opened_seq, row.state, row.answer)
    return (*said, row.closed_at, row.assignment) == (
        pause.block,
        pause.attempt,
        pause.prompt,
        pause.opened_at,
        pause.opened_seq,
        pause.state,
        pause.answer,
        pause.closed_at,
        pause.assignment,
    ) and (not pause.is_open or row.deadline == pause.deadline)


def _is_same_mark(row: CheckpointRow, mark: Mark) -> bool:
    """Whether a checkpoint is listed as the journal has it."""
    event = mark.event
    # What a person calls it is in no journal.
    label = event.label if row.relabelled else row.label
    return (row.seq, row.created_at, row.kind, row.block, label, row.metadata, row.summary) == (
        mark.seq,
        mark.at,
        event.kind,
        event.block,
        event.label,
        event.metadata,
        _as_told(row.summary, mark.summary),
    )


def _as_told(said: RunSummary, true: RunSummary) -> RunSummary:
    """Return *true* without what was not counted yet when *said* was written."""
    return true if said.idle_seconds else true.evolve(idle_seconds=0.0)
