"""From several questions to what became of each: one dialog for those that ask the same, one after the other."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tidegate.model.answer import Answered, Reply
from tidegate.model.ids import PauseId
from tidegate.model.listing import PauseRow
from tidegate.model.outlook import Supposed
from tidegate.tui.desk import Desk
from tidegate.tui.dialogs.answering.bulk import BulkDialog, BulkDoor
from tidegate.tui.dialogs.answering.review import BulkOutcome
from tidegate.tui.dialogs.answering.reviewed import Fate, Reviewed, groups_of
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.lines import Tone
from tidegate.tui.messages import Noted
from tidegate.tui.nouns.advice import Foreseen
from tidegate.tui.present.shared import counted
from tidegate.tui.query.of_inbox import Asked
from tidegate.tui.reads.ahead import foresee
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.tui.screens.lists.inbox import InboxScreen

__all__ = ["Several", "review"]

Several: TypeAlias = tuple[Asked, bool]
"""A question, and whether the filter hides it: then it is left out until somebody ticks it."""


async def review(screen: "InboxScreen", desk: Desk, several: Sequence[Several]) -> None:
    """Let questions be answered together; what could not be sent stays marked. Runs in a worker of the screen."""
    if not several:
        screen.post_message(
            Noted("nothing to answer: space marks a question, * all that are shown", Tone.DIM)
        )
        return
    groups = groups_of(_reviewed(asked, is_hidden=is_hidden) for asked, is_hidden in several)
    door = _door(desk)
    for number, group in enumerate(groups, start=1):
        position = f"question {number} of {len(groups)}" if len(groups) > 1 else ""
        outcome = await screen.app.push_screen_wait(
            BulkDialog(group, door, clock=desk.clock, position=position)
        )
        _tell(screen, outcome)
        if not outcome.was_sent:
            return


def _reviewed(asked: Asked, *, is_hidden: bool) -> Reviewed:
    seen = asked.seen
    return Reviewed(asked.pause, seen.workflow, seen.run_id, is_ticked=not is_hidden, is_hidden=is_hidden)


def _tell(screen: "InboxScreen", outcome: BulkOutcome) -> None:
    """Say what became of them; what is done is marked no more, what is not stays so."""
    if not outcome.was_sent:
        screen.post_message(Noted("Nothing was sent: they stay open", Tone.DIM))
        return
    done, refused = outcome.of(Fate.TAKEN), outcome.of(Fate.REFUSED)
    screen.rows_view.unmark((*done, *outcome.of(Fate.CLOSED)))
    screen.rows_view.mark_also(refused)
    said = f"{counted(len(done), 'answer')} taken"
    lost = len(outcome.of(Fate.CLOSED))
    if lost:
        said += f", {lost} decided elsewhere"
    if refused:
        said += f", {len(refused)} refused: still marked"
    screen.post_message(Noted(said, Tone.FAILED if refused else Tone.DONE))


def _door(desk: Desk) -> BulkDoor:
    async def submit(pause_id: PauseId, raw: str, comment: str) -> Answered:
        async def give(session: Session) -> Answered:
            reply = Reply(raw, by=session.operator, via="tui", comment=comment)
            return await session.executor.answer(pause_id, reply)

        return await desk.engine.call(give)

    async def look(pause_ids: Sequence[PauseId]) -> Mapping[PauseId, AskedPause]:
        return await desk.engine.call(lambda session: _as_now(session, pause_ids))

    async def foreseen(pause: PauseRow, raw: str | Supposed) -> Foreseen:
        return await desk.engine.call(lambda session: foresee(session, pause, raw))

    return BulkDoor(submit, look, foreseen)


async def _as_now(session: Session, pause_ids: Sequence[PauseId]) -> dict[PauseId, AskedPause]:
    # One by one is cheaper for one, and dear for a screen full every second.
    still = {row.pause_id: row for row in await session.history.inbox()} if len(pause_ids) > 1 else {}
    return {
        pause_id: still.get(pause_id) or await session.history.find_pause(pause_id) for pause_id in pause_ids
    }
