"""A block whose results are written down beforehand, for tests that need thousands of attempts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from tidegate.blocks.base import (
    Block,
    BlockContext,
    ChildBlock,
    Completed,
    Failed,
    Result,
    TimerBlock,
    WorkBlock,
)
from tidegate.blocks.registry import BUILTIN
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
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
        first = inputs.get("fail_first", 0)
        if inputs.get("fail") or (isinstance(first, int) and context.attempt <= first):
            return Failed(Failure(kind=FailureKind.ERROR, message="as scripted"))
        return Completed({"value": inputs.get("value", context.block_id), "echo": inputs.get("echo")})

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return one line."""
        return f"scripted {inputs.get('value', '')}"


class Tick(TimerBlock):
    """Waits for a moment."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="Tick",
        check=lambda _inputs, _unknown: (),
        outputs={"done": ValueType.BOOLEAN},
        effect=Effect.PURE,
    )

    def until(self, inputs: JsonObject, now: float) -> float:
        """Return the instant after the seconds that the inputs name."""
        seconds = inputs.get("seconds", 0.0)
        return now + (seconds if isinstance(seconds, int | float) else 0.0)

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return one line."""
        return f"tick {inputs.get('seconds', 0)}"

    def elapsed(self, started_at: float, now: float) -> JsonObject:
        """Return that the instant has come."""
        return {"done": now >= started_at}


class Call(ChildBlock):
    """Calls another workflow, without a file."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="Call", check=lambda _inputs, _unknown: (), outputs={}, open_outputs=True
    )

    def call(self, inputs: JsonObject) -> tuple[str, JsonObject]:
        """Return what the inputs name."""
        given = inputs.get("inputs", {})
        return str(inputs["workflow"]), given if isinstance(given, dict) else {}


def with_scripted(block: Scripted) -> Mapping[str, Block]:
    """Return all block types, and those of this module."""
    return {**BUILTIN, "Scripted": block, "Tick": Tick(), "Call": Call()}
