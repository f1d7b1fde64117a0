"""Every key of the dialog that one came from, one a line."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from tidegate.tui.dialogs.frame.base import Dialog, Key
from tidegate.tui.dialogs.frame.gate import Pace

__all__ = ["KeysDialog"]

_AT_ONCE = Pace(inert=0.0, burst=0.0, writing=0.0)
"""Nothing can be decided here, so no key is too early, and a letter keeps none from counting."""


class KeysDialog(Dialog[None]):
    """Shows keys; nothing is answered here.

    Args:
        keys: Each key and what it does, safe to draw.
    """

    LEAST: ClassVar[tuple[int, int]] = (0, 0)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "read(1)", "Read on", show=False),
        Binding("up,k", "read(-1)", "Read back", show=False),
        Binding("pagedown", "read_page(1)", "Page on", show=False),
        Binding("pageup", "read_page(-1)", "Page back", show=False),
    ]

    def __init__(self, keys: Sequence[Key]) -> None:
        self._listed = tuple(keys)
        super().__init__(pace=_AT_ONCE)

    def prompt_content(self) -> Content:
        """Return the keys in two columns."""
        width = max(cell_len(key) for key, _ in self._listed) + 2
        lines = [
            Content.assemble((key, "bold"), " " * (width - cell_len(key)), what) for key, what in self._listed
        ]
        return Content("\n").join(lines)

    def header_text(self) -> str:
        """Return what this is."""
        return "The keys of the dialog you came from"

    def compose_body(self) -> ComposeResult:
        """Yield nothing: there is nothing to answer."""
        return ()

    def keys(self) -> list[Key]:
        """Return the way back."""
        return [("esc", "back")]

    def armed(self) -> None:
        """Say that nothing has changed."""
        self.say("What you have chosen or typed there is as it was.")

    def action_commit(self) -> None:
        """Do nothing: there is nothing to send."""

    def action_keys(self) -> None:
        """Go back: the key that led here leads away."""
        self.action_back()

    def action_back(self) -> None:
        """Go back to the dialog."""
        self.dismiss()
