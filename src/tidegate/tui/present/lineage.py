"""Where a run comes from and which runs go on from it: one line of the run view, and the tree of forks."""

from collections.abc import Iterator
from dataclasses import dataclass

from tidegate.history.views import RunView
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.present.runs import signed
from tidegate.tui.present.shared import counted, short_id

__all__ = ["Branch", "lineage_line", "tree_lines"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A run, and the runs that go on from a point of it, by that point."""

    view: RunView
    forks: "tuple[Branch, ...]"
    has_more: bool = False
    """Whether there are more of them than were read."""


def lineage_line(view: RunView, forks: int) -> Line | None:
    """Return which run a run goes on from, and how many go on from it; None: none does, and it from none."""
    origin = view.row.origin
    pieces: list[Piece] = []
    if origin is not None:
        pieces += [Piece("fork of ", Tone.DIM), Piece(f"{short_id(origin.run_id)}@{origin.seq}", Tone.STRONG)]
    if forks:
        pieces += [Piece(" · " if pieces else ""), Piece(counted(forks, "fork"), Tone.STRONG)]
    if not pieces:
        return None
    shown = (
        Piece("  "),
        Piece("t", Tone.KEY, "screen.travel"),
        Piece(" shows the tree", Tone.DIM, "screen.travel"),
    )
    return Line("lineage", (*pieces, *shown), selectable=False)


def tree_lines(tree: Branch | None, here: str) -> list[Line]:
    """Return the tree of forks, one run a line; its key is the run's id.

    Args:
        tree: From the run they all come from; None: there are none.
        here: The run one is looking at.
    """
    return [] if tree is None else list(_lines(tree, here, "", ""))


def _lines(branch: Branch, here: str, lead: str, inner: str) -> Iterator[Line]:
    row, sign = branch.view.row, signed(branch.view)
    origin = f" @{row.origin.seq}" if row.origin is not None else ""
    by = f" by {safe_line(row.by, 30)}" if row.by and row.origin is not None else ""
    this = " this run" if row.run_id == here else ""
    pieces = (
        Piece(lead, Tone.RULE),
        Piece(short_id(row.run_id), Tone.STRONG if this else Tone.PLAIN),
        Piece(origin, Tone.ACCENT),
        Piece(f"{this}  ", Tone.DIM),
        sign.piece,
        Piece(by, Tone.DIM),
    )
    yield Line(row.run_id, pieces)
    for number, fork in enumerate(branch.forks, 1):
        is_last = number == len(branch.forks) and not branch.has_more
        yield from _lines(
            fork, here, f"{inner}{'╰' if is_last else '├'}─ ", f"{inner}{'   ' if is_last else '│  '}"
        )
    if branch.has_more:
        more = (Piece(f"{inner}╰─ ", Tone.RULE), Piece("… more", Tone.DIM))
        yield Line(f"more:{row.run_id}", more, selectable=False)
