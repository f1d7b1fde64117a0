"""The commands that work everywhere, in any list, in any text."""

from tidegate.tui.commands.command import Scope, command

__all__ = ["BACK", "FILTER", "GLOBAL", "LIST", "PREVIEW", "ROWS", "TEXT"]

GLOBAL = (
    command(Scope.GLOBAL, "inbox", "1", "Inbox", "Go to what waits for you", action="app.mode('inbox')"),
    command(Scope.GLOBAL, "runs", "2", "Runs", "Go to the runs", action="app.mode('runs')"),
    command(
        Scope.GLOBAL,
        "checkpoints",
        "3",
        "Checkpoints",
        "Go to the checkpoints",
        action="app.mode('checkpoints')",
    ),
    command(
        Scope.GLOBAL,
        "workflows",
        "4",
        "Workflows",
        "Go to the workflows: what can be started, and what is wrong with a file",
        action="app.mode('workflows')",
    ),
    command(
        Scope.GLOBAL,
        "dashboard",
        "5",
        "Dashboard",
        "Go to the dashboard: what waits, what runs, and how the last days went",
        action="app.mode('dashboard')",
    ),
    command(
        Scope.GLOBAL,
        "activity",
        "6 exclamation_mark",
        "Activity",
        "Go to what happened, with everything that was said here",
        action="app.mode('activity')",
    ),
    command(
        Scope.GLOBAL,
        "next_question",
        "ctrl+n",
        "Next",
        "Go to the next question that waits, from anywhere",
        action="app.next_question",
    ),
    command(
        Scope.GLOBAL,
        "help",
        "question_mark f1",
        "Help",
        "Show the keys that work here",
        action="app.help",
        rank=1,
    ),
    command(
        Scope.GLOBAL,
        "theme",
        "T",
        "Theme",
        "Change to the next theme: dark, light, high contrast, for the colour-blind, the terminal's own",
        action="app.theme",
    ),
    command(
        Scope.GLOBAL,
        "palette",
        "colon ctrl+p",
        "Palette",
        "Find whatever can be done here by a part of its name: go to a run, start a workflow, change the theme",
        action="app.palette",
    ),
    command(
        Scope.GLOBAL, "zoom", "z", "Zoom", "Give the focused pane all the room, and back", action="app.zoom"
    ),
    command(
        Scope.GLOBAL,
        "jump",
        "ctrl+o",
        "Jump",
        "Show a letter at each row in sight, and a digit at each other pane: the next key goes there, and does "
        "nothing else",
        action="app.jump",
    ),
    command(
        Scope.GLOBAL,
        "copy",
        "ctrl+c",
        "Copy",
        "Copy what is selected with the mouse; never quits",
        action="app.copy_or_hint",
    ),
    command(
        Scope.GLOBAL,
        "suspend",
        "ctrl+z",
        "Suspend",
        "Say why the monitor is never stopped in the background: what runs here would lose its lease. q leaves",
        action="app.stay",
    ),
    command(
        Scope.GLOBAL,
        "quit",
        "q",
        "Quit",
        "Quit; asks first if something runs in this process",
        action="app.leave",
        rank=2,
    ),
)
LIST = (
    command(Scope.LIST, "cursor_down", "j down", "Down", "Go one row down"),
    command(Scope.LIST, "cursor_up", "k up", "Up", "Go one row up"),
    command(Scope.LIST, "first", "g home", "First", "Go to the first row"),
    command(Scope.LIST, "last", "G end", "Last", "Go to the last row"),
    command(Scope.LIST, "page_down", "pagedown", "Page down", "Go one page down"),
    command(Scope.LIST, "page_up", "pageup", "Page up", "Go one page up"),
    command(Scope.LIST, "half_down", "ctrl+d", "Half down", "Go half a page down"),
    command(Scope.LIST, "half_up", "ctrl+u", "Half up", "Go half a page up"),
    command(Scope.LIST, "open", "enter", "Open", "Open the row the cursor is on; so does a second click"),
)
TEXT = (
    command(Scope.TEXT, "line_down", "j down", "Down", "Scroll one line down"),
    command(Scope.TEXT, "line_up", "k up", "Up", "Scroll one line up, and stop following"),
    command(Scope.TEXT, "text_first", "g home", "Start", "Go to the first line"),
    command(Scope.TEXT, "text_last", "G end", "End", "Go to the last line"),
    command(Scope.TEXT, "text_page_down", "pagedown", "Page down", "Scroll one page down"),
    command(Scope.TEXT, "text_page_up", "pageup", "Page up", "Scroll one page up"),
    command(Scope.TEXT, "text_half_down", "ctrl+d", "Half down", "Scroll half a page down"),
    command(Scope.TEXT, "text_half_up", "ctrl+u", "Half up", "Scroll half a page up"),
)
PREVIEW = (
    command(Scope.PREVIEW, "preview_down", "ctrl+down J", "Scroll", "Scroll the text of the preview down"),
    command(Scope.PREVIEW, "preview_up", "ctrl+up K", "Scroll", "Scroll the text of the preview up"),
)
FILTER = (
    command(
        Scope.FILTER,
        "filter",
        "slash",
        "Filter",
        "Show only rows with all the words you type, or that pass tests such as status:failed; esc shows all again",
        rank=4,
    ),
    command(Scope.FILTER, "clear_filter", "escape", "Clear", "Show all rows again"),
)
ROWS = (
    command(Scope.ROWS, "filters", "f2", "Filters", "Choose a filter that has a name, or give one to yours"),
    command(Scope.ROWS, "sort", "s", "Order", "Take the next order of the list"),
    command(Scope.ROWS, "sort_back", "S", "Reverse", "Turn the order of the list round"),
    command(Scope.ROWS, "columns", "c", "Columns", "Choose which columns are shown"),
    command(Scope.ROWS, "mark", "space", "Mark", "Mark the row, or take its mark away"),
    command(
        Scope.ROWS,
        "mark_range",
        "v",
        "Range",
        "Mark every row from the one that was marked last to the cursor",
    ),
    command(Scope.ROWS, "mark_shown", "asterisk", "Mark all", "Mark all rows that are shown"),
    command(Scope.ROWS, "unmark", "u", "Unmark", "Take all marks away"),
    command(Scope.ROWS, "show_new", "full_stop", "New", "Go to the rows that came while you were elsewhere"),
    command(
        Scope.ROWS, "copy_id", "y", "Copy id", "Copy the id of the row, or of the marked ones that are shown"
    ),
    command(Scope.ROWS, "copy_json", "Y", "Copy JSON", "Copy the same rows as JSON, one a line"),
    command(
        Scope.ROWS,
        "export",
        "E",
        "Export",
        "Write what is shown, or what of it is marked, to a new file: JSON lines or CSV",
    ),
    command(
        Scope.ROWS,
        "pane_larger",
        "plus",
        "Larger",
        "Make the focused pane larger, at the cost of the one beside or below it; it stays so",
        action="screen.size(True)",
    ),
    command(
        Scope.ROWS,
        "pane_smaller",
        "minus",
        "Smaller",
        "Make the focused pane smaller, for the one beside or below it",
        action="screen.size(False)",
    ),
    command(
        Scope.ROWS,
        "pane_sizes",
        "equals_sign",
        "Sizes",
        "Give the panes of this list their usual sizes again",
        action="screen.sizes_again",
    ),
)
BACK = (
    command(
        Scope.BACK,
        "back",
        "escape",
        "Back",
        "Go back to where you came from; never quits, never answers",
        rank=4,
    ),
)
