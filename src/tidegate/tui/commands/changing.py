"""The commands that may change something: those that read-only mode takes away. Each asks first anyway.

Answering is none of them: the dialog of a question is the only place where all that was laid before a person
is to be read. Where nothing is changed it takes no answer.
"""

from functools import lru_cache
from typing import Final

from tidegate.tui.commands.registry import COMMANDS

__all__ = ["CHANGING", "changes"]

CHANGING: Final = frozenset(
    {
        "inbox.reject",
        "inbox.bulk",
        "checkpoints.pin",
        "checkpoints.label",
        "workflows.launch",
        "workflows.edit",
        "turns.pause",
        "turns.retry",
        "turns.cancel",
        "run.rerun",
        "run.skip",
        "run.fork",
        "run.again",
        "run.edit",
        "travel.fork",
        "travel.edit",
        "travel.rerun",
        "travel.bookmark",
    }
)
"""By id."""


@lru_cache(1)
def _actions() -> frozenset[str]:
    return frozenset(command.action.removeprefix("screen.") for command in COMMANDS if command.id in CHANGING)


def changes(action: str) -> bool:
    """Whether an action, as bindings name it, may change something."""
    return action.removeprefix("screen.") in _actions()
