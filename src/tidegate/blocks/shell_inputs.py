"""What a Shell block takes."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, TypeAlias

from pydantic import AliasChoices, BeforeValidator, Field, ValidationInfo

from tidegate.blocks.checks import Flag, Inputs, MaybeText, as_rendered, describe, word_of, written, wrong
from tidegate.blocks.input_types import scalars
from tidegate.model.catalog import InputProblem

__all__ = ["Parse", "ShellInputs"]


class Parse(StrEnum):
    """How standard output becomes the output `result`."""

    JSON = "json"
    LINES = "lines"


def _command(value: object) -> object:
    if isinstance(value, str):
        if not value.strip():
            raise wrong("must not be empty")
        return value
    if not isinstance(value, list):
        raise wrong(f"must be shell text, or a list of a program and its arguments, not {describe(value)}")
    if not value or value[0] == "":
        raise wrong("must start with a program")
    return tuple(_argument(item) for item in value)


def _argument(item: object) -> str:
    if not isinstance(item, str | bool | int | float):
        raise wrong(f"must be a list of texts; it holds {describe(item)}")
    return written(item)


_read_variables = scalars("variable", names=re.compile(r"[^=\0]+"))


def _variables(value: object, info: ValidationInfo) -> object:
    if isinstance(value, Mapping):
        value = {name: as_rendered(item, info) for name, item in value.items()}
    return _read_variables(value)


Command: TypeAlias = Annotated[str | tuple[str, ...], BeforeValidator(_command)]
Variables: TypeAlias = Annotated[dict[str, str], BeforeValidator(_variables)]


def _program_name(value: object) -> object:
    if not isinstance(value, str) or not value.strip():
        raise wrong(f"must be the name or the path of a shell, not {describe(value)}")
    return value


class ShellInputs(Inputs):
    """What to run, with what, and what its end means."""

    command: Command
    """Text for the shell; or a program and its arguments, which no shell ever sees."""
    continue_on_error: Flag = Field(
        default=False, validation_alias=AliasChoices("continue-on-error", "continue_on_error")
    )
    """Whether a command that fails completes the block, with `success` false."""
    env: Variables = {}
    """Further environment variables."""
    working_dir: MaybeText = None
    """Relative to the workflow's folder. It must exist; `~` is not expanded."""
    stdin: MaybeText = None
    """Text for its standard input; without one it reads from /dev/null."""
    parse: Annotated[Parse, word_of(Parse)] | None = None
    """What the output `result` is made of standard output; without it there is none."""
    shell: Annotated[str, BeforeValidator(_program_name)] = "/bin/sh"
    """Runs shell text with `-c`; looked up on the PATH unless it is a path."""

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        if not isinstance(self.command, str) and "shell" in self.model_fields_set:
            yield InputProblem(("shell",), "'shell' has no effect when 'command' is a list")
