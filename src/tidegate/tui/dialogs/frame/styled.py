"""Lines of a pane as the text of a dialog: the same tones, in the colours of dialogs."""

from collections.abc import Iterable

from textual.content import Content

from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Tone

__all__ = ["content_of"]

_STYLES = {
    Tone.DIM: "$foreground-muted",
    Tone.STRONG: "bold",
    Tone.WAITING: "$text-warning",
    Tone.FAILED: "bold $text-error",
    Tone.DONE: "$text-success",
    Tone.ADDED: "$text-success",
    Tone.REMOVED: "$text-error",
    Tone.ACCENT: "$text-accent",
}


def content_of(lines: Iterable[Line]) -> Content:
    """Return *lines* as one text, literally: nothing in them is markup."""
    rows = [
        Content.assemble(*((safe_line(piece.text), _STYLES.get(piece.tone, "")) for piece in line.pieces))
        for line in lines
    ]
    return Content("\n").join(rows)
