"""The registry of commands: keys, key bar, help."""

from collections import Counter

import pytest

from tidegate.tui.commands import COMMANDS, Scope, commands_of, footer
from tidegate.tui.screens.dashboard import DashboardScreen
from tidegate.tui.screens.help import HelpScreen, help_lines
from tidegate.tui.screens.lists.activity import ActivityScreen
from tidegate.tui.screens.lists.checkpoints import CheckpointsScreen
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.screens.lists.runs import RunsScreen
from tidegate.tui.screens.lists.workflows import WorkflowsScreen
from tidegate.tui.screens.run.log import LogScreen
from tidegate.tui.screens.run.run_view import RunScreen
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen

SCREENS = (
    InboxScreen,
    RunsScreen,
    CheckpointsScreen,
    WorkflowsScreen,
    DashboardScreen,
    ActivityScreen,
    RunScreen,
    LogScreen,
    TimeTravelScreen,
    HelpScreen,
)
LOOKING = (Scope.LIST, Scope.TEXT, Scope.TRAVEL)
"""Where commands only look: what forks a run asks first, and its key is no reflex of anybody."""


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("focused", [Scope.LIST, Scope.TEXT])
def test_no_key_means_two_things_in_one_place(screen: type[InboxScreen], focused: Scope) -> None:
    """What is focused, the screen and the app together bind each key once."""
    own = [scope for scope in screen.SCOPES if scope not in (Scope.LIST, Scope.TEXT)]
    keys = Counter(key for command in commands_of(*own, focused, Scope.GLOBAL) for key in command.keys)

    assert [key for key, count in keys.items() if count > 1] == []


def test_every_command_has_its_own_id_and_a_sentence() -> None:
    """Keymaps name commands by id; the help is made of the sentences."""
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)
    assert all(command.help and not command.help.endswith(".") for command in COMMANDS)


@pytest.mark.parametrize("screen", SCREENS)
def test_the_key_bar_fits_at_80_columns_with_all_that_matters(screen: type[InboxScreen]) -> None:
    """Nothing is cut, all is there at 120 columns, and help and quit are always there."""
    commands = commands_of(*screen.SCOPES, Scope.GLOBAL)
    shown = footer(commands, 80)

    assert sum(len(command.first_key) + len(command.label) + 3 for command in shown) <= 80 + 1
    assert len(shown) >= min(9, len(footer(commands, 1000)))
    assert footer(commands, 120) == footer(commands, 1000)
    assert [command.label for command in shown[-2:]] == ["Help", "Quit"]
    assert len(footer(commands, 20)) < len(shown)


def test_where_the_key_bar_is_narrow_what_does_nothing_here_gives_way_first() -> None:
    """Whatever its rank; the rest stays in its order."""
    commands = commands_of(*RunScreen.SCOPES, Scope.GLOBAL)
    wide = [command.action for command in footer(commands, 1000)]
    off = set(wide[:3])

    narrow = [command.action for command in footer(commands, 80, lambda action: action not in off)]

    assert not off & set(narrow)
    assert narrow == [action for action in wide if action in narrow]
    assert len(narrow) > len(wide) // 2


@pytest.mark.parametrize("screen", SCREENS)
def test_the_help_says_every_key_of_a_place(screen: type[InboxScreen]) -> None:
    """It is made from what binds the keys, so it cannot lack one."""
    text = "\n".join(line.text for line in help_lines((*screen.SCOPES, Scope.GLOBAL)))

    for command in commands_of(*screen.SCOPES, Scope.GLOBAL):
        assert command.shown_keys in text
        assert command.help in text


def test_no_letter_that_moves_also_acts() -> None:
    """`k` and `d` are reflexes of people who scroll; they change nothing anywhere."""
    looking = "inbox.difference"
    acting = [command for command in COMMANDS if command.scope not in LOOKING and command.id != looking]
    forking = {key for name in ("fork", "edit", "rerun", "bookmark") for key in _keys(f"travel.{name}")}

    assert not {"j", "k", "d", "g", "G"} & forking
    assert not {"j", "k", "d", "g", "G"} & {key for command in acting for key in command.keys}


def _keys(command_id: str) -> tuple[str, ...]:
    return next(command.keys for command in COMMANDS if command.id == command_id)
