"""The inputs of a workflow that declares none: the names that its texts use.

Only texts outside of commands count, because in a command a name may be the shell's own.
"""

from collections.abc import Iterator

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.model.catalog import Catalog
from tidegate.model.workflow import InputDefinition
from tidegate.workflows.block_list import Block
from tidegate.workflows.cel_source import read_source
from tidegate.workflows.fields import RESERVED
from tidegate.workflows.references import RawReference
from tidegate.workflows.render import texts_in
from tidegate.workflows.templates import condition_body
from tidegate.workflows.text_parts import RawExpression, split_text

__all__ = ["implied_inputs"]

_FOREIGN_WORDS = frozenset({"and", "or", "not", "True", "False", "None"})
"""Mistakes in expressions; taking them for inputs would hide that."""


def implied_inputs(
    blocks: tuple[Block, ...], catalog: Catalog, outputs: dict[str, Json]
) -> tuple[InputDefinition, ...]:
    """Return an input for each name that is no block, in the order of the file.

    It is required, unless a default is written everywhere it is used.
    """
    ids = {block.id for block in blocks}
    required: dict[str, bool] = {}
    for reference in _references(blocks, catalog, outputs):
        name = _input_name(reference)
        if name is not None and name not in ids and name not in RESERVED | _FOREIGN_WORDS:
            required[name] = required.get(name, False) or not reference.has_default
    return tuple(InputDefinition(name=name, required=needed) for name, needed in required.items())


def _input_name(reference: RawReference) -> str | None:
    if reference.is_bare:
        return reference.root
    first = reference.steps[0]
    return first if reference.root == "inputs" and isinstance(first, str) else None


def _references(
    blocks: tuple[Block, ...], catalog: Catalog, outputs: dict[str, Json]
) -> Iterator[RawReference]:
    for block in blocks:
        for text in _plain_texts(block, catalog):
            yield from _in_text(text)
        loop = block.document.loop
        for condition in (block.document.condition, loop.until if loop else None):
            yield from _in_condition(condition) if condition is not None else ()
    for _, text in texts_in(outputs):
        yield from _in_text(text)


def _plain_texts(block: Block, catalog: Catalog) -> Iterator[str]:
    spec = catalog.get(block.document.type)
    for name, value in block.document.inputs.items() if spec else ():
        if not (spec and name in spec.shell_inputs and isinstance(value, str)):
            yield from (text for _, text in texts_in(value))
    yield from block.document.outputs.values()
    each, mark = block.document.for_each, block.document.checkpoint
    repeated: Json = [each.items, each.key] if each else []
    marked: Json = [mark.label, mark.metadata] if mark else []
    yield from (text for _, text in texts_in([repeated, marked]))


def _in_text(text: str) -> tuple[RawReference, ...]:
    try:
        return tuple(reference for part in split_text(text) for reference in _in_part(part))
    except ExpressionError:
        return ()  # reported where the text is checked


def _in_part(part: str | RawReference | RawExpression) -> tuple[RawReference, ...]:
    match part:
        case RawReference():
            return (part,)
        case RawExpression():
            return _in_expression(part.body)
        case _:
            return ()


def _in_expression(body: str) -> tuple[RawReference, ...]:
    source = read_source(body, body)
    return (*(reference for _, reference in source.operands), *source.paths)


def _in_condition(text: str) -> tuple[RawReference, ...]:
    try:
        return _in_expression(condition_body(text))
    except ExpressionError:
        return ()  # reported where the condition is checked
