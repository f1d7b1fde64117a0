"""Which body asks what."""

from typing import assert_never

from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    FormPrompt,
    InputPrompt,
    Prompt,
    RecoveryPrompt,
)
from tidegate.tui.dialogs.bodies.body import Body
from tidegate.tui.dialogs.bodies.confirm import ConfirmBody
from tidegate.tui.dialogs.bodies.form import FormBody
from tidegate.tui.dialogs.bodies.input import InputBody
from tidegate.tui.dialogs.bodies.options import ChoiceBody
from tidegate.tui.dialogs.bodies.recovery import RecoveryBody
from tidegate.tui.dialogs.bodies.several import SeveralBody
from tidegate.tui.dialogs.frame.gate import Gate

__all__ = ["body_of"]


def body_of(prompt: Prompt, gate: Gate, draft: str, *, several: bool = False) -> Body:
    """Return what asks *prompt*.

    Args:
        prompt: What is asked.
        gate: Of the dialog.
        draft: `Body.draft` of the last time.
        several: Whether it is asked for more than one run.
    """
    match prompt:
        case ConfirmPrompt():
            return ConfirmBody(prompt, gate, several=several)
        case ChoicePrompt(multiple=True):
            return SeveralBody(prompt, gate, draft)
        case ChoicePrompt():
            return ChoiceBody(prompt, gate)
        case InputPrompt():
            return InputBody(prompt, gate, draft)
        case FormPrompt():
            return FormBody(prompt, gate, draft)
        case RecoveryPrompt():
            return RecoveryBody(prompt, gate, draft)
        case _ as unreachable:
            assert_never(unreachable)
