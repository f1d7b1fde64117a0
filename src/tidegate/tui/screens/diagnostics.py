"""What to tell somebody who helps: versions, paths, and what the terminal is."""

import os
import platform
from collections.abc import Iterator
from importlib.metadata import version
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from tidegate.settings import find_files
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.dressed import DressedApp
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.program import command_line
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.session import Session
from tidegate.tui.state import state_file
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.text_pane import TextPane

__all__ = ["DiagnosticsScreen"]

_TERMINAL = (
    "TERM",
    "TERM_PROGRAM",
    "COLORTERM",
    "NO_COLOR",
    "TMUX",
    "STY",
    "SSH_CONNECTION",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
)
_WIDTH = 16


class DiagnosticsScreen(MonitorScreen):
    """Facts about this monitor; nothing of what runs hold."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.BACK, Scope.TEXT)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.BACK)
    AUTO_FOCUS: ClassVar[str | None] = "#help"

    def compose_body(self) -> ComposeResult:
        """Yield the one pane."""
        yield TextPane(id="help", classes="pane")

    async def load(self) -> None:
        """Show the facts."""
        url = await self._desk.engine.call(_url)
        lines = [_line(name, text) for name, text in [*self._ours(url), *_theirs()]]
        self.query_one("#help", TextPane).read(lines, subject="diagnostics", title="Diagnostics")
        self.query_one(StatusLine).say(
            Piece(
                f"select with the mouse and copy; `{command_line(self._desk.program, 'doctor')}` says more",
                Tone.DIM,
            )
        )

    def show(self, now: float) -> None:
        """Nothing of it changes with the time."""

    def _ours(self, url: str) -> Iterator[tuple[str, str]]:
        files = find_files(os.environ)
        yield "tidegate", version("tidegate")
        yield "store", url
        yield "settings", f"{files.user}{'' if files.user.is_file() else ' (not there)'}"
        yield "of the project", str(files.project or "none")
        yield "kept", str(state_file())
        if isinstance(self.app, DressedApp):
            yield "log", str(self.app.log_file)
            yield "theme", "none, as NO_COLOR is set" if self.app.no_color else self.app.theme_name
        yield "size", f"{self.app.size.width} x {self.app.size.height}"

    def action_back(self) -> None:
        """Go back."""
        self.dismiss()


async def _url(session: Session) -> str:
    return session.url


def _theirs() -> Iterator[tuple[str, str]]:
    yield "Python", f"{platform.python_version()} on {platform.platform()}"
    yield "Textual", version("textual")
    yield from ((name, value) for name in _TERMINAL if (value := os.environ.get(name)))


def _line(name: str, text: str) -> Line:
    pieces = (Piece(f"{name:<{_WIDTH}}", Tone.DIM), Piece(text))
    return Line(name, pieces, selectable=False, indent=_WIDTH)
