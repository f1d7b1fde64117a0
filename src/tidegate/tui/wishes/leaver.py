"""From the wish to quit to the end: asks first where something would be lost or stopped by it."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError
from tidegate.tui.lines import Tone
from tidegate.tui.working import begin

if TYPE_CHECKING:
    from tidegate.tui.dialogs.quit import Leaving
    from tidegate.tui.operated import OperatedApp
    from tidegate.tui.session import Session

__all__ = ["Leaver"]

_BRIEFLY = 2.0
"""Seconds that leaving waits for the engine to say whether anything runs."""
_REMIND = 10.0
"""Seconds between two words about what is waited for."""


class Leaver:
    """Lets the operator go."""

    def __init__(self, app: "OperatedApp", is_unsent: Callable[[], bool]) -> None:
        """Make it.

        Args:
            app: What is left.
            is_unsent: Whether something was typed that would be lost.
        """
        self._app = app
        self._is_unsent = is_unsent
        self._is_asking = False
        self._is_finishing = False
        self.leaves_runs = False
        """Whether the monitor has ended with runs that somebody is to go on with."""

    async def leave(self) -> None:
        """Quit, stay, or let what runs end; runs in a worker of the app."""
        if self._is_asking:
            return
        self._is_asking = True
        try:
            await self._do(await self._ask())
        finally:
            self._is_asking = False

    async def _ask(self) -> "Leaving":
        from tidegate.tui.dialogs.quit import Leaving, QuitDialog

        at_work = await self._read_at_work()
        is_unsent = self._is_unsent()
        if at_work == () and not is_unsent and not self._is_finishing:
            return Leaving.QUIT
        dialog = QuitDialog(
            at_work,
            is_unsent=is_unsent,
            # What is in memory only ends with this process.
            may_finish=not self._app.overview.url.startswith("memory:"),
            is_finishing=self._is_finishing,
        )
        return await self._app.push_screen_wait(dialog)

    async def _do(self, leaving: "Leaving") -> None:
        match leaving.value:
            case "quit":
                self._app.exit()
            case "finish" if not self._is_finishing:
                self._is_finishing = True
                begin(self._app, "finish", self._finish)
            case "stay" if self._is_finishing:
                self._is_finishing = False
                await self._app.engine.call(_go_on)
                self._app.tell("runs go on here", Tone.DONE)
            case _:
                pass

    async def _finish(self) -> None:
        """Wait until nothing runs here any more, then leave the rest to others."""
        draining = asyncio.ensure_future(self._app.engine.call(_drain))
        while not draining.done():
            at_work = await self._read_at_work() or ()
            waits = f"waiting for {', '.join(at_work[:3])}" if at_work else "leaving"
            self._app.tell(f"nothing new starts here: {waits}; q to think again", Tone.WAITING)
            await asyncio.wait([draining], timeout=_REMIND)
        try:
            self.leaves_runs = draining.result()
        except TidegateError as error:
            self._is_finishing = False
            self._app.tell(str(error), Tone.FAILED)
        if self.leaves_runs:
            self._app.exit()

    async def _read_at_work(self) -> tuple[str, ...] | None:
        """Return which blocks run here; None if the engine does not say so in time."""
        try:
            async with asyncio.timeout(_BRIEFLY):
                return await self._app.engine.call(_at_work)
        except TidegateError:
            return ()
        except TimeoutError:
            # An engine that has not opened its store yet runs nothing.
            return None if self._app.overview.is_read else ()


async def _at_work(session: "Session") -> tuple[str, ...]:
    return session.executor.at_work


async def _drain(session: "Session") -> bool:
    return await session.executor.drain()


async def _go_on(session: "Session") -> None:
    await session.executor.go_on()
