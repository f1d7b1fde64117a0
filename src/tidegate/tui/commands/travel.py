"""The commands of time travel. They look, and change nothing; a fork asks first, and is another run."""

from tidegate.tui.commands.command import Scope, command

__all__ = ["TRAVEL"]

_TRAVEL = Scope.TRAVEL

TRAVEL = (
    command(_TRAVEL, "step_back", "left_square_bracket", "Before", "Go to the checkpoint before", rank=3),
    command(_TRAVEL, "step_on", "right_square_bracket", "After", "Go to the next checkpoint", rank=4),
    command(_TRAVEL, "wave_back", "left_curly_bracket", "Wave before", "Go to where a wave before starts"),
    command(_TRAVEL, "wave_on", "right_curly_bracket", "Next wave", "Go to where the next wave starts"),
    command(_TRAVEL, "event_back", "left_parenthesis", "Event before", "Go to the event before"),
    command(_TRAVEL, "event_on", "right_parenthesis", "Next event", "Go to the next event"),
    command(
        _TRAVEL,
        "now",
        "full_stop",
        "Now",
        "Go to where the run is now; in the list of checkpoints g is its start, and G is now",
        rank=8,
    ),
    command(
        _TRAVEL,
        "go_to",
        "number_sign",
        "Go to",
        "Type where to go: a checkpoint's number or id, an event as @214",
    ),
    command(
        _TRAVEL,
        "next_base",
        "d",
        "Base",
        "Compare with something else: the checkpoint before, the marked one, now, the run it was forked from, "
        "the last run that succeeded, another run once D has chosen one",
        rank=5,
    ),
    command(
        _TRAVEL,
        "other_run",
        "D",
        "Other run",
        "Compare with another run, where the block one is at stood as it does here: choose one of the same "
        "workflow, or type the id of any run, or a point as RUN@12",
    ),
    command(_TRAVEL, "mark", "x", "Mark", "Mark this point, to compare others with it; or take the mark off"),
    command(
        _TRAVEL,
        "bookmark",
        "b",
        "Bookmark",
        "Call this point something: it is a checkpoint then, with a label",
    ),
    command(_TRAVEL, "unified", "u", "Unified", "Show differences below each other"),
    command(_TRAVEL, "split", "s", "Split", "Show differences side by side"),
    command(
        _TRAVEL,
        "leave_out",
        "minus",
        "Leave out",
        "Type paths that shall not count as differences, as blocks.*.outputs.stamp; several with blanks",
    ),
    command(
        _TRAVEL, "timing", "t", "Times", "Let times and numbers of attempts count as differences, or not"
    ),
    command(
        _TRAVEL, "next_change", "n", "Next change", "Go to where the value under the cursor changes next"
    ),
    command(
        _TRAVEL, "last_change", "N", "Change before", "Go to where the value under the cursor changed before"
    ),
    command(
        _TRAVEL, "show_output", "l", "Output", "Show what the block wrote, or the differences again", rank=9
    ),
    command(
        _TRAVEL,
        "filter",
        "slash",
        "Find",
        "Show only checkpoints, or in the state only names and values, with all the words you type; n and N go from one "
        "to the next there; esc shows all again",
    ),
    command(_TRAVEL, "copy_path", "y", "Copy path", "Copy where the value under the cursor stands"),
    command(_TRAVEL, "copy_value", "Y", "Copy value", "Copy the value under the cursor, as JSON"),
    command(
        _TRAVEL,
        "show_json",
        "v",
        "As JSON",
        "Show the value under the cursor as JSON, with all below it; on the run's own line, the whole state",
    ),
    command(
        _TRAVEL,
        "copy_command",
        "P",
        "Copy command",
        "Copy the command that shows, compares or forks what is in the pane you are in",
    ),
    command(
        _TRAVEL, "fork", "F", "Fork", "Make another run that goes on from this point; asks first", rank=7
    ),
    command(
        _TRAVEL,
        "edit",
        "e",
        "Edit, fork",
        "Change the value under the cursor in another run that goes on from here; asks first",
    ),
    command(
        _TRAVEL,
        "rerun",
        "R",
        "Fork, rerun",
        "The same, with the block under the cursor, or the wave, run again; asks first",
    ),
    command(
        _TRAVEL,
        "inside",
        "i",
        "Inside",
        "Show the run that does the work of the block under the cursor, as it stood then; esc comes back",
        rank=10,
    ),
    command(_TRAVEL, "open_run", "o", "Open run", "Show the run as it is now"),
    command(_TRAVEL, "next_pane", "tab", "Pane", "Go to the next pane", rank=6),
    command(_TRAVEL, "pane_before", "shift+tab", "Pane before", "Go to the pane before"),
)
