"""From the wish to quit to the end: asks first where something would be lost or stopped by it."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError

if TYPE_CHECKING:
    from tidegate.tui.operated import OperatedApp
    from tidegate.tui.session import Session

__all__ = ["Leaver"]

_BRIEFLY = 2.0
"""Seconds that leaving waits for the engine to say whether anything runs."""


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
        self._is_leaving = False

    async def leave(self) -> None:
        """Quit, or stay; runs in a worker of the app."""
        if self._is_leaving:
            return
        self._is_leaving = True
        try:
            if await self._may_leave():
                self._app.exit()
        finally:
            self._is_leaving = False

    async def _may_leave(self) -> bool:
        from tidegate.tui.dialogs.quit import QuitDialog

        running = await self._count_running()
        is_unsent = self._is_unsent()
        if running == 0 and not is_unsent:
            return True
        return await self._app.push_screen_wait(QuitDialog(running, is_unsent=is_unsent))

    async def _count_running(self) -> int | None:
        """Return how many blocks run here; None if the engine does not say so in time."""
        try:
            async with asyncio.timeout(_BRIEFLY):
                return await self._app.engine.call(_running)
        except TidegateError:
            return 0
        except TimeoutError:
            # An engine that has not opened its store yet runs nothing.
            return None if self._app.overview.is_read else 0


async def _running(session: "Session") -> int:
    return session.executor.running
