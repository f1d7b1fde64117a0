"""Running a workflow file to its end, as a person at the console would: start it, answer it, read what it did."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from running import World, statuses, until, world
from tidegate.assets import asset_dir
from tidegate.blocks.registry import catalog
from tidegate.model.answer import Answered, Reply
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseRow
from tidegate.model.state import RunState
from tidegate.workflows.loader import load_workflow
from tidegate.workflows.run_inputs import validate_inputs

WORKFLOWS = Path(__file__).parent / "workflows"
SAMPLES = asset_dir("sample_workflows")


@dataclass
class Play:
    """One run of a file."""

    world: World
    run_id: RunId

    async def asked(self) -> dict[str, PauseRow]:
        """Return what is asked, by its place seen from the top, once the run is at rest."""
        await self.rest()
        return await self._open()

    async def _open(self) -> dict[str, PauseRow]:
        rows = await self.world.history.inbox(self.run_id)
        return {f"{row.path}/{row.block}".lstrip("/"): row for row in rows}

    async def say(self, place: str, raw: str, *, comment: str = "", by: str = "ana") -> Answered:
        """Answer what is asked at a place, waiting for the question; do not wait for what follows."""
        asked: dict[str, PauseRow] = {}

        async def is_asked() -> bool:
            asked.update(await self._open())
            return place in asked

        await until(is_asked)
        reply = Reply(raw=raw, by=by, via="test", comment=comment)
        return await self.world.executor.answer(asked[place].pause_id, reply)

    async def says(self, **answers: str) -> RunState:
        """Answer one block after the other, and return the state at rest."""
        for block, raw in answers.items():
            await self.say(block, raw)
        return await self.rest()

    async def rest(self) -> RunState:
        """Return the state once it has ended, or nothing moves until somebody answers."""

        async def is_at_rest() -> bool:
            view = await self.world.rest(self.run_id)
            return view.status.is_terminal or bool(await self._open())

        await until(is_at_rest)
        return await self.world.history.state(self.run_id)

    async def outputs_of(self, block: str) -> JsonObject:
        """Return a block's outputs."""
        state = await self.rest()
        return await self.world.history.outputs(state.block(BlockId(block)).outputs)

    async def results_of(self, block: str) -> list[dict[str, Any]]:
        """Return what became of each item of a block."""
        results: Any = (await self.outputs_of(block))["results"]
        return list(results)

    async def blocks(self) -> dict[str, str]:
        """Return each block's status in words."""
        return statuses(await self.rest())

    async def status(self) -> RunStatus:
        """Return the run's status at rest."""
        return (await self.rest()).status

    async def outputs(self) -> JsonObject:
        """Return what the run gave back."""
        state = await self.rest()
        assert state.finished is not None, state.status
        return state.finished.outputs


@dataclass
class Stage:
    """A world with the test workflows in its folder, so that what they write stays apart."""

    world: World

    @property
    def folder(self) -> Path:
        """Where the commands run."""
        return self.world.folder

    @property
    def log(self) -> list[str]:
        """The lines of the file `log`, which most of the test workflows write."""
        return self.lines("log")

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file in the folder; nothing if it is not there."""
        path = self.folder / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    async def play(self, name: str, /, **given: Json) -> Play:
        """Start a run of a test workflow."""
        return await self.play_file(self.folder / f"{name}.yaml", **given)

    async def sample(self, name: str, /, **given: Json) -> Play:
        """Start a run of a sample, from where it ships."""
        return await self.play_file(SAMPLES / f"{name}.yaml", **given)

    async def play_file(self, file: Path, /, **given: Json) -> Play:
        """Start a run of a file."""
        loaded = load_workflow(file, catalog())
        values = validate_inputs(loaded.definition, dict(given), from_text=False)
        run_id = await self.world.executor.start(loaded.definition, values, by="ana", source=loaded.source)
        return Play(self.world, run_id)


@asynccontextmanager
async def stage(folder: Path) -> AsyncIterator[Stage]:
    """Open a stage in an empty folder."""
    shutil.copytree(WORKFLOWS, folder, dirs_exist_ok=True)
    async with world(folder) as opened:
        yield Stage(opened)
