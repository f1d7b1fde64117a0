"""The `secrets` section of a workflow file: which there are, and where each is read."""

import re
from typing import Annotated

from pydantic import BeforeValidator

from tidegate.model.ids import BlockId
from tidegate.model.secret import (
    FromAnswer,
    FromCommand,
    FromEnvironment,
    FromFile,
    SecretDefinition,
    SecretSource,
)
from tidegate.workflows.fields import identifier
from tidegate.workflows.shape import Document, Problem, read_shape
from tidegate.workflows.yaml_nodes import BadValue, Path, as_text

__all__ = ["VARIABLE", "SecretDocument", "long_form", "read_secrets"]

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""What a variable of the environment may be called here, all of it."""
_KINDS = "{env: VARIABLE}, {file: PATH}, {command: [PROGRAM, ARGUMENT]} or {answer: BLOCK}"


def _constant(data: object) -> str:
    text = as_text(data)
    if not text.strip() or "\0" in text:
        raise BadValue("expected a text with something in it")
    if "${" in text:
        raise BadValue("takes no reference: a secret has the same source in every run")
    return text


def _variable(data: object) -> str:
    text = _constant(data)
    if not VARIABLE.fullmatch(text):
        raise BadValue(f"'{text}' is no name of a variable: letters, digits and _")
    return text


def _program(data: object) -> tuple[str, ...]:
    if not isinstance(data, list) or not data:
        raise BadValue("expected a list of a program and its arguments, like [pass, show, deploy]")
    words: list[str] = []
    for index, item in enumerate(data):
        try:
            words.append(_constant(item))
        except BadValue as error:
            raise BadValue(error.message, (index,)) from None
    return tuple(words)


class SecretDocument(Document):
    """One entry of a workflow's `secrets`: exactly one source."""

    env: Annotated[str, BeforeValidator(_variable)] | None = None
    file: Annotated[str, BeforeValidator(_constant)] | None = None
    command: Annotated[tuple[str, ...], BeforeValidator(_program)] | None = None
    answer: Annotated[str, BeforeValidator(_constant)] | None = None

    def sources(self) -> tuple[SecretSource, ...]:
        """Return every source that is written."""
        found = (
            FromEnvironment(variable=self.env) if self.env is not None else None,
            FromFile(path=self.file) if self.file is not None else None,
            FromCommand(words=self.command) if self.command is not None else None,
            FromAnswer(block=BlockId(self.answer)) if self.answer is not None else None,
        )
        return tuple(source for source in found if source is not None)


def long_form(data: object) -> object:
    """Return the section as a mapping: a list names secrets, each the variable that is called like it."""
    if not isinstance(data, list):
        return data
    found: dict[str, object] = {}
    for index, item in enumerate(data):
        try:
            name = _variable(item)
        except BadValue as error:
            hint = f"; to say where a secret is, write NAME: {_KINDS}"
            raise BadValue(error.message + hint, (index,)) from None
        if name in found:
            raise BadValue(f"'{name}' stands twice: remove one", (index,))
        found[name] = {"env": name}
    return found


def read_secrets(section: dict[str, object]) -> tuple[tuple[SecretDefinition, ...], tuple[Problem, ...]]:
    """Read the section; a secret that is wrong is reported and kept by its name, so that it stays known."""
    definitions: list[SecretDefinition] = []
    problems: list[Problem] = []
    for name, data in section.items():
        source, found = _read_secret(name, data)
        problems.extend(found)
        definitions.append(SecretDefinition(name=name, source=source or FromEnvironment(variable=name)))
    return tuple(definitions), tuple(problems)


def _read_secret(name: str, data: object) -> tuple[SecretSource | None, tuple[Problem, ...]]:
    at: Path = ("secrets", name)
    try:
        identifier(name)
    except BadValue as error:
        return None, (Problem(at, f"secret name: {error}", key=True),)
    if not isinstance(data, dict):
        # What stands there may be the secret itself: it is not shown.
        return None, (Problem(at, f"secret '{name}': expected where it is read, {_KINDS}"),)
    read = read_shape(SecretDocument, data, at)
    if read.shape is None or read.problems:
        return None, read.problems
    sources = read.shape.sources()
    if len(sources) != 1:
        several = "has several sources" if sources else "has no source"
        return None, (Problem(at, f"secret '{name}' {several}: write one, {_KINDS}"),)
    return sources[0], ()
