"""The dialog that answers a pause.

Owns nothing durable: it hands what was typed to `submit`, which returns once the answer is on disk,
and shows what became of it. Escape means later, never no.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget

from tidegate.clock import Clock, SystemClock
from tidegate.errors import AlreadyAnswered, InvalidAnswer, PauseClosed, PauseNotFound, TidegateError
from tidegate.model.answer import Answered
from tidegate.model.outlook import Supposed
from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    InputPrompt,
    Prompt,
    RecoveryPrompt,
    check_comment,
)
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.answering import AnsweringDialog
from tidegate.tui.dialogs.base import Key, Say
from tidegate.tui.dialogs.bodies import body_of
from tidegate.tui.dialogs.body import ArmedBody, Send
from tidegate.tui.dialogs.certainty import CertaintyField, names_run, start_of
from tidegate.tui.dialogs.comment import CommentField
from tidegate.tui.dialogs.drafts import draft_of, parts_of
from tidegate.tui.dialogs.foresight import Advice, Answers, Foresight
from tidegate.tui.dialogs.form_body import FormBody
from tidegate.tui.dialogs.gate import PACE, Pace
from tidegate.tui.dialogs.outcome import AnswerOutcome
from tidegate.tui.dialogs.parts import GatedButton
from tidegate.tui.dialogs.pause import AskedPause
from tidegate.tui.dialogs.prompt_text import Asked, WholePage
from tidegate.tui.dialogs.reading import ALL_ROWS, ReadingDialog
from tidegate.tui.dialogs.words import (
    closed_words,
    due_words,
    header_words,
    lost_race_words,
    sent_words,
    time_bar,
    urgency,
)
from tidegate.tui.present.pauses import assigned_words

__all__ = ["AnswerDialog", "AnswerOutcome", "Submit"]

Submit = Callable[[str, str], Awaitable[Answered]]
"""Takes the answer as typed and a comment; returns once it is durable, or raises `TidegateError`."""

_CLOCK = SystemClock()
_LATER = "Nothing was sent: it stays open"
_UNSURE = "The store has not said whether it took the answer: look at it again"
_FEW_CHOICES = 4
_BAR_FROM = 80
"""Columns from which a bar stands beside the words of the deadline."""
_PATIENCE = 15.0
"""Seconds that an answer may be on its way before the keys count again."""


class AnswerDialog(AnsweringDialog[AnswerOutcome], ReadingDialog[AnswerOutcome]):
    """Asks what a pause asks.

    Args:
        pause: As it was listed when the dialog was opened.
        submit: Gives the answer. It is never called twice at the same time.
        draft: `AnswerOutcome.draft` of the last time.
        advice: Finds out what follows; None: nothing is said about that.
        position: Where this one stands among several, like ``1 of 2``.
        clock: Tells how much time is left.
        pace: How long keys are inert; tests pass one without waits.
        patience: Seconds to wait for word that the answer is durable.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "comment", "Comment"),
        Binding("ctrl+r", "send_back", "Send back"),
    ]

    def __init__(
        self,
        pause: AskedPause,
        submit: Submit,
        *,
        draft: str = "",
        advice: Advice | None = None,
        position: str = "",
        clock: Clock = _CLOCK,
        pace: Pace = PACE,
        patience: float = _PATIENCE,
    ) -> None:
        self.pause = pause
        self._patience = patience
        self._later = _LATER
        self._begun_with = ""
        self._position = position
        self._clock = clock
        self._submit = submit
        self._is_over = False
        self._closed_words: Callable[[float], str] = lambda _: self._later
        self._was_handed_over = False
        self._closed_meanwhile: AskedPause | None = None
        self._foresight = Foresight(advice)
        self._asked = Asked(pause.prompt, "f2 turns to all of it")
        super().__init__(
            pause.prompt.show,
            WholePage.beside(self._foresight.pages, pause, self._asked.left),
            pace=pace,
            needs_few=_needs_few(pause.prompt),
        )
        self.add_class(f"-{pause.prompt.kind}")
        answer, comment = parts_of(draft)
        self._body = body_of(pause.prompt, self.gate, answer)
        self._body.foretell = self._foresight.sentence
        self._comment = CommentField(self.gate, comment, pause.prompt.comment_rule)
        self._certainty = CertaintyField(self.gate)
        self._close = GatedButton("Close", self.gate, id="close")
        self._begun_with = self._draft

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
        words = " · ".join(filter(None, (due, assigned_words(pause, now))))
        return ("" if self._is_over else words), urgency(pause, now)

    def show_due(self) -> None:
        """Show how much time is left; once it is over, how long ago that was."""
        super().show_due()
        if self._is_over:
            self.say(self._closed_words(self._clock.now()), "done")

    def small_words(self) -> str:
        """Return what is said where there is no room, but who was faster needs none."""
        return self._closed_words(self._clock.now()) if self._is_over else super().small_words()

    @property
    def rows_to_answer(self) -> int | None:
        """Lines of a form; more than any terminal has for what became of a block, whose answers need them all."""
        if isinstance(self._body, FormBody):
            return self._body.rows
        return ALL_ROWS if isinstance(self.pause.prompt, RecoveryPrompt) else None

    def compose_body(self) -> ComposeResult:
        """Show what fits the prompt, a comment on demand, and Close once it is over."""
        self.set_class(self._comment.display, "-crowded")
        self._close.display = False
        yield self._body
        yield self._comment
        yield self._certainty
        yield self._close

    def keys(self) -> list[Key]:
        """Return the keys that work now."""
        if self._is_over:
            return [("enter", "close"), ("esc", "close")]
        return [
            *self._body.keys(),
            *self.reading_keys(),
            ("ctrl+t", "comment"),
            *self._way_back(),
            ("esc", "later"),
        ]

    def _way_back(self) -> list[Key]:
        """Return the key that sends it back: not where what became of a block is asked."""
        return [] if isinstance(self.pause.prompt, RecoveryPrompt) else [("ctrl+r", "send back")]

    def armed(self) -> None:
        """Let keys count, unless it was decided elsewhere before they did."""
        if self._closed_meanwhile is not None:
            self.pause_closed(self._closed_meanwhile)
        else:
            self.say(self._body.hint)
            self._body.begin()
            self._foresee(self._answers())

    def _answers(self) -> Answers:
        late = [("Nobody answers in time", Supposed.NOTHING)] if self.pause.deadline is not None else []
        return [*self._body.answers(), *late]

    @work(group="foresee")
    async def _foresee(self, answers: Answers) -> None:
        """Look up what answers lead to; if one of them is armed meanwhile, say it with the rest."""
        await self._foresight.look_up(answers)
        if self._armed is not None and not self._is_over and not self.gate.busy:
            self._body.remind()

    @property
    def _draft(self) -> str:
        return draft_of(self._body.draft, self._comment.value)

    @property
    def is_unsent(self) -> bool:
        """Whether something was typed here, or is on its way, that nobody has taken yet."""
        return not self._is_over and (self.gate.busy or self._draft != self._begun_with)

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Focus without scrolling: a form shows the whole field, the toolkit would center where it is typed."""
        del scroll_visible
        super().set_focus(widget, scroll_visible=False, from_app_focus=from_app_focus)

    # -- keys ---------------------------------------------------------------------------------

    def leave(self) -> None:
        """Leave without an answer: it stays open."""
        note = self._closed_words(self._clock.now())
        self.dismiss(AnswerOutcome(sent=False, note=note, draft=self._draft))

    def action_send_back(self) -> None:
        """Leave without an answer, to ask from where it is to be done again."""
        if not self._is_over and not self.gate.busy and self._way_back():
            words = self._comment.value
            self.dismiss(AnswerOutcome(sent=False, note="", draft=self._draft, send_back=words))

    def show_sentence(self, event: Say) -> None:
        """Show what the body says, with a warning if it is armed over text nobody has seen."""
        if self.gate.busy or self._is_over:
            return
        said = [event.text]
        if (armed := self._armed) is not None:
            raw = armed[1]
            said += [self.unread_warning(), *self.wishes(raw)]
            if not self._foresight.knows(raw):
                self._foresee([armed])
        self.say(" ".join(filter(None, said)), event.tone)

    @property
    def _armed(self) -> tuple[str, str] | None:
        """What the next press sends, and its name; None: nothing is armed."""
        body = self._body
        if not isinstance(body, ArmedBody) or body.option is None:
            return None
        return body.option.label, body.raw_of(body.option)

    def final_of(self, raw: str) -> str:
        """Return what an answer leads to and cannot be undone, as far as it is known."""
        return self._foresight.final(raw)

    def expect_certainty(self) -> None:
        """Ask for the run's id."""
        run_id = self.pause.run_id
        title = f"Type {start_of(run_id)}, the start of this run's id"
        self._certainty.expect(title, lambda typed: names_run(typed, run_id))

    # -- sending ------------------------------------------------------------------------------

    @on(Send)
    def send_answer(self, event: Send) -> None:
        """Read the answer by the prompt's rule, then send it, one at a time."""
        if self.gate.busy or self._is_over:
            return
        try:
            value = self.pause.prompt.parse(event.raw)
        except InvalidAnswer as error:
            self._refuse(error)
            return
        try:
            comment = check_comment(self.pause.prompt, value, self._comment.value)
        except InvalidAnswer as error:
            self.want_comment(error)
            return
        self.begin_sending("Sending ...")
        self.add_class("-busy")
        self.run_worker(self._send(event.raw, comment), group="answer")

    async def _send(self, raw: str, comment: str) -> None:
        if changed := self._take_hand_over() or await self._foresight.news_of(raw):
            self._take_keys_again()
            self.say(f"Not sent. {changed} Send it again if that is what you want.", "error")
            return
        if (final := await self._foresight.final_of(raw)) and not self._certainty.is_given:
            self._take_keys_again()
            self.expect_certainty()
            self.want_certainty(final)
            return
        sending = asyncio.ensure_future(self._submit(raw, comment))
        # Not cancelled when it takes too long: what is on its way may still arrive, and that does no harm.
        await asyncio.wait([sending], timeout=self._patience)
        if not sending.done():
            # Looked at, or the event loop would complain that nobody did.
            sending.add_done_callback(lambda late: late.cancelled() or late.exception())
            self._go_on_without_word()
            return
        try:
            answered = await sending
        except TidegateError as error:
            self._take_keys_again()
            self._show_failure(error)
        else:
            self.dismiss(AnswerOutcome(sent=True, note=sent_words(self.pause.prompt, answered), draft=""))

    def _take_keys_again(self) -> None:
        self.gate.busy = False
        self.remove_class("-busy")

    def _go_on_without_word(self) -> None:
        """Give the keys back, and say that nobody knows."""
        self._take_keys_again()
        self._later = _UNSURE
        if self._closed_meanwhile is not None:
            self.pause_closed(self._closed_meanwhile)
            return
        self.say(
            f"No word from the store for {self._patience:.0f} s: it may still arrive. Sending the same again "
            "does no harm; esc leaves, and keeps what you typed.",
            "error",
        )

    def _show_failure(self, error: TidegateError) -> None:
        if self._closed_meanwhile is not None:
            self.pause_closed(self._closed_meanwhile)
            return
        match error:
            case InvalidAnswer():
                self._refuse(error)
            case AlreadyAnswered():
                self._close_with(partial(lost_race_words, error))
            case PauseClosed() | PauseNotFound():
                self._close_with(lambda _: safe_line(str(error), 300))
            case _:
                problem = safe_line(str(error), 300).rstrip(".")
                self.say(f"Not sent: {problem}. Nothing is lost: try again.", "error")

    def _refuse(self, error: InvalidAnswer) -> None:
        self._body.refused(f"Not taken: {safe_line(error.rule, 600)}.")

    # -- decided elsewhere --------------------------------------------------------------------

    def pause_assigned(self, row: AskedPause) -> None:
        """Show whose it is now: somebody has said so while it was looked at here."""
        if row.assignment != self.pause.assignment:
            self.pause, self._was_handed_over = row, True
            if self.is_mounted and self.is_running:
                self.show_due()

    def _take_hand_over(self) -> str:
        """Return what nobody here may have seen of whose it is now, once."""
        was_handed_over, self._was_handed_over = self._was_handed_over, False
        words = assigned_words(self.pause, self._clock.now()) or "it is anybody's again"
        return f"Meanwhile: {words}." if was_handed_over else ""

    def pause_closed(self, row: AskedPause) -> None:
        """Turn into "already answered by ...": the pause was decided elsewhere.

        While an answer of our own is on its way this waits for it: it may be the one that decided.
        """
        self._closed_meanwhile = row
        # Of what is over already, too: a lost race does not say which comment went with the answer.
        is_news = not self._is_over or row.answer is not None
        if self.is_mounted and self.is_running and not self.gate.busy and is_news:
            self._close_with(partial(closed_words, row))

    def _close_with(self, words: Callable[[float], str]) -> None:
        self._is_over = True
        self._closed_words = words
        self._body.disabled = True
        self._comment.disabled = self._certainty.disabled = True
        self._close.display = True
        self._close.focus()
        self.add_class("-closed")
        self.show_due()
        self.show_keys()
        self.show_small()


def _needs_few(prompt: Prompt) -> bool:
    """Whether answering takes so few rows that there is room for more than the question everywhere."""
    if isinstance(prompt, ChoicePrompt):
        return not prompt.multiple and len(prompt.choices) <= _FEW_CHOICES
    return isinstance(prompt, ConfirmPrompt | InputPrompt)
