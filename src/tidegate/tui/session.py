"""What the monitor works with. It is made elsewhere, and lives in the engine's own thread."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from tidegate.engine.executor import Executor
    from tidegate.history.history import History
    from tidegate.history.shelf import Shelf

__all__ = ["Call", "OpenSession", "Session"]


class Session(Protocol):
    """One open store, with what may be done to it and what may be asked of it."""

    @property
    def executor(self) -> "Executor":
        """The only way down."""
        ...

    @property
    def history(self) -> "History":
        """Everything that can be asked."""
        ...

    @property
    def shelf(self) -> "Shelf":
        """What can be started."""
        ...

    @property
    def url(self) -> str:
        """Where the store is, for the status line."""
        ...

    @property
    def is_current(self) -> Callable[[], bool]:
        """Tells whether what is open is still what is there under the name of the store."""
        ...

    @property
    def operator(self) -> str:
        """Who answers, as the journal will name them."""
        ...


Call: TypeAlias = Callable[[Callable[[Session], Awaitable[Any]]], Awaitable[Any]]
"""Asks the session; see `EngineThread.call`."""

OpenSession: TypeAlias = Callable[[], AbstractAsyncContextManager[Session]]
"""Opens a session on the event loop it is called from, and closes it there."""
