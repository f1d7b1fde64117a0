"""The commands of one run. None acts at one stroke: what changes something asks first."""

from tidegate.tui.commands.command import Scope, command

__all__ = ["RUN", "TURNS"]

TURNS = (
    command(
        Scope.TURNS,
        "pause",
        "p",
        "Pause",
        "Pause the run, or let a paused one go on; asks first",
        action="screen.turn('pause')",
        rank=6,
    ),
    command(
        Scope.TURNS,
        "retry",
        "r",
        "Retry",
        "Run again what failed, or let an interrupted run go on; asks first",
        action="screen.turn('retry')",
        rank=7,
    ),
    command(
        Scope.TURNS,
        "cancel",
        "X",
        "Cancel",
        "End the run; asks for its id first",
        action="screen.turn('cancel')",
        rank=9,
    ),
)
RUN = (
    command(
        Scope.RUN,
        "answer",
        "a",
        "Answer",
        "Open the question of the block; where it asks nothing, go to a block that does",
        rank=3,
    ),
    command(
        Scope.RUN,
        "rerun",
        "R",
        "Rerun",
        "Run the block and what follows it again, as if for the first time; asks first",
        action="screen.turn('rerun')",
        rank=8,
    ),
    command(
        Scope.RUN,
        "skip",
        "S",
        "Skip",
        "Decide that the block will not run; asks why first",
        action="screen.turn('skip')",
        rank=11,
    ),
    command(
        Scope.RUN,
        "travel",
        "t",
        "Past",
        "Show the run as it was when the block ended, or began, and walk from there",
        rank=5,
    ),
    command(
        Scope.RUN,
        "fork",
        "F",
        "Fork",
        "Make another run of it in which the block runs again, with what it is given changed; asks first",
        rank=10,
    ),
    command(
        Scope.RUN,
        "unfold",
        "space",
        "Unfold",
        "Show the items of a block, or fold them; enter does so, too, and opens the run that does its work",
    ),
    command(
        Scope.RUN,
        "filter",
        "slash",
        "Filter",
        "Show only items with all the words you type; esc shows all again",
    ),
    command(
        Scope.RUN,
        "again",
        "n",
        "Again",
        "Start another run of its workflow: its inputs are filled in, and can be changed first",
    ),
    command(
        Scope.RUN,
        "edit",
        "ctrl+e",
        "Edit file",
        "Open the workflow's file in the editor, at the block; of a file that is gone, a copy of what it held",
    ),
    command(
        Scope.RUN,
        "copy",
        "y",
        "Copy",
        "Copy why the block failed, or else the path at which its outputs stand in the state of the run",
    ),
    command(Scope.RUN, "parent", "backspace", "Parent", "Show the run that this one is a part of"),
    command(
        Scope.RUN,
        "form",
        "b",
        "Form",
        "Show the blocks as waves, as bars over time, or both. A bar: ▇ works, ┄ waits for a person (! too late), "
        "░ waits for an instant, ● goes on; ✗ is where an attempt failed, ‖ where a person had paused the run, "
        "╱ where time without work is drawn shorter",  # noqa: RUF001 - the sign is meant
    ),
    command(
        Scope.RUN,
        "log",
        "l",
        "Log",
        "Show everything the block has written, to find and filter in it",
        rank=12,
    ),
    command(Scope.RUN, "follow", "f", "Follow", "Keep to the newest output, or stop doing so"),
    command(
        Scope.RUN, "wave_left", "left", "Wave before", "Go to the wave before, where waves stand side by side"
    ),
    command(
        Scope.RUN, "wave_right", "right", "Next wave", "Go to the next wave, where waves stand side by side"
    ),
)
