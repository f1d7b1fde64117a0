"""A line of words: to look for, to filter by, or that name something."""

from textual import events
from textual.widgets import Input

from tidegate.safe_text import safe_line

__all__ = ["OneLine", "in_one_line"]


class OneLine(Input):
    """A line into which a paste goes whole: where it has several lines, with blanks between."""

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste, in place of the toolkit, which keeps the first line only."""
        event.stop()
        event.prevent_default()
        self._take(event.text)

    def action_paste(self) -> None:
        """Take what was copied in this program, by the same rule."""
        self._take(self.app.clipboard)

    def _take(self, text: str) -> None:
        self.replace(in_one_line(text), *sorted(self.selection))


def in_one_line(text: str) -> str:
    """Return a text as one line, safe to draw, with a blank for each line break; empty lines are left out."""
    return safe_line(" ".join(line.strip() for line in text.splitlines() if line.strip()))
