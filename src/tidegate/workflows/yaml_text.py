"""Text to a tree with places, or to faults: nothing a workflow file may contain ends in a traceback.

Reads PyYAML's events one by one instead of its node graph: depth and size are then bounded while
reading, and a key that stands twice is seen before the second replaces the first.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from tidegate.errors import Fault
from tidegate.workflows.yaml_hints import UNQUOTED_BRACES, blank_fault, control_fault, syntax_fault
from tidegate.workflows.yaml_nodes import Entry, ListNode, MapNode, Node, Place, TextNode

__all__ = ["MAX_BYTES", "MAX_DEPTH", "read_yaml"]

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 40
_MAX_NODES = 1_000_000
"""Counted with every alias written out, so that nine lines of aliases are no billion nodes."""
_STRING_TAGS = frozenset({None, "!", "tag:yaml.org,2002:str"})
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Unreadable(Exception):  # private, and never leaves this module
    """Reading cannot go on after this fault."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.message)


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been read."""

    node: ListNode | MapNode
    anchor: str | None
    flow: bool
    before: int
    """How many nodes there were before it."""
    key: TextNode | None = None
    """Of a mapping: the key whose value comes next."""
    height: int = 1


@dataclass(slots=True)
class _Anchored:
    node: Node
    size: int
    height: int


@dataclass(slots=True)
class _Tree:
    """A tree under construction."""

    faults: list[Fault] = field(default_factory=list)
    fatal: bool = False
    """Whether a fault leaves a hole, so that what is around it must not be judged."""
    root: Node | None = None
    open: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Anchored] = field(default_factory=dict)
    count: int = 0
    documents: int = 0

    def take(self, event: Any) -> None:
        """Take the next event."""
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event, Place(event.start_mark.line + 1, event.start_mark.column + 1))

    def hole(self, message: str, place: Place) -> TextNode:
        """Note a fault that leaves a hole and return what stands in for it."""
        self.faults.append(Fault(message, place.line, place.column))
        self.fatal = True
        return TextNode(place, "")

    def document(self, _event: Any, place: Place) -> None:
        """Count documents: a workflow file holds one."""
        self.documents += 1
        if self.documents > 1:
            message = "a second document starts here (---): one file holds one workflow"
            raise _Unreadable(Fault(message, place.line, place.column))

    def scalar(self, event: Any, place: Place) -> None:
        """Take a text, which may be a key."""
        if event.tag not in _STRING_TAGS:
            self.hole(_tag_problem(event.tag), place)
        plain = event.style in {None, ""} and event.tag is None
        node = TextNode(place, event.value, plain=plain, block=event.style in {"|", ">"})
        if plain and not event.value.isascii():
            self._check_blanks(event.value, place)
        self._add(node, event.anchor, size=1, height=1)

    def _check_blanks(self, text: str, place: Place) -> None:
        fault = blank_fault(text, place.line)
        if fault:
            self.faults.append(Fault(fault.message, place.line, place.column + fault.column - 1))
            self.fatal = True

    def alias(self, event: Any, place: Place) -> None:
        """Take what an anchor names; never a part of itself."""
        known = self.anchors.get(event.anchor)
        if known is None:
            hole = self.hole(f"*{event.anchor} names nothing: no &{event.anchor} ends before it", place)
            self._add(hole, None, size=1, height=1)
        else:
            self._add(known.node, None, size=known.size, height=known.height)

    def begin(self, event: Any, place: Place) -> None:
        """Start a list or a mapping."""
        if event.tag not in {None, "!"}:
            self.hole(_tag_problem(event.tag), place)
        if len(self.open) >= MAX_DEPTH:
            raise _Unreadable(_too_deep(place))
        node = MapNode(place) if isinstance(event, yaml.MappingStartEvent) else ListNode(place)
        self.open.append(_Open(node, event.anchor, bool(event.flow_style), self.count))

    def end(self, _event: Any, _place: Place) -> None:
        """End the innermost list or mapping."""
        done = self.open.pop()
        self._add(
            done.node, done.anchor, size=self.count - done.before + 1, height=done.height + 1, counted=True
        )

    def _add(self, node: Node, anchor: str | None, *, size: int, height: int, counted: bool = False) -> None:
        self.count += 1 if counted else size
        if self.count > _MAX_NODES:
            raise _Unreadable(Fault("its aliases make it too large", node.place.line, node.place.column))
        if len(self.open) + height > MAX_DEPTH + 1:
            raise _Unreadable(_too_deep(node.place))
        if anchor:
            self.anchors[anchor] = _Anchored(node, size, height)
        if self.open:
            self.open[-1].height = max(self.open[-1].height, height)
            self._put(self.open[-1], node)
        else:
            self.root = node

    def _put(self, inner: _Open, node: Node) -> None:
        if isinstance(inner.node, ListNode):
            inner.node.items.append(node)
        elif inner.key is None:
            inner.key = node if isinstance(node, TextNode) else self._no_key(inner, node)
        else:
            self._put_entry(inner.node, Entry(inner.key, node))
            inner.key = None

    def _no_key(self, inner: _Open, node: Node) -> TextNode:
        if inner.flow:
            return self.hole(UNQUOTED_BRACES, inner.node.place)
        return self.hole("a key must be text, not a list or a mapping", node.place)

    def _put_entry(self, mapping: MapNode, entry: Entry) -> None:
        key, place = entry.key.text, entry.key.place
        first = mapping.entries.get(key)
        if first is not None:
            if not self.fatal:
                message = f"the key '{key}' stands twice: first in line {first.key.place.line}, again in line {place.line}"
                self.faults.append(Fault(message, place.line, place.column))
        elif key == "<<" and entry.key.plain:
            self.hole("merge keys (<<) are not supported: write the keys out", place)
        else:
            mapping.entries[key] = entry


def _tag_problem(tag: str) -> str:
    shown = tag.replace("tag:yaml.org,2002:", "!!")
    return f"the tag {shown} is not supported: quote text that starts with !"


def _too_deep(place: Place) -> Fault:
    return Fault(f"lists and mappings are nested deeper than {MAX_DEPTH} levels", place.line, place.column)


_HANDLERS: dict[type, Callable[[_Tree, Any, Place], None]] = {
    yaml.DocumentStartEvent: _Tree.document,
    yaml.ScalarEvent: _Tree.scalar,
    yaml.AliasEvent: _Tree.alias,
    yaml.MappingStartEvent: _Tree.begin,
    yaml.SequenceStartEvent: _Tree.begin,
    yaml.MappingEndEvent: _Tree.end,
    yaml.SequenceEndEvent: _Tree.end,
}


def read_yaml(text: str) -> tuple[Node | None, tuple[Fault, ...]]:
    """Return the tree of *text* and its faults.

    Without a tree the faults say why. With one they are keys that stand twice, the first of which counts.
    """
    text = text.removeprefix("\ufeff")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return None, (Fault(f"the file is larger than {MAX_BYTES:,} bytes, the most that is taken"),)
    control = control_fault(text)
    if control:
        return None, (control,)
    tree = _Tree()
    try:
        for event in yaml.parse(text, Loader=_Loader):
            tree.take(event)
    except yaml.YAMLError as error:
        return None, (*tree.faults, syntax_fault(text, error))
    except _Unreadable as error:
        return None, (*tree.faults, error.fault)
    return _finished(tree)


def _finished(tree: _Tree) -> tuple[Node | None, tuple[Fault, ...]]:
    if tree.root is None or (isinstance(tree.root, TextNode) and tree.root.text == ""):
        return None, (*tree.faults, Fault("the file is empty: a workflow has at least a name and blocks"))
    return (None if tree.fatal else tree.root), tuple(tree.faults)
