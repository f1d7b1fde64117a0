"""Comparisons of a reference with a constant: what can be said of them before a run.

The expression language compares values of unlike types without a word: they are never equal. So
`${gate.confirmed} != 'false'` would always hold, and a gate would stand open. This looks at what
stands directly on both sides of `==` and `!=`, parentheses aside; what is computed is not judged.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tidegate.model.events import TERMINAL
from tidegate.model.state import BlockStatus
from tidegate.workflows.nearest import did_you_mean, listed
from tidegate.workflows.references import Reference, Root

__all__ = ["REFERENCE", "Atom", "Comparison", "comparison_problem", "find_comparisons"]

REFERENCE = "reference"
_MARK = "mark"
_CONSTANTS = frozenset({"string", "number", "boolean"})
_VALUES = _CONSTANTS | {REFERENCE, "null"}
_BEFORE = frozenset({"(", "[", "{", ",", "&&", "||", "?", ":", "!"})
_AFTER = frozenset({")", "]", "}", ",", "&&", "||", "?", ":", "==", "!="})
"""What may stand beside a comparison; anything else binds tighter and makes another value of its side."""
_STATUSES = tuple(str(status) for status in BlockStatus)
_ENDS = tuple(str(status) for status in TERMINAL)
"""What `run.status` may be in a block that runs always."""
_KINDS = {"integer": "number"}
_SHOWN = {
    "string": "text",
    "number": "a number",
    "boolean": "a boolean",
    "list": "a list",
    "map": "a map",
}
_NO = frozenset({"false", "no", "n", "off", "0", ""})
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_PLAIN_TEXT = re.compile(r"'([^'\\]*)'|\"([^\"\\]*)\"")


@dataclass(frozen=True, slots=True)
class Atom:
    """One word of an expression, or one whole reference."""

    kind: str
    """`reference`, `mark`, the type of a constant, or anything else."""
    text: str
    reference: int = -1
    """Which of the references of its expression it is."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A reference, `==` or `!=`, and a constant, in either order."""

    reference: int
    operator: str
    constant: Atom


def find_comparisons(atoms: Iterable[Atom]) -> tuple[Comparison, ...]:
    """Return every comparison of a reference with a constant in *atoms*, an expression in its order."""
    return tuple(_comparisons([Atom(_MARK, "("), *_plain(atoms), Atom(_MARK, ")")]))


def _comparisons(atoms: list[Atom]) -> Iterator[Comparison]:
    for position, atom in enumerate(atoms):
        if atom.kind != _MARK or atom.text not in {"==", "!="} or not 1 < position < len(atoms) - 2:
            continue
        before, left, _, right, after = atoms[position - 2 : position + 3]
        sides = {left.kind: left, right.kind: right}
        constant = next((side for side in (left, right) if side.kind in _CONSTANTS), None)
        alone = _is_mark(before, _BEFORE) and _is_mark(after, _AFTER)
        if alone and constant is not None and REFERENCE in sides:
            yield Comparison(sides[REFERENCE].reference, atom.text, constant)


def _is_mark(atom: Atom, marks: frozenset[str]) -> bool:
    return atom.kind == _MARK and atom.text in marks


def _plain(atoms: Iterable[Atom]) -> list[Atom]:
    """Join signs to their numbers, and take the parentheses off values that stand alone in them."""
    plain: list[Atom] = []
    for atom in atoms:
        plain.append(atom)
        while (joined := _joined(plain)) is not None:
            count, value = joined
            plain[-count:] = [value]
    return plain


def _joined(plain: list[Atom]) -> tuple[int, Atom] | None:
    match plain[-3:]:
        case [Atom(kind="mark", text="("), value, Atom(kind="mark", text=")")] if value.kind in _VALUES:
            # `size(${x})` is what a function gives, not ${x}.
            return (3, value) if _may_start(plain[:-3]) else None
        case [*_, Atom(kind="mark", text="-"), Atom(kind="number") as number] if _may_start(plain[:-2]):
            return 2, Atom("number", f"-{number.text}")
        case _:
            return None


def _may_start(before: list[Atom]) -> bool:
    """Return whether what follows *before* is a value by itself, and no list of arguments or subtrahend."""
    return not before or (before[-1].kind == _MARK and before[-1].text not in {")", "]", "}", "."})


def comparison_problem(comparison: Comparison, reference: Reference, kind: str) -> str:
    """Return why *comparison* cannot be meant, with what to write, or an empty text.

    Args:
        comparison: What stands there.
        reference: The reference in it.
        kind: The type of its value.
    """
    constant = comparison.constant
    kind = _KINDS.get(kind, kind)
    if kind != constant.kind:
        if reference.has_default and _kind_of(reference.default) == constant.kind:
            return ""
        fix = _fix(kind, reference.source, comparison)
        return f"'{_name(reference)}' is {_SHOWN[kind]}, and never equal to {_SHOWN[constant.kind]}: {fix}"
    return _status_problem(reference, constant)


def _kind_of(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case _:
            return ""


def _name(reference: Reference) -> str:
    last = reference.steps[-1] if reference.steps else reference.name
    return str(last) or reference.source


def _fix(kind: str, source: str, comparison: Comparison) -> str:
    text, written = _text(comparison.constant), comparison.constant.text
    match kind:
        case "boolean":
            return f"write {source} {comparison.operator} {'false' if text.casefold() in _NO else 'true'}"
        case "string":
            return f"write {source} {comparison.operator} '{text}'"
        case "number":
            return f"write {source} {comparison.operator} {text if _NUMBER.fullmatch(text) else '0'}"
        case "list":
            negation = "!" if comparison.operator == "!=" else ""
            return f"write {negation}({written} in {source})"
        case _:
            return "compare one of its keys"


def _text(constant: Atom) -> str:
    """Return what *constant* says, without its quotes."""
    plain = _PLAIN_TEXT.fullmatch(constant.text) if constant.kind == "string" else None
    return (plain.group(1) or plain.group(2) or "") if plain else constant.text


def _status_problem(reference: Reference, constant: Atom) -> str:
    what, known = _statuses(reference)
    word = _text(constant)
    if not known or not _PLAIN_TEXT.fullmatch(constant.text) or word in known:
        return ""
    return f"'{word}' is no status of a {what}{_status_hint(word, known)}"


def _statuses(reference: Reference) -> tuple[str, tuple[str, ...]]:
    if reference.root is Root.RUN_STATUS:
        return "run at its end", _ENDS
    is_status = reference.root is Root.BLOCK and reference.steps == ("status",)
    return ("block", _STATUSES) if is_status else ("", ())


_OTHER_WORDS = {
    "ok": "succeeded",
    "passed": "succeeded",
    "done": "succeeded",
    "completed": "succeeded",
    "complete": "succeeded",
    "finished": "succeeded",
    "error": "failed",
    "waiting": "paused",
    "queued": "pending",
    "aborted": "cancelled",
    "timeout": "failed",
}
"""What other tools call it: no spelling is close to these."""


def _status_hint(word: str, known: tuple[str, ...]) -> str:
    other = _OTHER_WORDS.get(word.casefold())
    if other in known:
        return f" (did you mean '{other}'?)"
    return did_you_mean(word, known) or f"; there is {listed(known)}"
