"""For how long a question is snoozed. Nothing in it touches a run."""

from collections.abc import Sequence

from textual import on

from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.picks import PickDialog
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.present.pauses import minute
from tidegate.tui.snoozes import Choice
from tidegate.tui.widgets.line_list import LineList

__all__ = ["WAKE", "SnoozeDialog"]

WAKE = "wake"
"""What is dismissed with where it is to be woken."""


class SnoozeDialog(PickDialog[str | None]):
    """Dismisses with the key of a choice; `WAKE`: at once; None: nothing is changed.

    Args:
        what: What is snoozed.
        offered: For how long it may be.
        now: Seconds since 1970 UTC.
        may_wake: Whether it is snoozed already.
    """

    TITLE_OF_WINDOW = "Snooze"

    def __init__(self, what: str, offered: Sequence[Choice], now: float, *, may_wake: bool) -> None:
        super().__init__()
        self._what = what
        self._offered = tuple(offered)
        self._now = now
        self._may_wake = may_wake

    def lines(self) -> Sequence[Line]:
        """Return one row per choice, with when it is back."""
        back = [Line(WAKE, (Piece("wake it now"),))] if self._may_wake else []
        return [*back, *map(self._line, self._offered)]

    def _line(self, choice: Choice) -> Line:
        at = minute(choice.until, self._now)
        said = f"until {at}, before its deadline" if choice.is_cut else f"back {at}"
        return Line(choice.key, (Piece(f"{choice.words:<22}"), Piece(said, Tone.DIM)))

    def on_mount(self) -> None:
        """Say what it means."""
        super().on_mount()
        self.note(
            f"{safe_line(self._what, 120)}: stays open, at the end of the list; others see it as before · esc"
        )

    @on(LineList.Selected)
    def _choose(self, event: LineList.Selected) -> None:
        event.stop()
        self.dismiss(event.key)
