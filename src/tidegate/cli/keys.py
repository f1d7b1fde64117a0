"""`tidegate keys`: what the monitor can do, and with which keys."""

from itertools import groupby

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command
from tidegate.settings import Settings

__all__ = ["keys"]


@click.command(cls=Command)
@options.as_json
@options.pass_settings
def keys(settings: Settings, as_json: bool) -> int:
    """List what the monitor can do: the id of each command, its keys, and what it does.

    A settings file changes them: below [keys] an id has a key, or a list of keys. A `*` marks those it changed.
    """
    from tidegate.tui.commands import COMMANDS
    from tidegate.tui.keymap import read_keymap

    keymap = read_keymap(settings.monitor.keys)
    commands = [keymap.of(command) for command in COMMANDS]
    if as_json:
        default = {command.id: command.shown for command in COMMANDS}
        emit_json(
            {
                "commands": [
                    {
                        "id": command.id,
                        "scope": command.scope.value,
                        "keys": list(command.shown),
                        "default_keys": list(default[command.id]),
                        "help": command.help,
                    }
                    for command in commands
                ]
            }
        )
        return Exit.SUCCEEDED
    width = max(len(command.id) for command in commands)
    for scope, group in groupby(commands, key=lambda command: command.scope):
        say(f"{scope.value}")
        for command in group:
            mark = "*" if command.id in keymap.keys else " "
            say(f" {mark}{command.id:<{width}}  {command.shown_keys:<15} {command.help}")
        say("")
    return Exit.SUCCEEDED
