"""`tidegate config`: what is set, by whom, and in which files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, Group
from tidegate.settings import Found, Settings, find_files

if TYPE_CHECKING:
    from tidegate.model.base import Json

__all__ = ["config"]

_WIDTH = 26


@click.group(cls=Group, help="Settings: what is set, by whom, and in which files.", no_args_is_help=True)
def config() -> None:
    """Hold the commands about settings."""


@config.command("show", cls=Command)
@options.as_json
@options.store
@options.pass_settings
def show(settings: Settings, as_json: bool) -> int:
    """Show every setting, and who has decided it: an option, a variable, a place in a file, or nobody."""
    values = _values(settings)
    if as_json:
        emit_json(
            {
                "settings": {
                    key: {"value": value, "origin": settings.origins[key]} for key, value in values.items()
                },
                "files": _files(find_files(os.environ)),
            }
        )
        return Exit.SUCCEEDED
    rows = [(key, _shown(value), settings.origins[key]) for key, value in values.items()]
    # No table: that cuts its last column, and a place in a file is read to its end.
    width = max(len(value) for _, value, _ in rows)
    for key, value, origin in rows:
        say(f"{key:<{_WIDTH}}{value:<{width}}  {origin}")
    return Exit.SUCCEEDED


@config.command("path", cls=Command)
@options.as_json
def path(as_json: bool) -> int:
    """Show where the settings files are, or would be: yours, and that of the project here."""
    found = find_files(os.environ)
    if as_json:
        emit_json(_files(found))
        return Exit.SUCCEEDED
    say(f"user     {_with_state(found.user)}")
    say(f"project  {_with_state(found.project) if found.project is not None else found.ignored or 'none'}")
    return Exit.SUCCEEDED


def _with_state(file: Path) -> str:
    return f"{file}{'' if file.is_file() else ' (not there)'}"


def _files(found: Found) -> "dict[str, Json]":
    return {
        "user": str(found.user),
        "user_exists": found.user.is_file(),
        "project": None if found.project is None else str(found.project),
        "ignored": found.ignored,
    }


def _values(settings: Settings) -> "dict[str, Json]":
    """Return every setting, by the key that a file has for it."""
    cleaning, monitor = settings.cleaning, settings.monitor
    return {
        "store": settings.store,
        "operator": settings.operator,
        "workflows": [str(folder) for folder in settings.workflow_folders],
        "max_checkpoint_size_mb": settings.max_checkpoint_size_mb,
        "max_per_workflow": cleaning.max_per_workflow,
        "ttl_seconds": cleaning.ttl_seconds,
        "keep_paused": cleaning.keep_paused,
        "auto_cleanup": cleaning.auto_cleanup,
        "cleanup_interval_seconds": cleaning.cleanup_interval_seconds,
        "theme": monitor.theme or "as last chosen",
        "ascii": "by the terminal" if monitor.ascii is None else monitor.ascii,
        "mouse": monitor.mouse,
        "notify": monitor.notify.value,
        "keys": {name: list(setting.keys) for name, setting in monitor.keys.items()},
    }


def _shown(value: "Json") -> str:
    if isinstance(value, dict):
        return f"{len(value)} changed" if value else "as they are"
    if isinstance(value, list):
        return os.pathsep.join(map(str, value))
    return "no limit" if value is None else shown_value(value)
