"""Every command of the monitor: its keys, its words, and where it works.

No key acts on a run at one stroke: what changes something opens a dialog first.
"""

from tidegate.tui.commands.command import Command, Scope
from tidegate.tui.commands.registry import COMMANDS, bindings, commands_of, footer

__all__ = ["COMMANDS", "Command", "Scope", "bindings", "commands_of", "footer"]
