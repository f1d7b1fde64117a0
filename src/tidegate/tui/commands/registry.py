"""The one list of commands that bindings, key bar and help are made from.

None of them can so say what another does not do.
"""

from collections.abc import Callable

from textual.binding import Binding, BindingType

from tidegate.tui.commands.command import Command, Scope
from tidegate.tui.commands.everywhere import BACK, FILTER, GLOBAL, LIST, PREVIEW, ROWS, TEXT
from tidegate.tui.commands.log import LOG
from tidegate.tui.commands.modes import ACTIVITY, CHECKPOINTS, DASHBOARD, INBOX, RUNS, WORKFLOWS
from tidegate.tui.commands.run import RUN, TURNS
from tidegate.tui.commands.travel import TRAVEL

__all__ = ["COMMANDS", "bindings", "commands_of", "footer"]

COMMANDS = (
    *GLOBAL,
    *LIST,
    *TEXT,
    *PREVIEW,
    *FILTER,
    *ROWS,
    *INBOX,
    *RUNS,
    *CHECKPOINTS,
    *WORKFLOWS,
    *DASHBOARD,
    *ACTIVITY,
    *TURNS,
    *RUN,
    *LOG,
    *TRAVEL,
    *BACK,
)


def commands_of(*scopes: Scope) -> tuple[Command, ...]:
    """Return the commands of *scopes*, in the order of the scopes."""
    return tuple(command for scope in scopes for command in COMMANDS if command.scope is scope)


def bindings(*scopes: Scope) -> list[BindingType]:
    """Return what binds the keys of *scopes* to their actions."""
    return [
        Binding(
            ",".join(command.keys),
            command.action,
            command.label,
            show=False,
            key_display=command.first_key,
            id=command.id,
            tooltip=command.help,
        )
        for command in commands_of(*scopes)
    ]


def footer(
    commands: tuple[Command, ...], width: int, applies: Callable[[str], bool] = lambda action: True
) -> tuple[Command, ...]:
    """Return the commands that a key bar shows: those of this place first, help and quit last.

    Args:
        commands: What works here.
        width: Cells; where they are few, what does not apply gives way first, then what has the highest rank.
        applies: Whether an action would do something now.
    """
    shown = [command for command in commands if command.rank]
    by_worth = sorted(shown, key=lambda command: (not applies(command.action), command.rank))
    while by_worth and _bar_width(shown) > width:
        shown.remove(by_worth.pop())
    own = [command for command in shown if command.scope is not Scope.GLOBAL]
    return (*sorted(own, key=lambda command: command.rank), *(c for c in shown if c.scope is Scope.GLOBAL))


def _bar_width(commands: list[Command]) -> int:
    # Two cells stand between two of them, and none behind the last.
    return 1 + sum(len(command.first_key) + len(command.label) + 3 for command in commands) - 2
