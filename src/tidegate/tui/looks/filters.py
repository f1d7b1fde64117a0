"""The last things that happen to what is drawn, whoever draws it: signs in ASCII, and no colours."""

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

__all__ = ["TextFilter"]


class TextFilter(LineFilter):
    """Draws other characters in the place of some; each must be as wide as the one it replaces."""

    def __init__(self, change: Callable[[str], str]) -> None:
        super().__init__()
        self._change = change

    def apply(self, segments: Sequence[Segment], background: Color) -> list[Segment]:
        """Change the text of *segments*, and nothing else of them."""
        del background
        return [
            segment if segment.text.isascii() else Segment(self._change(segment.text), segment.style)
            for segment in segments
        ]
