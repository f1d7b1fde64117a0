"""What a command of the monitor is: its keys, its words, and where it works."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Command", "Scope", "command"]


class Scope(StrEnum):
    """Where a command works; the value is the title of its part of the help."""

    GLOBAL = "Everywhere"
    LIST = "In any list"
    TEXT = "In any text"
    PREVIEW = "Preview below or beside a list"
    FILTER = "Filter"
    INBOX = "Inbox"
    RUNS = "Runs"
    CHECKPOINTS = "Checkpoints"
    WORKFLOWS = "Workflows"
    DASHBOARD = "Dashboard"
    TURNS = "What may be done to a run"
    RUN = "Run"
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
        return " ".join(_SHOWN.get(key, key) for key in self.keys)

    @property
    def first_key(self) -> str:
        """The key that the key bar shows."""
        return _SHOWN.get(self.keys[0], self.keys[0])


_SHOWN = {
    "question_mark": "?",
    "slash": "/",
    "escape": "esc",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "f1": "F1",
    "ctrl+down": "ctrl+↓",
    "ctrl+up": "ctrl+↑",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "number_sign": "#",
    "full_stop": ".",
}


def command(
    scope: Scope, name: str, keys: str, label: str, sentence: str, *, action: str = "", rank: int = 0
) -> Command:
    """Return a command of *scope*; its action is its name where nothing else is said."""
    command_id = f"{scope.name.lower()}.{name}"
    return Command(command_id, tuple(keys.split()), label, sentence, scope, action or name, rank)
