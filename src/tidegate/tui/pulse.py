"""Reloading at a calm pace: one load at a time, four a second, and one more after the last change.

While another window has the focus, one a second is enough.
"""

import asyncio
from collections.abc import Awaitable, Callable

from textual.app import App
from textual.css.query import NoMatches
from textual.screen import Screen

from tidegate.errors import StoreUnavailable, TidegateError
from tidegate.tui.lines import Tone
from tidegate.tui.link import problem_of
from tidegate.tui.messages import Noted, StoreTroubled
from tidegate.tui.working import begin

__all__ = ["Pulse"]

_SECONDS = 0.25
_UNSEEN = 4
"""How many times that long it waits while nobody looks."""


class Pulse:
    """Runs a load whenever it was woken, as a worker of its owner, which ends with it."""

    def __init__(
        self,
        owner: App[None] | Screen[None],
        load: Callable[[], Awaitable[None]],
        *,
        may_run: Callable[[], bool],
        seconds: float = _SECONDS,
    ) -> None:
        """Make one.

        Args:
            owner: Whose work it is.
            load: Reads and shows.
            may_run: Whether anybody would see it now. If not, it stays due until woken again.
            seconds: How long it rests after each load.
        """
        self._owner = owner
        self._load = load
        self._may_run = may_run
        self._seconds = seconds
        self._due = False
        self._running = False

    def wake(self) -> None:
        """Load soon, or as soon as somebody looks."""
        self._due = True
        if not self._running and self._may_run():
            self._running = True
            begin(self._owner, "pulse", self._run)

    async def _run(self) -> None:
        try:
            while self._due and self._may_run():
                self._due = False
                await self._once()
                await self._rest()
        finally:
            self._running = False

    async def _rest(self) -> None:
        """Wait until it may load again: at once, nearly, when somebody looks again."""
        for _ in range(_UNSEEN):
            await asyncio.sleep(self._seconds)
            # Of a terminal that does not tell it is as if it had the focus always.
            if self._owner.app.app_focus:
                return

    async def _once(self) -> None:
        try:
            await self._load()
        except StoreUnavailable as error:
            # For as long as it lasts, not as a note for each time that it was tried.
            self._owner.post_message(StoreTroubled(problem_of(error)))
        except TidegateError as error:
            self._owner.post_message(Noted(str(error), Tone.FAILED))
        except NoMatches:
            # What was read came back to a screen that is being taken down; anywhere else it is a fault.
            if self._owner.is_running:
                raise
