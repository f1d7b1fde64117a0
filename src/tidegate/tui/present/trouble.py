"""A warning that stands above everything else, in as few lines as it takes."""

from dataclasses import replace

from tidegate.tui.lines import Line, Piece, Tone, wrap

__all__ = ["trouble_lines", "wrapped"]

_MOST = 3
"""Lines."""


def trouble_lines(text: str, width: int) -> list[Line]:
    """Return *text*, safe to draw, as at most three lines of *width* cells."""
    line = Line("trouble", (Piece(f" ! {text}", Tone.FAILED),), selectable=False, indent=3)
    return [replace(part, key=f"trouble:{n}") for n, part in enumerate(wrapped(line, width)[:_MOST])]


def wrapped(line: Line, width: int) -> list[Line]:
    """Return *line* as several; blanks at their ends are no reason for one to be too long."""
    return [replace(part, pieces=_trimmed(part.pieces)) for part in wrap(line, width)]


def _trimmed(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    return (*pieces[:-1], replace(pieces[-1], text=pieces[-1].text.rstrip())) if pieces else ()
