"""Where the rules of a question stand in the file of its workflow: for the one who has broken one of them.

What is read is the text that a run was started with, so that a line is told that its own file has, or had.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidegate.workflows.yaml_nodes import Node

__all__ = ["RuleLines", "rule_lines"]

_RULES = ("validation_pattern", "min", "max", "max_length", "input_type", "multiline", "choices")
"""Inputs of a block that say what counts as an answer; the first that is there is named."""


@dataclass(frozen=True, slots=True)
class RuleLines:
    """Lines of a file, 1-based; 0: not known."""

    block: int = 0
    """Of the block that asks."""
    own: int = 0
    """Of the rule of its only field."""
    fields: Mapping[str, int] = field(default_factory=dict)
    """Of each of its fields, by id."""

    def of(self, field_id: str) -> int:
        """Return the line of a field, empty for the only one; if that is not known, of what it is a part of."""
        return self.fields.get(field_id, 0) or self.own or self.block


def rule_lines(source: str, block: str, line: int) -> RuleLines:
    """Return where the rules of a block stand in the text of its workflow, as far as they can be found.

    Args:
        source: YAML; empty: it is not there.
        block: Its id.
        line: Where it stands; 0: not known.
    """
    # Here: with it comes the reader of YAML, which a monitor that shows no fault does not need.
    from tidegate.workflows.yaml_text import read_yaml

    root = read_yaml(source)[0] if source else None
    node = _block(root, block) if root is not None else None
    return RuleLines(line) if node is None else _lines(node, line or node.place.line)


def _block(root: "Node", block: str) -> "Node | None":
    from tidegate.workflows.yaml_nodes import ListNode, node_at

    blocks, _ = node_at(root, ("blocks",))
    items = blocks.items if isinstance(blocks, ListNode) else ()
    return next((item for item in items if _id_of(item) == block), None)


def _id_of(node: "Node") -> str:
    """Return what a mapping has as its `id`; empty: none."""
    from tidegate.workflows.yaml_nodes import TextNode, node_at

    found, has_id = node_at(node, ("id",))
    return found.text if has_id and isinstance(found, TextNode) else ""


def _lines(block: "Node", line: int) -> RuleLines:
    from tidegate.workflows.yaml_nodes import MapNode, node_at

    inputs, has_inputs = node_at(block, ("inputs",))
    if not has_inputs or not isinstance(inputs, MapNode):
        return RuleLines(line)
    entries = inputs.entries
    if (fields := entries.get("fields")) is not None:
        return RuleLines(line, fields.key.place.line, _fields(fields.value))
    own = next((entries[name].key.place.line for name in _RULES if name in entries), inputs.place.line)
    return RuleLines(line, own)


def _fields(node: "Node") -> dict[str, int]:
    """Return where each field of a form stands: of a list, or of a mapping."""
    from tidegate.workflows.yaml_nodes import ListNode, MapNode

    match node:
        case MapNode():
            return {name: entry.key.place.line for name, entry in node.entries.items()}
        case ListNode():
            return {_id_of(item): item.place.line for item in node.items}
        case _:
            return {}
