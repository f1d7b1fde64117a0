"""Where a run comes from: the block that started it, or the point of another run that it goes on from."""

from tidegate.model.base import Noun
from tidegate.model.ids import BlockId, RunId, Seq

__all__ = ["Origin", "Parent"]


class Parent(Noun):
    """Where a run was started from, if a block of another run started it."""

    run_id: RunId
    block: BlockId
    root: RunId
    """The run at the top."""
    path: tuple[BlockId, ...]
    """The places from the root down to *block*."""


class Origin(Noun):
    """The point of another run at which a fork begins: it has that run's events up to `seq`, then its own."""

    run_id: RunId
    seq: Seq
    again: tuple[BlockId, ...] = ()
    """Of a run below that is still to be forked: places of it, and of those below it, that begin anew there."""
