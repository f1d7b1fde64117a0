"""The two themes: a calm surface and one accent.

Every other colour means something, and what it means is also said by a symbol and a word.
"""

from textual.theme import Theme

__all__ = ["DARK", "LIGHT"]

DARK = Theme(
    name="tidegate-dark",
    dark=True,
    primary="#58b4c4",
    secondary="#58b4c4",
    accent="#58b4c4",
    foreground="#cdd5de",
    background="#10151b",
    surface="#10151b",
    panel="#1a222b",
    boost="#222c37",
    success="#86b981",
    warning="#e3ae55",
    error="#e8807a",
    variables={
        "line-dim": "#8592a0",
        "line-off": "#55616d",
        "line-strong": "#f0f4f8",
        "line-border": "#2f3b48",
        "line-cursor": "#213440",
        "line-cursor-unfocused": "#1a232c",
        "block-cursor-text-style": "none",
        "input-cursor-background": "#58b4c4",
        "input-cursor-foreground": "#10151b",
        "input-selection-background": "#58b4c4 35%",
        "scrollbar": "#3a4856",
        "scrollbar-hover": "#4c5d6e",
        "scrollbar-active": "#58b4c4",
        "scrollbar-background": "#10151b",
        "scrollbar-background-hover": "#10151b",
        "scrollbar-background-active": "#10151b",
        "scrollbar-corner-color": "#10151b",
    },
)

LIGHT = Theme(
    name="tidegate-light",
    dark=False,
    primary="#0b6b7f",
    secondary="#0b6b7f",
    accent="#0b6b7f",
    foreground="#28323c",
    background="#f7f8f8",
    surface="#f7f8f8",
    panel="#e9edef",
    boost="#dfe5e8",
    success="#2f6f3a",
    warning="#8a5200",
    error="#b0302a",
    variables={
        "line-dim": "#5d6a76",
        "line-off": "#a3adb5",
        "line-strong": "#0d141b",
        "line-border": "#c3ccd3",
        "line-cursor": "#d5e8ec",
        "line-cursor-unfocused": "#e8ecee",
        "block-cursor-text-style": "none",
        "input-cursor-background": "#0b6b7f",
        "input-cursor-foreground": "#f7f8f8",
        "input-selection-background": "#0b6b7f 25%",
        "scrollbar": "#b4bfc7",
        "scrollbar-hover": "#93a2ad",
        "scrollbar-active": "#0b6b7f",
        "scrollbar-background": "#f7f8f8",
        "scrollbar-background-hover": "#f7f8f8",
        "scrollbar-background-active": "#f7f8f8",
        "scrollbar-corner-color": "#f7f8f8",
    },
)
