"""Text with references and expressions in it, and the conditions of blocks."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.workflows.cel_programs import CelExpression, compile_expression, kind_of
from tidegate.workflows.references import RawReference, Reference
from tidegate.workflows.resolving import resolve
from tidegate.workflows.scope import Names, Scope
from tidegate.workflows.text_parts import RawExpression, RawPart, split_text

__all__ = [
    "MOST_TEXT",
    "TOO_LONG",
    "Condition",
    "Part",
    "Template",
    "as_shown",
    "compile_condition",
    "compile_part",
    "compile_text",
    "condition_body",
    "described",
]

MOST_TEXT = 64 * 1024 * 1024
"""Characters of a text with the values of its references in it, and of all texts in one input."""
TOO_LONG = f"with its values it has more than {MOST_TEXT:,} characters: pass large values through a file"

Part: TypeAlias = str | Reference | CelExpression


def _references(part: Part) -> tuple[Reference, ...]:
    match part:
        case str():
            return ()
        case Reference():
            return (part,)
        case CelExpression():
            return part.references


def _blocks(references: tuple[Reference, ...]) -> frozenset[str]:
    return frozenset(reference.block for reference in references if reference.block is not None)


@dataclass(frozen=True)
class Template:
    """A text whose references are known."""

    text: str
    """As written."""
    parts: tuple[Part, ...]

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Everything it reads, in its order."""
        return tuple(reference for part in self.parts for reference in _references(part))

    @property
    def expressions(self) -> tuple[CelExpression, ...]:
        """The expressions in it."""
        return tuple(part for part in self.parts if isinstance(part, CelExpression))

    @cached_property
    def blocks(self) -> frozenset[str]:
        """The blocks whose outputs or status it may read."""
        return _blocks(self.references)

    def evaluate(self, scope: Scope) -> Json:
        """Return its value: typed if the text is one reference or expression, otherwise a text.

        Raises:
            ExpressionError: something that it reads has no value.
        """
        if len(self.parts) == 1:
            only = self.parts[0]
            return only if isinstance(only, str) else only.evaluate(scope)
        return self._joined(scope)

    def _joined(self, scope: Scope) -> str:
        texts: list[str] = []
        left = MOST_TEXT
        for part in self.parts:
            texts.append(part if isinstance(part, str) else _text_of(part, scope))
            left -= len(texts[-1])
            if left < 0:
                raise ExpressionError(self.text, TOO_LONG)
        return "".join(texts)


def _text_of(part: Reference | CelExpression, scope: Scope) -> str:
    value = part.evaluate(scope)
    if value is None:
        advice = (
            "" if isinstance(part, CelExpression) else f"; write a default: {part.source[:-1]} ?? 'none'}}"
        )
        raise ExpressionError(part.source, f"it has no value (null), and stands inside a text{advice}")
    return as_shown(value)


def as_shown(value: Json) -> str:
    """Return *value* as it stands inside a text: text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Condition:
    """Whether a block runs."""

    text: str
    expression: CelExpression

    @property
    def references(self) -> tuple[Reference, ...]:
        """Everything it reads."""
        return self.expression.references

    @property
    def expressions(self) -> tuple[CelExpression, ...]:
        """Itself, as a text has several."""
        return (self.expression,)

    @property
    def sole_reference(self) -> Reference | None:
        """The reference it consists of, if it is nothing else."""
        return self.expression.sole_reference

    @cached_property
    def blocks(self) -> frozenset[str]:
        """The blocks whose outputs or status it may read."""
        return _blocks(self.references)

    def evaluate(self, scope: Scope) -> bool:
        """Return its value, which is a real boolean.

        Raises:
            ExpressionError: it is anything else, or cannot be computed.
        """
        value = self.expression.evaluate(scope)
        if not isinstance(value, bool):
            raise ExpressionError(
                self.text, f"condition gave {described(value)}, expected a boolean: {self._advice(value)}"
            )
        return value

    def _advice(self, value: Json) -> str:
        sole = self.sole_reference
        written = sole.source if sole else "${flag}"
        return f"compare it, like {written} == {_literal(value)}"


_SHOWN = 40


def _literal(value: Json) -> str:
    shown = as_shown(value)
    if len(shown) > _SHOWN or "'" in shown or isinstance(value, list | dict):
        return "'yes'"
    return f"'{shown}'" if isinstance(value, str) else shown


def described(value: Json) -> str:
    """Return what *value* is, for a sentence: its kind, and as much of it as helps."""
    if value is None:
        return "null"
    shown = as_shown(value)
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "..."
    return f"{kind_of(value)} '{shown}'" if isinstance(value, str) else f"{kind_of(value)} {shown}"


def compile_part(part: RawPart, names: Names) -> Part:
    """Return what a part of a text means among *names*."""
    match part:
        case str():
            return part
        case RawReference():
            return resolve(part, names)
        case RawExpression():
            return compile_expression(part.body, part.source, names)


def compile_text(text: str, names: Names) -> Template:
    """Return *text* with its references resolved; the work is done once for each text.

    Raises:
        ExpressionError: one of them cannot be read, or means nothing.
    """
    return names.meaning_of(text, _template)


def _template(text: str, names: Names) -> Template:
    if "${" not in text:
        return Template(text, (text,))
    return Template(text, tuple(compile_part(part, names) for part in split_text(text)))


def condition_body(text: str) -> str:
    """Return the expression of a condition, without the `${{ }}` that may stand around it.

    Raises:
        ExpressionError: text stands around the braces, or there is no expression.
    """
    if not text.strip():
        raise ExpressionError(text, "the condition is empty: remove it, or write true")
    if "${{" not in text:
        return text
    parts = split_text(text.strip())
    if len(parts) == 1 and isinstance(parts[0], RawExpression):
        return parts[0].body
    raise ExpressionError(
        text, "text stands around ${{ }}: a condition is one expression, so move all of it inside"
    )


_NOWHERE = Scope({}, {}, "", "")


def compile_condition(text: str, names: Names) -> Condition:
    """Return the condition *text*; the work is done once for each text.

    Raises:
        ExpressionError: it is no expression, reads what does not exist, or is a constant that is no boolean.
    """
    return names.meaning_of(text, _condition)


def _condition(text: str, names: Names) -> Condition:
    condition = Condition(text, compile_expression(condition_body(text), text, names))
    if not condition.references:
        condition.evaluate(_NOWHERE)
    return condition
