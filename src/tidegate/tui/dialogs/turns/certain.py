"""A dialog whose two presses are not enough for what cannot be undone: the start of the run's id is typed, too."""

from typing import TypeVar

from textual import on
from textual.widgets import Input

from tidegate.model.ids import RunId
from tidegate.tui.dialogs.bodies.body import ArmedBody
from tidegate.tui.dialogs.frame.base import Dialog, Say
from tidegate.tui.dialogs.frame.certainty import CertaintyField, name_of_run
from tidegate.tui.dialogs.frame.gate import Pace
from tidegate.tui.dialogs.frame.words import WRITING

__all__ = ["CertainDialog"]

ResultT = TypeVar("ResultT")


class CertainDialog(Dialog[ResultT]):
    """Asks for it once something is armed that needs it, and refuses what is sent without it."""

    _body: ArmedBody

    def __init__(self, run_id: RunId, *, pace: Pace) -> None:
        """Make it; *run_id* is the run that is to be named."""
        self._proof = name_of_run(run_id)
        super().__init__(pace=pace)
        self.certainty = CertaintyField(self.gate)

    def final_of(self, raw: str) -> str:
        """Return what a choice does and cannot be undone, as names that are safe to draw; empty: nothing."""
        raise NotImplementedError

    def show_sentence(self, event: Say) -> None:
        """Show what the body says; of what is armed first what is still to be typed, whatever else has room."""
        option = self._body.option
        final = self.final_of(self._body.raw_of(option)) if option is not None else ""
        self.say(f"{self.certainty.wish(final, self._proof)} {event.text}".lstrip(), event.tone)

    def is_certain(self, raw: str) -> bool:
        """Return whether a choice may be done; if not, ask for what is still to be typed."""
        refusal = self.certainty.refusal(
            self.final_of(raw), self._proof, undone="Not done", then="enter then goes back"
        )
        if refusal:
            self.say(refusal, "error")
        return not refusal

    def strayed(self) -> None:
        """Take back what is armed: whoever writes a text decides nothing with its letters."""
        self._body.strayed()
        self._body.post_message(Say(WRITING, "error"))

    def looked_away(self) -> None:
        """Take back what is armed."""
        self._body.disarm()

    def came_back(self) -> None:
        """Take back what is armed, and say so."""
        self._body.came_back()

    def leave_certainty(self) -> bool:
        """Go back from it to the choice; return whether somebody was there."""
        was_there = self.certainty.has_focus
        if was_there:
            self._body.begin_again()
        return was_there

    @on(Input.Submitted, "#certainty")
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self.leave_certainty()
