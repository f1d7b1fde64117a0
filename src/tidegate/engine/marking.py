"""Checkpoints that a person places: bookmarks in a run's past, of which its journal knows nothing."""

from tidegate.engine.parts import Parts
from tidegate.errors import CheckpointNotFound
from tidegate.model.codec import printable
from tidegate.model.ids import CheckpointId, RunId, Seq, new_checkpoint_id
from tidegate.store.protocol import PlaceMark
from tidegate.store.replay import replay

__all__ = ["MOST_LABEL", "mark_label", "place_mark"]

MOST_LABEL = 200
"""Characters of a label; what is longer is cut off."""


def mark_label(label: str) -> str:
    """Return a label as it is kept: one line, of bounded length."""
    return " ".join(printable(label).split())[:MOST_LABEL]


async def place_mark(
    parts: Parts, run_id: RunId, seq: Seq | None, *, by: str, label: str = ""
) -> CheckpointId:
    """Place a checkpoint right after an event of a run, or after its newest; return its id.

    Raises:
        RunNotFound: there is no such run.
        CheckpointNotFound: it has no such event.
    """
    head = (await parts.store.run(run_id)).head
    at = head if seq is None else seq
    if not 1 <= at <= head:
        raise CheckpointNotFound(f"{run_id}@{at}")
    state = await replay(parts.store, run_id, upto=at)
    mark = PlaceMark(
        run_id=run_id,
        seq=at,
        checkpoint_id=new_checkpoint_id(),
        at=parts.clock.now(),
        summary=state.summarise(),
        label=mark_label(label),
        metadata={"by": printable(by)} if by else {},
    )
    await parts.store.place_mark(mark)
    return mark.checkpoint_id
