"""What every screen works with: the engine, and the time."""

from dataclasses import dataclass

from tidegate.clock import Clock
from tidegate.tui.engine_thread import EngineThread

__all__ = ["Desk"]


@dataclass(frozen=True, slots=True)
class Desk:
    """Passed to each screen when it is made."""

    engine: EngineThread
    clock: Clock
