"""The one-line bars: tabs above, keys below, and what there is to say in between."""

from collections.abc import Callable
from dataclasses import replace

from rich.cells import cell_len
from textual.events import Resize

from tidegate.clock import Clock
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Command, footer
from tidegate.tui.lines import Line, Piece, Tone, fit
from tidegate.tui.reads.overview import COUNTED, Overview
from tidegate.tui.times import clock_time
from tidegate.tui.widgets.line_view import LineView

__all__ = ["NOTE_SHARE", "KeyBar", "StatusLine", "TabBar", "beside_note", "note_in", "tab_pieces"]

NOTE_SHARE = 60
"""Percent of the status line that a note may take from what is said about the screen."""
_SHORT = {"3 Checkpoints": "3 Ckpt", "4 Workflows": "4 Wf", "5 Dashboard": "5 Dash", "6 Activity": "6 Act"}
_ONLY_LOOKS = "read only"
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


def tab_pieces(overview: Overview, mode: str, width: int = 0) -> tuple[Piece, ...]:
    """Return the tabs, with how much is behind each.

    Args:
        overview: How much there is.
        mode: The tab one is on.
        width: Cells; where they are few, our own name gives way, then the names of the tabs that one is not on:
            they become short, and at last only their digit is left. 0: enough.
    """
    named = _tabs(overview, mode, lambda title: title)
    ours = (Piece(" tidegate ", Tone.ACCENT), Piece(" "))
    short = _tabs(overview, mode, lambda title: _SHORT.get(title, title))
    fitting = (tabs for tabs in (ours + named, named, short) if not width or _width(tabs) <= width)
    return next(fitting, _tabs(overview, mode, lambda title: title[0]))


def _tabs(overview: Overview, mode: str, shorten: Callable[[str], str]) -> tuple[Piece, ...]:
    waiting = overview.waiting
    tabs = (
        ("inbox", "1 Inbox", f"◆{waiting}" if waiting else "", Tone.WAITING),
        ("runs", "2 Runs", f"●{overview.running}" if overview.running else "", Tone.RUNNING),
        ("checkpoints", "3 Checkpoints", _count(overview.checkpoints), Tone.DIM),
        ("workflows", "4 Workflows", _count(overview.workflows), Tone.DIM),
        ("dashboard", "5 Dashboard", "", Tone.DIM),
        ("activity", "6 Activity", "", Tone.DIM),
    )
    pieces = []
    for name, title, count, tone in tabs:
        here, action = name == mode, f"app.mode('{name}')"
        pieces.append(
            Piece(f" {title if here else shorten(title)} ", Tone.TAB if here else Tone.PLAIN, action)
        )
        if count:
            pieces.append(Piece(f"{count} ", Tone.TAB if here else tone, action))
        pieces.append(Piece(" "))
    return tuple(pieces)


def _count(number: int) -> str:
    return "" if not number else f"{number}+" if number >= COUNTED else str(number)


class TabBar(_Bar):
    """The modes, with counts, and where the store is."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self._overview = Overview()
        self._read_only = False

    def on_mount(self) -> None:
        """Keep up with the counts."""
        self.watch(self.app, "overview", self._set_overview)
        self.watch(self.app, "read_only", self._set_read_only)

    def _set_overview(self, overview: Overview) -> None:
        self._overview = overview
        self.draw()

    def _set_read_only(self, read_only: bool) -> None:
        self._read_only = read_only
        self.draw()

    def draw(self) -> None:
        """Show the counts, and the time while the screen is looked at."""
        now = self._clock.now()
        place = safe_line(self._overview.url.rpartition("/")[2] or self._overview.url.partition(":")[0], 24)
        clock = f"{clock_time(now, now)[:5]} "
        kept = len(f"{_ONLY_LOOKS}  {clock}") if self._read_only else 0
        tabs = tab_pieces(self._overview, self.app.current_mode, self.size.width - kept)
        # The place gives way first: half a time tells nothing.
        is_roomy = _width(tabs) + kept + cell_len(f"{place}  {clock}") < self.size.width
        words = Piece(f"{place}  {clock}" if is_roomy else clock, Tone.DIM)
        self._put(tabs, (Piece(f"{_ONLY_LOOKS}  ", Tone.WAITING), words) if self._read_only else (words,))


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
