"""What a store says of the work that goes on in it: who drives, what was done when, and who removed what."""

from typing import Final

from tidegate.model.base import Noun
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId

__all__ = ["CLEAN_UP", "KEPT_REMOVALS", "LeasedRun", "Removal", "Removals", "Vitals", "Work"]

KEPT_REMOVALS: Final = 1_000
"""How many removals a store remembers, the newest."""
CLEAN_UP: Final = "clean-up"
"""Who removes runs that nobody has asked for: the settings, or a workflow's file, said that it was time."""


class LeasedRun(Noun):
    """A run, on top or below, that has not ended, and that somebody drives or should."""

    run_id: RunId
    status: RunStatus
    """As journalled."""
    owner: str = ""
    """Who holds the lease, or held it last; empty: nobody, it was given back."""
    is_top: bool = True
    """Whether nobody's block started it."""
    lease_until: float = 0.0
    """As it was renewed last. Seconds since 1970 UTC, as all times here; 0: given back."""


class Vitals(Noun):
    """How the work goes now: cheap to ask for, however much is kept."""

    leased: tuple[LeasedRun, ...] = ()
    """In no order."""
    changed_at: float | None = None
    """Of the newest event of the run that changed last, or of the last removal; None: nothing has happened yet."""
    log_bytes: int | None = None
    """What is written and not yet in the store's own file; None: the store has no such log, or cannot tell."""


class Work(Noun):
    """What was done in one minute in the runs of one workflow, below others included."""

    minute: int
    """Since 1970 UTC."""
    workflow: str
    waves: int = 0
    """That were completed."""
    blocks: int = 0
    """Attempts that succeeded: one for each block, each item, and each iteration."""
    retries: int = 0
    """Attempts that failed and are made again by themselves."""


class Removal(Noun):
    """What is still known of a run on top that was removed. Nothing that it was given or gave is among it."""

    number: int = 0
    """Of the removal, from 1, in this store."""
    run_id: RunId
    workflow: str
    status: RunStatus
    """How it had ended."""
    ended_at: float
    at: float
    runs: int = 1
    """How many went, itself and those below it."""
    by: str = ""
    """Who removed it; `CLEAN_UP`; empty: that was not noted."""
    why: str = ""
    """What it was beyond, if it was not named; for people, bounded."""


class Removals(Noun):
    """The removals that a store remembers."""

    newest: tuple[Removal, ...] = ()
    """The newest first."""
    total: int = 0
    """How many there have ever been since they are noted; of those that are not remembered, only that."""
