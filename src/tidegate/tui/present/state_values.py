"""What is said of a branch of a run's state, and of a value, on one line."""

from collections.abc import Mapping

import msgspec

from tidegate.history.document import Node, plain_json
from tidegate.history.paths import Path
from tidegate.history.spans import size
from tidegate.model.state import BlockStatus
from tidegate.model.value import Inline, Stored
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.looks.symbols import block_sign
from tidegate.tui.times import clock_time, lasted

__all__ = ["INSTANTS", "branch_told", "shown_value", "value_pieces"]

_SHOWN = 200
"""Characters of a value that a line needs."""
INSTANTS = frozenset(
    ("started_at", "ended_at", "updated_at", "opened_at", "closed_at", "deadline", "wake_at")
)
"""What the state of a run calls its instants, in seconds since 1970 UTC."""


def branch_told(path: Path, branch: Mapping[str, Node]) -> tuple[Piece, ...]:
    """Return what stands behind the name of a branch: how a block or a question stands, else how much is in it."""
    match path:
        case ("blocks", _):
            return _block_told(branch)
        case ("pauses", _):
            return _pause_told(branch)
        case _:
            return (Piece(f"  {{{len(branch)}}}", Tone.DIM),)


def _block_told(block: Mapping[str, Node]) -> tuple[Piece, ...]:
    sign = block_sign(BlockStatus(str(block["status"])))
    seconds = block.get("duration")
    took = f" {lasted(seconds)}" if isinstance(seconds, int | float) else ""
    attempt = block.get("attempt")
    again = f" attempt {attempt}" if isinstance(attempt, int) and attempt > 1 else ""
    return (Piece("  "), sign.piece, Piece(f"{took}{again}", Tone.DIM))


def _pause_told(pause: Mapping[str, Node]) -> tuple[Piece, ...]:
    state = str(pause["state"])
    answer = f": {shown_value(pause['answer'])}" if "answer" in pause else ""
    return (Piece("  "), Piece(f"{state}{answer}", Tone.WAITING if state == "open" else Tone.PLAIN))


def value_pieces(path: Path, value: Node, now: float) -> tuple[Piece, ...]:
    """Return what stands behind the name of a value; of a large one how large it is.

    Args:
        path: Where it stands.
        value: It.
        now: Seconds since 1970 UTC.
    """
    match path, value:
        case _, Stored():
            said = f"  {size(value.size)}, "
            return (Piece(said, Tone.DIM), Piece("enter", Tone.KEY), Piece(" loads it", Tone.DIM))
        case ("blocks", _, "status"), _:
            return (Piece("  "), block_sign(BlockStatus(str(value))).piece)
        case (((str(name),) | ("blocks" | "pauses", _, str(name))), int() | float()):
            return (Piece(f"  {_time(name, value, now)}"),)
        case _:
            return (Piece(f"  {shown_value(value)}"),)


def _time(name: str, value: float, now: float) -> str:
    """Return a number that the document has of its own: an instant, a duration, or neither."""
    if name in INSTANTS:
        return clock_time(value, now)
    return lasted(value) if name == "duration" else shown_value(value)


def shown_value(node: Node, limit: int = _SHOWN) -> str:
    """Return a value as it stands on one line: as JSON writes it, bounded, safe to draw."""
    if isinstance(node, Inline):
        node = node.value
    if isinstance(node, Stored):
        return f"({size(node.size)}, not loaded)"
    if isinstance(node, str) and len(node) > limit:
        # What is cut off anyway need not be written first.
        node = node[: limit + 1]
    return safe_line(msgspec.json.encode(plain_json(node)).decode(), limit)
