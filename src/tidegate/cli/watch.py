"""`tidegate watch`: the dashboard for a wall, a pane, a mail or a script. It only looks."""

import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command
from tidegate.cli.wiring import Reading, open_reading, read_store
from tidegate.clock import SystemClock
from tidegate.errors import StoreNotFound
from tidegate.settings import Settings
from tidegate.store.opening import file_of, url_of

if TYPE_CHECKING:
    from tidegate.tui.watch import Watched

__all__ = ["watch"]

_WIDTH = 100
"""Columns of a printed frame where nothing says how many there are."""
_NARROWEST, _WIDEST = 40, 200


@click.command(cls=Command)
@click.option("--once", is_flag=True, help="Print one frame as plain text, and end. Needs no terminal.")
@click.option(
    "--interval",
    type=click.FloatRange(0.2, 3600),
    default=1.0,
    metavar="SECONDS",
    help="Look at most this often; when nothing changes, nothing is read.",
)
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters only.")
@options.as_json
@options.store
@options.pass_settings
def watch(settings: Settings, once: bool, interval: float, ascii_only: bool, as_json: bool) -> int:
    """Show what waits, what runs and how the last days went, and keep it up to date.

    It only looks: nothing is answered, driven or cleaned up by it, and it needs no right to write. It stays
    while the store is missing or damaged, says so, and goes on when it is there again. q quits.

    Exit code: 0, or 2 if it needs a terminal and there is none. With --once or --json 7 if there is no store, 1
    if it cannot be read.
    """
    if as_json:
        return read_store(settings, _tell, reads_only=True)
    if once:
        return read_store(settings, lambda reading: _print(reading, ascii_only=ascii_only), reads_only=True)
    return _show(settings, interval, ascii_only=ascii_only)


async def _tell(reading: Reading) -> int:
    glance = await reading.history.lookout().look()
    emit_json({"store": reading.url, **glance.as_json()})
    return Exit.SUCCEEDED


async def _print(reading: Reading, *, ascii_only: bool) -> int:
    from tidegate.tui.looks.ascii import in_ascii
    from tidegate.tui.present.frame import Sight, printed

    glance = await reading.history.lookout().look()
    lines = printed(Sight(reading.url, glance), _columns(), glance.at)
    say("\n".join(map(in_ascii, lines) if ascii_only or not _draws_signs() else lines))
    return Exit.SUCCEEDED


def _columns() -> int:
    columns = shutil.get_terminal_size((_WIDTH, 24)).columns
    return max(_NARROWEST, min(_WIDEST, columns))


def _draws_signs() -> bool:
    """Whether the output takes more than ASCII; else each sign becomes one that says the same."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "") == "utf8"


def _show(settings: Settings, interval: float, *, ascii_only: bool) -> int:
    from tidegate.cli.monitor import ascii_of, has_terminal

    if not has_terminal():
        raise click.UsageError("it needs a terminal; --once prints one frame, --json one document")
    # What is no store at all is said at once: waiting would not help.
    path = file_of(settings.store)
    from tidegate.tui.watch import WatchApp

    app = WatchApp(
        lambda: _watched(settings, path),
        url_of(settings.store),
        SystemClock(),
        interval=interval,
        theme=settings.monitor.theme,
        ascii_only=ascii_of(True if ascii_only else settings.monitor.ascii),
    )
    app.run(mouse=settings.monitor.mouse)
    if app.problem:
        from tidegate.cli.console import complain

        complain(f"tidegate: {app.problem}")
        return Exit.FAILED
    return app.return_code or Exit.SUCCEEDED


@asynccontextmanager
async def _watched(settings: Settings, path: Path | None) -> AsyncIterator["Watched"]:
    from tidegate.store.sqlite.file import identity_of
    from tidegate.tui.watch import Watched

    identity = identity_of(path) if path is not None else None
    if path is not None and identity is None:
        raise StoreNotFound(url_of(settings.store))

    def is_same() -> bool:
        return path is None or identity_of(path) == identity

    async with open_reading(settings, reads_only=True) as reading:
        yield Watched(reading.history, reading.feed, reading.url, is_same)
