"""A block whose results are written down beforehand, for tests that need thousands of attempts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from tidegate.blocks.base import Block, BlockContext, Completed, Failed, Result, WorkBlock
from tidegate.blocks.registry import BUILTIN
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure, FailureKind
from tidegate.model.workflow import Effect

SPEC = BlockSpec(
    type="Scripted",
    check=lambda _inputs, _unknown: (),
    outputs={"value": ValueType.ANY, "echo": ValueType.ANY},
    effect=Effect.IDEMPOTENT,
)


@dataclass
class Scripted(WorkBlock):
    """Succeeds with what it is given, or fails when its input `fail` says so; counts its runs."""

    spec: ClassVar[BlockSpec] = SPEC
    keys: list[tuple[str, str]] = field(default_factory=list)
    """(block, idempotency key) of every run of a body."""

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Do as the inputs say."""
        self.keys.append((context.block_id, context.idempotency_key))
        if inputs.get("fail"):
            return Failed(Failure(kind=FailureKind.ERROR, message="as scripted"))
        return Completed({"value": inputs.get("value", context.block_id), "echo": inputs.get("echo")})

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return one line."""
        return f"scripted {inputs.get('value', '')}"


def with_scripted(block: Scripted) -> Mapping[str, Block]:
    """Return all block types, and `Scripted`."""
    return {**BUILTIN, "Scripted": block}
