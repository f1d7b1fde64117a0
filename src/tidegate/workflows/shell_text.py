"""Values in shell commands: always data, never syntax.

A reference becomes an environment variable, written as its place in the command needs it. The text
that the shell gets is the text of the file but for that, so what a value contains can never decide
how the command is read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from tidegate.errors import ExpressionError
from tidegate.workflows.cel_programs import CelExpression
from tidegate.workflows.references import Reference
from tidegate.workflows.scope import Names, Scope
from tidegate.workflows.shell_lexer import bind_references
from tidegate.workflows.templates import Template, as_shown, compile_part
from tidegate.workflows.text_parts import closing, parse_part

__all__ = ["ShellTemplate", "bind_shell"]

VARIABLE = "TIDEGATE_VALUE_"
_MAX_VALUE = 128 * 1024 - 64
"""Bytes. Linux takes 128 KiB for one variable with its name; a longer one fails with a riddle."""
_PATH = re.compile(
    r"\$\{\s*([A-Za-z_][A-Za-z0-9_-]*)((?:\.[A-Za-z0-9_-]+|\[[0-9]+\]|\['[^']*'\]|\[\"[^\"]*\"\])*)\s*"
)
_Bound = Reference | CelExpression
Foreign: TypeAlias = Callable[[str, int], None]
"""Called with a shell text and the position of a `${` in it."""


@dataclass(frozen=True)
class ShellTemplate:
    """A shell command whose references are bound to variables."""

    text: str
    """As written."""
    command: str
    """What the shell gets."""
    variables: tuple[tuple[str, _Bound], ...]

    @property
    def references(self) -> tuple[Reference, ...]:
        """Everything it reads."""
        return Template(self.text, tuple(part for _, part in self.variables)).references

    @property
    def expressions(self) -> tuple[CelExpression, ...]:
        """The expressions in it."""
        return Template(self.text, tuple(part for _, part in self.variables)).expressions

    @property
    def blocks(self) -> frozenset[str]:
        """The blocks whose outputs or status it may read."""
        return Template(self.text, tuple(part for _, part in self.variables)).blocks

    def evaluate(self, scope: Scope) -> tuple[str, dict[str, str]]:
        """Return the text for the shell, and the environment it needs beside its own.

        Raises:
            ExpressionError: a value is missing, or no environment can carry it.
        """
        return self.command, {variable: _carried(part, scope) for variable, part in self.variables}


def _carried(part: _Bound, scope: Scope) -> str:
    value = part.evaluate(scope)
    if value is None:
        raise ExpressionError(part.source, "it has no value (null): write a default, like ${name ?? 'none'}")
    text = as_shown(value)
    if "\0" in text:
        raise ExpressionError(
            part.source, "its value contains a NUL character, which no command can be given"
        )
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise ExpressionError(part.source, "its value is no valid text (a lone surrogate)") from None
    if size > _MAX_VALUE:
        problem = (
            f"its value has {size:,} bytes; a command can be given {_MAX_VALUE:,}: pass it in a file instead"
        )
        raise ExpressionError(part.source, problem)
    return text


@dataclass(slots=True)
class _Binder:
    """Tells references of ours from the shell's own, and gives each a variable."""

    names: Names
    first: int
    foreign: Foreign | None = None
    variables: dict[str, tuple[str, _Bound]] = field(default_factory=dict)
    """By source: the same reference twice is one variable."""

    def recognise(self, text: str, position: int) -> tuple[str, str, int] | None:
        if not text.startswith("${", position):
            return None
        if not self._is_ours(text, position):
            if self.foreign is not None:
                self.foreign(text, position)
            return None
        end = closing(text, position + 1)
        source = text[position : end if end > 0 else position + 40]
        if end < 0:
            raise ExpressionError(source, "the brace is never closed; write $${ for the text itself")
        return source, self._variable(source), end

    def _variable(self, source: str) -> str:
        if source not in self.variables:
            part = compile_part(parse_part(source), self.names)
            assert not isinstance(part, str)  # noqa: S101  # a text between braces is a reference or an expression
            self.variables[source] = (f"{VARIABLE}{self.first + len(self.variables)}", part)
        return self.variables[source][0]

    def _is_ours(self, text: str, position: int) -> bool:
        """Return whether a `${` starts a reference of ours, right or wrong; `${X}` of no known name does not."""
        if text.startswith("${{", position):
            return True
        found = _PATH.match(text, position)
        if found is None:
            return False
        known = self.names.knows(found.group(1))
        after = text[found.end() : found.end() + 2]
        # No shell knows a dot in a variable's name: a wrong one must not reach it as an empty text.
        dotted = "." in re.sub(r"\[[^\]]*\]", "", found.group(2))
        return dotted or after == "??" or (known and after[:1] == "}")


def bind_shell(
    command: str, names: Names, first: int = 1, *, foreign: Foreign | None = None
) -> ShellTemplate:
    """Return *command* with its references bound to variables.

    Args:
        command: Shell text.
        names: What it may read; any other plain `${NAME}` is the shell's.
        first: The number of the first variable, for a block with several shell texts.
        foreign: Told of each `${` that is the shell's; raises if it cannot be meant.

    Raises:
        ExpressionError: a reference means nothing, or stands where its value would be read as code.
    """
    if "${" not in command:
        return ShellTemplate(command, command, ())
    binder = _Binder(names, first, foreign)
    bound = bind_references(command, binder.recognise)
    return ShellTemplate(command, bound, tuple(binder.variables.values()))
