"""`tidegate doctor`."""

import os
import platform
import re
import shutil
import sqlite3
import stat
import sys
from importlib.metadata import version
from pathlib import Path

import click

from tidegate import __version__
from tidegate.assets import asset_dir
from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command
from tidegate.cli.wiring import Reading, read_store
from tidegate.errors import StoreError, StoreNotFound
from tidegate.model.base import JsonObject
from tidegate.model.listing import RunFilter
from tidegate.settings import Settings

__all__ = ["doctor"]

_EVERY = 1_000_000


@click.command(cls=Command)
@options.as_json
@options.store
@options.pass_settings
def doctor(settings: Settings, as_json: bool) -> int:
    """Show the store, versions, paths and the terminal, and whether the store can be opened.

    Exit code: 0 if all is well, 1 otherwise.
    """
    found, well = _report(settings)
    if as_json:
        emit_json({**found, "well": well})
    else:
        for name, value in found.items():
            say(f"{name.replace('_', ' '):<18}{shown_value(value)}")
    return Exit.SUCCEEDED if well else Exit.FAILED


def _report(settings: Settings) -> tuple[JsonObject, bool]:
    check, well = _check(settings)
    report: JsonObject = {
        "tidegate": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "textual": version("textual"),
        "store": settings.store,
        "store_chosen_by": settings.store_origin,
        "store_check": check,
        **_file(settings.store),
        "operator": settings.operator,
        "styles": _folder("styles"),
        "samples": _folder("sample_workflows"),
        "terminal": _terminal(),
    }
    return report, well


def _check(settings: Settings) -> tuple[str, bool]:
    try:
        runs, pauses = read_store(settings, _count)
    except StoreNotFound:
        return "not there yet: `tidegate run` makes it", True
    except StoreError as error:
        return str(error), False
    return f"opens; {runs} runs, {pauses} open pauses", True


async def _count(reading: Reading) -> tuple[int, int]:
    return len(await reading.history.runs(RunFilter(limit=_EVERY))), len(await reading.history.inbox())


def _file(url: str) -> JsonObject:
    """Return what is known of the store's file; nothing for a store that has none."""
    # In the URL of the store `//` may stand before the path; to a file system that is the same place.
    path = Path(re.sub(r"^(sqlite:)?/+", "/", url))
    if not path.is_file():
        return {}
    found = path.stat()
    mode = stat.filemode(found.st_mode)
    readable = "" if not found.st_mode & 0o077 else ": others may read it; chmod 600 it"
    return {"store_file": f"{path}, {found.st_size:,} bytes, {mode}{readable}"}


def _folder(name: str) -> str:
    try:
        return str(asset_dir(name))
    except FileNotFoundError as error:
        return str(error)


def _terminal() -> str:
    size = shutil.get_terminal_size()
    encoding = getattr(sys.stdout, "encoding", None) or "none"
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    kind = os.environ.get("TERM", "no TERM") if is_terminal else "no terminal"
    return f"{kind}, {size.columns}x{size.lines}, encoding {encoding}"
