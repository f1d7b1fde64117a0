"""The workflows that a file calls: found and pinned, and given what they take."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from tidegate.errors import DefinitionError
from tidegate.model.base import Json
from tidegate.model.catalog import BlockSpec, Catalog
from tidegate.model.workflow import WorkflowDefinition
from tidegate.workflows.block_list import MAX_BLOCKS, Block
from tidegate.workflows.fault_list import FaultList
from tidegate.workflows.run_inputs import unknown_input, value_problem
from tidegate.workflows.text_parts import has_reference
from tidegate.workflows.yaml_nodes import Path

__all__ = ["Children", "NotCallable", "call_problems", "read_calls"]

Children: TypeAlias = Callable[[str], WorkflowDefinition]
"""Returns the workflow that a name, as written, means. Raises NotCallable or DefinitionError."""


class NotCallable(Exception):  # says what happened; it becomes a fault and reaches nobody
    """A name means no workflow that can be called from where it stands; the text says why."""


def read_calls(
    blocks: tuple[Block, ...], catalog: Catalog, children: Children | None, faults: FaultList
) -> dict[str, WorkflowDefinition]:
    """Return the workflows that *blocks* call, by name as written; those that are wrong are reported."""
    found: dict[str, WorkflowDefinition] = {}
    tried: set[str] = set()
    for block in blocks:
        spec = catalog.get(block.document.type)
        name = _name(block, spec, faults)
        if spec is None or spec.calls is None or name is None:
            continue
        if name not in tried:
            tried.add(name)
            child = _child(name, (*block.path, "inputs", spec.calls), children, faults)
            found |= {name: child} if child else {}
        if name in found:
            _check_inputs(block, found[name], faults)
    _check_size(found, faults)
    return found


def _name(block: Block, spec: BlockSpec | None, faults: FaultList) -> str | None:
    if spec is None or spec.calls is None:
        return None
    name = block.document.inputs.get(spec.calls)
    if not isinstance(name, str) or not name.strip():
        return None  # what the type itself says of its inputs
    if has_reference(name):
        problem = "a workflow is called by a name that is known before the run: write it without a reference"
        faults.add((*block.path, "inputs", spec.calls), f"{problem}, and choose with conditions")
        return None
    return name


def _child(name: str, path: Path, children: Children | None, faults: FaultList) -> WorkflowDefinition | None:
    if children is None:
        faults.add(path, f"'{name}' cannot be called: this workflow is no file, beside which it could lie")
        return None
    try:
        return children(name)
    except NotCallable as error:
        faults.add(path, str(error))
    except DefinitionError as error:
        faults.add(path, f"the workflow '{name}' cannot be called: it has faults ({error.file})")
        faults.add_of_child(error)
    return None


def _check_inputs(block: Block, child: WorkflowDefinition, faults: FaultList) -> None:
    given = block.document.inputs.get("inputs")
    if "inputs" in block.broken or (given is not None and not isinstance(given, dict)):
        return
    path = (*block.path, "inputs")
    passed: dict[str, Json] = given or {}
    for name, problem in call_problems(child, passed):
        if name in passed:
            is_known = any(declared.name == name for declared in child.inputs)
            faults.add((*path, "inputs", name), problem, key=not is_known)
        else:
            faults.add((*path, "inputs") if passed else path, problem, key=True)


def call_problems(child: WorkflowDefinition, passed: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield the names and the problems of what a call passes, as far as it is known before a run.

    Args:
        child: What is called.
        passed: With what, as written.
    """
    for name, value in passed.items():
        problem = unknown_input(child, name) or _value_problem(child, name, value)
        if problem:
            yield name, f"workflow '{child.name}': {problem}"
    for declared in child.inputs:
        if declared.required and declared.name not in passed:
            yield (
                declared.name,
                f"the workflow '{child.name}' needs the input '{declared.name}': pass it in inputs",
            )


def _value_problem(child: WorkflowDefinition, name: str, value: Json) -> str:
    declared = next(declared for declared in child.inputs if declared.name == name)
    return "" if has_reference(value) else value_problem(declared, value)


def _check_size(children: dict[str, WorkflowDefinition], faults: FaultList) -> None:
    """Refuse what would pin a definition of unbounded size: each caller holds what it calls."""
    if sum(_size(child) for child in children.values()) > MAX_BLOCKS:
        problem = f"the workflows that are called from here have more than {MAX_BLOCKS:,} blocks in all"
        faults.add(("blocks",), problem, key=True)


def _size(definition: WorkflowDefinition) -> int:
    # Of a child that was read this is bounded: it passed this very check.
    return len(definition.blocks) + sum(_size(child) for child in definition.children.values())
