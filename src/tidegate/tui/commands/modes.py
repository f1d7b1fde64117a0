"""The commands of the modes."""

from tidegate.tui.commands.command import Scope, command

__all__ = ["ACTIVITY", "CHECKPOINTS", "DASHBOARD", "INBOX", "RUNS", "WORKFLOWS"]

INBOX = (
    command(
        Scope.INBOX,
        "answer",
        "a",
        "Answer",
        "Open the question; so does enter. Nothing is answered by opening it",
        rank=3,
    ),
    command(
        Scope.INBOX,
        "reject",
        "r",
        "Reject",
        "Open the question with the answer that rejects chosen, and the cursor in the comment: ctrl+s sends both. Where "
        "none rejects, the dialog says so, and offers to cancel the run",
        rank=4,
    ),
    command(Scope.INBOX, "open_run", "o", "Run", "Show the run that asks", rank=5),
    command(Scope.INBOX, "log", "l", "Log", "Read what the run that asks has written", rank=8),
    command(Scope.INBOX, "travel", "t", "Past", "Show what the run that asks was, step by step", rank=9),
    command(
        Scope.INBOX,
        "difference",
        "d",
        "Diff",
        "Show what is other than in the last run of the workflow that succeeded",
        rank=10,
    ),
    command(
        Scope.INBOX,
        "full_preview",
        "p",
        "Preview",
        "Give the whole question all the room, to scroll in it, and back. From 160 columns on its state, its evidence and "
        "what is other than last time stand in a pane of their own: tab leads there, z gives it all the room",
        rank=7,
    ),
    command(
        Scope.INBOX,
        "bulk",
        "A",
        "Bulk",
        "Review the marked questions and answer them together, each by its id; without marks, those equal to this one",
        rank=6,
    ),
    command(
        Scope.INBOX,
        "snooze",
        "at",
        "Hand on",
        "Say whose business the question is, or the marked ones are: anybody may answer all the same. Or snooze it: it "
        "stays open at the end of the list, and comes back by itself, before its deadline in any case",
    ),
)
RUNS = (
    command(
        Scope.RUNS,
        "open_row",
        "o",
        "Open",
        "Show the waves, blocks and output of the run; so does enter",
        rank=3,
    ),
    command(Scope.RUNS, "answer", "a", "Answer", "Open the first question of the run", rank=5),
    command(
        Scope.RUNS,
        "travel",
        "t",
        "Past",
        "Show what the run was, step by step, and the tree of its forks",
        rank=8,
    ),
)
CHECKPOINTS = (
    command(
        Scope.CHECKPOINTS,
        "travel",
        "t",
        "Past",
        "Show what the run was at the checkpoint, and walk from there; so does enter",
        rank=3,
    ),
    command(Scope.CHECKPOINTS, "open_row", "o", "Open run", "Show the run of the checkpoint", rank=6),
    command(
        Scope.CHECKPOINTS,
        "next_type",
        "f",
        "Type",
        "Show all types, or only the next one",
        rank=5,
    ),
    command(
        Scope.CHECKPOINTS,
        "pin",
        "b",
        "Pin",
        "Keep the checkpoint, or the marked ones, with their runs, whatever their age. Where all are pinned, a second "
        "press takes the pins off",
        rank=7,
    ),
    command(
        Scope.CHECKPOINTS,
        "label",
        "B",
        "Label",
        "Say what the checkpoint is called; without a word, what its workflow calls it",
    ),
)
WORKFLOWS = (
    command(
        Scope.WORKFLOWS,
        "launch",
        "n",
        "Start",
        "Fill in the inputs of the workflow, see what it would do, and start it; so does enter",
        rank=3,
    ),
    command(
        Scope.WORKFLOWS,
        "edit",
        "e",
        "Edit",
        "Open the file in your editor, at its first fault",
        rank=5,
    ),
    command(Scope.WORKFLOWS, "open_row", "o", "Last run", "Show the run of it that began last", rank=6),
)
DASHBOARD = (
    command(
        Scope.DASHBOARD,
        "open_tile",
        "o",
        "Open",
        "Show the list behind the tile; so does enter",
        rank=3,
    ),
    command(Scope.DASHBOARD, "tile_left", "h left", "Left", "Go to the tile before", rank=4),
    command(Scope.DASHBOARD, "tile_right", "l right", "Right", "Go to the next tile", rank=5),
)
ACTIVITY = (
    command(
        Scope.ACTIVITY,
        "open_row",
        "o",
        "Open run",
        "Show the run that it is about, at its block; so does enter",
        rank=3,
    ),
)
