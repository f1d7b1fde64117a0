"""The rows and filters of history, by name: the one place where the monitor names the store's contract.

What is in them comes from history, and what is done goes through the executor; nothing here opens
or writes a store.
"""

from tidegate.store.owner import current_owner
from tidegate.store.protocol import (
    CheckpointFilter,
    OutputChunk,
    PauseRow,
    PauseState,
    RunFilter,
    RunRow,
    Stream,
)

__all__ = [
    "CheckpointFilter",
    "OutputChunk",
    "PauseRow",
    "PauseState",
    "RunFilter",
    "Stream",
    "running_here",
]


def running_here(rows: tuple[RunRow, ...]) -> int:
    """Return how many blocks of *rows* run in this process."""
    ours = str(current_owner())
    return sum(row.summary.running for row in rows if row.owner == ours)
