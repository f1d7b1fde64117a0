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
@click.option(
    "--repair",
    "repairs",
    is_flag=True,
    help="Write a sound copy of what can be read of a damaged store, beside it.",
)
@options.as_json
@options.store
@options.pass_settings
def doctor(settings: Settings, repairs: bool, as_json: bool) -> int:
    """Show the store, versions, paths and the terminal, and whether the store can be opened.

    With --repair: whole runs are kept as they are, damaged ones up to their last good event, and what was
    cut off is held until somebody lets it go on. The damaged store is left as it is.

    Exit code: 0 if all is well, or everything was kept; 1 otherwise.
    """
    if repairs:
        # Here: who only looks needs none of it.
        from tidegate.cli.repair import repair

        return repair(settings, as_json=as_json)
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
        runs, pauses, damage = read_store(settings, _count)
    except StoreNotFound:
        return "not there yet: `tidegate run` makes it", True
    except StoreError as error:
        return str(error), False
    if damage:
        return f"opens, and is damaged; {runs} runs, {pauses} open pauses can be read: {damage}", False
    return f"opens; {runs} runs, {pauses} open pauses", True


async def _count(reading: Reading) -> tuple[int, int, str]:
    runs = await reading.history.runs(RunFilter(limit=_EVERY))
    return len(runs), len(await reading.history.inbox()), reading.history.damage


def _file(url: str) -> JsonObject:
    """Return what is known of the store's file; nothing for a store that has none."""
    # In the URL of the store `//` may stand before the path; to a file system that is the same place.
    path = Path(re.sub(r"^(sqlite:|file:)?/+", "/", url))
    if url.startswith("file:") and path.is_dir():
        return _directory(path)
    if not path.is_file():
        return {}
    found = path.stat()
    mode = stat.filemode(found.st_mode)
    readable = "" if not found.st_mode & 0o077 else ": others may read it; chmod 600 it"
    return {"store_file": f"{path}, {found.st_size:,} bytes, {mode}{readable}"}


def _directory(path: Path) -> JsonObject:
    found = path.stat()
    records = sum(1 for _ in path.glob("records/*.json"))
    readable = "" if not found.st_mode & 0o077 else ": others may read it; chmod 700 it"
    return {"store_directory": f"{path}, {records:,} records, {stat.filemode(found.st_mode)}{readable}"}


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
