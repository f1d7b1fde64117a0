"""The warning above everything while the store is not heard of. It comes by itself, and goes by itself."""

from textual.events import Resize

from tidegate.tui.link import Link, banner
from tidegate.tui.program import command_line
from tidegate.tui.widgets.line_view import LineView

__all__ = ["Banner"]

_SHORT = 16
"""Rows of the terminal below which it takes one line: the list needs the others."""


class Banner(LineView):
    """Takes no room while there is nothing to say."""

    MARKED = False

    def __init__(self, program: str) -> None:
        super().__init__()
        self._link = Link()
        self._doctor = command_line(program, "doctor")

    def on_mount(self) -> None:
        """Keep up with what the app knows of the store."""
        self.watch(self.app, "link", self._set_link)

    def on_resize(self, event: Resize) -> None:
        """Fit into the new width."""
        del event
        self.draw()

    def _set_link(self, link: Link) -> None:
        self._link = link
        self.draw()

    def draw(self) -> None:
        """Show what there is to say, in as many lines as that takes."""
        width, height = self.app.size
        lines = banner(self._link, width, self._doctor)[: 1 if height < _SHORT else None]
        self.display = bool(lines)
        self.styles.height = max(1, len(lines))
        self.show(lines)
