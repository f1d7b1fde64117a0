"""A node of a run's state in words, for one line: a question, a block, an instant; anything else as JSON."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tidegate.history.document import Node, is_branch
from tidegate.history.paths import Path
from tidegate.safe_text import safe_line
from tidegate.tui.present.shared import first_line
from tidegate.tui.present.state_values import INSTANTS, shown_value
from tidegate.tui.times import clock_time, lasted

__all__ = ["node_words"]


def node_words(path: Path, node: Node) -> str:
    """Return what stands at a path of a run's state, safe to draw."""
    match path:
        case ("status",) | ("blocks", _, "status") | ("pauses", _, "state" | "kind") if isinstance(node, str):
            # A word of ours needs no quotes, as the text of somebody else does.
            return safe_line(node)
        case ("pauses", _) if is_branch(node):
            return _pause(node)
        case ("blocks", _) if is_branch(node):
            return _block(node)
        case (str(name),) | ("blocks" | "pauses", _, str(name)) if name in INSTANTS and isinstance(
            node, int | float
        ):
            # Where two of them differ it is often by less than a second.
            return f"{datetime.fromtimestamp(node, UTC).astimezone():%Y-%m-%d %H:%M:%S.%f}"[:-3]
        case _:
            return shown_value(node)


def _pause(pause: Mapping[str, Any]) -> str:
    """Return a question: its kind, where it stands, what it asks, what was answered, until when it is open."""
    opened, deadline = pause.get("opened_at"), pause.get("deadline")
    answer = f"answered {shown_value(pause['answer'])}" if "answer" in pause else ""
    by = f" by {pause['by']}" if answer and pause.get("by") else ""
    # With the date only where that is another day than the question was asked on.
    until = f"until {clock_time(deadline, opened or 0.0)}" if deadline is not None else ""
    head = f"{pause['state']} {pause.get('kind', 'question')}: {first_line(str(pause.get('question', '')))}"
    return safe_line(" · ".join(filter(None, (head, f"{answer}{by}", until))), 400)


def _block(block: Mapping[str, Any]) -> str:
    seconds, attempt = block.get("duration"), block.get("attempt")
    took = f" in {lasted(seconds)}" if isinstance(seconds, int | float) else ""
    again = f" · attempt {attempt}" if isinstance(attempt, int) and attempt > 1 else ""
    failure = block.get("failure")
    why = f": {first_line(str(failure.get('message', '')))}" if isinstance(failure, Mapping) else ""
    return safe_line(f"{block['status']}{took}{again}{why}", 400)
