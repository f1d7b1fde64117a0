"""Opening the monitor.

What the first screen needs is imported before it is painted, and nothing else is: the engine and
the store come in the engine's own thread, while the operator already sees something.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tidegate.clock import SystemClock
from tidegate.settings import Settings

if TYPE_CHECKING:
    from tidegate.cli.wiring import Session
    from tidegate.tui.session import OpenSession

__all__ = ["has_terminal", "open_monitor", "show"]


def open_monitor(settings: Settings) -> int:
    """Open the monitor on the store of *settings*, adopting runs whose process is gone."""
    return show(lambda: _session(settings))


@asynccontextmanager
async def _session(settings: Settings) -> AsyncIterator["Session"]:
    from tidegate.cli.wiring import open_session

    async with open_session(settings, adopts=True, cleans=True) as session:
        yield session


def has_terminal() -> bool:
    """Whether there is a terminal to draw on and to be typed at."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def show(open_it: "OpenSession") -> int:
    """Show the monitor until the operator leaves; return the exit code."""
    from tidegate.tui.app import MonitorApp

    app = MonitorApp(open_it, SystemClock())
    app.run()
    if app.problem:
        from tidegate.cli.console import complain

        complain(f"tidegate: {app.problem}")
        return 1
    return app.return_code or 0
