"""The monitor: one screen per mode, kept up to date with the store."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from textual import on, work
from textual.events import Event, Key

from tidegate.clock import Clock
from tidegate.errors import TidegateError
from tidegate.model.listing import OpenPause
from tidegate.settings import Ascii, MonitorSettings
from tidegate.tui.host.escapes import notification, window_title
from tidegate.tui.host.notifier import Notifier, title_of
from tidegate.tui.lines import Tone
from tidegate.tui.link import link_of
from tidegate.tui.messages import EngineLost, OverviewStale, StoreChanged, StoreHeard, StoreTroubled
from tidegate.tui.modes import MODES
from tidegate.tui.nouns.overview import Overview
from tidegate.tui.operated import OperatedApp
from tidegate.tui.program import PROGRAM
from tidegate.tui.pulse import Pulse
from tidegate.tui.reads.overview import read_overview
from tidegate.tui.reads.snoozed import read_open
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.session import OpenSession
from tidegate.tui.snoozes import Snoozes
from tidegate.tui.state import State
from tidegate.tui.working import begin

__all__ = ["MonitorApp"]

_AS_IT_IS = MonitorSettings()
_TICK = 1.0
_RECOUNT = 5.0
"""Seconds between two looks whether what runs is still driven."""
_KEEP = 2.0
"""Seconds between two looks whether anything is to be kept."""
_KEEP_TITLE, _RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"


class MonitorApp(OperatedApp):
    """The monitor."""

    TITLE = "tidegate"
    DEFAULT_MODE = "inbox"

    def __init__(
        self,
        open_session: OpenSession,
        clock: Clock,
        settings: MonitorSettings = _AS_IT_IS,
        *,
        ascii_only: Ascii = Ascii.OFF,
        state: State | None = None,
        program: str = PROGRAM,
    ) -> None:
        """Make it.

        Args:
            open_session: Opens the session, in the engine's thread.
            clock: For ages and deadlines on the screen.
            settings: How it looks and behaves.
            ascii_only: What is drawn in ASCII, on the terminal that there is.
            state: What was kept from the last time; None: nothing is kept.
            program: How to call us again for the same store, as a person types it.

        Raises:
            SettingsFileError: the keys in the settings cannot be what they say.
        """
        kept = state or State()
        super().__init__(open_session, clock, settings, ascii_only=ascii_only, state=kept, program=program)
        self._pulse = Pulse(self, self._read_overview, may_run=lambda: True)
        self._has_looked = self._has_key = False
        self._problem, self._heard_at = "", clock.monotonic()
        self._notifier, self._notify_by = Notifier(settings.notify), settings.notify_by
        self._snoozes = Snoozes(self.desk.state)
        for name, screen in MODES.items():
            self.add_mode(name, partial(screen, self.desk))

    # -- beginning and end --------------------------------------------------------------------

    def on_mount(self) -> None:
        """Open the store; take signals, so that the terminal is always given back."""
        # Once something is to be seen: its imports would take the time that the first paint needs.
        self.call_after_refresh(self.engine.start)
        self.watch_over()
        self.say_to_terminal(_KEEP_TITLE)
        self.set_interval(_KEEP, self._keep)
        self.set_interval(_TICK, self._call_out)
        self.set_interval(_RECOUNT, self._count_running)
        self._pulse.wake()

    def _keep(self) -> None:
        """Keep how the monitor is arranged: now and then, as it may be killed, too."""
        state = self.desk.state
        state.put("mode", self.current_mode)
        state.save()
        if problem := state.take_problem():
            self.tell(problem, Tone.FAILED)

    async def on_unmount(self) -> None:
        """Close in order: what runs here is stopped and recorded, then the store is closed."""
        self.say_to_terminal(_RESTORE_TITLE)
        self.desk.state.save()
        if not await self.engine.close():
            self.problem = (
                self.problem or "Tidegate ended before everything was closed; nothing acknowledged is lost"
            )
        # Last: a shell that hangs up sends its signal more than once, and the second must not cut this short.
        self.stop_watching()

    # -- what comes up from the engine --------------------------------------------------------

    @on(EngineLost)
    def _lose_engine(self, message: EngineLost) -> None:
        self.problem = message.problem
        self.exit(return_code=1)

    @on(StoreHeard)
    def _hear(self) -> None:
        """Take in that the store can be read."""
        if self._problem:
            self.notes.keep("the store can be read again", Tone.DONE)
        self._problem, self._heard_at = "", self.desk.clock.monotonic()
        self._measure_link()

    def _measure_link(self) -> None:
        self.link = link_of(self._problem, self.desk.clock.monotonic() - self._heard_at)

    @on(StoreChanged)
    async def _refresh(self) -> None:
        self._hear()
        self._wake_all()

    def _wake_all(self) -> None:
        """Let everything in sight read again."""
        self._pulse.wake()
        if (screen := self._in_sight()) is not None:
            screen.wake()

    def _in_sight(self) -> MonitorScreen | None:
        """Return the screen in sight; None under a dialog, and while the app ends: news may come until then."""
        stack = self.screen_stack
        return stack[-1] if stack and isinstance(stack[-1], MonitorScreen) else None

    @on(StoreTroubled)
    def _warn(self, message: StoreTroubled) -> None:
        """Say in the banner, for as long as it lasts, why the store cannot be read."""
        if message.problem != self._problem:
            self.notes.keep(message.problem, Tone.FAILED)
        self._problem = message.problem
        self._measure_link()

    async def _read_overview(self) -> None:
        overview = await self.engine.call(read_overview)
        asleep = self._asleep(overview.asked)
        # What is snoozed does not call for anybody; a deadline does, whosever it is.
        self.overview = replace(overview, asleep=asleep, waiting=overview.waiting - len(asleep))
        await self.answerer.look()
        if not self._has_looked:
            # Only now: reading workflow files takes longer than all that is asked for at the start.
            self._has_looked = True
            await self._return()
            begin(self, "files", self._follow_files)

    async def _follow_files(self) -> None:
        """Keep up with the workflow files: how many there are is said on every screen."""
        try:
            await self.engine.call(lambda session: session.shelf.watch(self._tell_files))
        except TidegateError as error:
            self.tell(str(error), Tone.FAILED)

    def _tell_files(self) -> None:
        # In the engine's thread. Told as a change of the store is: counts and whatever is in sight are read again.
        self.post_message(StoreChanged())

    def _asleep(self, asked: Iterable[OpenPause]) -> frozenset[str]:
        """Return which open questions are snoozed."""
        snoozes, now = self._snoozes, self.desk.clock.now()
        if not (kept := frozenset(snoozes.ids())):
            return kept
        known = (one for one in asked if one.pause_id in kept)
        return frozenset(one.pause_id for one in known if snoozes.until(one, now) is not None)

    @on(OverviewStale)
    def _count_again(self) -> None:
        self._pulse.wake()

    def _count_running(self) -> None:
        """Count again where something runs: a process that dies says no word of it."""
        if self.overview.running:
            self._pulse.wake()

    @work(group="snoozes")
    async def _take_back(self, back: Sequence[tuple[str, str]]) -> None:
        """Say which questions are back, those that nobody has answered meanwhile."""
        rows = await self.engine.call(lambda session: read_open(session, [pause_id for pause_id, _ in back]))
        still = {row.pause_id for row in rows}
        self._notifier.call_back(still)
        for said in (words for pause_id, words in back if pause_id in still):
            self.tell(said, Tone.WAITING)
        self._wake_all()

    async def _return(self) -> None:
        """Go where the operator was the last time, if nothing waits and no key was pressed yet."""
        mode = self.desk.state.text("mode")
        is_idle = not self.overview.waiting and not self._has_key and self._in_sight() is not None
        if is_idle and mode in MODES and mode != self.current_mode:
            await self.switch_mode(mode)

    async def on_event(self, event: Event) -> None:
        """Remember that somebody is at the keys."""
        self._has_key = self._has_key or isinstance(event, Key)
        await super().on_event(event)

    def watch_overview(self, overview: Overview) -> None:
        """Ring once for what is new; nothing ever opens by itself."""
        if overview.is_read:
            self._announce()
        else:
            self._entitle(title_of(0, is_late=False))

    def _announce(self) -> None:
        """Say in the window's title, and by the bell, what waits; to whoever looks elsewhere by the terminal."""
        overview, at, now = self.overview, self.desk.clock.now(), self.desk.clock.monotonic()
        self._entitle(title_of(overview.waiting, is_late=overview.due is not None and overview.due <= at))
        self._notifier.look(overview.asked, me=overview.me, asleep=overview.asleep, at=at, now=now)
        # Who types in a dialog would take it for an error of what is typed: then it waits until that is closed.
        may_ring = self._in_sight() is not None or not self.app_focus
        if self._notifier.take_bell(now, may_ring=may_ring):
            self.bell()
        # Each time, not now and then: what came while one looked is told by that, whoever looks away a moment later.
        if message := self._notifier.take_message(now, is_focused=self.app_focus):
            self.say_to_terminal(notification(message, self._notify_by, os.environ))

    def _call_out(self) -> None:
        """Once a second: deadlines pass without a word of the store, and it may have none to say."""
        self._measure_link()
        if self.overview.is_read:
            self._announce()
            if back := self._snoozes.take_back(self.desk.clock.now()):
                self._take_back(back)

    def _entitle(self, title: str) -> None:
        """Put a title where a terminal shows it while one looks elsewhere."""
        if title != self.title:
            # Quietly: it stands in no widget, and the toolkit would draw the whole screen for it.
            self.set_reactive(MonitorApp.title, title)
            self.say_to_terminal(window_title(title))
