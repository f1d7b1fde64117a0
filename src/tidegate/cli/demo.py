"""`tidegate demo`: the monitor on the samples."""

import shutil
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
from tidegate.cli.grammar import Command
from tidegate.cli.monitor import has_terminal, show
from tidegate.model.base import JsonObject
from tidegate.settings import Settings

if TYPE_CHECKING:
    from tidegate.cli.wiring import Session

__all__ = ["DEMO_RUNS", "demo", "open_samples"]

DEMO_RUNS: tuple[tuple[str, JsonObject], ...] = (
    ("quality-report", {}),
    ("interactive-approval", {"project": "shop", "environment": "production"}),
    ("nightly-backup", {}),
    ("config-wizard", {}),
    ("release-gates", {"version": "1.5.3"}),
    ("long-migration", {"rows": 90}),
    ("wave-rollout", {}),
    ("settings-form", {}),
    ("release-phases", {"feature": "search"}),
)
"""What the demo starts: something that failed, some that will ask, two of them from within, and one that goes on for a while."""


@click.command(cls=Command)
@click.option("--keep", is_flag=True, help="Keep the scratch store, and say where it is.")
@options.pass_settings
def demo(settings: Settings, keep: bool) -> int:
    """Open the monitor on the sample workflows, in a scratch store that is deleted afterwards."""
    if not has_terminal():
        raise click.UsageError(
            "the demo needs a terminal; `tidegate run NAME` runs one of its workflows without"
        )
    folder = Path(tempfile.mkdtemp(prefix="tidegate-demo-"))
    folders = (asset_dir("sample_workflows"), *settings.workflow_folders)
    store = f"sqlite://{folder}/demo.db"
    # As if somebody had named it: nobody finds it by what is usual.
    scratch = replace(settings, store=store, store_origin="--store", workflow_folders=folders)
    try:
        return show(lambda: open_samples(scratch), scratch)
    finally:
        if keep:
            complain(f"The demo's store is kept: --store {scratch.store}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def open_samples(settings: Settings) -> AsyncIterator["Session"]:
    """Open the store of *settings*, and start the samples in it."""
    from tidegate.cli.find import load_file
    from tidegate.cli.wiring import open_session
    from tidegate.workflows.run_inputs import validate_inputs

    async with open_session(settings, adopts=True) as session:
        for name, inputs in DEMO_RUNS:
            loaded = load_file(asset_dir("sample_workflows") / f"{name}.yaml")
            values = validate_inputs(loaded.definition, inputs, from_text=False)
            await session.executor.start(loaded.definition, values, by="demo", source=loaded.source)
        yield session
