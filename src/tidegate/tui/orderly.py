"""An app that takes one key at a time: the next one is looked at once the one before has led to what it leads to.

Keys come faster than they are acted upon: over a slow line, out of a paste, from somebody who types ahead. The
toolkit gives each to what has the focus when it comes, so that the words behind the key that opens a field would
act on what is below it. Here they wait until the field is there.
"""

import math
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.await_complete import AwaitComplete
from textual.events import Event, Key, Paste
from textual.message import Message
from textual.widgets import Input, TextArea

from tidegate.tui.guarded import GuardedApp
from tidegate.tui.room import RoomyScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen
    from textual.timer import Timer
    from textual.worker import Worker

__all__ = ["OrderlyApp"]

_ROUNDS = 3
"""Ways up from what has the focus: of the key, of what a list says of it, and of what its screen wants then."""
_LOOK = 0.02
"""Seconds between two looks whether something is open."""
_LOST = 0.25
"""Seconds after which a way up is gone again: where it began may be closed by now."""
_PATIENCE = 2.0
"""Seconds that keys wait at most for what an earlier one opens; whatever comes until then is dropped."""
_TOO_SOON = "too soon: pause, then press again"
_JUST_MOVED = "the cursor has just moved by itself: look where it is, then press again"
_HELD_BACK = 0.4
"""Seconds behind a key that was not heard, as what the cursor was on is not there any more, for which nothing is."""
_TOO_EARLY = "nothing came of the last keys: what was to open first took too long"


class _Settled(Message):
    """Goes the way of a key, behind it: where this arrives, the key has arrived."""

    def __init__(self, number: int, rounds: int) -> None:
        super().__init__()
        self.number = number
        self.rounds = rounds
        """Ways that are left to go, with this one."""


class OrderlyApp(GuardedApp):
    """Lets keys, and what is pasted between them, wait for each other."""

    OPENING: ClassVar[frozenset[str]] = frozenset()
    """Groups of the workers that open something which takes keys."""

    def __init__(self, *, css_path: list[Path]) -> None:
        super().__init__(css_path=css_path)
        self._ahead: deque[Key | Paste] = deque()
        self._key_number = 0
        self._is_looking = False
        self._was_screen: Screen[Any] | None = None
        self._was_working: frozenset[Worker[Any]] = frozenset()
        self._patience: Timer | None = None
        self._waited = 0.0
        self._deaf_until = self._rest = 0.0
        self._late_key = ""
        """The newest key that came too soon after a dialog; empty: none has yet."""
        self.strayed_at = -math.inf
        """When a character was typed last that means nothing on its screen: somebody writes, and looks elsewhere."""
        self.tell_lost: Callable[[str], None] = lambda _: None
        """Says why keys were not heard."""

    async def on_event(self, event: Event) -> None:
        """Take a key, or let it wait until the one before has done what it does."""
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        self._ahead.append(event)
        if not self._is_looking:
            await self._look_at_next()

    async def _look_at_next(self) -> None:
        while self._ahead and self.screen_stack:
            event = self._ahead.popleft()
            if self._is_late(event) or self._is_aimed_too_soon(event):
                continue
            self._note_stray(event)
            self._key_number += 1
            self._is_looking, self._waited = True, 0.0
            self._was_screen, self._was_working = self.screen, frozenset(self.workers)
            await super().on_event(event)
            self._sound(self._key_number, _ROUNDS)
            return
        self._is_looking = False

    def _sound(self, number: int, rounds: int) -> None:
        """Send something behind the key, and once more should it be lost."""
        if number != self._key_number or not self._is_looking or not self.screen_stack:
            return
        self._stop_waiting()
        self._patience = self.set_timer(_LOST, partial(self._sound, number, 1))
        message = _Settled(number, rounds)
        if not (self.focused or self.screen).post_message(message):
            self.post_message(message)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.stop()

    @on(_Settled)
    async def _go_on(self, message: _Settled) -> None:
        """Look at the next key, unless this one is still opening something."""
        message.stop()
        if message.number != self._key_number or not self._is_looking or not self.screen_stack:
            return
        if message.rounds > 1:
            self._sound(message.number, message.rounds - 1)
            return
        self._stop_waiting()
        if self._is_opening and self._waited < _PATIENCE:
            self._waited += _LOOK
            self._patience = self.set_timer(_LOOK, partial(self._sound, message.number, 1))
            return
        if self._waited >= _PATIENCE and self._ahead:
            self._ahead.clear()
            self.tell_lost(_TOO_EARLY)
        await self._look_at_next()

    @property
    def _is_opening(self) -> bool:
        """Whether what the key opens is not there yet, or does not take keys yet."""
        screen = self.screen
        if screen is not self._was_screen:
            return screen.is_modal and bool(screen.AUTO_FOCUS) and screen.focused is None
        begun = set(self.workers) - self._was_working
        return any(worker.group in self.OPENING and not worker.is_finished for worker in begun)

    def _note_stray(self, event: Key | Paste) -> None:
        """Take note of a character that means nothing where it is typed; a dialog does so by itself."""
        if not isinstance(event, Key) or not event.is_printable or self.screen.is_modal:
            return
        if not self._is_typing and event.key not in self.screen.active_bindings:
            self.strayed_at = event.time

    # -- where the cursor has moved by itself -------------------------------------------------

    def _is_aimed_too_soon(self, event: Key | Paste) -> bool:
        """Whether a key was pressed before anybody could see that the cursor had moved; also where it waited since."""
        screen = self.screen
        if not isinstance(event, Key) or not isinstance(screen, RoomyScreen) or self._is_typing:
            return False
        bound = screen.active_bindings.get(event.key)
        return bound is not None and self.holds_back(bound.binding.action, event.time, event.key)

    @property
    def _is_typing(self) -> bool:
        return isinstance(self.focused, Input | TextArea)

    def holds_back(self, action: str, at: float, key: str = "") -> bool:
        """Return whether an action wanted at *at* is not done, as the cursor has just moved by itself; says so.

        What is typed on behind it is not heard either: it was for what the key would have opened.
        """
        screen = self.screen
        if not isinstance(screen, RoomyScreen) or not screen.is_aimed_too_soon(action, at):
            return False
        screen.held_back()
        self._deaf_until, self._rest, self._late_key = at + _HELD_BACK, _HELD_BACK, key or action
        self.tell_lost(_JUST_MOVED)
        return True

    # -- after a dialog -----------------------------------------------------------------------

    def pop_screen(self) -> AwaitComplete:
        """Leave a screen; what is typed on, for a dialog that was closed by it, is not for what is below."""
        closed = self.screen
        popped = super().pop_screen()
        if isinstance(closed, RoomyScreen) and closed.rest:
            self._deaf_until = Event().time + closed.rest
            self._rest, self._late_key = closed.rest, ""
        return popped

    def _is_late(self, event: Key | Paste) -> bool:
        """Return whether a key belongs to a dialog that is closed; whoever writes on is not heard until a pause.

        The same key again is no text: somebody tries again, and waits for no more than the moment.
        """
        if self.screen.is_modal or event.time >= self._deaf_until:
            return False
        key = event.key if isinstance(event, Key) else "paste"
        if not self._late_key:
            self.tell_lost(_TOO_SOON)
        if isinstance(event, Key) and event.is_printable and key != self._late_key:
            self._deaf_until = event.time + self._rest
        self._late_key = key
        return True
