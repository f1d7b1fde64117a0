"""The one-line bars: tabs above, keys below, and what there is to say in between."""

from collections.abc import Callable
from dataclasses import replace

from rich.cells import cell_len
from textual.events import Resize

from tidegate.clock import Clock
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Command, footer
from tidegate.tui.lines import Line, Piece, Tone, fit
from tidegate.tui.link import Link
from tidegate.tui.nouns.overview import Overview
from tidegate.tui.present.header import Stand, header_pieces, tab_forms
from tidegate.tui.times import clock_time
from tidegate.tui.widgets.line_view import LineView

__all__ = ["NOTE_SHARE", "KeyBar", "StatusLine", "TabBar", "beside_note", "note_in"]

NOTE_SHARE = 60
"""Percent of the status line that a note may take from what is said about the screen."""
_PAST = Piece("PAST", Tone.PAST)
_LONGEST_PLACE = 24
"""Cells of the name of a store."""
_LEAST = 8
"""Cells below which a cut note says nothing."""
_LEAST_LEFT = 24
"""Cells that no note takes from what is said about the screen."""


class _Bar(LineView):
    """A bar is made anew when the width changes."""

    MARKED = False

    def on_resize(self, event: Resize) -> None:
        """Fit into the new width."""
        del event
        self.draw()

    def on_mount(self) -> None:
        """Draw it for the first time."""
        self.draw()

    def draw(self) -> None:
        """Show the bar as it is now."""
        raise NotImplementedError

    def _put(self, left: tuple[Piece, ...], right: tuple[Piece, ...] = ()) -> None:
        """Show pieces at both ends; the right ones give way."""
        room = self.size.width - _width(left) - 1
        if right and _width(right) > room:
            right = (
                (Piece(fit(right[0].text, room), right[0].tone),) if room > _LEAST and len(right) == 1 else ()
            )
        gap = " " * max(0, self.size.width - _width(left) - _width(right))
        self.show([Line("bar", (*left, Piece(gap), *right), selectable=False)])


def _cut(pieces: tuple[Piece, ...], room: int) -> tuple[Piece, ...]:
    """Return *pieces* in at most *room* cells; what is cut ends in ``…``."""
    kept: list[Piece] = []
    for piece in pieces:
        size = cell_len(piece.text)
        if size > room:
            return (*kept, replace(piece, text=fit(piece.text, room)))
        kept.append(piece)
        room -= size
    return tuple(kept)


def _width(pieces: tuple[Piece, ...]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)


class TabBar(_Bar):
    """The modes, with counts, and where one is."""

    def __init__(self, clock: Clock, *, is_past: bool = False) -> None:
        """Make it.

        Args:
            clock: For the time.
            is_past: Whether what is below it is not now.
        """
        super().__init__()
        self._clock = clock
        self._overview = Overview()
        self._link = Link()
        self._read_only = False
        self._is_past = is_past

    def on_mount(self) -> None:
        """Keep up with the counts."""
        self.watch(self.app, "overview", self._set_overview)
        self.watch(self.app, "link", self._set_link)
        self.watch(self.app, "read_only", self._set_read_only)

    def _set_overview(self, overview: Overview) -> None:
        self._overview = overview
        self.draw()

    def _set_link(self, link: Link) -> None:
        self._link = link
        self.draw()

    def _set_read_only(self, read_only: bool) -> None:
        self._read_only = read_only
        self.draw()

    @property
    def _is_covered(self) -> bool:
        """Whether another screen is in front of all of it; around a dialog it is seen."""
        stack = self.app.screen_stack
        return bool(stack) and stack[-1] is not self.screen and not stack[-1].is_modal

    def draw(self) -> None:
        """Show the counts, and the time while the screen is looked at."""
        if self._is_covered:
            # The toolkit would draw the whole screen above for it. Whoever comes back draws it.
            return
        now = self._clock.now()
        url = self._overview.url
        stand = Stand(
            place=safe_line(url.rpartition("/")[2] or url.partition(":")[0], _LONGEST_PLACE),
            read_only=self._read_only,
            near=_PAST if self._is_past else self._link.piece,
            time=clock_time(now, now)[:5],
        )
        forms = tab_forms(self._overview, self.app.current_mode)
        self._put(*header_pieces(forms, stand, self.size.width))


class KeyBar(_Bar):
    """The keys that matter here; every one can be clicked."""

    def __init__(self, commands: tuple[Command, ...], applies: Callable[[str], bool]) -> None:
        """Make it.

        Args:
            commands: What works here.
            applies: Whether an action would do something now; what would not is grey, in its place.
        """
        super().__init__()
        self._commands = commands
        self._applies = applies

    def draw(self) -> None:
        """Show as many as fit."""
        pieces = [Piece(" ")]
        for command in footer(self._commands, self.size.width, self._applies):
            key = Tone.KEY if (is_on := self._applies(command.action)) else Tone.OFF
            pieces += [
                Piece(command.first_key, key, command.action),
                Piece(f" {command.label}  ", Tone.DIM if is_on else Tone.OFF, command.action),
            ]
        self._put(tuple(pieces))


class StatusLine(_Bar):
    """What there is to say about what is shown, and what happened last."""

    def __init__(self) -> None:
        super().__init__()
        self._left: tuple[Piece, ...] = ()
        self._note = Piece("")
        self._overview = Overview()

    def on_mount(self) -> None:
        """Keep up with what happens."""
        self.watch(self.app, "note", self._set_note)
        self.watch(self.app, "overview", self._set_overview)

    def say(self, *pieces: Piece) -> None:
        """Say something about what is shown."""
        self._left = pieces
        self.draw()

    def _set_note(self, note: Piece) -> None:
        self._note = note
        self.draw()

    def _set_overview(self, overview: Overview) -> None:
        self._overview = overview
        self.draw()

    def draw(self) -> None:
        """Show both; trouble with the store before any note."""
        note = Piece(f"! {self._overview.trouble}", Tone.FAILED) if self._overview.trouble else self._note
        left = (Piece(" "), *self._left)
        if note.text:
            # What just happened is said once: it has more right to the room than what stands here anyway.
            trouble = bool(self._overview.trouble)
            shown = note.text if trouble else note_in(note, self.size.width, _width(left))
            self._put(*beside_note(left, Piece(f"{shown} ", note.tone), self.size.width))
        else:
            self._put(left)


def beside_note(
    left: tuple[Piece, ...], note: Piece, width: int
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return what a line of *width* cells shows of what is said about the screen, and the note.

    The note gives way where too little would be left; but a hint, which is said nowhere else and is soon gone, does
    not as long as the line has room for it alone.
    """
    left_over = width - cell_len(note.text) - 2
    if note.tone is not Tone.DIM:
        return _cut(left, max(_LEAST_LEFT, left_over)), (note,)
    return _cut(left, left_over) if left_over >= _LEAST else (Piece(" "),), (note,)


def note_in(note: Piece, width: int, beside: int) -> str:
    """Return what the status line shows of a note.

    A hint is shown whole: it is said nowhere else. Anything else is kept in the activity, and cut with ``…`` where
    it would leave too little of what is said about the screen.

    Args:
        note: What there is to say.
        width: Cells of the line.
        beside: Cells of what else is said there.
    """
    if note.tone is Tone.DIM:
        return note.text
    most = max(_LEAST, width * NOTE_SHARE // 100, width - beside - 3)
    return fit(note.text, most) if cell_len(note.text) > most else note.text
