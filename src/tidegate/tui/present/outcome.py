"""How a question that is closed is shown, wherever that is: what was said, or that nobody said anything."""

from tidegate.model.listing import PauseRow
from tidegate.model.prompt import ConfirmPrompt
from tidegate.model.state import PauseState
from tidegate.tui.lines import Tone
from tidegate.tui.looks.symbols import Sign

__all__ = ["outcome_sign"]

_ANSWERED, _REFUSED = Sign("✓", "answered", Tone.DONE), Sign("✗", "answered", Tone.FAILED)
_EXPIRED, _CLOSED = Sign("○", "expired", Tone.WAITING), Sign("⊘", "closed", Tone.DIM)


def outcome_sign(row: PauseRow) -> Sign:
    """Return how a closed pause is shown; a person's no is no tick."""
    if row.answer is not None:
        is_no = isinstance(row.prompt, ConfirmPrompt) and row.answer.value is False
        return _REFUSED if is_no else _ANSWERED
    return _EXPIRED if row.state is PauseState.EXPIRED else _CLOSED
