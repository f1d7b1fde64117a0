"""Finding names and values in the state of a run: what is looked into, and what is not and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

import msgspec

from tidegate.history.document import Node, document, is_branch
from tidegate.history.paths import Path, path_text
from tidegate.model.base import Json
from tidegate.model.ids import BlockId, is_part
from tidegate.model.state import RunState
from tidegate.model.value import Inline, Stored
from tidegate.tui.lines import Line, Tone, text_line
from tidegate.tui.present.shared import counted

__all__ = ["Found", "Haystack", "find", "found_lines", "haystack"]

_MOST_VALUES = 20_000
"""Values that are looked into; the names of all blocks are, beyond that too."""
_MOST_TEXT = 20_000
"""Characters of one value that are looked into."""
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class _Straw:
    """A name of the state, with the value that stands there."""

    path: Path
    above: str
    """The path of what it is in."""
    name: str
    """All of its own path."""
    value: str = ""


@dataclass(slots=True)
class Haystack:
    """Everything of one state that is looked into, in the order in which the tree shows it."""

    straws: list[_Straw] = field(default_factory=list)
    large: int = 0
    """Large values that are not loaded, and therefore not looked into."""
    is_whole: bool = True
    """Whether all other values are looked into."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where some words were found."""

    words: tuple[str, ...]
    hits: frozenset[Path]
    ways: frozenset[Path]
    """The branches that lead to them."""
    large: int = 0
    """See `Haystack`."""
    is_whole: bool = True

    def shows(self, path: Path) -> bool:
        """Whether something was found at a path, or below it."""
        return path in self.hits or path in self.ways


def haystack(
    state: RunState, branches: tuple[str, ...], facts: tuple[str, ...], loaded: Mapping[str, Json]
) -> Haystack:
    """Return what of a state is looked into. It takes a while for a large run: once for all words.

    Args:
        state: Of the run.
        branches: The branches of its document that the tree shows, in their order.
        facts: What the document says of the run as a whole.
        loaded: Large values that somebody wanted to see, by their hash.
    """
    tree, hay = document(state), Haystack()
    for name in (*branches, *facts):
        if name in tree:
            _add(hay, state, (name,), "", tree[name], loaded)
    return hay


def _add(
    hay: Haystack, state: RunState, path: Path, above: str, node: Node, loaded: Mapping[str, Json]
) -> None:
    name = f"{above}.{path_text(path[-1:])}".removeprefix(".").casefold()
    value = _seen(node, loaded)
    hay.large += isinstance(value, Stored)
    hay.straws.append(_Straw(path, above, name, _text(value)))
    if len(path) >= _DEEPEST:
        return
    for part, below in _inside(hay, state, path, value):
        _add(hay, state, (*path, part), name, below, loaded)


def _seen(node: Node, loaded: Mapping[str, Json]) -> Node:
    if isinstance(node, Inline):
        return node.value
    return loaded.get(node.sha256, node) if isinstance(node, Stored) else node


def _inside(hay: Haystack, state: RunState, path: Path, value: Node) -> Iterator[tuple[str | int, Node]]:
    """Yield what is behind a name: of a block that nothing has happened to, and of what is too much, its name alone."""
    if path == ("blocks",) and is_branch(value):
        for name in value:
            is_new = BlockId(name) not in state.touched and not is_part(BlockId(name))
            yield name, {} if is_new or _is_full(hay) else value[name]
    elif is_branch(value):
        yield from ((name, value[name]) for name in takewhile(lambda _: not _is_full(hay), value))
    elif isinstance(value, list):
        yield from takewhile(lambda _: not _is_full(hay), enumerate(value))


def _is_full(hay: Haystack) -> bool:
    if len(hay.straws) < _MOST_VALUES:
        return False
    hay.is_whole = False
    return True


def _text(value: Node) -> str:
    if isinstance(value, str):
        return value[:_MOST_TEXT].casefold()
    if isinstance(value, Stored) or is_branch(value) or isinstance(value, list):
        return ""
    return msgspec.json.encode(value).decode()


def find(hay: Haystack, words: str) -> Found:
    """Return where all of some words stand, in a path or in the value there; what only its branch has, is no hit."""
    wanted = tuple(words.casefold().split())
    hits = frozenset(straw.path for straw in hay.straws if _is_hit(straw, wanted))
    ways = frozenset(path[:end] for path in hits for end in range(1, len(path)))
    return Found(wanted, hits, ways, hay.large, hay.is_whole)


def _is_hit(straw: _Straw, words: tuple[str, ...]) -> bool:
    if not all(word in straw.name or word in straw.value for word in words):
        return False
    return any(word in straw.value for word in words) or not all(word in straw.above for word in words)


def found_lines(found: Found) -> Iterator[Line]:
    """Yield what was not looked into: it may be there all the same."""
    if found.large:
        words = f"{counted(found.large, 'large value')} not looked into: one is, once enter has loaded it"
        yield text_line(words, Tone.WAITING, key="find:large")
    if not found.is_whole:
        words = f"looked into the first {_MOST_VALUES:,} values; of all other blocks at their names alone"
        yield text_line(words, Tone.WAITING, key="find:whole")
