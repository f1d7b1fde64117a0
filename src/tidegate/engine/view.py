"""What expressions see of a run.

Values that lie beside the journal are loaded only for the blocks that a text refers to, and
values that are still on their way into the journal are seen too: a block's outcome and the
inputs of what follows it are decided before either is committed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tidegate.blocks.base import Block
from tidegate.engine.parts import Parts
from tidegate.engine.plan import end_status
from tidegate.model.base import Json, JsonObject
from tidegate.model.ids import BlockId, block_of, is_part, iteration_place
from tidegate.model.policy import OnFailure
from tidegate.model.secret import mask_of
from tidegate.model.state import BlockState, BlockStatus, Fan, RunState
from tidegate.model.value import Value
from tidegate.model.workflow import BlockDefinition
from tidegate.store.values import load_values
from tidegate.workflows.expressions import BlockView, Names, Scope
from tidegate.workflows.render import names_of, needed_blocks

__all__ = ["View"]


@dataclass(frozen=True, slots=True)
class View:
    """A run at one position, with the values that belong to it."""

    parts: Parts
    state: RunState
    fresh: Mapping[str, bytes] = field(default_factory=dict)
    """JSON of values that are not committed yet, by SHA-256."""

    def names(self, block: BlockDefinition | None = None) -> Names:
        """Return what texts of *block* may refer to; of the workflow's outputs, if it is None."""
        return names_of(self.state.graph.definition, block)

    def body(self, place: BlockId) -> Block:
        """Return what runs at *place*."""
        return self.parts.blocks[self.state.definition_of(place).type]

    async def load(self, values: Mapping[str, Value]) -> JsonObject:
        """Return *values* as JSON."""
        if not values:
            return {}
        return (await self.load_all([values]))[0]

    async def load_all(self, values: list[Mapping[str, Value]]) -> tuple[JsonObject, ...]:
        """Return each of *values* as JSON, read together."""
        return tuple(await load_values(self.parts.store, values, self.fresh))

    async def scope(self, blocks: Iterable[str], place: BlockId | None = None) -> Scope:
        """Return what is known of the run, and *blocks* with their outputs.

        Args:
            blocks: By id.
            place: Whose texts are to be evaluated: it knows its item, its index, its last iteration.
        """
        states = {block_id: self.state.block(BlockId(block_id)) for block_id in blocks}
        fan = self.state.fan_of(place) if place is not None else None
        if place is not None and fan is not None and (own := self._iteration_before(place, fan)) is not None:
            states[block_of(place)] = own
        loaded = await self.load_all([block.outputs for block in states.values()]) if states else ()
        views = {
            block_id: BlockView(status=block.status.value, outputs=outputs, reason=_why_no_outputs(block))
            for (block_id, block), outputs in zip(states.items(), loaded, strict=True)
        }
        scope = Scope(
            inputs=self.state.inputs,
            blocks=views,
            run_id=self.state.run_id,
            workflow=self.state.graph.definition.name,
            state=await self.load(self.state.variables),
            # What is decided and told of a block knows no more of them.
            secrets={it.name: mask_of(it.name) for it in self.state.graph.definition.secrets},
        )
        return await self._with_place(scope, place, fan) if place is not None else scope

    async def _with_place(self, scope: Scope, place: BlockId, fan: Fan | None) -> Scope:
        if (said := self.state.said_to(place)) is not None:
            scope = replace(scope, run_feedback=said.feedback)
        if self.state.definition_of(place).always:
            scope = replace(scope, run_status=end_status(self.state).value, run_failures=self._failures())
        if fan is None or not is_part(place):
            return scope
        index = _index_of(place, fan)
        item = (await self.load({"item": fan.items[index]}))["item"] if fan.keys else None
        return replace(scope, item=item, index=index)

    def _iteration_before(self, place: BlockId, fan: Fan) -> BlockState | None:
        """Return the last iteration that has ended, if *place* belongs to a loop."""
        if not fan.iterations:
            return None
        number = _index_of(place, fan) if is_part(place) else fan.iterations
        return self.state.block(iteration_place(block_of(place), number)) if number else None

    def _failures(self) -> list[Json]:
        failures: list[Json] = []
        for block_id in self.state.graph.blocks:
            block = self.state.block(block_id)
            tolerated = self.state.graph.blocks[block_id].on_failure is OnFailure.CONTINUE
            if block.status is BlockStatus.FAILED and block.failure is not None and not tolerated:
                failures.append(
                    {
                        "block": block_id,
                        "kind": block.failure.kind.value,
                        "message": block.failure.message,
                        "exit_code": block.failure.exit_code,
                    }
                )
        if self.state.timed_out:
            message = (
                f"the run timed out after {self.state.graph.definition.timeout or 0:g} s of machine time"
            )
            failures.append({"block": None, "kind": "timeout", "message": message, "exit_code": None})
        return failures

    async def scope_after(self, place: BlockId, outputs: JsonObject) -> Scope:
        """Return the scope of texts that may read the block's own *outputs*, which it has just given."""
        block = self.state.definition_of(place)
        needed = needed_blocks(block, self.body(place).spec, self.names(block), part=True)
        around = await self.scope(needed, place)
        own = BlockView(status=BlockStatus.SUCCEEDED.value, outputs=outputs)
        return replace(around, blocks={**around.blocks, block.id: own})


def _index_of(place: BlockId, fan: Fan) -> int:
    block_id = block_of(place)
    if fan.iterations:
        return int(place[len(block_id) + 1 :]) - 1
    return fan.positions[place[len(block_id) + 1 : -1]]


def _why_no_outputs(block: BlockState) -> str:
    if block.status is BlockStatus.FAILED and block.failure is not None:
        return block.failure.message
    return block.reason
