"""Compiled expressions, and what their results may be."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tidegate.errors import ExpressionError
from tidegate.model.base import Json, JsonObject
from tidegate.workflows.cel_cost import too_much
from tidegate.workflows.cel_extension import Program, compile_program, new_context
from tidegate.workflows.cel_source import CelSource, read_source
from tidegate.workflows.comparisons import Comparison
from tidegate.workflows.references import RawReference, Reference, Root
from tidegate.workflows.resolving import resolve
from tidegate.workflows.scope import BlockView, Names, Scope

__all__ = ["CelExpression", "compile_expression", "kind_of"]

_LARGEST = 2**63
_FOREIGN_WORDS = {"and": "&&", "or": "||", "not": "!", "True": "true", "False": "false", "None": "null"}
"""What people bring from other languages."""


_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "list",
    dict: "map",
}


def kind_of(value: object) -> str:
    """Return the word for what *value* is."""
    return _KINDS.get(type(value), type(value).__name__)


@dataclass(frozen=True, slots=True)
class CelExpression:
    """An expression whose names are known."""

    source: str
    """As written, for messages."""
    cel: CelSource
    program: Program
    operands: tuple[tuple[str, Reference], ...]
    paths: tuple[Reference, ...]

    @property
    def references(self) -> tuple[Reference, ...]:
        """Everything it reads."""
        return (*(reference for _, reference in self.operands), *self.paths)

    @property
    def sole_reference(self) -> Reference | None:
        """The reference it consists of, if it is nothing else."""
        return self.references[0] if self.cel.sole else None

    @property
    def comparisons(self) -> tuple[tuple[Comparison, Reference], ...]:
        """Where it compares a reference with a constant."""
        references = self.references
        return tuple((found, references[found.reference]) for found in self.cel.comparisons)

    def evaluate(self, scope: Scope) -> Json:
        """Return its value.

        Raises:
            ExpressionError: something that it needs has no value, or it cannot be computed.
        """
        variables, missing = self._operand_values(scope)
        variables.update(self._roots(scope))
        _check_numbers(variables, self.source)
        if problem := too_much(self.cel.shape, self._read_values(scope)):
            raise ExpressionError(self.source, problem)
        try:
            result = self.program.execute(new_context(variables))
        except Exception as error:  # noqa: BLE001  # the extension raises whatever fits: Key-, Type-, Runtime-, OverflowError
            raise self._explained(error, scope, missing) from None
        return _json(result, self.source)

    def _read_values(self, scope: Scope) -> Iterator[Json]:
        """Yield the value of each reference, null for one that has none: only what is asked for is looked up."""
        for reference in self.references:
            try:
                yield reference.evaluate(scope)
            except ExpressionError:
                yield None

    def _operand_values(self, scope: Scope) -> tuple[dict[str, Any], list[ExpressionError]]:
        # An operand without a value stays unknown to the program: `${a.status} == 'succeeded' &&
        # ${a.exit_code} == 0` must not fail on what it does not come to.
        values: dict[str, Any] = {}
        missing: list[ExpressionError] = []
        for name, reference in self.operands:
            try:
                values[name] = reference.evaluate(scope)
            except ExpressionError as error:
                missing.append(error)
        return values, missing

    def _roots(self, scope: Scope) -> dict[str, Any]:
        roots: dict[str, Any] = {}
        for raw, reference in zip(self.cel.paths, self.paths, strict=True):
            if raw.root == "blocks":
                roots.setdefault("blocks", {})[reference.name] = _block_map(scope.blocks.get(reference.name))
            elif raw.root not in roots:
                roots[raw.root] = _root_value(raw.root, reference, scope)
        return roots

    def _explained(self, error: Exception, scope: Scope, missing: list[ExpressionError]) -> ExpressionError:
        if missing and isinstance(error, RuntimeError) and "Undefined" in str(error):
            return missing[0]
        key = str(error.args[0]) if isinstance(error, KeyError) and error.args else None
        for reference in self.paths if key is not None else ():
            _, why = reference.look_up(scope)
            if why and key in reference.steps:
                return ExpressionError(
                    self.source,
                    f"{reference.source} has no value: {why}; "
                    f"ask first: has({reference.source}) ? {reference.source} : 'none'",
                )
        return ExpressionError(self.source, _problem(error, key))


def _problem(error: Exception, key: str | None) -> str:
    if key is not None:
        return f"there is no key '{key}'"
    text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if "No such overload" in text or "Unsupported operation" in text:
        first = text.split(". ")[0].split(": the operation")[0]
        return (
            f"the types do not fit ({first}): text, numbers and true/false are not converted into each other; "
            "use int(x), double(x) or string(x)"
        )
    return text


def _block_map(view: BlockView | None) -> JsonObject:
    if view is None:
        return {"status": "pending", "outputs": {}}
    outputs = dict(view.outputs)
    return {**outputs, "outputs": outputs, "status": view.status}


_ROOTS: dict[str, Callable[[Scope], Json]] = {
    "inputs": lambda scope: dict(scope.inputs),
    "run": lambda scope: {
        "id": scope.run_id,
        "status": scope.run_status,
        "failures": scope.run_failures,
        "feedback": scope.run_feedback,
    },
    "workflow": lambda scope: {"name": scope.workflow},
    "item": lambda scope: scope.item,
    "index": lambda scope: scope.index,
    "state": lambda scope: dict(scope.state),
}
"""What the words stand for that no input and no block may be called by."""


def _root_value(root: str, reference: Reference, scope: Scope) -> Json:
    if root in _ROOTS:
        return _ROOTS[root](scope)
    if reference.root is Root.BLOCK:
        return _block_map(scope.blocks.get(reference.name))
    return scope.inputs.get(reference.name)


def _check_numbers(value: object, source: str) -> None:
    """Refuse what the expression language would silently make a rounded number of."""
    match value:
        case bool():
            return
        case int() if not -_LARGEST <= value < _LARGEST:
            raise ExpressionError(
                source, f"the number {value:.6g} is too large for an expression: keep it as text"
            )
        case list():
            for item in value:
                _check_numbers(item, source)
        case dict():
            for item in value.values():
                _check_numbers(item, source)


def _json(value: object, source: str) -> Json:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            if not math.isfinite(value):
                raise ExpressionError(source, f"the result {value} is no number that can be stored")
            return value
        case list() | tuple():
            return [_json(item, source) for item in value]
        case dict():
            return {_key(key, source): _json(item, source) for key, item in value.items()}
        case _:
            problem = f"the result is a {kind_of(value)}, which cannot be stored: use string(...) or int(...)"
            raise ExpressionError(source, problem)


def _key(key: object, source: str) -> str:
    if not isinstance(key, str):
        raise ExpressionError(source, f"a key of the result is a {kind_of(key)}, not text: use string(...)")
    return key


@lru_cache(maxsize=4096)
def _compiled(text: str, source: str) -> Program:
    try:
        return compile_program(text)
    except ValueError as error:
        raise ExpressionError(source, _syntax_problem(str(error), text)) from None


def _syntax_problem(message: str, text: str) -> str:
    line = next((line for line in message.splitlines() if "ERROR:" in line), message.splitlines()[0])
    what = line.partition("ERROR: <input>:")[2] or line
    what = what.partition(" ")[2].removeprefix("Syntax error: ").partition(" expecting {")[0]
    if "Recursi" in what or "Incomplete" in what:
        what = "it is nested too deeply"
    hint = "; write == to compare" if " = " in text else ""
    return f"this is no expression: {what.replace('<EOF>', 'its end') or 'it cannot be read'}{hint}"


def compile_expression(body: str, source: str, names: Names) -> CelExpression:
    """Return the expression *body*, compiled, its names resolved.

    Args:
        body: The expression itself.
        source: What to quote in messages.
        names: What it may read.

    Raises:
        ExpressionError: it is no expression, or reads what does not exist.
    """
    cel = read_source(body, source)
    # What an expression makes of a secret (its first half, its length) could be masked nowhere.
    names = replace(names, keeps_secrets=False) if names.keeps_secrets else names
    operands = tuple((name, resolve(raw, names)) for name, raw in cel.operands)
    paths = tuple(_resolve_path(raw, names, source) for raw in cel.paths)
    return CelExpression(source, cel, _compiled(cel.text, source), operands, paths)


def _resolve_path(raw: RawReference, names: Names, source: str) -> Reference:
    block = _whole_block(raw, names)
    if block:
        return Reference(raw.source, Root.BLOCK, block)
    try:
        return resolve(raw, names)
    except ExpressionError as error:
        word = _FOREIGN_WORDS.get(raw.root)
        hint = f"; write {word}" if word else _hyphen_hint(raw.root, source, names)
        raise ExpressionError(source, error.problem + hint) from None


def _whole_block(raw: RawReference, names: Names) -> str | None:
    path = (raw.root, *raw.steps)
    block = path[1] if path[0] == "blocks" and len(path) > 1 else path[0]
    whole = path in {(block,), ("blocks", block), (block, "outputs"), ("blocks", block, "outputs")}
    return str(block) if whole and block in names.blocks else None


def _hyphen_hint(root: str, source: str, names: Names) -> str:
    hyphenated = [name for name in names.blocks | names.inputs if "-" in name and name in source]
    if not any(root in name.split("-") for name in hyphenated):
        return ""
    name = sorted(hyphenated)[0]
    place = "blocks" if name in names.blocks else "inputs"
    return f"; in an expression a hyphen is a minus: write {place}['{name}'], or ${{{name}...}}"
