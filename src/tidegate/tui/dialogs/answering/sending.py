"""From a decision to an answer on disk: one at a time, looked at once more before it goes, and never lost on its way."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from textual import events, on

from tidegate.clock import Clock
from tidegate.errors import AlreadyAnswered, InvalidAnswer, PauseClosed, PauseNotFound, TidegateError
from tidegate.model.answer import Answered
from tidegate.model.prompt import check_comment
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.answering.outcome import AnswerOutcome
from tidegate.tui.dialogs.answering.watched import WatchedDialog
from tidegate.tui.dialogs.bodies.body import Send
from tidegate.tui.dialogs.bodies.foresight import Foresight
from tidegate.tui.dialogs.frame.certainty import Proof, name_of_run
from tidegate.tui.dialogs.frame.gate import Pace
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.dialogs.frame.words import lost_race_words, sent_words
from tidegate.tui.nouns.advice import Advice
from tidegate.tui.working import begin

__all__ = ["SendingDialog", "Submit"]

Submit: TypeAlias = Callable[[str, str], Awaitable[Answered]]
"""Takes the answer as typed and a comment; returns once it is durable, or raises `TidegateError`."""

_UNSURE = "The store has not said whether it took the answer: look at it again"


class SendingDialog(WatchedDialog):
    """Sends what was decided, and shows what became of it."""

    def __init__(
        self,
        pause: AskedPause,
        submit: Submit,
        *,
        advice: Advice | None,
        position: str,
        clock: Clock,
        program: str,
        pace: Pace,
        patience: float,
        needs_few: bool,
    ) -> None:
        """Make it.

        Args:
            pause: As it was listed when the dialog was opened.
            submit: Gives the answer. It is never called twice at the same time.
            advice: Finds out what follows; None: nothing is said about that.
            position: Where this one stands among several.
            clock: Tells how much time is left.
            program: How to call us again for the same store.
            pace: How long keys are inert.
            patience: Seconds to wait for word that the answer is durable.
            needs_few: As for `ReadingDialog`.
        """
        self._submit = submit
        self._patience = patience
        self.foresight = Foresight(advice)
        super().__init__(
            pause,
            self.foresight.pages,
            position=position,
            clock=clock,
            program=program,
            pace=pace,
            needs_few=needs_few,
        )

    def final_of(self, raw: str) -> str:
        """Return what an answer leads to and cannot be undone, as far as it is known."""
        return self.foresight.known_final(raw)

    @property
    def proof(self) -> Proof:
        """The run's id."""
        return name_of_run(self.pause.run_id)

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
        begin(self, "answer", self._send, event.raw, comment)

    async def _send(self, raw: str, comment: str) -> None:
        if changed := self.take_hand_over() or await self.foresight.news_of(raw):
            if self._take_keys_again():
                # What was pressed meanwhile knew nothing of it.
                self.gate.open(events.Event().time)
                self.say(f"Not sent. {changed} Send it again if that is what you want.", "error")
            return
        if not self.is_certain_of(await self.foresight.find_final(raw)):
            self._take_keys_again()
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
            if self._take_keys_again():
                self._show_failure(error)
        else:
            note = sent_words(self.pause, answered, self._clock.now(), comment)
            self.dismiss(AnswerOutcome(sent=True, note=note, draft=""))

    def _take_keys_again(self) -> bool:
        """Give the keys back; return whether there is still something to answer: somebody else may have decided."""
        self.gate.busy = False
        self.remove_class("-busy")
        if self.closed_meanwhile is None:
            return True
        self.pause_closed(self.closed_meanwhile)
        return False

    def _go_on_without_word(self) -> None:
        """Give the keys back, and say that nobody knows."""
        self.later = _UNSURE
        if not self._take_keys_again():
            return
        self.say(
            f"No word from the store for {self._patience:.0f} s: it may still arrive. Sending the same again "
            "does no harm; esc leaves, and keeps what you typed.",
            "error",
        )

    def _show_failure(self, error: TidegateError) -> None:
        match error:
            case InvalidAnswer():
                self._refuse(error)
            case AlreadyAnswered():
                self.close_with(partial(lost_race_words, error))
            case PauseClosed() | PauseNotFound():
                self.close_with(lambda _: safe_line(str(error), 300))
            case _:
                problem = safe_line(str(error), 300).rstrip(".")
                self.say(f"Not sent: {problem}. Nothing is lost: try again.", "error")

    def _refuse(self, error: InvalidAnswer) -> None:
        self._body.refused(safe_line(error.rule, 600))
