"""Reading the source of an expression, before the expression language sees it.

Replaces each `${...}` by the name of a variable: the value behind it can then never become part
of the expression. Finds which names an expression reads, with the comprehension variables told
apart, so that a wrong name is found when the file is loaded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tidegate.errors import ExpressionError
from tidegate.workflows.cel_cost import Shape
from tidegate.workflows.comparisons import REFERENCE, Atom, Comparison, find_comparisons
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.references import RawReference, Step, show_path
from tidegate.workflows.text_parts import closing, parse_part

__all__ = ["CelSource", "read_source"]

_MAX_SOURCE = 2000
_MAX_TOKENS = 500
"""A chain of operators is as deep as it is long: 500 stay far from the end of a thread's stack."""
_MAX_NESTED = 2
"""Each nested comprehension multiplies the work: three over 1,000 items are a thousand million steps."""
_OPERAND = "__operand_"
_TOKEN = re.compile(
    r"""(?P<string>[rRbB]{0,2}(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}
        |\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'))
    |(?P<comment>//[^\n]*)
    |(?P<number>[0-9][0-9A-Za-z_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<operand>\$\{)
    |(?P<blank>\s+)
    |(?P<mark>==|!=|<=|>=|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_COMPREHENSIONS = frozenset({"all", "exists", "exists_one", "map", "filter"})
_GROWING = frozenset({"map", "filter"})
_EFFORTLESS = Shape()
_TYPES = frozenset(
    {
        "int",
        "uint",
        "double",
        "bool",
        "string",
        "bytes",
        "list",
        "map",
        "null_type",
        "type",
        "true",
        "false",
        "null",
    }
)
_WORDS = frozenset({"in"})
_FUNCTIONS = frozenset(
    {"size", "has", "string", "int", "uint", "double", "bytes", "type", "dyn", "duration", "timestamp"}
)
_METHODS = _COMPREHENSIONS | frozenset(
    {
        "size",
        "contains",
        "startsWith",
        "endsWith",
        "matches",
        "getFullYear",
        "getMonth",
        "getDate",
        "getDayOfMonth",
    }
    | {"getDayOfWeek", "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds"}
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class CelSource:
    """An expression that is ready to be compiled."""

    text: str
    """With a variable for each `${...}`."""
    operands: tuple[tuple[str, RawReference], ...]
    """The variables and what they stand for."""
    paths: tuple[RawReference, ...]
    """The other names it reads, as far as their steps are constant."""
    sole: bool
    """Whether it is one operand, or one path, and nothing else."""
    comparisons: tuple[Comparison, ...] = ()
    """Of references with constants; a reference is counted by its place among operands, then paths."""
    shape: Shape = _EFFORTLESS
    """How much work it may be."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


def read_source(body: str, source: str) -> CelSource:
    """Return the expression *body*, made ready.

    Args:
        body: The expression itself.
        source: What to quote in messages.

    Raises:
        ExpressionError: it is too long or nested too deeply, calls what does not exist, or has a
            `${...}` inside a quoted text.
    """
    if len(body) > _MAX_SOURCE:
        raise ExpressionError(
            source[:80], f"the expression has {len(body):,} characters, at most {_MAX_SOURCE:,} are taken"
        )
    tokens, operands = _tokens(body, source)
    if len(tokens) > _MAX_TOKENS:
        raise ExpressionError(
            source[:80], f"the expression has {len(tokens)} parts, at most {_MAX_TOKENS} are taken"
        )
    reader = _Reader(tokens, source)
    reader.read()
    text = " ".join(token.text for token in tokens)
    paths = tuple(reader.paths)
    sole = len(tokens) == 1 if operands else reader.spans == [(0, len(tokens))]
    comparisons = find_comparisons(_atoms(tokens, reader.spans, len(operands)))
    return CelSource(text, tuple(operands), paths, sole, comparisons, reader.shape(len(operands)))


def _atoms(tokens: list[_Token], spans: list[tuple[int, int]], operands: int) -> Iterator[Atom]:
    """Yield the words of an expression, each path as one: as its *spans* say, counted from *operands* on."""
    ends = {start: (end, operands + index) for index, (start, end) in enumerate(spans)}
    position, seen = 0, 0
    while position < len(tokens):
        token = tokens[position]
        end, reference = ends.get(position, (position + 1, -1))
        if token.kind == "operand":
            reference, seen = seen, seen + 1
        yield Atom(_atom_kind(token) if reference < 0 else REFERENCE, token.text, reference)
        position = end


def _atom_kind(token: _Token) -> str:
    if token.kind == "name" and token.text in {"true", "false"}:
        return "boolean"
    if token.kind == "name" and token.text == "null":
        return "null"
    # b'...' is no text.
    is_bytes = token.kind == "string" and "b" in token.text.lower().partition(token.text[-1])[0]
    return "bytes" if is_bytes else token.kind


def _tokens(body: str, source: str) -> tuple[list[_Token], list[tuple[str, RawReference]]]:
    tokens: list[_Token] = []
    operands: list[tuple[str, RawReference]] = []
    position = 0
    while found := _TOKEN.match(body, position):
        kind, text, position = str(found.lastgroup), found.group(), found.end()
        if kind == "operand":
            position = closing(body, found.end() - 1)
            name = f"{_OPERAND}{len(operands) + 1}"
            operands.append((name, _operand(body, found.start(), position)))
            tokens.append(_Token("operand", name))
        elif kind not in {"blank", "comment"}:
            tokens.append(_Token(kind, _checked(kind, text, source)))
    return tokens, operands


def _operand(body: str, start: int, end: int) -> RawReference:
    if end < 0:
        raise ExpressionError(body[start : start + 40], "the brace is never closed")
    part = parse_part(body[start:end])
    if not isinstance(part, RawReference):
        raise ExpressionError(
            part.source, "an expression inside an expression: write its content, without ${{ }}"
        )
    return part


def _checked(kind: str, text: str, source: str) -> str:
    if kind == "string":
        if "${" in text.replace("$${", ""):
            hint = f"write it without the quotes: {text.strip(text[-1])}"
            raise ExpressionError(source, f"a reference inside a quoted text is only text: {hint}")
        return text.replace("$${", "${")
    if kind == "name" and text.startswith(_OPERAND):
        raise ExpressionError(source, f"names that start with {_OPERAND} are taken")
    return text


@dataclass(slots=True)
class _Reader:
    """Walks over the tokens and notes which names are read."""

    tokens: list[_Token]
    source: str
    paths: list[RawReference] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """Where the tokens of each path start and end."""
    bound: list[tuple[int, str]] = field(default_factory=list)
    """Comprehension variables, each with the depth at which its own ends."""
    depth: int = 0
    nested: list[tuple[str, int]] = field(default_factory=list)
    """Each comprehension, and how many it stands in, itself counted."""
    operands: int = 0
    """How many `${...}` were read."""
    sums_inside: int = 0
    inside: list[tuple[str, int]] = field(default_factory=list)
    """The operands and paths inside of comprehensions, each counted by itself."""

    def read(self) -> None:
        """Read all tokens."""
        position = 0
        while position < len(self.tokens):
            position = self._read_one(position)

    def shape(self, operands: int) -> Shape:
        """Return what of all this makes work; paths are counted from *operands* on."""
        depths = [depth for _, depth in self.nested]
        growing = [depth for name, depth in self.nested if name in _GROWING]
        return Shape(
            nested=max(depths, default=0),
            growing=max(growing, default=0),
            maps=any(name == "map" for name, _ in self.nested),
            inside=tuple(index + (operands if kind == "path" else 0) for kind, index in self.inside),
            sums=sum(token.kind == "mark" and token.text == "+" for token in self.tokens),
            sums_inside=self.sums_inside,
        )

    def _read_one(self, position: int) -> int:
        token = self.tokens[position]
        if token.kind == "operand":
            self._note_inside("operand", self.operands)
            self.operands += 1
        if token.kind == "name" and token.text not in _WORDS:
            return self._name(position)
        if token.kind == "mark" and token.text == "+" and self.bound:
            self.sums_inside += 1
        if token.text in _OPEN and token.kind == "mark":
            self.depth += 1
        elif token.text in _CLOSE and token.kind == "mark":
            self.depth -= 1
            while self.bound and self.bound[-1][0] > self.depth:
                self.bound.pop()
        return position + 1

    def _text(self, position: int) -> str:
        return self.tokens[position].text if 0 <= position < len(self.tokens) else ""

    def _name(self, position: int) -> int:
        is_member = self._text(position - 1) == "."
        if self._text(position + 1) == "(":
            return self._call(position, is_member=is_member)
        if is_member:
            return position + 1
        return self._path(position)

    def _call(self, position: int, *, is_member: bool) -> int:
        name = self._text(position)
        known = _METHODS if is_member else _FUNCTIONS
        if name not in known:
            hint = did_you_mean(name, known)
            raise ExpressionError(
                self.source, f"there is no {'method' if is_member else 'function'} '{name}'{hint}"
            )
        if is_member and name in _COMPREHENSIONS and self._text(position + 3) == ",":
            return self._comprehension(position)
        return position + 1

    def _comprehension(self, position: int) -> int:
        self.depth += 1
        self.bound.append((self.depth, self._text(position + 2)))
        self.nested.append((self._text(position), len(self.bound)))
        if len(self.bound) > _MAX_NESTED:
            problem = f"more than {_MAX_NESTED} of {', '.join(sorted(_COMPREHENSIONS))} inside each other"
            raise ExpressionError(self.source, problem)
        return position + 3

    def _path(self, position: int) -> int:
        root = self._text(position)
        if root in _TYPES or any(name == root for _, name in self.bound):
            return position + 1
        steps: list[Step] = []
        end = position + 1
        for step, after in self._steps(end):
            steps.append(step)
            end = after
        self._note_inside("path", len(self.paths))
        self.paths.append(RawReference(show_path(root, tuple(steps)), root, tuple(steps)))
        self.spans.append((position, end))
        return end

    def _note_inside(self, kind: str, index: int) -> None:
        if self.bound:
            self.inside.append((kind, index))

    def _steps(self, position: int) -> Iterator[tuple[Step, int]]:
        while True:
            step = self._step(position)
            if step is None:
                return
            value, position = step
            yield value, position

    def _step(self, position: int) -> tuple[Step, int] | None:
        mark = self._text(position)
        if mark == "." and position + 1 < len(self.tokens) and self._text(position + 2) != "(":
            member = self.tokens[position + 1]
            return (member.text, position + 2) if member.kind == "name" else None
        if mark != "[" or self._text(position + 2) != "]":
            return None
        index = self.tokens[position + 1]
        if index.kind == "string" and index.text[0] in "'\"" and "\\" not in index.text:
            return index.text.strip(index.text[0]), position + 3
        return (int(index.text), position + 3) if index.text.isascii() and index.text.isdigit() else None
