"""Opening the monitor.

What the first screen needs is imported before it is painted, and nothing else is: the engine and
the store come in the engine's own thread, while the operator already sees something.
"""

import gc
import locale
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tidegate.cli.call import lasting_call_of
from tidegate.clock import SystemClock
from tidegate.settings import Ascii, Settings
from tidegate.store.opening import file_of

if TYPE_CHECKING:
    from tidegate.cli.wiring import Session
    from tidegate.tui.session import OpenSession

__all__ = ["ascii_of", "has_terminal", "open_monitor", "show"]

_GARBAGE = (20_000, 20, 50)
"""Objects after which garbage is looked for among the newest ones, and how many times that before among older ones."""


def open_monitor(settings: Settings) -> int:
    """Open the monitor on the store of *settings*, adopting runs whose process is gone unless it only looks.

    Raises:
        WrongStore: that is no store; nothing was drawn.
    """
    file_of(settings.store)
    return show(lambda: _session(settings), settings, go_on=lambda: _leave_to_worker(settings))


@asynccontextmanager
async def _session(settings: Settings) -> AsyncIterator["Session"]:
    from tidegate.cli.wiring import open_onlooking, open_session

    opened = (
        open_onlooking(settings)
        if settings.monitor.read_only
        else open_session(settings, adopts=True, cleans=True)
    )
    async with opened as session:
        # What is loaded by now stays: to look for garbage among it would hold up keys by a tenth of a second.
        gc.freeze()
        # What is drawn lives for a moment: looked for seldom, it is gone by then, and nothing is left to be looked at.
        gc.set_threshold(*_GARBAGE)
        yield session


def _leave_to_worker(settings: Settings) -> None:
    # Here: what the first screen does not need is not loaded before it is painted.
    from tidegate.cli.background import begin_worker

    begin_worker(settings)


def has_terminal() -> bool:
    """Whether there is a terminal to draw on and to be typed at."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ascii_of(wanted: bool | None) -> Ascii:
    """Return what is drawn in ASCII.

    Args:
        wanted: What was asked for; None: nothing, so the locale decides.
    """
    # The locale's own encoding: Python's mode for UTF-8 says nothing about the terminal.
    takes_signs = locale.getencoding().lower().replace("-", "") == "utf8"
    if wanted is False or (wanted is None and takes_signs):
        return Ascii.OFF
    return Ascii.SIGNS if takes_signs else Ascii.ALL


def show(open_it: "OpenSession", settings: Settings, *, go_on: Callable[[], None] | None = None) -> int:
    """Show the monitor until the operator leaves; return the exit code.

    Args:
        open_it: Opens the session.
        settings: Which store that is, and how the monitor looks and behaves.
        go_on: Lets somebody else go on with runs that were left.
    """
    from tidegate.tui.app import MonitorApp
    from tidegate.tui.state import State, state_file

    monitor, state = settings.monitor, State(state_file())
    app = MonitorApp(
        open_it,
        SystemClock(),
        monitor,
        ascii_only=ascii_of(monitor.ascii),
        state=state,
        program=lasting_call_of(settings),
    )
    app.run(mouse=monitor.mouse)
    if app.leaves_runs and go_on is not None:
        go_on()
    if app.problem:
        from tidegate.cli.console import complain

        complain(f"tidegate: {app.problem}")
        return 1
    return app.return_code or 0
