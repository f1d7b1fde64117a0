"""What a journal says of a run that goes on from a point of another one."""

import hashlib

import msgspec

from tidegate.model.base import JsonObject, Noun
from tidegate.model.ids import BlockId, PauseId
from tidegate.model.lineage import Origin, Parent
from tidegate.model.prompt import Answer, Prompt
from tidegate.model.workflow import WorkflowDefinition

__all__ = ["KeptAnswer", "RunForked", "question_key"]


class KeptAnswer(Noun):
    """An answer that was given in another run, and counts again where the very same question is asked."""

    question: str
    """Which one: see `question_key`."""
    answer: Answer
    pause_id: PauseId
    """The pause that was answered."""


class RunForked(Noun, tag="run_forked"):
    """A run exists that goes on from a point of another one. The first event of its own.

    What had ended at that point stays as it is, but for what is said here; all else begins again.
    """

    origin: Origin
    former: Origin | None = None
    """Where this journal has all that it goes on from for its own, as an imported one has, and *origin* is a point
    of itself: the point of the other run that it was."""
    definition: str
    """Its hash."""
    workflow: WorkflowDefinition | None = None
    """What it is pinned to, where that is another definition than that of the other run."""
    by: str = ""
    parent: Parent | None = None
    """Where it does the work of a block whose own run was forked."""
    again: tuple[BlockId, ...] = ()
    """Places that begin anew, though they had begun, or even ended."""
    inputs: JsonObject = {}
    """Inputs of the run that are other ones now."""
    given: dict[BlockId, JsonObject] = {}
    """Inputs of blocks that are other ones than the workflow says, by block."""
    outputs: dict[BlockId, JsonObject] = {}
    """Outputs that are other ones than their blocks gave, by place."""
    variables: JsonObject = {}
    """Of the run's own state, what is other than its blocks have set it."""
    kept: dict[BlockId, tuple[KeptAnswer, ...]] = {}
    """Answers that count again, by the place that asks, in the order in which they were given."""
    keep_answers: bool = False
    """Whether that holds for runs which its blocks start again, too."""
    children: dict[BlockId, Origin] = {}
    """Places whose work another run was doing, with the point from which that goes on."""

    @property
    def forked_from(self) -> Origin:
        """The point of the other run, whoever has its events now."""
        return self.former or self.origin


def question_key(prompt: Prompt) -> str:
    """Return what tells a question from any other: a hash of all that a person is shown with it."""
    return hashlib.blake2b(msgspec.json.encode(prompt), digest_size=16).hexdigest()
