"""Questions that are answered together: which ones, which of them are ticked, and what became of each.

Pure: from pauses to groups, and from what is known of each to a row. Everything goes by the id of a pause.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum

from rich.cells import cell_len

from tidegate.errors import AlreadyAnswered, PauseClosed, PauseNotFound, TidegateError
from tidegate.model.answer import Answered
from tidegate.model.fork_events import question_key
from tidegate.model.ids import PauseId
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import describe_value
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.present.pauses import assigned_words
from tidegate.tui.present.places import inner_place
from tidegate.tui.present.shared import who
from tidegate.tui.times import due, past

__all__ = [
    "Fate",
    "Result",
    "Reviewed",
    "asked_key",
    "closed_result",
    "failure",
    "groups_of",
    "review_columns",
    "taken",
]

_NAME = 34
_BLOCK = 18
_PERSON = 14
_SAID = 160


class Fate(Enum):
    """What became of a question."""

    TAKEN = "taken"
    CLOSED = "closed"
    """Somebody else decided it, or nobody in time, or its run went on without: nothing can be sent any more."""
    REFUSED = "refused"
    """It is still open."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a question, and how that is said."""

    fate: Fate
    words: str
    """Safe to draw."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A question on a review, as far as it is known."""

    pause: PauseRow
    workflow: str
    """Of the run at the top, as the inbox names it."""
    run_id: str
    is_ticked: bool = True
    is_hidden: bool = False
    """Whether the filter hides it: it is marked, but nobody has looked at it just now."""
    leads_to: str = ""
    """What the chosen answer leads to, in a few words that are safe to draw."""
    is_handed_on: bool = False
    """Whether somebody has said whose it is since the review opened: that holds it back, once."""
    result: Result | None = None
    is_sending: bool = field(default=False, compare=False)

    @property
    def pause_id(self) -> PauseId:
        """Which question."""
        return self.pause.pause_id

    @property
    def is_open(self) -> bool:
        """Whether an answer can be sent."""
        return self.result is None or self.result.fate is Fate.REFUSED

    def turned(self) -> "Reviewed":
        """Return it ticked if it was not, or the other way round; what is over stays as it is."""
        return replace(self, is_ticked=not self.is_ticked) if self.is_open else self

    def ended(self, result: Result) -> "Reviewed":
        """Return it with what became of it."""
        return replace(self, result=result, is_sending=False)

    def now_as(self, pause: AskedPause) -> "Reviewed":
        """Return it with what somebody has said meanwhile of whose it is."""
        said = pause.assignment
        if said == self.pause.assignment:
            return self
        return replace(self, pause=self.pause.evolve(assignment=said), is_handed_on=True)

    def handed_on(self, now: float) -> str:
        """Return whose it has become meanwhile, safe to draw; empty: nobody has said anything of that."""
        if not self.is_handed_on:
            return ""
        whose = assigned_words(self.pause, now) or "anybody's again"
        return f"meanwhile {whose}"

    def line(self, now: float) -> Line:
        """Return it as a row."""
        sign, tone = self._sign()
        pieces = (
            Piece(sign, tone),
            Piece(who(self.workflow, self.run_id), Tone.STRONG if self.is_ticked else Tone.PLAIN),
            Piece(inner_place(self.pause.path, self.pause.block), Tone.DIM),
            Piece("" if self.pause.deadline is None else due(self.pause.deadline, now)),
            Piece(safe_line(self.pause.assignee, _SAID)),
            self._said(now),
        )
        return Line(self.pause_id, pieces, columns=True)

    def _sign(self) -> tuple[str, Tone]:
        if self.is_sending:
            return "...", Tone.ACCENT
        if self.result is None:
            return ("[x]", Tone.ACCENT) if self.is_ticked else ("[ ]", Tone.DIM)
        return {
            Fate.TAKEN: (" ✓ ", Tone.DONE),
            Fate.CLOSED: (" ⊘ ", Tone.DIM),
            Fate.REFUSED: (" ✗ ", Tone.FAILED),
        }[self.result.fate]

    def _said(self, now: float) -> Piece:
        if self.result is not None:
            tone = {Fate.TAKEN: Tone.DONE, Fate.CLOSED: Tone.WAITING, Fate.REFUSED: Tone.FAILED}
            return Piece(self.result.words, tone[self.result.fate])
        if handed_on := self.handed_on(now):
            return Piece(handed_on, Tone.WAITING)
        parts = []
        if self.is_hidden:
            parts.append("hidden by the filter")
        if shown := len(self.pause.prompt.show):
            parts.append(f"{shown} to look at")
        return Piece(" · ".join(filter(None, [*parts, self.leads_to])), Tone.DIM)


def review_columns(rows: Sequence[Reviewed], room: int, *, is_over: bool) -> tuple[Column, ...]:
    """Return the columns of a review, for rows of *room* cells; once it *is_over* they say what became of each."""
    name = max((len(who(row.workflow, row.run_id)) for row in rows), default=0)
    block = max((len(inner_place(row.pause.path, row.pause.block)) for row in rows), default=0)
    has_due = any(row.pause.deadline is not None for row in rows)
    whose = max((cell_len(safe_line(row.pause.assignee, _SAID)) for row in rows), default=0)
    return (
        Column("", 3),
        Column("RUN", max(3, min(_NAME, name, room // 3))),
        Column("BLOCK", max(5, min(_BLOCK, block)), since=76),
        Column("DUE", 9, is_shown=has_due),
        Column("FOR", max(3, min(_PERSON, whose)), is_shown=bool(whose)),
        Column("WHAT BECAME OF IT" if is_over else "WHAT FOLLOWS"),
    )


def asked_key(pause: AskedPause) -> str:
    """Return what all pauses with the same question have in common, and no others.

    What is laid before the person does not count: that may differ from run to run.
    """
    return question_key(pause.prompt.evolve(show=()))


def groups_of(rows: Iterable[Reviewed]) -> list[list[Reviewed]]:
    """Return the questions that ask the same, in the order in which the first of each stands.

    The same are kind, text, details, and what may be answered by which rule.
    """
    groups: dict[str, list[Reviewed]] = {}
    for row in rows:
        groups.setdefault(asked_key(row.pause), []).append(row)
    return list(groups.values())


# -- what became of it ------------------------------------------------------------------------


def taken(answered: Answered) -> Result:
    """Return that an answer is on disk."""
    again = "had been said before" if answered.repeated else ""
    return Result(Fate.TAKEN, " · ".join(filter(None, ["taken", again])))


def failure(error: TidegateError, now: float) -> Result:
    """Return why an answer was not taken."""
    match error:
        case AlreadyAnswered():
            return Result(Fate.CLOSED, _by(error.by, _when(error.at, now), error.answer))
        case PauseClosed() | PauseNotFound():
            return Result(Fate.CLOSED, f"closed: {safe_line(str(error), _SAID)}")
        case _:
            return Result(Fate.REFUSED, f"refused: {safe_line(str(error), _SAID).rstrip('.')}")


def closed_result(row: AskedPause, now: float) -> Result:
    """Return what became of a question that is open no more."""
    when = "" if row.closed_at is None else past(now - row.closed_at)
    if row.answer is not None and row.state is PauseState.ANSWERED:
        return Result(Fate.CLOSED, _by(row.answer.by, when, describe_value(row.answer.value)))
    if row.state is PauseState.EXPIRED:
        return Result(Fate.CLOSED, f"expired {when}: nobody answered in time")
    return Result(Fate.CLOSED, f"closed {when}: its run went on or ended without an answer")


def _by(by: str, when: str, answer: str) -> str:
    said = safe_line(answer, 60)
    return f"answered by {safe_line(by, 40) or 'somebody'} {when}: {said}".replace("  ", " ")


def _when(at: str, now: float) -> str:
    try:
        return past(now - datetime.fromisoformat(at).timestamp())
    except ValueError:
        return ""
