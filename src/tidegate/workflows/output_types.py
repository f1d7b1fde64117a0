"""What a reference is worth before a run: which outputs a block has, and of which types values are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tidegate.model.catalog import Catalog, ValueType
from tidegate.model.workflow import InputDefinition, WorkflowDefinition
from tidegate.workflows.block_list import Block, BlockGraph
from tidegate.workflows.nearest import did_you_mean, listed
from tidegate.workflows.references import Reference, Root

__all__ = ["OF_ITEMS", "OutputTypes"]

OF_ITEMS: Final = {"results": ValueType.LIST} | dict.fromkeys(
    ("count", "succeeded", "failed", "rejected", "skipped"), ValueType.INTEGER
)
"""What others see of a block with `for_each`."""
_ROOTS: Final = {
    Root.RUN_ID: "string",
    Root.RUN_STATUS: "string",
    Root.RUN_FEEDBACK: "string",
    Root.WORKFLOW_NAME: "string",
    Root.INDEX: "integer",
    Root.SECRET: "string",
}
_WHOLE: Final = {Root.INPUTS: "map", Root.STATE: "map", Root.RUN_FAILURES: "list"}
"""Types of roots without steps after them."""


@dataclass(frozen=True, slots=True)
class OutputTypes:
    """The blocks, inputs and called workflows of one file, as far as they are sound."""

    graph: BlockGraph
    catalog: Catalog
    inputs: Mapping[str, InputDefinition]
    children: Mapping[str, WorkflowDefinition]

    def type_of(self, reference: Reference, reader: Block | None) -> str | None:
        """Return the type of a reference's value, or None if only a run shows it.

        Args:
            reference: The reference.
            reader: The block whose text it stands in; None for the workflow's outputs.
        """
        if reference.root in _ROOTS:
            return _ROOTS[reference.root]
        if reference.root is Root.BLOCK:
            return self._output_type(reference, reader)
        if reference.steps:
            return None
        declared = self.inputs.get(reference.name) if reference.root is Root.INPUT else None
        return str(declared.type) if declared else _WHOLE.get(reference.root)

    def _output_type(self, reference: Reference, reader: Block | None) -> str | None:
        if len(reference.steps) != 1:
            return None
        if reference.output == "status":
            return "string"
        read = self.graph.by_id[reference.name]
        known = self._outputs(read, own=read is reader)
        kind = known.get(str(reference.output), ValueType.ANY) if known else ValueType.ANY
        return None if kind is ValueType.ANY else str(kind)

    def _outputs(self, read: Block, *, own: bool) -> dict[str, ValueType] | None:
        """Return the outputs of a block that are known, by name; None if nothing is known of them."""
        document, spec = read.document, self.catalog.get(read.document.type)
        if read.broken & {"for_each", "loop"}:
            return None
        if document.for_each is not None and not own:
            return dict(OF_ITEMS)
        if spec is None:
            return None
        known = dict(spec.outputs) | dict.fromkeys(document.outputs, ValueType.ANY)
        if spec.calls is not None:
            child = self.children.get(str(document.inputs.get(spec.calls)))
            known |= {"run_id": ValueType.STRING} | dict.fromkeys(
                child.outputs if child else (), ValueType.ANY
            )
        if document.loop is not None and not own:
            known["iterations"] = ValueType.INTEGER
        return known

    def _is_open(self, read: Block, *, own: bool) -> bool:
        """Return whether a block may have outputs that are not known."""
        document, spec = read.document, self.catalog.get(read.document.type)
        if document.for_each is not None and not own:
            return False
        if spec is None or read.broken & {"outputs", "type"}:
            return True
        if spec.calls is not None:
            return str(document.inputs.get(spec.calls)) not in self.children
        return spec.open_outputs

    def output_problem(self, read: Block, reference: Reference, reader: Block | None) -> str:
        """Return that a block has no such output, with what was probably meant, or an empty text."""
        own = read is reader
        outputs = self._outputs(read, own=own)
        if outputs is None or reference.output is None or self._is_open(read, own=own):
            return ""
        known = [*outputs, "status"]
        if reference.output in known:
            return ""
        hint = did_you_mean(reference.output, known) or f"; it has {listed(known)}"
        if not own and read.document.for_each is not None:
            hint = f": it runs for each of its items, and has {listed(known)}"
        return f"block '{read.id}' ({read.document.type}) has no output '{reference.output}'{hint}"
