"""What a fork changes: as it was asked for, and as it was read."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.fork_events import KeptAnswer
from tidegate.model.ids import BlockId
from tidegate.model.lineage import Edit

__all__ = ["Edit", "EditedValue", "Edits", "InvalidEdit"]


class InvalidEdit(InputsError):
    """Something cannot be changed in a fork, or not to this."""

    def __init__(self, path: Sequence[str | int], problem: str) -> None:
        """Say what.

        Args:
            path: Where.
            problem: Why not, and what would be right.
        """
        super().__init__("", (problem,))
        self.path = tuple(path)
        self.args = (f"{'.'.join(map(str, path))}: {problem}",)


@dataclass(frozen=True, slots=True)
class EditedValue:
    """A value that is another one in a fork, as a whole."""

    path: tuple[str, ...]
    before: Json
    """None also where there was nothing."""
    after: Json


@dataclass(slots=True)
class Edits:
    """All of them, by where they belong."""

    inputs: JsonObject = field(default_factory=dict)
    given: dict[BlockId, JsonObject] = field(default_factory=dict)
    outputs: dict[BlockId, JsonObject] = field(default_factory=dict)
    variables: JsonObject = field(default_factory=dict)
    answers: dict[BlockId, KeptAnswer] = field(default_factory=dict)
    """By the place that asks; it asks again, and so does everything downstream run again."""
    values: dict[tuple[str, ...], EditedValue] = field(default_factory=dict)

    def note(self, path: tuple[str, ...], before: Json, after: Json) -> None:
        """Remember what has become of a value; several edits may change parts of it."""
        first = self.values.get(path)
        self.values[path] = EditedValue(path, first.before if first is not None else before, after)
