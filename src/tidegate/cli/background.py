"""Leaving runs to a worker in the background, when whoever began them goes."""

import subprocess
import sys
from pathlib import Path

from tidegate.cli.console import complain
from tidegate.private import make_private_folder
from tidegate.settings import Settings

__all__ = ["begin_worker"]


def begin_worker(settings: Settings) -> bool:
    """Let a worker go on with what was left in the store of *settings*; say which process it is, or why there is none."""
    try:
        worker, log = _begin(settings)
    except OSError as error:
        complain(f"No worker could be started: {error}. `tidegate worker` or an open monitor goes on.")
        return False
    complain(f"A worker goes on in the background (process {worker}) and ends when nothing moves any more.")
    complain(f"What it says is in {log}; `kill {worker}` stops it in order.")
    return True


def _begin(settings: Settings) -> tuple[int, Path]:
    # Here: it knows where a user's state is kept.
    from tidegate.tui.state import state_file

    log = state_file().with_name("worker.log")
    make_private_folder(log.parent)
    log.touch(mode=0o600)
    words = [sys.executable, "-m", "tidegate", "worker", "--once", "--store", settings.store]
    with log.open("ab") as output:
        log.chmod(0o600)
        worker = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    # Nobody waits for it, on purpose: without this Python warns that it outlives us.
    worker.returncode = 0
    return worker.pid, log
