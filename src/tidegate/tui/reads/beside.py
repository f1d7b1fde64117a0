"""What stands beside a question where there is room: its state, its evidence, and what is other than last time.

These are the pages of its dialog, one below the other, each only as far as one reads it by the way.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace

from tidegate.errors import TidegateError
from tidegate.model.ids import PauseId, Seq
from tidegate.model.listing import PauseRow
from tidegate.model.value import Stored
from tidegate.safe_text import safe_line
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Line, Tone, text_line
from tidegate.tui.present.exhibits import exhibit_lines, exhibit_title
from tidegate.tui.present.shared import counted
from tidegate.tui.query.of_inbox import Asked
from tidegate.tui.session import Session

__all__ = ["LookBeside"]

_RESTS = 0.2
"""Seconds that the cursor stands still before anything is read; what follows comes first."""
_SHORT = 1_000
"""Blocks of a run up to which it is read unasked."""
_LARGE = 2_000_000
"""Bytes of stored values beyond which they are not loaded unasked."""
_CALM = 10.0
"""Seconds for which what was read of a run that has not moved is believed, whatever happens elsewhere."""
_LINES = 300
"""Lines of each part."""
_KEPT = 20
"""Questions that are remembered."""
_TOO_MUCH = "Too much to be read by the way: enter opens the question, f2 there turns to it."


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of one question, and when."""

    lines: Sequence[Line]
    head: Seq | None
    """Of the run, as it was read; None: it was not known."""
    at: float


class LookBeside:
    """Remembers what was read, until the run has moved."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._read: dict[PauseId, _Read] = {}
        self._looking: PauseId | None = None
        self._stale: frozenset[PauseId] = frozenset()

    def forget(self) -> None:
        """Read again now and then: something has changed, and it may be another run that has succeeded meanwhile."""
        self._stale = frozenset(self._read)

    def lines(self, pause_id: PauseId) -> Sequence[Line]:
        """Return what stands beside a question, as far as it was read; the same object until it is read again."""
        read = self._read.get(pause_id)
        return read.lines if read is not None else ()

    def wants(self, asked: Asked) -> bool:
        """Whether a question is to be looked up: nothing is known of it, or its run has moved since."""
        pause_id = asked.pause.pause_id
        if self._looking == pause_id:
            return False
        if (read := self._read.get(pause_id)) is None or read.head != _head(asked):
            return True
        return pause_id in self._stale and self._desk.clock.monotonic() - read.at >= _CALM

    async def look(self, asked: Asked) -> None:
        """Read all of it, after a moment in which this may be cancelled."""
        pause_id = self._looking = asked.pause.pause_id
        try:
            await asyncio.sleep(_RESTS)
            lines = await self._found(asked)
        finally:
            if self._looking == pause_id:
                self._looking = None
        self._stale -= {pause_id}
        self._read.pop(pause_id, None)
        self._read[pause_id] = _Read(lines, _head(asked), self._desk.clock.monotonic())
        if len(self._read) > _KEPT:
            del self._read[next(iter(self._read))]

    async def _found(self, asked: Asked) -> list[Line]:
        from tidegate.tui.reads.advising import difference_of, state_of

        pause, engine = asked.pause, self._desk.engine
        is_long = asked.of is not None and asked.of.row.summary.blocks > _SHORT
        is_much = is_long or await engine.call(lambda session: _is_large(session, pause))
        state = [text_line(_TOO_MUCH, Tone.DIM)] if is_much else await _told(state_of(engine, pause))
        lines = _part("State", state)
        for number, exhibit in enumerate(pause.prompt.show):
            shown = await asyncio.to_thread(exhibit_lines, exhibit)
            lines += _part(exhibit_title(exhibit, 80), shown, f"exhibit:{number}")
        other = [text_line(_TOO_MUCH, Tone.DIM)] if is_much else await _told(difference_of(engine, pause))
        return [*lines, *_part("Since last success", other)]


def _head(asked: Asked) -> Seq | None:
    return asked.of.row.head if asked.of is not None else None


async def _told(found: Awaitable[Sequence[Line]]) -> Sequence[Line]:
    try:
        return await found
    except TidegateError as error:
        return [text_line(safe_line(str(error), 400), Tone.DIM)]


def _part(title: str, lines: Sequence[Line], name: str = "") -> list[Line]:
    """Return a part below its title, each line with a key of its own; of much, the beginning."""
    name = name or title
    shown = [replace(line, key=f"{name}:{at}:{line.key}") for at, line in enumerate(lines[:_LINES])]
    if left := len(lines) - len(shown):
        words = f"… {counted(left, 'more line')}: enter opens the question, f2 there turns to them"
        shown.append(text_line(words, Tone.DIM, key=f"{name}:more"))
    return [text_line(f"── {title} ──", Tone.ACCENT, key=name), *shown, text_line("", key=f"{name}:gap")]


async def _is_large(session: Session, pause: PauseRow) -> bool:
    """Whether the values of the run of a question are more than is loaded by the way."""
    try:
        state = await session.history.state(pause.run_id)
    except TidegateError:
        # Whoever reads what it is says why it cannot be read.
        return False
    values = [value for block in state.touched.values() for value in block.outputs.values()]
    return sum(it.size for it in (*values, *state.variables.values()) if isinstance(it, Stored)) > _LARGE
