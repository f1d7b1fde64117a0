"""From the wish to answer a question to what came of it: one dialog at a time, drafts kept."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError
from tidegate.model.answer import Answered, Reply
from tidegate.model.ids import PauseId
from tidegate.model.state import PauseState
from tidegate.tui.lines import Tone
from tidegate.tui.messages import AnswerWanted, ForkWanted, TravelWanted
from tidegate.tui.nouns.turns import Turn, TurnRequest
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.clock import Clock
    from tidegate.model.listing import PauseRow
    from tidegate.tui.dialogs.answering.answer import AnswerDialog
    from tidegate.tui.dialogs.answering.outcome import AnswerOutcome
    from tidegate.tui.operated import OperatedApp

__all__ = ["Answerer"]

_UNCHANGED = "this run is never changed, and still asks: a fork gets what you change"

Submit = Callable[[str, str], Awaitable[Answered]]


class Answerer:
    """Opens the dialog of a question, and tells what came of it."""

    def __init__(self, app: "OperatedApp", clock: "Clock") -> None:
        self._app = app
        self._clock = clock
        # In memory only: a draft may be a password, and would outlive the question on a disk.
        self._drafts: dict[PauseId, str] = {}
        self._dialog: AnswerDialog | None = None

    @property
    def is_unsent(self) -> bool:
        """Whether a dialog is open in which an answer was begun."""
        return self._dialog is not None and self._dialog.is_unsent

    async def answer(self, wanted: AnswerWanted) -> None:
        """Let a question be answered; runs in a worker of the app."""
        from tidegate.tui.dialogs.answering.answer import AnswerDialog
        from tidegate.tui.reads.advising import advice_on

        # A second key may be on its way before the dialog is there to take it.
        if self._dialog is not None:
            return
        pause = wanted.pause
        self._dialog = AnswerDialog(
            pause,
            self._submit(pause.pause_id),
            draft=self._drafts.get(pause.pause_id, ""),
            advice=advice_on(self._app.engine, pause, self._clock),
            position=wanted.position,
            looks_only=self._app.refusal("reject"),
            rejects=wanted.rejects,
            clock=self._clock,
            program=self._app.desk.program,
        )
        try:
            outcome = await self._app.push_screen_wait(self._dialog)
        finally:
            self._dialog = None
        self._drafts[pause.pause_id] = "" if outcome.sent else outcome.draft
        if outcome.sent and isinstance(self._app.screen, MonitorScreen):
            self._app.screen.answered(pause)
        if outcome.onward is None:
            self._app.tell(outcome.note, Tone.DONE if outcome.sent else Tone.DIM)
        else:
            await self._go_on(wanted, outcome)

    async def _go_on(self, wanted: AnswerWanted, outcome: "AnswerOutcome") -> None:
        """Go where somebody wants to who has left a question open."""
        from tidegate.tui.dialogs.answering.outcome import Onward

        pause = wanted.pause
        match outcome.onward:
            case Onward.SEND_BACK:
                request = TurnRequest(
                    Turn.SEND_BACK, pause.run_id, pause.block, pause.pause_id, outcome.words
                )
                await self._turn(request, wanted)
            case Onward.CANCEL:
                await self._turn(TurnRequest(Turn.CANCEL, pause.run_id), wanted)
            case Onward.EDIT:
                await self._edit_state(pause)

    async def _turn(self, request: TurnRequest, wanted: AnswerWanted) -> None:
        """Ask whether to turn the run; whoever leaves it as it is goes back to the question, if it is still open."""
        if await self._app.turn(request):
            return
        row = await self._app.engine.call(lambda session: session.history.find_pause(wanted.pause.pause_id))
        if row.state is PauseState.OPEN:
            self._app.post_message(AnswerWanted(row, wanted.position))

    async def _edit_state(self, pause: "PauseRow") -> None:
        """Show the run as it is now, and ask what is to be other in a fork of it."""
        from tidegate.tui.reads.fork_wishes import before_question

        try:
            state = await self._app.engine.call(lambda session: session.history.state(pause.run_id))
        except TidegateError as error:
            self._app.tell(str(error), Tone.FAILED)
            return
        self._app.post_message(TravelWanted(pause.run_id))
        wish = replace(before_question(state, pause.block), otherwise=_UNCHANGED)
        self._app.post_message(ForkWanted(wish))

    def _submit(self, pause_id: PauseId) -> Submit:
        async def submit(raw: str, comment: str) -> Answered:
            return await self._app.engine.call(lambda session: _give(session, pause_id, raw, comment))

        return submit

    async def look(self) -> None:
        """Tell an open dialog, under another one too, what became of its pause elsewhere."""
        dialog = self._dialog
        if dialog is not None:
            pause_id = dialog.pause.pause_id
            row = await self._app.engine.call(lambda session: session.history.find_pause(pause_id))
            if row.state is PauseState.OPEN:
                dialog.pause_assigned(row)
            else:
                dialog.pause_closed(row)


async def _give(session: Session, pause_id: PauseId, raw: str, comment: str) -> Answered:
    reply = Reply(raw, by=session.operator, via="tui", comment=comment)
    return await session.executor.answer(pause_id, reply)
