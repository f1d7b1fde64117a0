"""Plain references: `name`, `block.output`, `inputs.x`, `a-b.list[0]['key'] ?? 'a default'`.

Parsed here and not by the expression language, so that hyphens in names are hyphens. Parsing says
what stands there, `resolve` what it means among the names of a workflow, `Reference.evaluate` what
it is worth in a run.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.scope import Names, Scope

__all__ = ["LATER", "RawReference", "Reference", "Root", "Step", "parse_reference", "resolve", "show_path"]

Step: TypeAlias = str | int

LATER = frozenset({"secrets", "item", "index", "state"})
"""Roots that later versions will know."""
_BASES = frozenset({"inputs", "blocks", "run", "workflow"}) | LATER
_PATH = re.compile(
    r"([A-Za-z_][A-Za-z0-9_-]*)((?:\.[A-Za-z0-9_-]+|\[[0-9]{1,9}\]|\['[^'\\]*'\]|\[\"[^\"\\]*\"\])*)"
)
_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\[([0-9]+)\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")
_TEXT_LITERAL = re.compile(r"'([^'\\]*(?:\\.[^'\\]*)*)'", re.DOTALL)
_STATUS = "status"


class Root(Enum):
    """What a reference starts from."""

    INPUT = "input"
    INPUTS = "inputs"
    """All inputs, as one mapping."""
    BLOCK = "block"
    RUN_ID = "run.id"
    WORKFLOW_NAME = "workflow.name"


@dataclass(frozen=True, slots=True)
class RawReference:
    """A reference as written."""

    source: str
    """With its braces, for messages."""
    root: str
    steps: tuple[Step, ...] = ()
    has_default: bool = False
    default: Json = None

    @property
    def is_bare(self) -> bool:
        """Whether it is one name only."""
        return not self.steps


def show_path(root: str, steps: tuple[Step, ...]) -> str:
    """Return a path as a person would write it."""
    return root + "".join(_show_step(step) for step in steps)


def _show_step(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if re.fullmatch(r"[A-Za-z0-9_-]+", step) else f"['{step}']"


def parse_reference(body: str, source: str) -> RawReference:
    """Return what stands between the braces of a reference.

    Raises:
        ExpressionError: it is no path, or what follows `??` is no value.
    """
    text = body.strip()
    found = _PATH.match(text)
    if found is None:
        raise ExpressionError(source, _no_path(text))
    rest = text[found.end() :].strip()
    root, steps = found.group(1), tuple(_steps(found.group(2)))
    if not rest:
        return RawReference(source, root, steps)
    if not rest.startswith("??"):
        raise ExpressionError(source, _no_path(text))
    return RawReference(source, root, steps, has_default=True, default=_literal(rest[2:].strip(), source))


def _steps(text: str) -> Iterator[Step]:
    for name, index, single, double in _STEP.findall(text):
        yield int(index) if index else name or single or double


def _no_path(text: str) -> str:
    if not text:
        return "the reference is empty: write a name between the braces, or $${ for the text itself"
    return (
        f"'{text}' is no reference: write ${{name}} or ${{block.output}}, ${{{{ ... }}}} for an expression, "
        "or $${ for the text itself"
    )


def _literal(text: str, source: str) -> Json:
    quoted = _TEXT_LITERAL.fullmatch(text)
    if quoted:
        return re.sub(r"\\(.)", r"\1", quoted.group(1), flags=re.DOTALL)
    try:
        value: Json = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        problem = f"the default {text!r} is no value: write 'text', a number, true, false, null, or JSON"
        raise ExpressionError(source, problem) from None
    return value


def _no_constant(word: str) -> Json:
    raise ValueError(word)


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference whose meaning among the names of its workflow is known."""

    source: str
    root: Root
    name: str = ""
    """The input or the block."""
    steps: tuple[Step, ...] = ()
    """From there on: of a block its output first."""
    has_default: bool = False
    default: Json = None

    @property
    def block(self) -> str | None:
        """The id of the block it reads."""
        return self.name if self.root is Root.BLOCK else None

    @property
    def output(self) -> str | None:
        """The output it reads, if it reads a single one of a block."""
        step = self.steps[0] if self.steps else None
        return step if self.root is Root.BLOCK and isinstance(step, str) else None

    def evaluate(self, scope: Scope) -> Json:
        """Return its value.

        Raises:
            ExpressionError: there is none, and no default is written; says why there is none.
        """
        value, why = self.look_up(scope)
        if self.has_default and (why or value is None):
            return self.default
        if why:
            raise ExpressionError(self.source, f"{self._shown()} has no value: {why}; {self._advice()}")
        return value

    def look_up(self, scope: Scope) -> tuple[Json, str]:
        """Return its value and an empty text, or null and why it has none."""
        match self.root:
            case Root.RUN_ID:
                return scope.run_id, ""
            case Root.WORKFLOW_NAME:
                return scope.workflow, ""
            case Root.INPUTS:
                return _walk(dict(scope.inputs), self.steps, "inputs")
            case Root.INPUT:
                # An optional input that was not given has no value: null.
                return _walk(scope.inputs.get(self.name), self.steps, self.name)
            case Root.BLOCK:
                return self._of_block(scope)

    def _of_block(self, scope: Scope) -> tuple[Json, str]:
        view = scope.blocks.get(self.name)
        status = view.status if view else "pending"
        if self.output == _STATUS:
            return _walk(status, self.steps[1:], f"{self.name}.status")
        if view is None or self.output is None or self.output not in view.outputs:
            return None, self._absence(status, view.reason if view else "")
        return _walk(view.outputs[self.output], self.steps[1:], f"{self.name}.{self.output}")

    def _absence(self, status: str, reason: str) -> str:
        because = f" ({reason})" if reason else ""
        match status:
            case "pending" | "running" | "paused" | "interrupted":
                return f"block '{self.name}' has not ended"
            case "skipped" | "rejected" | "cancelled":
                return f"block '{self.name}' was {status}{because}"
            case "failed":
                return f"block '{self.name}' failed without it{because}"
            case _:
                return f"block '{self.name}' gave no '{self.output}'"

    def did_not_run(self, scope: Scope) -> bool:
        """Return whether it reads an output that its block lacks because of how the block ended, or did not."""
        view = scope.blocks.get(self.name)
        if self.root is not Root.BLOCK or self.output == _STATUS:
            return False
        return view is None or (view.status != "succeeded" and self.output not in view.outputs)

    def _shown(self) -> str:
        return show_path(self.name, self.steps) if self.name else self.source

    def _advice(self) -> str:
        if self.source.startswith("${") and not self.source.startswith("${{"):
            return f"write a default: ${{{self._shown()} ?? 'none'}}"
        return f"ask first: has({self._shown()}) ? {self._shown()} : 'none'"


def _walk(value: Json, steps: tuple[Step, ...], where: str) -> tuple[Json, str]:
    for step in steps:
        match value:
            case dict() if str(step) in value:
                value = value[str(step)]
            case list() if isinstance(step, int) and step < len(value):
                value = value[step]
            case dict():
                return None, f"'{where}' has no key '{step}'{did_you_mean(str(step), value)}"
            case list() if isinstance(step, int):
                return None, f"'{where}' has {len(value)} items, so no [{step}]"
            case list():
                return None, f"'{where}' is a list: take an item like [0]"
            case None:
                return None, f"'{where}' is null"
            case _:
                return None, f"'{where}' is no mapping, so it has no '{step}'"
        where += _show_step(step)
    return value, ""


def resolve(raw: RawReference, names: Names) -> Reference:
    """Return what *raw* means among *names*.

    Raises:
        ExpressionError: it means nothing; names what is close.
    """
    match raw.root:
        case "inputs":
            return _in_inputs(raw, names)
        case "blocks":
            return _in_blocks(raw, names)
        case "run" | "workflow":
            return _of_run(raw)
        case root if root in LATER:
            raise ExpressionError(raw.source, f"'{root}' is not supported by this version of Tidegate yet")
        case root if root in names.blocks and not (raw.is_bare and root in names.inputs):
            return _of_block(raw, root, raw.steps)
        case root if root in names.inputs:
            return _found(raw, Root.INPUT, root, raw.steps)
        case _:
            raise ExpressionError(raw.source, _unknown(raw, names))


def _found(raw: RawReference, root: Root, name: str = "", steps: tuple[Step, ...] = ()) -> Reference:
    return Reference(raw.source, root, name, steps, raw.has_default, raw.default)


def _unknown(raw: RawReference, names: Names) -> str:
    if raw.is_bare:
        hint = did_you_mean(raw.root, names.inputs) or did_you_mean(raw.root, names.blocks | _BASES)
        return f"'{raw.root}' is no input of this workflow{hint}"
    hint = did_you_mean(raw.root, names.blocks) or did_you_mean(raw.root, names.inputs | _BASES)
    return f"'{raw.root}' is neither a block nor an input of this workflow{hint}"


def _in_inputs(raw: RawReference, names: Names) -> Reference:
    if raw.is_bare:
        return _found(raw, Root.INPUTS)
    name = raw.steps[0]
    if name not in names.inputs:
        hint = did_you_mean(str(name), names.inputs)
        raise ExpressionError(raw.source, f"'{name}' is no input of this workflow{hint}")
    return _found(raw, Root.INPUT, str(name), raw.steps[1:])


def _in_blocks(raw: RawReference, names: Names) -> Reference:
    if raw.is_bare:
        raise ExpressionError(raw.source, "'blocks' alone has no value: name one, like blocks.build.stdout")
    name = raw.steps[0]
    if name not in names.blocks:
        hint = did_you_mean(str(name), names.blocks)
        raise ExpressionError(raw.source, f"'{name}' is no block of this workflow{hint}")
    return _of_block(raw, str(name), raw.steps[1:])


def _of_block(raw: RawReference, block: str, steps: tuple[Step, ...]) -> Reference:
    # `blocks.a.outputs.x` and `blocks.a.x` are two spellings of one thing.
    if len(steps) > 1 and steps[0] == "outputs":
        steps = steps[1:]
    if not steps or steps == ("outputs",) or not isinstance(steps[0], str):
        problem = f"'{block}' is a block: name one of its outputs, like ${{{block}.status}}"
        raise ExpressionError(raw.source, problem)
    return _found(raw, Root.BLOCK, block, steps)


def _of_run(raw: RawReference) -> Reference:
    known: Mapping[tuple[str, tuple[Step, ...]], Root] = {
        ("run", ("id",)): Root.RUN_ID,
        ("workflow", ("name",)): Root.WORKFLOW_NAME,
    }
    root = known.get((raw.root, raw.steps))
    if root is None:
        only = "run.id" if raw.root == "run" else "workflow.name"
        raise ExpressionError(raw.source, f"of '{raw.root}' only ${{{only}}} is known in this version")
    return _found(raw, root, "", ())
