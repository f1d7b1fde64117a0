"""Something that was said to the operator, kept for the activity."""

from dataclasses import dataclass

from tidegate.tui.lines import Tone

__all__ = ["KEPT_NOTES", "Note"]

KEPT_NOTES = 500
"""How many are kept, the newest."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was said."""

    number: int
    """From 1."""
    at: float
    text: str
    """Safe to draw."""
    tone: Tone
