"""What a block is given: its inputs as written, with the values of a run in place of references."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tidegate.errors import ExpressionError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition
from tidegate.workflows.items import keyed_items
from tidegate.workflows.references import Reference, Root
from tidegate.workflows.scope import Names, Scope, names_of
from tidegate.workflows.shell_text import bind_shell
from tidegate.workflows.templates import (
    MOST_TEXT,
    TOO_LONG,
    as_shown,
    compile_condition,
    compile_text,
    described,
)

__all__ = [
    "Rendered",
    "all_references_in",
    "condition_is_per_item",
    "evaluate_until",
    "names_of",
    "needed_blocks",
    "references_in",
    "render_block_outputs",
    "render_inputs",
    "render_items",
    "render_label",
    "render_metadata",
    "render_outputs",
    "secrets_of",
    "texts_in",
]


_MOST_LABEL = 200


@dataclass(frozen=True, slots=True)
class Rendered:
    """The inputs of a block that is about to run."""

    inputs: JsonObject
    bindings: dict[str, str]
    """Environment variables that carry values into its shell text."""


def texts_in(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every text inside *value* with its path. Keys of mappings are as written, so no texts."""
    match value:
        case str():
            yield path, value
        case list():
            for index, item in enumerate(value):
                yield from texts_in(item, (*path, index))
        case dict():
            for key, item in value.items():
                yield from texts_in(item, (*path, key))


def render_inputs(block: BlockDefinition, spec: BlockSpec, names: Names, scope: Scope) -> Rendered:
    """Return the inputs of *block* in *scope*.

    Raises:
        ExpressionError: something that they read has no value.
    """
    inputs: JsonObject = {}
    bindings: dict[str, str] = {}
    for name, value in block.inputs.items():
        # A list is a program and its arguments: no shell reads it, so its items are texts like any other.
        here = names.of_input(name, spec.secret_inputs)
        if name in spec.shell_inputs and isinstance(value, str):
            inputs[name], variables = bind_shell(value, names, first=len(bindings) + 1).evaluate(scope)
            bindings.update(variables)
        elif name in spec.shell_inputs and isinstance(value, list):
            inputs[name] = [_argument(item, names, scope) for item in value]
        else:
            inputs[name] = _rendered(value, here, scope)
    return Rendered(inputs, bindings)


def _argument(item: Json, names: Names, scope: Scope) -> Json:
    if not isinstance(item, str):
        return item
    value = compile_text(item, names).evaluate(scope)
    if value is None:
        raise ExpressionError(item, "it has no value (null): write a default, like ${name ?? 'none'}")
    return as_shown(value)


def _rendered(value: Json, names: Names, scope: Scope) -> Json:
    left = MOST_TEXT

    def change(text: str) -> Json:
        nonlocal left
        found = compile_text(text, names).evaluate(scope)
        left -= len(found) if isinstance(found, str) else 0
        if left < 0:
            raise ExpressionError(text, TOO_LONG)
        return found

    return _mapped(value, change)


def _mapped(value: Json, change: Callable[[str], Json]) -> Json:
    match value:
        case str():
            return change(value)
        case list():
            return [_mapped(item, change) for item in value]
        case dict():
            return {key: _mapped(item, change) for key, item in value.items()}
        case _:
            return value


def references_in(block: BlockDefinition, spec: BlockSpec, names: Names) -> Iterator[Reference]:
    """Yield everything that the inputs of *block* read."""
    for name, value in block.inputs.items():
        if name in spec.shell_inputs and isinstance(value, str):
            yield from bind_shell(value, names).references
        else:
            yield from _references_of(value, names.of_input(name, spec.secret_inputs))


def secrets_of(block: BlockDefinition, spec: BlockSpec, names: Names) -> frozenset[str]:
    """Return the names of the secrets that the inputs of *block* read."""
    if not names.secrets:
        return frozenset()
    found = (reference for reference in references_in(block, spec, names) if reference.root is Root.SECRET)
    return frozenset(reference.name for reference in found)


def needed_blocks(
    block: BlockDefinition, spec: BlockSpec, names: Names, *, part: bool = False
) -> frozenset[str]:
    """Return the other blocks that *block* may read, in any of its texts.

    Itself is not among them: a block with `loop` may also read what it gave the iteration before.

    Args:
        block: The block.
        spec: Of its type.
        names: What it may read.
        part: Whether one item of it is meant: it does not read the list of items, which may be long.
    """
    return names.found(block, part, lambda: _needed(block, spec, names, part=part))


def _needed(block: BlockDefinition, spec: BlockSpec, names: Names, *, part: bool) -> frozenset[str]:
    found = {reference.block for reference in all_references_in(block, spec, names, part=part)}
    return frozenset(name for name in found if name is not None and name != block.id)


def all_references_in(
    block: BlockDefinition, spec: BlockSpec, names: Names, *, part: bool = False
) -> Iterator[Reference]:
    """Yield everything that *block* reads, in any of its texts; *part* as of `needed_blocks`."""
    yield from references_in(block, spec, names)
    for condition in (block.condition, block.loop.until if block.loop else None):
        if condition is not None:
            yield from compile_condition(condition, names).references
    if block.outputs:
        yield from _references_of(dict(block.outputs), names)
    if block.for_each is not None and not part:
        yield from _references_of(block.for_each.items, names.outside_items())
        yield from _references_of(block.for_each.key, names)
    if block.checkpoint is not None:
        yield from _references_of([block.checkpoint.label, block.checkpoint.metadata], names)


def _references_of(value: Json, names: Names) -> Iterator[Reference]:
    for _, text in texts_in(value):
        yield from compile_text(text, names).references


def render_items(
    block: BlockDefinition, names: Names, scope: Scope
) -> tuple[tuple[str, ...], tuple[Json, ...]]:
    """Return the keys and the items of a block with `for_each`, in the order of the items.

    Without a written key, an item is known by its own text (of a mapping: by its key) if those are
    all different and short, otherwise by its position.

    Raises:
        ExpressionError: there is no list and no mapping to go through, or an item has no key.
    """
    each = block.for_each
    if each is None:
        return (), ()
    value = _rendered(each.items, names.outside_items(), scope)
    return keyed_items(each, value, names, scope)


def condition_is_per_item(block: BlockDefinition, names: Names) -> bool:
    """Return whether the condition of *block* is to be decided for each item, not once for all."""
    if block.condition is None:
        return False
    references = compile_condition(block.condition, names).references
    return any(reference.root in {Root.ITEM, Root.INDEX} for reference in references)


def evaluate_until(block: BlockDefinition, names: Names, scope: Scope) -> bool:
    """Return whether a block with `loop` is done.

    Args:
        block: The block, of which an iteration has just ended.
        names: Of the block.
        scope: With the outputs of that iteration under the block's own id.

    Raises:
        ExpressionError: it cannot be evaluated, or gives no boolean.
    """
    if block.loop is None:
        return True
    value = compile_condition(block.loop.until, names).expression.evaluate(scope)
    if not isinstance(value, bool):
        raise ExpressionError(block.loop.until, f"until gave {described(value)}, expected a boolean")
    return value


def render_label(block: BlockDefinition, names: Names, scope: Scope) -> str:
    """Return the label of the checkpoint that *block* marks; at most 200 characters of it.

    Raises:
        ExpressionError: something that it reads has no value.
    """
    if block.checkpoint is None:
        return ""
    value = compile_text(block.checkpoint.label, names).evaluate(scope)
    if value is None:
        raise ExpressionError(block.checkpoint.label, "it has no value (null), and is to be a label")
    return as_shown(value)[:_MOST_LABEL]


def render_metadata(block: BlockDefinition, names: Names, scope: Scope) -> JsonObject:
    """Return the metadata of the checkpoint that *block* marks.

    Raises:
        ExpressionError: something that it reads has no value.
    """
    metadata = block.checkpoint.metadata if block.checkpoint else {}
    return {name: _rendered(value, names, scope) for name, value in metadata.items()}


def render_block_outputs(block: BlockDefinition, names: Names, scope: Scope) -> JsonObject:
    """Return the further outputs that *block* declares.

    Args:
        block: The block, which has just run.
        names: Of its workflow.
        scope: With the block's own outputs under its own id.

    Raises:
        ExpressionError: something that they read has no value.
    """
    return {name: compile_text(text, names).evaluate(scope) for name, text in block.outputs.items()}


def render_outputs(definition: WorkflowDefinition, names: Names, scope: Scope) -> JsonObject:
    """Return the outputs of a run that has ended; what a block that did not run would have given is null.

    Raises:
        ExpressionError: something else that they read has no value.
    """
    return _outputs(definition.outputs, names, scope)


def _outputs(outputs: Mapping[str, Json], names: Names, scope: Scope) -> JsonObject:
    return {
        name: _mapped(value, lambda text: _or_null(text, names, scope)) for name, value in outputs.items()
    }


def _or_null(text: str, names: Names, scope: Scope) -> Json:
    template = compile_text(text, names)
    try:
        return template.evaluate(scope)
    except ExpressionError:
        if any(reference.did_not_run(scope) for reference in template.references):
            return None
        raise
