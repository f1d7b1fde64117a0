"""Which keys do what, once the operator's settings are taken into account.

The registry says what there is; a settings file may give other keys to any of it. What it says is checked when
the monitor starts: a slip is told with its line, and nothing opens with keys that mean two things.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from textual.binding import Keymap as ToolkitKeymap
from textual.keys import Keys, _character_to_key, key_to_character

from tidegate.errors import Fault
from tidegate.settings import KeySetting, SettingsFileError
from tidegate.tui.commands import COMMANDS, Command, Scope, commands_of
from tidegate.tui.commands.command import SHOWN, shown_key
from tidegate.tui.commands.places import PLACES, scopes_at_once

__all__ = ["Keymap", "read_keymap"]

_NAMES = {shown: key for key, shown in SHOWN.items()} | {
    "esc": "escape",
    "pgup": "pageup",
    "pgdn": "pagedown",
}
"""Keys as people write them, by what the toolkit calls them."""
_KNOWN = {key.value for key in Keys} | {"space", *SHOWN}
_MODIFIED = re.compile(r"(?:(?:ctrl|alt|shift|super|hyper|meta)\+)+(.+)")
_TAKEN = {"tab": "goes to the next pane", "shift+tab": "goes to the pane before", "ctrl+q": "always quits"}
"""Keys that are not in the registry."""


@dataclass(frozen=True, slots=True)
class Keymap:
    """The keys that differ from those of the registry."""

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the id of the command; as the toolkit names them."""

    def of(self, command: Command) -> Command:
        """Return *command* with the keys that it has now."""
        return replace(command, keys=self.keys.get(command.id, command.keys))

    def commands_of(self, *scopes: Scope) -> tuple[Command, ...]:
        """Return the commands of *scopes*, in the order of the scopes, with the keys they have now."""
        return tuple(map(self.of, commands_of(*scopes)))

    def for_toolkit(self) -> ToolkitKeymap:
        """Return it as the toolkit takes it."""
        return {command_id: ",".join(keys) for command_id, keys in self.keys.items()}


def read_keymap(settings: Mapping[str, KeySetting]) -> Keymap:
    """Return the keymap that settings describe.

    Raises:
        SettingsFileError: a command or a key is none, or a key would mean two things in one place.
    """
    keymap = Keymap({name: tuple(map(_toolkit_name, setting.keys)) for name, setting in settings.items()})
    faults = sorted(_faults(settings, keymap), key=lambda found: (found[0], found[1].line))
    for file, of_file in groupby(faults, key=lambda found: found[0]):
        raise SettingsFileError(file, tuple(fault for _, fault in of_file))
    return keymap


def _toolkit_name(key: str) -> str:
    """Return a key as the toolkit names it: ``?`` is ``question_mark``, ``esc`` is ``escape``."""
    modified = _MODIFIED.fullmatch(key)
    name = modified[1] if modified else key
    name = name.lower() if re.fullmatch(r"F\d+", name) else _NAMES.get(name, name)
    full = _character_to_key(name) if len(name) == 1 else name
    return f"{key[: modified.start(1)]}{full}" if modified else full


def _is_key(key: str) -> bool:
    modified = _MODIFIED.fullmatch(key)
    name = modified[1] if modified else key
    return name in _KNOWN or key_to_character(name) is not None


def _faults(settings: Mapping[str, KeySetting], keymap: Keymap) -> Iterator[tuple[str, Fault]]:
    """Yield every fault with its file."""
    known = {command.id for command in COMMANDS}
    for name, setting in settings.items():
        if name not in known:
            yield setting.file, Fault(_unknown(name, known), setting.line)
            continue
        for written, key in zip(setting.keys, keymap.keys[name], strict=True):
            if not _is_key(key):
                message = f"'{name}': there is no key '{written}'; write a character, or a name such as ctrl+t, f5, space"
                yield setting.file, Fault(message, setting.line)
            elif key in _TAKEN:
                yield (
                    setting.file,
                    Fault(f"'{name}': {written} {_TAKEN[key]}, and nothing else", setting.line),
                )
    yield from _collisions(settings, keymap)


def _unknown(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean '{close[0]}'?" if close else "`tidegate keys` lists them all"
    return f"there is no command '{name}' ({hint})"


def _collisions(settings: Mapping[str, KeySetting], keymap: Keymap) -> Iterator[tuple[str, Fault]]:
    """Yield one fault for each two commands that want the same key in one place, where a setting had a part in it."""
    told: set[frozenset[str]] = set()
    for place, scopes in PLACES.items():
        for at_once in scopes_at_once(scopes):
            for key, first, other in _doubles(keymap.commands_of(*at_once)):
                changed = next((command for command in (other, first) if command.id in settings), None)
                pair = frozenset((first.id, other.id))
                if changed is None or pair in told:
                    continue
                told.add(pair)
                rival = first if changed is other else other
                setting = settings[changed.id]
                message = f"'{changed.id}' and '{rival.id}' ({rival.label}) would both be on {shown_key(key)} in {place}"
                yield setting.file, Fault(message, setting.line)


def _doubles(commands: tuple[Command, ...]) -> Iterator[tuple[str, Command, Command]]:
    taken: dict[str, Command] = {}
    for command in commands:
        for key in command.keys:
            if key in taken:
                yield key, taken[key], command
            taken.setdefault(key, command)
