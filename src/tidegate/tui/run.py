"""From a session to an exit code: how the command line starts the monitor."""

import sys

from tidegate.clock import Clock
from tidegate.safe_text import safe_lines
from tidegate.tui.app import MonitorApp
from tidegate.tui.session import OpenSession

__all__ = ["run_monitor"]


def run_monitor(open_session: OpenSession, clock: Clock) -> int:
    """Show the monitor until the operator leaves it; return the exit code of the process.

    Args:
        open_session: Opens the store and the executor; called on the engine's own loop.
        clock: The time.
    """
    app = MonitorApp(open_session, clock)
    app.run()
    if app.problem:
        sys.stderr.write("\n".join(safe_lines(app.problem)) + "\n")
    return app.return_code or 0
