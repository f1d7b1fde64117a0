"""The engine's own thread and event loop, beside the terminal's.

So a slow repaint never delays a lease or a wave, and a busy engine never delays a key. Whatever
is asked of the session crosses over with `call`; what the engine has to tell comes back as
messages, which may be posted from any thread.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TypeVar

from textual.message import Message

from tidegate.errors import TidegateError
from tidegate.tui.follow import follow
from tidegate.tui.messages import EngineLost
from tidegate.tui.session import OpenSession, Session

__all__ = ["EngineThread"]

T = TypeVar("T")
_logger = logging.getLogger(__name__)


class EngineThread:
    """Opens a session on its own loop, and keeps it until it is closed."""

    def __init__(self, open_session: OpenSession, tell: Callable[[Message], object]) -> None:
        """Make it; `start` it before use.

        Args:
            open_session: Opens the session.
            tell: Takes messages; called from the engine's thread.
        """
        self._open_session = open_session
        self._tell = tell
        self._session: Future[Session] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None
        self._is_unwanted = threading.Event()
        # A daemon: an engine that does not end must not keep the terminal.
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        """Begin to open the session."""
        self._thread.start()

    async def call(self, ask: Callable[[Session], Awaitable[T]]) -> T:
        """Return what *ask* returns, awaited on the engine's loop; wait until the session is open.

        Raises:
            TidegateError: as *ask* raises it, or because the session could not be opened.
        """
        session = await asyncio.shield(asyncio.wrap_future(self._session))
        if self._loop is None or not self._thread.is_alive():
            raise TidegateError("the engine has ended")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_asked(ask, session), self._loop))

    async def close(self, *, within: float = 10.0) -> bool:
        """Close the session in order; return whether that was done *within* seconds."""
        self._ask_to_close()
        return await asyncio.to_thread(self._join, within)

    def _join(self, within: float) -> bool:
        if self._thread.ident is not None:
            self._thread.join(within)
        return not self._thread.is_alive()

    def _ask_to_close(self) -> None:
        self._is_unwanted.set()
        loop, closing = self._loop, self._closing
        if loop is not None and closing is not None and self._thread.is_alive():
            loop.call_soon_threadsafe(closing.set)

    # -- in the engine's thread ---------------------------------------------------------------

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        if self._is_unwanted.is_set():
            self._closing.set()
        try:
            async with self._open_session() as session:
                self._session.set_result(session)
                await self._attend(session, self._closing)
        except (TidegateError, OSError) as error:
            self._lose(error)
        except Exception as error:
            _logger.exception("the engine stopped")
            self._lose(TidegateError(f"the engine stopped: {type(error).__name__}: {error}"))

    async def _attend(self, session: Session, closing: asyncio.Event) -> None:
        following = asyncio.create_task(follow(session, self._tell))
        await closing.wait()
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    def _lose(self, error: Exception) -> None:
        if not self._session.done():
            self._session.set_exception(
                error if isinstance(error, TidegateError) else TidegateError(str(error))
            )
        self._tell(EngineLost(str(error)))


async def _asked(ask: Callable[[Session], Awaitable[T]], session: Session) -> T:
    return await ask(session)
