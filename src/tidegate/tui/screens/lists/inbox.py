"""Mode 1: what waits for a person, and what was answered a moment ago."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from tidegate.model.listing import PauseRow
from tidegate.model.prompt import RecoveryPrompt
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.messages import AnswerWanted, LogWanted, Noted, OverviewStale, RunWanted, TravelWanted
from tidegate.tui.nouns.travel import Base
from tidegate.tui.present.pauses import snoozed_words
from tidegate.tui.present.question import pause_preview
from tidegate.tui.present.shared import counted, first_line
from tidegate.tui.program import command_line
from tidegate.tui.query.of_inbox import Asked
from tidegate.tui.reads.ahead import LookAhead
from tidegate.tui.reads.beside import LookBeside
from tidegate.tui.screens.lists.chain import Chain
from tidegate.tui.screens.lists.questions import QuestionsScreen
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.text_pane import TextPane
from tidegate.tui.working import begin
from tidegate.tui.zoom import is_zoomed, toggle_zoom

if TYPE_CHECKING:
    from tidegate.model.ids import PauseId
    from tidegate.tui.dialogs.hand_on import Hands
    from tidegate.tui.screens.lists.inbox_bulk import Several

__all__ = ["InboxScreen"]

_THREE = 160
"""Columns from which on three panes have room."""
_NOTHING = (text_line("No question is under the cursor that waits for an answer.", Tone.DIM),)
_KNOWN = 4
"""People to whom a question may be handed on without typing their name."""


class InboxScreen(QuestionsScreen):
    """What may be done with the questions, and all that is to be known of the one under the cursor."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (
        Scope.INBOX,
        Scope.FILTER,
        Scope.ROWS,
        Scope.LIST,
        Scope.PREVIEW,
    )
    READS = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.INBOX)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._chain = Chain(desk.clock.monotonic)
        self._is_reviewing = False
        self._ahead = LookAhead(desk)
        self._aside = LookBeside(desk)
        self._beside_shows: tuple[PauseId | None, Sequence[Line]] = (None, ())

    def compose_body(self) -> ComposeResult:
        """Yield the list, the question, and what is to be known beside it where there is room."""
        yield from super().compose_body()
        yield TextPane(id="beside", classes="pane", hint="tab leads here, j scrolls")

    @on(events.Resize)
    def _make_room(self, event: events.Resize) -> None:
        """Show three panes where there is room; where there is no more, go on in the list."""
        has_room = event.size.width >= _THREE
        if not has_room and self.has_class("-three"):
            if self.beside.has_class("-zoomed"):
                toggle_zoom(self)
            if self.beside.has_focus:
                self.rows_view.focus()
        self.set_class(has_room, "-three")

    @property
    def beside(self) -> TextPane:
        """What is to be known of the question: seen only where there is room."""
        return self.query_one("#beside", TextPane)

    def panes(self) -> Sequence[Widget]:
        """Return the panes that share the body now."""
        return (*super().panes(), self.beside) if self.has_class("-three") else super().panes()

    async def fetch(self) -> None:
        """Read the pauses; remember which one the cursor is on, if it waits no more."""
        before = self._open
        await super().fetch()
        self._leave(before)
        self._ahead.forget()
        self._aside.forget()

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return the whole question, and what follows from each answer."""
        asked = self._pauses.get(key)
        if asked is None:
            return ()
        ahead = self._ahead.lines(asked.pause.pause_id)
        lines = pause_preview(asked.seen, asked.of, now, ahead, is_low=self.preview.is_low)
        until = self._snoozes.until(asked.pause, now) if asked.is_open else None
        # Below the first line, which stays on top where somebody reads.
        return lines if until is None else [*lines[:1], snoozed_words(until, now), *lines[1:]]

    def show_row(self, now: float) -> None:
        """Show the question, and look up what follows from it."""
        super().show_row(now)
        asked = self._here
        self._show_beside(asked)
        if asked is None or not asked.is_open:
            return
        blocks = asked.of.row.summary.blocks if asked.of is not None else 0
        if self._ahead.wants(asked.pause.pause_id, blocks):
            self._look_ahead(asked.pause)

    @work(group="ahead", exclusive=True)
    async def _look_ahead(self, pause: PauseRow) -> None:
        await self._ahead.look(pause)
        if not self.query("#list"):  # The monitor ends.
            return
        if (asked := self._here) is not None and asked.pause.pause_id == pause.pause_id:
            super().show_row(self._desk.clock.now())

    def _show_beside(self, asked: Asked | None) -> None:
        """Show what is known beside a question, if anybody sees it; look up the rest once the cursor rests."""
        if not self.has_class("-three"):
            return
        is_open = asked is not None and asked.is_open
        key = asked.pause.pause_id if asked is not None and is_open else None
        known = self._aside.lines(key) if key is not None else _NOTHING
        if (key, known) != self._beside_shows:
            self._beside_shows = (key, known)
            self.beside.read(known, subject=key or "", title="State, evidence, and what is other")
        if asked is not None and is_open and self._aside.wants(asked):
            self._look_beside(asked)

    @work(group="beside", exclusive=True)
    async def _look_beside(self, asked: Asked) -> None:
        await self._aside.look(asked)
        if self.query("#beside"):
            self._show_beside(self._here)

    def marks_hint(self) -> str:
        """Return which key answers what is marked."""
        return f"{self.key_for('inbox.bulk')} answers them" if self.may_change else ""

    def summary(self, now: float) -> Sequence[Piece]:
        """Return how much waits, and where the run goes on asking that was answered last."""
        return (*self._next_words(), *super().summary(now))

    # -- where the cursor goes when its question is closed ------------------------------------

    def _leave(self, before: Sequence[Asked]) -> None:
        """Remember the question under the cursor, if it was among those *before*, and is open no more."""
        here = self.rows_view.cursor_key
        was = next((asked.pause for asked in before if asked.pause.pause_id == here), None)
        if was is not None and here not in self._pauses:
            self._chain.leave(was)

    def show(self, now: float) -> None:
        """Show everything, with the cursor on what is to be answered next."""
        was_hidden = self._is_next_hidden
        super().show(now)
        found = self._chain.look((asked.pause for asked in self._open), self.rows_view.cursor_key)
        # Also once the filter that has hidden it is gone: it was said that this shows it.
        following = found or (self._chain.following if was_hidden else None)
        if following is not None:
            self.rows_view.move_to(following)
            self._say(now)

    @property
    def _is_next_hidden(self) -> bool:
        """Whether the filter hides the next question of the run that was just answered."""
        following = self._chain.following
        return following is not None and all(self.key_of(asked) != following for asked in self.shown)

    def _next_words(self) -> Sequence[Piece]:
        """Return that the run goes on asking, where the cursor has followed it, or could not."""
        asked = self._pauses.get(self._chain.following or "")
        if asked is None or not asked.is_open:
            return ()
        if self._is_next_hidden:
            if not self._chain.is_news(self._query.source):
                return ()
            words = f"esc shows what the same run asks next: {first_line(asked.pause.prompt.text)}"
        elif self.rows_view.cursor_key == asked.pause.pause_id:
            words = "the same run asks next: enter opens it"
        else:
            return ()
        return (Piece(words, Tone.WAITING), Piece(" · ", Tone.DIM))

    def command_line(self) -> str:
        """Return the command that answers the question under the cursor."""
        asked = self._pauses.get(self.rows_view.cursor_key)
        if asked is None or not asked.is_open:
            return ""
        return command_line(self._desk.program, "answer", asked.pause.pause_id)

    # -- keys ---------------------------------------------------------------------------------

    def applies(self, action: str) -> bool:
        """Whether a key would do something to the row the cursor is on."""
        asked = self._here
        match action:
            case "answer":
                return asked is not None and asked.is_open
            case "reject":
                return (
                    asked is not None and asked.is_open and not isinstance(asked.pause.prompt, RecoveryPrompt)
                )
            case "bulk":
                return bool(self.rows_view.marked) or (asked is not None and asked.is_open)
            case "snooze":
                return bool(self._meant())
            case "open_run" | "log" | "travel" | "difference" | "mark":
                return asked is not None
            case _:
                return super().applies(action)

    @property
    def _here(self) -> Asked | None:
        """The question that the cursor is on."""
        return self._pauses.get(self.rows_view.cursor_key)

    def next_open(self) -> None:
        """Go to the next open question, from the last one to the first; past the snoozed ones, if it can."""
        keys = [self.key_of(asked) for asked in self._awake(self.shown) or self.shown]
        here = self.rows_view.cursor_key
        if keys:
            self.rows_view.move_to(keys[(keys.index(here) + 1) % len(keys) if here in keys else 0])
        else:
            self.post_message(Noted("nothing waits for you", Tone.DIM))

    @on(LineList.Selected, "#list")
    def action_answer(self) -> None:
        """Open the question."""
        self._open_question(rejects=False)

    def action_reject(self) -> None:
        """Open the question, with the answer that rejects chosen for a first press."""
        self._open_question(rejects=True)

    def _open_question(self, *, rejects: bool) -> None:
        asked = self._here
        if self._is_reviewing:
            return
        if asked is None:
            hidden = f"the filter hides all {counted(len(self._open), 'question')}: esc shows them"
            self.post_message(Noted(hidden if self._open else "nothing waits for you", Tone.DIM))
            return
        if not asked.is_open:
            self.post_message(Noted("this question is closed; o shows its run", Tone.DIM))
            return
        shown = self.shown
        place = f"{shown.index(asked) + 1} of {len(shown)}" if len(shown) > 1 and asked in shown else ""
        position = self._chain.position(asked.pause.pause_id) or place
        self.post_message(AnswerWanted(asked.pause, position, rejects=rejects))

    def action_full_preview(self) -> None:
        """Give the preview the whole body, also where there is no room for it below the list; and back."""
        was_full = self.preview.has_class("-zoomed")
        if is_zoomed(self):
            toggle_zoom(self)
        if not was_full:
            toggle_zoom(self, self.preview)
        self.call_after_refresh(self.set_focus, self.rows_view if was_full else self.preview)

    def action_clear_filter(self) -> None:
        """Show the list again, where the preview has its place; then all rows."""
        if self.preview.has_class("-zoomed"):
            self.action_full_preview()
        else:
            super().action_clear_filter()

    def action_bulk(self) -> None:
        """Review several questions, those that ask the same together, and answer them."""
        # At once, not in the worker: a second key may be on its way before the dialog is there to take it.
        if not self._is_reviewing:
            self._is_reviewing = True
            begin(self, "bulk", self._review)

    async def _review(self) -> None:
        from tidegate.tui.screens.lists.inbox_bulk import review

        try:
            await review(self, self._desk, self._several())
        finally:
            self._is_reviewing = False

    def _several(self) -> "Sequence[Several]":
        """Return what is marked; where nothing is, what asks the same as the question under the cursor."""
        from tidegate.tui.dialogs.answering.reviewed import asked_key

        hidden = set(self.rows_view.marked_hidden)
        marked = (self._pauses.get(key) for key in self.rows_view.marked)
        if found := [asked for asked in marked if asked is not None and asked.is_open]:
            return [(asked, self.key_of(asked) in hidden) for asked in found]
        here = self._here
        if here is None or not here.is_open:
            return []
        key = asked_key(here.pause)
        same = [asked for asked in self.shown if asked_key(asked.pause) == key]
        # What is snoozed is not answered by the way.
        awake = self._awake(same)
        return [(asked, False) for asked in same if asked is here or asked in awake]

    def _meant(self) -> list[Asked]:
        """Return what is marked and shown, else what the cursor is on, as far as it is open."""
        found = (self._pauses.get(key) for key in self.chosen())
        return [asked for asked in found if asked is not None and asked.is_open]

    def action_snooze(self) -> None:
        """Hand questions on, or snooze them: those that are meant now, wherever the cursor is later."""
        if not self.refuses_marks() and (meant := self._meant()):
            self._hand_on(meant)

    @work(group="hand on", exclusive=True)
    async def _hand_on(self, meant: Sequence[Asked]) -> None:
        from tidegate.tui.screens.lists.inbox_handing import hand_on

        await hand_on(self, self._desk, self._snoozes, meant, self._hands(meant))

    def _hands(self, meant: Sequence[Asked]) -> "Hands | None":
        """Return whose they may become; None where nothing is changed from here."""
        from tidegate.tui.dialogs.hand_on import Hands

        if not self.may_change:
            return None
        answers = (asked.pause.answer for asked in self._answered)
        known = dict.fromkeys(answer.by for answer in answers if answer is not None and answer.by)
        assignees = frozenset(asked.pause.assignee for asked in meant)
        return Hands(self._me, assignees, tuple(known)[:_KNOWN])

    def put_off(self, *, is_off: bool) -> None:
        """Show what was snoozed, or is awake again, where it belongs now."""
        here, keys = self.rows_view.cursor_key, [self.key_of(asked) for asked in self.shown]
        self.post_message(OverviewStale())
        self.fetched()
        self.show(self._desk.clock.now())
        if is_off and here in keys:
            self._go_past(keys[keys.index(here) :] + keys[: keys.index(here)])

    def _go_past(self, keys: Sequence[str]) -> None:
        """Go to the first of some questions that is not snoozed: what one does not want to see now is left behind."""
        awake = {self.key_of(asked) for asked in self._awake(self.shown)}
        if (following := next((key for key in keys if key in awake), None)) is not None:
            self.rows_view.move_to(following)

    def action_open_run(self) -> None:
        """Show the run that asks."""
        if (asked := self._here) is not None:
            self.post_message(RunWanted(asked.pause.run_id, asked.pause.block))

    def action_log(self) -> None:
        """Show what the run that asks has written."""
        if (asked := self._here) is not None:
            self.post_message(LogWanted(asked.pause.run_id))

    def action_travel(self) -> None:
        """Show the past of the run that asks."""
        self._travel(base=None)

    def action_difference(self) -> None:
        """Show what is other than in the last run that succeeded."""
        self._travel(base=Base.SUCCESS)

    def _travel(self, base: Base | None) -> None:
        if (asked := self._here) is not None:
            run_id, block = asked.pause.run_id, asked.pause.block
            self.post_message(TravelWanted(run_id, block=block, base=base, is_about_block=True))
