"""The block whose work is a run of another workflow."""

from typing import Annotated, ClassVar

from pydantic import BeforeValidator

from tidegate.blocks.base import ChildBlock
from tidegate.blocks.checks import Inputs, describe, input_check, parse_inputs, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.blocks.input_types import JsonMapping
from tidegate.model.base import JsonObject
from tidegate.model.catalog import BlockSpec
from tidegate.model.workflow import Effect

__all__ = ["ExecuteWorkflow"]


def _workflow(value: object) -> object:
    if not isinstance(value, str) or not value.strip():
        raise wrong(f"must be the name of a workflow, not {describe(value)}")
    return value


class ExecuteWorkflowInputs(Inputs):
    """Which workflow, and what it is given."""

    workflow: Annotated[str, BeforeValidator(_workflow), Kind("name of a workflow")]
    """The workflow that is run; its definition is kept with that of this one."""
    inputs: JsonMapping = {}
    """What it is given; it sees nothing else of this run."""


class ExecuteWorkflow(ChildBlock):
    """Runs another workflow."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="ExecuteWorkflow",
        check=input_check(ExecuteWorkflowInputs),
        outputs={},
        open_outputs=True,
        # Run again after a crash, it finds the run that it started.
        effect=Effect.IDEMPOTENT,
        calls="workflow",
        description=(
            "Runs another workflow, as a run of its own.\n"
            "Its outputs are those of that workflow. What it asks people is in the same inbox, and a cancel "
            "reaches it."
        ),
        example=(
            "id: release\n"
            "type: ExecuteWorkflow\n"
            "inputs: {workflow: release-gates, inputs: {version: 1.4.0}}\n"
        ),
    )

    def call(self, inputs: JsonObject) -> tuple[str, JsonObject]:
        """Return the name of the workflow it runs, and what it passes.

        Raises:
            InputsError: the inputs are not what the block takes.
        """
        wanted = parse_inputs(ExecuteWorkflowInputs, inputs)
        return wanted.workflow, wanted.inputs
