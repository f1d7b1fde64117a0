"""A program with Tidegate in it, as its author would write and type it."""

import asyncio
import sys
from collections.abc import Mapping

import tidegate
from tidegate.blocks.base import BlockContext, Completed, Result, WorkBlock
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType


class Discount(WorkBlock):
    """Knows what a customer need not pay."""

    spec = BlockSpec(type="Discount", check=lambda inputs, holds: (), outputs={"percent": ValueType.INTEGER})

    def __init__(self, percents: Mapping[str, int]) -> None:
        self._percents = percents

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Look it up."""
        return Completed({"percent": self._percents.get(str(inputs["customer"]), 0)})

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return whose discount it is."""
        return f"discount of {inputs.get('customer')}"


ORDER = {
    "name": "order",
    "inputs": {"customer": {"type": "string", "required": True}},
    "blocks": [
        {"id": "discount", "type": "Discount", "inputs": {"customer": "${customer}"}},
        {
            "id": "approve",
            "type": "ConfirmOperation",
            "depends_on": ["discount"],
            "inputs": {"message": "Give ${customer} ${discount.percent} percent?"},
        },
    ],
    "outputs": {"given": "${approve.confirmed}", "percent": "${discount.percent}"},
}


async def approved(store: str, customer: str) -> tidegate.RunResult:
    """Return the order of a customer, approved if there is little to lose."""
    async with tidegate.open(store, by="shop", blocks={"Discount": Discount({"C-1": 5})}) as gate:
        order = gate.workflow(ORDER)
        result = await gate.execute_workflow(order, {"customer": customer})
        (pause,) = result.pauses
        try:
            answered: tidegate.Answered = await gate.answer(pause.pause_id, "5" in pause.prompt.text)
        except tidegate.errors.AnswerError as error:
            print(error, file=sys.stderr)  # noqa: T201
            return result
        result = await gate.wait(answered.run_id)
        runs: tuple[tidegate.RunInfo, ...] = await gate.list_runs(statuses=[tidegate.RunStatus.SUCCEEDED])
        assert [run.run_id for run in runs] == [result.run_id]
        marks: tuple[tidegate.CheckpointMetadata, ...] = await gate.list_checkpoints(run_id=result.run_id)
        state: tidegate.CheckpointState = await gate.load_checkpoint(marks[-1].checkpoint_id)
        assert state.context["discount"] == {"percent": 5}
        return result


def main() -> tidegate.RunResult:
    """Run it, as a program without a loop of its own does."""
    return asyncio.run(approved("memory://", "C-1"))
