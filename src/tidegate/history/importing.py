"""Reading the export of a run, and making sure of all of it before anything is written.

A file may come from anywhere. Nothing in it is run, and nothing is believed: every event must decode and
follow from those before it, every hash be that of what it names, every id be one that a store may take.
What is wrong is said with its place.
"""

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec

from tidegate.history.portable import (
    FORMAT,
    VERSION,
    BadExport,
    Chain,
    Digest,
    Document,
    Header,
    PortableOutput,
    PortableRun,
)
from tidegate.history.walk import Walked
from tidegate.model.base import fields_of
from tidegate.model.codec import NotJson, plain
from tidegate.model.events import (
    AttemptStarted,
    BlockPaused,
    CheckpointMarked,
    ChildStarted,
    JournalEvent,
    Parent,
    RunForked,
    RunStarted,
)
from tidegate.model.ids import BlockId, RunId
from tidegate.model.lineage import Origin
from tidegate.model.state import RunState
from tidegate.model.value import Inline, stored_in
from tidegate.model.workflow import WorkflowDefinition, definition_hash

__all__ = ["Parcel", "unpack"]

_RUN_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
_MARK_ID = re.compile(r"(chk|pause)_[0-9A-Za-z-]{1,64}")
_MOST_NUMBER = 1 << 31
_MOST_TIME = 1e11
"""Seconds since 1970: dates beyond have no name."""
_MOST_ATTEMPTS = 1_000_000


@dataclass(slots=True)
class Parcel:
    """What a file holds, made sure of."""

    document: Document
    definitions: Mapping[str, tuple[WorkflowDefinition, str]]
    """With the text of its file, by hash."""
    values: Mapping[str, bytes]
    states: dict[RunId, RunState] = field(default_factory=dict)
    """Of each run at its newest event in the file."""


def unpack(texts: Mapping[str, bytes]) -> Parcel:
    """Return what an export holds.

    Args:
        texts: Of its file, or of its three files, by name.

    Raises:
        BadExport: it is not as it was written, or is none.
    """
    parts = [_decoded(name, text) for name, text in texts.items()]
    whole = parts[0]
    for part in parts[1:]:
        if (part.run_id, part.seq, part.exported_at) != (whole.run_id, whole.seq, whole.exported_at):
            raise BadExport(" and ".join(texts), "these are parts of different exports")
        has = {name: value for name, value in fields_of(part) if name in _SECTIONS and value}
        whole = whole.evolve(**has)
    return _Unpacking(next(iter(texts)), whole).parcel()


def _with_lineage(run: PortableRun) -> PortableRun:
    """Return a run whose journal says what it was forked from: in files of before, only the run beside it does."""
    origin = run.origin
    at = len(run.events) if origin is None else int(origin.seq)
    first = run.events[at].event if at < len(run.events) else None
    if not isinstance(first, RunForked) or first.former is not None or first.origin.run_id != run.run_id:
        return run
    told = run.events[at].evolve(event=first.evolve(former=origin))
    return run.evolve(events=(*run.events[:at], told, *run.events[at + 1 :]))


_SECTIONS = ("definitions", "runs", "checkpoints", "values", "output", "digest")


def _decoded(name: str, text: bytes) -> Document:
    header = _decode(name, text.removeprefix(b"\xef\xbb\xbf"), Header)
    if header.format != FORMAT:
        raise BadExport(name, f"it is no export of a run: its format is not '{FORMAT}'")
    if not 1 <= header.version <= VERSION:
        problem = f"it is of version {header.version}, and this Tidegate knows 1 to {VERSION}"
        raise BadExport(name, problem)
    return _decode(name, text.removeprefix(b"\xef\xbb\xbf"), Document)


def _decode(name: str, text: bytes, kind: type) -> Document:
    try:
        decoded: Document = msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `")
        raise BadExport(name, problem, place.removeprefix("$").rstrip("`").removeprefix(".")) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadExport(name, f"it is no JSON: {error}") from error
    except RecursionError as error:
        raise BadExport(name, "lists and mappings in it are nested too deep") from error
    return decoded


class _Unpacking:
    """One document, being looked at."""

    def __init__(self, file: str, document: Document) -> None:
        self._file = file
        self._document = document
        self._digest = Digest()
        self._ids: dict[str, str] = {}
        """Ids of questions and of checkpoints' events, each kind for itself, and where they are."""
        self._attempts: set[tuple[RunId, BlockId, int]] = set()
        self._children: set[tuple[RunId, RunId]] = set()
        """Each run that was looked at, with every run that its blocks started."""

    def parcel(self) -> Parcel:
        """Look at everything, from the outside in."""
        document = self._document
        parcel = Parcel(document, self._definitions(), self._values())
        self._check_header()
        for number, run in enumerate(document.runs):
            with self._placed(f"runs[{number}]"):
                self._check_above(run, parcel)
                parcel.states[run.run_id] = self._walk(run, number, parcel)
        self._check_marks(parcel)
        self._check_output()
        if document.digest != self._digest.of(document):
            raise self._bad("it was changed since it was written, or something of it is missing", "digest")
        parcel.document = document.evolve(runs=tuple(map(_with_lineage, document.runs)))
        return parcel

    def _bad(self, problem: str, place: str = "") -> BadExport:
        return BadExport(self._file, problem, place)

    @contextmanager
    def _placed(self, place: str) -> Iterator[None]:
        """Give whatever breaks in here a place: of what does not fit nobody knows how it will show."""
        try:
            yield
        except BadExport:
            raise
        except NotJson as error:
            raise self._bad(error.problem, f"{place}.{error.path}") from error
        except Exception as error:
            raise self._bad(f"it does not fit ({type(error).__name__}: {error})", place) from error

    def _check_header(self) -> None:
        document = self._document
        if not document.runs:
            raise self._bad("there is no run in it", "runs")
        top = document.runs[0]
        if document.run_id != top.run_id:
            raise self._bad(f"it is said to be run {document.run_id}, and begins with another one", "run_id")
        if not top.events or document.seq != top.events[-1].seq:
            raise self._bad(f"its newest event is not {document.seq}", "seq")

    def _definitions(self) -> dict[str, tuple[WorkflowDefinition, str]]:
        found = {}
        for number, it in enumerate(self._document.definitions):
            with self._placed(f"definitions[{number}]"):
                if definition_hash(it.definition) != it.hash:
                    raise self._bad("it is not what its hash says", f"definitions[{number}]")
            self._digest.add_definition(it)
            found[it.hash] = (it.definition, it.source)
        return found

    def _values(self) -> dict[str, bytes]:
        found = {}
        for number, value in enumerate(self._document.values):
            place, data = f"values[{number}]", value.text.encode()
            if hashlib.sha256(data).hexdigest() != value.sha256:
                raise self._bad("it is not what its hash says", place)
            with self._placed(place):
                plain(msgspec.json.decode(data), "text")
            self._digest.add_value(value.sha256)
            found[value.sha256] = data
        return found

    # -- runs ---------------------------------------------------------------------------------

    def _check_above(self, run: PortableRun, parcel: Parcel) -> None:
        """Check that a run is named as a store names runs, and stands below one that came before it."""
        if not _RUN_ID.fullmatch(run.run_id):
            raise self._bad(f"{run.run_id[:80]!a} is no id of a run", self._run_place(run))
        if run.run_id in parcel.states:
            raise self._bad(f"run {run.run_id} is in it twice", self._run_place(run))
        first = run.events[0].event if run.events else None
        if not isinstance(first, RunStarted):
            raise self._bad(f"run {run.run_id} does not begin with its start", self._run_place(run))
        above, top = first.parent, self._document.run_id
        if (above is None) is not (run.run_id == top):
            raise self._bad("only the first run stands on top, and all others below it", self._run_place(run))
        if above is not None and not self._is_below(run, above):
            raise self._bad(f"run {run.run_id} is not below a run that is in it", self._run_place(run))

    def _is_below(self, run: PortableRun, above: Parent) -> bool:
        return above.root == self._document.run_id and (above.run_id, run.run_id) in self._children

    def _run_place(self, run: PortableRun) -> str:
        return f"runs[{self._document.runs.index(run)}]"

    def _walk(self, run: PortableRun, number: int, parcel: Parcel) -> RunState:
        """Fold every event of a run; return its state."""
        if run.definition not in parcel.definitions:
            raise self._bad("the definition that it is pinned to is not there", f"runs[{number}].definition")
        self._check_number("epoch", run.epoch, f"runs[{number}].epoch")
        if run.origin is not None:
            self._check_origin(run.origin, f"runs[{number}].origin")
        walked, chain = Walked(run.run_id), Chain(run.run_id)
        walked.begin(parcel.definitions[run.definition][0])
        for index, (it, record) in enumerate(zip(run.events, run.records(), strict=True)):
            place = f"runs[{number}].events[{index}]"
            if it.seq != index + 1:
                raise self._bad(f"it is event {it.seq}, where event {index + 1} should be", place)
            with self._placed(place):
                self._check_event(it.event, it.at, place, parcel)
                if problem := walked.take(record):
                    raise self._bad(problem, place)
                chain.add(it)
                self._note(run.run_id, it.event)
        if str(chain) != run.chain:
            raise self._bad("its events are not those that were exported", f"runs[{number}].chain")
        self._digest.add_run(run.evolve(events=(), chain=""), run.chain)
        if walked.state is None or walked.definition != run.definition:
            raise self._bad("its first event names another definition", f"runs[{number}].events[0]")
        return walked.state

    def _note(self, run_id: RunId, event: JournalEvent) -> None:
        if isinstance(event, AttemptStarted):
            self._attempts.add((run_id, event.block, event.attempt))
        elif isinstance(event, ChildStarted):
            self._children.add((run_id, event.child))

    def _check_event(self, event: JournalEvent, at: float, place: str, parcel: Parcel) -> None:
        if isinstance(event, RunStarted) and not place.endswith("events[0]"):
            raise self._bad("a run starts once", place)
        for name, value in [("at", at), *fields_of(event)]:
            self._check_field(name, value, f"{place}.{name}" if name == "at" else f"{place}.event.{name}")
        for value in stored_in(event):
            if len(parcel.values.get(value.sha256, b"")) != value.size:
                raise self._bad(f"the value {value.sha256} is not there, or of another size", place)
        if isinstance(event, BlockPaused | CheckpointMarked):
            self._take_id(event, place)
        elif isinstance(event, RunForked):
            self._check_origin(event.forked_from, place)

    def _check_origin(self, origin: Origin, place: str) -> None:
        if not _RUN_ID.fullmatch(origin.run_id) or not 1 <= origin.seq < _MOST_NUMBER:
            raise self._bad("it is forked from no point that can be", place)

    def _check_field(self, name: str, value: object, place: str) -> None:
        match value:
            case int() | float():
                self._check_number(name, value, place)
            case Inline(value=inline):
                plain(inline, name)
            # What JSON says holds neither: there a list is one.
            case dict() if not any(isinstance(item, msgspec.Struct | tuple) for item in value.values()):
                plain(value, name)
            case dict():
                for key, item in value.items():
                    self._check_field(name, item, f"{place}.{key}")
            case tuple():
                for index, item in enumerate(value):
                    self._check_field(name, item, f"{place}[{index}]")
            case _:
                pass

    def _check_number(self, name: str, value: float, place: str) -> None:
        least, most = (-_MOST_TIME, _MOST_TIME) if type(value) is float else (0.0, float(_MOST_NUMBER))
        if name == "attempt":
            most = _MOST_ATTEMPTS
        if not (math.isfinite(value) and least <= value < most):
            raise self._bad("that is no number that can be", place)

    def _take_id(self, event: BlockPaused | CheckpointMarked, place: str) -> None:
        """Take note of an id: a store takes each once."""
        is_pause = isinstance(event, BlockPaused)
        name = event.pause_id if isinstance(event, BlockPaused) else event.checkpoint_id
        if not _MARK_ID.fullmatch(name) or (is_pause and not name.startswith("pause_")):
            raise self._bad(f"{name[:80]!a} is no id of a {'question' if is_pause else 'checkpoint'}", place)
        kind = f"{'pause' if is_pause else 'checkpoint'} {name}"
        if kind in self._ids:
            raise self._bad(f"{kind} is in it twice, also at {self._ids[kind]}", place)
        self._ids[kind] = place

    # -- what is beside them ------------------------------------------------------------------

    def _check_marks(self, parcel: Parcel) -> None:
        listed: set[str] = set()
        for number, of_run in enumerate(self._document.checkpoints):
            state = parcel.states.get(of_run.run_id)
            if state is None or of_run.run_id in listed:
                raise self._bad("it is of no run that is in here", f"checkpoints[{number}]")
            listed.add(of_run.run_id)
            self._digest.add_marks(of_run)
            for index, mark in enumerate(of_run.marks):
                place = f"checkpoints[{number}].marks[{index}]"
                if not _MARK_ID.fullmatch(mark.checkpoint_id) or not 1 <= mark.seq <= state.head:
                    raise self._bad("it is no checkpoint of that run", place)
                if mark.placed is (f"checkpoint {mark.checkpoint_id}" in self._ids):
                    raise self._bad(f"checkpoint {mark.checkpoint_id} is not where it is said to be", place)
                if mark.placed:
                    self._ids[f"checkpoint {mark.checkpoint_id}"] = place
                self._check_field("at", mark.created_at, place)
                with self._placed(place):
                    plain(mark.metadata, "metadata")

    def _check_output(self) -> None:
        ends: dict[tuple[RunId, BlockId, int], tuple[int, dict[int, int]]] = {}
        for number, output in enumerate(self._document.output):
            place = f"output[{number}]"
            where = (output.run_id, output.block, output.attempt)
            if where not in self._attempts:
                raise self._bad("it is of no attempt that is in here", place)
            ends[where] = self._check_chunks(output, ends.get(where, (-1, {})), place)
            self._digest.add_output(output)

    def _check_chunks(
        self, output: PortableOutput, end: tuple[int, dict[int, int]], place: str
    ) -> tuple[int, dict[int, int]]:
        last, offsets = end
        for index, it in enumerate(output.chunks):
            chunk = it.chunk
            is_next = last < chunk.n < _MOST_NUMBER
            if not is_next or not offsets.get(chunk.stream, 0) <= chunk.offset < _MOST_TIME:
                raise self._bad("it is out of place", f"{place}.chunks[{index}]")
            last, offsets[chunk.stream] = chunk.n, chunk.offset + len(chunk.data)
        return last, offsets
