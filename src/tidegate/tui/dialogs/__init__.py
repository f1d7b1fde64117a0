"""Every question the monitor asks a person, and the rules that keep it from being answered by accident."""

from tidegate.tui.dialogs.answer import AnswerDialog
from tidegate.tui.dialogs.base import Dialog
from tidegate.tui.dialogs.cancel import CancelDialog
from tidegate.tui.dialogs.gate import PACE, Pace
from tidegate.tui.dialogs.outcome import AnswerOutcome
from tidegate.tui.dialogs.quit import QuitDialog
from tidegate.tui.dialogs.sending import Submit
from tidegate.tui.dialogs.skip import SkipDialog
from tidegate.tui.dialogs.turn import TurnDialog

__all__ = [
    "PACE",
    "AnswerDialog",
    "AnswerOutcome",
    "CancelDialog",
    "Dialog",
    "Pace",
    "QuitDialog",
    "SkipDialog",
    "Submit",
    "TurnDialog",
]
