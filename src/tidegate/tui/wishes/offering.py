"""From the wish for the palette to what was chosen in it."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Command, Scope
from tidegate.tui.lines import Tone
from tidegate.tui.looks.themes import THEMES
from tidegate.tui.messages import EditWanted, TravelWanted
from tidegate.tui.present.palette import Entry, command_entries
from tidegate.tui.query.saved import SavedFilters
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.screens.lists.shaped_screen import ShapedScreen
from tidegate.tui.working import begin_anew

if TYPE_CHECKING:
    from textual.message import Message

    from tidegate.tui.dialogs.palette import Palette
    from tidegate.tui.operated import OperatedApp

__all__ = ["Offering"]

_STAYS = "it was opened with --read-only"


class Offering:
    """Opens the palette, and does what is chosen."""

    def __init__(self, app: "OperatedApp") -> None:
        self._app = app
        self._is_open = False

    async def offer(self) -> None:
        """Let something be chosen, and do it; runs in a worker of the app."""
        from tidegate.tui.dialogs.palette import Palette

        screen = self._app.screen
        if self._is_open or not isinstance(screen, MonitorScreen):
            return
        self._is_open = True
        palette = Palette([*self._here(screen), *self._always()])
        begin_anew(self._app, "supply", self._supply, palette)
        try:
            chosen = await self._app.push_screen_wait(palette)
        finally:
            self._is_open = False
        if chosen is not None:
            await chosen.act()

    async def _supply(self, palette: "Palette") -> None:
        from tidegate.tui.wishes.supplied import Supplier, read_supply

        try:
            supply = await self._app.engine.call(read_supply)
        except TidegateError as error:
            self._app.tell(str(error), Tone.FAILED)
            return
        if palette.is_running:
            palette.offer(Supplier(self._posting, self._app.refusal).entries(supply))

    # -- what there is ------------------------------------------------------------------------

    def _here(self, screen: MonitorScreen) -> list[Entry]:
        """Return the commands of the place, with those that would do nothing now below."""
        commands = self._app.desk.keymap.commands_of(*screen.SCOPES, Scope.GLOBAL)

        def why_not(action: str) -> str:
            return self._app.refusal(action) or ("" if screen.applies(action) else "not here")

        focused = screen.focused

        async def run(command: Command) -> None:
            where = focused if focused is not None and command.scope is Scope.LIST else screen
            await self._app.run_action(command.action, where)

        shown = [command for command in commands if command.id != "global.palette"]
        commands_here = command_entries(shown, why_not, run)
        return [*commands_here, *self._line_of(screen), *self._run_of(screen), *self._filters(screen)]

    def _line_of(self, screen: MonitorScreen) -> list[Entry]:
        line = screen.command_line()
        if not line:
            return []

        async def copy() -> None:
            self._app.copy_to_clipboard(line)
            self._app.tell(f"copied: {line}", Tone.DIM)

        return [Entry("copy_line", f"Copy the command line for this: {line}", copy)]

    def _always(self) -> list[Entry]:
        app = self._app
        entries = [
            Entry(f"theme.{name}", f"Theme: {name}", self._calling(partial(app.change_theme, name)))
            for name in THEMES
        ]
        title = (
            "Read-only: let things be changed again" if app.read_only else "Read-only: only look from now on"
        )
        return [
            *entries,
            Entry(
                "ascii",
                "Signs: all of them again" if app.is_in_ascii else "Signs: only ASCII",
                self._calling(app.toggle_ascii),
            ),
            Entry(
                "read_only",
                title,
                self._calling(app.toggle_read_only),
                why_not=_STAYS if app.is_onlooker else "",
            ),
            self._log(),
            Entry(
                "diagnostics",
                "Diagnostics: versions, paths, and what the terminal is",
                self._calling(app.diagnose),
            ),
        ]

    def _log(self) -> Entry:
        log = self._app.log_file
        why_not = "" if log.exists() else "nothing went wrong: it was never written"
        return Entry("log", "Open the log file", self._posting(EditWanted(log, 1)), why_not=why_not)

    def _filters(self, screen: MonitorScreen) -> list[Entry]:
        from tidegate.tui.query.listings import LISTINGS
        from tidegate.tui.wishes.supplied import named_filters

        entries = []
        if isinstance(screen, ShapedScreen):
            title = "Save filter as…: give the filter that is set a name"
            why_not = "" if screen.has_filter else "no filter is set"
            entries.append(
                Entry("save_filter", title, self._calling(screen.action_save_filter), why_not=why_not)
            )
        saved = SavedFilters(self._app.desk.state)

        def show(mode: str, text: str) -> Callable[[], Awaitable[None]]:
            return partial(self._app.show_filtered, mode, text)

        return [*entries, *named_filters(LISTINGS, saved, self._app.current_mode, show)]

    def _run_of(self, screen: MonitorScreen) -> list[Entry]:
        """Return what can be done with the run the cursor is on, beyond what has keys."""
        from tidegate.tui.nouns.travel import Base
        from tidegate.tui.wishes.bundling import bundle

        if (target := screen.target()) is None:
            return []
        run_id, _ = target
        compare = TravelWanted(run_id, base=Base.SUCCESS)
        return [
            Entry(
                "compare_success",
                f"Compare with the last run that succeeded: {safe_line(run_id, 40)}",
                self._posting(compare),
                also="diff success",
            ),
            Entry(
                "bundle",
                f"Export run bundle: {safe_line(run_id, 40)} with everything below it, as one file",
                partial(bundle, self._app, run_id),
            ),
        ]

    def _posting(self, message: "Message") -> Callable[[], Awaitable[None]]:
        async def post() -> None:
            self._app.post_message(message)

        return post

    @staticmethod
    def _calling(do: Callable[[], object]) -> Callable[[], Awaitable[None]]:
        async def call() -> None:
            do()

        return call
