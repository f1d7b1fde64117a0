"""What stands below the differences: the events behind them, and what can be done from a point."""

from collections.abc import Iterator

from tidegate.history.narrate import narrate
from tidegate.history.points import Point
from tidegate.model.events import CheckpointMarked, Record, WaveCompleted, WaveStarted
from tidegate.model.ids import BlockId
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.present.shared import counted, heading, short_id
from tidegate.tui.times import clock_time

__all__ = ["event_words", "way_lines", "why_lines"]

_LONG = 300


def event_words(record: Record) -> str:
    """Return what an event says, on one line, safe to draw."""
    event = record.event
    match event:
        case CheckpointMarked():
            at = event.label or event.block or ""
            text = f"checkpoint, {event.kind}" + (f": {at}" if at else "")
        case WaveStarted() | WaveCompleted():
            text = f"wave {event.wave + 1} {'starts' if isinstance(event, WaveStarted) else 'has ended'}"
        case _:
            text = narrate(event, record.at) or type(event).__name__
    return safe_line(text, _LONG)


def why_lines(events: tuple[Record, ...], earlier: int, now: float) -> Iterator[Line]:
    """Yield the events that led from one point to another, the last one last.

    Args:
        events: The last of them.
        earlier: How many there are before.
        now: Seconds since 1970 UTC.
    """
    if not events:
        return
    yield text_line("", key="why:gap")
    yield heading("Why")
    if earlier:
        yield text_line(f"… {counted(earlier, 'event')} before", Tone.DIM, key="why:earlier")
    for record in events:
        pieces = (
            Piece(f"{record.seq:>4} ", Tone.DIM),
            Piece(f"{clock_time(record.at, now)[-8:]} ", Tone.DIM),
            Piece(event_words(record)),
        )
        yield Line(f"why:{record.seq}", pieces, selectable=False, indent=14)


def way_lines(here: Point, inside: BlockId | None = None) -> Iterator[Line]:
    """Yield what can be done from a point.

    Args:
        here: The point.
        inside: The place under the cursor, if another run does its work.
    """
    yield text_line("", key="ways:gap")
    yield heading("From here")
    ways = [
        ("F", "screen.fork", f"fork: a new run that goes on from event {here.seq}"),
        ("e", "screen.edit", "change the value under the cursor, and fork"),
        ("R", "screen.rerun", "fork, and run the block or the wave again"),
        ("P", "screen.copy_command", "copy the command that does it"),
    ]
    if inside is not None:
        words = f"the run below {safe_line(inside, 60)}, as it stood then"
        ways.insert(0, ("i", "screen.inside", words))
    for key, action, words in ways:
        yield Line(
            f"way:{key}",
            (Piece(f"{key} ", Tone.KEY, action), Piece(words, Tone.DIM, action)),
            selectable=False,
            indent=2,
        )
    yield text_line(f"{short_id(here.run_id)} itself is never changed.", Tone.DIM, key="ways:never")
