"""One run: what stands above its waves, and the block one wants to see first."""

from enum import StrEnum
from itertools import islice

from rich.cells import cell_len

from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.state import BlockStatus, RunState
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, fit, text_line
from tidegate.tui.looks.symbols import HELD
from tidegate.tui.present.lineage import lineage_line
from tidegate.tui.present.places import place_words
from tidegate.tui.present.runs import drained, reason_of, signed, why
from tidegate.tui.present.shared import progress, progress_tone, short_id
from tidegate.tui.times import clock_time, lasted

__all__ = [
    "Form",
    "first_block",
    "follow_on",
    "form_named",
    "form_shown",
    "header_lines",
    "is_beside",
    "next_form",
    "status_pieces",
]

_NAMED = 2
"""Places that are named of those a run waits for."""
_WORTH = (
    BlockStatus.PAUSED,
    BlockStatus.RUNNING,
    BlockStatus.FAILED,
    BlockStatus.INTERRUPTED,
    BlockStatus.REJECTED,
)
"""What one wants to see of a run, the most urgent first."""
_OVER = (BlockStatus.SUCCEEDED, BlockStatus.SKIPPED)
"""Of a place at which nothing more is to be seen."""
_LAST = (BlockStatus.FAILED, BlockStatus.REJECTED)
"""What one wants to see of a run that has ended; of one that goes on it may be long ago, and it goes on in spite of it."""

_NARROW = 60
"""Cells below which a line has no room for a whole id."""
_WIDE = 110
_TALL = 30
"""Cells of a terminal from which on a run is shown in both forms unasked."""
_VAST = 160
"""Cells of a terminal from which on the block stands beside the waves instead of below them."""


class Form(StrEnum):
    """In which form the blocks of a run are shown."""

    BOARD = "waves"
    GANTT = "Gantt"
    BOTH = "waves and Gantt"


_NEXT = {Form.BOARD: Form.GANTT, Form.GANTT: Form.BOTH, Form.BOTH: Form.BOARD}


def form_named(name: str) -> Form | None:
    """Return the form that was kept under this name; None: none was, or another version knew it."""
    return Form.__members__.get(name.upper())


def form_shown(chosen: Form | None, width: int, height: int) -> Form:
    """Return in which form a run is shown: as somebody chose, else what a terminal of this size has room for."""
    return chosen or (Form.BOTH if width >= _WIDE and height >= _TALL else Form.BOARD)


def is_beside(width: int, height: int) -> bool:
    """Whether a terminal of this size has room for a block beside the waves and the bars over time."""
    return width >= _VAST and height >= _TALL


def next_form(form: Form) -> Form:
    """Return the form after another one."""
    return _NEXT[form]


def header_lines(
    view: RunView, root: RunView | None, now: float, *, forks: int = 0, left: str = "", notice: str = ""
) -> list[Line]:
    """Return what stands above the blocks of a run.

    Args:
        view: The run.
        root: The run at the top of those that it is a part of.
        now: Seconds since 1970 UTC.
        forks: How many runs go on from it.
        left: How long the rest of it will take, in words.
        notice: What is to be known besides.
    """
    lines = (
        progress_of(view, now, left),
        part_of(view, root),
        lineage_line(view, forks),
        reason_line(view),
        text_line(notice, Tone.WAITING) if notice else None,
    )
    return [line for line in lines if line is not None]


def status_pieces(view: RunView, state: RunState, width: int = _WIDE) -> tuple[Piece, ...]:
    """Return which run this is, and where it stands; in a line of few cells the id gives way to that."""
    row, sign = view.row, signed(view)
    status = Piece(f"{sign.text}{_held(view, state) or _awaited(state)}", sign.tone)
    name = safe_line(row.workflow, 100)
    if width < _NARROW:
        return (
            Piece(fit(name, min(cell_len(name), width // 3)), Tone.STRONG),
            Piece(f" {short_id(row.run_id)} ", Tone.DIM),
            status,
        )
    return Piece(name, Tone.STRONG), Piece(f"  run {row.run_id}  ", Tone.DIM), status


def progress_of(view: RunView, now: float, left: str = "") -> Line:
    """Return how far a run is, how long it will go on, how long it does, since when, and by whom; the last gives way."""
    row, summary = view.row, view.row.summary
    took = lasted(view.took(now))
    wave = f" · wave {min(summary.wave + 1, summary.total_waves)}/{summary.total_waves}"
    times = f" · {'took' if view.has_stopped else 'so far'} {took}"
    began = f" · started {clock_time(row.created_at, now)} by {safe_line(row.by or 'somebody', 30)}"
    pieces = (
        Piece(progress(summary, 14), progress_tone(summary)),
        Piece(wave, Tone.DIM),
        Piece(f" · {left}" if left else "", Tone.STRONG),
        Piece(f"{times}{began}", Tone.DIM),
    )
    return Line("progress", pieces, selectable=False)


def _held(view: RunView, state: RunState) -> str:
    """Return who has paused a run, and whether something of it is still at work."""
    if state.held is None or not view.row.summary.held:
        return ""
    return f" by {safe_line(state.held.by or 'somebody', 40)} · {drained(view.row.summary)}"


def _awaited(state: RunState) -> str:
    """Return which questions a run waits for, its own first."""
    if state.status is not RunStatus.PAUSED:
        return ""
    below = (place for place in state.children if state.block(place).child_pauses)
    own = (state.pauses[pause].block for pause in state.open_pauses)
    named = [safe_line(place, 60) for place in [*islice(own, _NAMED), *islice(below, _NAMED)]][:_NAMED]
    more = (
        len(state.open_pauses)
        + sum(state.block(place).child_pauses > 0 for place in state.children)
        - len(named)
    )
    return f" for an answer to {', '.join(named)}" + (f" and {more} more" if more > 0 else "")


def part_of(view: RunView, root: RunView | None) -> Line | None:
    """Return which run a run is a part of, and where in it; None for one that nobody's block started."""
    row = view.row
    if row.parent is None:
        return None
    top = safe_line(root.row.workflow, 60) if root is not None else "a run that is gone"
    path = place_words(f"{top}/{row.path}", "").removesuffix(" / ")
    pieces = (
        Piece("part of ", Tone.DIM),
        Piece(short_id(row.root or row.parent), Tone.PLAIN),
        Piece(f"  {path}  ", Tone.STRONG),
        Piece("backspace", Tone.KEY, "screen.parent"),
        Piece(" shows it", Tone.DIM, "screen.parent"),
    )
    return Line("part of", pieces, selectable=False)


def reason_line(view: RunView) -> Line | None:
    """Return why a run stands where it stands, if there is something to say that its status does not."""
    is_lost = view.status is RunStatus.INTERRUPTED and signed(view) is not HELD
    text = why(view) if is_lost or view.row.summary.cancelling else reason_of(view)
    return text_line(text, signed(view).tone, key="reason") if text else None


def first_block(state: RunState) -> BlockId | None:
    """Return the block one wants to see first: what waits, runs or failed, else the last that did anything."""
    for status in _WORTH:
        for block in state.graph.blocks:
            if state.block(block).status is status:
                return block
        if status is BlockStatus.PAUSED and state.open_pauses:
            # No block of its own is paused: a part of one asks.
            return state.pauses[state.open_pauses.first].block
    ended = [block for block in state.graph.blocks if state.block(block).ended_at is not None]
    return max(
        ended,
        key=lambda block: state.block(block).ended_at or 0,
        default=next(iter(state.graph.blocks), None),
    )


def follow_on(state: RunState, here: BlockId) -> BlockId:
    """Return where a cursor goes that nobody has moved: from a place that is over to what deserves attention now.

    It stays while something goes on where it is, and where nothing is at work or waits elsewhere. To what has failed
    it goes once the run has ended: from there it would go on no more.
    """
    if state.block(here).status not in (*_OVER, BlockStatus.PENDING):
        return here
    first = first_block(state)
    status = state.block(first).status if first is not None else None
    is_due = status in _WORTH and (status not in _LAST or state.finished is not None)
    return first if first is not None and is_due else here
