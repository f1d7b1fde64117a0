"""The palette: everything that can be done here, found by typing a part of its name."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from tidegate.tui.present.palette import PALETTE_COLUMNS, Entry, entry_lines, fitting
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.one_line import OneLine

__all__ = ["Palette"]


class _Choices(LineList):
    """The list below the field; without titles, as its two columns explain themselves."""

    @property
    def _head(self) -> int:
        return 0


class Palette(ModalScreen[Entry | None]):
    """Dismisses with what was chosen; escape chooses nothing. What a choice does asks for itself where it must."""

    AUTO_FOCUS = "#palette-words"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        # Priority: the field has the focus all the time.
        Binding("down,ctrl+n", "move(1)", "Down", show=False, priority=True),
        Binding("up,ctrl+p", "move(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "move(10)", "Page down", show=False, priority=True),
        Binding("pageup", "move(-10)", "Page up", show=False, priority=True),
    ]

    def __init__(
        self,
        entries: Sequence[Entry],
        *,
        hint: str = "what to do; enter does it, esc closes",
        typed: Callable[[str], Entry] | None = None,
    ) -> None:
        """Make it.

        Args:
            entries: What can be chosen.
            hint: What stands in the field as long as nothing is typed.
            typed: Returns what can be chosen where nothing is called as somebody has typed.
        """
        super().__init__()
        self._entries = list(entries)
        self._hint = hint
        self._typed_entry = typed
        self._shown: dict[str, Entry] = {}
        self._has_moved = False

    def compose(self) -> ComposeResult:
        """Lay out the field above the list."""
        words = OneLine(placeholder=self._hint, id="palette-words")
        words.cursor_blink = False
        with Vertical(id="palette"):
            yield words
            yield _Choices(PALETTE_COLUMNS, id="palette-list", empty="Nothing is called so. esc closes.")

    def on_mount(self) -> None:
        """Show everything."""
        self._show("")

    def offer(self, entries: Sequence[Entry]) -> None:
        """Offer more, once the store was read: what waits for a person first, the rest below what is there."""
        urgent = [entry for entry in entries if entry.is_urgent]
        self._entries = [*urgent, *self._entries, *(entry for entry in entries if not entry.is_urgent)]
        words = self.query_one("#palette-words", Input).value
        self._show(words)
        if not words and not self._has_moved:
            self._list.action_first()

    @on(Input.Changed, "#palette-words")
    def _typed(self, event: Input.Changed) -> None:
        self._show(event.value)
        self._list.action_first()

    @property
    def _list(self) -> LineList:
        return self.query_one("#palette-list", LineList)

    def _show(self, words: str) -> None:
        found = fitting(self._entries, words)
        if not found and words.strip() and self._typed_entry is not None:
            found = [self._typed_entry(words.strip())]
        self._shown = {entry.key: entry for entry in found}
        self._list.show(entry_lines(found))

    def action_move(self, by: int) -> None:
        """Move in the list while the field keeps the focus."""
        self._has_moved = True
        keys = list(self._shown)
        if keys:
            at = keys.index(self._list.cursor_key) if self._list.cursor_key in self._shown else 0
            self._list.move_to(keys[max(0, min(at + by, len(keys) - 1))])

    @on(Input.Submitted, "#palette-words")
    @on(LineList.Selected, "#palette-list")
    def _choose(self) -> None:
        entry = self._shown.get(self._list.cursor_key)
        if entry is not None and not entry.why_not:
            self.dismiss(entry)

    def action_close(self) -> None:
        """Choose nothing."""
        self.dismiss(None)
