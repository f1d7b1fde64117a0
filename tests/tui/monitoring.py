"""The whole monitor in a test: the real engine, the real store, real keys."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from textual.app import App
from textual.events import Event
from textual.pilot import Pilot

from running import PATIENCE, definition_of
from tidegate.blocks.registry import BUILTIN
from tidegate.clock import Clock, SystemClock
from tidegate.engine.executor import Executor
from tidegate.history.history import History
from tidegate.history.shelf import Shelf
from tidegate.model.base import Json
from tidegate.model.ids import RunId
from tidegate.store.opening import open_store, sameness_of
from tidegate.store.protocol import Store
from tidegate.tui.app import MonitorApp
from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.program import PROGRAM
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.session import OpenSession, Session

T = TypeVar("T")
Prepare = Callable[[Store], Awaitable[None]]
_BETWEEN = 0.15
"""Seconds between two looks at what may still change."""
_SAME = 2
"""Looks that see nothing new before it counts as settled."""


@dataclass(frozen=True)
class FixedClock:
    """A clock that stands still."""

    at: float

    def now(self) -> float:
        """Return the instant."""
        return self.at

    def monotonic(self) -> float:
        """Return the same, as seconds."""
        return self.at


@dataclass(frozen=True)
class OpenedSession:
    """What the command line would open."""

    executor: Executor
    history: History
    url: str
    operator: str
    shelf: Shelf = field(default_factory=Shelf)
    is_current: Callable[[], bool] = lambda: True


def opener(
    *,
    clock: Clock,
    url: str = "memory://",
    prepare: Prepare | None = None,
    adopts: bool = False,
    folders: tuple[Path, ...] = (),
) -> OpenSession:
    """Return what opens a session, on a store that *prepare* has filled, over the workflows of *folders*."""

    @asynccontextmanager
    async def open_session() -> AsyncIterator[Session]:
        store = await open_store(url, clock=clock)
        executor = Executor(store, clock, BUILTIN, adopts=adopts)
        try:
            if prepare is not None:
                await prepare(store)
            await executor.open()
            yield OpenedSession(executor, History(store, clock), url, "ana", Shelf(folders), sameness_of(url))
        finally:
            await executor.close()
            await store.close()

    return open_session


def monitor_app(prepare: Prepare, *, at: float, folders: tuple[Path, ...] = ()) -> MonitorApp:
    """Return a monitor over a store in a known state, at a known time, in which nothing runs."""
    clock = FixedClock(at)
    app = MonitorApp(opener(clock=clock, prepare=prepare, folders=folders), clock)
    app.animation_level = "none"
    return app


async def picture_of(app: App[Any], pilot: Pilot[Any], *, title: str = "tidegate") -> str:
    """Return a picture of what no longer changes: on a busy machine some of it is read late."""
    picture, same = "", 0
    async with asyncio.timeout(PATIENCE):
        while same < _SAME:
            await pilot.pause(_BETWEEN)
            last, picture = picture, app.export_screenshot(title=title, simplify=True)
            is_read = not any(word in picture for word in ("Reading", "Comparing"))
            # What follows from a question comes a moment after the question.
            is_read &= all(
                worker.is_finished for worker in app.workers if worker.group in ("ahead", "beside")
            )
            same = same + 1 if picture == last and is_read else 0
    return picture


@dataclass
class Monitor:
    """A running monitor, and short ways to say what tests say often."""

    app: MonitorApp
    pilot: Pilot[None]
    folder: Path

    @property
    def text(self) -> str:
        """What the terminal shows."""
        strips = self.app.screen._compositor.render_strips()  # noqa: SLF001 - what is drawn has no other door
        return "\n".join(strip.text for strip in strips)

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other, once they count: after a dialog, and where the cursor has moved by itself."""
        app = self.app
        for key in keys:
            await self.until(lambda: Event().time >= app._deaf_until)  # noqa: SLF001 - nobody else asks
            await self.until(lambda: not self._is_held_back(key))  # noqa: B023 - called before the next key
            await self.pilot.press(key)

    def _is_held_back(self, key: str) -> bool:
        bound = self.app.screen.active_bindings.get(key)
        return bound is not None and self.is_too_soon(bound.binding.action)

    def is_too_soon(self, action: str) -> bool:
        """Whether an action is not done yet, as the cursor has just moved by itself."""
        screen = self.app.screen
        return isinstance(screen, MonitorScreen) and screen.is_aimed_too_soon(action, Event().time)

    async def until(self, fact: Callable[[], bool]) -> None:
        """Return once *fact* holds; fail with the screen when it does not come true."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not fact():
                    await self.pilot.pause(0.02)
        except TimeoutError:
            raise AssertionError(f"it did not come true; the screen shows:\n{self.text}") from None

    async def see(self, *texts: str) -> None:
        """Return once the terminal shows all *texts*."""
        await self.until(lambda: all(text in self.text for text in texts))

    async def unsee(self, text: str) -> None:
        """Return once the terminal no longer shows *text*."""
        await self.until(lambda: text not in self.text)

    async def dialog(self, text: str) -> None:
        """Return once a dialog shows *text* and takes keys."""
        # A list behind it may show the same text.
        await self.until(lambda: isinstance(self.app.screen, Dialog))
        await self.see(text)
        await self.unsee("Keys arm")
        gate = getattr(self.app.screen, "gate", None)
        await self.until(lambda: gate is None or gate.busy or gate.admits(Event().time))

    async def approve(self) -> None:
        """Say yes in an open dialog: once to choose, once to send."""
        await self.press("y")
        await self.see("to send")
        # As long as a person takes at least: what is faster is a held key.
        await self.pilot.pause(0.2)
        await self.press("y")

    async def ask(self, question: Callable[[Session], Awaitable[T]]) -> T:
        """Ask the session, on the engine's loop."""
        return await self.app.engine.call(question)

    async def start(self, text: str, **inputs: Json) -> RunId:
        """Start a run, as another terminal would."""
        definition = definition_of(text, working_dir=self.folder)
        return await self.ask(lambda session: session.executor.start(definition, dict(inputs), by="ben"))


@asynccontextmanager
async def monitor(
    folder: Path,
    *,
    size: tuple[int, int] = (80, 24),
    prepare: Prepare | None = None,
    clock: Clock | None = None,
    folders: tuple[Path, ...] = (),
    url: str = "memory://",
    program: str = PROGRAM,
) -> AsyncIterator[Monitor]:
    """Run a monitor; it is closed as by its operator afterwards."""
    clock = clock or SystemClock()
    opens = opener(clock=clock, url=url, prepare=prepare, folders=folders)
    app = MonitorApp(opens, clock, program=program)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        opened = Monitor(app, pilot, folder)
        await opened.until(lambda: app.overview.is_read)
        yield opened
