"""Reloading at a calm pace: one load at a time, four a second, and one more after the last change."""

import asyncio
from collections.abc import Awaitable, Callable

from textual.app import App
from textual.css.query import NoMatches
from textual.screen import Screen

from tidegate.errors import TidegateError
from tidegate.tui.lines import Tone
from tidegate.tui.messages import Noted

__all__ = ["Pulse"]

_SECONDS = 0.25


class Pulse:
    """Runs a load whenever it was woken, as a worker of its owner, which ends with it."""

    def __init__(
        self,
        owner: App[None] | Screen[None],
        load: Callable[[], Awaitable[None]],
        *,
        may_run: Callable[[], bool],
    ) -> None:
        """Make one.

        Args:
            owner: Whose work it is.
            load: Reads and shows.
            may_run: Whether anybody would see it now. If not, it stays due until woken again.
        """
        self._owner = owner
        self._load = load
        self._may_run = may_run
        self._due = False
        self._running = False

    def wake(self) -> None:
        """Load soon, or as soon as somebody looks."""
        self._due = True
        if not self._running and self._may_run():
            self._running = True
            self._owner.run_worker(self._run(), group="pulse")

    async def _run(self) -> None:
        try:
            while self._due and self._may_run():
                self._due = False
                await self._once()
                await asyncio.sleep(_SECONDS)
        finally:
            self._running = False

    async def _once(self) -> None:
        try:
            await self._load()
        except TidegateError as error:
            self._owner.post_message(Noted(str(error), Tone.FAILED))
        except NoMatches:
            # What was read came back to a screen that is being taken down; anywhere else it is a fault.
            if self._owner.is_running:
                raise
