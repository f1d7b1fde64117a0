"""Small windows over a list, in which one picks something or gives it a name. Nothing in them touches a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.words import WRITING
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.one_line import OneLine

__all__ = ["ColumnsDialog", "FilterWish", "FiltersDialog", "NameDialog"]

ResultT = TypeVar("ResultT")

_NAME = 24
"""Cells of the name of a filter."""
_OF_A_TEXT = ("enter", "delete")
"""Keys of a text that pick something, or throw it away."""


class PickDialog(ModalScreen[ResultT]):
    """A list to pick from."""

    CSS_PATH = style_sheet("lists")
    AUTO_FOCUS = "#pick-list"
    TITLE_OF_WINDOW: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self._gate = Gate()

    def on_key(self, event: events.Key) -> None:
        """Let nothing be picked by the letters of a text, nor by the enter behind them."""
        is_text = event.is_printable and event.key not in self.active_bindings
        if event.is_printable or event.key in _OF_A_TEXT:
            is_text |= self._gate.is_writing(event.key, event.time)
        if not is_text:
            self._gate.press(event.key, event.time)
            return
        event.stop()
        event.prevent_default()
        self._gate.strayed(event.time)
        self.note(WRITING, is_error=True)

    def compose(self) -> ComposeResult:
        """Lay out the list, and a note below it."""
        with Vertical(id="pick") as window:
            window.border_title = Content(self.TITLE_OF_WINDOW)
            yield LineList(id="pick-list")
            yield Static(id="pick-note", markup=False)

    def on_mount(self) -> None:
        """Show what there is."""
        self.draw()

    def draw(self) -> None:
        """Show the rows as they are now."""
        self.listed.show(self.lines())

    def lines(self) -> Sequence[Line]:
        """Return the rows."""
        raise NotImplementedError

    @property
    def listed(self) -> LineList:
        """The list."""
        return self.query_one("#pick-list", LineList)

    def note(self, text: str, *, is_error: bool = False) -> None:
        """Say something below the list. The text is safe to draw."""
        note = self.query_one("#pick-note", Static)
        note.update(Content(text))
        note.set_class(is_error, "-error")

    def action_back(self) -> None:
        """Leave, and change nothing any more."""
        self.dismiss(None)


@dataclass(frozen=True, slots=True)
class FilterWish:
    """What somebody wants of the filters that have a name."""

    apply: str | None = None
    """The filter that is to be set."""
    save: bool = False
    """Whether the one that is set is to be given a name."""
    forget: str = ""
    """The name of one that is to be thrown away."""


class FiltersDialog(PickDialog[FilterWish | None]):
    """The filters that have a name.

    Args:
        given: Those that are always there, by name.
        saved: Those that somebody has saved.
        current: The one that is set; empty: none.
    """

    TITLE_OF_WINDOW = "Filters"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "save", "Save", show=False),
        Binding("delete", "forget", "Delete", show=False),
        Binding("f2", "back", "Back", show=False),
    ]

    def __init__(self, given: dict[str, str], saved: dict[str, str], current: str) -> None:
        super().__init__()
        self._saved = saved
        self._all = {name: text for name, text in given.items() if name not in saved} | saved
        self._current = current
        self._forgets = ""

    def lines(self) -> Sequence[Line]:
        """Return one row per filter."""
        return [self._line(name, text) for name, text in self._all.items()]

    def _line(self, name: str, text: str) -> Line:
        sign = "● " if text == self._current else "  "
        pieces = (
            Piece(f"{sign}{safe_line(name, _NAME):<{_NAME}} ", Tone.STRONG),
            Piece(safe_line(text, 200), Tone.ACCENT),
            Piece("  saved" if name in self._saved else "", Tone.DIM),
        )
        return Line(name, pieces)

    @on(LineList.Highlighted)
    def say_keys(self) -> None:
        """Say what can be done with the row the cursor is on."""
        self._forgets = ""
        keys = ["enter shows only its rows"]
        if self._current:
            keys.append(f"n saves '{safe_line(self._current, 30)}' under a name")
        if self.listed.cursor_key in self._saved:
            keys.append("delete throws it away")
        self.note(" · ".join([*keys, "esc"]))

    @on(LineList.Selected)
    def apply(self, event: LineList.Selected) -> None:
        """Set the filter."""
        self.dismiss(FilterWish(apply=self._all[event.key]))

    def action_save(self) -> None:
        """Give the filter that is set a name."""
        if self._current:
            self.dismiss(FilterWish(save=True))
        else:
            self.note("No filter is set: type one first (/), then save it here.", is_error=True)

    def action_forget(self) -> None:
        """Throw one away, at the second press."""
        name = self.listed.cursor_key
        if name not in self._saved:
            self.note("This one is always there.", is_error=True)
        elif self._forgets == name:
            self.dismiss(FilterWish(forget=name))
        else:
            self._forgets = name
            self.note(f"Press delete again to throw away '{safe_line(name, 40)}'.", is_error=True)


class ColumnsDialog(PickDialog[tuple[str, ...] | None]):
    """Which columns are shown. Dismisses with the titles of those that are hidden.

    Args:
        titles: Of all columns.
        hidden: Of those that are not shown.
    """

    TITLE_OF_WINDOW = "Columns"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "flip", "Show", show=False),
        Binding("c", "back", "Back", show=False),
    ]

    def __init__(self, titles: Sequence[str], hidden: Sequence[str]) -> None:
        super().__init__()
        self._titles = tuple(titles)
        self._hidden = set(hidden)

    def lines(self) -> Sequence[Line]:
        """Return one row per column."""
        return [
            Line(title, (Piece("[ ] " if title in self._hidden else "[x] ", Tone.ACCENT), Piece(title)))
            for title in self._titles
        ]

    def on_mount(self) -> None:
        """Say what to do."""
        super().on_mount()
        self.note("space shows a column or hides it · esc · where there is no room, some are left out anyway")

    @on(LineList.Selected)
    def action_flip(self) -> None:
        """Show the column, or hide it; one stays."""
        title = self.listed.cursor_key
        if title in self._hidden:
            self._hidden.discard(title)
        elif len(self._hidden) < len(self._titles) - 1:
            self._hidden.add(title)
        else:
            self.note("One column has to stay.", is_error=True)
        self.draw()

    def action_back(self) -> None:
        """Leave; what was chosen holds."""
        self.dismiss(tuple(title for title in self._titles if title in self._hidden))


class NameDialog(ModalScreen[str | None]):
    """Asks for a name. Dismisses with it, or with None.

    Args:
        title: What the name is for. Safe to draw.
        value: What is there to begin with.
        problem: Returns why a name will not do, as a sentence that is safe to draw; empty: it will.
    """

    CSS_PATH = style_sheet("lists")
    AUTO_FOCUS = "#pick-name"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back", show=False)]

    def __init__(self, title: str, value: str, problem: Callable[[str], str]) -> None:
        super().__init__()
        self._heading = title
        self._value = value
        self._problem = problem

    def compose(self) -> ComposeResult:
        """Lay out the field, and a note below it."""
        with Vertical(id="pick") as window:
            window.border_title = Content(self._heading)
            field = OneLine(self._value, id="pick-name", select_on_focus=False)
            field.cursor_blink = False
            yield field
            yield Static("enter takes it · esc leaves it", id="pick-note", markup=False)

    @on(Input.Submitted)
    def take(self, event: Input.Submitted) -> None:
        """Take the name, if it will do."""
        name = event.value.strip()
        if problem := self._problem(name):
            note = self.query_one("#pick-note", Static)
            note.update(Content(problem))
            note.add_class("-error")
        else:
            self.dismiss(name)

    def action_back(self) -> None:
        """Leave."""
        self.dismiss(None)
