"""What an editor tells of each key of a workflow file."""

from collections.abc import Mapping
from typing import Final

__all__ = ["DESCRIPTIONS", "TITLE"]

TITLE = "A Tidegate workflow"

DESCRIPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "WorkflowDocument": {
        "name": "How the workflow is called: letters, digits, - and _.",
        "description": "For people.",
        "version": "For people.",
        "schedule": "waves: a wave starts when every block of the one before has ended, its questions included. "
        "eager: a block starts as soon as its own dependencies have ended.",
        "max_parallel": "Blocks that run at once in one run; one that asks a person needs no place.",
        "timeout": "Machine time of a whole run, like 2h; time spent waiting for people does not count.",
        "checkpoint": "Which positions get a name, what a failure means, what is kept.",
        "inputs": "What a run is given, by name: a type, or a mapping that says more.",
        "secrets": "What is kept nowhere: names of variables, or by name where each is read when a block starts.",
        "blocks": "The work, in the order in which it is shown and started.",
        "outputs": "What a run gives back; a block that did not run gives null.",
    },
    "SecretDocument": {
        "env": "A variable of the process that drives the run.",
        "file": "All of a file; relative to the workflow's folder, ~/ is the home of whoever drives the run.",
        "command": "What a program prints: the program and its arguments.",
        "answer": "A block that asks for it: GetInput with input_type: secret.",
    },
    "InputDocument": {
        "type": "What a value has to be.",
        "required": "Whether it must be given. By default it must, unless it has a default.",
        "default": "What it is when nothing is given.",
        "choices": "The only values that are taken.",
        "description": "For people.",
    },
    "BlockDocument": {
        "id": "Letters, digits, - and _, starting with a letter or _.",
        "type": "What kind of work it is; `tidegate blocks TYPE` says what it takes and gives.",
        "description": "For people.",
        "depends_on": "What must have ended before: a block, or several; {block: a, when: [failed]} for other outcomes.",
        "always": "Whether it runs whatever happened before it.",
        "condition": "One expression with a boolean result; false skips the block.",
        "inputs": "What the type takes.",
        "outputs": 'Further outputs, by name: "text with ${references}", over the block\'s own outputs too.',
        "timeout": "90s, 5m, 2h, 1h30m, or seconds. Of a block that asks: how long the question stays open.",
        "retry": "How often a failed attempt is repeated.",
        "on_failure": "What a failure means: the run fails, goes on, or waits for a person.",
        "for_each": "Once for each item of a list or a mapping.",
        "loop": "Again and again until it is done.",
        "checkpoint": "A checkpoint to mark when it succeeds.",
        "effect": "What running it twice would do: once, idempotent or pure.",
        "reversible": "false: what it does outside cannot be undone; whoever answers before it types the run's id.",
        "on_interrupt": "What to do if its process died while it ran. By default `once` asks, the others run again.",
    },
    "DependencyDocument": {
        "block": "Its id.",
        "when": "The outcomes after which this block may run.",
    },
    "RetryDocument": {
        "max_attempts": "All attempts, the first included.",
        "delay": "Before the second attempt.",
        "backoff": "What the delay is multiplied with after each further failure.",
        "max_delay": "No delay is longer.",
        "jitter": "0 to 1: by what part of itself a delay may be longer, at random.",
        "on": "Exit codes and kinds of failure that are worth another attempt.",
    },
    "ForEachDocument": {
        "items": "The list or mapping; of a mapping an item is {key: ..., value: ...}.",
        "key": "A text with ${item} or ${index} that names an item.",
        "max_parallel": "Items at once.",
        "fail_fast": "Whether no further item starts once one failed or was rejected.",
    },
    "LoopDocument": {
        "until": "An expression over the block's own outputs: true ends the loop.",
        "max_iterations": "After so many the block fails.",
        "delay": "Between two iterations.",
    },
    "MarkDocument": {
        "label": "How the checkpoint is called.",
        "metadata": "More about it, by name.",
    },
    "RetentionDocument": {
        "max_checkpoints": "How many are kept of a run, and how many finished runs of the workflow.",
        "max_age_days": "How long after its end a run is kept.",
        "keep_successful": "Whether the last success always stays.",
    },
    "CheckpointDocument": {
        "on": "Which positions become checkpoints.",
        "on_failure": "What a failure means for the whole run.",
        "retention": "How long finished runs are kept.",
    },
}
"""By the model of a section, then by key."""
