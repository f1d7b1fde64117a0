"""Reading one part of a file as a shape: which keys it may have, and what may stand there.

A shape is read leniently: a key that is wrong is reported and left out, and the rest of the file
is still looked at, so that one pass shows every fault.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.yaml_nodes import BadValue, Path, Plain

__all__ = ["Document", "Problem", "Read", "read_shape"]


class Document(BaseModel):
    """What all parts of a file have in common: nothing unknown is passed over."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
    later: ClassVar[frozenset[str]] = frozenset()
    """Keys that are known, and not supported by this version."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong, by where it is instead of by line."""

    path: Path
    message: str
    key: bool = False
    """Whether the last key of the path is meant, not its value."""


_Shape = TypeVar("_Shape", bound=Document)


@dataclass(frozen=True, slots=True)
class Read(Generic[_Shape]):
    """What could be read of a part of a file."""

    shape: _Shape | None
    """None when something without which nothing can be said is wrong."""
    problems: tuple[Problem, ...] = ()
    broken: frozenset[str] = frozenset()
    """The keys that are wrong, or in which something is."""
    kept: dict[str, object] = field(default_factory=dict)
    """What is left without them; set only when there are problems."""


def read_shape(model: type[_Shape], data: object, at: Path) -> Read[_Shape]:
    """Read *data*, which stands at *at*, as a *model*."""
    try:
        return Read(model.model_validate(data))
    except ValidationError as error:
        details = error.errors(include_url=False)
    problems = tuple(_problem(model, detail, at) for detail in details)
    if not isinstance(data, dict):
        return Read(None, problems)
    broken = frozenset(str(detail["loc"][0]) for detail in details if detail["loc"])
    kept = _without(data, [detail["loc"] for detail in details])
    try:
        shape = model.model_validate(kept)
    except ValidationError:
        return Read(None, problems, broken, kept)
    return Read(shape, problems, broken, kept)


def _without(data: dict[str, object], wrong: list[tuple[int | str, ...]]) -> dict[str, object]:
    """Return *data* without what is wrong: a key, or a key of the mapping below it."""
    kept = dict(data)
    for first, *deeper in wrong:
        section = kept.get(str(first))
        if deeper and isinstance(section, dict):
            kept[str(first)] = {key: value for key, value in section.items() if key != deeper[0]}
        else:
            kept.pop(str(first), None)
    return kept


def _problem(model: type[Document], detail: ErrorDetails, at: Path) -> Problem:
    inside = tuple(step for step in detail["loc"] if step != "[key]")
    path = at + inside
    match detail["type"]:
        case "extra_forbidden":
            return Problem(path, _unknown(_owner(model, inside), str(inside[-1])), key=True)
        case "missing":
            return Problem(path[:-1], f"{_section(inside)}'{inside[-1]}' is missing")
        case "value_error":
            return _bad_value(detail, inside, path)
        case kind:
            name = f"'{inside[-1]}': " if inside else ""
            return Problem(path, name + _expected(kind, detail))


def _section(inside: Path) -> str:
    """Return where inside of a part something is, for a sentence."""
    names = [str(step) for step in inside[:-1] if isinstance(step, str)]
    return f"{'.'.join(names)}: " if names else ""


def _bad_value(detail: ErrorDetails, inside: Path, path: Path) -> Problem:
    error: Any = detail.get("ctx", {}).get("error")
    deeper: Path = error.path if isinstance(error, BadValue) else ()
    name = ".".join(str(step) for step in inside + deeper)
    return Problem(path + deeper, f"{name}: {error}" if name else str(error))


def _owner(model: type[Document], inside: Path) -> type[Document]:
    """Return the shape of the mapping that holds the last key of *inside*."""
    for step in inside[:-1]:
        known = model.model_fields.get(str(step))
        model = (_shape_in(known.annotation) if known else None) or model
    return model


def _shape_in(annotation: object) -> type[Document] | None:
    if isinstance(annotation, type) and issubclass(annotation, Document):
        return annotation
    return next((found for part in get_args(annotation) if (found := _shape_in(part))), None)


def _unknown(model: type[Document], key: str) -> str:
    if key in model.later:
        return f"'{key}' is not supported by this version of Tidegate yet"
    return f"unknown key '{key}'{did_you_mean(key, [*model.model_fields, *model.later])}"


def _expected(kind: str, detail: ErrorDetails) -> str:
    found = detail["input"]
    empty = "is empty, " if isinstance(found, Plain) and found.value is None else ""
    match kind:
        case "list_type":
            return f"{empty}expected a list"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"{empty}expected a mapping (key: value)"
        case _:
            return str(detail["msg"])
