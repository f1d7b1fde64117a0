"""Going to a row by a letter: what can be gone to, and the layer that takes the one key.

While the letters are there nothing below moves, so that a letter means the row on which it was read. The next key
goes there or nowhere: it opens nothing, marks nothing and answers nothing.
"""

from collections.abc import Mapping, Sequence
from string import ascii_letters
from typing import ClassVar, Protocol, runtime_checkable

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from tidegate.tui.looks.style_sheets import style_sheet

__all__ = ["JumpLayer", "Jumpable", "jumpable", "labelled"]


@runtime_checkable
class Jumpable(Protocol):
    """What shows places that a cursor can go to."""

    def jump_keys(self) -> Sequence[str]:
        """Return the keys of the places that are in sight, from the first to the last."""
        ...

    def label(self, letters: Mapping[str, str]) -> None:
        """Show letters at places, by the key of each; of nothing, show none any more."""
        ...

    def move_to(self, key: str) -> None:
        """Put the cursor on a place, if it is there."""
        ...


def jumpable(view: object) -> Jumpable | None:
    """Return a view if it shows places that a cursor can go to."""
    return view if isinstance(view, Jumpable) else None


def labelled(keys: Sequence[str]) -> dict[str, str]:
    """Return a letter for each of *keys*, as far as there are letters: small ones first."""
    return dict(zip(keys, ascii_letters, strict=False))


class JumpLayer(ModalScreen[str]):
    """Takes one key, or a click, in front of everything; dismisses with the key of the place, or with nothing.

    Args:
        view: Where the letters are shown.
        panes: Where else one may go, by the digits from 1 on.
    """

    AUTO_FOCUS = ""
    CSS_PATH: ClassVar = style_sheet("lists")

    def __init__(self, view: Jumpable | None, panes: Sequence[Widget]) -> None:
        super().__init__()
        self._view = view
        self._panes = panes
        self._letters = labelled(view.jump_keys()) if view is not None else {}

    @property
    def leads_nowhere(self) -> bool:
        """Whether there is nothing to go to."""
        return not self._letters and not self._panes

    def compose(self) -> ComposeResult:
        """Say what the next key does, in the place of the keys that do nothing now."""
        yield Static(
            " A letter goes to its row, a digit to its pane; any other key changes nothing.", id="jump-hint"
        )

    def on_mount(self) -> None:
        """Show the letters."""
        self._show(is_shown=True)

    def _show(self, *, is_shown: bool) -> None:
        if self._view is not None:
            self._view.label(self._letters if is_shown else {})
        for number, pane in enumerate(self._panes, 1):
            if isinstance(pane, Numbered):
                pane.number(str(number) if is_shown else "")
        # What is below is drawn through this: as it was, until this is drawn anew.
        self.refresh()
        self.call_after_refresh(self.refresh)

    def on_key(self, event: events.Key) -> None:
        """Go where the key leads; any other one takes the letters away."""
        event.stop()
        event.prevent_default()
        self._show(is_shown=False)
        self.dismiss(event.character or "")

    def on_click(self) -> None:
        """Take the letters away: the click was for what is below, and does nothing."""
        self._show(is_shown=False)
        self.dismiss("")

    def go(self, character: str) -> None:
        """Put the cursor, or the focus, where a character leads."""
        key = next((key for key, letter in self._letters.items() if letter == character), None)
        if key is not None and self._view is not None:
            self._view.move_to(key)
        elif character.isascii() and character.isdigit() and 0 < int(character) <= len(self._panes):
            self._panes[int(character) - 1].focus()


@runtime_checkable
class Numbered(Protocol):
    """A pane that can show a number on its border."""

    def number(self, number: str) -> None:
        """Show a number; of nothing, none any more."""
        ...
