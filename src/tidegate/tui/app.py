"""The monitor: one screen per mode, and the wishes that every screen may have."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on, work
from textual.binding import BindingType
from textual.reactive import reactive

from tidegate.clock import Clock
from tidegate.errors import TidegateError
from tidegate.model.answer import Answered, Reply
from tidegate.model.ids import PauseId
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.engine_thread import EngineThread
from tidegate.tui.guarded import GuardedApp
from tidegate.tui.launcher import Launcher
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.messages import (
    AnswerWanted,
    EditWanted,
    EngineLost,
    ForkWanted,
    LaunchWanted,
    Noted,
    RunWanted,
    StoreChanged,
    StoreTroubled,
    TravelWanted,
    TurnWanted,
)
from tidegate.tui.modes import MODES
from tidegate.tui.overview import Overview, read_overview
from tidegate.tui.pulse import Pulse
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.screens.inbox import InboxScreen
from tidegate.tui.session import OpenSession, Session
from tidegate.tui.style_sheets import style_sheet
from tidegate.tui.themes import DARK, LIGHT

if TYPE_CHECKING:
    from tidegate.tui.dialogs.answer import AnswerDialog
    from tidegate.tui.turns import Decision, TurnRequest

__all__ = ["MonitorApp"]

Submit = Callable[[str, str], Awaitable[Answered]]
_NOTE_SECONDS = 15.0
_WIDE = 110
"""Columns from which on a note is said as a toast, too."""
_LEFT = 28
"""Columns of the status line that no note takes."""
_BRIEFLY = 2.0
"""Seconds that leaving waits for the engine to say whether anything runs."""
_KEEP_TITLE, _RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"


class MonitorApp(GuardedApp):
    """The monitor."""

    TITLE = "tidegate"
    DEFAULT_MODE = "inbox"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.GLOBAL)

    overview: reactive[Overview] = reactive(Overview(), always_update=False)
    note: reactive[Piece] = reactive(Piece(""))

    def __init__(self, open_session: OpenSession, clock: Clock) -> None:
        """Make it.

        Args:
            open_session: Opens the session, in the engine's thread.
            clock: For ages and deadlines on the screen.
        """
        # Screens that are opened later bring their own styles.
        super().__init__(css_path=[style_sheet("app"), style_sheet("lines")])
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        # Before anything is styled, so that nothing has to be styled again.
        self.set_reactive(MonitorApp.theme, DARK.name)
        self._is_first_theme = True
        self._first_colours = self.get_css_variables()
        self.stylesheet.set_variables(self._first_colours)
        self.engine = EngineThread(open_session, self.post_message)
        self._desk = Desk(self.engine, clock)
        self._pulse = Pulse(self, self._read_overview, may_run=lambda: True)
        self._drafts: dict[PauseId, str] = {}
        self._answering: AnswerDialog | None = None
        self._launcher = Launcher(self)
        self._is_turning = self._is_leaving = self._is_forking = self._has_looked = False
        self._known: int | None = None
        for name, screen in MODES.items():
            self.add_mode(name, partial(screen, self._desk))

    # -- beginning and end --------------------------------------------------------------------

    def on_mount(self) -> None:
        """Open the store; take signals, so that the terminal is always given back."""
        # Once something is to be seen: its imports would take the time that the first paint needs.
        self.call_after_refresh(self.engine.start)
        self.watch_over()
        if self._driver is not None:
            self._driver.write(_KEEP_TITLE)
        self._pulse.wake()

    async def on_unmount(self) -> None:
        """Close in order: what runs here is stopped and recorded, then the store is closed."""
        if self._driver is not None:
            self._driver.write(_RESTORE_TITLE)
        if not await self.engine.close():
            self.problem = (
                self.problem or "Tidegate ended before everything was closed; nothing acknowledged is lost"
            )
        # Last: a shell that hangs up sends its signal more than once, and the second must not cut this short.
        self.stop_watching()

    def refresh_css(self, animate: bool = True) -> None:
        """Style everything again, once there was another theme: the toolkit asks for it at the start, too."""
        self._is_first_theme = self._is_first_theme and self.get_css_variables() == self._first_colours
        if not self._is_first_theme:
            super().refresh_css(animate)

    @on(EngineLost)
    def _lose_engine(self, message: EngineLost) -> None:
        self.problem = message.problem
        self.exit(return_code=1)

    # -- what comes up from the engine --------------------------------------------------------

    @on(StoreChanged)
    async def _refresh(self) -> None:
        self._pulse.wake()
        if (screen := self._in_sight()) is not None:
            screen.wake()

    def _in_sight(self) -> MonitorScreen | None:
        """Return the screen in sight; None under a dialog, and while the app ends: news may come until then."""
        stack = self.screen_stack
        return stack[-1] if stack and isinstance(stack[-1], MonitorScreen) else None

    @on(StoreTroubled)
    def _warn(self, message: StoreTroubled) -> None:
        self.tell(message.problem, Tone.FAILED)

    async def _read_overview(self) -> None:
        self.overview = await self.engine.call(read_overview)
        await self._tell_dialog()
        if not self._has_looked:
            # Only now: reading workflow files takes longer than all that is asked for at the start.
            self._has_looked = True
            await self.engine.call(lambda session: session.shelf.refresh())
            self._pulse.wake()

    async def _tell_dialog(self) -> None:
        """Tell an open dialog, under another one too, that its pause was decided elsewhere."""
        dialog = self._answering
        if dialog is not None:
            pause_id = dialog.pause.pause_id
            row = await self.engine.call(lambda session: session.history.find_pause(pause_id))
            if row.state is not PauseState.OPEN:
                dialog.pause_closed(row)

    def watch_overview(self, overview: Overview) -> None:
        """Ring once for what is new; nothing ever opens by itself."""
        waiting = overview.waiting
        self._entitle(f"({waiting}) tidegate" if waiting else "tidegate")
        if not overview.is_read:
            return
        is_new = self._known is not None and waiting > self._known
        self._known = waiting
        if is_new and self._in_sight() is not None:
            self.bell()

    def _entitle(self, title: str) -> None:
        """Put a title where a terminal shows it while one looks elsewhere."""
        if title != self.title and self._driver is not None:
            self.title = title
            self._driver.write(f"\x1b]2;{title}\x07")

    # -- notes --------------------------------------------------------------------------------

    @on(Noted)
    def _note(self, message: Noted) -> None:
        self.tell(message.text, message.tone)

    def tell(self, text: str, tone: Tone = Tone.PLAIN) -> None:
        """Say something once: in the status line, and as a toast where that is not seen or too far away."""
        line = safe_line(text, 400)
        note = self.note = Piece(line, tone)
        if tone is not Tone.DIM and self.screen_stack and not self._is_note_seen(line):
            self.notify(line, markup=False, severity="error" if tone is Tone.FAILED else "information")
        self.set_timer(_NOTE_SECONDS, lambda: self._forget(note))

    def _is_note_seen(self, note: str) -> bool:
        """Whether the status line is in sight, has room for a note, and is so near that a toast would say it twice."""
        screen = self._in_sight()
        is_bare = screen is not None and not screen.has_class("-filtering")
        has_room = cell_len(note) <= self.size.width - _LEFT
        return is_bare and has_room and self.size.width < _WIDE and not self.overview.trouble

    def _forget(self, note: Piece) -> None:
        if self.note is note:
            self.note = Piece("")

    # -- what the operator wants --------------------------------------------------------------

    async def action_mode(self, mode: str) -> None:
        """Go to a mode; in that mode already, up to its list."""
        if mode != self.current_mode:
            await self.switch_mode(mode)
            return
        while len(self.screen_stack) > 1:
            await self.pop_screen()

    async def action_next_question(self) -> None:
        """Go to the inbox; in the inbox already, to the next question."""
        if isinstance(self.screen, InboxScreen):
            self.screen.next_open()
            return
        await self.switch_mode("inbox")
        while len(self.screen_stack) > 1:
            await self.pop_screen()

    def action_theme(self) -> None:
        """Change between dark and light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_help(self) -> None:
        """Show the keys that work here."""
        from tidegate.tui.screens.help import HelpScreen

        if isinstance(self.screen, MonitorScreen) and not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self._desk, (*self.screen.SCOPES, Scope.GLOBAL)))

    def action_copy_or_hint(self) -> None:
        """Copy what is selected; never quit, never answer."""
        text = self.screen.get_selected_text()
        if text:
            self.copy_to_clipboard(text)
            self.tell("copied", Tone.DIM)
        else:
            self.tell("ctrl+c copies what is selected with the mouse; q quits", Tone.DIM)

    @on(RunWanted)
    def _open_run(self, message: RunWanted) -> None:
        from tidegate.tui.screens.run_view import RunScreen

        self.push_screen(RunScreen(self._desk, message.run_id, message.block))

    @on(TravelWanted)
    def _travel(self, message: TravelWanted) -> None:
        from tidegate.tui.screens.time_travel import TimeTravelScreen

        self.push_screen(TimeTravelScreen(self._desk, message.run_id, message.seq, message.block))

    @on(ForkWanted)
    @work(group="fork")
    async def _fork(self, message: ForkWanted) -> None:
        from tidegate.tui.dialogs.fork import ForkDialog

        # A second key may be on its way before the dialog is there to take it.
        if self._is_forking:
            return
        self._is_forking = True
        try:
            run_id = await self.push_screen_wait(ForkDialog(message.wish, self.engine.call))
        finally:
            self._is_forking = False
        if run_id is not None:
            self.tell(f"forked: {run_id} goes on from {message.wish.point}", Tone.DONE)
            self.post_message(RunWanted(run_id))

    @on(LaunchWanted)
    @work(group="launch")
    async def _launch(self, message: LaunchWanted) -> None:
        await self._launcher.launch(message.wish)

    @on(EditWanted)
    def _edit(self, message: EditWanted) -> None:
        from tidegate.tui.editing import edit

        try:
            edit(self, message.path, message.line)
        except TidegateError as error:
            self.tell(str(error), Tone.FAILED)

    @on(AnswerWanted)
    @work(group="answer")
    async def _answer(self, message: AnswerWanted) -> None:
        from tidegate.tui.dialogs.answer import AnswerDialog

        # A second key may be on its way before the dialog is there to take it.
        if self._answering is not None:
            return
        pause = message.pause
        dialog = self._answering = AnswerDialog(
            pause,
            self._submit(pause.pause_id),
            draft=self._drafts.get(pause.pause_id, ""),
            position=message.position,
            clock=self._desk.clock,
        )
        try:
            outcome = await self.push_screen_wait(dialog)
        finally:
            self._answering = None
        self._drafts[pause.pause_id] = "" if outcome.sent else outcome.draft
        self.tell(outcome.note, Tone.DONE if outcome.sent else Tone.DIM)

    def _submit(self, pause_id: PauseId) -> Submit:
        async def submit(raw: str, comment: str) -> Answered:
            return await self.engine.call(lambda session: _give(session, pause_id, raw, comment))

        return submit

    @on(TurnWanted)
    @work(group="turn")
    async def _turn(self, message: TurnWanted) -> None:
        # A second key may be on its way before the dialog is there to take it.
        if self._is_turning:
            return
        self._is_turning = True
        try:
            decision = await self._ask_about(message.request)
        except TidegateError as error:
            self.tell(str(error), Tone.FAILED)
            return
        finally:
            self._is_turning = False
        if decision is not None:
            await self._do(lambda session: decision.way.act(session, decision.reason), decision.way.done)

    async def _ask_about(self, request: "TurnRequest") -> "Decision | None":
        from tidegate.tui.dialogs.turning import turn_dialog
        from tidegate.tui.prospects import read_prospect

        prospect = await self.engine.call(lambda session: read_prospect(session, request))
        return await self.push_screen_wait(turn_dialog(prospect))

    async def _do(self, act: Callable[[Session], Awaitable[None]], done: str) -> None:
        try:
            await self.engine.call(act)
        except TidegateError as error:
            self.tell(str(error), Tone.FAILED)
        else:
            self.tell(done, Tone.DONE)

    async def action_quit(self) -> None:
        """Quit as `q` does: Textual's own key for it asks, too."""
        self.action_leave()

    @work(group="leave")
    async def action_leave(self) -> None:
        """Quit; ask first if something would be lost or stopped by it."""
        if self._is_leaving:
            return
        self._is_leaving = True
        try:
            if await self._may_leave():
                self.exit()
        finally:
            self._is_leaving = False

    async def _may_leave(self) -> bool:
        from tidegate.tui.dialogs.quit import QuitDialog

        running = await self._count_running()
        is_unsent = self._launcher.is_unsent or (self._answering is not None and self._answering.is_unsent)
        if running == 0 and not is_unsent:
            return True
        dialog = QuitDialog(running, is_unsent=is_unsent)
        return await self.push_screen_wait(dialog)

    async def _count_running(self) -> int | None:
        """Return how many blocks run here; None if the engine does not say so in time."""
        try:
            async with asyncio.timeout(_BRIEFLY):
                return await self.engine.call(_running)
        except TidegateError:
            return 0
        except TimeoutError:
            # An engine that has not opened its store yet runs nothing.
            return None if self.overview.is_read else 0


async def _running(session: Session) -> int:
    return session.executor.running


async def _give(session: Session, pause_id: PauseId, raw: str, comment: str) -> Answered:
    reply = Reply(raw, by=session.operator, via="tui", comment=comment)
    return await session.executor.answer(pause_id, reply)
