"""The check of a workflow file's questions: what can be seen in spite of references inside `show` and `fields`.

A list of exhibits or fields nearly always holds a reference somewhere. That hides the value it stands
for, not the faults of its neighbours.
"""

from collections.abc import Callable, Iterator, Mapping

from pydantic_core import PydanticCustomError

from tidegate.blocks.checks import Inputs, input_check
from tidegate.blocks.interactive_form import AskFormInputs, field_problems, read_items
from tidegate.blocks.interactive_show import read_exhibits
from tidegate.model.base import Json
from tidegate.model.catalog import InputProblem, InputSpec, SpeakingCheck

__all__ = ["QuestionCheck"]


class QuestionCheck:
    """The check of one type's inputs; an `InputCheck`."""

    def __init__(self, model: type[Inputs]) -> None:
        self._model = model
        self._plain = input_check(model)

    def __call__(self, inputs: Mapping[str, Json], holds: Callable[[Json], bool]) -> tuple[InputProblem, ...]:
        """Return every problem that can be seen without running."""
        # Both see the same where nothing hides it.
        return tuple(dict.fromkeys((*self._plain(inputs, holds), *self._inside(inputs, holds))))

    def inputs(self) -> tuple[InputSpec, ...]:
        """Return what the type takes."""
        plain: object = self._plain
        return plain.inputs() if isinstance(plain, SpeakingCheck) else ()

    def _inside(self, inputs: Mapping[str, Json], holds: Callable[[Json], bool]) -> Iterator[InputProblem]:
        show, fields = inputs.get("show"), inputs.get("fields")
        if isinstance(show, list):
            # A text with a reference is a text already, whatever it will be.
            yield from _shape_problem("show", read_exhibits, show)
        if issubclass(self._model, AskFormInputs) and _is_readable(fields, holds):
            yield from _in_fields(fields, holds)


def _in_fields(fields: Json, holds: Callable[[Json], bool]) -> Iterator[InputProblem]:
    try:
        yield from field_problems(read_items(fields), holds)
    except PydanticCustomError:
        yield from _shape_problem("fields", read_items, fields)


def _shape_problem(name: str, read: Callable[[Json], object], value: Json) -> Iterator[InputProblem]:
    try:
        read(value)
    except PydanticCustomError as error:
        yield InputProblem((name,), f"'{name}' {error.message()}")


def _is_readable(fields: Json, holds: Callable[[Json], bool]) -> bool:
    """Return whether no reference in *fields* hides a whole field or its id."""
    if isinstance(fields, dict):
        return not any(holds(name) or holds(field) for name, field in fields.items())
    if isinstance(fields, list):
        return not any(
            holds(field) or (isinstance(field, dict) and holds(field.get("id"))) for field in fields
        )
    return False
