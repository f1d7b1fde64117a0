"""The fields of what a workflow is started with."""

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Button, Input, Static

from tidegate.model.base import JsonObject
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import Option, Send
from tidegate.tui.dialogs.bodies.fields import FieldsBody, drafts_in
from tidegate.tui.dialogs.bodies.form_fields import FieldBox
from tidegate.tui.dialogs.frame.base import Key, Say
from tidegate.tui.dialogs.frame.certainty import CertaintyField, Proof
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.turns.launch_fields import InputBox
from tidegate.tui.nouns.launch import Launch
from tidegate.tui.present.launch import effect_words
from tidegate.tui.present.workflows import final_in

__all__ = ["LaunchBody"]


class LaunchBody(FieldsBody):
    """Every input, checked when its field is left, and with every key once it was wrong.

    Where nothing was typed, and the run may change something outside, two presses start it. Where something of that
    cannot be undone, the workflow's name is typed first.
    """

    SENDING = ("Start", "start")
    sends = "start it"
    LAST = "This is the last field: ctrl+s starts the run."

    def __init__(self, launch: Launch, gate: Gate, draft: str = "") -> None:
        drafts = drafts_in(draft)
        boxes = [
            InputBox(
                launch.definition,
                declared,
                gate,
                launch.given.get(declared.name, declared.default),
                drafts.get(declared.name),
            )
            for declared in launch.definition.inputs
        ]
        super().__init__(boxes, gate)
        self._inputs = boxes
        self._effects = effect_words(launch.definition)
        self._final = final_in(launch.definition)
        self._name_of_it = launch.definition.name.strip()
        self._certainty = CertaintyField(gate)
        self._checked: set[FieldBox] = set()
        how = "ctrl+s starts the run; tab goes from field to field." if boxes else "ctrl+s starts the run."
        self.hint = f"Your draft is back. {how}" if draft else how

    def compose(self) -> ComposeResult:
        """Show the fields, or that there are none, and what is typed before what cannot be undone."""
        if self._inputs:
            yield from super().compose()
        else:
            yield Static("It takes no inputs.", markup=False, classes="label")
            yield self.send_button()
        yield self._certainty

    @property
    def given(self) -> JsonObject:
        """What is in the fields, by name."""
        found = {box.declared.name: box.given for box in self._inputs}
        return {name: value for name, value in found.items() if value is not None}

    def say_wrong(self, number: int) -> None:
        """Say how many fields are not right yet; of none, what to do."""
        said = (
            "1 field is not right yet: it says why."
            if number == 1
            else f"{number} fields are not right yet: each says why."
        )
        self.post_message(Say(said, "error") if number else Say(self.hint))

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return super().keys()[: 2 if self._inputs else 1]

    def commit(self) -> None:
        """Start, unless a field breaks its rule; what nobody has typed, and has effects outside, is armed first."""
        self._checked.update(self._inputs)
        if self.refuse_wrong() or not self._is_certain():
            return
        # Whoever has typed the name has typed something.
        is_typed = self._certainty.is_given or any(box.is_touched for box in self._inputs)
        if self._effects and not is_typed:
            self.take(Option("", "Ready", self._effects, keys="ctrl+s again"))
        else:
            self.post_message(Send(""))

    def effect_of(self, option: Option) -> str:
        """Return what goes out as it was left, before what the run changes."""
        return f"{self.left_words} {super().effect_of(option)}".strip()

    def _is_certain(self) -> bool:
        """Return whether it may be started; if not, ask for the workflow's name."""
        title = f"Type {safe_line(self._name_of_it, 60)}, the workflow's name"
        proof = Proof(title, lambda typed: typed.strip() == self._name_of_it)
        refusal = self._certainty.refusal(
            self._final, proof, undone="Not started", then="ctrl+s then starts it"
        )
        if refusal:
            self.post_message(Say(refusal, "error"))
        return not refusal

    @on(Input.Submitted, "#certainty")
    def _typed_name(self, event: Input.Submitted) -> None:
        # The fields' own way to go on would look for the next one of them.
        event.prevent_default()
        event.stop()
        self.post_message(Say("ctrl+s starts the run."))

    def is_checked(self, box: FieldBox) -> bool:
        """Return whether the field was left before, or starting was tried."""
        return box in self._checked

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Check the field that was left; a terminal that one looks away from leaves none."""
        box = next((box for box in self._inputs if box in event.widget.ancestors), None)
        if box is not None and self.app.app_focus and self.is_attached:
            self._checked.add(box)
            self._check(box)

    @on(FieldBox.Edited)
    def check_again(self, event: FieldBox.Edited) -> None:
        """Tell with every change whether the rule holds now, once that was looked at."""
        event.stop()
        self.disarm()
        is_wrong = any(box.shown_problem for box in self._checked)
        if self.is_checked(event.box):
            self._check(event.box)
        if not is_wrong and (chosen := event.box.chosen_words):
            self.post_message(Say(f"{chosen} {self.hint}"))

    def _check(self, box: FieldBox) -> None:
        had = bool(box.shown_problem)
        if box.show_problem() or had:
            self.say_wrong(sum(bool(one.problem) for one in self._checked))

    @on(Button.Pressed, "#send")
    def send_by_button(self, event: Button.Pressed) -> None:
        """Do what ctrl+s does."""
        event.stop()
        self.commit()
