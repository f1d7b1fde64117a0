"""The monitor on a damaged store: what can be read is shown, what is damaged is said, nothing is written."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from running import world
from tidegate.clock import SystemClock
from tidegate.model.ids import RunId
from tidegate.tui.app import MonitorApp
from tui.monitoring import Monitor, opener

GATE = """
    name: gated
    inputs: {note: {type: string}}
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "${note}?", operation: deploy}}
"""


@pytest.fixture
async def runs(tmp_path: Path) -> list[RunId]:
    """Two runs in a store, each waiting for an answer."""
    async with world(tmp_path, f"sqlite://{tmp_path}/tidegate.db") as made:
        runs = [await made.start(GATE, note=note) for note in ("first", "second")]
        for run_id in runs:
            await made.rest(run_id)
    return runs


def change(folder: Path, statement: str, *values: object) -> None:
    """Change the store behind its back."""
    with closing(sqlite3.connect(folder / "tidegate.db", isolation_level=None)) as connection:
        connection.execute(statement, values)


async def test_a_damaged_run_is_named_and_the_others_are_answered(tmp_path: Path, runs: list[RunId]) -> None:
    """Both are listed. The view of the damaged one says what is damaged; the other one goes on."""
    bad, good = runs
    number = "(SELECT run_no << 32 | 3 FROM runs WHERE run_id = ?)"
    change(tmp_path, f"UPDATE events SET at = at + 1 WHERE id = {number}", bad)  # noqa: S608
    app = MonitorApp(
        opener(clock=SystemClock(), url=f"sqlite://{tmp_path}/tidegate.db", adopts=True), SystemClock()
    )
    app.animation_level = "none"

    async with app.run_test(size=(160, 30)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see("first?", "second?")
        await seen.press("2")
        await seen.see(bad[:6], good[:6])
        await seen.press("end", "enter")
        await seen.see(f"event 3 of run {bad} is damaged")
        await seen.press("escape", "1")
        await seen.see("first?", "second?")
        await seen.press("end", "a")
        await seen.dialog("second?")
        await seen.approve()
        await seen.see("(tui) · second?", "first?")
        await seen.press("2")
        await seen.see("succeeded")
        assert app.return_code is None

    async with world(tmp_path, f"sqlite://{tmp_path}/tidegate.db") as made:
        assert (await made.history.run_view(good)).status == "succeeded"


async def test_damage_of_the_file_is_said_above_what_can_be_read(tmp_path: Path, runs: list[RunId]) -> None:
    """It stays there while one looks around, and the file stays as it is."""
    path = tmp_path / "tidegate.db"
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'checkpoints'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * 32)
    found = path.read_bytes()
    app = MonitorApp(opener(clock=SystemClock(), url=f"sqlite://{path}"), SystemClock())
    app.animation_level = "none"

    async with app.run_test(size=(160, 30)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see("first?", "second?", "damaged")
        await seen.press("2")
        await seen.see(*(run_id[:6] for run_id in runs), "damaged")
        await seen.press("3")
        await seen.see("damaged")

    assert path.read_bytes() == found


async def test_the_past_of_a_damaged_run_is_readable_up_to_the_damage(
    tmp_path: Path, runs: list[RunId]
) -> None:
    """Beyond it stands why it is not; the points before open as ever."""
    bad = runs[0]
    number = "(SELECT run_no << 32 | 3 FROM runs WHERE run_id = ?)"
    change(tmp_path, f"UPDATE events SET at = at + 1 WHERE id = {number}", bad)  # noqa: S608
    app = MonitorApp(opener(clock=SystemClock(), url=f"sqlite://{tmp_path}/tidegate.db"), SystemClock())
    app.animation_level = "none"

    async with app.run_test(size=(160, 30)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see("first?", "second?")
        await seen.press("3")
        await seen.see("shown")
        await seen.press("G", "enter")
        await seen.see("Time travel", f"event 3 of run {bad} is damaged")
        await seen.press("g")

        await seen.see("event 1 of", "State at @1")
