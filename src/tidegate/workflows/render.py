"""What a block is given: its inputs as written, with the values of a run in place of references."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tidegate.errors import ExpressionError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition
from tidegate.workflows.scope import Names, Scope
from tidegate.workflows.shell_text import bind_shell
from tidegate.workflows.templates import as_shown, compile_condition, compile_text

__all__ = [
    "Rendered",
    "names_of",
    "needed_blocks",
    "render_block_outputs",
    "render_inputs",
    "render_outputs",
    "texts_in",
]


_KEPT = 64
_recent: dict[int, tuple[WorkflowDefinition, Names]] = {}
"""By identity, each with its definition, so that the identity cannot be another's."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The inputs of a block that is about to run."""

    inputs: JsonObject
    bindings: dict[str, str]
    """Environment variables that carry values into its shell text."""


def names_of(definition: WorkflowDefinition) -> Names:
    """Return the names that texts of *definition* may use."""
    # Asked for once per block of a run: made anew each time, 10,000 blocks would cost 10,000 times 10,000.
    key = id(definition)
    known = _recent.get(key)
    if known is not None and known[0] is definition:
        return known[1]
    inputs = frozenset(declared.name for declared in definition.inputs)
    names = Names(inputs, frozenset(str(block.id) for block in definition.blocks))
    if len(_recent) >= _KEPT:
        _recent.clear()
    _recent[key] = (definition, names)
    return names


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
        if name in spec.shell_inputs and isinstance(value, str):
            inputs[name], variables = bind_shell(value, names, first=len(bindings) + 1).evaluate(scope)
            bindings.update(variables)
        elif name in spec.shell_inputs and isinstance(value, list):
            inputs[name] = [_argument(item, names, scope) for item in value]
        else:
            inputs[name] = _rendered(value, names, scope)
    return Rendered(inputs, bindings)


def _argument(item: Json, names: Names, scope: Scope) -> Json:
    if not isinstance(item, str):
        return item
    value = compile_text(item, names).evaluate(scope)
    if value is None:
        raise ExpressionError(item, "it has no value (null): write a default, like ${name ?? 'none'}")
    return as_shown(value)


def _rendered(value: Json, names: Names, scope: Scope) -> Json:
    return _mapped(value, lambda text: compile_text(text, names).evaluate(scope))


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


def needed_blocks(block: BlockDefinition, spec: BlockSpec, names: Names) -> frozenset[str]:
    """Return the other blocks that *block* may read: in its inputs, its condition, its own outputs."""
    needed: set[str] = set()
    for name, value in block.inputs.items():
        if name in spec.shell_inputs and isinstance(value, str):
            needed |= bind_shell(value, names).blocks
        else:
            needed |= _blocks_in(value, names)
    if block.condition is not None:
        needed |= compile_condition(block.condition, names).blocks
    return frozenset((needed | _blocks_in(dict(block.outputs), names)) - {str(block.id)})


def _blocks_in(value: Json, names: Names) -> set[str]:
    return {block for _, text in texts_in(value) for block in compile_text(text, names).blocks}


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
