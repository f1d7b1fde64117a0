"""The themes: a calm surface and one accent.

Every other colour means something, and what it means is also said by a symbol and a word. None of them tells
good from bad by red and green alone; the one for the colour-blind uses blue and orange instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from textual.theme import Theme

__all__ = ["DARK", "THEMES", "theme_after"]


@dataclass(frozen=True, slots=True)
class _Palette:
    """The colours of one theme."""

    background: str
    panel: str
    boost: str
    text: str
    dim: str
    off: str
    strong: str
    border: str
    cursor: str
    """Behind the row that keys act on."""
    cursor_left: str
    """Behind it while the keys act elsewhere."""
    accent: str
    done: str
    waiting: str
    failed: str
    scrollbar: str
    scrollbar_hover: str
    selection: str
    is_dark: bool = True


def _theme(name: str, palette: _Palette) -> Theme:
    return Theme(
        name=f"tidegate-{name}",
        dark=palette.is_dark,
        primary=palette.accent,
        secondary=palette.accent,
        accent=palette.accent,
        foreground=palette.text,
        background=palette.background,
        surface=palette.background,
        panel=palette.panel,
        boost=palette.boost,
        success=palette.done,
        warning=palette.waiting,
        error=palette.failed,
        variables={
            "line-dim": palette.dim,
            "line-off": palette.off,
            "line-strong": palette.strong,
            "line-border": palette.border,
            "line-cursor": palette.cursor,
            "line-cursor-unfocused": palette.cursor_left,
            "block-cursor-text-style": "none",
            "input-cursor-background": palette.accent,
            "input-cursor-foreground": palette.background,
            "input-selection-background": palette.selection,
            "scrollbar": palette.scrollbar,
            "scrollbar-hover": palette.scrollbar_hover,
            "scrollbar-active": palette.accent,
            "scrollbar-background": palette.background,
            "scrollbar-background-hover": palette.background,
            "scrollbar-background-active": palette.background,
            "scrollbar-corner-color": palette.background,
        },
    )


DARK: Final = _theme(
    "dark",
    _Palette(
        background="#10151b",
        panel="#1a222b",
        boost="#222c37",
        text="#cdd5de",
        dim="#8592a0",
        off="#55616d",
        strong="#f0f4f8",
        border="#2f3b48",
        cursor="#213440",
        cursor_left="#1a232c",
        accent="#58b4c4",
        done="#86b981",
        waiting="#e3ae55",
        failed="#e8807a",
        scrollbar="#3a4856",
        scrollbar_hover="#4c5d6e",
        selection="#58b4c4 35%",
    ),
)
_LIGHT = _theme(
    "light",
    _Palette(
        background="#f7f8f8",
        panel="#e9edef",
        boost="#dfe5e8",
        text="#28323c",
        dim="#5d6a76",
        off="#a3adb5",
        strong="#0d141b",
        border="#c3ccd3",
        cursor="#d5e8ec",
        cursor_left="#e8ecee",
        accent="#0b6b7f",
        done="#2f6f3a",
        waiting="#8a5200",
        failed="#b0302a",
        scrollbar="#b4bfc7",
        scrollbar_hover="#93a2ad",
        selection="#0b6b7f 25%",
        is_dark=False,
    ),
)
_HIGH_CONTRAST = _theme(
    "high-contrast",
    _Palette(
        background="#000000",
        panel="#262626",
        boost="#333333",
        text="#ffffff",
        dim="#dadada",
        off="#a8a8a8",
        strong="#ffffff",
        border="#ffffff",
        cursor="#00308f",
        cursor_left="#303030",
        accent="#5ff3ff",
        done="#8dff9c",
        waiting="#ffdd33",
        failed="#ffb3ab",
        scrollbar="#ffffff",
        scrollbar_hover="#ffdd33",
        selection="#00308f",
    ),
)
_COLOUR_BLIND = _theme(
    "colour-blind",
    _Palette(
        background="#11151c",
        panel="#1b222d",
        boost="#242d3a",
        text="#d3d9e2",
        dim="#8f9bab",
        off="#596575",
        strong="#f5f7fa",
        border="#323d4d",
        cursor="#23344c",
        cursor_left="#1c2430",
        accent="#b9c9e6",
        done="#74aef5",
        waiting="#f0e065",
        failed="#ff9c38",
        scrollbar="#3c4859",
        scrollbar_hover="#4e5d72",
        selection="#74aef5 35%",
    ),
)
_ANSI: Final = Theme(
    name="tidegate-ansi",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_cyan",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    success="ansi_green",
    warning="ansi_yellow",
    error="ansi_red",
    variables={
        # What is dim, off or strong is told by the terminal's own attributes: its bright black may be its background.
        "line-dim": "ansi_default",
        "line-off": "ansi_default",
        "line-strong": "ansi_default",
        "line-border": "ansi_default",
        "line-cursor": "ansi_default",
        "line-cursor-unfocused": "ansi_default",
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        # Half a colour is a whole one here, and words of the same one would not be seen on it.
        **{
            f"{tone}-muted": "ansi_default"
            for tone in ("primary", "secondary", "success", "warning", "error")
        },
        "border": "ansi_default",
        "border-blurred": "ansi_default",
        "block-cursor-text-style": "reverse",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-background": "ansi_default",
        "input-cursor-background": "ansi_cyan",
        "input-cursor-foreground": "ansi_black",
        "input-selection-background": "ansi_blue",
        "input-selection-foreground": "ansi_white",
        "screen-selection-background": "ansi_blue",
        "screen-selection-foreground": "ansi_white",
        "scrollbar": "ansi_cyan",
        "scrollbar-hover": "ansi_cyan",
        "scrollbar-active": "ansi_cyan",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "scrollbar-corner-color": "ansi_default",
    },
)
"""The sixteen colours that the terminal's own settings decide about."""

THEMES: Final[Mapping[str, Theme]] = {
    "dark": DARK,
    "light": _LIGHT,
    "high-contrast": _HIGH_CONTRAST,
    "colour-blind": _COLOUR_BLIND,
    "ansi": _ANSI,
}
"""By the names that people use; the first is the one without a choice."""


def theme_after(name: str) -> str:
    """Return the theme that follows *name*, and the first one after the last."""
    names = list(THEMES)
    return names[(names.index(name) + 1) % len(names)]
