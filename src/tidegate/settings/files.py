"""Where settings files are, and what is written in them.

There are two: one of the user, and one of the project that the working directory belongs to. They hold plain
keys, and one table, of the monitor's keys; each is read whole, and every fault of it is told with its line.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tidegate.errors import Fault, SettingsError

__all__ = [
    "CONFIG_VARIABLE",
    "KEYS",
    "PROJECT_NAMES",
    "Entry",
    "Found",
    "SettingsFileError",
    "find_files",
    "user_file",
]

CONFIG_VARIABLE = "TIDEGATE_CONFIG"
"""Names another file in the place of the user's."""
PROJECT_NAMES = ("tidegate.toml", ".tidegate.toml")
_TEXT, _NUMBER, _WHOLE = "a text in quotes", "a number", "a whole number"
_SWITCH = "true or false"
KEYS: Final[Mapping[str, tuple[str, tuple[type, ...]]]] = {
    "store": (_TEXT, (str,)),
    "operator": (_TEXT, (str,)),
    "workflows": ("a list of folders, each in quotes", (list,)),
    "max_checkpoint_size_mb": (_NUMBER, (int, float)),
    "max_per_workflow": (_WHOLE, (int,)),
    "ttl_seconds": (_WHOLE, (int,)),
    "keep_paused": (_SWITCH, (bool,)),
    "auto_cleanup": (_SWITCH, (bool,)),
    "cleanup_interval_seconds": (_WHOLE, (int,)),
    "theme": (_TEXT, (str,)),
    "ascii": (_SWITCH, (bool,)),
    "mouse": (_SWITCH, (bool,)),
    "notify": (_TEXT, (str,)),
    "notify_by": (_TEXT, (str,)),
    "keys": ("a table of commands and their keys", (dict,)),
}
"""What may stand in a file: what is expected, and the types that TOML may give for it."""
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


class SettingsFileError(SettingsError):
    """A settings file has faults. Nothing was begun."""

    def __init__(self, file: str, faults: tuple[Fault, ...]) -> None:
        self.file = file
        self.faults = faults
        # Not in the words of a variable: there may be several faults, each with its place.
        Exception.__init__(self, *(fault.describe(file) for fault in faults))


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a file."""

    value: Any
    """Of one of the types of `KEYS`."""
    file: Path
    line: int
    """1-based."""

    @property
    def origin(self) -> str:
        """Where it stands, for people."""
        return f"{self.file}:{self.line}"

    def path(self, text: str) -> Path:
        """Return a path that the file names; of one that is not absolute, seen from there."""
        return self.file.parent / Path(text).expanduser()


@dataclass(frozen=True, slots=True)
class Found:
    """The files that count here, the nearest first, and why one does not."""

    user: Path
    """Where the user's file is, or would be."""
    project: Path | None
    """None: the working directory belongs to none."""
    ignored: str = ""
    """Why a project's file does not count; empty: all do."""

    def entries(self) -> dict[str, Entry]:
        """Return what all of them say; of a key that both have, the project's.

        Raises:
            SettingsFileError: one of them has faults.
        """
        both = _read(self.user) if self.user.is_file() else {}
        return {**both, **(_read(self.project) if self.project is not None else {})}


# -- finding ----------------------------------------------------------------------------------


def find_files(environ: Mapping[str, str]) -> Found:
    """Return which files count here.

    Raises:
        SettingsError: the variable that names one names none; or a folder has both names of a project's file.
    """
    user = user_file(environ)
    project = _project_file()
    if project is None or project == user:
        return Found(user, None)
    owner = project.stat().st_uid
    # It names a store and folders of commands to run: in a shared folder anybody may have put it there.
    if owner not in {os.geteuid(), 0}:
        return Found(user, None, f"{project} belongs to somebody else (uid {owner})")
    return Found(user, project)


def user_file(environ: Mapping[str, str]) -> Path:
    """Return where the user's file is, or would be."""
    named = environ.get(CONFIG_VARIABLE, "").strip()
    if not named:
        return _config_dir(environ) / "config.toml"
    path = Path(named).expanduser().absolute()
    if not path.is_file():
        raise SettingsError(CONFIG_VARIABLE, named, "a file that is there")
    return path


def _config_dir(environ: Mapping[str, str]) -> Path:
    if sys.platform != "linux":
        from platformdirs import user_config_path

        return user_config_path("tidegate", appauthor=False)
    # As platformdirs has it, which would be loaded for this by every command.
    named = environ.get("XDG_CONFIG_HOME", "").strip()
    return Path(named or "~/.config").expanduser() / "tidegate"


def _project_file() -> Path | None:
    """Return the file in the nearest folder that has one, from the working directory upwards."""
    try:
        here = Path.cwd()
    except FileNotFoundError:  # It was removed under us.
        return None
    for folder in (here, *here.parents):
        found = [folder / name for name in PROJECT_NAMES if (folder / name).is_file()]
        if len(found) > 1:
            raise SettingsError(str(folder), " and ".join(PROJECT_NAMES), "one of the two files")
        if found:
            return found[0]
    return None


# -- reading ----------------------------------------------------------------------------------


def _read(file: Path) -> dict[str, Entry]:
    # Here: most commands find no file.
    import tomllib

    try:
        text = file.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise SettingsFileError(str(file), (Fault(f"it cannot be read: {error.strerror}"),)) from error
    except UnicodeDecodeError as error:
        raise SettingsFileError(str(file), (Fault("it is not UTF-8"),)) from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsFileError(str(file), (_syntax_fault(str(error), text),)) from error
    lines = _lines(text)
    faults = tuple(_faults(document, lines))
    if faults:
        raise SettingsFileError(str(file), faults)
    return {key: Entry(value, file, lines.get(key, 1)) for key, value in document.items()}


def _syntax_fault(message: str, text: str) -> Fault:
    place = _PLACE.search(message)
    if place is None:
        return Fault(message)
    line, column = place.groups()
    if line is None:
        return Fault(f"{_PLACE.sub('', message)}, at the end", text.count("\n") + 1)
    return Fault(_PLACE.sub("", message), int(line), int(column))


def _lines(text: str) -> dict[str, int]:
    """Return the line of each key; the parser does not tell it."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        named = re.match(r"""\s*\[*\s*["']?([\w-]+)["']?\s*[\].=]""", line)
        if named:
            found.setdefault(named[1], number)
    return found


def _faults(document: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Fault]:
    for key, value in document.items():
        line = lines.get(key, 1)
        if key not in KEYS:
            yield Fault(f"there is no setting '{key}'{_hint(key)}", line)
            continue
        expected, types = KEYS[key]
        # To Python true is a number, too.
        is_kind = isinstance(value, types) and not (isinstance(value, bool) and bool not in types)
        if not is_kind or value == "" or (isinstance(value, list) and not all(map(_is_text, value))):
            yield Fault(f"{key} is {_shown(value)}, expected {expected}", line)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _shown(value: object) -> str:
    """Return a value as its file has it, or nearly so, and never all of a long one."""
    return str(value).lower() if isinstance(value, bool) else repr(value)[:60]


def _hint(key: str) -> str:
    import difflib

    close = difflib.get_close_matches(key.lower().replace("-", "_"), KEYS, n=1, cutoff=0.6)
    return f" (did you mean '{close[0]}'?)" if close else f"; there are {', '.join(KEYS)}"
