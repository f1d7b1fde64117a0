"""One question, as long as others may decide it too: what is shown of it, and what became of it elsewhere.

Whose it is and how much time is left may change while it is looked at, and somebody else may be faster.
Then nothing can be answered here any more, and the dialog says who was, and when.
"""

from collections.abc import Callable, Sequence
from functools import partial

from textual.content import Content

from tidegate.clock import Clock
from tidegate.model.prompt import Prompt
from tidegate.tui.dialogs.answering.answering import AnsweringDialog
from tidegate.tui.dialogs.answering.outcome import AnswerOutcome
from tidegate.tui.dialogs.answering.reading import ReadingDialog
from tidegate.tui.dialogs.frame.base import BRIEF
from tidegate.tui.dialogs.frame.gate import Pace
from tidegate.tui.dialogs.frame.pages import Page
from tidegate.tui.dialogs.frame.parts import GatedButton
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.dialogs.frame.prompt_text import Asked, WholePage
from tidegate.tui.dialogs.frame.words import closed_words, due_words, header_words, time_bar, urgency
from tidegate.tui.present.pauses import assigned_words, sent_back_words
from tidegate.tui.program import command_line

__all__ = ["WatchedDialog"]

_LATER = "Nothing was sent: it stays open"
_BAR_FROM = 80
"""Columns from which a bar stands beside the words of the deadline."""


class WatchedDialog(AnsweringDialog[AnswerOutcome], ReadingDialog[AnswerOutcome]):
    """A question that may be decided elsewhere."""

    def __init__(
        self,
        pause: AskedPause,
        pages: Sequence[Page],
        *,
        position: str,
        clock: Clock,
        program: str,
        pace: Pace,
        needs_few: bool,
    ) -> None:
        """Make it.

        Args:
            pause: As it was listed when the dialog was opened.
            pages: What can be turned to, beside its exhibits.
            position: Where this one stands among several, like ``1 of 2``.
            clock: Tells how much time is left.
            program: How to call us again for the same store.
            pace: How long keys are inert.
            needs_few: As for `ReadingDialog`.
        """
        self.pause = pause
        self._clock = clock
        self._position = position
        self.later = _LATER
        """What is said where nothing was sent."""
        self.closed_words: Callable[[float], str] = lambda _: self.later
        """Returns why nothing can be answered here any more, at a time."""
        self.looks_only = ""
        """Why nothing may be answered from here, though it is open; empty: it may."""
        self._was_handed_over = False
        self.closed_meanwhile: AskedPause | None = None
        """As it was decided elsewhere."""
        self._asked = Asked(pause.prompt, "f2 turns to all of it")
        super().__init__(
            pause.prompt.show,
            WholePage.beside(pages, pause, self._asked.left, command_line(program, "answer", pause.pause_id)),
            pace=pace,
            needs_few=needs_few,
        )
        self.add_class(f"-{pause.prompt.kind}")
        self.close_button = GatedButton("Close", self.gate, id="close")
        self.close_button.display = False

    # -- what is shown ------------------------------------------------------------------------

    def prompt_content(self) -> Content:
        """Return what is asked."""
        return self._asked.content

    @property
    def asked_prompt(self) -> Prompt:
        """What is asked."""
        return self.pause.prompt

    def header_text(self) -> str:
        """Return what the question is about."""
        return f"◆ {header_words(self.pause, self._position, self.header_room)}"

    def due(self) -> tuple[str, str]:
        """Return in words until when it may be answered, with a bar where there is room, and whose it is."""
        now, pause = self._clock.now(), self.pause
        bar = time_bar(pause, now) if self.size.width >= _BAR_FROM else ""
        due = " ".join(filter(None, (bar, due_words(pause, now))))
        words = " · ".join(filter(None, (due, assigned_words(pause, now), self._sent_back)))
        is_decided = self._is_over and not self.looks_only
        return ("" if is_decided else words), urgency(pause, now)

    @property
    def _sent_back(self) -> str:
        """Why it is asked anew, where that is to be read only below a long question; empty: it is in sight there."""
        said = self.pause.prompt.sent_back
        return sent_back_words(said) if said is not None and self.prompt_lines > BRIEF else ""

    def show_due(self) -> None:
        """Show how much time is left; once it is over, how long ago that was."""
        super().show_due()
        if self._is_over:
            self.say(self.note_now(), "done")

    def small_words(self) -> str:
        """Return what is said where there is no room, but who was faster needs none."""
        return self.note_now() if self._is_over else super().small_words()

    def note_now(self) -> str:
        """Return what became of it, as it is said now."""
        return self.closed_words(self._clock.now())

    # -- decided elsewhere --------------------------------------------------------------------

    def pause_assigned(self, row: AskedPause) -> None:
        """Show whose it is now: somebody has said so while it was looked at here."""
        if row.assignment != self.pause.assignment:
            self.pause, self._was_handed_over = row, True
            if self.is_mounted and self.is_running:
                self.show_due()

    def take_hand_over(self) -> str:
        """Return what nobody here may have seen of whose it is now, once."""
        was_handed_over, self._was_handed_over = self._was_handed_over, False
        words = assigned_words(self.pause, self._clock.now()) or "it is anybody's again"
        return f"Meanwhile: {words}." if was_handed_over else ""

    def pause_closed(self, row: AskedPause) -> None:
        """Turn into "already answered by ...": the pause was decided elsewhere.

        While an answer of our own is on its way this waits for it: it may be the one that decided.
        """
        self.closed_meanwhile = row
        # Of what is over already, too: a lost race does not say which comment went with the answer.
        is_news = not self._is_over or bool(self.looks_only) or row.answer is not None
        self.looks_only = ""
        if self.is_mounted and self.is_running and not self.gate.busy and is_news:
            self.close_with(partial(closed_words, row))

    def close_with(self, words: Callable[[float], str]) -> None:
        """Let nothing be answered here any more; *words* returns why, at a time."""
        self._is_over = True
        self.closed_words = words
        self._body.disabled = True
        self._comment.disabled = self._certainty.disabled = True
        self.close_button.display = True
        self.close_button.focus()
        self.add_class("-closed")
        self.show_due()
        self.show_keys()
        self.show_small()
