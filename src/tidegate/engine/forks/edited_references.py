"""What an input that is changed in a fork may read: what there is when its block begins, as in a file."""

from tidegate.engine.forks.edited import Edit, InvalidEdit
from tidegate.engine.view import View
from tidegate.errors import ExpressionError
from tidegate.model.ids import BlockId
from tidegate.model.workflow import BlockDefinition, Graph
from tidegate.workflows.nearest import did_you_mean, listed
from tidegate.workflows.output_types import OF_ITEMS
from tidegate.workflows.references import Reference
from tidegate.workflows.render import references_in

__all__ = ["must_read_what_is_there"]

_ALWAYS = ("status",)
"""What every block gives."""


def must_read_what_is_there(view: View, edit: Edit, block: BlockDefinition) -> None:
    """Refuse references of *block* that lead nowhere, or to what may not have ended when it begins.

    Raises:
        InvalidEdit: there is such a reference.
    """
    try:
        found = list(references_in(block, view.body(block.id).spec, view.names(block)))
    except ExpressionError as error:
        raise InvalidEdit(edit.path, str(error)) from None
    before = _before(view.state.graph, block)
    for reference in found:
        if reference.block is not None:
            _must_be_before(edit, reference, block, before)
            _must_have_output(view, edit, reference, block)


def _must_be_before(edit: Edit, reference: Reference, block: BlockDefinition, before: set[str]) -> None:
    name, source = reference.block, reference.source
    # A loop may read what it gave the iteration before.
    if name == block.id and block.loop is None:
        raise InvalidEdit(edit.path, f"{source} reads block '{name}' itself, which has given nothing yet")
    if name not in {*before, block.id}:
        advice = f"it may read {listed(sorted(before))}" if before else "there is no block before it"
        problem = f"{source} reads '{name}', which block '{block.id}' does not depend on: {advice}"
        raise InvalidEdit(edit.path, problem)


def _before(graph: Graph, block: BlockDefinition) -> set[str]:
    """Return the blocks that have ended, in whatever way, once *block* begins."""
    before: set[str] = set()
    left = [wait.block for wait in block.depends_on]
    while left:
        name = left.pop()
        if name not in before:
            before.add(name)
            left += [wait.block for wait in graph.blocks[name].depends_on]
    return before


def _must_have_output(view: View, edit: Edit, reference: Reference, block: BlockDefinition) -> None:
    name, output = BlockId(reference.name), reference.output
    known = _outputs(view, name, own=name == block.id)
    if output is None or known is None or output in known:
        return
    hint = did_you_mean(output, known) or f"; it has {listed(sorted(known))}"
    raise InvalidEdit(edit.path, f"{reference.source}: block '{name}' has no output '{output}'{hint}")


def _outputs(view: View, block: BlockId, *, own: bool) -> set[str] | None:
    """Return the names of what a block gives; None if only a run of it shows that."""
    definition, spec = view.state.definition_of(block), view.body(block).spec
    if definition.for_each is not None and not own:
        return {*OF_ITEMS, *_ALWAYS}
    known = {*spec.outputs, *definition.outputs, *view.state.block(block).outputs, *_ALWAYS}
    if definition.loop is not None and not own:
        known.add("iterations")
    if spec.calls is None:
        return None if spec.open_outputs else known
    child = view.state.graph.definition.children.get(str(definition.inputs.get(spec.calls)))
    return None if child is None else {*known, *child.outputs, "run_id"}
