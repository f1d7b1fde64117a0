"""An app with nothing in it but the dialog under test, and a store that fits in a list."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from tidegate.model.answer import Answered
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import Prompt
from tidegate.tui.dialogs import AnswerDialog, AnswerOutcome, Dialog, Pace

STYLES = Path(__file__).parents[3] / "styles" / "dialogs.tcss"
NOW = 1_795_860_000.0
_NAMES = {
    " ": "space",
    "\n": "enter",
    "\t": "tab",
    "-": "minus",
    ",": "comma",
    ":": "colon",
    "/": "slash",
    "@": "at",
    "?": "question_mark",
}
"""Characters as the toolkit calls them where it does not call them by themselves."""
AT_ONCE = Pace(inert=0, quiet=0, burst=0)
"""Nothing to wait for: what a test is about is then the keys alone."""


class FixedClock:
    """It is always the same moment."""

    def now(self) -> float:
        """Return that moment."""
        return NOW

    def monotonic(self) -> float:
        """Return that moment."""
        return NOW


class Desk:
    """Takes answers as the engine does: read by the prompt's rule, one decides, it can be slow."""

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.calls: list[tuple[str, str]] = []
        self.values: list[object] = []
        self.failures: list[Exception] = []
        self.open = asyncio.Event()
        self.open.set()

    async def submit(self, raw: str, comment: str) -> Answered:
        """Take one answer, or fail as the next of `failures` says."""
        self.calls.append((raw, comment))
        await self.open.wait()
        if self.failures:
            raise self.failures.pop(0)
        value = self.prompt.parse(raw)
        self.values.append(value)
        return Answered(RunId("4f2akz7mw9qd"), PauseId("pause_1"), value)


class Host(App[None]):
    """Pushes dialogs and keeps what they return."""

    CSS_PATH = STYLES

    def __init__(self, make: Callable[[], Dialog[Any]] | None = None, theme: str = "textual-dark") -> None:
        super().__init__()
        self.make = make
        self.chosen_theme = theme
        self.results: list[Any] = []
        self.animation_level = "none"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return what the themes of the monitor name beside the colours of the toolkit."""
        return {"line-border": "#808080"}

    def compose(self) -> ComposeResult:
        """Show something behind the dialog."""
        yield Static("Inbox", markup=False)

    def on_mount(self) -> None:
        """Open the dialog."""
        self.theme = self.chosen_theme
        if self.make is not None:
            self.show(self.make())

    def show(self, dialog: Dialog[Any]) -> None:
        """Open one more dialog."""
        self.push_screen(dialog, self.results.append)

    @property
    def dialog(self) -> Dialog[Any]:
        """The dialog in front."""
        assert isinstance(self.screen, Dialog)
        return self.screen

    @property
    def outcome(self) -> AnswerOutcome:
        """What the answer dialog returned."""
        [result] = self.results
        assert isinstance(result, AnswerOutcome)
        return result


def pause_of(prompt: Prompt, **changes: Any) -> PauseRow:
    """Return an open pause that asks *prompt*."""
    row = PauseRow(
        pause_id=PauseId("pause_1"),
        run_id=RunId("4f2akz7mw9qd"),
        workflow="deploy-api",
        block=BlockId("approve_prod"),
        attempt=1,
        prompt=prompt,
        opened_at=NOW - 600,
        opened_seq=Seq(7),
    )
    return row.evolve(**changes)


def answering(prompt: Prompt, desk: Desk | None = None, *, pace: Pace = AT_ONCE, **options: Any) -> Host:
    """Return an app that asks *prompt*."""
    pause = options.pop("pause", None) or pause_of(prompt)
    submit = (desk or Desk(prompt)).submit
    return Host(lambda: AnswerDialog(pause, submit, clock=FixedClock(), pace=pace, **options))


def paste(app: App[None], text: str) -> None:
    """Paste, as a terminal that says so does it."""
    app.post_message(events.Paste(text))


async def hold(pilot: Pilot[None], key: str, times: int) -> None:
    """Press one key many times without waiting in between, as a keyboard repeats it."""
    for _ in range(times):
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await pilot.pause()


def chunk(app: App[None], text: str) -> None:
    """Type characters that arrive in one read: over a slow line, or out of a paste that no terminal marks."""
    for character in text:
        sent = "\r" if character == "\n" else character
        app.post_message(events.Key(_NAMES.get(character, character), sent))


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Wait until *condition* holds; a time limit ends it otherwise."""
    async with asyncio.timeout(20):
        while not condition():
            await pilot.pause(0.005)


async def ready(pilot: Pilot[None]) -> Host:
    """Wait until the dialog takes keys."""
    app = pilot.app
    assert isinstance(app, Host)
    await until(pilot, lambda: isinstance(app.screen, Dialog) and app.screen.has_class("-ready"))
    await pilot.pause()
    return app


def screen_text(app: App[None]) -> str:
    """Return what is on the terminal, as lines of text."""
    lines = app.screen._compositor.render_strips()  # noqa: SLF001  # what is drawn, cell by cell, is what is asked here
    return "\n".join("".join(segment.text for segment in strip) for strip in lines)


def bar(app: Host) -> str:
    """Return the sentence in the status bar."""
    return str(app.dialog.query_one("#dialog-bar", Static).content)
