"""What all screens have in common: the bars, the pace of reloading, and a word when it is too small."""

import math
from typing import ClassVar, Protocol, runtime_checkable

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.events import Event, Key, ScreenResume
from textual.widgets import Static

from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseRow
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.commands.aimed import aims
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Tone
from tidegate.tui.messages import Noted, ScreenShown, TurnWanted
from tidegate.tui.nouns.turns import Turn, TurnRequest
from tidegate.tui.program import command_line
from tidegate.tui.pulse import Pulse
from tidegate.tui.room import LEAST, RoomyScreen
from tidegate.tui.widgets.banner import Banner
from tidegate.tui.widgets.bars import KeyBar, StatusLine, TabBar
from tidegate.tui.widgets.text_pane import TextPane

__all__ = ["MonitorScreen"]

_LEAVE = "app.leave"
_LONGEST = 100_000
"""Characters that go to the clipboard at most: terminals refuse more."""
_PROMPTLY = 3.0
"""Seconds behind an answer within which the cursor goes on because of it."""
_TICK = 1.0
"""Seconds between two looks at the clock; ages are shown in seconds."""


@runtime_checkable
class Refusing(Protocol):
    """An app that may refuse what would change something."""

    def refusal(self, action: str) -> str:
        """Return why an action is not done; empty: it is."""
        ...


class MonitorScreen(RoomyScreen[None]):
    """A screen that shows a part of the store, and shows it anew when that changes."""

    SMALL_ACTIONS: ClassVar[frozenset[str]] = frozenset({_LEAVE, "app.copy_or_hint"})
    SCOPES: ClassVar[tuple[Scope, ...]] = ()
    """Where the operator is; decides about the key bar and the help."""
    SETTLES: ClassVar[float] = 0.7
    """Seconds after the cursor has moved by itself within which a key was meant for where it was: nobody sees that,
    and keeps a finger back, much faster."""
    IS_PAST: ClassVar[bool] = False
    """Whether it shows what was, and not what is."""
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.PREVIEW)
    HORIZONTAL_BREAKPOINTS = [
        (0, "-tiny"),
        (LEAST[0], "-narrow"),
        (110, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-flat"),
        (LEAST[1], "-short"),
        (20, "-tall"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._pulse = Pulse(self, self.load, may_run=lambda: self.is_active)
        self._moved_at = -math.inf
        self._goes_on_from: tuple[str, ...] = ()
        self._answered_at = -math.inf

    def compose(self) -> ComposeResult:
        """Lay out the bars around the body."""
        yield TabBar(self._desk.clock, is_past=self.IS_PAST)
        yield Banner(self._desk.program)
        yield StatusLine()
        yield from self.compose_head()
        with Container(id="body"):
            yield from self.compose_body()
        yield KeyBar(self._desk.keymap.commands_of(*self.SCOPES, Scope.GLOBAL), self.would_act)
        yield Static(self._too_small(), id="too-small", markup=False)

    def _too_small(self) -> str:
        leave = next(c for c in self._desk.keymap.commands_of(Scope.GLOBAL) if c.action == _LEAVE)
        return f"Tidegate needs at least\n{LEAST[0]} columns and {LEAST[1]} rows.\n{leave.first_key} quits."

    def on_key(self, event: Key) -> None:
        """Stop a key, before any binding sees it, that would act on what is not in sight."""
        if self.is_out_of_room(event.key):
            event.stop()
            event.prevent_default()

    def compose_head(self) -> ComposeResult:
        """Yield what stands between the status line and the body."""
        return ()

    def compose_body(self) -> ComposeResult:
        """Yield what this screen is for."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Keep ages and the clock going."""
        self.set_interval(_TICK, self._tick)

    # -- a cursor that moves by itself --------------------------------------------------------

    def answered(self, pause: PauseRow) -> None:
        """Take note that it was answered here just now: whoever did that expects the cursor to go on."""
        self._goes_on_from = (pause.pause_id, pause.block)
        self._answered_at = Event().time

    def moved_by_itself(self, left: str) -> None:
        """Take note that the cursor is on something else, and no key has put it there.

        Args:
            left: What it was on: the key of a row, or a place of a run.
        """
        now = Event().time
        if left in self._goes_on_from and now < self._answered_at + _PROMPTLY:
            self._goes_on_from = ()
        else:
            self._moved_at = now

    def aims(self, action: str) -> bool:
        """Whether an action is done to what the cursor is on."""
        return aims(action)

    def is_aimed_too_soon(self, action: str, at: float) -> bool:
        """Return whether an action wanted at *at* may have been meant for what the cursor was on until just before."""
        return at < self._moved_at + self.SETTLES and self.aims(action)

    # -- keeping up ---------------------------------------------------------------------------

    async def load(self) -> None:
        """Read what is shown, and show it."""
        raise NotImplementedError

    def show(self, now: float) -> None:
        """Show what was read, as of *now*."""
        raise NotImplementedError

    def applies(self, action: str) -> bool:
        """Whether a command of the key bar would do something now."""
        del action
        return True

    def would_act(self, action: str) -> bool:
        """Whether a command would do something now, and may."""
        app = self.app
        is_refused = isinstance(app, Refusing) and bool(app.refusal(action))
        return not is_refused and self.applies(action)

    @property
    def may_change(self) -> bool:
        """Whether anything may be changed from here."""
        return not (isinstance(self.app, Refusing) and self.app.refusal("reject"))

    def command_line(self) -> str:
        """Return the command that shows elsewhere what the cursor is on; empty: there is none."""
        target = self.target()
        return command_line(self._desk.program, "runs", "show", target[0]) if target is not None else ""

    def target(self) -> tuple[RunId, BlockId | None] | None:
        """Return which run, and which place in it, a turn is meant for; None: there is none."""
        return None

    def action_turn(self, turn: str) -> None:
        """Ask whether to turn the run: what is meant is what the cursor is on now, and stays it."""
        if (target := self.target()) is not None:
            self.post_message(TurnWanted(TurnRequest(Turn(turn), *target)))

    def copy_text(self, text: str) -> None:
        """Copy a text, and say that it was copied."""
        if len(text) > _LONGEST:
            self.post_message(Noted(f"too long for a clipboard: {len(text):,} characters", Tone.FAILED))
            return
        self.app.copy_to_clipboard(text)
        self.post_message(Noted(f"copied: {text}", Tone.DIM))

    def action_copy_text(self) -> None:
        """Leave it to the app: the toolkit would copy what is selected without a word."""
        raise SkipAction

    def show_keys(self) -> None:
        """Show which keys do something now."""
        self.query_one(KeyBar).draw()

    def wake(self) -> None:
        """Read again: something changed."""
        self._pulse.wake()

    @on(ScreenResume)
    def _catch_up(self) -> None:
        self.post_message(ScreenShown())
        self.query_one(TabBar).draw()
        self.wake()

    def _tick(self) -> None:
        # The timer goes on while the screen is covered; nothing else does.
        if self.is_active:
            self.query_one(TabBar).draw()
            self.show(self._desk.clock.now())

    # -- the preview --------------------------------------------------------------------------

    def action_preview_down(self) -> None:
        """Scroll the text down."""
        self._scroll_preview(1)

    def action_preview_up(self) -> None:
        """Scroll the text up."""
        self._scroll_preview(-1)

    def _scroll_preview(self, by: int) -> None:
        for pane in self.query("#preview").results(TextPane):
            pane.scroll_lines(by)
