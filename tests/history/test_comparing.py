"""Comparing points of runs: what counts, what does not, and with what."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from immutables import Map

from history.test_diff import patched
from running import World, world
from strategies import Case, cases
from tidegate.history.changes import Change, line_diff
from tidegate.history.comparing import Comparison, Rules, compare_states
from tidegate.history.counterparts import Counterpart, NoCounterpart, last_successful
from tidegate.history.diff import changes_between, differs
from tidegate.history.document import document, plain_json
from tidegate.history.paths import path_text
from tidegate.history.points import Point
from tidegate.model.base import Json
from tidegate.model.ids import RunId, Seq
from tidegate.model.value import Stored

DEPLOY = """
    name: deploy
    inputs: {env: {type: string}, lines: {type: integer}}
    blocks:
      - {id: build, type: Shell, inputs: {command: "seq ${lines}; echo ${env}"}}
      - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Go?", operation: go}}
      - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo shipped"}}
"""


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world on a SQLite file."""
    async with world(tmp_path, f"sqlite:///{tmp_path / 'compared.db'}") as opened:
        yield opened


async def deployed(
    ground: World, *, env: str = "dev", lines: int = 3, by: str = "ana", text: str = DEPLOY
) -> RunId:
    """Return a run that has ended."""
    run_id = await ground.start(text, env=env, lines=lines)
    await ground.answer(run_id, "gate", "yes", by=by)
    await ground.rest(run_id)
    return run_id


async def now(ground: World, run_id: RunId) -> Point:
    """Return a run as it is."""
    return await ground.history.find_point(run_id)


def told(found: Comparison) -> list[str]:
    """Return the changes that count, in words."""
    return [f"{change.kind.value} {path_text(change.path)}" for change in found.changes]


def change_of(found: Comparison, path: str) -> Change:
    """Return the change at a path."""
    return next(change for change in found.changes if path_text(change.path) == path)


async def test_two_runs_that_did_the_same_are_the_same(ground: World) -> None:
    """Their ids differ, and their keys, and when it was: none of that counts unless it is asked for."""
    one, other = await now(ground, await deployed(ground)), await now(ground, await deployed(ground))
    found = await ground.history.compare(one, other)

    assert found.is_same
    assert (found.changes, found.more, found.ignored) == ((), 0, 0)
    assert {path_text(change.path) for change in found.timing} >= {"started_at", "blocks.ship.ended_at"}
    assert (await ground.history.compare(one, one)).timing == ()
    timed = await ground.history.compare(one, other, Rules(timing=True, ignore=("**.*_at", "*_at")))
    assert {change.path[-1] for change in timed.changes} <= {"duration", "duration_s"}
    assert timed.ignored > 0


async def test_what_differs_is_told_by_its_path_and_group(ground: World) -> None:
    """Inputs, blocks, who answered; the texts line by line."""
    left = await now(ground, await deployed(ground, env="dev"))
    right = await now(ground, await deployed(ground, env="prod", by="bo"))
    found = await ground.history.compare(left, right)

    assert told(found) == [
        "changed inputs.env",
        "changed blocks.build.summary",
        "changed blocks.build.outputs.stdout",
        "changed pauses.gate.by",
    ]
    assert list(found.by_group()) == ["inputs", "blocks", "answers"]
    lines = line_diff(change_of(found, "blocks.build.outputs.stdout"))
    assert lines[-2:] == ("-dev", "+prod")
    assert found.as_json()["changes"] == {
        group: [change.as_json() for change in changes] for group, changes in found.by_group().items()
    }
    mirrored = await ground.history.compare(right, left)
    assert [(change.left, change.right) for change in mirrored.changes] == [
        (change.right, change.left) for change in found.changes
    ]


async def test_large_values_are_loaded_only_if_they_differ(ground: World) -> None:
    """And then what differs inside of them is told; what is too large, by its size."""
    left = await now(ground, await deployed(ground, lines=3_000))
    same = await now(ground, await deployed(ground, lines=3_000))
    longer = await now(ground, await deployed(ground, lines=3_001))

    assert (await ground.history.compare(left, same)).is_same
    found = await ground.history.compare(left, longer)
    change = change_of(found, "blocks.build.outputs.stdout")
    assert isinstance(change.left, str)
    assert line_diff(change)[-2:] == ("+3001", " dev")


async def test_a_value_that_is_too_large_is_told_by_its_size(ground: World) -> None:
    """Nobody waits for gigabytes: it is not even looked for."""
    state = await ground.run("name: empty\nblocks:\n  - {id: one, type: Shell, inputs: {command: 'true'}}")
    one, other = (Stored(sha256=letter * 64, size=5_000_000) for letter in "ab")
    sides = [
        (Point(state.run_id, state.head), state.evolve(variables=Map({"dump": value})))
        for value in (one, other)
    ]
    found = await compare_states(ground.store, sides[0], sides[1], Rules())

    assert [change.as_json() for change in found.changes] == [
        {
            "path": "state.dump",
            "kind": "changed",
            "left": {"sha256": "a" * 64, "size": 5_000_000},
            "right": {"sha256": "b" * 64, "size": 5_000_000},
        }
    ]


async def test_patterns_leave_out_what_does_not_count(ground: World) -> None:
    """With all that is below, and inside of values; one that is no path is refused."""
    left = await now(ground, await deployed(ground, env="dev"))
    right = await now(ground, await deployed(ground, env="prod", by="bo"))
    rules = Rules(ignore=("inputs", "blocks.*.outputs.std*", "**.by", "blocks.build.summary"))
    found = await ground.history.compare(left, right, rules)

    assert found.is_same
    assert found.ignored == 4
    for pattern in ("a..b", ""):
        with pytest.raises(ValueError, match=r"is no path|would ignore everything"):
            await ground.history.compare(left, right, Rules(ignore=(pattern,)))


async def test_a_run_is_compared_with_what_it_was(ground: World) -> None:
    """What has happened since is what was added."""
    run_id = await deployed(ground)
    then = Point(run_id, Seq(1))
    found = await ground.history.compare(then, await ground.history.counterpart(then, Counterpart.NOW))

    assert "changed status" in told(found)
    assert "changed blocks.ship.status" in told(found)
    assert "added pauses.gate" in told(found)
    assert not [change for change in found.changes if change.group == "definition"]


async def test_how_many_items_are_left_is_told_item_by_item(ground: World) -> None:
    """Not as the sum of them, which is none of anybody's words."""
    text = """
        name: items
        blocks:
          - {id: each, type: Shell, for_each: {items: [a, b], max_parallel: 1}, inputs: {command: "echo ${item}"}}
    """
    run_id = (await ground.run(text)).run_id
    begun = next(
        record.seq
        for record in await ground.events(run_id)
        if getattr(record.event, "block", "") == "each[a]"
    )
    then = Point(run_id, begun)
    found = await ground.history.compare(then, await ground.history.counterpart(then, Counterpart.NOW))

    assert "changed blocks.each[a].status" in [line.replace('"', "") for line in told(found)]
    assert not [line for line in told(found) if ".parts" in line]


async def test_workflows_are_compared_block_by_block(ground: World) -> None:
    """By their names, wherever they stand in the file."""
    changed = """
        name: deploy
        inputs: {env: {type: string}, lines: {type: integer}}
        blocks:
          - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Go?", operation: go}}
          - {id: notify, type: Shell, depends_on: [gate], inputs: {command: "true"}}
          - {id: build, type: Shell, inputs: {command: "seq ${lines}; echo ${env}"}, timeout: 60}
    """
    left = await now(ground, await deployed(ground))
    right = await now(ground, await deployed(ground, text=changed))
    found = await ground.history.compare(left, right)
    definition = [line for line in told(found) if " definition." in line]

    assert definition == [
        "added definition.blocks.build.timeout",
        "removed definition.blocks.ship",
        "added definition.blocks.notify",
    ]
    assert {"removed blocks.ship", "added blocks.notify"} <= set(told(found))


async def test_the_last_success_of_the_same_workflow_is_found(ground: World) -> None:
    """The one before a run; for one that is older than all of them, the last there is."""
    first = await deployed(ground)
    second = await deployed(ground)
    third = await ground.start(DEPLOY, env="dev", lines=1)
    await ground.answer(third, "gate", "no")
    await ground.rest(third)

    async def other(run_id: RunId) -> RunId:
        point = Point(run_id, Seq(1))
        return (await ground.history.counterpart(point, Counterpart.LAST_SUCCESSFUL)).run_id

    assert await other(third) == second
    assert await other(second) == first
    assert await other(first) == second
    latest = await last_successful(ground.store, "deploy")
    assert latest is not None
    assert latest.run_id == second


async def test_where_there_is_nothing_to_compare_with_that_is_said(ground: World) -> None:
    """By name."""
    run_id = await deployed(ground)
    point = Point(run_id, Seq(1))

    with pytest.raises(NoCounterpart, match=f"run {run_id} was not forked"):
        await ground.history.counterpart(point, Counterpart.PARENT)
    with pytest.raises(NoCounterpart, match="of which no other run has succeeded"):
        await ground.history.counterpart(point, Counterpart.LAST_SUCCESSFUL)


async def test_of_very_many_changes_some_are_told_and_the_rest_counted(ground: World) -> None:
    """Two huge lists fill no screen and no memory."""
    text = """
        name: many
        inputs: {first: {type: integer}}
        blocks:
          - {id: numbers, type: Shell, inputs: {command: "seq ${first} 1 9000", parse: json}}
    """
    text = text.replace("parse: json", "parse: lines")
    left, right = [await now(ground, (await ground.run(text, first=first)).run_id) for first in (1, 3_001)]
    found = await ground.history.compare(left, right)

    assert len(found.changes) == 2_000
    assert found.more > 1_000
    assert not found.at_least


@given(case=cases())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_the_difference_between_any_two_points_is_complete(tmp_path: Path, case: Case) -> None:
    """Of any run: nothing differs from itself, and what differs makes the one state of the other."""
    async with world(tmp_path) as ground:
        run_id = await ground.start(case.definition)
        view = await ground.rest(run_id)
        walker = await ground.history.walk(run_id)
        documents: list[Json] = [
            plain_json(document(await walker.state(seq))) for seq in range(0, view.row.head + 1, 3)
        ]

    for left, right in zip(documents, [*documents[1:], documents[0]], strict=True):
        assert not differs(left, left)
        assert not differs(patched(left, list(changes_between(left, right))), right)
