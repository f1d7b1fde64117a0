"""What lists hold: one row per run, pause and checkpoint, and the filters that choose them.

Rows are what can be shown without folding a journal. A store keeps them; who reads lists, the
monitor included, needs to know no store for that.
"""

from enum import IntEnum
from typing import NewType

from tidegate.model.base import JsonObject, Noun
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import Answer, Assignment, Prompt
from tidegate.model.state import PauseState, RunSummary

__all__ = [
    "Changes",
    "CheckpointFilter",
    "CheckpointRow",
    "Counts",
    "Cursor",
    "Epoch",
    "KeptRun",
    "ListedMark",
    "MarkedRun",
    "OpenPause",
    "OutputChunk",
    "PauseFilter",
    "PauseRow",
    "RunFilter",
    "RunRow",
    "Statistics",
    "Stream",
]

Epoch = NewType("Epoch", int)
"""Which driver of a run this is, counted from 1. A write under an older epoch is refused."""

Cursor = NewType("Cursor", int)
"""A position in the store's stream of changes; only ever compared and passed back."""


class Stream(IntEnum):
    """Where a command wrote."""

    STDOUT = 1
    STDERR = 2


class RunRow(Noun):
    """A run in a list."""

    run_id: RunId
    workflow: str
    definition: str
    """Its hash."""
    created_at: float
    updated_at: float
    """Of the newest event. Seconds since 1970 UTC, as all times here."""
    head: Seq
    summary: RunSummary
    by: str = ""
    epoch: Epoch = Epoch(0)
    """0: never driven."""
    owner: str = ""
    """Who holds the lease, or held it last; empty when it was given back."""
    lease_until: float = 0.0
    """0: given back."""
    parent: RunId | None = None
    """The run that started it, if one did."""
    root: RunId | None = None
    """The run at the top of those; None for a run that nobody's block started."""
    path: str = ""
    """The places from the root down to the block that started it, joined by `/`; empty for a root."""
    origin: Origin | None = None
    """The point of another run that it goes on from, if it is a fork."""
    damage: str = ""
    """Why nothing but its name can be relied on here; empty when all is well. Its journal may be sound."""


class PauseRow(Noun):
    """A pause in a list."""

    pause_id: PauseId
    run_id: RunId
    workflow: str
    block: BlockId
    attempt: int
    prompt: Prompt
    opened_at: float
    opened_seq: Seq
    deadline: float | None = None
    state: PauseState = PauseState.OPEN
    closed_at: float | None = None
    answer: Answer | None = None
    root: RunId | None = None
    """As of its run."""
    path: str = ""
    """As of its run: where *block* stands, seen from the root."""
    assignment: Assignment | None = None
    """What a person has said of whose business it is."""
    because: str = ""
    """Of a closed one, why nobody may answer it any more. Lists do not say it: it stands in its run's journal."""

    @property
    def assignee(self) -> str:
        """Whose business it is; empty: anybody's."""
        return self.prompt.assignee if self.assignment is None else self.assignment.to


class CheckpointRow(Noun):
    """A checkpoint in a list. The state itself is the fold of the run's journal up to `seq`."""

    checkpoint_id: CheckpointId
    run_id: RunId
    workflow: str
    seq: Seq
    kind: CheckpointKind
    created_at: float
    summary: RunSummary
    """Of the run at that position."""
    block: BlockId | None = None
    label: str = ""
    metadata: JsonObject = {}
    pause_open: bool = False
    """For the checkpoint of a pause: whether it is still open now."""
    pause_text: str = ""
    """For the checkpoint of a pause: what it asks."""
    pinned: bool = False
    """Whether somebody wants it kept, with its run, whatever its age."""
    relabelled: bool = False
    """Whether a person gave it its label; its journal has another one, or none."""
    placed: bool = False
    """Whether a person placed it, at any point; its journal knows nothing of it."""


class ListedMark(Noun):
    """A checkpoint on a run's list, with what its journal does not say of it."""

    checkpoint_id: CheckpointId
    seq: Seq
    created_at: float
    label: str = ""
    """What a person has called it, if a person has."""
    metadata: JsonObject = {}
    """Of one that a person has placed."""
    pinned: bool = False
    relabelled: bool = False
    """Whether *label* is a person's."""
    placed: bool = False
    """Whether a person has placed it: its journal has no event of it."""


class KeptRun(Noun):
    """A run on top, with what decides how long it is kept. What is said of a time is of the whole tree."""

    run_id: RunId
    workflow: str
    definition: str
    """Its hash."""
    status: RunStatus
    """As journalled."""
    created_at: float
    ended_at: float
    """When something of it, or below it, has moved last."""
    runs: int = 1
    """How many there are, itself and those below it."""
    unfinished: bool = False
    """Whether it, or one below it, has not ended."""
    pinned: bool = False
    """Whether a checkpoint of it, or of one below it, is pinned."""
    forks: tuple[RunId, ...] = ()
    """Other runs on top that go on from a point of it, or of one below it; or one below them does. Each once."""


class MarkedRun(Noun):
    """A run, on top or below, with checkpoints that may be taken off the list."""

    run_id: RunId
    definition: str
    """Its hash."""
    marks: int


class OpenPause(Noun):
    """A pause that waits for an answer: as much of it as says whom it calls, and when."""

    pause_id: PauseId
    deadline: float | None = None
    assignee: str = ""
    """Whose business it is; empty: anybody's."""


class Counts(Noun):
    """How much there is of what a person looks for first."""

    pauses: tuple[OpenPause, ...] = ()
    """Those that are open, of all runs, nested ones included; in no order."""
    runs: dict[str, int] = {}
    """Of those that nobody's block started, by status, as journalled; a status that none has is left out."""

    @property
    def open_pauses(self) -> int:
        """How many pauses are open."""
        return len(self.pauses)


class OutputChunk(Noun):
    """Some bytes that a block wrote."""

    n: int
    """Orders the chunks of one attempt over both streams, from 0; gaps mean dropped chunks."""
    stream: Stream
    offset: int
    """How many bytes the stream had written before these, dropped ones included."""
    data: bytes
    at: float = 0.0
    """When the first of them came, to about a tenth of a second; 0: that was not noted."""
    damage: str = ""
    """Why they are not what was written; then there are none. Empty: nothing is known to be wrong."""
    is_unverified: bool = False
    """Whether nothing tells if they are what was written: they are from before there were checksums."""

    @property
    def notice(self) -> str:
        """What stands in the place of damaged bytes, for people; empty: they are not damaged."""
        return f"… a part of this is damaged, and left out: {self.damage} …" if self.damage else ""


class RunFilter(Noun):
    """Which runs to list; everything given must hold."""

    workflow: str | None = None
    statuses: tuple[RunStatus, ...] = ()
    """As journalled. Whether a `running` one still has a living owner is the reader's business."""
    ids: tuple[RunId, ...] = ()
    parent: RunId | None = None
    """Only the runs that this one's blocks started."""
    root: RunId | None = None
    """Only this run, which stands on top, and everything below it."""
    origin: RunId | None = None
    """Only the runs that go on from a point of this one."""
    top_only: bool = False
    """Only runs that nobody's block started."""
    left_only: bool = False
    """Only runs that somebody drives or drove last, and those that are queued or running: no other was left behind."""
    last_changed_first: bool = False
    """Whether the run that changed last comes first, whenever it was created; such a list has no pages."""
    limit: int = 200
    before: float | None = None
    """Created before this instant."""
    older_than: RunId | None = None
    """Only runs that stand below this one in the list: the next page follows the last row of this one.
    Unlike `before`, it loses none of several runs that were created in the same instant."""


class PauseFilter(Noun):
    """Which pauses to list; everything given must hold."""

    run_id: RunId | None = None
    root: RunId | None = None
    """Only those of this run, which stands on top, and of everything below it."""
    workflow: str | None = None
    """Only those of its runs."""
    block: BlockId | None = None
    """Only those that this block asked, or a part of it."""
    open_only: bool = True
    due_by: float | None = None
    """Only those with a deadline at or before this instant."""
    closed_since: float | None = None
    """Only those that were closed at or after this instant, and the one that was closed last comes first."""
    behind: PauseId | None = None
    """Only those that stand behind this one in the list: the next page follows the last row of this one."""
    limit: int = 5_000


class CheckpointFilter(Noun):
    """Which checkpoints to list, newest first; everything given must hold."""

    run_id: RunId | None = None
    workflow: str | None = None
    kinds: tuple[CheckpointKind, ...] = ()
    open_pauses_only: bool = False
    block: BlockId | None = None
    """Only those that were marked at this block, or at a part of it."""
    statuses: tuple[RunStatus, ...] = ()
    """Of the run at the checkpoint, not of the run now."""
    since: float | None = None
    """Marked at or after this instant."""
    before: float | None = None
    """Marked before this instant."""
    older_than: CheckpointId | None = None
    """Only those that stand below this one in the list: the next page follows the last row of this one."""
    limit: int = 500


class Changes(Noun):
    """What happened in the store since a cursor."""

    cursor: Cursor
    runs: tuple[RunRow, ...] = ()
    """Each run that changed, once, as it is now; in the order of their last change."""
    gone: tuple[RunId, ...] = ()
    """Runs that were removed, those below others included."""


class Statistics(Noun):
    """How much a store holds."""

    schema: int
    """Which version of it."""
    bytes: int
    """All that it takes, what is free in it included; a log beside it is not counted."""
    free_bytes: int
    """What removed runs have left and new ones will fill, or what will be given back."""
    runs: int
    """Those below others included."""
    events: int
    pauses: int
    checkpoints: int
    pinned: int
    definitions: int
    values: int
    value_bytes: int
    """As kept: compressed."""
    output_bytes: int
    """As kept: compressed."""
    removing: int = 0
    """Removed runs of which something is left."""
    cleaned_up_at: float | None = None
    """When somebody cleaned up last; None: never."""
