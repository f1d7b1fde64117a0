"""What expressions see of a run.

Values that lie beside the journal are loaded only for the blocks that a text refers to, and
values that are still on their way into the journal are seen too: a block's outcome and the
inputs of what follows it are decided before either is committed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tidegate.engine.parts import Parts
from tidegate.model.base import JsonObject
from tidegate.model.ids import BlockId
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.model.workflow import BlockDefinition
from tidegate.store.values import load_values
from tidegate.workflows.expressions import BlockView, Names, Scope
from tidegate.workflows.render import names_of, needed_blocks, render_block_outputs

__all__ = ["View"]


@dataclass(frozen=True, slots=True)
class View:
    """A run at one position, with the values that belong to it."""

    parts: Parts
    state: RunState
    fresh: Mapping[str, bytes] = field(default_factory=dict)
    """JSON of values that are not committed yet, by SHA-256."""

    @property
    def names(self) -> Names:
        """What texts of the workflow may refer to."""
        return names_of(self.state.graph.definition)

    async def scope(self, blocks: Iterable[str]) -> Scope:
        """Return the run's inputs, and *blocks* with their outputs."""
        states = {block_id: self.state.block(BlockId(block_id)) for block_id in blocks}
        loaded = await load_values(self.parts.store, [block.outputs for block in states.values()], self.fresh)
        views = {
            block_id: BlockView(status=block.status.value, outputs=outputs, reason=_why_no_outputs(block))
            for (block_id, block), outputs in zip(states.items(), loaded, strict=True)
        }
        return self._scope(views)

    def _scope(self, views: Mapping[str, BlockView]) -> Scope:
        state = self.state
        return Scope(
            inputs=state.inputs, blocks=views, run_id=state.run_id, workflow=state.graph.definition.name
        )

    async def with_own_outputs(self, block: BlockDefinition, outputs: JsonObject) -> JsonObject:
        """Return *outputs* and what the block's own `outputs` section makes of them.

        Raises:
            ExpressionError: one of them cannot be evaluated.
        """
        if not block.outputs:
            return outputs
        needed = needed_blocks(block, self.parts.blocks[block.type].spec, self.names) - {block.id}
        around = await self.scope(needed)
        own = BlockView(status=BlockStatus.SUCCEEDED.value, outputs=outputs)
        scope = self._scope({**around.blocks, block.id: own})
        return {**outputs, **render_block_outputs(block, self.names, scope)}


def _why_no_outputs(block: BlockState) -> str:
    if block.status is BlockStatus.FAILED and block.failure is not None:
        return block.failure.message
    return block.reason
