"""What happened, newest first: runs that began, ended and were removed, what people answered, and what was said here."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tidegate.clock import iso
from tidegate.history.views import RunView
from tidegate.model.base import JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import describe_value
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.looks.symbols import Sign, run_sign
from tidegate.tui.nouns.note import Note
from tidegate.tui.present.outcome import outcome_sign
from tidegate.tui.present.places import place_words
from tidegate.tui.present.shared import LONG, fact, prose, short_id, who
from tidegate.tui.times import ago, clock_time, past

__all__ = ["ACTIVITY_COLUMNS", "Happening", "happening_line", "happening_preview", "happenings"]

ACTIVITY_COLUMNS = (
    Column("AGO", width=6, since=46),
    Column("WHAT", width=14),
    Column("WORKFLOW", weight=2),
    Column("RUN", width=6, since=50),
    Column("BY", width=8, since=60),
    Column("DETAILS", weight=3),
)
_ENDED = {
    RunStatus.SUCCEEDED,
    RunStatus.FAILED,
    RunStatus.REJECTED,
    RunStatus.CANCELLED,
    RunStatus.INTERRUPTED,
}
_STARTED, _FORKED = Sign("○", "started", Tone.PLAIN), Sign("○", "forked", Tone.PLAIN)
_SAID = Sign("·", "note", Tone.DIM)
_NAMED = 40
"""Removed runs that are named beside their row."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened."""

    key: str
    at: float
    sign: Sign
    workflow: str = ""
    run_id: RunId | None = None
    """None: it is about no run."""
    block: BlockId | None = None
    by: str = ""
    details: str = ""
    root: RunId | None = None
    """The run at the top of those that its run is a part of; None: its run stands on top itself."""
    path: str = ""
    """As of its run: the places from that one down to it."""
    of: str = ""
    """The workflow of the run at the top, where that is known."""
    gone: tuple[RunId, ...] = ()
    """The runs that were removed by it, the newest removal first; those below them are not named."""

    @property
    def run(self) -> str:
        """Its run as lists name it; empty if there is none."""
        return who(self.workflow, self.run_id) if self.run_id is not None else ""

    def as_json(self) -> JsonObject:
        """Return it as a document, for an export."""
        return {
            "at": self.at,
            "at_iso": iso(self.at),
            "what": self.sign.word,
            "workflow": self.workflow or None,
            "run_id": self.run_id,
            "root_run_id": self.root,
            "path": self.path or None,
            "block": self.block,
            "by": self.by or None,
            "details": self.details,
            "removed_run_ids": list(self.gone),
        }

    @property
    def above(self) -> str:
        """The run at the top as lists name it, and the way down from there; empty for one that stands on top."""
        if self.root is None:
            return ""
        top = who(self.of, self.root) if self.of else short_id(self.root)
        return f"{top} / {place_words(self.path, '')}".removesuffix(" / ")


def happenings(
    runs: Iterable[RunView],
    closed: Iterable[PauseRow],
    acts: Iterable[Happening],
    notes: Iterable[Note],
    *,
    limit: int,
) -> list[Happening]:
    """Return what happened, newest first.

    Args:
        runs: Those that nobody's block started, the newest.
        closed: Questions that are closed.
        acts: What else people did, runs that were removed included.
        notes: What this monitor said.
        limit: How much of it at most.
    """
    known = {run.row.run_id: run for run in runs}
    everything = [
        *(happening for run in known.values() for happening in _of_run(run)),
        *map(_of_pause, closed),
        *acts,
        *map(_of_note, notes),
    ]
    newest = sorted(everything, key=lambda happening: -happening.at)[:limit]
    return [
        replace(happening, of=known[happening.root].row.workflow) if happening.root in known else happening
        for happening in newest
    ]


def _of_run(run: RunView) -> Iterator[Happening]:
    row, summary = run.row, run.row.summary
    if row.damage:
        return
    came = "" if row.origin is None else f"goes on from {row.origin.run_id} at {row.origin.seq}"
    sign = _STARTED if row.origin is None else _FORKED
    yield Happening(
        f"start:{row.run_id}", row.created_at, sign, row.workflow, row.run_id, by=row.by, details=came
    )
    if run.status in _ENDED:
        why = summary.reason if run.status is not RunStatus.SUCCEEDED else ""
        key = f"end:{row.run_id}:{run.status}"
        yield Happening(key, row.updated_at, run_sign(run.status), row.workflow, row.run_id, details=why)


def _of_pause(row: PauseRow) -> Happening:
    question = row.prompt.text.partition("\n")[0]
    by, details = "", question
    if row.answer is not None:
        comment = f' "{row.answer.comment}"' if row.answer.comment else ""
        details = f"{describe_value(row.answer.value)}{comment} ({row.answer.via}) to: {question}"
        by = row.answer.by
    return Happening(
        f"pause:{row.pause_id}",
        row.closed_at or row.opened_at,
        outcome_sign(row),
        row.workflow,
        row.run_id,
        row.block,
        by,
        details,
        row.root,
        row.path,
    )


def _of_note(note: Note) -> Happening:
    sign = Sign(_SAID.symbol, "note", note.tone)
    return Happening(f"note:{note.number}", note.at, sign, details=note.text)


def happening_line(happening: Happening, now: float) -> Line:
    """Return one of them as a row."""
    pieces = (
        Piece(ago(now - happening.at), Tone.DIM),
        happening.sign.piece,
        Piece(safe_line(happening.workflow, LONG), Tone.STRONG),
        Piece(short_id(happening.run_id) if happening.run_id is not None else ""),
        Piece(safe_line(happening.by, 40)),
        Piece(safe_line(_details(happening), LONG), Tone.PLAIN),
    )
    return Line(happening.key, pieces, columns=True)


def _details(happening: Happening) -> str:
    """Return its details; of a run that is a part of another one, where in that it is comes first."""
    if happening.root is None:
        return happening.details
    where = place_words(happening.path, "").removesuffix(" / ")
    return f"{where}: {happening.details}" if happening.details else where


def happening_preview(happening: Happening, now: float) -> Sequence[Line]:
    """Return all that is known of one of them; first what the row has no room for."""
    when = f" {past(now - happening.at)} · {clock_time(happening.at, now)}"
    head = Line("what", (happening.sign.piece, Piece(when, Tone.DIM)), selectable=False)
    told = prose(happening.details, key="details") if happening.details else []
    facts = (
        ("by", happening.by),
        ("block", happening.block or ""),
        ("part of", happening.above),
        ("run", happening.run_id or ""),
        ("workflow", happening.workflow),
    )
    known = [fact(name, value) for name, value in facts if value]
    return [head, *told, text_line("", key="gap"), *known, *_gone(happening)]


def _gone(happening: Happening) -> Sequence[Line]:
    """Return which runs are gone, where they are many."""
    if not happening.gone:
        return ()
    it = "it" if len(happening.gone) == 1 else "them"
    left = text_line(f"Nothing is left of {it}.", Tone.DIM, key="nothing left")
    if happening.run_id is not None:
        return (text_line("", key="gap below"), left)
    ids = [text_line(f"  {safe_line(run_id)}", key=run_id) for run_id in happening.gone[:_NAMED]]
    more = len(happening.gone) - _NAMED
    rest = [text_line(f"  … {more:,} more", Tone.DIM, key="more gone")] if more > 0 else []
    return (text_line("", key="gap below"), left, *ids, *rest)
