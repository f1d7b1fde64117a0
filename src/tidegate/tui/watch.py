"""`tidegate watch`: the dashboard for a wall or a pane beside others, which looks and does nothing else.

It follows one store, and goes on following it while it is missing, damaged, or replaced by another one.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize

from tidegate.clock import Clock
from tidegate.engine.feed import Feed
from tidegate.errors import CorruptStore, StoreUnavailable, TidegateError
from tidegate.history.history import History
from tidegate.settings import Ascii
from tidegate.tui.dressed import DressedApp
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.present.frame import Sight, frame
from tidegate.tui.widgets.line_view import LineView
from tidegate.tui.working import begin

__all__ = ["OpenWatched", "WatchApp", "Watched"]

_TICK = 1.0
"""Seconds between two looks at the clock; ages are shown in seconds."""
_RETRY = 1.0
"""Seconds after which a store that could not be read is tried again."""
_PATIENCE = 1.0
"""Seconds after which it is asked whether the store is still the same one."""
_LEAST_WIDTH, _LEAST_HEIGHT = 40, 12
_TOO_SMALL = ("tidegate watch needs", "40 columns, 12 rows", "q quits")


@dataclass(frozen=True, slots=True)
class Watched:
    """One open store, with what may be asked of it."""

    history: History
    feed: Feed
    url: str
    is_current: Callable[[], bool]
    """Whether what is open is still what is there under its name."""


OpenWatched = Callable[[], AbstractAsyncContextManager[Watched]]
"""Opens the store for reading only, and closes it."""


class _Wall(LineView):
    """The whole terminal."""

    MARKED = False


class WatchApp(DressedApp, inherit_bindings=False):
    """Shows a store until somebody quits."""

    TITLE = "tidegate watch"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Quit"),
        Binding("question_mark", "help", "Help"),
        Binding("down,right", "page(1)", "Next page", priority=True),
        Binding("up,left", "page(-1)", "Page before", priority=True),
    ]

    def __init__(
        self,
        open_watched: OpenWatched,
        url: str,
        clock: Clock,
        *,
        interval: float = 1.0,
        theme: str = "",
        ascii_only: Ascii = Ascii.OFF,
    ) -> None:
        """Make it.

        Args:
            open_watched: Opens the store, as often as that is needed.
            url: Which one, for people.
            clock: For ages and deadlines.
            interval: The seconds that are let pass between two looks at least.
            theme: One of the themes; empty: the first.
            ascii_only: What is drawn in ASCII.
        """
        super().__init__(
            css_path=[style_sheet("lines"), style_sheet("dashboard")],
            theme=theme,
            ascii_only=ascii_only,
        )
        self._open_watched = open_watched
        self._clock = clock
        self._interval = interval
        self.sight = Sight(url)
        """What is drawn."""

    def compose(self) -> ComposeResult:
        """Lay out the one view."""
        yield _Wall(id="wall")

    def on_mount(self) -> None:
        """Begin to follow; keep the clock going."""
        self.watch_over()
        self.set_interval(_TICK, self._draw)
        begin(self, "follow", self._follow)
        self._draw()

    def on_unmount(self) -> None:
        """Give the signals back."""
        self.stop_watching()

    def on_resize(self, event: Resize) -> None:
        """Fill the new size."""
        del event
        self.call_after_refresh(self._draw)

    # -- following ----------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Look at the store for ever; when it cannot be read say why, and try again."""
        while True:
            try:
                async with self._open_watched() as watched:
                    await self._look(watched)
            except (TidegateError, OSError) as error:
                self._show(replace(self.sight, trouble=_problem(error)))
                await asyncio.sleep(max(_RETRY, self._interval))

    async def _look(self, watched: Watched) -> None:
        """Show what is there whenever it changes; return once it is another store."""
        lookout, cursor = watched.history.lookout(), await watched.feed.now()
        while watched.is_current():
            glance = await lookout.look()
            looked_at = self._clock.monotonic()
            self._show(replace(self.sight, glance=glance, trouble=""))
            await asyncio.sleep(self._interval)
            newer = cursor
            again = looked_at + glance.good_for
            while newer == cursor and watched.is_current() and self._clock.monotonic() < again:
                newer = await watched.feed.wait(cursor, within=_PATIENCE)
            cursor = newer

    # -- drawing ------------------------------------------------------------------------------

    def _show(self, sight: Sight) -> None:
        self.sight = sight
        self._draw()

    def _draw(self) -> None:
        """Draw anew; of that only what differs reaches the terminal."""
        if not self.screen_stack:
            return
        width, height = self.size
        for wall in self.query("#wall").results(_Wall):
            # A click does nothing here either.
            wall.show([_inert(line) for line in self._lines(width, height)])

    def _lines(self, width: int, height: int) -> list[Line]:
        if width < _LEAST_WIDTH or height < _LEAST_HEIGHT:
            return [text_line(text, Tone.PLAIN, key=text) for text in _TOO_SMALL]
        return frame(self.sight, width, height, self._clock.now())

    # -- keys ---------------------------------------------------------------------------------

    def action_leave(self) -> None:
        """Quit: nothing is lost by it."""
        self.exit()

    def action_help(self) -> None:
        """Show what the keys do, or the questions again."""
        self._show(replace(self.sight, helps=not self.sight.helps))

    def action_page(self, by: int) -> None:
        """Show another page of questions."""
        self._show(replace(self.sight, page=max(0, self.sight.page + by), helps=False))


def _inert(line: Line) -> Line:
    return replace(line, pieces=tuple(Piece(piece.text, piece.tone) for piece in line.pieces))


def _problem(error: Exception) -> str:
    """Return what is wrong without the name of the store, which stands above it anyway."""
    if isinstance(error, CorruptStore | StoreUnavailable):
        return error.problem
    return str(error).removesuffix(".")
