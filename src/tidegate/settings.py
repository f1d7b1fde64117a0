"""Where things are and who we are, from the environment.

The store lies in the user's data directory: never in the working directory, where a second
start from elsewhere would not find it, and never in /tmp, which forgets.
"""

import getpass
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tidegate.errors import SettingsError

__all__ = ["DEFAULT_MAX_MB", "MAX_SIZE_VARIABLE", "Cleaning", "Settings", "load_settings"]

STORE_VARIABLE = "TIDEGATE_STORE"
OPERATOR_VARIABLE = "TIDEGATE_OPERATOR"
WORKFLOWS_VARIABLE = "TIDEGATE_WORKFLOWS"
MAX_SIZE_VARIABLE = "TIDEGATE_MAX_CHECKPOINT_SIZE_MB"
MAX_PER_WORKFLOW_VARIABLE = "TIDEGATE_MAX_PER_WORKFLOW"
TTL_VARIABLE = "TIDEGATE_TTL_SECONDS"
KEEP_PAUSED_VARIABLE = "TIDEGATE_KEEP_PAUSED"
AUTO_CLEANUP_VARIABLE = "TIDEGATE_AUTO_CLEANUP"
CLEANUP_INTERVAL_VARIABLE = "TIDEGATE_CLEANUP_INTERVAL_SECONDS"
BACKEND_VARIABLE = "WORKFLOW_CHECKPOINT_BACKEND"
DSN_VARIABLE = "WORKFLOW_CHECKPOINT_DSN"
DEFAULT_ORIGIN = "default"
"""Who chose the store when nobody did."""
DEFAULT_MAX_MB = 10.0
_LARGEST_MB = 500
"""A value is kept in one row, and SQLite takes no row of 1 GB."""


_MONTH = 30 * 86_400.0
_LONGEST = 3_650 * 86_400
"""Seconds: ten years. What is longer is a slip."""
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
    """What the environment decides."""

    store: str
    """URL of the store."""
    store_origin: str
    """Who chose it, for `tidegate doctor`: `--store`, a variable's name, or `default`."""
    operator: str
    """Who answers, as the journal names them."""
    workflow_folders: tuple[Path, ...]
    """Where workflows are looked for by name, first match first."""
    max_checkpoint_size_mb: float = DEFAULT_MAX_MB
    """What one block may leave in one checkpoint, of JSON: its outputs together. 1 MB is 1024 * 1024 bytes."""
    cleaning: Cleaning = Cleaning()
    """How long finished runs are kept, and who removes them."""


def load_settings(environ: Mapping[str, str] = os.environ, *, store: str | None = None) -> Settings:
    """Return the settings.

    Args:
        environ: Where the variables come from.
        store: What the command line said; it wins over every variable.

    Raises:
        SettingsError: a variable says what nobody can mean.
    """
    url, origin = _store(environ, store)
    return Settings(
        store=url,
        store_origin=origin,
        operator=_operator(environ),
        workflow_folders=_folders(environ),
        max_checkpoint_size_mb=_max_mb(environ),
        cleaning=_cleaning(environ),
    )


def _store(environ: Mapping[str, str], store: str | None) -> tuple[str, str]:
    # An empty one is a variable that was not set, and must not mean the default store.
    if store is not None:
        return store, "--store"
    if url := environ.get(STORE_VARIABLE):
        return url, STORE_VARIABLE
    if backend := environ.get(BACKEND_VARIABLE):
        return _from_backend(backend.strip().lower(), environ.get(DSN_VARIABLE, "")), BACKEND_VARIABLE
    return f"sqlite:///{_data_dir() / 'tidegate.db'}", DEFAULT_ORIGIN


def _from_backend(backend: str, dsn: str) -> str:
    """Return the URL that the two older variables mean."""
    if backend == "memory":
        return "memory://"
    if "://" in dsn:
        return dsn
    if backend == "sqlite":
        return f"sqlite:///{Path(dsn).absolute() if dsn else _data_dir() / 'tidegate.db'}"
    if backend == "file":
        return f"file://{Path(dsn).absolute() if dsn else _data_dir() / 'history'}"
    return f"{backend}://{dsn}"


def _data_dir() -> Path:
    # Imported here: most commands are told their store, and starting is what a person waits for.
    from platformdirs import user_data_path

    return user_data_path("tidegate", appauthor=False)


def _operator(environ: Mapping[str, str]) -> str:
    if name := environ.get(OPERATOR_VARIABLE):
        return name
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def _folders(environ: Mapping[str, str]) -> tuple[Path, ...]:
    listed = [Path(entry) for entry in environ.get(WORKFLOWS_VARIABLE, "").split(os.pathsep) if entry]
    return (*listed, Path(), Path("workflows"))


def _max_mb(environ: Mapping[str, str]) -> float:
    text = environ.get(MAX_SIZE_VARIABLE, "").strip()
    if not text:
        return DEFAULT_MAX_MB
    # Neither 1e3 nor nan nor 10_000, all of which Python reads as numbers.
    size = float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) else 0.0
    if not 0 < size <= _LARGEST_MB:
        raise SettingsError(MAX_SIZE_VARIABLE, text, f"a number of MB, more than 0 and at most {_LARGEST_MB}")
    return size


def _cleaning(environ: Mapping[str, str]) -> Cleaning:
    most, ttl = _count(environ, MAX_PER_WORKFLOW_VARIABLE), _count(environ, TTL_VARIABLE)
    is_limited = most is not None or ttl is not None
    interval = _count(environ, CLEANUP_INTERVAL_VARIABLE, least=1)
    default = Cleaning()
    return Cleaning(
        max_per_workflow=most if is_limited else default.max_per_workflow,
        ttl_seconds=ttl if is_limited else default.ttl_seconds,
        both=not is_limited,
        keep_paused=_switch(environ, KEEP_PAUSED_VARIABLE),
        auto_cleanup=_switch(environ, AUTO_CLEANUP_VARIABLE),
        cleanup_interval_seconds=default.cleanup_interval_seconds if interval is None else interval,
    )


def _count(environ: Mapping[str, str], name: str, *, least: int = 0) -> int | None:
    text = environ.get(name, "").strip()
    if not text:
        return None
    count = int(text) if re.fullmatch("[0-9]{1,9}", text) else -1
    if not least <= count <= _LONGEST:
        raise SettingsError(name, text, f"a whole number, at least {least} and at most {_LONGEST}")
    return count


def _switch(environ: Mapping[str, str], name: str) -> bool:
    """Return what an on-off variable says; on, if it says nothing."""
    text = environ.get(name, "").strip().lower()
    if text and text not in _YES + _NO:
        raise SettingsError(name, text, "true or false")
    return text not in _NO
