"""Sends a question back: what is done again before it is asked anew, and what is to be other this time."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tidegate.errors import InvalidAnswer
from tidegate.model.prompt import checked_comment
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.base import Key
from tidegate.tui.dialogs.frame.certainty import CertaintyField, name_of_run
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.parts import Choices, LineField
from tidegate.tui.dialogs.frame.typed import TypedDialog
from tidegate.tui.nouns.turns import Decision, Prospect

__all__ = ["SendBackDialog"]


class SendBackDialog(TypedDialog[Decision]):
    """Dismisses with what is done again and what was said with it, or None to leave the question as it is.

    Args:
        prospect: What may be done again, the nearest first, and what each would lead to.
        pace: How long keys are inert.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "way(-1)", "From where", show=False),
        Binding("down", "way(1)", "From where", show=False),
    ]

    def __init__(self, prospect: Prospect, *, pace: Pace = PACE) -> None:
        self._prospect = prospect
        super().__init__(pace=pace)
        self._list = Choices(self.gate, id="choices")
        self._feedback = LineField(self.gate, prospect.words, id="feedback", suffix=".txt")
        self._certainty = CertaintyField(self.gate)

    def prompt_content(self) -> Content:
        """Return what the way under the cursor leads to."""
        return Content("\n".join((*self._prospect.sentences, self._prospect.ways[self._chosen].effect)))

    @property
    def _chosen(self) -> int:
        return (self._list.highlighted or 0) if self.is_mounted else 0

    def header_text(self) -> str:
        """Return which question of which run is meant."""
        return self._prospect.title

    def compose_body(self) -> ComposeResult:
        """Show the ways and the field."""
        with Vertical(id="dialog-body"):
            yield self._list
            yield Static("What is to be other (required, kept in the history)", markup=False, classes="label")
            yield self._feedback
            yield self._certainty

    def on_mount(self) -> None:
        """Stand on the nearest."""
        self._list.add_options([Option(way.label, id=str(at)) for at, way in enumerate(self._prospect.ways)])
        self._list.highlighted = 0

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [
            ("↑ ↓", "from where"),
            ("enter", "send it back"),
            ("f4", "editor"),
            ("esc", "leave it as it is"),
        ]

    def armed(self) -> None:
        """Take what is to be other: from where is chosen beside it."""
        self._feedback.focus()
        self.say("Nothing happens until you say what is to be other, and press enter.")

    def action_way(self, by: int) -> None:
        """Choose from where, also while it is typed what is to be other."""
        self._list.highlighted = min(max(self._chosen + by, 0), len(self._prospect.ways) - 1)

    def action_commit(self) -> None:
        """Send it back, if there is something to say."""
        try:
            feedback = checked_comment(self._feedback.value, "feedback")
        except InvalidAnswer as error:
            self.refuse(self._feedback, f"{safe_line(error.rule, 200)}.")
            return
        if not feedback:
            self.refuse(self._feedback, "Nothing is typed yet: say what is to be other this time.")
        elif self._is_certain():
            self.dismiss(Decision(self._prospect.ways[self._chosen], feedback))

    def _is_certain(self) -> bool:
        """Return whether it may be sent back; if something of it cannot be undone, the run's id is typed first."""
        refusal = self._certainty.refusal(
            self._prospect.ways[self._chosen].final,
            name_of_run(self._prospect.run_id),
            undone="Not sent back",
            then="enter then sends it back",
        )
        if refusal:
            self.say(refusal, "error")
        return not refusal

    @property
    def typed(self) -> str:
        """What was typed, for the next time."""
        return self._feedback.value

    @on(OptionList.OptionHighlighted)
    def tell(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the way under the cursor leads to."""
        event.stop()
        self.question.update(self.prompt_content())

    @on(Choices.Entered)
    def go_on(self, event: Choices.Entered) -> None:
        """Go to the field."""
        event.stop()
        self._feedback.focus()

    @on(Input.Changed)
    def say_what_enter_does(self) -> None:
        """Say it once something is typed."""
        if self._feedback.value.strip():
            self.say("Enter sends it back, and what is listed above runs again.")
