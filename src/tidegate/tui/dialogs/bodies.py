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
from tidegate.tui.dialogs.body import Body
from tidegate.tui.dialogs.confirm_body import ConfirmBody
from tidegate.tui.dialogs.form_body import FormBody
from tidegate.tui.dialogs.gate import Gate
from tidegate.tui.dialogs.input_body import InputBody
from tidegate.tui.dialogs.options_body import ChoiceBody
from tidegate.tui.dialogs.recovery_body import RecoveryBody
from tidegate.tui.dialogs.several_body import SeveralBody

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
