"""The question about a block that was running when its process died, or that failed and is to ask."""

from enum import StrEnum

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json, JsonObject, Noun
from tidegate.model.exhibit import Exhibit
from tidegate.model.question import CommentRule, SentBack
from tidegate.model.raw_answer import checked
from tidegate.model.typed_text import as_json, read_json

__all__ = ["Evidence", "RecoveryAction", "RecoveryPrompt"]

_OUTPUT_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "map": (dict,),
}


class RecoveryAction(StrEnum):
    """What to do with a block that was cut off, or that failed."""

    RERUN = "rerun"
    """Run it again, with the same idempotency key."""
    DONE = "done"
    """It did its work: go on with its dependants."""
    SKIP = "skip"
    FAIL = "fail"


class Evidence(Noun):
    """What is known of a block that was cut off, or that failed."""

    started_at: float
    """Seconds since 1970 UTC."""
    reason: str = ""
    """What became of the process that ran it."""
    last_output: str = ""
    """Its last lines, bounded."""
    still_running: tuple[int, ...] = ()
    """The pids of what it started and what was still at work when the question opened."""


class RecoveryPrompt(Noun, tag="recovery"):
    """What to do with a block that may or may not have done its work, or that failed."""

    block: str
    attempt: int
    command: str = ""
    """What it was running, for the person to recognise."""
    evidence: Evidence
    outputs: dict[str, str] = {}
    """The outputs that its type has, each with its type (`string`, `integer`, ...)."""
    failure: str = ""
    """Why it failed; empty: it was cut off."""

    @property
    def show(self) -> tuple[Exhibit, ...]:
        """What is laid before the person besides `evidence`: nothing."""
        return ()

    @property
    def sent_back(self) -> SentBack | None:
        """Why it is asked anew: it is not."""
        return None

    @property
    def assignee(self) -> str:
        """Whose business it is: anybody's."""
        return ""

    @property
    def comment_rule(self) -> CommentRule:
        """Whether the answer needs a comment."""
        return CommentRule.OPTIONAL

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "recovery"

    @property
    def text(self) -> str:
        """What the person reads."""
        return f"{self._happened()}{self._still_running()}"

    def _happened(self) -> str:
        if self.failure:
            why = self.failure.strip().rstrip(".")
            return (
                f"Block '{self.block}' failed: {why}. Run it again, mark it as done, skip it, or let it fail?"
            )
        happened = f"Block '{self.block}' was running when {self.evidence.reason or 'its process died'}."
        return (
            happened if self.evidence.still_running else f"{happened} It may or may not have done its work."
        )

    def _still_running(self) -> str:
        if not self.evidence.still_running:
            return ""
        pids = ", ".join(map(str, self.evidence.still_running))
        return f" What it started was still at work when this was asked: process {pids}. Running it again ends that first."

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        fail = "fail (let it fail)" if self.failure else "fail"
        return (
            "type rerun (run it again), done (it did its work; outputs may follow as JSON, "
            f'like: done {{"stdout": "ok"}}), skip or {fail}'
        )

    def parse(self, raw: str) -> Json:
        """Return ``{"action": ...}``, for `done` with ``"outputs"``.

        Raises:
            InvalidAnswer: *raw* names no action, or its outputs are no JSON object.
        """
        word, *more = checked(raw).split(maxsplit=1) or [""]
        action, rest = word.casefold(), "".join(more)
        if action not in set(RecoveryAction):
            raise InvalidAnswer(self.rule)
        if action != RecoveryAction.DONE:
            if rest.strip():
                raise InvalidAnswer(f"only done takes outputs: {self.rule}")
            return {"action": action}
        return {"action": action, "outputs": self._outputs(rest.strip())}

    def spell(self, value: Json) -> str:
        """Return a text that `parse` reads as *value*."""
        answer = value if isinstance(value, dict) else {}
        outputs = answer.get("outputs")
        return f"{answer.get('action')} {as_json(outputs)}" if outputs else str(answer.get("action"))

    def _outputs(self, text: str) -> JsonObject:
        try:
            outputs = read_json(text) if text else {}
        except InvalidAnswer as error:
            raise InvalidAnswer(f"the outputs are no JSON object: {error.rule}") from error
        if not isinstance(outputs, dict):
            raise InvalidAnswer(f"the outputs are no JSON object: {as_json(outputs)[:80]}")
        for name, value in outputs.items():
            self._check_output(name, value)
        return outputs

    def _check_output(self, name: str, value: Json) -> None:
        """Refuse an output that the block's type does not have, or not with such a value."""
        if not self.outputs:
            return
        if name not in self.outputs:
            raise InvalidAnswer(f"the block has no output '{name}': it has {', '.join(sorted(self.outputs))}")
        wanted = self.outputs[name]
        if wanted in _OUTPUT_TYPES and type(value) not in _OUTPUT_TYPES[wanted]:
            raise InvalidAnswer(f"the output '{name}' is a {wanted}, and this is {value!r}")
