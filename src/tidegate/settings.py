"""Where things are and who we are, from the environment.

The store lies in the user's data directory: never in the working directory, where a second
start from elsewhere would not find it, and never in /tmp, which forgets.
"""

import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Settings", "load_settings"]

STORE_VARIABLE = "TIDEGATE_STORE"
OPERATOR_VARIABLE = "TIDEGATE_OPERATOR"
WORKFLOWS_VARIABLE = "TIDEGATE_WORKFLOWS"
BACKEND_VARIABLE = "WORKFLOW_CHECKPOINT_BACKEND"
DSN_VARIABLE = "WORKFLOW_CHECKPOINT_DSN"
DEFAULT_ORIGIN = "default"
"""Who chose the store when nobody did."""


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


def load_settings(environ: Mapping[str, str] = os.environ, *, store: str | None = None) -> Settings:
    """Return the settings.

    Args:
        environ: Where the variables come from.
        store: What the command line said; it wins over every variable.
    """
    url, origin = _store(environ, store)
    return Settings(
        store=url, store_origin=origin, operator=_operator(environ), workflow_folders=_folders(environ)
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
