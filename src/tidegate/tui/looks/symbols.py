"""One symbol, one word and one tone for everything that has a status.

The words are those of the command line and of workflow files, so a word that is read here can be typed there.

Each symbol is one cell wide and has no emoji form, so columns stay columns in every terminal.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tidegate.model.events import RunStatus
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import BlockStatus
from tidegate.tui.lines import Piece, Tone

__all__ = ["HELD", "RETRYING", "TOLERATED", "Sign", "block_sign", "checkpoint_sign", "run_sign"]


@dataclass(frozen=True, slots=True)
class Sign:
    """How a state is shown."""

    symbol: str
    word: str
    tone: Tone

    @property
    def text(self) -> str:
        """Symbol and word."""
        return f"{self.symbol} {self.word}"

    @property
    def piece(self) -> Piece:
        """Symbol and word, in its tone."""
        return Piece(self.text, self.tone)


class _Signs(NamedTuple):
    queued: Sign = Sign("○", "queued", Tone.DIM)
    pending: Sign = Sign("○", "pending", Tone.DIM)
    running: Sign = Sign("●", "running", Tone.RUNNING)
    paused: Sign = Sign("◆", "paused", Tone.WAITING)
    interrupted: Sign = Sign("!", "interrupted", Tone.FAILED)
    succeeded: Sign = Sign("✓", "succeeded", Tone.DONE)
    failed: Sign = Sign("✗", "failed", Tone.FAILED)
    rejected: Sign = Sign("⊗", "rejected", Tone.FAILED)
    skipped: Sign = Sign("⊘", "skipped", Tone.DIM)
    cancelled: Sign = Sign("×", "cancelled", Tone.DIM)  # noqa: RUF001 - the sign is meant


_SIGNS = _Signs()

_RUN = {
    RunStatus.QUEUED: _SIGNS.queued,
    RunStatus.RUNNING: _SIGNS.running,
    RunStatus.PAUSED: _SIGNS.paused,
    RunStatus.INTERRUPTED: _SIGNS.interrupted,
    RunStatus.SUCCEEDED: _SIGNS.succeeded,
    RunStatus.FAILED: _SIGNS.failed,
    RunStatus.REJECTED: _SIGNS.rejected,
    RunStatus.CANCELLED: _SIGNS.cancelled,
}
_BLOCK = {
    BlockStatus.PENDING: _SIGNS.pending,
    BlockStatus.RUNNING: _SIGNS.running,
    BlockStatus.PAUSED: _SIGNS.paused,
    BlockStatus.SUCCEEDED: _SIGNS.succeeded,
    BlockStatus.FAILED: _SIGNS.failed,
    BlockStatus.SKIPPED: _SIGNS.skipped,
    BlockStatus.REJECTED: _SIGNS.rejected,
    BlockStatus.CANCELLED: _SIGNS.cancelled,
    BlockStatus.INTERRUPTED: _SIGNS.interrupted,
}
_CHECKPOINT = {
    CheckpointKind.WAVE: Sign("·", "wave", Tone.DIM),
    CheckpointKind.PAUSE: Sign("◇", "pause", Tone.PLAIN),
    CheckpointKind.FAILURE: Sign("✗", "failure", Tone.FAILED),
    CheckpointKind.EXPLICIT: Sign("+", "explicit", Tone.ACCENT),
}
HELD = Sign("‖", "paused", Tone.WAITING)
"""A run that a person has paused."""
RETRYING = Sign("↻", "retrying", Tone.WAITING)
"""A block of which another attempt follows."""
TOLERATED = Sign("✗", "failed, tolerated", Tone.WAITING)
"""A block of which the workflow tolerates that it failed."""
_OPEN_PAUSE = Sign("◆", "pause", Tone.WAITING)


def run_sign(status: RunStatus) -> Sign:
    """Return how a run's status is shown."""
    return _RUN[status]


def block_sign(status: BlockStatus) -> Sign:
    """Return how a block's status is shown."""
    return _BLOCK[status]


def checkpoint_sign(kind: CheckpointKind, *, is_paused: bool) -> Sign:
    """Return how a kind of checkpoint is shown; filled for a pause that is still open."""
    return _OPEN_PAUSE if is_paused else _CHECKPOINT[kind]
