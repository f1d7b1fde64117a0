"""Ways that lead on from a question without an answer to it: send it back, cancel its run, change its state in a fork.

None of them does anything by itself: each leaves, with what was typed kept, for a dialog that asks.
"""

import asyncio
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from tidegate.model.prompt import RecoveryPrompt
from tidegate.tui.dialogs.answering.drafts import draft_of
from tidegate.tui.dialogs.answering.outcome import AnswerOutcome, Onward
from tidegate.tui.dialogs.answering.sending import SendingDialog
from tidegate.tui.dialogs.frame.base import Key, Say
from tidegate.tui.dialogs.frame.gate import Press
from tidegate.tui.nouns.advice import Advice

__all__ = ["WaysOut"]

_PATIENCE = 2.0
"""Seconds that leaving waits to hear whether it leads anywhere."""
_NO_REJECT = (
    "No answer to this rejects it: ctrl+x once more keeps what you typed, and asks whether to cancel the run."
)


class WaysOut(SendingDialog):
    """A question that one can leave for something else."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "send_back", "Send back"),
        Binding("ctrl+x", "reject", "Reject"),
        Binding("f6", "edit_state", "Edit state"),
    ]

    _advice: Advice | None

    @property
    def draft(self) -> str:
        """What was typed and is not sent."""
        return draft_of(self._body.draft, self._comment.value)

    def keys_out(self) -> list[Key]:
        """Return the keys that lead elsewhere."""
        turns = [("ctrl+r", "send back"), ("ctrl+x", "reject")] if self._may_be_turned else []
        return [*turns, ("f6", "edit state")]

    @property
    def _may_be_turned(self) -> bool:
        """Whether it is a question of the workflow: what became of a block can only be said."""
        return not isinstance(self.pause.prompt, RecoveryPrompt)

    def leave(self) -> None:
        """Leave without an answer: it stays open."""
        self.dismiss(AnswerOutcome(sent=False, note=self.note_now(), draft=self.draft))

    def _leave_for(self, onward: Onward, words: str = "") -> None:
        self.dismiss(AnswerOutcome(sent=False, note="", draft=self.draft, onward=onward, words=words))

    def _object(self, words: str) -> None:
        """Say why nothing comes of a key, or what does; nothing is armed any more. The text is safe to draw."""
        self.looked_away()
        # The way that the body's own sentences come, or that of what was armed would be the last one.
        self._body.post_message(Say(words, "error"))

    # -- sent back ----------------------------------------------------------------------------

    def action_send_back(self) -> None:
        """Leave without an answer, to ask from where it is to be done again."""
        if not self._is_over and not self.gate.busy and self._may_be_turned:
            self._send_back()

    @work(group="send back", exclusive=True)
    async def _send_back(self) -> None:
        why_not = await self._why_not_back()
        if self._is_over or self.gate.busy:
            return
        if why_not:
            self._object(f"Not sent back: {why_not}")
        else:
            self._leave_for(Onward.SEND_BACK, self._comment.value)

    async def _why_not_back(self) -> str:
        """Return why it cannot be sent back; empty: it can, or that is not heard in time."""
        if self._advice is None or self._advice.why_not_back is None:
            return ""
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._advice.why_not_back()
        except TimeoutError:
            return ""

    # -- rejected -----------------------------------------------------------------------------

    def action_reject(self) -> None:
        """Choose the answer that rejects; where there is none, offer to cancel the run, and go there when asked again."""
        if self._is_over or self.gate.busy or not self._may_be_turned:
            return
        if self.says(_NO_REJECT):
            # A held key would not leave anybody the time to read it.
            if self.gate.verdict is not Press.HURRIED:
                self._leave_for(Onward.CANCEL)
            return
        if self._body.reject():
            # A reason is what is typed next, and none of its letters must send anything.
            self.add_class("-crowded")
            self._comment.ask()
            # After the focus has come, on which it depends what a key does.
            self.app.call_later(self._body.remind)
        else:
            self._object(_NO_REJECT)

    # -- its state ----------------------------------------------------------------------------

    def action_edit_state(self) -> None:
        """Leave without an answer, to change the state of the run first: in a fork of it."""
        if not self._is_over and not self.gate.busy:
            self._leave_for(Onward.EDIT)
