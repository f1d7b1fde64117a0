"""A workflow's definition as a tree that comparisons go through: its blocks and inputs by their names."""

from collections.abc import Mapping
from typing import Any

import msgspec

from tidegate.model.base import Json, JsonObject
from tidegate.model.workflow import BlockDefinition, InputDefinition, WorkflowDefinition

__all__ = ["definition_tree"]


def definition_tree(definition: WorkflowDefinition) -> Mapping[str, Any]:
    """Return everything in *definition* that a run depends on; where its file lies, and its lines, are not.

    Of blocks their order counts for nothing here but who waits for whom, which each block says. What is as
    it is by default is left out.
    """
    bare = definition.evolve(source_path="", waves=(), blocks=(), inputs=(), children={})
    return {
        **_json(bare),
        "inputs": {given.name: _input(given) for given in definition.inputs},
        "blocks": {block.id: _block(block) for block in definition.blocks},
        "workflows": {name: definition_tree(child) for name, child in definition.children.items()},
    }


def _input(given: InputDefinition) -> JsonObject:
    return {name: value for name, value in _json(given).items() if name != "name"}


def _block(block: BlockDefinition) -> JsonObject:
    found = {name: value for name, value in _json(block).items() if name not in ("id", "line")}
    if block.depends_on:
        found["depends_on"] = {
            dependency.block: [outcome.value for outcome in dependency.when]
            for dependency in block.depends_on
        }
    return found


def _json(noun: object) -> JsonObject:
    found: dict[str, Json] = msgspec.json.decode(msgspec.json.encode(noun))
    return found
