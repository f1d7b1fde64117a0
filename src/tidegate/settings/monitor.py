"""How the monitor looks and behaves, as settings say it. What its keys may be, only the monitor knows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tidegate.errors import SettingsError
from tidegate.settings.sources import Said, Sources

__all__ = [
    "MONITOR_THEMES",
    "Ascii",
    "KeySetting",
    "MonitorSettings",
    "Notify",
    "NotifyBy",
    "monitor_settings",
]

MONITOR_THEMES = ("dark", "light", "high-contrast", "colour-blind", "ansi")
_KEYS_WANTED = "a key in quotes, or a list of keys, each in quotes"
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class Notify(StrEnum):
    """When the terminal is told that something waits, besides its bell."""

    OFF = "off"
    """Never, and no bell either."""
    UNFOCUSED = "unfocused"
    """While one looks elsewhere."""
    ALWAYS = "always"


class NotifyBy(StrEnum):
    """The sequence that makes a terminal tell something; each terminal knows some of them."""

    AUTO = "auto"
    """The one that the terminal is known to take."""
    OSC9 = "osc9"
    OSC777 = "osc777"
    OSC99 = "osc99"
    NONE = "none"
    """No sequence: the bell and the title only."""


class Ascii(StrEnum):
    """What is drawn in ASCII."""

    OFF = "off"
    SIGNS = "signs"
    """Every sign and line of the monitor; what people wrote stays as it is."""
    ALL = "all"
    """Everything; what has no ASCII sign is a question mark."""


@dataclass(frozen=True, slots=True)
class KeySetting:
    """The keys that a file gives to one command."""

    keys: tuple[str, ...]
    """As the toolkit names them, or as people write them."""
    file: str
    line: int
    """1-based."""


@dataclass(frozen=True, slots=True)
class MonitorSettings:
    """How the monitor looks and behaves."""

    theme: str = ""
    """One of `MONITOR_THEMES`; empty: the one that was chosen last."""
    ascii: bool | None = None
    """None: where the terminal's encoding takes nothing else."""
    mouse: bool = True
    notify: Notify = Notify.UNFOCUSED
    notify_by: NotifyBy = NotifyBy.AUTO
    keys: Mapping[str, KeySetting] = field(default_factory=dict)
    """By the command's id."""
    read_only: bool = False
    """Whether nothing may be answered, started or turned."""


def monitor_settings(sources: Sources) -> MonitorSettings:
    """Return what was said about the monitor.

    Raises:
        SettingsError: a setting is none of what it may be.
    """
    default = MonitorSettings()
    return MonitorSettings(
        theme=_choice(sources.find("theme"), MONITOR_THEMES, default.theme),
        ascii=_switch(sources.find("ascii"), None),
        mouse=bool(_switch(sources.find("mouse"), default.mouse)),
        notify=Notify(_choice(sources.find("notify"), tuple(Notify), default.notify)),
        notify_by=NotifyBy(_choice(sources.find("notify_by"), tuple(NotifyBy), default.notify_by)),
        keys=_keys(sources),
    )


def _choice(said: Said | None, choices: tuple[str, ...], default: str) -> str:
    if said is None:
        return default
    text = said.text.strip().lower()
    if text not in choices:
        raise SettingsError(said.name, said.text, f"one of {', '.join(choices)}")
    return text


def _switch(said: Said | None, default: bool | None) -> bool | None:
    if said is None:
        return default
    text = said.text.lower()
    if text not in _YES + _NO:
        raise SettingsError(said.name, said.text, "true or false")
    return text in _YES


def _keys(sources: Sources) -> Mapping[str, KeySetting]:
    entry = sources.in_file("keys")
    if entry is None:
        return {}
    lines = _lines_of_keys(entry.file.read_text(encoding="utf-8"))
    found = {}
    for name, value in _flattened(entry.value):
        line = lines.get(name, entry.line)
        keys = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else ()
        if not keys or not all(isinstance(key, str) and key.strip() for key in keys):
            raise SettingsError(f"{entry.file}:{line}:1: {name}", str(value), _KEYS_WANTED)
        found[name] = KeySetting(tuple(key.strip() for key in keys), str(entry.file), line)
    return found


def _flattened(table: Mapping[str, object], above: str = "") -> list[tuple[str, object]]:
    """Return the entries of a table, and of those in it: TOML reads a dot in a bare key as a table."""
    found: list[tuple[str, object]] = []
    for name, value in table.items():
        full = f"{above}{name}"
        found += _flattened(value, f"{full}.") if isinstance(value, dict) else [(full, value)]
    return found


def _lines_of_keys(text: str) -> dict[str, int]:
    """Return the line of each entry below ``[keys]``; the parser does not tell it."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\s*([^\]]+?)\s*\]", line):
            table = header[1].replace('"', "")
        elif named := re.match(r"""\s*([\w"'.\- ]+?)\s*=""", line):
            name = re.sub(r"""["'\s]""", "", named[1])
            full = f"{table}.{name}" if table else name
            found.setdefault(full.removeprefix("keys."), number)
    return found
