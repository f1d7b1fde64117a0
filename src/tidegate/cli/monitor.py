"""Opening the monitor: on a store of one's own, or on the samples."""

import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidegate.assets import asset_dir
from tidegate.cli import options
from tidegate.cli.console import complain
from tidegate.cli.exits import Exit
from tidegate.cli.find import load_file
from tidegate.cli.grammar import Command
from tidegate.cli.wiring import Session, open_session
from tidegate.clock import SystemClock
from tidegate.model.base import JsonObject
from tidegate.settings import Settings

if TYPE_CHECKING:
    from tidegate.tui.session import OpenSession

__all__ = ["demo", "open_monitor"]

DEMO_RUNS: tuple[tuple[str, JsonObject], ...] = (
    ("quality-report", {}),
    ("interactive-approval", {"project": "shop", "environment": "production"}),
    ("nightly-backup", {}),
    ("config-wizard", {}),
    ("release-gates", {"version": "1.5.3"}),
    ("long-migration", {"rows": 90}),
)
"""What the demo starts: something that failed, four that will ask, and one that goes on for a while."""


def open_monitor(settings: Settings) -> int:
    """Open the monitor on the store of *settings*, adopting runs whose process is gone."""
    _need_a_terminal("the monitor", "`tidegate --help` lists the commands that need none")
    return _run_app(lambda: open_session(settings, adopts=True))


@click.command(cls=Command)
@click.option("--keep", is_flag=True, help="Keep the scratch store, and say where it is.")
@options.pass_settings
def demo(settings: Settings, keep: bool) -> int:
    """Open the monitor on the sample workflows, in a scratch store that is deleted afterwards."""
    _need_a_terminal("the demo", "`tidegate run NAME` runs one of its workflows without")
    folder = Path(tempfile.mkdtemp(prefix="tidegate-demo-"))
    scratch = replace(settings, store=f"sqlite:///{folder}/demo.db")
    try:
        return _run_app(lambda: _demo_session(scratch))
    finally:
        if keep:
            complain(f"The demo's store is kept: --store {scratch.store}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def _demo_session(settings: Settings) -> AsyncIterator[Session]:
    from tidegate.workflows.run_inputs import validate_inputs

    async with open_session(settings, adopts=True) as session:
        for name, inputs in DEMO_RUNS:
            loaded = load_file(asset_dir("sample_workflows") / f"{name}.yaml")
            values = validate_inputs(loaded.definition, inputs, from_text=False)
            await session.executor.start(loaded.definition, values, by="demo", source=loaded.source)
        yield session


def _need_a_terminal(what: str, advice: str) -> None:
    for stream in (sys.stdin, sys.stdout):
        if stream is None or not stream.isatty():
            raise click.UsageError(f"{what} needs a terminal; {advice}")


def _run_app(open_it: "OpenSession") -> int:
    # Imported here: no other command pays for the terminal toolkit.
    from tidegate.tui.app import MonitorApp

    app = MonitorApp(open_it, SystemClock())
    app.run()
    if app.problem:
        complain(f"tidegate: {app.problem}")
        return Exit.FAILED
    return app.return_code or Exit.SUCCEEDED
