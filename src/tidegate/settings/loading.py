"""From variables and files to settings.

The store lies in the user's data directory: never in the working directory, where a second
start from elsewhere would not find it, and never in /tmp, which forgets.
"""

import getpass
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tidegate.errors import SettingsError
from tidegate.settings.files import find_files
from tidegate.settings.monitor import MonitorSettings, monitor_settings
from tidegate.settings.sources import DEFAULT_ORIGIN, VARIABLES, Sources

__all__ = ["DEFAULT_MAX_MB", "MAX_SIZE_VARIABLE", "Cleaning", "Settings", "load_settings"]

MAX_SIZE_VARIABLE = VARIABLES["max_checkpoint_size_mb"]
BACKEND_VARIABLE = "WORKFLOW_CHECKPOINT_BACKEND"
DSN_VARIABLE = "WORKFLOW_CHECKPOINT_DSN"
DEFAULT_MAX_MB = 10.0
_LARGEST_MB = 500
"""A value is kept in one row, and SQLite takes no row of 1 GB."""


_MONTH = 30 * 86_400.0
_LONGEST = 3_650 * 86_400
"""Seconds: ten years. What is longer is a slip."""
_LIMITS = ("max_per_workflow", "ttl_seconds")
"""The two that decide together how long runs are kept."""
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Cleaning:
    """How long finished runs are kept where their workflow's file says nothing, and when they are removed.

    By default nothing that somebody might still look for goes: a run has to be older than 30 days and
    not be one of the newest 10 of its workflow. Whoever sets one of the two limits, or both, gets what
    they say: a run goes as soon as it is beyond one of them.
    """

    max_per_workflow: int | None = 10
    """How many finished runs of a workflow, the newest; None: any number."""
    ttl_seconds: float | None = _MONTH
    """How long after their end; None: for ever."""
    both: bool = True
    """Whether a run goes only if it is beyond both limits."""
    keep_paused: bool = True
    """Whether the checkpoints of closed questions stay on the list when those of a long run are trimmed.
    Those of open questions always stay, and so does a run that waits for somebody."""
    auto_cleanup: bool = True
    """Whether processes that drive runs clean up by themselves."""
    cleanup_interval_seconds: float = 3_600.0
    """How often, of all processes together."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line, the environment and the settings files decide together."""

    store: str
    """URL of the store."""
    store_origin: str
    """Who chose it, for `tidegate doctor`: `--store`, a variable's name, a place in a file, or `default`."""
    operator: str
    """Who answers, as the journal names them."""
    workflow_folders: tuple[Path, ...]
    """Where workflows are looked for by name, first match first."""
    max_checkpoint_size_mb: float = DEFAULT_MAX_MB
    """What one block may leave in one checkpoint, of JSON: its outputs together. 1 MB is 1024 * 1024 bytes."""
    cleaning: Cleaning = Cleaning()
    """How long finished runs are kept, and who removes them."""
    monitor: MonitorSettings = field(default_factory=MonitorSettings)
    """How the monitor looks and behaves."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Who decided each setting, by its key; as for the store."""


def load_settings(environ: Mapping[str, str] = os.environ, *, store: str | None = None) -> Settings:
    """Return the settings.

    Args:
        environ: Where the variables come from.
        store: What the command line said; it wins over every variable, and those over the files.

    Raises:
        SettingsError: a variable says what nobody can mean, or a settings file does (`SettingsFileError`).
    """
    sources = Sources(environ, find_files(environ))
    url, origin = _store(sources, store)
    return Settings(
        store=url,
        store_origin=origin,
        operator=_operator(sources),
        workflow_folders=_folders(sources),
        max_checkpoint_size_mb=_max_mb(sources),
        cleaning=_cleaning(sources),
        monitor=monitor_settings(sources),
        origins={**_origins(sources), "store": origin},
    )


def _origins(sources: Sources) -> dict[str, str]:
    said = {key: sources.find(key) for key in VARIABLES}
    for one, other in (_LIMITS, _LIMITS[::-1]):
        # Whoever sets one limit has decided that there is no other.
        said[one] = said[one] or said[other]
    keys = sources.in_file("keys")
    return {key: found.origin if found else DEFAULT_ORIGIN for key, found in said.items()} | {
        "keys": keys.origin if keys else DEFAULT_ORIGIN
    }


def _store(sources: Sources, store: str | None) -> tuple[str, str]:
    # An empty one is a variable that was not set, and must not mean the default store.
    if store is not None:
        return store, "--store"
    if url := sources.variable(VARIABLES["store"]):
        return url, VARIABLES["store"]
    if backend := sources.variable(BACKEND_VARIABLE):
        return _from_backend(backend.lower(), sources.variable(DSN_VARIABLE)), BACKEND_VARIABLE
    entry = sources.in_file("store")
    if entry is not None:
        return entry.value if "://" in entry.value else str(entry.path(entry.value)), entry.origin
    return f"sqlite://{_data_dir() / 'tidegate.db'}", DEFAULT_ORIGIN


def _from_backend(backend: str, dsn: str) -> str:
    """Return the URL that the two older variables mean."""
    if backend == "memory":
        return "memory://"
    if "://" in dsn:
        return dsn
    if backend == "sqlite":
        return f"sqlite://{Path(dsn).absolute() if dsn else _data_dir() / 'tidegate.db'}"
    if backend == "file":
        return f"file://{Path(dsn).absolute() if dsn else _data_dir() / 'history'}"
    return f"{backend}://{dsn}"


def _data_dir() -> Path:
    # Imported here: most commands are told their store, and starting is what a person waits for.
    from platformdirs import user_data_path

    return user_data_path("tidegate", appauthor=False)


def _operator(sources: Sources) -> str:
    said = sources.find("operator")
    if said is not None and said.text.strip():
        return said.text
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def _folders(sources: Sources) -> tuple[Path, ...]:
    said = sources.find("workflows")
    if said is None:
        listed = []
    elif said.entry is not None:
        listed = [said.entry.path(folder) for folder in said.entry.value]
    else:
        listed = [Path(entry) for entry in said.text.split(os.pathsep) if entry]
    return (*listed, Path(), Path("workflows"))


def _max_mb(sources: Sources) -> float:
    said = sources.find("max_checkpoint_size_mb")
    if said is None:
        return DEFAULT_MAX_MB
    # Neither 1e3 nor nan nor 10_000, all of which Python reads as numbers.
    size = float(said.text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", said.text) else 0.0
    if not 0 < size <= _LARGEST_MB:
        raise SettingsError(said.name, said.text, f"a number of MB, more than 0 and at most {_LARGEST_MB}")
    return size


def _cleaning(sources: Sources) -> Cleaning:
    most, ttl = (_count(sources, key) for key in _LIMITS)
    is_limited = most is not None or ttl is not None
    interval = _count(sources, "cleanup_interval_seconds", least=1)
    default = Cleaning()
    return Cleaning(
        max_per_workflow=most if is_limited else default.max_per_workflow,
        ttl_seconds=ttl if is_limited else default.ttl_seconds,
        both=not is_limited,
        keep_paused=_switch(sources, "keep_paused"),
        auto_cleanup=_switch(sources, "auto_cleanup"),
        cleanup_interval_seconds=default.cleanup_interval_seconds if interval is None else interval,
    )


def _count(sources: Sources, key: str, *, least: int = 0) -> int | None:
    said = sources.find(key)
    if said is None:
        return None
    count = int(said.text) if re.fullmatch("[0-9]{1,9}", said.text) else -1
    if not least <= count <= _LONGEST:
        raise SettingsError(said.name, said.text, f"a whole number, at least {least} and at most {_LONGEST}")
    return count


def _switch(sources: Sources, key: str) -> bool:
    """Return what an on-off setting says; on, if it says nothing."""
    said = sources.find(key)
    text = said.text.lower() if said is not None else ""
    if said is not None and text not in _YES + _NO:
        raise SettingsError(said.name, text, "true or false")
    return text not in _NO
