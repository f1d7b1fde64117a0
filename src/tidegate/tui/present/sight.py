"""What stands beside the state of a point: what differs and why, or what a block wrote."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from tidegate.history.points import Point
from tidegate.history.views import RunView
from tidegate.model.ids import BlockId
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.nouns.travel import Base, Difference, Written
from tidegate.tui.present.differences import difference_lines, split_lines
from tidegate.tui.present.shared import short_id
from tidegate.tui.present.why import way_lines, why_lines
from tidegate.tui.times import clock_time

__all__ = ["difference_pane", "difference_title", "other_words", "output_pane"]

_BRIEF = {Base.FORK_POINT: "fork", Base.OTHER: "run"}
"""Words for what is compared with where there is little room."""


def difference_title(found: Difference | None, base: Base, here: Point | None) -> str:
    """Return what is compared with what."""
    comparison = found.comparison if found is not None else None
    if comparison is None or here is None:
        return f"Diff · {base}"
    left, right = comparison.left, comparison.right
    name = f"@{left.seq}" if left.run_id == here.run_id else f"{short_id(left.run_id)}@{left.seq}"
    return f"Diff {name} → @{right.seq} · {base}"


def difference_pane(
    found: Difference | None,
    here: Point,
    base: Base,
    bases: Sequence[Base],
    *,
    room: int,
    width: int | None,
    now: float,
    inside: BlockId | None = None,
) -> list[Line]:
    """Return what differs at a point, the events that led there, and what can be done from there.

    Args:
        found: What differs; None: it is being read.
        here: The point.
        base: What it is compared with.
        bases: What it may be compared with.
        room: Cells for a line.
        width: Cells for both sides next to each other; None: below each other.
        now: Seconds since 1970 UTC.
        inside: The place under the cursor, if another run does its work.
    """
    lines = [_bases(base, bases, room)]
    if found is None:
        return [*lines, text_line("Comparing…", Tone.DIM, key="comparing")]
    if found.problem:
        lines.append(text_line(safe_line(found.problem, 400), Tone.WAITING, key="problem"))
    if found.comparison is not None:
        comparison = found.comparison
        lines += difference_lines(comparison) if width is None else split_lines(comparison, width)
    return [*lines, *why_lines(found.events, found.earlier, now), *way_lines(here, inside)]


def _bases(base: Base, bases: Sequence[Base], room: int) -> Line:
    whole = _bases_pieces(base, bases, {})
    fits = cell_len("".join(piece.text for piece in whole)) <= room
    return Line("bases", whole if fits else _bases_pieces(base, bases, _BRIEF), selectable=False)


def _bases_pieces(base: Base, bases: Sequence[Base], words: Mapping[Base, str]) -> tuple[Piece, ...]:
    named = (
        Piece(
            f" {words.get(one, one)} ", Tone.TAB if one is base else Tone.DIM, f"screen.compare('{one.name}')"
        )
        for one in bases
    )
    return (
        Piece("d ", Tone.KEY, "screen.next_base"),
        *named,
        Piece(" D", Tone.KEY, "screen.other_run"),
        Piece(" other…", Tone.DIM, "screen.other_run"),
    )


def other_words(run: RunView, now: float) -> str:
    """Return which run this is, among others of its workflow."""
    row = run.row
    by = safe_line(row.by or "somebody", 40)
    return f"{short_id(row.run_id)} · {run.status.value} · started {clock_time(row.created_at, now)} by {by}"


def output_pane(written: Written | None, place: BlockId | None, tail: Sequence[Line]) -> list[Line]:
    """Return what a block had written by a point.

    Args:
        written: What was read of it; None: it had not begun.
        place: The block.
        tail: Its last lines.
    """
    if place is None:
        return [text_line("Put the cursor on a block of the state to see what it wrote.", Tone.DIM)]
    if written is None or written.place != place:
        return [text_line(f"{safe_line(place, 60)} had written nothing here.", Tone.DIM)]
    if not tail:
        tail = [text_line("it wrote nothing", Tone.DIM)]
    if written.is_whole:
        return [text_line(f"all of attempt {written.attempt}", Tone.DIM, key="note"), *tail]
    words = f"attempt {written.attempt} was at work here: what it has written since is below, too"
    return [text_line(words, Tone.WAITING, key="note"), *tail]
