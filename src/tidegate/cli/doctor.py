"""`tidegate doctor`."""

import platform
import shutil
import sqlite3
import sys
from importlib.metadata import version

import typer

from tidegate import __version__
from tidegate.assets import asset_dir
from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.options import AsJson, settings_of
from tidegate.cli.wiring import Session, run_with_session
from tidegate.errors import StoreError
from tidegate.model.base import JsonObject
from tidegate.settings import Settings

__all__ = ["doctor"]


def doctor(context: typer.Context, as_json: AsJson = False) -> int:
    """Show the store, versions, paths and the terminal, and whether the store can be opened.

    Exit code: 0 if all is well, 1 otherwise.
    """
    settings = settings_of(context)
    found, well = _report(settings)
    if as_json:
        emit_json({**found, "well": well})
    else:
        for name, value in found.items():
            say(f"{name:<18}{value}")
    return Exit.SUCCEEDED if well else Exit.FAILED


def _report(settings: Settings) -> tuple[JsonObject, bool]:
    size = shutil.get_terminal_size()
    report: JsonObject = {
        "tidegate": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "textual": version("textual"),
        "store": settings.store,
        "store chosen by": settings.store_origin,
        "operator": settings.operator,
        "styles": str(asset_dir("styles")),
        "samples": str(asset_dir("sample_workflows")),
        "terminal": f"{size.columns}x{size.lines}, encoding {sys.stdout.encoding}",
    }
    try:
        runs, pauses = run_with_session(settings, _count)
    except StoreError as error:
        return {**report, "store check": str(error)}, False
    return {**report, "store check": f"opens; newest {runs} runs read, {pauses} open pauses"}, True


async def _count(session: Session) -> tuple[int, int]:
    return len(await session.history.runs()), len(await session.history.inbox())
