"""Running real workflows in tests: a real store, the real executor, real commands."""

import asyncio
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tidegate.blocks.base import Block
from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.history.history import History
from tidegate.history.views import RunView
from tidegate.model.answer import Answered, Reply
from tidegate.model.base import JsonObject
from tidegate.model.events import Record, RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseRow
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.keys import Keys
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store
from tidegate.workflows.loader import parse_workflow

PATIENCE = 20.0
"""Seconds after which a condition that should have come true is a failure."""


def definition_of(text: str, *, working_dir: Path | None = None) -> WorkflowDefinition:
    """Return the workflow that *text* (YAML, may be indented) describes."""
    loaded = parse_workflow(
        textwrap.dedent(text), catalog(), file="test.yaml", working_dir=str(working_dir or Path.cwd())
    )
    # There is no such file: nobody is to be told that it is gone.
    return loaded.definition.evolve(source_path="")


@dataclass
class World:
    """An open store with an executor, and short ways to say what tests say often."""

    store: Store
    executor: Executor
    history: History
    folder: Path

    async def start(self, text: str | WorkflowDefinition, **inputs: object) -> RunId:
        """Start a run of *text*; commands run in the world's folder."""
        definition = definition_of(text, working_dir=self.folder) if isinstance(text, str) else text
        values: JsonObject = dict(inputs)  # type: ignore[arg-type]
        return await self.executor.start(definition, values, by="ana")

    async def rest(self, run_id: RunId) -> RunView:
        """Return the run once nothing of it moves."""
        await asyncio.wait_for(self.executor.settle(run_id), PATIENCE)
        return await self.history.run_view(run_id)

    async def run(self, text: str | WorkflowDefinition, **inputs: object) -> RunState:
        """Start a run and return its state at rest."""
        run_id = await self.start(text, **inputs)
        await self.rest(run_id)
        return await self.history.state(run_id)

    async def pause_of(self, run_id: RunId, block: str) -> PauseRow:
        """Return the open pause of a block, waiting for it."""
        found: list[PauseRow] = []

        async def is_there() -> bool:
            found[:] = [row for row in await self.history.inbox(run_id) if row.block == block]
            return bool(found)

        await until(is_there)
        return found[0]

    async def answer(self, run_id: RunId, block: str, raw: str, *, by: str = "ana") -> Answered:
        """Answer the open pause of a block."""
        pause = await self.pause_of(run_id, block)
        return await self.executor.answer(pause.pause_id, Reply(raw=raw, by=by, via="test"))

    async def answer_and_rest(self, run_id: RunId, block: str, raw: str) -> RunState:
        """Answer, and return the run's state at rest."""
        await self.answer(run_id, block, raw)
        await self.rest(run_id)
        return await self.history.state(run_id)

    async def events(self, run_id: RunId) -> tuple[Record, ...]:
        """Return the journal of a run."""
        return await self.history.events(run_id)


@asynccontextmanager
async def world(
    folder: Path,
    url: str = "memory://",
    *,
    adopts: bool = False,
    blocks: Mapping[str, Block] = BUILTIN,
    keys: Keys | None = None,
) -> AsyncIterator[World]:
    """Open a world; everything is closed afterwards."""
    clock = SystemClock()
    store = await open_store(url, clock=clock, keys=keys)
    executor = Executor(store, clock, blocks, adopts=adopts)
    await executor.open()
    try:
        yield World(store, executor, History(store, clock), folder)
    finally:
        await executor.close()
        await store.close()


async def until(condition: Callable[[], Awaitable[bool]], patience: float = PATIENCE) -> None:
    """Return once *condition* holds; fail when it does not come true."""
    async with asyncio.timeout(patience):
        while not await condition():
            await asyncio.sleep(0.01)


def statuses(state: RunState) -> dict[str, str]:
    """Return each block's status in words."""
    return {block_id: state.block(block_id).status.value for block_id in state.graph.blocks}


def status_of(state: RunState, block: str) -> BlockStatus:
    """Return one block's status."""
    return state.block(BlockId(block)).status


__all__ = [
    "PATIENCE",
    "RunStatus",
    "World",
    "definition_of",
    "status_of",
    "statuses",
    "until",
    "world",
]
