"""The commands that mean what the cursor is on: those that wait a moment where it has moved by itself."""

from functools import lru_cache
from typing import Final

from tidegate.tui.commands.registry import COMMANDS

__all__ = ["AIMED", "aims"]

AIMED: Final = frozenset(
    {
        "list.open",
        "rows.mark",
        "rows.mark_range",
        "rows.copy_id",
        "rows.copy_json",
        "inbox.answer",
        "inbox.reject",
        "inbox.open_run",
        "inbox.log",
        "inbox.travel",
        "inbox.difference",
        "inbox.bulk",
        "inbox.snooze",
        "runs.open_row",
        "runs.answer",
        "runs.travel",
        "checkpoints.travel",
        "checkpoints.open_row",
        "checkpoints.pin",
        "checkpoints.label",
        "workflows.launch",
        "workflows.edit",
        "workflows.open_row",
        "activity.open_row",
        "turns.pause",
        "turns.retry",
        "turns.cancel",
        "run.answer",
        "run.rerun",
        "run.skip",
        "run.travel",
        "run.fork",
        "run.unfold",
        "run.edit",
        "run.copy",
        "run.log",
    }
)
"""By id."""


@lru_cache(1)
def _actions() -> frozenset[str]:
    return frozenset(command.action.removeprefix("screen.") for command in COMMANDS if command.id in AIMED)


def aims(action: str) -> bool:
    """Whether an action, as bindings name it, is done to what the cursor is on."""
    return action.removeprefix("screen.") in _actions()
