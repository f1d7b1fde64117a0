"""What `AskForm` takes: fields, each like an `AskChoice` or a `GetInput`, as a list or as a mapping.

    fields:
      - {id: size, label: "Which size?", choices: [small, large]}
      - {id: replicas, input_type: integer, min: 1, default: 2}

Fields may come from data (`fields: "${plan.result}"`); they are read when the form is asked then.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, TypeAlias

from pydantic import AliasChoices, BeforeValidator, Field

from tidegate.blocks.checks import Inputs, MaybeText, describe, input_check, parse_inputs, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.blocks.interactive_inputs import ASSIGNEE, COMMENT, SHOW, PlainComment
from tidegate.blocks.interactive_questions import (
    Assignee,
    ChoiceRules,
    Expiry,
    TypedRules,
    choice_prompt,
    input_prompt,
)
from tidegate.blocks.interactive_show import Shown
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import InputProblem
from tidegate.model.form_prompt import MAX_FIELDS, FormField, FormPrompt
from tidegate.model.prompt import CommentRule, InputKind, OnTimeout

__all__ = ["AskFormInputs", "field_problems", "read_items"]

_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
_LABEL = 4_000
"""Characters of a label: text from outside may be a book."""


def _label(value: object) -> object:
    if isinstance(value, str) and not value.strip():
        raise wrong("must not be empty: a person has to know what is asked")
    if isinstance(value, str) and len(value) > _LABEL:
        raise wrong(f"has {len(value):,} characters; at most {_LABEL:,} are shown")
    return value


def _flag(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise wrong(f"must be true or false, not {describe(value)}")


Label: TypeAlias = Annotated[MaybeText, BeforeValidator(_label)]
Required: TypeAlias = Annotated[bool | None, BeforeValidator(_flag)]


class ChoiceFieldInputs(ChoiceRules):
    """A field that is chosen from a list."""

    label: Label = Field(default=None, validation_alias=AliasChoices("label", "prompt", "question"))
    required: Required = None


class TypedFieldInputs(TypedRules):
    """A field that is typed."""

    label: Label = Field(default=None, validation_alias=AliasChoices("label", "prompt", "question"))
    required: Required = None

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        yield from super().conflicts()
        if self.input_type is InputKind.SECRET:
            yield InputProblem(
                ("input_type",), "a form asks for no secret: ask for it with a GetInput of its own"
            )


Item: TypeAlias = tuple[str | int, str, JsonObject]
"""Where it stands in `fields`, its id, and what else the file says of it."""


def read_items(value: object) -> tuple[Item, ...]:
    """Return the fields as items; only their shape is read.

    Raises:
        PydanticCustomError: they have none; the text follows the input's name.
    """
    items: list[tuple[object, object, JsonObject]]
    if isinstance(value, Mapping):
        items = [(name, name, _of_mapping(name, given)) for name, given in value.items()]
    elif isinstance(value, list):
        items = [(position, *_of_list(position, given)) for position, given in enumerate(value)]
    else:
        raise wrong(f"must be a list of fields, or a mapping of ids to fields, not {describe(value)}")
    if not 1 <= len(items) <= MAX_FIELDS:
        raise wrong(f"holds {len(items):,} fields; a form has 1 to {MAX_FIELDS}")
    ids = _ids(name for _, name, _ in items)
    places = (
        where if isinstance(where, int) else name for (where, _, _), name in zip(items, ids, strict=True)
    )
    return tuple(zip(places, ids, (given for _, _, given in items), strict=True))


def _of_mapping(name: object, given: object) -> JsonObject:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise wrong(
            f"has, as field {describe(name)}, {describe(given)}; it must be a mapping like {{label: ...}}"
        )
    if "id" in given:
        raise wrong(f"has an 'id' in field {describe(name)}, which has its id already: it is the key")
    return dict(given)


def _of_list(position: int, given: object) -> tuple[object, JsonObject]:
    if not isinstance(given, Mapping) or "id" not in given:
        raise wrong(f"has, as field {position + 1}, {describe(given)}; it must be a mapping with an 'id'")
    return given["id"], {name: value for name, value in given.items() if name != "id"}


def _ids(names: Iterable[object]) -> list[str]:
    ids: list[str] = []
    for name in names:
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise wrong(
                f"has the id {describe(name)}; an id is 1 to 64 letters, digits, - and _, no digit first"
            )
        if name in ids:
            raise wrong(f"has the id '{name}' twice")
        ids.append(name)
    return ids


def _model(given: JsonObject) -> type[ChoiceFieldInputs] | type[TypedFieldInputs]:
    return ChoiceFieldInputs if "choices" in given else TypedFieldInputs


def field_problems(items: tuple[Item, ...], holds: Callable[[Json], bool]) -> Iterator[InputProblem]:
    """Yield what is wrong with fields, each at its place.

    Args:
        items: As the inputs hold them.
        holds: Whether a value is not known yet.
    """
    for where, name, given in items:
        for problem in input_check(_model(given))(given, holds):
            yield InputProblem(("fields", where, *problem.path), f"field '{name}': {problem.message}")


def _unknown(_: Json) -> bool:
    return False


class AskFormInputs(Inputs):
    """What is to be filled in."""

    message: MaybeText = Field(default=None, description="What the form is about.")
    fields: Annotated[tuple[Item, ...], BeforeValidator(read_items), Kind("list | mapping")] = Field(
        description="The fields: a list of mappings with `id`, or a mapping of ids to fields. Each has `label`, "
        "`required` and `default`, and is otherwise like an AskChoice (`choices multiple min max`) or a GetInput "
        "(`input_type validation_pattern multiline min max max_length`). It may be left out if `required` is "
        "false, or has not been said and there is a default."
    )
    on_timeout: Expiry = Field(
        default=OnTimeout.FAIL,
        description="What a deadline does; `default` needs one for every required field.",
    )
    comment: PlainComment = Field(default=CommentRule.OPTIONAL, description=COMMENT)
    show: Shown = Field(default=(), description=SHOW)
    assignee: Assignee = Field(default=None, description=ASSIGNEE)

    def prompt(self) -> FormPrompt:
        """Return what the person is asked."""
        return FormPrompt(
            message=self.message or "",
            fields=tuple(_field(name, given) for _, name, given in self.fields),
            on_timeout=self.on_timeout,
            comment_rule=self.comment,
            show=self.show,
            assignee=self.assignee or "",
        )

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs, and in the fields."""
        wrong_fields = list(field_problems(self.fields, _unknown))
        yield from wrong_fields
        if self.on_timeout is OnTimeout.DEFAULT and not wrong_fields:
            yield from map(_about_deadline, filter(_keeps_silence_from, self.prompt().fields))


def _field(name: str, given: JsonObject) -> FormField:
    read = parse_inputs(_model(given), given)
    required = read.default is None if read.required is None else read.required
    label = name if read.label is None else read.label
    if isinstance(read, ChoiceFieldInputs):
        return FormField(id=name, prompt=choice_prompt(read, label), required=required)
    return FormField(id=name, prompt=input_prompt(read, label, required=required), required=required)


def _keeps_silence_from(field: FormField) -> bool:
    """Whether a field does not let a deadline fill in the form."""
    return field.default_value is True or (field.required and field.default_value is None)


def _about_deadline(field: FormField) -> InputProblem:
    says_yes = field.default_value is True
    problem = "would take silence for a yes in" if says_yes else "needs a 'default' of"
    return InputProblem(("on_timeout",), f"'on_timeout: default' {problem} the field '{field.id}'")
