"""Every command of the monitor: its keys, its words, and where it works.

Owns the one list that bindings, key bar and help screen are made from, so that none of them can
say what another does not do. No key acts on a run at one stroke: what changes something opens a
dialog first.
"""

from textual.binding import Binding, BindingType

from tidegate.tui.command import Command, Scope
from tidegate.tui.command import command as _command
from tidegate.tui.travel_commands import TRAVEL

__all__ = ["COMMANDS", "Command", "Scope", "bindings", "commands_of", "footer"]


_GLOBAL = (
    _command(Scope.GLOBAL, "inbox", "1", "Inbox", "Go to what waits for you", action="app.mode('inbox')"),
    _command(Scope.GLOBAL, "runs", "2", "Runs", "Go to the runs", action="app.mode('runs')"),
    _command(
        Scope.GLOBAL,
        "checkpoints",
        "3",
        "Checkpoints",
        "Go to the checkpoints",
        action="app.mode('checkpoints')",
    ),
    _command(
        Scope.GLOBAL,
        "workflows",
        "4",
        "Workflows",
        "Go to the workflows: what can be started, and what is wrong with a file",
        action="app.mode('workflows')",
    ),
    _command(
        Scope.GLOBAL,
        "dashboard",
        "5",
        "Dashboard",
        "Go to the dashboard: what waits, what runs, and how the last days went",
        action="app.mode('dashboard')",
    ),
    _command(
        Scope.GLOBAL,
        "next_question",
        "ctrl+n",
        "Next",
        "Go to the next question that waits, from anywhere",
        action="app.next_question",
    ),
    _command(
        Scope.GLOBAL,
        "help",
        "question_mark f1",
        "Help",
        "Show the keys that work here",
        action="app.help",
        rank=1,
    ),
    _command(Scope.GLOBAL, "theme", "T", "Theme", "Change between dark and light", action="app.theme"),
    _command(
        Scope.GLOBAL,
        "copy",
        "ctrl+c",
        "Copy",
        "Copy what is selected with the mouse; never quits",
        action="app.copy_or_hint",
    ),
    _command(
        Scope.GLOBAL,
        "quit",
        "q",
        "Quit",
        "Quit; asks first if something runs in this process",
        action="app.leave",
        rank=2,
    ),
)
_LIST = (
    _command(Scope.LIST, "cursor_down", "j down", "Down", "Go one row down"),
    _command(Scope.LIST, "cursor_up", "k up", "Up", "Go one row up"),
    _command(Scope.LIST, "first", "g home", "First", "Go to the first row"),
    _command(Scope.LIST, "last", "G end", "Last", "Go to the last row"),
    _command(Scope.LIST, "page_down", "pagedown", "Page down", "Go one page down"),
    _command(Scope.LIST, "page_up", "pageup", "Page up", "Go one page up"),
    _command(Scope.LIST, "half_down", "ctrl+d", "Half down", "Go half a page down"),
    _command(Scope.LIST, "half_up", "ctrl+u", "Half up", "Go half a page up"),
    _command(Scope.LIST, "open", "enter", "Open", "Open the row the cursor is on; so does a second click"),
)
_TEXT = (
    _command(Scope.TEXT, "line_down", "j down", "Down", "Scroll one line down"),
    _command(Scope.TEXT, "line_up", "k up", "Up", "Scroll one line up, and stop following"),
    _command(Scope.TEXT, "text_first", "g home", "Start", "Go to the first line"),
    _command(Scope.TEXT, "text_last", "G end", "End", "Go to the last line"),
    _command(Scope.TEXT, "text_page_down", "pagedown", "Page down", "Scroll one page down"),
    _command(Scope.TEXT, "text_page_up", "pageup", "Page up", "Scroll one page up"),
    _command(Scope.TEXT, "text_half_down", "ctrl+d", "Half down", "Scroll half a page down"),
    _command(Scope.TEXT, "text_half_up", "ctrl+u", "Half up", "Scroll half a page up"),
)
_PREVIEW = (
    _command(Scope.PREVIEW, "preview_down", "ctrl+down J", "Scroll", "Scroll the text of the preview down"),
    _command(Scope.PREVIEW, "preview_up", "ctrl+up K", "Scroll", "Scroll the text of the preview up"),
)
_FILTER = (
    _command(
        Scope.FILTER,
        "filter",
        "slash",
        "Filter",
        "Show only rows with all the words you type; esc shows all again",
        rank=4,
    ),
    _command(Scope.FILTER, "clear_filter", "escape", "Clear", "Show all rows again"),
)
_INBOX = (
    _command(
        Scope.INBOX,
        "answer",
        "a",
        "Answer",
        "Open the question; so does enter. Nothing is answered by opening it",
        rank=3,
    ),
    _command(Scope.INBOX, "open_run", "o", "Open run", "Show the run that asks", rank=5),
)
_RUNS = (
    _command(
        Scope.RUNS,
        "open_row",
        "o",
        "Open run",
        "Show the waves, blocks and output of the run; so does enter",
        rank=3,
    ),
    _command(Scope.RUNS, "answer", "a", "Answer", "Open the first question of the run", rank=5),
)
_CHECKPOINTS = (
    _command(
        Scope.CHECKPOINTS,
        "travel",
        "t",
        "Past",
        "Show what the run was at the checkpoint, and walk from there; so does enter",
        rank=3,
    ),
    _command(Scope.CHECKPOINTS, "open_row", "o", "Open run", "Show the run of the checkpoint", rank=6),
    _command(
        Scope.CHECKPOINTS,
        "next_type",
        "f",
        "Type",
        "Show all types, or only the next one",
        rank=5,
    ),
)
_WORKFLOWS = (
    _command(
        Scope.WORKFLOWS,
        "launch",
        "n",
        "Start",
        "Fill in the inputs of the workflow, see what it would do, and start it; so does enter",
        rank=3,
    ),
    _command(
        Scope.WORKFLOWS,
        "edit",
        "e",
        "Edit",
        "Open the file in your editor, at its first fault",
        rank=5,
    ),
    _command(Scope.WORKFLOWS, "open_row", "o", "Last run", "Show the run of it that began last", rank=6),
)
_DASHBOARD = (
    _command(
        Scope.DASHBOARD,
        "open_tile",
        "o",
        "Open",
        "Show the list behind the tile, with only the rows it speaks of; so does enter",
        rank=3,
    ),
    _command(Scope.DASHBOARD, "tile_left", "h left", "Left", "Go to the tile before", rank=4),
    _command(Scope.DASHBOARD, "tile_right", "l right", "Right", "Go to the next tile", rank=5),
)
_TURNS = (
    _command(
        Scope.TURNS,
        "pause",
        "p",
        "Pause",
        "Pause the run, or let a paused one go on; asks first",
        action="screen.turn('pause')",
        rank=6,
    ),
    _command(
        Scope.TURNS,
        "retry",
        "r",
        "Retry",
        "Run again what failed, or let an interrupted run go on; asks first",
        action="screen.turn('retry')",
        rank=7,
    ),
    _command(
        Scope.TURNS,
        "cancel",
        "X",
        "Cancel",
        "End the run; asks for its id first",
        action="screen.turn('cancel')",
        rank=9,
    ),
)
_RUN = (
    _command(
        Scope.RUN,
        "answer",
        "a",
        "Answer",
        "Open the question of the block; where it asks nothing, go to a block that does",
        rank=3,
    ),
    _command(
        Scope.RUN,
        "rerun",
        "R",
        "Rerun",
        "Run the block and what follows it again, as if for the first time; asks first",
        action="screen.turn('rerun')",
        rank=8,
    ),
    _command(
        Scope.RUN,
        "skip",
        "S",
        "Skip",
        "Decide that the block will not run; asks why first",
        action="screen.turn('skip')",
        rank=11,
    ),
    _command(
        Scope.RUN,
        "travel",
        "t",
        "Past",
        "Show the run as it was when the block ended, or began, and walk from there",
        rank=5,
    ),
    _command(
        Scope.RUN,
        "fork",
        "F",
        "Fork",
        "Make another run of it in which the block runs again, with what it is given changed; asks first",
        rank=10,
    ),
    _command(
        Scope.RUN,
        "unfold",
        "space",
        "Unfold",
        "Show the items of a block, or fold them; enter does so, too, and opens the run that does its work",
    ),
    _command(
        Scope.RUN,
        "filter",
        "slash",
        "Filter",
        "Show only items with all the words you type; esc shows all again",
    ),
    _command(
        Scope.RUN,
        "again",
        "n",
        "Again",
        "Start another run of its workflow: its inputs are filled in, and can be changed first",
    ),
    _command(Scope.RUN, "parent", "backspace", "Parent", "Show the run that this one is a part of"),
    _command(Scope.RUN, "follow", "f", "Follow", "Keep to the newest output, or stop doing so"),
    _command(
        Scope.RUN,
        "wave_left",
        "h left",
        "Wave before",
        "Go to the wave before, where waves stand side by side",
    ),
    _command(
        Scope.RUN, "wave_right", "l right", "Next wave", "Go to the next wave, where waves stand side by side"
    ),
)
_BACK = (
    _command(
        Scope.BACK,
        "back",
        "escape",
        "Back",
        "Go back to where you came from; never quits, never answers",
        rank=4,
    ),
)

COMMANDS = (
    *_GLOBAL,
    *_LIST,
    *_TEXT,
    *_PREVIEW,
    *_FILTER,
    *_INBOX,
    *_RUNS,
    *_CHECKPOINTS,
    *_WORKFLOWS,
    *_DASHBOARD,
    *_TURNS,
    *_RUN,
    *TRAVEL,
    *_BACK,
)


def commands_of(*scopes: Scope) -> tuple[Command, ...]:
    """Return the commands of *scopes*, in the order of the scopes."""
    return tuple(command for scope in scopes for command in COMMANDS if command.scope is scope)


def bindings(*scopes: Scope) -> list[BindingType]:
    """Return what binds the keys of *scopes* to their actions."""
    return [
        Binding(
            ",".join(command.keys),
            command.action,
            command.label,
            show=False,
            key_display=command.first_key,
            id=command.id,
            tooltip=command.help,
        )
        for command in commands_of(*scopes)
    ]


def footer(commands: tuple[Command, ...], width: int) -> tuple[Command, ...]:
    """Return the commands that a key bar of *width* cells shows: those of this place first, help and quit last."""
    shown = [command for command in commands if command.rank]
    while shown and _bar_width(shown) > width:
        shown.remove(max(shown, key=lambda command: command.rank))
    own = [command for command in shown if command.scope is not Scope.GLOBAL]
    return (*sorted(own, key=lambda command: command.rank), *(c for c in shown if c.scope is Scope.GLOBAL))


def _bar_width(commands: list[Command]) -> int:
    # Two cells stand between two of them, and none behind the last.
    return 1 + sum(len(command.first_key) + len(command.label) + 3 for command in commands) - 2
