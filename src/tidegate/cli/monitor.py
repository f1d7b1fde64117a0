"""Opening the monitor: on a store of one's own, or on the samples."""

import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tidegate.assets import asset_dir
from tidegate.cli.console import complain
from tidegate.cli.exits import Exit
from tidegate.cli.find import load_file
from tidegate.cli.options import settings_of
from tidegate.cli.wiring import Session, open_session
from tidegate.clock import SystemClock
from tidegate.model.base import JsonObject
from tidegate.settings import Settings
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
    if not sys.stdout.isatty() or not sys.stdin.isatty():
        complain(
            "tidegate: the monitor needs a terminal; `tidegate --help` lists the commands that need none"
        )
        return Exit.USAGE
    return _run_app(lambda: open_session(settings, adopts=True))


def demo(
    context: typer.Context,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the scratch store, and say where it is.")
    ] = False,
) -> int:
    """Open the monitor on the sample workflows, in a scratch store that is deleted afterwards."""
    if not sys.stdout.isatty() or not sys.stdin.isatty():
        complain("tidegate: the demo needs a terminal")
        return Exit.USAGE
    folder = Path(tempfile.mkdtemp(prefix="tidegate-demo-"))
    settings = replace(settings_of(context), store=f"sqlite:///{folder}/demo.db")
    try:
        return _run_app(lambda: _demo_session(settings))
    finally:
        if keep:
            complain(f"The demo's store is kept: --store {settings.store}")
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


def _run_app(open_it: OpenSession) -> int:
    # Imported here: no other command pays for the terminal toolkit.
    from tidegate.tui.app import MonitorApp

    app = MonitorApp(open_it, SystemClock())
    app.run()
    return app.return_code or Exit.SUCCEEDED
