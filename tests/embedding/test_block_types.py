"""Block types of the program itself."""

from collections.abc import Mapping

import pytest

import tidegate
from tidegate.blocks.base import BlockContext, Completed, InteractiveBlock, Result, WorkBlock
from tidegate.errors import DefinitionError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType


class Double(WorkBlock):
    """Doubles a number, with what the program gave it."""

    spec = BlockSpec(type="Double", check=lambda inputs, holds: (), outputs={"result": ValueType.INTEGER})

    def __init__(self, factor: int = 2) -> None:
        self.factor = factor

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Double it."""
        number = inputs["number"]
        assert isinstance(number, int)
        return Completed({"result": number * self.factor})

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return what is doubled."""
        return f"double {inputs.get('number')}"


DOUBLING = {
    "name": "doubling",
    "inputs": {"number": {"type": "integer"}},
    "blocks": [{"id": "twice", "type": "Double", "inputs": {"number": "${number}"}}],
    "outputs": {"result": "${twice.result}"},
}


async def test_a_block_of_the_program_runs_in_its_process() -> None:
    """Beside all others, and the loader knows its outputs."""
    async with tidegate.open("memory://", blocks={"Double": Double(3)}) as gate:
        result = await gate.execute_workflow(gate.workflow(DOUBLING), {"number": 14})
        misspelt = {**DOUBLING, "outputs": {"result": "${twice.resutl}"}}
        with pytest.raises(DefinitionError, match="did you mean 'result'"):
            gate.workflow(misspelt)

    assert (result.status, result.outputs) == (tidegate.RunStatus.SUCCEEDED, {"result": 42})


async def test_it_is_known_to_that_store_only() -> None:
    """Another one does not load the workflow, and names what it has."""
    async with tidegate.open("memory://") as gate:
        with pytest.raises(DefinitionError, match="there is no block type 'Double'"):
            gate.workflow(DOUBLING)


@pytest.mark.parametrize(
    ("name", "block", "problem"),
    [
        ("Shell", Double(), "'Shell' is Tidegate's own block type"),
        ("Triple", Double(), "'Triple' needs a `spec`, a BlockSpec whose type is 'Triple'"),
        ("Double", Double, "'Double' needs an instance of a block class, not <class"),
        ("Double", object(), "'Double' needs an instance of a block class, not <object"),
    ],
)
async def test_a_type_that_cannot_be_one_is_refused(name: str, block: InteractiveBlock, problem: str) -> None:
    """Before anything is opened."""
    with pytest.raises((TypeError, ValueError), match=problem):
        async with tidegate.open("memory://", blocks={name: block}):
            pass


async def test_a_run_of_a_type_that_is_gone_fails_and_says_so(tmp_path: object) -> None:
    """It can be tried again once the type is there."""
    text = {**DOUBLING, "blocks": [GATE, {**DOUBLING["blocks"][0], "depends_on": ["gate"]}]}  # type: ignore[index]
    async with tidegate.open(f"{tmp_path}/store.db", blocks={"Double": Double()}) as gate:
        run = await gate.execute_workflow(gate.workflow(text), {"number": 1})
    async with tidegate.open(f"{tmp_path}/store.db") as gate:
        failed = await gate.resume_workflow(run.run_id, True)
    async with tidegate.open(f"{tmp_path}/store.db", blocks={"Double": Double()}) as gate:
        ended = await gate.resume_workflow(run.run_id)

    assert "there is no block type 'Double'" in failed.failures[0].message
    assert ended.outputs == {"result": 2}


GATE = {"id": "gate", "type": "ConfirmOperation", "inputs": {"message": "Go?"}}
