"""From the wish to change the course of a run to what came of it: one dialog at a time."""

from dataclasses import replace
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError
from tidegate.tui.lines import Tone
from tidegate.tui.messages import ForkWanted, RunWanted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tidegate.model.ids import PauseId
    from tidegate.tui.dialogs.turns.fork import ForkDialog
    from tidegate.tui.nouns.turns import Decision, TurnRequest
    from tidegate.tui.operated import OperatedApp
    from tidegate.tui.session import Session

__all__ = ["Turner"]


class Turner:
    """Asks before a run is turned, or forked, and does it."""

    def __init__(self, app: "OperatedApp") -> None:
        self._app = app
        self._is_turning = False
        # In memory only, as what is typed of an answer is.
        self._drafts: dict[PauseId | None, str] = {}
        self._fork: ForkDialog | None = None

    @property
    def is_unsent(self) -> bool:
        """Whether the dialog of a fork is open in which something was changed."""
        return self._fork is not None and self._fork.is_unsent

    # A second key may be on its way before the dialog is there to take it: both look first.

    async def turn(self, request: "TurnRequest") -> bool:
        """Ask whether to turn a run, and do it; runs in a worker of the app.

        Returns:
            Whether that is settled; not where somebody has left the run as it is.
        """
        if self._is_turning:
            return True
        self._is_turning = True
        try:
            decision = await self._ask_about(request)
        except TidegateError as error:
            self._app.tell(str(error), Tone.FAILED)
            return True
        finally:
            self._is_turning = False
        if decision is not None:
            await self._do(lambda session: decision.way.act(session, decision.reason), decision.way.done)
        return decision is not None

    async def _ask_about(self, request: "TurnRequest") -> "Decision | None":
        from tidegate.tui.dialogs.turns.send_back import SendBackDialog
        from tidegate.tui.dialogs.turns.turn_dialogs import turn_dialog
        from tidegate.tui.reads.prospects import read_prospect

        draft = self._drafts.get(request.pause_id, "")
        if draft and not request.words:
            request = replace(request, words=draft)
        prospect = await self._app.engine.call(lambda session: read_prospect(session, request))
        dialog = turn_dialog(prospect)
        decision = await self._app.push_screen_wait(dialog)
        if isinstance(dialog, SendBackDialog):
            # Also if it is sent: somebody may have been faster, and what was typed would be lost.
            self._drafts[request.pause_id] = dialog.typed
        return decision

    async def _do(self, act: "Callable[[Session], Awaitable[None]]", done: str) -> None:
        try:
            await self._app.engine.call(act)
        except TidegateError as error:
            self._app.tell(str(error), Tone.FAILED)
        else:
            self._app.tell(done, Tone.DONE)

    async def fork(self, wanted: ForkWanted) -> None:
        """Ask for a fork, make it, and go there; runs in a worker of the app."""
        from tidegate.tui.dialogs.turns.fork import ForkDialog

        if self._fork is not None:
            return
        self._fork = ForkDialog(wanted.wish, self._app.engine.call, program=self._app.desk.program)
        try:
            run_id = await self._app.push_screen_wait(self._fork)
        finally:
            self._fork = None
        if run_id is not None:
            self._app.tell(f"forked: {run_id} goes on from {wanted.wish.point}", Tone.DONE)
            self._app.post_message(RunWanted(run_id))
        elif wanted.wish.otherwise:
            self._app.tell(wanted.wish.otherwise, Tone.DIM)
