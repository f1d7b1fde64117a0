"""What a run was at a point, as a tree of lines: only what is open is looked at, and large branches in pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from tidegate.history.document import Node, document, is_branch, plain_json
from tidegate.history.paths import Path, path_text
from tidegate.model.base import Json
from tidegate.model.ids import BlockId
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.value import Inline, Stored
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.looks.symbols import block_sign
from tidegate.tui.present.shared import counted
from tidegate.tui.times import clock_time, lasted

__all__ = [
    "INSTANTS",
    "Changed",
    "Opened",
    "TreeRow",
    "changed_with",
    "shown_value",
    "size_words",
    "tree_rows",
]

PAGE = 200
"""Names of one branch that are shown at once."""
_DEEPEST = 40
_SEARCHED = 4
"""Names deep in which words are looked for."""
_NAME = 18
"""Cells of names in front of values, at the depth of 0."""
_KB, _MB = 1_000, 1_000_000
_SHOWN = 200
"""Characters of a value that a line needs."""
_RUN = "run"
_RUN_PATH: Path = ("~run",)
"""Of the branch that holds what is said of the run as a whole; no name of the document."""
_FACTS = ("status", "reason", "wave", "total_waves", "by", "started_at", "updated_at", "held", "cancel")
_BRANCHES = ("inputs", "state", "blocks", "pauses", "outputs")
_OPEN = frozenset({("inputs",), ("state",), ("blocks",), ("pauses",), ("outputs",)})
_ALIVE = frozenset((BlockStatus.RUNNING, BlockStatus.FAILED, BlockStatus.PAUSED, BlockStatus.INTERRUPTED))
INSTANTS = frozenset(
    ("started_at", "ended_at", "updated_at", "opened_at", "closed_at", "deadline", "wake_at")
)
"""What the state of a run calls its instants, in seconds since 1970 UTC."""
_FEW = 3
"""Blocks that have changed which are open by themselves."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What differs from the point that one compares with."""

    signs: Mapping[Path, str] = field(default_factory=dict)
    """``+`` and ``~`` by where they are; a branch has ``~`` if something in it has one."""
    is_brief: bool = True
    """Whether so few blocks have changed that each of them is open by itself."""

    def sign(self, path: Path) -> str:
        """Return how a path is marked; a blank if it is not."""
        if path in self.signs:
            return self.signs[path]
        return "+" if any(self.signs.get(path[:end]) == "+" for end in range(1, len(path))) else " "


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

    def show_more(self, path: Path) -> None:
        """Show another page of a branch."""
        self.pages[path] = self.pages.get(path, 1) + 1
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


def tree_rows(state: RunState, opened: Opened, changed: Changed, words: str, now: float) -> list[TreeRow]:
    """Return the rows of the state of a run.

    Args:
        state: Of the run.
        opened: What is open.
        changed: What differs from the point that one compares with.
        words: Only rows with all of these in their path; empty: all.
        now: Seconds since 1970 UTC.
    """
    tree = document(state)
    builder = _Builder(state, opened, changed, words.casefold().split(), now)
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
    words: Sequence[str]
    now: float

    def facts(self, facts: Mapping[str, Node]) -> Iterator[TreeRow]:
        is_open = self.opened.is_open(_RUN_PATH, self.changed)
        sign = "~" if any(self.changed.sign((name,)) != " " for name in facts) else " "
        if not self.words:
            yield TreeRow(
                _line(_RUN_PATH, 0, _arrow(is_open), sign, _RUN, (_count(facts),)), _RUN_PATH, facts
            )
        if is_open or self.words:
            for name, value in facts.items():
                yield from self.node((name,), value, 1)

    def definition(self, tree: Mapping[str, Node]) -> Iterator[TreeRow]:
        # Of a large workflow it takes a while to make, and few look into it.
        path: Path = ("definition",)
        if self.opened.is_open(path, self.changed):
            yield from self.node(path, tree["definition"], 0)
        elif not self.words:
            line = _line(path, 0, _CLOSED, self.changed.sign(path), "definition", ())
            yield TreeRow(line, path, {})

    def branch(self, path: Path, branch: Mapping[str, Node], depth: int) -> Iterator[TreeRow]:
        """Yield a branch, and what of it is open."""
        is_open = self.opened.is_open(path, self.changed)
        if self._is_wanted(path):
            told = (Piece(f"  {len(branch)}", Tone.DIM),) if path in _OPEN else _told(path, branch)
            yield TreeRow(
                _line(
                    path, depth, _arrow(is_open, empty=not branch), self.changed.sign(path), _name(path), told
                ),
                path,
                branch,
            )
        if (is_open or (self.words and depth < self._depth)) and depth < _DEEPEST:
            yield from self._inside(path, branch, depth + 1)

    def _inside(self, path: Path, branch: Mapping[str, Node], depth: int) -> Iterator[TreeRow]:
        names = list(branch)
        if self.words and depth == self._depth:
            names = [name for name in names if self._may_hold((*path, name))]
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
            pieces = _value_pieces(path, value, self.now)
            yield TreeRow(_line(path, depth, " ", self.changed.sign(path), _name(path), pieces), path, node)

    def _list(self, path: Path, values: list[Json], depth: int) -> Iterator[TreeRow]:
        is_open = self.opened.is_open(path, self.changed)
        if self._is_wanted(path):
            told = (Piece(f"  [{len(values)}]", Tone.DIM),)
            yield TreeRow(
                _line(path, depth, _arrow(is_open), self.changed.sign(path), _name(path), told), path, values
            )
        if is_open and depth < _DEEPEST:
            room = self.opened.room(path)
            for index, value in enumerate(islice(values, room)):
                yield from self.node((*path, index), value, depth + 1)
            if len(values) > room:
                yield _more(path, len(values) - room, depth + 1)

    def _seen(self, node: Node) -> Node:
        if isinstance(node, Inline):
            return node.value
        if isinstance(node, Stored):
            return self.opened.loaded.get(node.sha256, node)
        return node

    @property
    def _depth(self) -> int:
        """How deep closed branches are looked into for words: of a large run only as far as the names of its blocks."""
        return _SEARCHED if len(self.state.graph.blocks) <= PAGE else 1

    def _is_wanted(self, path: Path) -> bool:
        return not self.words or self._has_words(path)

    def _has_words(self, path: Path) -> bool:
        text = path_text(path).casefold()
        return all(word in text for word in self.words)

    def _may_hold(self, path: Path) -> bool:
        # What is in an open branch may have the words, too.
        return self._has_words(path) or self.opened.is_open(path, self.changed)


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
    tone = Tone.ADDED if sign == "+" else Tone.ACCENT
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


# -- what is said of a branch, and of a value -------------------------------------------------


def _told(path: Path, branch: Mapping[str, Node]) -> tuple[Piece, ...]:
    match path:
        case ("blocks", _):
            return _block_told(branch)
        case ("pauses", _):
            return _pause_told(branch)
        case _:
            return (Piece(f"  {{{len(branch)}}}", Tone.DIM),)


def _block_told(block: Mapping[str, Node]) -> tuple[Piece, ...]:
    sign = block_sign(BlockStatus(str(block["status"])))
    seconds = block.get("duration")
    took = f" {lasted(seconds)}" if isinstance(seconds, int | float) else ""
    attempt = block.get("attempt")
    again = f" attempt {attempt}" if isinstance(attempt, int) and attempt > 1 else ""
    return (Piece("  "), sign.piece, Piece(f"{took}{again}", Tone.DIM))


def _pause_told(pause: Mapping[str, Node]) -> tuple[Piece, ...]:
    state = str(pause["state"])
    answer = f": {shown_value(pause['answer'])}" if "answer" in pause else ""
    return (Piece("  "), Piece(f"{state}{answer}", Tone.WAITING if state == "open" else Tone.PLAIN))


def _value_pieces(path: Path, value: Node, now: float) -> tuple[Piece, ...]:
    match path, value:
        case _, Stored():
            said = f"  {size_words(value.size)}, "
            return (Piece(said, Tone.DIM), Piece("enter", Tone.KEY), Piece(" loads it", Tone.DIM))
        case ("blocks", _, "status"), _:
            return (Piece("  "), block_sign(BlockStatus(str(value))).piece)
        case (((str(name),) | ("blocks" | "pauses", _, str(name))), int() | float()):
            return (Piece(f"  {_time(name, value, now)}"),)
        case _:
            return (Piece(f"  {shown_value(value)}"),)


def _time(name: str, value: float, now: float) -> str:
    """Return a number that the document has of its own: an instant, a duration, or neither."""
    if name in INSTANTS:
        return clock_time(value, now)
    return lasted(value) if name == "duration" else shown_value(value)


def size_words(size: int) -> str:
    """Return a number of bytes for people."""
    return f"{size / _MB:.1f} MB" if size >= _MB else f"{size / _KB:.1f} KB"


def shown_value(node: Node, limit: int = _SHOWN) -> str:
    """Return a value as it stands on one line: as JSON writes it, bounded, safe to draw."""
    if isinstance(node, Inline):
        node = node.value
    if isinstance(node, Stored):
        return f"({size_words(node.size)}, not loaded)"
    if isinstance(node, str) and len(node) > limit:
        # What is cut off anyway need not be written first.
        node = node[: limit + 1]
    return safe_line(msgspec.json.encode(plain_json(node)).decode(), limit)
