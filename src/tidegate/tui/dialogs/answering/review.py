"""The list of a review: several pauses with the same question, which of them are ticked, and what became of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Key as Pressed
from textual.events import Resize

from tidegate.clock import Clock
from tidegate.model.ids import PauseId
from tidegate.model.prompt import Prompt
from tidegate.tui.dialogs.answering.answering import AnsweringDialog
from tidegate.tui.dialogs.answering.reviewed import Fate, Reviewed, review_columns
from tidegate.tui.dialogs.bodies.body import ArmedBody
from tidegate.tui.dialogs.bodies.by_prompt import body_of
from tidegate.tui.dialogs.frame.base import Key
from tidegate.tui.dialogs.frame.certainty import CertaintyField
from tidegate.tui.dialogs.frame.comment import CommentField
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.parts import GatedButton
from tidegate.tui.dialogs.frame.prompt_text import Asked
from tidegate.tui.dialogs.frame.words import due_words, urgency
from tidegate.tui.present.shared import counted
from tidegate.tui.rows import Rows
from tidegate.tui.widgets.line_list import LineList

__all__ = ["BulkOutcome", "ReviewDialog"]

_SAMPLE = 100
"""Rows that say how wide the columns are."""


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """How a review ended."""

    rows: tuple[Reviewed, ...]
    was_sent: bool

    def of(self, fate: Fate) -> tuple[PauseId, ...]:
        """Return which questions had that fate."""
        return tuple(row.pause_id for row in self.rows if row.result is not None and row.result.fate is fate)


class ReviewDialog(AnsweringDialog[BulkOutcome]):
    """Lists several pauses with one question, each ticked or not.

    Args:
        rows: At least one; they all ask the same.
        clock: For ages and deadlines.
        position: Where this question stands among several, such as ``1 of 2``; empty: it is the only one.
        pace: How long keys are inert.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "row(-1)", "Row", show=False),
        Binding("down", "row(1)", "Row", show=False),
        Binding("space", "tick", "Tick", show=False),
        Binding("ctrl+t", "comment", "Comment"),
    ]

    def __init__(
        self,
        rows: Sequence[Reviewed],
        *,
        clock: Clock,
        position: str = "",
        pace: Pace = PACE,
    ) -> None:
        self._rows = {row.pause_id: row for row in rows}
        self._pause_ids = tuple(self._rows)
        """The same object whenever rows are drawn: their order never changes."""
        self._prompt = rows[0].pause.prompt
        self._clock = clock
        self._position = position
        self._is_over = False
        self._asked = Asked(self._prompt, "in the inbox, a on one of them shows all of it")
        super().__init__(pace=pace)
        self._list = LineList(id="bulk-rows")
        self._body = body_of(self._prompt, self.gate, "", several=self._run_count > 1)
        self._comment = CommentField(self.gate, "", self._prompt.comment_rule)
        self._certainty = CertaintyField(self.gate)
        self._close = GatedButton("Close", self.gate, id="close")

    # -- what is shown ------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[Reviewed, ...]:
        """Every question, as they were listed."""
        return tuple(self._rows.values())

    @property
    def _run_count(self) -> int:
        """How many runs ask."""
        return len({row.pause.run_id for row in self.rows})

    @property
    def asked_prompt(self) -> Prompt:
        """What they all ask."""
        return self._prompt

    @property
    def ticked(self) -> list[Reviewed]:
        """Those that the answer goes to."""
        return [row for row in self.rows if row.is_ticked and row.is_open]

    def prompt_content(self) -> Content:
        """Return what they all ask."""
        return self._asked.content

    @property
    def left_out(self) -> int:
        """Lines of a long question that are not shown here."""
        return self._asked.left

    def header_text(self) -> str:
        """Return how many questions this is about."""
        runs = counted(self._run_count, "run")
        same = ", all the same" if len(self.rows) > 1 else ""
        asked = f"{counted(len(self.rows), 'question')} of {runs}{same}"
        return f"◆ {self._prompt.kind} · {asked}{f' · {self._position}' if self._position else ''}"

    def due(self) -> tuple[str, str]:
        """Return the first deadline in words, and show the others in the list."""
        now = self._clock.now()
        self.draw_rows()
        limited = [row.pause for row in self.rows if row.is_open and row.pause.deadline is not None]
        if self._is_over or not limited:
            return "", "-calm"
        first = min(limited, key=lambda pause: pause.deadline or 0.0)
        more = "the first of them " if len(limited) > 1 else ""
        return f"{more}{due_words(first, now)}", urgency(first, now)

    def compose_reading(self) -> ComposeResult:
        """Show the question, and below it everybody who asks it."""
        yield self.question
        yield self._list

    def compose_body(self) -> ComposeResult:
        """Show what fits the prompt, a comment on demand, and Close once it is over."""
        self.set_class(self._comment.display, "-crowded")
        self._close.display = False
        yield self._body
        yield self._comment
        yield self._certainty
        yield self._close

    def fit_box(self, *, roomy: bool, brief: bool) -> None:
        """Take the room: the list is what one reads."""
        del brief
        super().fit_box(roomy=roomy, brief=False)

    def on_mount(self) -> None:
        """Show the rows."""
        super().on_mount()
        self.add_class("-bulk")

    def keys(self) -> list[Key]:
        """Return the keys that work now."""
        if self._is_over:
            return [("enter", "close"), ("↑ ↓", "read on"), ("esc", "close")]
        if typing := self.comment_keys():
            return typing
        rows = [("space", "untick"), ("tab", "runs")]
        return [*self._body.keys(), *rows, ("ctrl+t", "comment"), ("f4", "editor"), ("esc", "later")]

    def armed(self) -> None:
        """Let keys count."""
        self.say(self._hint())
        self._body.begin()

    @property
    def whom(self) -> str:
        """How many the next answer goes to; one that was handed on meanwhile is held back, once."""
        held = sum(row.is_handed_on for row in self.ticked)
        more = f", {held} handed on meanwhile held back" if held else ""
        return f"{counted(len(self.ticked) - held, 'question')}{more}"

    def _hint(self) -> str:
        left_out = len(self.rows) - len(self.ticked)
        out = f", {left_out} left out" if left_out else ""
        return f"One answer goes to {self.whom}{out}. {self._body.hint}"

    def put(self, row: Reviewed) -> None:
        """Show one of them as it is now."""
        self._rows[row.pause_id] = row
        self.draw_rows()

    def tell_of(self, pause_id: PauseId, leads_to: str) -> None:
        """Say what the chosen answer leads to there, from the next time on that rows are drawn."""
        self._rows[pause_id] = replace(self._rows[pause_id], leads_to=leads_to)

    def draw_rows(self) -> None:
        """Show the rows as they are now."""
        now, rows = self._clock.now(), self.rows
        self._list.set_columns(review_columns(rows[:_SAMPLE], self._list.room, is_over=self._is_over))
        # Made when they are drawn: there may be thousands.
        self._list.show(Rows(self._pause_ids, lambda at: rows[at].line(now)))

    def on_resize(self, event: Resize) -> None:
        """Fit the columns."""
        super().on_resize(event)
        self.call_after_refresh(self.draw_rows)

    # -- which ones ---------------------------------------------------------------------------

    def action_row(self, step: int) -> None:
        """Go to another run."""
        if step > 0:
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    def action_tick(self) -> None:
        """Leave the run out, or take it in again; what was armed is not any more."""
        key = PauseId(self._list.cursor_key)
        if self._is_over or self.gate.busy or key not in self._rows:
            return
        self._rows[key] = self._rows[key].turned()
        self.disarm()
        self.draw_rows()
        self.say(self._hint())

    @on(LineList.Selected)
    def _leave_rows(self) -> None:
        """Go from the runs to the answer; once it is over, leave."""
        if self._is_over:
            self.leave()
        else:
            self._body.begin()

    def looked_away(self) -> None:
        """Take back what is armed."""
        self.disarm()

    def came_back(self) -> None:
        """Take back what is armed, and say so."""
        super().came_back()
        self.disarm()

    def on_key(self, event: Pressed) -> None:
        """Let letters answer also from the list of runs."""
        # The handlers of the classes above run as well, after this one.
        if self._list.has_focus and event.is_printable and self._body.takes(event.key):
            # At once: the key looks for what it does as soon as they have returned.
            self.set_focus(self._body)

    def disarm(self) -> None:
        """Forget what was armed, and what it leads to."""
        if isinstance(self._body, ArmedBody):
            self._body.disarm()
        for key, row in self._rows.items():
            if row.leads_to:
                self._rows[key] = replace(row, leads_to="")

    # -- keys ---------------------------------------------------------------------------------

    def step_back(self) -> bool:
        """Go back from the runs to the answer, or take back one step of that."""
        if self._list.has_focus:
            self._body.begin()
            return True
        return super().step_back()

    def leave(self) -> None:
        """Leave, with what became of each."""
        self.dismiss(BulkOutcome(self.rows, was_sent=self._is_over))
