"""Mode 5: what waits, what runs, and how the last days went, each as a tile with its list behind it."""

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from tidegate.model.events import RunStatus
from tidegate.model.listing import RunFilter
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.present.dashboard import tiles_of
from tidegate.tui.present.panels import LISTED, Nearby, panels_of
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.screens.lists.list_screen import ListScreen
from tidegate.tui.session import Session
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.tile_board import TileBoard

if TYPE_CHECKING:
    from tidegate.history.glance import Glance
    from tidegate.history.lookout import Lookout
    from tidegate.history.views import RunView

__all__ = ["DashboardScreen"]

_CALM = 0.75
"""Seconds, beside those that every screen lets pass between two looks."""
_HINT = "the store at a glance; enter opens what is behind a tile"


class DashboardScreen(MonitorScreen):
    """The store at a glance."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.DASHBOARD, Scope.LIST)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.DASHBOARD)
    CSS_PATH = style_sheet("dashboard")
    AUTO_FOCUS: ClassVar[str | None] = "#tiles"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._lookout: Lookout | None = None
        self._glance: Glance | None = None
        self._troubles: tuple[str, ...] = ()
        self._nearby = Nearby()

    def compose_body(self) -> ComposeResult:
        """Yield the tiles."""
        yield TileBoard(id="tiles")

    def on_mount(self) -> None:
        """Say that something comes: the first look reads a week."""
        self.query_one(StatusLine).say(Piece("Reading the store…", Tone.DIM))

    @property
    def _board(self) -> TileBoard:
        return self.query_one("#tiles", TileBoard)

    async def load(self) -> None:
        """Look again."""
        self._glance, self._troubles, self._nearby = await self._desk.engine.call(self._look)
        self.show(self._desk.clock.now())
        # The pace of a wall: a look at 10,000 runs takes a twentieth of a second of the engine's thread.
        await asyncio.sleep(_CALM)

    async def _look(self, session: Session) -> "tuple[Glance, tuple[str, ...], Nearby]":
        # In the engine's thread, where what is kept between two looks is used, too.
        if self._lookout is None:
            self._lookout = session.history.lookout()
        troubles = session.executor.troubles
        held = tuple(f"run {run_id} is held: {why}" for run_id, why in troubles.items())
        return await self._lookout.look(), held, await _nearby(session)

    def show(self, now: float) -> None:
        """Show the tiles, with ages as of *now*."""
        if self._glance is None:
            return
        tiles = tiles_of(self._glance, self._troubles, now)
        self._board.show_tiles(tiles, panels_of(self._glance, self._nearby, now))
        self.query_one(StatusLine).say(Piece(_HINT, Tone.DIM))
        self.show_keys()
        if now - self._glance.at > self._glance.good_for:
            self.wake()

    # -- keys ---------------------------------------------------------------------------------

    def action_tile(self, key: str) -> None:
        """Go to a tile that was clicked; open it if one is there already."""
        self._board.focus()
        self._board.choose(key)

    def action_tile_left(self) -> None:
        """Go to the tile before."""
        self._board.move(-1)

    def action_tile_right(self) -> None:
        """Go to the next tile."""
        self._board.move(1)

    @on(TileBoard.Selected)
    async def action_open_tile(self) -> None:
        """Show the list behind the tile; where a word tells them, only the rows that it speaks of."""
        tile = self._board.chosen
        if tile is None:
            return
        app = self.app
        await app.switch_mode(tile.mode)
        while len(app.screen_stack) > 1:
            await app.pop_screen()
        if isinstance(app.screen, ListScreen):
            app.screen.look_for(tile.words)


async def _nearby(session: Session) -> Nearby:
    history = session.history

    async def those(status: RunStatus) -> "tuple[RunView, ...]":
        runs = await history.runs(RunFilter(statuses=(status,), top_only=True, limit=LISTED))
        # One whose process is gone runs in its journal only.
        return tuple(run for run in runs if run.status is status)

    return Nearby(
        await those(RunStatus.RUNNING), await those(RunStatus.FAILED), await history.answered(LISTED)
    )
