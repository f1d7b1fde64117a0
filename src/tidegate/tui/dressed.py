"""An app that looks as its operator wants it: a theme or no colours at all, all signs or ASCII only."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.filter import ANSIToTruecolor, LineFilter, Monochrome, NoColor

from tidegate.settings import Ascii
from tidegate.tui.looks.ascii import in_ascii, signs_in_ascii
from tidegate.tui.looks.filters import TextFilter
from tidegate.tui.looks.themes import DARK, THEMES
from tidegate.tui.orderly import OrderlyApp

if TYPE_CHECKING:
    from textual.theme import Theme

__all__ = ["DressedApp"]

_FILTERS = {Ascii.SIGNS: signs_in_ascii, Ascii.ALL: in_ascii}


class DressedApp(OrderlyApp):
    """Has one of `THEMES`, and draws in ASCII where that is wanted."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *, css_path: list[Path], theme: str = "", ascii_only: Ascii = Ascii.OFF) -> None:
        """Make it.

        Args:
            css_path: Its styles.
            theme: One of `THEMES`; empty: the first.
            ascii_only: What is drawn in ASCII.
        """
        super().__init__(css_path=css_path)
        # Nothing moves by itself: motion is for what needs a person.
        self.animation_level = "none"
        for each in THEMES.values():
            self.register_theme(each)
        first = self._dress(theme)
        # Before anything is styled, so that nothing has to be styled again.
        self.set_reactive(DressedApp.theme, first.name)
        self._is_first_theme = True
        self._first_colours = self.get_css_variables()
        self.stylesheet.set_variables(self._first_colours)
        self._in_ascii = TextFilter(_FILTERS.get(ascii_only, signs_in_ascii))
        self._ascii = self._in_ascii if ascii_only is not Ascii.OFF else None

    def _dress(self, name: str) -> "Theme":
        # Without colours all others would be shades of grey, which are colours, too.
        return THEMES["ansi"] if self.no_color else THEMES.get(name, DARK)

    @property
    def theme_name(self) -> str:
        """The theme, by the name that people use."""
        return next((name for name, theme in THEMES.items() if theme.name == self.theme), next(iter(THEMES)))

    def wear(self, name: str) -> None:
        """Change to the theme *name*, unless there are to be no colours."""
        self.theme = self._dress(name).name

    def refresh_css(self, animate: bool = True) -> None:
        """Style everything again, once there was another theme: the toolkit asks for it at the start, too."""
        self._is_first_theme = self._is_first_theme and self.get_css_variables() == self._first_colours
        if not self._is_first_theme:
            super().refresh_css(animate)

    @property
    def is_in_ascii(self) -> bool:
        """Whether signs are drawn in ASCII."""
        return self._ascii is not None

    def toggle_ascii(self) -> None:
        """Draw in ASCII from now on, or with all signs again."""
        self._ascii = self._in_ascii if self._ascii is None else None
        self.screen.refresh(layout=True)
        for widget in self.screen.walk_children():
            widget.refresh()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what everything goes through that is drawn."""
        filters = [each for each in super().get_line_filters() if not self._is_too_colourful(each)]
        if self.no_color:
            filters.append(_NO_COLOUR)
        return [*filters, self._ascii] if self._ascii is not None else filters

    def _is_too_colourful(self, each: LineFilter) -> bool:
        """Whether a filter makes colours of what has none, or has the terminal's own."""
        return isinstance(each, Monochrome | NoColor) or (
            isinstance(each, ANSIToTruecolor) and self.native_ansi_color
        )


_NO_COLOUR = NoColor()
