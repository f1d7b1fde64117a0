"""Whose business a question is, or for how long it is snoozed. Neither answers it."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on

from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.picks import PickDialog
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.present.pauses import minute
from tidegate.tui.snoozes import Choice
from tidegate.tui.widgets.line_list import LineList

__all__ = ["ANYBODY", "SOMEBODY", "WAKE", "HandOnDialog", "Hands"]

WAKE = "wake"
"""What is dismissed with where it is to be woken."""
SOMEBODY = "to"
"""Where somebody is still to be named."""
ANYBODY = "to:"
"""Where it is to be nobody's in particular; behind it stands the name of somebody whose it is to be."""


@dataclass(frozen=True, slots=True)
class Hands:
    """Whose it may become from here."""

    me: str
    assignees: frozenset[str]
    """Whose the questions are now; empty text: anybody's."""
    known: tuple[str, ...] = ()
    """Others who have answered lately."""


class HandOnDialog(PickDialog[str | None]):
    """Dismisses with the key of a choice, `WAKE`, `SOMEBODY`, or `ANYBODY` with a name; None: nothing is changed.

    Args:
        what: What is handed on, or snoozed.
        hands: Whose it may become; None: nothing is changed from here, only snoozed.
        offered: For how long it may be snoozed.
        now: Seconds since 1970 UTC.
        may_wake: Whether it is snoozed already.
    """

    TITLE_OF_WINDOW = "Hand on, or snooze"

    def __init__(
        self, what: str, hands: Hands | None, offered: Sequence[Choice], now: float, *, may_wake: bool
    ) -> None:
        super().__init__()
        self._what = what
        self._hands = hands
        self._offered = tuple(offered)
        self._now = now
        self._may_wake = may_wake

    def lines(self) -> Sequence[Line]:
        """Return one row per way: whose it becomes, then for how long it is put off."""
        back = [Line(WAKE, (Piece("wake it now"),))] if self._may_wake else []
        return [*_to(self._hands), *back, *map(self._line, self._offered)]

    def _line(self, choice: Choice) -> Line:
        at = minute(choice.until, self._now)
        said = f"until {at}, before its deadline" if choice.is_cut else f"back {at}"
        return _row(choice.key, f"snooze {choice.words}", said)

    def on_mount(self) -> None:
        """Say what it means."""
        super().on_mount()
        what = safe_line(self._what, 120)
        self.note(
            f"{what}: stays open, and anybody may answer. A snooze is yours alone, others see it as before · esc"
        )

    @on(LineList.Selected)
    def _choose(self, event: LineList.Selected) -> None:
        event.stop()
        self.dismiss(event.key)


def _row(key: str, what: str, said: str) -> Line:
    return Line(key, (Piece(f"{what:<29}"), Piece(said, Tone.DIM)))


def _to(hands: Hands | None) -> list[Line]:
    """Return the ways to hand it on; to whom it is already is none."""
    if hands is None:
        return []
    ways = [(hands.me, "me", "others see that you are at it")]
    ways += [(name, safe_line(name, 14), "has answered lately") for name in hands.known if name != hands.me]
    lines = [
        _row(f"{ANYBODY}{name}", f"assign it to {words}", said)
        for name, words, said in ways
        if hands.assignees != {name}
    ]
    lines.append(_row(SOMEBODY, "assign it to ...", "a name, and a note"))
    back = _row(ANYBODY, "anybody's again", "nobody's in particular")
    return lines if hands.assignees == {""} else [*lines, back]
