"""Which keys and clicks a dialog takes. Decides with times only, and knows no widget.

An operator answers with a key, so a key must never count that was not meant for this question:
one typed before the dialog was there, one of a text that began before it, one that repeats because
it is held down, one that came out of a paste, or the click that only brought the terminal back to
the front.
"""

import math
from dataclasses import dataclass
from enum import Enum

__all__ = ["PACE", "Gate", "Pace", "Press"]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a dialog waits, in seconds."""

    inert: float = 0.4
    """After opening, until keys and clicks count; and how long a pause ends a text that began before that."""
    quiet: float = 0.12
    """Around the press that sends: longer than a held key takes to repeat, shorter than a person
    takes to press twice."""
    burst: float = 0.01
    """Nobody types this fast: what follows a character so soon came out of a paste, or late over a slow line."""
    writing: float = 1.5
    """After a character that means nothing here: whoever presses a letter or enter so soon is writing a text."""


PACE = Pace()
_OF_A_TEXT = ("enter", "space")
"""Keys with longer names that a pasted text is made of, too."""
_BLANK = ("enter", "tab", "shift+tab", "backspace", "delete")
"""Keys of a text that are no letters."""
_TABS = ("tab", "shift+tab")
_ARROWS = ("left", "right", "up", "down")
_LINE = 0.25
"""Seconds behind an enter within which a letter begins the next line of a text; whoever reads first needs longer."""
_DELIBERATE = ("ctrl+t", "ctrl+x", "ctrl+s")
"""Keys that nobody presses who writes for another program: from then on what is typed is meant for the dialog."""


class Press(Enum):
    """What the newest press may do to an answer that waits for its confirmation."""

    CLEAR = "clear"
    """It may send it."""
    HURRIED = "hurried"
    """It followed the press before it too closely: a held key or a paste."""
    REPEATED = "repeated"
    """The same key as before: it may send once nothing has followed it for a while."""


class Gate:
    """One dialog's memory of what was pressed. Times are those of the events."""

    def __init__(self, pace: Pace = PACE) -> None:
        self.pace = pace
        self.busy = False
        """An answer is on its way: nothing counts until it has arrived."""
        self.presses = 0
        self._armed_at = math.inf
        self._key = self._before = ""
        self._pressed_at = -math.inf
        self._typed_at = -math.inf
        self._gap = math.inf
        self._same = False
        self._click_only_focuses = False
        self._strayed_at = self._letter_at = -math.inf
        self._early, self._early_key, self._early_at = 0, "", -math.inf
        self._left_at = -math.inf
        self.runs_on = False
        """Whether what is typed here began before the dialog took keys: an enter behind it was meant for nothing here."""
        self.is_void = False
        """Whether the newest key was one of a text: what an earlier one would still do, it does no more."""

    def open(self, at: float) -> None:
        """Begin the inert time: the dialog has been drawn at *at*."""
        self._armed_at = at + self.pace.inert

    def close(self) -> None:
        """Let nothing count until it is opened again: what keys act on is not there yet."""
        self._armed_at = math.inf

    def admits(self, at: float) -> bool:
        """Return whether something pressed at *at* counts at all."""
        return not self.busy and at >= self._armed_at

    def press(self, key: str, at: float) -> None:
        """Remember a key that was let in."""
        self.presses += 1
        self._gap = at - max(self._pressed_at, self._typed_at)
        self._same = key == self._key
        self._before, self._key, self._pressed_at = self._key, key, at
        self._click_only_focuses = False
        # It was meant for this dialog, so no text is being written any more.
        self._strayed_at, self.is_void = -math.inf, False
        self._letter_at = at if len(key) == 1 or key in _OF_A_TEXT else -math.inf
        if key in _DELIBERATE:
            self.runs_on, self._early = False, 0

    def early(self, key: str, at: float) -> None:
        """Remember a character that came before keys count: it may be one of a text that goes on here."""
        if not self.busy:
            self._early += 1
            self._early_key, self._early_at = key, at

    def _is_run_on(self, key: str, at: float) -> bool:
        """Whether a character follows one that came too early; the same one again is somebody who tries again."""
        return key not in _BLANK and key != self._early_key and at - self._early_at < self.pace.inert

    def strayed(self, at: float) -> None:
        """Remember a character that means nothing here: somebody writes, and looks elsewhere."""
        self._strayed_at = self._letter_at = at
        self.is_void = True

    def is_writing(self, key: str, at: float) -> bool:
        """Return whether a character, or a line break, at *at* is one more of a text that somebody writes or pastes."""
        is_pasted = at - self._letter_at < self.pace.burst and key != self._key
        # Whoever looks for a way out of what was typed by a slip presses tab; only a text has one right in it.
        goes_on = self.pace.inert if key in _TABS else self.pace.writing
        return is_pasted or at - self._strayed_at < goes_on or self._is_run_on(key, at)

    def typed(self, key: str, at: float) -> None:
        """Remember a character that went into a field."""
        # One may be a second press of the key that led here; several are a text, whatever pause it makes.
        self.runs_on |= self._early > 1 or self._is_run_on(key, at)
        self._typed_at = at
        self._strayed_at = self._letter_at = -math.inf

    def left_field(self) -> None:
        """Remember that enter led out of a field: a letter right behind it begins the next line of a text."""
        self._left_at = self._pressed_at

    def click(self, at: float, chain: int) -> bool:
        """Return whether a click counts; the second one of a double click never does."""
        skipped = self.spend_focus_click()
        if skipped or chain > 1 or not self.admits(at):
            return False
        self.press("click", at)
        return True

    def focus_regained(self) -> None:
        """Let the next click only bring the terminal to the front."""
        self._click_only_focuses = True

    def spend_focus_click(self) -> bool:
        """Return whether this click was the one that brought the terminal to the front."""
        spent, self._click_only_focuses = self._click_only_focuses, False
        return spent

    @property
    def is_pasted(self) -> bool:
        """Whether the newest press came out of a paste, in a terminal that does not say so."""
        return self._gap < self.pace.burst

    @property
    def is_of_table(self) -> bool:
        """Whether the newest press came with the tab of a pasted row; no text leads anywhere by an arrow."""
        return self.is_pasted and self._before not in _ARROWS

    @property
    def verdict(self) -> Press:
        """What the newest press may do."""
        line = min(_LINE, self.pace.inert)
        is_next_line = len(self._key) == 1 and self._pressed_at - self._left_at < line
        if self._gap < self.pace.quiet or is_next_line:
            return Press.HURRIED
        return Press.REPEATED if self._same and self.pace.quiet else Press.CLEAR
