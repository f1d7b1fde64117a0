"""What is always on the screen: how much waits, runs and is kept."""

from tidegate.model.listing import CheckpointFilter
from tidegate.tui.nouns.overview import COUNTED, Overview
from tidegate.tui.session import Session

__all__ = ["read_overview"]


async def read_overview(session: Session) -> Overview:
    """Read the counts."""
    history = session.history
    counts = await history.counts()
    deadlines = (pause.deadline for pause in counts.pauses if pause.deadline is not None)
    troubles = session.executor.troubles
    return Overview(
        is_read=True,
        asked=counts.pauses,
        me=session.operator,
        waiting=counts.open_pauses,
        due=min(deadlines, default=None),
        running=await history.running(),
        checkpoints=len(await history.checkpoints(CheckpointFilter(limit=COUNTED))),
        workflows=len(session.shelf.files),
        trouble=next((f"run {run_id} is held: {why}" for run_id, why in troubles.items()), history.damage),
        url=session.url,
    )
