"""What to do with a block that may or may not have done its work."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from tidegate.model.prompt import RecoveryAction, RecoveryPrompt
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import Option
from tidegate.tui.dialogs.bodies.options import OptionsBody
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import LineField

__all__ = ["RecoveryBody"]

_OPTIONS = (
    Option(
        RecoveryAction.RERUN,
        "Run it again",
        "It repeats its outside effects (deploys, mails).",
        "stop",
    ),
    Option(RecoveryAction.DONE, "It is done", "Nothing runs; the blocks after it go on with these outputs."),
    Option(RecoveryAction.SKIP, "Skip it", "Nothing runs; it counts as skipped, as do blocks that need it."),
    Option(RecoveryAction.FAIL, "Let it fail", "Nothing runs; it counts as failed.", "stop"),
)
_FAILED_OPTIONS = (
    *_OPTIONS[:3],
    Option(
        RecoveryAction.FAIL, "Let it fail", "It stays failed, and what depends on it does not run.", "stop"
    ),
)
_HINT = "It may have done its work already: look before you run it again."
_FAILED_HINT = "It failed: look at why before you run it again. Part of its work may be done."
_SHORT_EFFECTS = (
    "repeats its outside effects: deploys, mails, payments",
    "goes on as if it had succeeded",
    "nothing runs",
    "nothing runs",
)
_LABEL_CELLS = 14
_ROOM_FOR_EFFECTS = 60
"""Columns."""


class RecoveryBody(OptionsBody):
    """Run again, done, skip or fail."""

    def __init__(self, prompt: RecoveryPrompt, gate: Gate, draft: str = "") -> None:
        super().__init__(_FAILED_OPTIONS if prompt.failure else _OPTIONS, gate)
        self.hint = _FAILED_HINT if prompt.failure else _HINT
        self._types = prompt.outputs
        self._outputs = LineField(gate, draft, id="outputs", suffix=".json")
        self._outputs.placeholder = f"outputs like {_example(prompt.outputs)}, or none"

    def compose(self) -> ComposeResult:
        """Show the options, and below them the outputs of a block that is done."""
        yield self.list
        with Vertical(id="outputs-row"):
            yield Static(_outputs_label(self._types), markup=False, classes="label")
            yield self._outputs

    @property
    def draft(self) -> str:
        """The outputs that were typed."""
        return self._outputs.value

    def row(self, option: Option, number: str) -> Content:
        """Return one line of the list, with what the option does if there is room for it."""
        if self.app.size.width < _ROOM_FOR_EFFECTS:
            return super().row(option, number)
        effect = _SHORT_EFFECTS[self.options.index(option)]
        label = option.label.ljust(_LABEL_CELLS)
        return Content.assemble((number, "bold"), f"  {label}", (effect, "dim"))

    def raw_of(self, option: Option) -> str:
        """Return the action, for `done` with its outputs."""
        if option.raw != RecoveryAction.DONE:
            return option.raw
        return f"{option.raw} {self._outputs.value}".rstrip()

    @on(OptionList.OptionHighlighted)
    def show_outputs(self) -> None:
        """Ask for outputs only where they are taken."""
        option = self.highlighted()
        is_done = option is not None and option.raw == RecoveryAction.DONE
        self.query_one("#outputs-row").set_class(is_done, "-asked")
        self.screen.set_class(is_done, "-crowded")

    @on(Input.Changed, "#outputs")
    def disarm_changed(self, event: Input.Changed) -> None:
        """Ask again: what was armed had other outputs."""
        event.stop()
        self.disarm()

    @on(Input.Submitted, "#outputs")
    def take_outputs(self, event: Input.Submitted) -> None:
        """Go on as enter in the list does."""
        event.stop()
        self.commit()


_TEXT = '"..."'
_SAMPLES = {"integer": "1", "number": "1.5", "boolean": "true", "list": "[]", "map": "{}"}
_NAMED = 4
"""Outputs that the example and the label name."""


def _example(outputs: dict[str, str]) -> str:
    """Return what outputs look like when they are typed."""
    if not outputs:
        return '{"stdout": "ok"}'
    named = list(outputs.items())[:2]
    pairs = [f'"{safe_line(name, 30)}": {_SAMPLES.get(kind, _TEXT)}' for name, kind in named]
    return f"{{{', '.join(pairs)}}}"


def _outputs_label(outputs: dict[str, str]) -> str:
    """Return what the field takes."""
    if not outputs:
        return "Its outputs, as a JSON object (tab; may stay empty)"
    named = [f"{safe_line(name, 30)} ({safe_line(kind, 20)})" for name, kind in outputs.items()]
    more = ["..."] if len(named) > _NAMED else []
    return f"Its outputs, as a JSON object: {', '.join([*named[:_NAMED], *more])} (tab; may stay empty)"
