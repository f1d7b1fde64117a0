"""What every screen works with: the engine, and the time."""

from collections import deque
from dataclasses import dataclass, field

from tidegate.clock import Clock
from tidegate.tui.engine_thread import EngineThread
from tidegate.tui.keymap import Keymap
from tidegate.tui.nouns.note import KEPT_NOTES, Note
from tidegate.tui.program import PROGRAM
from tidegate.tui.state import State

__all__ = ["Desk"]


@dataclass(frozen=True, slots=True)
class Desk:
    """Passed to each screen when it is made."""

    engine: EngineThread
    clock: Clock
    keymap: Keymap = field(default_factory=Keymap)
    state: State = field(default_factory=State)
    """What is kept between two starts; put it there, the app writes it."""
    program: str = PROGRAM
    """How to call us again for the same store, as a person types it; see `command_line`."""
    notes: deque[Note] = field(default_factory=lambda: deque(maxlen=KEPT_NOTES))
    """What was said, the newest last; hints are not among it."""
