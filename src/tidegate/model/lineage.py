"""Where a run comes from: the block that started it, or the point of another run that it goes on from."""

from tidegate.model.base import Json, Noun
from tidegate.model.ids import BlockId, RunId, Seq

__all__ = ["Edit", "Origin", "Parent"]


class Parent(Noun):
    """Where a run was started from, if a block of another run started it."""

    run_id: RunId
    block: BlockId
    root: RunId
    """The run at the top."""
    path: tuple[BlockId, ...]
    """The places from the root down to *block*."""


class Edit(Noun, kw_only=False):
    """One value that is to be another one in a fork."""

    path: tuple[str | int, ...]
    """Where: `inputs.NAME`, `state.NAME`, `blocks.PLACE.outputs.NAME`, `blocks.BLOCK.inputs.NAME`, and further
    steps into lists and mappings; or `blocks.PLACE.answer`. Of a run below PLACE and BLOCK stand after the place
    that called it: `blocks.CALL/BLOCK.inputs.NAME`."""
    value: Json
    as_text: bool = False
    """Whether it is what a person typed, and stands for a value of the type that is expected there."""


class Origin(Noun):
    """The point of another run at which a fork begins: it has that run's events up to `seq`, then its own."""

    run_id: RunId
    seq: Seq
    again: tuple[BlockId, ...] = ()
    """Of a run below that is still to be forked: places of it, and of those below it, that begin anew there."""
    edits: tuple[Edit, ...] = ()
    """And what is other there."""
