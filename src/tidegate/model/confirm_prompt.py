"""The question for a yes or a no."""

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json, JsonObject
from tidegate.model.question import OnReject, Question
from tidegate.model.raw_answer import checked
from tidegate.model.typed_text import read_boolean

__all__ = ["ConfirmPrompt"]


class ConfirmPrompt(Question, tag="confirm"):
    """Yes or no. Its `on_timeout` is never `default`."""

    message: str
    operation: str = ""
    details: JsonObject = {}
    on_reject: OnReject = OnReject.STOP

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "confirm"

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.message

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        return "yes or no (y, true, confirm, approve, ok / n, false, deny, reject)"

    def parse(self, raw: str) -> bool:
        """Return True for yes and False for no.

        Raises:
            InvalidAnswer: *raw* is neither. Silence and anything unclear is never taken for "no".
        """
        answer = read_boolean(checked(raw))
        if answer is None:
            raise InvalidAnswer(f"answer {self.rule}")
        return answer

    def spell(self, value: Json) -> str:
        """Return a text that `parse` reads as *value*."""
        return "yes" if value is True else "no"
