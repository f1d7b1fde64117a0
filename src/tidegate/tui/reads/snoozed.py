"""Which of the snoozed questions are open still."""

from collections.abc import Sequence

from tidegate.errors import TidegateError
from tidegate.model.listing import PauseRow
from tidegate.model.state import PauseState
from tidegate.tui.session import Session

__all__ = ["read_open"]


async def read_open(session: Session, ids: Sequence[str]) -> tuple[PauseRow, ...]:
    """Return the open ones of some questions; those of another store, or of a run that is gone, are left out."""
    found = []
    for pause_id in ids:
        try:
            row = await session.history.find_pause(pause_id)
        except TidegateError:
            continue
        if row.pause_id == pause_id and row.state is PauseState.OPEN:
            found.append(row)
    return tuple(found)
