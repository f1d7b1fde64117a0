"""Every question the monitor asks a person, and the rules that keep it from being answered by accident."""

from tidegate.tui.dialogs.answering.answer import AnswerDialog
from tidegate.tui.dialogs.answering.outcome import AnswerOutcome
from tidegate.tui.dialogs.answering.sending import Submit
from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.quit import QuitDialog
from tidegate.tui.dialogs.turns.cancel import CancelDialog
from tidegate.tui.dialogs.turns.skip import SkipDialog
from tidegate.tui.dialogs.turns.turn import TurnDialog

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
