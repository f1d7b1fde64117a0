"""The question about a block that was running when its process died."""

from enum import StrEnum

import msgspec

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json, JsonObject, Noun
from tidegate.model.raw_answer import checked

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
    """What to do with a block that was running when its process died."""

    RERUN = "rerun"
    """Run it again, with the same idempotency key."""
    DONE = "done"
    """It did its work: go on with its dependants."""
    SKIP = "skip"
    FAIL = "fail"


class Evidence(Noun):
    """What is known of a block that was running when its process died."""

    started_at: float
    """Seconds since 1970 UTC."""
    reason: str = ""
    """What became of the process that ran it."""
    last_output: str = ""
    """Its last lines, bounded."""
    still_running: tuple[int, ...] = ()
    """The pids of what it started and what was still at work when the question opened."""


class RecoveryPrompt(Noun, tag="recovery"):
    """What to do with a block that may or may not have done its work."""

    block: str
    attempt: int
    command: str = ""
    """What it was running, for the person to recognise."""
    evidence: Evidence
    outputs: dict[str, str] = {}
    """The outputs that its type has, each with its type (`string`, `integer`, ...)."""

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "recovery"

    @property
    def text(self) -> str:
        """What the person reads."""
        happened = f"Block '{self.block}' was running when {self.evidence.reason or 'its process died'}."
        if not self.evidence.still_running:
            return f"{happened} It may or may not have done its work."
        pids = ", ".join(map(str, self.evidence.still_running))
        return f"{happened} What it started was still at work when this was asked: process {pids}. Running it again ends that first."

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        return (
            "type rerun (run it again), done (it did its work; outputs may follow as JSON, "
            'like: done {"stdout": "ok"}), skip or fail'
        )

    def parse(self, raw: str) -> Json:
        """Return ``{"action": ...}``, for `done` with ``"outputs"``.

        Raises:
            InvalidAnswer: *raw* names no action, or its outputs are no JSON object.
        """
        word, _, rest = checked(raw).strip().partition(" ")
        action = word.casefold()
        if action not in set(RecoveryAction):
            raise InvalidAnswer(self.rule)
        if action != RecoveryAction.DONE:
            if rest.strip():
                raise InvalidAnswer(f"only done takes outputs: {self.rule}")
            return {"action": action}
        return {"action": action, "outputs": self._outputs(rest.strip())}

    def _outputs(self, text: str) -> JsonObject:
        if not text:
            return {}
        try:
            outputs: JsonObject = msgspec.json.decode(text, type=dict[str, Json])
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise InvalidAnswer(f"the outputs are no JSON object: {error}") from error
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
