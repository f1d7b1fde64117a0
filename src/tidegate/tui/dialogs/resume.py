"""Asks before a run goes on: what ran once with effects outside may run a second time."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button

from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.base import Dialog, Key
from tidegate.tui.dialogs.body import ArmedBody, Option, Say, Send
from tidegate.tui.dialogs.gate import PACE, Gate, Pace
from tidegate.tui.dialogs.parts import GatedButton
from tidegate.tui.resuming import Resumption

__all__ = ["ResumeDialog"]

_NAMED = 12
"""Blocks that are named; of more it is said how many there are."""


class ResumeBody(ArmedBody, can_focus=True):
    """One answer, in two presses."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "choose", "Resume"),
        Binding("enter", "commit", "Resume", show=False),
    ]
    nothing_chosen = "Nothing is chosen yet: press y to resume, or esc to leave it as it is."
    hint = "Nothing runs until you press y, and then y or enter."

    def __init__(self, effect: str, gate: Gate) -> None:
        super().__init__(gate)
        self._resume = Option("yes", "Resume", effect, "stop", "y or enter")

    def compose(self) -> ComposeResult:
        """Show the one button. It takes clicks, never the focus."""
        with Horizontal(id="confirm-buttons"):
            yield GatedButton("y  Resume", self.gate, id="resume", can_focus=False)

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return [("y", "resume")]

    def begin(self) -> None:
        """Take keys; nothing is chosen."""
        self.focus()

    def highlighted(self) -> Option | None:
        """Return nothing: there is nothing to stand on before it is chosen."""
        return None

    def show_armed(self, option: Option | None) -> None:
        """Mark the button."""
        self.query_one("#resume").set_class(option is not None, "-armed")

    def action_choose(self) -> None:
        """Arm it, or send it if it is armed."""
        self.take(self._resume)

    def action_commit(self) -> None:
        """Send it if it is armed."""
        self.commit()

    @on(Button.Pressed)
    def choose_by_click(self, event: Button.Pressed) -> None:
        """Do what the key of the button does."""
        event.stop()
        self.action_choose()


class ResumeDialog(Dialog[bool]):
    """Dismisses with True to resume the run.

    Args:
        plan: What would become of which blocks.
        pace: How long keys are inert.
    """

    def __init__(self, plan: Resumption, *, pace: Pace = PACE) -> None:
        self._plan = plan
        super().__init__(pace=pace)
        effect = "Blocks that failed run again." if plan.is_failed else "The run goes on."
        self._body = ResumeBody(effect, self.gate)

    def prompt_content(self) -> Content:
        """Return which blocks run again, and which are asked about."""
        return Content("\n".join(_sentences(self._plan)))

    def header_text(self) -> str:
        """Return which run is meant."""
        return f"Resume · {safe_line(self._plan.workflow, 120)} · run {safe_line(self._plan.run_id, 40)}"

    def compose_body(self) -> ComposeResult:
        """Show the one thing that can be done."""
        yield self._body

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [*self._body.keys(), ("esc", "no: leave it as it is")]

    def armed(self) -> None:
        """Take keys."""
        self.say(self._body.hint)
        self._body.begin()

    def action_commit(self) -> None:
        """Go on as enter does."""
        self._body.commit()

    def action_back(self) -> None:
        """Take back the choice, or leave the run as it is."""
        if not self._body.step_back():
            self.dismiss(False)  # the toolkit's signature

    @on(Say)
    def show_sentence(self, event: Say) -> None:
        """Show what the body says."""
        self.say(event.text, event.tone)

    @on(Send)
    def resume(self) -> None:
        """Let it go on."""
        self.dismiss(True)  # the toolkit's signature


def _sentences(plan: Resumption) -> list[str]:
    if plan.is_failed:
        follow = [f"After that, because they follow: {_names(plan.following)}."] if plan.following else []
        return [
            f"Failed, and run again: {_names(plan.failed)}.",
            *follow,
            "What they do outside (deploys, mails, payments) they do again. What had succeeded is kept.",
        ]
    said = []
    if plan.asked:
        said.append(
            f"Interrupted: {_names(plan.asked)}. You are asked what to do about it before it runs again."
        )
    if plan.rerun:
        said.append(f"Interrupted, and run again without a question: {_names(plan.rerun)}.")
    if plan.ended:
        said.append(f"Interrupted, and not run again, as the workflow says: {_names(plan.ended)}.")
    return [*(said or ["No block was interrupted half-way."]), "The run goes on from where it stopped."]


def _names(blocks: Sequence[str]) -> str:
    named = ", ".join(safe_line(block, 60) for block in blocks[:_NAMED]) or "none"
    return named + (f" and {len(blocks) - _NAMED} more" if len(blocks) > _NAMED else "")
