"""What the tools work with: an open store, and the workflows that may be started."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from mcp.server.mcpserver import Context

from tidegate.embedding.results import RunResult
from tidegate.embedding.tidegate import Tidegate
from tidegate.engine.executor import Executor
from tidegate.history.history import History
from tidegate.history.shelf import Shelf, WorkflowFile
from tidegate.server.refusals import WorkflowNotFound
from tidegate.store.protocol import Store

__all__ = ["Call", "Desk", "desk_of"]

Call = Context[object, object]
"""One call of a tool."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What every tool works with. It belongs to whoever opened the store."""

    gate: Tidegate
    store: Store
    executor: Executor
    history: History
    shelf: Shelf
    operator: str
    """Who starts, answers and cancels. A client cannot choose: whoever may answer twice has two votes."""

    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def workflows(self) -> tuple[WorkflowFile, ...]:
        """Return every workflow file as it is now."""
        # One after the other: a shelf is read in threads, and remembers what it has read.
        async with self._reading:
            return await self.shelf.refresh()

    async def workflow_file(self, name: str) -> Path:
        """Return the file of the workflow called *name*.

        Args:
            name: Its own name, that of its file, or the path that `list_workflows` gave.

        Raises:
            WorkflowNotFound: none of the workflow folders has it. Other files are out of reach.
        """
        files = await self.workflows()
        for file in files:
            if name in (file.name, file.path.stem, str(file.path)):
                return file.path
        raise WorkflowNotFound(name, tuple(dict.fromkeys(file.name for file in files)))

    async def rested(self, run_id: str, seconds: float | None) -> RunResult:
        """Return where a run stands once nothing of it moves, or after some seconds at most.

        Raises:
            RunNotFound: there is no such run.
        """
        try:
            return await asyncio.wait_for(self.gate.wait(run_id), seconds)
        except TimeoutError:
            return await self.gate.get_run(run_id)


def desk_of(ctx: Call) -> Desk:
    """Return the desk of the server that was called."""
    desk = ctx.request_context.lifespan_context
    assert isinstance(desk, Desk)  # noqa: S101 - `make_server` put it there
    return desk
