"""Which dialog asks about which turn of a run."""

from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.dialogs.turns.cancel import CancelDialog
from tidegate.tui.dialogs.turns.send_back import SendBackDialog
from tidegate.tui.dialogs.turns.skip import SkipDialog
from tidegate.tui.dialogs.turns.turn import TurnDialog
from tidegate.tui.nouns.turns import Decision, Prospect, Turn

__all__ = ["turn_dialog"]


def turn_dialog(prospect: Prospect) -> Dialog[Decision | None]:
    """Return the dialog that asks whether *prospect* shall be."""
    match prospect.turn:
        case Turn.SKIP:
            return SkipDialog(prospect)
        case Turn.SEND_BACK:
            return SendBackDialog(prospect)
        case Turn.CANCEL:
            return CancelDialog(prospect)
        case _:
            return TurnDialog(prospect)
