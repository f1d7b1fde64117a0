"""How near the monitor is to its store: whether what is shown is as it stands there, and if not, why and since when.

Pure: the app says when it has heard of the store, and what went wrong.
"""

from dataclasses import dataclass
from typing import Final

from tidegate.errors import CorruptStore, StoreError, StoreUnavailable
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.present.trouble import trouble_lines
from tidegate.tui.times import past

__all__ = ["QUIET", "Link", "banner", "link_of", "problem_of"]

QUIET: Final = 5.0
"""Seconds of silence from which on it is said: a store that is well is heard of every two seconds."""
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Link:
    """The way to the store at one moment."""

    problem: str = ""
    """Why the store cannot be read, and what would help; empty: nothing says that it cannot."""
    silent: int = 0
    """Seconds since it was heard of, from `QUIET` on or beside a problem; 0: it is well."""

    @property
    def is_live(self) -> bool:
        """Whether what is shown is what is there."""
        return not self.problem and not self.silent

    @property
    def piece(self) -> Piece:
        """How the header says it."""
        if self.problem:
            return Piece("lost", Tone.FAILED)
        if self.silent:
            return Piece(f"late {self.silent} s", Tone.WAITING)
        return Piece("live", Tone.DIM)


def link_of(problem: str, silent: float) -> Link:
    """Return the link.

    Args:
        problem: Why the store could not be read when it was tried last; empty: it could.
        silent: Seconds since it was read.
    """
    return Link(problem, int(silent) if problem or silent >= QUIET else 0)


def problem_of(error: StoreError) -> str:
    """Return what is wrong with which store, by the name of its file, and what would help."""
    url = error.url if isinstance(error, StoreUnavailable | CorruptStore) else ""
    problem = str(error).removeprefix(f"store {url}: ").removesuffix(".")
    # Its folders would take the line that what would help needs.
    return f"store {url.rpartition('/')[2] or url}: {problem}" if url else problem


def banner(link: Link, width: int, doctor: str) -> list[Line]:
    """Return what stands above everything while the store is not heard of; nothing while it is.

    Args:
        link: How near the store is.
        width: Cells.
        doctor: The command that says whether it can be read.
    """
    if link.is_live:
        return []
    if link.problem:
        text = (
            f"{safe_line(link.problem, _LONGEST)}. Trying again (what is shown was read {past(link.silent)})"
        )
    else:
        text = (
            f"nothing was heard of the store for {link.silent} s: what is shown may have changed since. "
            f"`{safe_line(doctor, _LONGEST)}` in another terminal says whether it can be read"
        )
    return trouble_lines(text, width)
