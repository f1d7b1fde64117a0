"""From the wish to start something to the run: one form at a time, drafts kept, and asked again if the file changed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError
from tidegate.model.base import Json
from tidegate.model.ids import RunId
from tidegate.tui.lines import Tone
from tidegate.tui.messages import RunWanted
from tidegate.tui.nouns.launch import Launch, LaunchWish
from tidegate.tui.present.shared import who
from tidegate.tui.reads.launching import read_launch, start_launch

if TYPE_CHECKING:
    from tidegate.tui.dialogs.turns.launch import LaunchDialog, LaunchOutcome
    from tidegate.tui.operated import OperatedApp

__all__ = ["Launcher"]

_CHANGED = "The file has changed while this was open, and nothing was started: look again, then ctrl+s."


class Launcher:
    """Opens the form, and tells what came of it."""

    def __init__(self, app: "OperatedApp") -> None:
        self._app = app
        self._drafts: dict[str, str] = {}
        self._is_open = False
        self._dialog: LaunchDialog | None = None

    @property
    def is_unsent(self) -> bool:
        """Whether a form is open in which something was typed."""
        return self._dialog is not None and self._dialog.is_unsent

    async def launch(self, wish: LaunchWish) -> None:
        """Ask with what a run is to be started, and start it; runs in a worker of the app."""
        # A second key may be on its way before the dialog is there to take it.
        if self._is_open:
            return
        self._is_open = True
        try:
            await self._launch(wish)
        except TidegateError as error:
            self._app.tell(str(error), Tone.FAILED)
        finally:
            self._is_open = False

    async def _launch(self, wish: LaunchWish) -> None:
        notice = ""
        while True:
            launch = await self._app.engine.call(lambda session: read_launch(session, wish))
            outcome = await self._ask(launch, self._drafts.get(wish.key, ""), notice)
            self._drafts[wish.key] = outcome.draft
            if not outcome.has_changed:
                break
            notice = _CHANGED
        if outcome.run_id is not None:
            self._app.tell(f"started {who(launch.definition.name, outcome.run_id)}", Tone.DONE)
            self._app.post_message(RunWanted(outcome.run_id))
        else:
            self._app.tell(
                "nothing was started; the draft is kept" if outcome.draft else "nothing was started", Tone.DIM
            )

    async def _ask(self, launch: Launch, draft: str, notice: str) -> "LaunchOutcome":
        from tidegate.tui.dialogs.turns.launch import LaunchDialog

        async def start(given: Mapping[str, Json]) -> RunId | None:
            return await self._app.engine.call(lambda session: start_launch(session, launch, given))

        self._dialog = LaunchDialog(launch, start, draft=draft, notice=notice)
        try:
            return await self._app.push_screen_wait(self._dialog)
        finally:
            self._dialog = None
