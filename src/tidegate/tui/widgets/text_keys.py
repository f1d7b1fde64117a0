"""The keys that scroll a text, for whatever shows one."""

from typing import ClassVar

from textual.binding import BindingType

from tidegate.tui.commands import Scope, bindings
from tidegate.tui.widgets.line_view import LineView

__all__ = ["TextKeys"]


class TextKeys(LineView, can_focus=True):
    """A view that is scrolled with keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.TEXT)

    def scroll_lines(self, by: int) -> None:
        """Scroll by lines; whoever scrolls up stops following."""
        raise NotImplementedError

    def action_line_down(self) -> None:
        """Scroll one line down."""
        self.scroll_lines(1)

    def action_line_up(self) -> None:
        """Scroll one line up."""
        self.scroll_lines(-1)

    def action_text_page_down(self) -> None:
        """Scroll one page down."""
        self.scroll_lines(self._page)

    def action_text_page_up(self) -> None:
        """Scroll one page up."""
        self.scroll_lines(-self._page)

    def action_text_half_down(self) -> None:
        """Scroll half a page down."""
        self.scroll_lines(max(1, self._page // 2))

    def action_text_half_up(self) -> None:
        """Scroll half a page up."""
        self.scroll_lines(-max(1, self._page // 2))
