"""A run as one portable file: what stands in it, and what tells that it is as it was written.

The file is one JSON document. A run comes with every run below it, their definitions, values and output, and
nothing that is needed to read it is anywhere else. The journal of a fork is in it whole, with the events of
the run that it goes on from.

The same document may be in three files, each a part of it: `state.json` (definitions and events),
`metadata.json` (what it is, and its checkpoints) and `values.json` (values and output).
"""

import hashlib

import msgspec

from tidegate.errors import InputsError, TidegateError
from tidegate.model.base import Noun
from tidegate.model.events import JournalEvent, Record
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.listing import Epoch, ListedMark, OutputChunk, Stream
from tidegate.model.workflow import WorkflowDefinition

__all__ = [
    "FORMAT",
    "PARTS",
    "VERSION",
    "BadExport",
    "Chain",
    "Digest",
    "Document",
    "Header",
    "NotExportable",
    "PortableChunk",
    "PortableDefinition",
    "PortableEvent",
    "PortableMarks",
    "PortableOutput",
    "PortableRun",
    "PortableValue",
]

FORMAT = "tidegate-run"
VERSION = 1
PARTS = ("metadata.json", "state.json", "values.json")
"""Names of the files of the three-part form."""
_SIZE = 16
"""Bytes of a digest."""


class BadExport(InputsError):
    """A file is not the export of a run as it was written, or not one that can be imported here."""

    def __init__(self, file: str, problem: str, place: str = "") -> None:
        """Name it.

        Args:
            file: Which file.
            problem: What is wrong with it, as a sentence.
            place: Where in it, as a path: `runs[0].events[3]`.
        """
        super().__init__(file, (problem,))
        self.file = file
        self.place = place
        self.args = (f"{file}: {f'{place}: ' if place else ''}{problem}. Nothing was imported",)


class NotExportable(TidegateError):
    """A run cannot be exported as it was asked for."""


class Header(Noun):
    """What a file is, before anything else of it is understood."""

    format: str = ""
    version: int = 0


class PortableDefinition(Noun):
    """What runs are pinned to."""

    hash: str
    source: str = ""
    """The text of the workflow's file, for people; it is never run."""
    definition: WorkflowDefinition


class PortableEvent(Noun):
    """One event of a journal."""

    seq: Seq
    at: float
    """Seconds since 1970 UTC."""
    event: JournalEvent


class PortableRun(Noun):
    """One run, from its first event to the point up to which it was exported."""

    run_id: RunId
    definition: str
    """Its hash."""
    epoch: Epoch = Epoch(1)
    """The highest one that it was driven under."""
    origin: Origin | None = None
    """The point of another run that it was forked from: its events are all here."""
    events: tuple[PortableEvent, ...] = ()
    chain: str = ""
    """Over the events, in hex."""

    def records(self) -> tuple[Record, ...]:
        """Return its events in their places."""
        return tuple(Record(run_id=self.run_id, seq=it.seq, at=it.at, event=it.event) for it in self.events)


class PortableMarks(Noun):
    """The list of a run's checkpoints."""

    run_id: RunId
    marks: tuple[ListedMark, ...] = ()


class PortableValue(Noun):
    """One stored value, once for all who use it."""

    sha256: str
    text: str
    """Its JSON."""


class PortableChunk(Noun):
    """Some of what an attempt wrote."""

    n: int
    stream: Stream
    offset: int
    text: str = ""
    base64: bytes = b""
    """Instead of the text, where it is no UTF-8."""
    at: float = 0.0
    """When it came, in seconds since 1970; 0: that was not noted."""

    @property
    def chunk(self) -> OutputChunk:
        """What it is in a store."""
        data = self.base64 or self.text.encode()
        return OutputChunk(n=self.n, stream=self.stream, offset=self.offset, data=data, at=self.at)

    @classmethod
    def of(cls, chunk: OutputChunk) -> "PortableChunk":
        """Return a chunk of a store as it stands in the file."""
        try:
            text, rest = chunk.data.decode(), b""
        except UnicodeDecodeError:
            text, rest = "", chunk.data
        return cls(n=chunk.n, stream=chunk.stream, offset=chunk.offset, text=text, base64=rest, at=chunk.at)


class PortableOutput(Noun):
    """What one attempt wrote."""

    run_id: RunId
    block: BlockId
    attempt: int
    chunks: tuple[PortableChunk, ...] = ()


class Document(Noun):
    """The whole file, or one of its three parts: what is in another part is empty then."""

    format: str
    version: int
    tidegate: str = ""
    """The version of the program that wrote it."""
    exported_at: str = ""
    """ISO 8601, UTC; for people."""
    run_id: RunId = RunId("")
    """The run on top."""
    seq: Seq = Seq(0)
    """Its newest event in here."""
    workflow: str = ""
    status: str = ""
    """As of that event; for people."""
    definitions: tuple[PortableDefinition, ...] = ()
    runs: tuple[PortableRun, ...] = ()
    """The one on top first, and each before those that its blocks started."""
    checkpoints: tuple[PortableMarks, ...] = ()
    values: tuple[PortableValue, ...] = ()
    output: tuple[PortableOutput, ...] = ()
    digest: str = ""
    """Over all of it, in hex."""


class Chain:
    """A hash over the events of one run, in their order."""

    def __init__(self, run_id: RunId) -> None:
        self._link = _hash(run_id.encode())

    def add(self, event: PortableEvent) -> None:
        """Go on by one event."""
        # By what it says, not by its bytes: a file that was formatted anew is still the same.
        self._link = _hash(self._link + msgspec.json.encode(event))

    def __str__(self) -> str:
        return self._link.hex()


class Digest:
    """A hash over all of a document, section by section, in whatever order those are met."""

    def __init__(self) -> None:
        self._sections = dict.fromkeys(("definitions", "runs", "checkpoints", "values", "output"), b"")

    def add_definition(self, it: PortableDefinition) -> None:
        """Go on by a definition."""
        self._add("definitions", [it.hash, it.source])

    def add_run(self, run: PortableRun, chain: str) -> None:
        """Go on by a run; its events are in its chain."""
        self._add("runs", [run.run_id, run.definition, run.epoch, run.origin, chain])

    def add_marks(self, marks: PortableMarks) -> None:
        """Go on by a run's list of checkpoints."""
        self._add("checkpoints", marks)

    def add_value(self, sha256: str) -> None:
        """Go on by a value."""
        self._add("values", sha256)

    def add_output(self, output: PortableOutput) -> None:
        """Go on by what an attempt wrote."""
        self._add("output", output)

    def _add(self, section: str, said: object) -> None:
        self._sections[section] = _hash(self._sections[section] + msgspec.json.encode(said))

    def of(self, document: Document) -> str:
        """Return it, in hex, for a document of which everything was added."""
        header = [document.run_id, document.seq, document.workflow, document.status, document.exported_at]
        return _hash(msgspec.json.encode(header) + b"".join(self._sections.values())).hex()


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_SIZE).digest()
