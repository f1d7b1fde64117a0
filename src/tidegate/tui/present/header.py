"""The first line: the modes with what is behind each, and where one is. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from tidegate.tui.lines import Piece, Tone
from tidegate.tui.nouns.overview import COUNTED, Overview

__all__ = ["Stand", "header_pieces", "tab_forms"]

_SHORT = {"3 Checkpoints": "3 Ckpt", "4 Workflows": "4 Wf", "5 Dashboard": "5 Dash", "6 Activity": "6 Act"}


@dataclass(frozen=True, slots=True)
class Stand:
    """Where one is: which store, what may be done to it, how near it is, and what time it is."""

    place: str
    """Safe to draw."""
    read_only: bool
    near: Piece
    time: str

    def pieces(self, *, with_place: bool = False) -> tuple[Piece, ...]:
        """Return all of it."""
        place = (Piece(f"{self.place} ", Tone.DIM),) if with_place and self.place else ()
        may = Piece("ro ", Tone.WAITING) if self.read_only else Piece("rw ", Tone.DIM)
        return (*place, may, replace(self.near, text=f"{self.near.text} "), Piece(f"{self.time} ", Tone.DIM))

    def warnings(self, *, with_time: bool = False) -> tuple[Piece, ...]:
        """Return only what is not as usual."""
        may, near, time = self.pieces()
        unusual = tuple(piece for piece in (may, near) if piece.tone is not Tone.DIM)
        return (*unusual, time) if with_time else unusual


def header_pieces(
    tabs: Sequence[tuple[Piece, ...]], stand: Stand, width: int
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both ends of the first line: the tabs, and where one is.

    What is at the right end gives way where it is as it always is; the names of tabs do so before which store it is,
    and how near that is. No tab ever does.

    Args:
        tabs: As wide as they may be, and then always less so; the last ones fit anyway.
        stand: Where one is.
        width: Cells.
    """
    *named, short, digits = tabs
    whole, least = stand.pieces(with_place=True), stand.warnings()
    forms = [(form, whole) for form in (*named, short)]
    forms += [(short, stand.pieces()), (short, stand.warnings(with_time=True)), (short, least)]
    forms += [(digits, stand.pieces()), (digits, least), (digits, least[-1:])]
    # One cell stays free between them.
    fitting = (form for form in forms if _cells(form[0]) + _cells(form[1]) < width)
    return next(fitting, (digits, ()))


def tab_forms(overview: Overview, mode: str) -> tuple[tuple[Piece, ...], ...]:
    """Return the tabs as wide as they may be, and then always less so."""
    named = _tabs(overview, mode, lambda title: title)
    short = _tabs(overview, mode, lambda title: _SHORT.get(title, title))
    digits = _tabs(overview, mode, lambda title: title[0])
    return (Piece(" tidegate ", Tone.ACCENT), Piece(" "), *named), named, short, digits


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


def _cells(pieces: tuple[Piece, ...]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)
