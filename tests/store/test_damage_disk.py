"""A store that cannot be written any more while a run is at work: no room, no permission, no directory."""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from running import World, until, world
from tidegate.errors import StoreUnavailable
from tidegate.history.verify import verify
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId

STEP = 1 if os.environ.get("TIDEGATE_FULL_SIZE") else 7
"""Pages that a disk has more room for, from one try to the next."""

ENDS = {
    **dict.fromkeys(("one", "gate", "two", "three", "run"), "succeeded"),
    "outputs": {"said": "done one, done two, done three"},
}


async def tries(folder: Path) -> list[dict[str, Any]]:
    """Return what happened when each write failed in turn."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(Path(__file__).with_name("full_disk.py")), str(folder), str(STEP)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.timeout(900)
async def test_a_disk_that_fills_up_at_any_write_costs_time_and_nothing_else(tmp_path: Path) -> None:
    """Nothing new begins, whoever asks is told, and with room again it ends as if nothing had been.

    Also when the process gave up meanwhile, and another one goes on: then what it could not record is done again,
    as the file says that it may be.
    """
    told = await tries(tmp_path)

    assert len(told) > 5
    for one in told:
        assert one["ends"] == ENDS, one
        assert (one["findings"], one["crept"]) == ([], False), one
        assert "free space" in one["trouble"] or not one["failed"], one
        most = 2 if one["was_closed"] else 1
        assert list(dict.fromkeys(one["effects"])) == ["one", "two", "three"], one
        assert len(one["effects"]) <= 3 + most - 1, one
    assert any(one["answer_refused"] for one in told) or STEP > 1


LONG = """
    name: long
    blocks:
      - {id: wait, type: Shell, inputs: {command: "while [ ! -e go ]; do sleep 0.02; done; echo waited"}}
      - {id: then, type: Shell, depends_on: [wait], inputs: {command: "echo then >> effects"}}
"""


async def _held(made: World, run_id: RunId) -> str:
    """Let the block at work end; return why its outcome cannot be recorded."""

    async def is_held() -> bool:
        return run_id in made.executor.troubles

    (made.folder / "go").touch()
    await until(is_held)
    return made.executor.troubles[run_id]


async def _ends(made: World, run_id: RunId) -> None:
    """Fail unless the run ends well from here."""
    assert (await made.rest(run_id)).status is RunStatus.SUCCEEDED
    assert (made.folder / "effects").read_text(encoding="utf-8") == "then\n"
    assert [line async for verdict in verify(made.store) for line in verdict.findings] == []


async def test_a_store_that_is_moved_away_while_it_is_open_acknowledges_nothing(tmp_path: Path) -> None:
    """SQLite would go on writing into what nobody finds again. Moved back, the run goes on by itself."""
    place = tmp_path / "state"
    async with world(tmp_path, f"sqlite://{place}/tidegate.db") as made:
        run_id = await made.start(LONG)
        place.rename(tmp_path / "elsewhere")
        assert "tidegate.db is gone while it was open. Put back" in await _held(made, run_id)
        with pytest.raises(StoreUnavailable, match="is gone"):
            await made.start(LONG)
        assert not (tmp_path / "effects").exists()

        (tmp_path / "elsewhere").rename(place)
        await _ends(made, run_id)


@pytest.mark.parametrize("name", ["tidegate.db", "tidegate.db-wal"])
async def test_a_file_that_was_replaced_while_it_is_open_is_not_written(tmp_path: Path, name: str) -> None:
    """Neither is what was put in its place; the next process finds that as it is."""
    path = tmp_path / name
    async with world(tmp_path, f"sqlite://{tmp_path}/tidegate.db") as made:
        run_id = await made.start(LONG)
        path.rename(tmp_path / "before")
        shutil.copy(tmp_path / "before", path)
        found = path.read_bytes()

        assert f"{name} was replaced by another file" in await _held(made, run_id)
        assert path.read_bytes() == found
        assert not (tmp_path / "effects").exists()
        path.unlink()
        (tmp_path / "before").rename(path)
        await _ends(made, run_id)


async def test_what_becomes_read_only_while_it_is_open_is_written_to_its_end(tmp_path: Path) -> None:
    """Permissions count for whoever opens a file: who has it open goes on, and who comes later is told."""
    path = tmp_path / "tidegate.db"
    async with world(tmp_path, f"sqlite://{path}") as made:
        run_id = await made.start(LONG)
        path.chmod(0o400)
        (tmp_path / "go").touch()
        await _ends(made, run_id)
