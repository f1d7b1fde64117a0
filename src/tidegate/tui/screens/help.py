"""The keys that work where one came from, and what the symbols mean."""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from tidegate.model.events import RunStatus
from tidegate.model.state import BlockStatus
from tidegate.tui.commands import Command, Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.keymap import Keymap
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.looks.symbols import Sign, block_sign, run_sign
from tidegate.tui.present.shared import heading
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.text_pane import TextPane

__all__ = ["HelpScreen", "help_lines"]

_AS_THEY_ARE = Keymap()


def help_lines(scopes: tuple[Scope, ...], keymap: Keymap = _AS_THEY_ARE) -> list[Line]:
    """Return every key of *scopes* with its sentence, then the symbols."""
    lines: list[Line] = []
    for scope in scopes:
        lines += [
            heading(scope.value),
            *map(_command_line, keymap.commands_of(scope)),
            text_line("", key=f"gap:{scope}"),
        ]
    return [*lines, heading("Symbols"), *_symbols()]


def _command_line(command: Command) -> Line:
    pieces = (Piece(f"  {command.shown_keys:<13} ", Tone.KEY), Piece(command.help))
    return Line(command.id, pieces, selectable=False, indent=16)


def _symbols() -> Iterator[Line]:
    signs: dict[Sign, None] = dict.fromkeys([*map(run_sign, RunStatus), *map(block_sign, BlockStatus)])
    for sign in signs:
        pieces = (Piece(f"  {sign.symbol:<13} ", sign.tone), Piece(sign.word))
        yield Line(f"sign:{sign.symbol}:{sign.word}", pieces, selectable=False)


class HelpScreen(MonitorScreen):
    """Help for one place."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.BACK, Scope.TEXT)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.BACK)
    AUTO_FOCUS: ClassVar[str | None] = "#help"

    def __init__(self, desk: Desk, scopes: tuple[Scope, ...]) -> None:
        super().__init__(desk)
        self._scopes = scopes

    def compose_body(self) -> ComposeResult:
        """Yield the one pane."""
        yield TextPane(id="help", classes="pane")

    async def load(self) -> None:
        """There is nothing to read: show it."""
        self.show(self._desk.clock.now())

    def show(self, now: float) -> None:
        """Show the keys."""
        del now
        self.query_one("#help", TextPane).read(
            help_lines(self._scopes, self._desk.keymap), subject="help", title="Help"
        )
        self.query_one(StatusLine).say(Piece("The keys that work where you came from", Tone.DIM))

    def applies(self, action: str) -> bool:
        """Whether a key would do something: the help is here already."""
        return action != "app.help"

    def action_back(self) -> None:
        """Go back."""
        self.dismiss()
