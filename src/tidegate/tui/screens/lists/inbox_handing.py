"""From the wish to hand questions on, or to put them off, to what came of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError
from tidegate.safe_text import safe_line
from tidegate.tui.desk import Desk
from tidegate.tui.dialogs.assign import AssignDialog, Assigned
from tidegate.tui.dialogs.hand_on import ANYBODY, SOMEBODY, WAKE, HandOnDialog, Hands
from tidegate.tui.lines import Tone
from tidegate.tui.messages import Noted
from tidegate.tui.present.pauses import minute
from tidegate.tui.present.shared import counted, who
from tidegate.tui.query.of_inbox import Asked
from tidegate.tui.session import Session
from tidegate.tui.snoozes import Snoozes, choices

if TYPE_CHECKING:
    from tidegate.tui.screens.lists.inbox import InboxScreen

__all__ = ["hand_on"]


async def hand_on(
    screen: "InboxScreen", desk: Desk, snoozes: Snoozes, meant: Sequence[Asked], hands: Hands | None
) -> None:
    """Ask to whom, or for how long, and do it; runs in a worker of the screen.

    Args:
        screen: Where it was wished.
        desk: What it works with.
        snoozes: What is snoozed.
        meant: The questions, as they were when the key was pressed; at least one.
        hands: Whose they may become; None: nothing is changed from here.
    """
    now, first = desk.clock.now(), meant[0].seen
    what = who(first.workflow, first.run_id) if len(meant) == 1 else counted(len(meant), "question")
    deadlines = [asked.pause.deadline for asked in meant if asked.pause.deadline is not None]
    offered = choices(now, min(deadlines, default=None))
    may_wake = any(snoozes.until(asked.pause, now) is not None for asked in meant)
    if hands is None and not offered and not may_wake:
        screen.post_message(Noted(f"{what}: the deadline is too near to snooze", Tone.WAITING))
        return
    chosen = await screen.app.push_screen_wait(HandOnDialog(what, hands, offered, now, may_wake=may_wake))
    if chosen is None:
        return
    if chosen == SOMEBODY:
        questions = tuple(asked.pause.prompt.text.strip().partition("\n")[0] for asked in meant)
        if (assigned := await screen.app.push_screen_wait(AssignDialog(what, questions))) is not None:
            await _assign(screen, desk, meant, assigned)
    elif chosen.startswith(ANYBODY):
        await _assign(screen, desk, meant, Assigned(chosen.removeprefix(ANYBODY), ""))
    else:
        until = None if chosen == WAKE else next(one.until for one in offered if one.key == chosen)
        for asked in meant:
            _put(snoozes, asked, until)
        said = "awake again" if until is None else f"snoozed until {minute(until, now)}"
        screen.post_message(Noted(f"{what}: {said}", Tone.DIM))
        screen.put_off(is_off=until is not None)


async def _assign(screen: "InboxScreen", desk: Desk, meant: Sequence[Asked], assigned: Assigned) -> None:
    """Assign each by its id; what is not open any more is said and left."""

    async def assign(session: Session) -> list[str]:
        refused = []
        for asked in meant:
            try:
                await session.executor.assign(
                    asked.pause.pause_id, assigned.to, by=session.operator, note=assigned.note
                )
            except TidegateError as error:
                refused.append(str(error))
        return refused

    refused = await desk.engine.call(assign)
    done = len(meant) - len(refused)
    whose = "anybody's" if not assigned.to else f"assigned to {safe_line(assigned.to, 60)}"
    if done:
        screen.post_message(Noted(f"{counted(done, 'question')} {whose}", Tone.DONE))
    if refused:
        screen.post_message(Noted(f"not assigned: {refused[0]}", Tone.FAILED))


def _put(snoozes: Snoozes, asked: Asked, until: float | None) -> None:
    if until is None:
        snoozes.wake(asked.pause.pause_id)
    else:
        snoozes.put(asked.pause, until, f"{who(asked.seen.workflow, asked.seen.run_id)} asks again")
