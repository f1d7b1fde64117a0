"""Plain references: `name`, `block.output`, `inputs.x`, `a-b.list[0]['key'] ?? 'a default'`.

Parsed here and not by the expression language, so that hyphens in names are hyphens. Parsing says
what stands there, `Reference.evaluate` what it is worth in a run; what it means among the names of a
workflow is said by `resolving`.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.scope import Scope

__all__ = ["RawReference", "Reference", "Root", "Step", "parse_reference", "show_path"]

Step: TypeAlias = str | int

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
    RUN_STATUS = "run.status"
    RUN_FAILURES = "run.failures"
    RUN_FEEDBACK = "run.feedback"
    WORKFLOW_NAME = "workflow.name"
    ITEM = "item"
    INDEX = "index"
    STATE = "state"
    SECRET = "secret"  # noqa: S105 - the word for them, and none of them


_VALUES: dict[Root, Callable[[Scope], Json]] = {
    Root.INPUTS: lambda scope: dict(scope.inputs),
    Root.RUN_ID: lambda scope: scope.run_id,
    Root.RUN_STATUS: lambda scope: scope.run_status,
    Root.RUN_FAILURES: lambda scope: scope.run_failures,
    Root.RUN_FEEDBACK: lambda scope: scope.run_feedback,
    Root.WORKFLOW_NAME: lambda scope: scope.workflow,
    Root.ITEM: lambda scope: scope.item,
    Root.INDEX: lambda scope: scope.index,
}
"""Of the roots that are the same whatever follows them."""


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
    """The input, the block or the secret; for other roots the root itself, where steps may follow it."""
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
            case Root.BLOCK:
                return self._of_block(scope)
            case Root.STATE:
                return self._of_state(scope)
            case Root.SECRET:
                return scope.secrets[self.name], ""
            case Root.INPUT:
                # An optional input that was not given has no value: null.
                return _walk(scope.inputs.get(self.name), self.steps, self.name)
            case root:
                return _walk(_VALUES[root](scope), self.steps, root.value)

    def _of_state(self, scope: Scope) -> tuple[Json, str]:
        name = str(self.steps[0]) if self.steps else None
        if name is not None and name not in scope.state:
            return None, f"no block of this run has set '{name}'{did_you_mean(name, scope.state)}"
        return _walk(dict(scope.state), self.steps, self.name)

    def _of_block(self, scope: Scope) -> tuple[Json, str]:
        view = scope.blocks.get(self.name)
        status = view.status if view else "pending"
        output = self.output
        if output == _STATUS:
            return _walk(status, self.steps[1:], f"{self.name}.status")
        if view is None or output is None or output not in view.outputs:
            return None, self._absence(status, view.reason if view else "")
        return _walk(view.outputs[output], self.steps[1:], f"{self.name}.{output}")

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
