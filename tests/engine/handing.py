"""Blocks that hand over whatever a test says, as somebody's code in our process may."""

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from running import World
from tidegate.blocks.base import (
    BlockContext,
    ChildBlock,
    Completed,
    Failed,
    InteractiveBlock,
    InteractiveResult,
    Rejected,
    Result,
    TimerBlock,
    WorkBlock,
)
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec
from tidegate.model.events import Failure, RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import Answer, ConfirmPrompt, Prompt
from tidegate.model.state import RunState
from tidegate.model.workflow import BlockDefinition, Effect, WorkflowDefinition

__all__ = ["WRONG", "Asks", "Calls", "Hands", "Nan", "Says", "Soon", "Work", "failure_of", "flow", "handed"]

WRONG: Any = (1,)
Work = Callable[[BlockContext], Any]


def spec_of(name: str, *, interactive: bool = False) -> BlockSpec:
    """Return what the loader would know."""
    return BlockSpec(
        type=name,
        check=lambda _inputs, _holds: (),
        outputs={},
        open_outputs=True,
        effect=Effect.PURE,
        interactive=interactive,
    )


@dataclass
class Hands(WorkBlock):
    """Hands over what a test says."""

    work: Work = lambda _: Completed()
    done: bool = False
    spec: ClassVar[BlockSpec] = spec_of("Hands")

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Do it."""
        result = self.work(context)
        handed: Result = await result if asyncio.iscoroutine(result) else result
        self.done = True
        return handed

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return one line."""
        return "hand over"


@dataclass
class Says(InteractiveBlock):
    """Makes of an answer what a test says."""

    result: InteractiveResult
    spec: ClassVar[BlockSpec] = spec_of("Says", interactive=True)

    def ask(self, inputs: JsonObject) -> Prompt:
        """Return the question."""
        return ConfirmPrompt(message="Go?")

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Return what it is to be."""
        return self.result

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Return a failure: nobody answered."""
        return Failed(Failure(kind=FailureKind.EXPIRED, message="nobody answered"))


@dataclass
class Calls(ChildBlock):
    """Passes on what a test says."""

    given: Any = None
    spec: ClassVar[BlockSpec] = spec_of("Calls")

    def call(self, inputs: JsonObject) -> tuple[str, JsonObject]:
        """Return whom it calls."""
        return "below", self.given


def flow(*types: str, **more: Any) -> WorkflowDefinition:
    """Return a workflow of one block per type, one after the other."""
    ids = [BlockId(name.lower()) for name in types]
    blocks = tuple(
        BlockDefinition(id=block, type=name, effect=Effect.PURE, interactive=name == "Says")
        for block, name in zip(ids, types, strict=True)
    )
    return WorkflowDefinition(
        name="borders", blocks=blocks, waves=tuple((block,) for block in ids), working_dir="/", **more
    )


class Nan(TimerBlock):
    """Waits for no instant."""

    spec: ClassVar[BlockSpec] = spec_of("Nan")

    def until(self, inputs: JsonObject, now: float) -> float:
        """Return none."""
        return math.nan

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return what is no text."""
        return "\ud800"

    def elapsed(self, started_at: float, now: float) -> JsonObject:
        """Return nothing."""
        return {}


class Soon(Nan):
    """Has waited, and then says what is no JSON, or raises."""

    spec: ClassVar[BlockSpec] = spec_of("Soon")

    def until(self, inputs: JsonObject, now: float) -> float:
        """Return now."""
        return now

    def elapsed(self, started_at: float, now: float) -> JsonObject:
        """Raise."""
        raise LookupError("gone")


@dataclass
class Asks(Says):
    """Asks what a test says."""

    prompt: Any = None
    spec: ClassVar[BlockSpec] = spec_of("Says", interactive=True)

    def ask(self, inputs: JsonObject) -> Prompt:
        """Return it, or raise it."""
        if isinstance(self.prompt, Exception):
            raise self.prompt
        prompt: Prompt = self.prompt
        return prompt


async def handed(ground: World, hands: Hands, work: Work) -> RunState:
    """Return the run, read from its journal, of a block that did *work*."""
    hands.work = work
    return await ground.run(flow("Hands"))


def failure_of(state: RunState, block: str = "hands") -> Failure:
    """Return why the block failed; nothing else of the run is wrong."""
    found = state.block(BlockId(block)).failure
    assert found is not None
    assert state.status is RunStatus.FAILED
    return found
