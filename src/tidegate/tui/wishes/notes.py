"""What there was to say: said once where it is seen, and kept, so that nothing is lost when it fades."""

from collections.abc import MutableSequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rich.cells import cell_len

from tidegate.safe_text import safe_line
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.nouns.note import Note
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.widgets.bars import NOTE_SHARE

if TYPE_CHECKING:
    from tidegate.clock import Clock
    from tidegate.tui.operated import OperatedApp

__all__ = ["Notes"]

_SECONDS, _BRIEFLY = 10.0, 6.0
"""How long a note stands in the status line, and how long a hint, which is about the key just pressed."""
_FRESH = 2.0
"""Seconds within which a note is not yet read, and stays where somebody goes meanwhile, or is led by what it tells."""
_WIDE = 110
"""Columns from which on what did not simply go well is said as a toast, too."""
_LONGEST = 400


@runtime_checkable
class Remarking(Protocol):
    """A dialog, which has a place of its own for what there is to say."""

    def remark(self, words: str) -> None:
        """Say something by the way, safe to draw."""
        ...


class Notes:
    """Says things in the status line, and as toasts."""

    def __init__(self, app: "OperatedApp", clock: "Clock", kept: MutableSequence[Note]) -> None:
        """Make it.

        Args:
            app: Where it is said.
            clock: When.
            kept: What was said goes here, the newest last; hints do not.
        """
        self._app = app
        self._clock = clock
        self._count = 0
        self._kept = kept
        self._said_at = 0.0
        app.tell_lost = self.say_lost

    def tell(self, text: str, tone: Tone) -> None:
        """Say something once: in the status line, and as a toast where that is not seen or too far away."""
        line = safe_line(text, _LONGEST)
        note = self._app.note = Piece(line, tone)
        self._said_at = self._clock.monotonic()
        if tone is not Tone.DIM:
            self.keep(line, tone)
            if self._app.screen_stack and not self._is_seen(line, tone):
                self._app.notify(
                    line, markup=False, severity="error" if tone is Tone.FAILED else "information"
                )
                self._say_in_dialog(line, tone)
        self._app.set_timer(_BRIEFLY if tone is Tone.DIM else _SECONDS, lambda: self._forget(note))

    def say_lost(self, why: str) -> None:
        """Say why keys were not heard, in front of what was said a moment ago: it is not read yet."""
        said = self._app.note
        both = f"{why} · {said.text}" if said.text and self._is_fresh else why
        self.tell(both if cell_len(both) < self._app.size.width else why, Tone.DIM)

    @property
    def _is_fresh(self) -> bool:
        return self._clock.monotonic() - self._said_at <= _FRESH

    def _say_in_dialog(self, line: str, tone: Tone) -> None:
        """Say what went wrong in the dialog in front, where no toast is drawn: it may be about a key of it."""
        screen = self._app.screen
        if tone is Tone.FAILED and isinstance(screen, Remarking):
            screen.remark(f"{line.rstrip('.')}.")

    def keep(self, text: str, tone: Tone) -> None:
        """Keep what is said elsewhere already."""
        self._count += 1
        self._kept.append(Note(self._count, self._clock.now(), safe_line(text, _LONGEST), tone))

    def moved(self) -> None:
        """Let go of what was said on another screen: there it would be read as news of this one."""
        if not self._is_fresh:
            self._app.note = Piece("")

    def _is_seen(self, line: str, tone: Tone) -> bool:
        """Whether the status line is in sight, has room for a note, and a toast would only say it twice.

        What went well is read in passing; a toast would lie on the next question. What went wrong far above where
        somebody looks is said near it, too.
        """
        screen = self._app.screen
        is_bare = isinstance(screen, MonitorScreen) and not screen.has_class("-filtering")
        # There one reads the head at every step, and a toast would lie on what differs.
        is_past = isinstance(screen, MonitorScreen) and screen.IS_PAST
        width = self._app.size.width
        return (
            is_bare
            and cell_len(line) <= width * NOTE_SHARE // 100
            and (width < _WIDE or is_past or tone is Tone.DONE)
            and not self._app.overview.trouble
        )

    def _forget(self, note: Piece) -> None:
        if self._app.note is note:
            self._app.note = Piece("")
