"""What can still be read of a damaged store: everything that is as it was written, and nothing else.

A wreck is never written to. Whoever makes a sound store out of it (`tidegate.history.repair`) sees this
contract only, so that each kind of store needs no more than a way to read its own ruins.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from tidegate.model.base import Noun
from tidegate.model.events import Record
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.listing import Epoch, ListedMark, OutputChunk
from tidegate.model.workflow import WorkflowDefinition

__all__ = ["Wreck", "WreckedMarks", "WreckedRun"]


class WreckedRun(Noun):
    """A run that is known to have been there."""

    run_id: RunId
    number: int
    """Its own in that store."""
    head: Seq | None = None
    """How many events it had; None: not known."""
    epoch: Epoch = Epoch(0)
    owner: str = ""
    lease_until: float = 0.0
    origin: Origin | None = None
    """The point of another run that it goes on from, if its row says so."""


class WreckedMarks(Noun):
    """A run's list of checkpoints."""

    marks: tuple[ListedMark, ...]
    is_whole: bool
    """False: the list is damaged, and there may have been more on it."""


class Wreck(Protocol):
    """What is left of one store."""

    @property
    def nameless(self) -> int:
        """How many events are left of runs of which not even the name is."""
        ...

    async def runs(self) -> tuple[WreckedRun, ...]:
        """Return the runs that can be named, oldest first."""
        ...

    async def events(self, run: WreckedRun) -> tuple[tuple[Record, ...], str]:
        """Return a run's own events from the first to the last good one, and why they end there; empty: whole.

        The first own event of a fork is `RunForked`; those before it are the other run's.
        """
        ...

    async def definition(self, definition_hash: str) -> tuple[WorkflowDefinition, str] | None:
        """Return a definition with the text of its file; None if it is lost."""
        ...

    async def values(self, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the JSON of those stored values that are left."""
        ...

    def output(self, run: WreckedRun) -> AsyncIterator[tuple[BlockId, int, OutputChunk]]:
        """Yield what is left of what a run's attempts wrote, with block and attempt, in order; what is damaged says so."""
        ...

    async def marks(self, run: WreckedRun) -> WreckedMarks:
        """Return a run's list of checkpoints."""
        ...
