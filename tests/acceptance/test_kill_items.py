"""Forty items, and a process that is killed again and again in the middle of them."""

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from aftermath import answer_open, check_books, lines, tree
from lives import Fate, begin, carry_on, life, turn, url_of
from running import world
from tidegate.model.events import AttemptStarted, RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.listing import PauseRow

ITEMS = [f"item-{number:02}" for number in range(40)]


def workflow(effect: str, command: str, *, fail_fast: bool = False) -> str:
    """Return a workflow that runs *command* for each item."""
    return f"""
name: items
blocks:
  - id: each
    type: Shell
    effect: {effect}
    for_each: {{items: {json.dumps(ITEMS)}, max_parallel: 5, fail_fast: {str(fail_fast).lower()}}}
    inputs: {{command: '{command}'}}
outputs: {{results: "${{each.results}}"}}
"""


def answer_in(folder: Path, pause: PauseRow) -> str:
    """Answer as a person does who looks at what a cut-off item has left behind."""
    item = pause.block.removeprefix("each[").removesuffix("]")
    return f'done {{"stdout": "{item}"}}' if item in lines(folder / "log") else "rerun"


async def until_done(folder: Path, chance: random.Random) -> int:
    """Go on, killed at random commits, until the run has ended; return how often it was killed."""
    kills = 0
    for _ in range(30):
        fate = Fate(chance.randint(1, 12), after=chance.random() < 0.5)
        kills += not life(folder, carry_on, fate=fate)
        async with world(folder, url_of(folder)) as ground:
            await answer_open(ground, partial(answer_in, folder))
            [row] = await tree(ground)
            if row.summary.status.is_terminal:
                return kills
    raise AssertionError("the run does not come to its end")


async def results(folder: Path) -> list[Any]:
    """Return what the items came to, once the books are found right."""
    async with world(folder, url_of(folder)) as ground:
        await check_books(ground)
        [row] = await tree(ground)
        state = await ground.history.state(row.run_id)
    assert state.finished is not None
    assert state.finished.status is RunStatus.SUCCEEDED
    found = state.finished.outputs["results"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("effect", ["once", "idempotent"])
async def test_items_that_had_ended_are_not_run_again(tmp_path: Path, effect: str, seed: int) -> None:
    """Those at work when the process was killed are run again, or asked about; results are in item order."""
    note = "echo ${item} >> log" if effect == "once" else "echo ${item} $TIDEGATE_IDEMPOTENCY_KEY >> log"
    (tmp_path / "items.yaml").write_text(workflow(effect, f"{note}; echo ${{item}}"))
    chance = random.Random(seed)  # noqa: S311 - the same instants each time
    kills = int(not life(tmp_path, partial(begin, file="items.yaml"), fate=Fate(chance.randint(2, 12))))
    kills += await until_done(tmp_path, chance)

    assert kills
    found = await results(tmp_path)
    assert [result["item"] for result in found] == ITEMS
    assert {result["status"] for result in found} == {"succeeded"}
    assert [result["outputs"]["stdout"] for result in found] == ITEMS
    written = lines(tmp_path / "log")
    assert sorted(set(written) if effect == "idempotent" else written) == sorted(set(written))
    assert sorted({line.split()[0] for line in written}) == ITEMS
    assert len(set(written)) == len(ITEMS)


@pytest.mark.parametrize("fail_fast", [False, True])
async def test_resuming_runs_the_failed_and_missing_items_only(tmp_path: Path, *, fail_fast: bool) -> None:
    """Though the resuming process is killed, too; what had succeeded keeps its result."""
    command = "case ${item} in *3) test -e ready || exit 1;; esac; echo ${item} >> log; echo ${item}"
    (tmp_path / "items.yaml").write_text(workflow("once", command, fail_fast=fail_fast))
    assert life(tmp_path, partial(begin, file="items.yaml"))
    before = lines(tmp_path / "log")
    assert 0 < len(before) < len(ITEMS)
    async with world(tmp_path, url_of(tmp_path)) as ground:
        [row] = await tree(ground)
        assert row.summary.status is RunStatus.FAILED
    (tmp_path / "ready").touch()

    assert not life(tmp_path, partial(turn, what="resume", run_id=row.run_id), fate=Fate(2))
    await until_done(tmp_path, random.Random(7))  # noqa: S311 - the same instants each time

    found = await results(tmp_path)
    assert [result["item"] for result in found] == ITEMS
    assert lines(tmp_path / "log")[: len(before)] == before
    assert sorted(lines(tmp_path / "log")) == ITEMS
    async with world(tmp_path, url_of(tmp_path)) as ground:
        attempts = [record.event for record in await ground.events(row.run_id)]
    for item in before:
        place = BlockId(f"each[{item}]")
        assert sum(isinstance(event, AttemptStarted) and event.block == place for event in attempts) == 1
