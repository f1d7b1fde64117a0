"""Everything that a place of a run has written, or all of its places: to follow, to find in, to filter, to save."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.css.query import NoMatches
from textual.widgets import Input

from tidegate.errors import RunNotFound, TidegateError
from tidegate.history.views import RunView
from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.state import RunState
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.log.reader import LogReader, LogScope
from tidegate.tui.log.rows import Level
from tidegate.tui.log.saving import file_name, save
from tidegate.tui.log.sight import Wanted
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.messages import Noted
from tidegate.tui.present.block import silence
from tidegate.tui.present.log import scope_words, wanted_words
from tidegate.tui.present.runs import signed
from tidegate.tui.present.shared import counted, short_id
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.session import Session
from tidegate.tui.times import clock_time
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.log_pane import LogPane
from tidegate.tui.widgets.one_line import OneLine
from tidegate.tui.working import begin, begin_anew

__all__ = ["LogScreen"]

_EVERY = 0.5
"""Seconds between two looks for what was written: the store's feed does not announce it."""
_CALM = 0.02
"""Seconds between two readings of what nobody waits for."""
_TIMES = "log times"
"""Under what it is kept whether lines say when they came."""
_FIELDS = {
    "find": "text to find; enter keeps it, then n and N go from one to the next",
    "only": "show only lines with all these words; nothing shows all",
    "hide": "hide lines with all these words; nothing hides none",
    "save": "save the lines to a new file; enter writes it",
}
_NEXT_LEVEL = {
    Level.NONE: Level.INFO,
    Level.INFO: Level.WARN,
    Level.WARN: Level.ERROR,
    Level.ERROR: Level.NONE,
}


class LogScreen(MonitorScreen):
    """Reads what was written."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.LOG, Scope.BACK, Scope.TEXT)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.LOG, Scope.BACK)
    AUTO_FOCUS: ClassVar[str | None] = "#log"
    CSS_PATH = style_sheet("run")

    def __init__(self, desk: Desk, run_id: RunId, place: BlockId | None = None) -> None:
        super().__init__(desk)
        self.run_id = run_id
        self._place = place
        self._reader = LogReader(desk.engine.call, run_id, place)
        self._is_read = self._is_gone = False
        self._state: RunState | None = None
        self._view: RunView | None = None
        self._typing = ""
        """What is typed in the field; empty: nothing is."""
        self._before = Wanted()
        """What was looked for when one began to type."""
        self._filled: object = None
        """The window that was filled up to what it holds."""

    def compose_head(self) -> ComposeResult:
        """Yield the field in which one types what to look for."""
        field = OneLine(id="filter")
        field.cursor_blink = False
        yield field

    def compose_body(self) -> ComposeResult:
        """Yield the rows."""
        yield LogPane(id="log", classes="pane")

    def on_mount(self) -> None:
        """Look for what was written."""
        self.pane.timed = self._desk.state.get(_TIMES) is True
        self.set_interval(_EVERY, self._poll)

    def _poll(self) -> None:
        if self.is_active and self._reader.is_live and not self._is_gone:
            self.wake()

    @property
    def pane(self) -> LogPane:
        """The rows."""
        return self.query_one("#log", LogPane)

    # -- reading and showing ------------------------------------------------------------------

    async def load(self) -> None:
        """Read where the run stands, and what was written since."""
        reader = self._reader
        try:
            state, self._view = await self._desk.engine.call(self._where)
        except RunNotFound:
            self._see_it_gone()
            return
        self._state = state
        reader.see(state)
        more = await reader.poll(keeps_start=not self.pane.follows) if self._is_read else False
        if not self._is_read:
            await reader.read_end()
        if reader is not self._reader:
            self.wake()
            return
        self._is_read = True
        self._show_window()
        begin(self, "fill", self._fill)
        if more:
            self.wake()

    def _see_it_gone(self) -> None:
        """Say once that the run was removed.

        Raises:
            RunNotFound: nothing was ever read of it.
        """
        if self._state is None:
            raise RunNotFound(self.run_id)
        if not self._is_gone:
            self._is_gone = True
            self.post_message(Noted("this run was removed: what stands here is what was read of it last"))

    async def _where(self, session: Session) -> tuple[RunState, RunView]:
        return await session.history.state(self.run_id), await session.history.run_view(self.run_id)

    def _show_window(self) -> None:
        pane, reader = self.pane, self._reader
        pane.about = scope_words(reader.scope)
        pane.named, pane.is_of_one = reader.has_many, len(reader.segments) == 1
        pane.show_window(reader.window)
        self.show(self._desk.clock.now())

    async def _fill(self) -> None:
        """Read as much as is held at once: what one looks for may be there."""
        reader, window = self._reader, self._reader.window
        if self._filled is window:
            return
        self._filled = window
        with suppress(TidegateError, NoMatches):
            while reader.window is window and not window.is_full:
                if not self.is_active:
                    # Once somebody looks again, it goes on.
                    self._filled = None
                    return
                if not (
                    await reader.read_earlier(may_shorten=False) or await reader.read_later(may_shorten=False)
                ):
                    break
                self.pane.sync()
                self.show(self._desk.clock.now())
                await asyncio.sleep(_CALM)
            if reader is self._reader and reader.window is window:
                self._show_window()

    def show(self, now: float) -> None:
        """Say what is looked for, and how the run stands; the pane itself says what is seen of it."""
        if self._state is None or self._view is None:
            return
        pane, reader = self.pane, self._reader
        pane.say_nothing(self._silence())
        said = wanted_words(pane.wanted, *pane.hits, is_whole=reader.window.is_whole)
        row = self._view.row
        self.query_one(StatusLine).say(
            Piece(safe_line(row.workflow, 60), Tone.STRONG),
            Piece(f"  {short_id(row.run_id)}  ", Tone.DIM),
            Piece(said, Tone.WAITING) if said else signed(self._view).piece,
        )
        del now

    def _silence(self) -> str:
        """Return what stands where no line does, with the key that leads on."""
        reader = self._reader
        window = reader.window
        if window.rows or window.rest():
            return f"no line{'' if window.is_whole else ' that is held'} is like that: esc shows all again"
        if not self._is_read or self._state is None or not window.is_whole:
            return "Reading the log…"
        if reader.scope is None:
            return "nothing of this run has written anything yet"
        if isinstance(reader.scope, int):
            return "nothing of this wave has written anything yet; b shows the whole run"
        seen = self._state.block(reader.scope)
        said = (
            "its items have written nothing" if seen.fan is not None else silence(self._state, reader.scope)
        )
        if seen.child is not None:
            said = "the run that does its work writes"
        return f"{said}; b shows its wave"

    # -- moving -------------------------------------------------------------------------------

    @on(LogPane.Moved)
    def _read_on(self) -> None:
        window, pane = self._reader.window, self.pane
        if pane.is_near_start and not window.is_at_start and not pane.follows:
            begin(self, "more", self._more, earlier=True)
        elif pane.is_near_end and not window.is_at_end:
            begin(self, "more", self._more, earlier=False)
        self.show(self._desk.clock.now())

    async def _more(self, *, earlier: bool) -> None:
        with suppress(NoMatches):
            try:
                await (self._reader.read_earlier() if earlier else self._reader.read_later())
            except TidegateError as error:
                self.post_message(Noted(str(error), Tone.FAILED))
            self.pane.sync()
            self.show(self._desk.clock.now())

    @on(LogPane.EndWanted)
    def _to_end(self, event: LogPane.EndWanted) -> None:
        begin_anew(self, "go", self._go, to_start=event.is_start)

    async def _go(self, *, to_start: bool) -> None:
        """Go to the start or to the end of all that was written, and read that if it is not held."""
        reader = self._reader
        is_there = reader.window.is_at_start if to_start else reader.window.is_at_end
        try:
            if not is_there:
                await (reader.read_start() if to_start else reader.read_end())
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
            return
        self.pane.show_window(reader.window)
        if to_start:
            self.pane.show_start()
        else:
            self.pane.follow(follows=True)
        await self._fill()

    def action_follow(self) -> None:
        """Keep to the end, or do so no longer."""
        if self.pane.follows:
            self.pane.follow(follows=False)
        else:
            begin_anew(self, "go", self._go, to_start=False)

    def action_wrap(self) -> None:
        """Wrap long lines, or cut them."""
        self.pane.wrap(wraps=not self.pane.wraps)
        self.show(self._desk.clock.now())

    def action_times(self) -> None:
        """Say when each line came, or do so no longer; it stays so."""
        self.pane.time(timed=not self.pane.timed)
        self._desk.state.put(_TIMES, self.pane.timed or None)
        self.show(self._desk.clock.now())

    def action_sideways(self, by: int) -> None:
        """Show what is further to the side, where lines are cut."""
        if self.pane.wraps:
            self.post_message(Noted("lines are wrapped: w cuts them", Tone.DIM))
        self.pane.sideways(by)
        self.show(self._desk.clock.now())

    def action_scope(self) -> None:
        """Show what more of the run has written: the block, its wave, all; then the place one came from again."""
        if self._place is None:
            self.post_message(
                Noted("this is the whole run: open the log of a block for one of them", Tone.DIM)
            )
            return
        scopes = self._scopes(self._place)
        scope = scopes[(scopes.index(self._reader.scope) + 1) % len(scopes)]
        self._reader, self._is_read = LogReader(self._desk.engine.call, self.run_id, scope), False
        self.wake()

    def _scopes(self, place: BlockId) -> list[LogScope]:
        """Return whose log there is, the least first."""
        wave = [self._state.graph.wave_of[block_of(place)]] if self._state is not None else []
        return list(dict.fromkeys((place, block_of(place), *wave, None)))

    def action_mark(self) -> None:
        """Draw a line below the newest one."""
        now = self._desk.clock.now()
        if not self._reader.window.is_at_end:
            self.post_message(Noted("f follows first: a mark stands at the end", Tone.DIM))
            return
        self._reader.window.mark(f"marker {clock_time(now, now)}")
        self.pane.sync()
        self.show(now)

    def action_level(self) -> None:
        """Show only lines of a level, and worse."""
        wanted = self.pane.wanted
        self._want(replace(wanted, least=_NEXT_LEVEL.get(wanted.least, Level.NONE)))

    def action_hit(self, by: int) -> None:
        """Go to the next line that was found, or to the one before."""
        if not self.pane.wanted.find:
            self.post_message(Noted("/ says what to find", Tone.DIM))
        elif not self.pane.go_to_hit(by):
            self._say_not_found()

    def _say_not_found(self) -> None:
        where = "shown" if self._reader.window.is_whole else "held: g and G read the rest"
        self.post_message(Noted(f"'{self.pane.wanted.find}' is in no line that is {where}", Tone.DIM))

    def _want(self, wanted: Wanted) -> None:
        self.pane.want(wanted)
        self.show(self._desk.clock.now())

    # -- the field ----------------------------------------------------------------------------

    def action_type(self, what: str) -> None:
        """Type what to find, what to show, what to hide, or where to save."""
        field = self.query_one("#filter", Input)
        self._typing, self._before = "", self.pane.wanted
        if what == "save":
            field.value = file_name(self.run_id, self._reader.scope)
        else:
            field.value = getattr(self._before, what)
        field.placeholder = field.border_title = _FIELDS[what]
        field.tooltip = _FIELDS[what]
        self._typing = what
        self.add_class("-filtering")
        field.focus()

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        wanted = self.pane.wanted
        match self._typing:
            case "find":
                self._want(replace(wanted, find=event.value))
            case "only":
                self._want(replace(wanted, only=event.value.strip()))
            case "hide":
                self._want(replace(wanted, hide=event.value.strip()))
            case _:
                pass

    @on(Input.Submitted, "#filter")
    def _keep(self, event: Input.Submitted) -> None:
        typed, what = event.value.strip(), self._typing
        self._leave_field()
        if what == "save" and typed:
            begin(self, "save", self._save, typed)
        elif what == "find" and typed and not self.pane.go_to_hit(1):
            self._say_not_found()

    def _leave_field(self) -> None:
        self._typing = ""
        self.remove_class("-filtering")
        self.pane.focus()

    async def _save(self, name: str) -> None:
        if self._state is None:
            return
        reader = LogReader(self._desk.engine.call, self.run_id, self._reader.scope)
        reader.see(self._state)
        try:
            lines = await save(reader, name, self.pane.wanted, timed=self.pane.timed)
        except (TidegateError, OSError) as error:
            self.post_message(Noted(str(error), Tone.FAILED))
        else:
            self.post_message(Noted(f"{counted(lines, 'line')} saved to {name}", Tone.DONE))

    def action_back(self) -> None:
        """Leave the field as it was before; else show and find nothing special any more; else go back."""
        if self._typing:
            self._want(self._before)
            self._leave_field()
        elif self.pane.wanted != Wanted():
            self._want(Wanted())
        else:
            self.dismiss()
