"""What a run was at a point, as a tree of lines: only what is open is looked at, and large branches in pages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from tidegate.history.document import Node, document, is_branch
from tidegate.history.paths import Path, path_text
from tidegate.model.base import Json
from tidegate.model.ids import BlockId
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.value import Inline, Stored
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.present.shared import counted
from tidegate.tui.present.state_find import Found, Haystack, haystack
from tidegate.tui.present.state_values import branch_told, value_pieces

__all__ = [
    "Changed",
    "Opened",
    "TreeRow",
    "changed_with",
    "searchable",
    "tree_rows",
]

PAGE = 200
"""Names of one branch that are shown at once."""
_DEEPEST = 40
_NAME = 18
"""Cells of names in front of values, at the depth of 0."""
_RUN = "run"
_RUN_PATH: Path = ("~run",)
"""Of the branch that holds what is said of the run as a whole; no name of the document."""
_FACTS = ("status", "reason", "wave", "total_waves", "by", "started_at", "updated_at", "held", "cancel")
_ALL_PAGES = 1_000_000
_BRANCHES = ("inputs", "state", "blocks", "pauses", "outputs")
_OPEN = frozenset({("inputs",), ("state",), ("blocks",), ("pauses",), ("outputs",)})
_ALIVE = frozenset((BlockStatus.RUNNING, BlockStatus.FAILED, BlockStatus.PAUSED, BlockStatus.INTERRUPTED))
_FEW = 3
_WHOLE = ("+", "-")
"""Signs that hold of everything below, too."""
"""Blocks that have changed which are open by themselves."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What differs from the point that one compares with."""

    signs: Mapping[Path, str] = field(default_factory=dict)
    """By where they are: ``+`` is only here, ``-`` too but will be gone, ``~`` is another one; a branch has ``~`` if
    something in it has one."""
    is_brief: bool = True
    """Whether so few blocks have changed that each of them is open by itself."""

    def sign(self, path: Path) -> str:
        """Return how a path is marked; a blank if it is not."""
        if path in self.signs:
            return self.signs[path]
        above = (self.signs.get(path[:end], "") for end in range(1, len(path)))
        return next((sign for sign in above if sign in _WHOLE), " ")


@dataclass(slots=True)
class Opened:
    """Which branches are open, and how much of the large ones is shown."""

    version: int = 0
    """Another one whenever something was opened or closed."""
    choices: dict[Path, bool] = field(default_factory=dict)
    pages: dict[Path, int] = field(default_factory=dict)
    loaded: dict[str, Json] = field(default_factory=dict)
    """Large values that somebody wanted to see, by their hash."""

    def is_open(self, path: Path, changed: Changed) -> bool:
        """Whether a branch shows what is in it: as somebody chose, else the parts of a run, and what changed."""
        if path in self.choices:
            return self.choices[path]
        if path in _OPEN or _is_outputs(path):
            return True
        return _is_place(path) and changed.is_brief and changed.sign(path) != " "

    def toggle(self, path: Path, changed: Changed) -> None:
        """Open what is closed, or close it."""
        self.choices[path] = not self.is_open(path, changed)
        self.version += 1

    def flip(self, path: Path) -> None:
        """Open or close what words were found at: until somebody opens it, it is closed."""
        self.choices[path] = not self.choices.get(path, False)
        self.version += 1

    def reveal(self, path: Path) -> None:
        """Open all branches that lead to something."""
        ways = [path[:end] for end in range(1, len(path))]
        if path[0] in _FACTS:
            ways.append(_RUN_PATH)
        self.choices |= dict.fromkeys(ways, True)
        self.version += 1

    def show_more(self, path: Path) -> None:
        """Show another page of a branch."""
        self.pages[path] = self.pages.get(path, 1) + 1
        self.version += 1

    def show_all(self, path: Path) -> None:
        """Show all of the branches that lead to something, however large they are."""
        for end in range(1, len(path)):
            self.pages[path[:end]] = _ALL_PAGES
        self.version += 1

    def load(self, value: Stored, content: Json) -> None:
        """Show what a large value is."""
        self.loaded[value.sha256] = content
        self.version += 1

    def room(self, path: Path) -> int:
        """Return how many names of a branch are shown."""
        return PAGE * self.pages.get(path, 1)


def changed_with(signs: Mapping[Path, str]) -> Changed:
    """Return what has changed, from its *signs* by where it is."""
    return Changed(signs, is_brief=sum(map(_is_place, signs)) <= _FEW)


def _is_place(path: Path) -> bool:
    match path:
        case ("blocks", _):
            return True
        case _:
            return False


def _is_outputs(path: Path) -> bool:
    match path:
        case ("blocks", _, "outputs"):
            return True
        case _:
            return False


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One line of the tree, and what it stands for."""

    line: Line
    path: Path
    node: Node = None
    is_more: bool = False
    """It opens another page of the branch at `path`."""


def searchable(state: RunState, opened: Opened) -> Haystack:
    """Return what of a state is looked into for words; the definition once it is open."""
    path: Path = ("definition",)
    branches = (*_BRANCHES, "definition") if opened.choices.get(path) else _BRANCHES
    return haystack(state, branches, _FACTS, opened.loaded)


def tree_rows(
    state: RunState, opened: Opened, changed: Changed, found: Found | None, now: float
) -> list[TreeRow]:
    """Return the rows of the state of a run.

    Args:
        state: Of the run.
        opened: What is open.
        changed: What differs from the point that one compares with.
        found: Only rows at which something was found, and the branches that lead there; None: all.
        now: Seconds since 1970 UTC.
    """
    tree = document(state)
    builder = _Builder(state, opened, changed, found, now)
    rows: list[TreeRow] = []
    for name in _BRANCHES:
        rows += builder.node((name,), tree[name], 0)
    facts = {name: tree[name] for name in _FACTS if name in tree}
    rows += builder.facts(facts)
    rows += builder.definition(tree)
    return rows


@dataclass(frozen=True, slots=True)
class _Builder:
    state: RunState
    opened: Opened
    changed: Changed
    found: Found | None
    now: float

    def facts(self, facts: Mapping[str, Node]) -> Iterator[TreeRow]:
        is_open = self.opened.is_open(_RUN_PATH, self.changed)
        sign = "~" if any(self.changed.sign((name,)) != " " for name in facts) else " "
        if self.found is None:
            yield TreeRow(
                _line(_RUN_PATH, 0, _arrow(is_open), sign, _RUN, (_count(facts),)), _RUN_PATH, facts
            )
        if is_open or self.found is not None:
            for name, value in facts.items():
                yield from self.node((name,), value, 1)

    def definition(self, tree: Mapping[str, Node]) -> Iterator[TreeRow]:
        # Of a large workflow it takes a while to make, and few look into it.
        path: Path = ("definition",)
        if self.opened.is_open(path, self.changed):
            yield from self.node(path, tree["definition"], 0)
        elif self.found is None:
            line = _line(path, 0, _CLOSED, self.changed.sign(path), "definition", ())
            yield TreeRow(line, path, {})

    def branch(self, path: Path, branch: Mapping[str, Node], depth: int) -> Iterator[TreeRow]:
        """Yield a branch, and what of it is open."""
        if not self._is_wanted(path):
            return
        is_open = self._is_open(path)
        told = (Piece(f"  {len(branch)}", Tone.DIM),) if path in _OPEN else branch_told(path, branch)
        yield self._row(path, depth, _arrow(is_open, empty=not branch), told, branch)
        if is_open and depth < _DEEPEST:
            yield from self._inside(path, branch, depth + 1)

    def _inside(self, path: Path, branch: Mapping[str, Node], depth: int) -> Iterator[TreeRow]:
        names = list(branch)
        if self.found is not None:
            names = [name for name in names if self._is_wanted((*path, name))]
        room = self.opened.room(path)
        if len(names) > room and path == ("blocks",):
            names = self._first_ones(names)
        for name in islice(names, room):
            yield from self.node((*path, name), branch[name], depth)
        if len(names) > room:
            yield _more(path, len(names) - room, depth)

    def _first_ones(self, names: list[str]) -> list[str]:
        """Return the blocks with those first that have changed, or that something is to be said of."""

        def rank(name: str) -> int:
            if ("blocks", name) in self.changed.signs:
                return 0
            status = self.state.block(BlockId(name)).status
            return 1 if status in _ALIVE else 3 if status is BlockStatus.PENDING else 2

        return sorted(names, key=rank)

    def node(self, path: Path, node: Node, depth: int) -> Iterator[TreeRow]:
        """Yield what is at a path."""
        value = self._seen(node)
        if is_branch(value):
            yield from self.branch(path, value, depth)
        elif isinstance(value, list) and value:
            yield from self._list(path, value, depth)
        elif self._is_wanted(path):
            yield self._row(path, depth, " ", value_pieces(path, value, self.now), node)

    def _list(self, path: Path, values: list[Json], depth: int) -> Iterator[TreeRow]:
        if not self._is_wanted(path):
            return
        is_open = self._is_open(path)
        yield self._row(path, depth, _arrow(is_open), (Piece(f"  [{len(values)}]", Tone.DIM),), values)
        if is_open and depth < _DEEPEST:
            room = self.opened.room(path)
            wanted = [index for index in range(len(values)) if self._is_wanted((*path, index))]
            for index in wanted[:room]:
                yield from self.node((*path, index), values[index], depth + 1)
            if len(wanted) > room:
                yield _more(path, len(wanted) - room, depth + 1)

    def _row(self, path: Path, depth: int, arrow: str, told: tuple[Piece, ...], node: Node) -> TreeRow:
        line = _line(path, depth, arrow, self.changed.sign(path), _name(path), told)
        if self.found is not None and path in self.found.hits:
            line = replace(line, pieces=_marked(line.pieces, self.found.words), mark="*")
        return TreeRow(line, path, node)

    def _seen(self, node: Node) -> Node:
        if isinstance(node, Inline):
            return node.value
        if isinstance(node, Stored):
            return self.opened.loaded.get(node.sha256, node)
        return node

    def _is_wanted(self, path: Path) -> bool:
        """Whether it is shown: it was found, leads there, or is in something found that somebody has opened."""
        if self.found is None or self.found.shows(path):
            return True
        return any(
            path[:end] in self.found.hits and self.opened.choices.get(path[:end])
            for end in range(1, len(path))
        )

    def _is_open(self, path: Path) -> bool:
        if self.found is None:
            return self.opened.is_open(path, self.changed)
        return path in self.found.ways or self.opened.choices.get(path, False)


def _marked(pieces: tuple[Piece, ...], words: Sequence[str]) -> tuple[Piece, ...]:
    """Return the pieces of a line with the words that were found in them as pieces of their own."""
    sought = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))), re.IGNORECASE)
    marked: list[Piece] = []
    for piece in pieces:
        at = 0
        for hit in sought.finditer(piece.text):
            marked += [
                replace(piece, text=piece.text[at : hit.start()]),
                replace(piece, text=hit[0], tone=Tone.CHOSEN),
            ]
            at = hit.end()
        marked.append(replace(piece, text=piece.text[at:]))
    return tuple(piece for piece in marked if piece.text)


def _more(path: Path, left: int, depth: int) -> TreeRow:
    pieces = (
        Piece(f"{'  ' * depth}… {left:,} more; ", Tone.DIM),
        Piece("enter", Tone.KEY),
        Piece(f" shows {min(left, PAGE)}, ", Tone.DIM),
        Piece("/", Tone.KEY),
        Piece(" finds", Tone.DIM),
    )
    return TreeRow(Line(f"more:{path_text(path)}", pieces), path, None, is_more=True)


_CLOSED = "▸"


def _arrow(is_open: bool, *, empty: bool = False) -> str:
    return " " if empty else "▾" if is_open else _CLOSED


def _name(path: Path) -> str:
    return safe_line(str(path[-1]), 60)


def _line(path: Path, depth: int, arrow: str, sign: str, name: str, told: tuple[Piece, ...]) -> Line:
    tone = {"+": Tone.ADDED, "-": Tone.REMOVED}.get(sign, Tone.ACCENT)
    padded = f"{name:<{max(1, _NAME - 2 * depth)}}" if told and depth else name
    pieces = (
        Piece(sign, tone),
        Piece(f" {'  ' * depth}{arrow} ", Tone.DIM),
        Piece(padded, Tone.STRONG if depth == 0 else Tone.PLAIN if sign == " " else tone),
        *told,
    )
    return Line(path_text(path), pieces)


def _count(branch: Mapping[str, Node]) -> Piece:
    return Piece(f"  {counted(len(branch), 'fact')}", Tone.DIM)
