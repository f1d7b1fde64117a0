"""`tidegate doctor`."""

import os
import platform
import re
import shutil
import sqlite3
import stat
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import click

from tidegate import __version__
from tidegate.assets import asset_dir
from tidegate.cli import options
from tidegate.cli.call import call_of
from tidegate.cli.console import emit_json, say, shown_value
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command
from tidegate.cli.wiring import Reading, read_store
from tidegate.errors import CorruptStore, StoreError, StoreNotFound
from tidegate.history.spans import size
from tidegate.history.statistics import LARGE_BYTES
from tidegate.model.base import JsonObject
from tidegate.model.listing import RunFilter, Statistics
from tidegate.settings import Settings, find_files
from tidegate.store.opening import WrongStore, url_of

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
        "store": _named(settings.store),
        "store_chosen_by": settings.store_origin,
        **check,
        **_file(settings.store),
        "settings": _settings_files(),
        "operator": settings.operator,
        "styles": _folder("styles"),
        "samples": _folder("sample_workflows"),
        "terminal": _terminal(),
    }
    return report, well


def _named(url: str) -> str:
    """Return the store's URL as every command tells it; what names no store as it was typed."""
    try:
        return url_of(url)
    except WrongStore:
        return url


def _check(settings: Settings) -> tuple[JsonObject, bool]:
    """Return what was found of the store, and whether all is well."""
    try:
        runs, pauses, holdings, damage = read_store(settings, _count)
    except StoreNotFound:
        return {"store_check": f"not there yet: `{call_of(settings)} run` makes it"}, True
    except StoreError as error:
        return {"store_check": str(error)}, False
    if damage:
        check = f"opens, and is damaged; {runs} runs, {pauses} open pauses can be read: {damage}"
        return {"store_check": check, **holdings}, False
    return {"store_check": f"opens; {runs} runs, {pauses} open pauses", **holdings}, True


async def _count(reading: Reading) -> tuple[int, int, JsonObject, str]:
    history = reading.history
    try:
        statistics, orphans = await history.statistics(), await history.orphans()
    except CorruptStore as damage:
        # What can be listed is counted all the same.
        runs, pauses = await history.runs(RunFilter(limit=_EVERY)), await history.inbox()
        return len(runs), len(pauses), {}, history.damage or str(damage)
    pauses_open = (await history.counts()).open_pauses
    return statistics.runs, pauses_open, _holdings(reading.call, statistics, orphans), history.damage


def _holdings(call: str, statistics: Statistics, orphans: Mapping[str, int]) -> JsonObject:
    """Return what the store holds, in short; `tidegate stats` has all of it."""
    takes = f"{size(statistics.bytes)}, {size(statistics.free_bytes)} of it free"
    large = f"; large: `{call} checkpoints prune --dry-run` says what could go"
    counted = (f"{count:,} {kind}" for kind, count in orphans.items())
    return {
        "store_size": takes + (large if statistics.bytes >= LARGE_BYTES else ""),
        "store_holds": f"{statistics.events:,} events, {statistics.checkpoints:,} checkpoints"
        f" ({statistics.pinned:,} pinned), {statistics.values:,} values",
        "store_orphans": ", ".join(counted) or "none",
    }


def _settings_files() -> str:
    found = find_files(os.environ)
    files = [str(file) for file in (found.project, found.user) if file is not None and file.is_file()]
    return ", ".join([*files, *([f"ignored: {found.ignored}"] if found.ignored else [])]) or "no file"


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
    columns, lines = shutil.get_terminal_size()
    encoding = getattr(sys.stdout, "encoding", None) or "none"
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    kind = os.environ.get("TERM", "no TERM") if is_terminal else "no terminal"
    return f"{kind}, {columns}x{lines}, encoding {encoding}"
