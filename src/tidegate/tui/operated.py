"""An app that does what the operator wants: goes places, opens dialogs, tells what came of it.

Each screen says by a message what is wanted; what takes more than a few lines is done by a part of its own.
"""

import asyncio
import os
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.events import Event
from textual.reactive import reactive
from textual.widgets import Input

from tidegate.clock import Clock
from tidegate.errors import TidegateError
from tidegate.safe_text import safe_line
from tidegate.settings import Ascii, MonitorSettings
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.commands.changing import changes
from tidegate.tui.desk import Desk
from tidegate.tui.dressed import DressedApp
from tidegate.tui.engine_thread import EngineThread
from tidegate.tui.host.clipboard import copy_with_tool, tool_of
from tidegate.tui.host.escapes import clipboard
from tidegate.tui.keymap import read_keymap
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.link import Link
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.looks.themes import THEMES, theme_after
from tidegate.tui.messages import (
    AnswerWanted,
    EditWanted,
    ForkWanted,
    LaunchWanted,
    LogWanted,
    Noted,
    RunWanted,
    ScreenShown,
    TextWanted,
    TravelWanted,
    TurnWanted,
)
from tidegate.tui.nouns.overview import Overview
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.screens.lists.list_screen import ListScreen
from tidegate.tui.session import OpenSession
from tidegate.tui.state import State
from tidegate.tui.wishes.answerer import Answerer
from tidegate.tui.wishes.launcher import Launcher
from tidegate.tui.wishes.leaver import Leaver
from tidegate.tui.wishes.notes import Notes
from tidegate.tui.wishes.offering import Offering
from tidegate.tui.wishes.turner import Turner
from tidegate.tui.zoom import toggle_zoom

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.actions import ActionParseResult
    from textual.dom import DOMNode

    from tidegate.tui.nouns.turns import TurnRequest

__all__ = ["OperatedApp"]

_ONLY_LOOKS = "read-only: nothing is changed from here"


class OperatedApp(DressedApp):
    """Answers to keys, and to the wishes of its screens."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.GLOBAL)
    OPENING = frozenset(
        (
            *("answer", "arrange", "bulk", "edit", "export", "fork", "hand on", "jump", "launch"),
            *("leave", "other", "palette", "travel", "turn"),
        )
    )

    # Whoever shows them watches them: to repaint for them would draw the whole screen, ten thousand characters.
    overview: reactive[Overview] = reactive(Overview(), repaint=False)
    link: reactive[Link] = reactive(Link(), repaint=False)
    """How near the store is."""
    note: reactive[Piece] = reactive(Piece(""), repaint=False)
    read_only: reactive[bool] = reactive(False, repaint=False)
    """Whether nothing may be changed from here."""

    def __init__(
        self,
        open_session: OpenSession,
        clock: Clock,
        settings: MonitorSettings,
        *,
        ascii_only: Ascii,
        state: State,
        program: str,
    ) -> None:
        # Screens that are opened later bring their own styles.
        sheets = [style_sheet("app"), style_sheet("lines")]
        super().__init__(css_path=sheets, theme=settings.theme or state.text("theme"), ascii_only=ascii_only)
        self.engine = EngineThread(open_session, self.post_message)
        keymap = read_keymap(settings.keys)
        self.set_keymap(keymap.for_toolkit())
        self.desk = Desk(self.engine, clock, keymap, state, program)
        self.notes = Notes(self, clock, self.desk.notes)
        self.answerer = Answerer(self, clock)
        self._launcher = Launcher(self)
        self._turner = Turner(self)
        self._leaver = Leaver(self, self._is_unsent)
        self._offering = Offering(self)
        # What was opened for looking only stays so.
        self.is_onlooker = settings.read_only
        self.set_reactive(OperatedApp.read_only, settings.read_only)

    @property
    def leaves_runs(self) -> bool:
        """Whether it has ended with runs that somebody is to go on with."""
        return self._leaver.leaves_runs

    def _is_unsent(self) -> bool:
        return any(one.is_unsent for one in (self.answerer, self._launcher, self._turner))

    # -- notes --------------------------------------------------------------------------------

    @on(Noted)
    def _note(self, message: Noted) -> None:
        self.tell(message.text, message.tone)

    @on(ScreenShown)
    def _let_go_of_news(self) -> None:
        self.notes.moved()

    def tell(self, text: str, tone: Tone = Tone.PLAIN) -> None:
        """Say something once; what is more than a hint is kept, too."""
        self.notes.tell(text, tone)

    # -- read-only ----------------------------------------------------------------------------

    def refusal(self, action: str) -> str:
        """Return why an action is not done; empty: it is."""
        return self._only_looks if self.read_only and changes(action) else ""

    @property
    def _only_looks(self) -> str:
        """Why nothing is changed, and what would help: whoever opened it for looking has switched that off."""
        return _ONLY_LOOKS if self.is_onlooker else f"{_ONLY_LOOKS}; : switches it"

    def _refuses(self) -> bool:
        """Whether a wish to change something is refused; says so."""
        if self.read_only:
            self.tell(self._only_looks, Tone.DIM)
        return self.read_only

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: "DOMNode | None" = None,
        namespaces: "Mapping[str, DOMNode] | None" = None,
    ) -> bool:
        """Do what a key or a click means, unless that might change something and this only looks.

        Nor if what it is done to was put under the cursor a moment ago, by no key.
        """
        if isinstance(action, str) and isinstance(self.screen, MonitorScreen):
            if self.refusal(action):
                return self._refuses()
            if self.holds_back(action, Event().time):
                return True
        return await super().run_action(action, default_namespace, namespaces)

    def toggle_read_only(self) -> None:
        """Only look from now on, or change things again."""
        self.read_only = not self.read_only
        self.tell(
            _ONLY_LOOKS if self.read_only else "things can be changed again",
            Tone.DIM,
        )

    def watch_read_only(self) -> None:
        """Show it: keys that would change something are grey."""
        if self.screen_stack and isinstance(self.screen, MonitorScreen):
            self.screen.show_keys()

    # -- going places -------------------------------------------------------------------------

    async def action_mode(self, mode: str) -> None:
        """Go to a mode; in that mode already, up to its list."""
        if mode != self.current_mode:
            await self.switch_mode(mode)
            return
        await self._go_up()

    async def show_filtered(self, mode: str, text: str) -> None:
        """Go to the list of a mode, and show what a filter shows."""
        await self.switch_mode(mode)
        await self._go_up()
        if isinstance(self.screen, ListScreen):
            self.screen.look_for(text)

    async def action_next_question(self) -> None:
        """Go to the inbox; in the inbox already, to the next question."""
        if isinstance(self.screen, InboxScreen):
            self.screen.next_open()
            return
        await self.switch_mode("inbox")
        await self._go_up()

    async def _go_up(self) -> None:
        while len(self.screen_stack) > 1:
            await self.pop_screen()

    def action_help(self) -> None:
        """Show the keys that work here."""
        from tidegate.tui.screens.help import HelpScreen

        if isinstance(self.screen, MonitorScreen) and not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.desk, (*self.screen.SCOPES, Scope.GLOBAL)))

    @on(RunWanted)
    def _open_run(self, message: RunWanted) -> None:
        from tidegate.tui.screens.run.run_view import RunScreen

        self.push_screen(RunScreen(self.desk, message.run_id, message.block))

    @on(TravelWanted)
    async def _travel(self, message: TravelWanted) -> None:
        from tidegate.tui.screens.travel.time_travel import TimeTravelScreen

        screen = TimeTravelScreen(self.desk, message.run_id, message.seq, message.block)
        await self.push_screen(screen)
        if message.is_about_block and message.block is not None:
            screen.come_for(message.block)
        if message.base is not None:
            screen.action_compare(message.base.name)

    def action_zoom(self) -> None:
        """Give the focused pane the whole body, and back."""
        if isinstance(self.screen, MonitorScreen) and not toggle_zoom(self.screen):
            self.tell("there is nothing beside this pane", Tone.DIM)

    @work(group="jump", exclusive=True)
    async def action_jump(self) -> None:
        """Let one key go to a row that is in sight, or to another pane."""
        from tidegate.tui.jump import JumpLayer, jumpable

        screen, here = self.screen, self.focused
        if not isinstance(screen, MonitorScreen) or isinstance(here, Input):
            self.tell("esc leaves the field first: letters lead to rows", Tone.DIM)
            return
        others = (pane for pane in screen.query(".pane") if pane is not here)
        panes = [pane for pane in others if pane.focusable and pane.region.area]
        layer = JumpLayer(jumpable(here), panes)
        if layer.leads_nowhere:
            self.tell("there is nothing to go to", Tone.DIM)
        else:
            layer.go(await self.push_screen_wait(layer))

    @work(group="palette")
    async def action_palette(self) -> None:
        """Offer everything that can be done here."""
        await self._offering.offer()

    def diagnose(self) -> None:
        """Show versions, paths, and what the terminal is."""
        from tidegate.tui.screens.diagnostics import DiagnosticsScreen

        self.push_screen(DiagnosticsScreen(self.desk))

    @on(LogWanted)
    def _open_log(self, message: LogWanted) -> None:
        from tidegate.tui.screens.run.log import LogScreen

        self.push_screen(LogScreen(self.desk, message.run_id, message.place))

    # -- doing things -------------------------------------------------------------------------

    def action_theme(self) -> None:
        """Change to the next theme."""
        self.change_theme(theme_after(self.theme_name))

    def change_theme(self, name: str) -> None:
        """Change to a theme, and keep it."""
        if self.no_color:
            self.tell("NO_COLOR is set: there is no theme to be seen", Tone.DIM)
            return
        self.wear(name)
        self.desk.state.put("theme", name)
        self.tell(f"theme: {name} ({list(THEMES).index(name) + 1} of {len(THEMES)})", Tone.DIM)

    def action_copy_or_hint(self) -> None:
        """Copy what is selected; never quit, never answer."""
        text = self.screen.get_selected_text()
        if text:
            self.copy_to_clipboard(text)
            lines = len(text.splitlines())
            self.tell(f"copied {lines:,} lines" if lines > 1 else f"copied: {text}", Tone.DIM)
        else:
            self.tell("ctrl+c copies what is selected with the mouse; q quits", Tone.DIM)

    def action_stay(self) -> None:
        """Say why a key that stops other programs does not stop this one."""
        self.tell("ctrl+z stops nothing: leases of runs would expire meanwhile; q leaves", Tone.DIM)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy *text* by the terminal, and with a tool of this desktop if there is one; say if neither could."""
        self._clipboard = text
        sequence, tool = clipboard(text, os.environ), tool_of()
        self.say_to_terminal(sequence)
        if tool:
            self._copy_with_tool(tool, text)
        elif not sequence:
            self.tell(f"too long for the terminal's clipboard: {len(text):,} characters", Tone.FAILED)

    @work(group="copy", exclusive=True)
    async def _copy_with_tool(self, tool: tuple[str, ...], text: str) -> None:
        if problem := await asyncio.to_thread(copy_with_tool, tool, text):
            self.tell(problem, Tone.FAILED)

    @on(AnswerWanted)
    @work(group="answer")
    async def _answer(self, message: AnswerWanted) -> None:
        # Also where nothing is changed from here: then it is only read, and its dialog says so.
        await self.answerer.answer(message)

    @on(TurnWanted)
    @work(group="turn")
    async def _turn(self, message: TurnWanted) -> None:
        if not self._refuses():
            await self.turn(message.request)

    async def turn(self, request: "TurnRequest") -> bool:
        """Ask whether to turn a run, and do it; return whether that is settled, as of `Turner.turn`."""
        return await self._turner.turn(request)

    @on(ForkWanted)
    @work(group="fork")
    async def _fork(self, message: ForkWanted) -> None:
        if not self._refuses():
            await self._turner.fork(message)

    @on(LaunchWanted)
    @work(group="launch")
    async def _launch(self, message: LaunchWanted) -> None:
        if not self._refuses():
            await self._launcher.launch(message.wish)

    @on(EditWanted)
    def _edit(self, message: EditWanted) -> None:
        from tidegate.tui.wishes.editing import edit, show_copy

        try:
            if message.text is None:
                edit(self, message.path, message.line)
            else:
                show_copy(self, message.path, message.line, message.text)
                self.tell(f"{message.path} is gone: that was a copy of what it held", Tone.WAITING)
        except TidegateError as error:
            self.tell(str(error), Tone.FAILED)

    @on(TextWanted)
    def _write(self, message: TextWanted) -> None:
        from tidegate.tui.wishes.editing import write

        try:
            text = write(self, message.text, message.suffix)
        except TidegateError as error:
            message.refuse(f"{safe_line(str(error), 300).rstrip('.')}.")
        else:
            message.take(text)

    async def action_quit(self) -> None:
        """Quit as `q` does: Textual's own key for it asks, too."""
        self.action_leave()

    @work(group="leave")
    async def action_leave(self) -> None:
        """Quit; ask first if something would be lost or stopped by it."""
        await self._leaver.leave()
