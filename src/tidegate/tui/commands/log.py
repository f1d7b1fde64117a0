"""The commands of a log: none changes anything but what is seen, or a new file."""

from tidegate.tui.commands.command import Scope, command

__all__ = ["LOG"]

LOG = (
    command(
        Scope.LOG,
        "follow",
        "f",
        "Follow",
        "Keep to the end, or do so no longer; scrolling up stops it, too",
        rank=5,
    ),
    command(
        Scope.LOG,
        "find",
        "slash",
        "Find",
        "Find a text; case matters only if it has capital letters",
        action="screen.type('find')",
        rank=3,
    ),
    command(Scope.LOG, "next_hit", "n", "Next", "Go to the next line that was found", action="screen.hit(1)"),
    command(
        Scope.LOG, "last_hit", "N", "Before", "Go to the line that was found before", action="screen.hit(-1)"
    ),
    command(
        Scope.LOG,
        "only",
        "ampersand",
        "Only",
        "Show only lines with all the words you type; esc shows all again",
        action="screen.type('only')",
        rank=6,
    ),
    command(
        Scope.LOG,
        "hide",
        "minus",
        "Hide",
        "Hide lines with all the words you type",
        action="screen.type('hide')",
        rank=7,
    ),
    command(
        Scope.LOG,
        "level",
        "L",
        "Level",
        "Show INFO and worse, WARN and worse, ERROR, or all. The level is guessed: from a word such as ERROR, "
        "[warn] or level=info near the start of a line; a line without one has that of the line before it",
        rank=8,
    ),
    command(
        Scope.LOG, "wrap", "w", "Wrap", "Wrap long lines, or cut them: ← and → then show the rest", rank=9
    ),
    command(
        Scope.LOG,
        "times",
        "t",
        "Times",
        "Say when each line came, to about a tenth of a second; what was written by an older version has no times",
        rank=12,
    ),
    command(
        Scope.LOG, "left", "left", "Left", "Show what is further to the left", action="screen.sideways(-1)"
    ),
    command(
        Scope.LOG, "right", "right", "Right", "Show what is further to the right", action="screen.sideways(1)"
    ),
    command(
        Scope.LOG,
        "scope",
        "b",
        "Scope",
        "Show what the wave of the block has written, then the whole run, then the block again: what there is block "
        "by block, what comes as it comes",
        rank=10,
    ),
    command(
        Scope.LOG, "mark", "m", "Mark", "Draw a line with the time below the newest line; it is kept nowhere"
    ),
    command(
        Scope.LOG,
        "save",
        "E",
        "Save",
        "Save to a new file: everything, or what the filters show of it",
        action="screen.type('save')",
        rank=11,
    ),
)
