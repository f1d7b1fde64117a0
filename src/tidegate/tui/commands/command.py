"""What a command of the monitor is: its keys, its words, and where it works."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from textual.keys import key_to_character

__all__ = ["SHOWN", "Command", "Scope", "command", "shown_key"]


class Scope(StrEnum):
    """Where a command works; the value is the title of its part of the help."""

    GLOBAL = "Everywhere"
    LIST = "In any list"
    TEXT = "In any text"
    PREVIEW = "Preview below or beside a list"
    FILTER = "Filter"
    ROWS = "Rows of a mode: order, marks, copies; its panes"
    INBOX = "Inbox"
    RUNS = "Runs"
    CHECKPOINTS = "Checkpoints"
    WORKFLOWS = "Workflows"
    DASHBOARD = "Dashboard"
    ACTIVITY = "Activity"
    TURNS = "What may be done to a run"
    RUN = "Run"
    LOG = "Log"
    TRAVEL = "Time travel"
    BACK = "Leaving"


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a key does."""

    id: str
    keys: tuple[str, ...]
    """As Textual names them; the first is the one that is shown."""
    label: str
    """For the key bar: one or two words."""
    help: str
    """For the help: a sentence without its full stop."""
    scope: Scope
    action: str
    rank: int = 0
    """Its place in the key bar: the lower, the longer it stays as the bar gets narrower. 0: not in it."""

    @property
    def shown_keys(self) -> str:
        """Its keys as people write them."""
        return " ".join(self.shown)

    @property
    def shown(self) -> tuple[str, ...]:
        """Each of its keys as people write it."""
        return tuple(shown_key(key) for key in self.keys)

    @property
    def first_key(self) -> str:
        """The key that the key bar shows."""
        return shown_key(self.keys[0])


_FUNCTION_KEY = re.compile(r"f\d+")
SHOWN = {
    "question_mark": "?",
    "slash": "/",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "number_sign": "#",
    "full_stop": ".",
    "ampersand": "&",
    "minus": "-",
    "asterisk": "*",
    "colon": ":",
    "exclamation_mark": "!",
    "plus": "+",
    "equals_sign": "=",
    "underscore": "_",
    "at": "@",
    "backslash": "\\",
}
"""Keys as people write them, by what the toolkit calls them."""


@lru_cache
def shown_key(key: str) -> str:
    """Return a key as people write it."""
    if key in SHOWN:
        return SHOWN[key]
    character = key_to_character(key)
    if character and character.isprintable() and character != " ":
        return character
    return key.upper() if _FUNCTION_KEY.fullmatch(key) else key


def command(
    scope: Scope, name: str, keys: str, label: str, sentence: str, *, action: str = "", rank: int = 0
) -> Command:
    """Return a command of *scope*; its action is its name where nothing else is said."""
    command_id = f"{scope.name.lower()}.{name}"
    return Command(command_id, tuple(keys.split()), label, sentence, scope, action or name, rank)
