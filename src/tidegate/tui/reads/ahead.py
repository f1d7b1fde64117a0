"""What follows from the question that the cursor is on, looked up once the cursor rests there."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from tidegate.errors import TidegateError
from tidegate.model.ids import PauseId
from tidegate.model.listing import PauseRow
from tidegate.model.outlook import Supposed
from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, Prompt, RecoveryAction, RecoveryPrompt
from tidegate.safe_text import safe_line
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Line
from tidegate.tui.nouns.advice import Foreseen
from tidegate.tui.present.outlook import outlook_line
from tidegate.tui.session import Session

__all__ = ["LookAhead", "foresee", "likely_answers"]

_RESTS = 0.15
"""Seconds that the cursor stands still before anything is looked up."""
_MOST = 4
"""Choices of which it is told what each leads to; of more, only what follows whatever is chosen."""
_SHORT = 1_000
"""Blocks of a run up to which what follows is looked up unasked."""
_KEPT = 50
"""Questions that are remembered."""


class LookAhead:
    """Remembers what follows, until something has changed."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lines: dict[PauseId, Sequence[Line]] = {}
        self._is_fresh: set[PauseId] = set()

    def forget(self) -> None:
        """Look everything up again: something has changed. Until then what was known is shown."""
        self._is_fresh.clear()

    def wants(self, pause_id: PauseId, blocks: int) -> bool:
        """Whether a question of a run of so many blocks is to be looked up.

        Not of a very long run: the dialog does that once, and not each time that something has changed.
        """
        return blocks <= _SHORT and pause_id not in self._is_fresh

    def lines(self, pause_id: PauseId) -> Sequence[Line]:
        """Return what follows from a question, as far as it was looked up."""
        return self._lines.get(pause_id, ())

    async def look(self, pause: PauseRow) -> None:
        """Look up what follows from a question, after a moment in which this may be cancelled."""
        # Marked first, so that nobody begins again while this is under way.
        self._is_fresh.add(pause.pause_id)
        try:
            await asyncio.sleep(_RESTS)
            lines = [line async for line in self._found(pause)]
        except asyncio.CancelledError:
            self._is_fresh.discard(pause.pause_id)
            raise
        self._lines.pop(pause.pause_id, None)
        self._lines[pause.pause_id] = lines
        if len(self._lines) > _KEPT:
            del self._lines[next(iter(self._lines))]

    async def _found(self, pause: PauseRow) -> AsyncIterator[Line]:
        for name, raw in likely_answers(pause.prompt):
            # What leads nowhere is refused in words when it is sent.
            with contextlib.suppress(TidegateError):
                yield outlook_line(await self._foresee(pause, raw), name)

    async def _foresee(self, pause: PauseRow, raw: str | Supposed) -> Foreseen:
        return await self._desk.engine.call(lambda session: foresee(session, pause, raw))


def likely_answers(prompt: Prompt) -> list[tuple[str, str | Supposed]]:
    """Return the answers worth telling apart, each with its name, safe to draw."""
    match prompt:
        case ConfirmPrompt():
            return [("Approve", "yes"), ("Reject", "no")]
        case ChoicePrompt(multiple=False) if len(prompt.choices) <= _MOST:
            return [(safe_line(choice, 80), choice) for choice in prompt.choices]
        case RecoveryPrompt():
            return [(action.value.capitalize(), action.value) for action in RecoveryAction]
        case _:
            return [("Any answer", Supposed.ANYTHING)]


async def foresee(session: Session, pause: PauseRow, raw: str | Supposed) -> Foreseen:
    """Return what an answer leads to, and how long that usually takes.

    Raises:
        PauseNotFound, PauseClosed, InvalidAnswer: it leads nowhere.
    """
    outlook = await session.executor.foresee(pause.pause_id, raw)
    return Foreseen(outlook, await session.history.usual(pause.workflow))
