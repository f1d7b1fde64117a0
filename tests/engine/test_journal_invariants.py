"""The laws of journals and stores find what they are there to find."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from journal_invariants import Broken, check_journal
from running import World, world
from store_invariants import check_at_rest, check_store
from tidegate.clock import SystemClock
from tidegate.model.events import (
    AttemptInterrupted,
    AttemptStarted,
    AttemptSucceeded,
    CheckpointMarked,
    JournalEvent,
    PauseAnswered,
    Record,
    RunAdopted,
    RunFinished,
    RunStarted,
    RunStatus,
    WaveStarted,
)
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.workflow import WorkflowDefinition

WORKFLOW = """
name: lawful
blocks:
  - {id: first, type: Shell, inputs: {command: "echo first"}}
  - {id: gate, type: ConfirmOperation, depends_on: [first], inputs: {message: "Go on?"}}
  - {id: each, type: Template, depends_on: [gate], for_each: [a, b], inputs: {template: "${item}"}}
  - {id: big, type: Template, depends_on: [gate], inputs: {template: "LONG"}}
""".replace("LONG", "x" * 20_000)


async def a_run(ground: World) -> RunId:
    """Drive a run to its end; return it."""
    run_id = await ground.start(WORKFLOW)
    await ground.answer_and_rest(run_id, "gate", "yes")
    return run_id


def numbered(records: list[Record]) -> list[Record]:
    """Return the records with their positions, so that only what they say can be wrong."""
    return [record.evolve(seq=Seq(number)) for number, record in enumerate(records, start=1)]


def at(records: list[Record], kind: type[JournalEvent]) -> int:
    """Return where the last event of a kind stands."""
    return max(index for index, record in enumerate(records) if isinstance(record.event, kind))


def without(kind: type[JournalEvent]) -> Callable[[list[Record]], list[Record]]:
    """Return how to leave out the last event of a kind."""
    return lambda records: [record for index, record in enumerate(records) if index != at(records, kind)]


def twice(kind: type[JournalEvent]) -> Callable[[list[Record]], list[Record]]:
    """Return how to have an event of a kind twice."""
    return lambda records: [
        *records[: at(records, kind)],
        records[at(records, kind)],
        *records[at(records, kind) :],
    ]


def then(event: JournalEvent, after: type[JournalEvent]) -> Callable[[list[Record]], list[Record]]:
    """Return how to have something else after the last event of a kind."""
    return lambda records: [
        *records[: at(records, after) + 1],
        records[0].evolve(event=event),
        *records[at(records, after) + 1 :],
    ]


FIRST = BlockId("first")
CUT_OFF = AttemptInterrupted(block=FIRST, attempt=1, reason="its process ended")


@pytest.mark.parametrize(
    ("spoil", "law"),
    [
        (without(RunStarted), "a journal begins once"),
        (twice(RunStarted), "a journal begins once"),
        (without(AttemptStarted), "of the newest"),
        (twice(AttemptStarted), "attempts are counted without a gap"),
        (twice(AttemptSucceeded), "one outcome"),
        (twice(PauseAnswered), "a pause is decided once"),
        (twice(CheckpointMarked), "a checkpoint is marked once"),
        (then(CUT_OFF, RunStarted), "what is cut off is the newest attempt"),
        (then(CUT_OFF, RunFinished), "nothing but an explicit turn"),
        (then(RunAdopted(owner="x", epoch=0), RunStarted), "epochs only grow"),
        (then(WaveStarted(wave=7), RunStarted), "waves come one after the other"),
        (
            then(RunFinished(status=RunStatus.SUCCEEDED), AttemptStarted),
            "nothing is at work when a run ends",
        ),
        (lambda records: records[:3] + records[4:], "seq counts from 1"),
    ],
)
async def test_a_journal_that_nobody_should_have_written_is_found(
    tmp_path: Path, spoil: Callable[[list[Record]], list[Record]], law: str
) -> None:
    """Whatever is missing, doubled or out of place."""
    async with world(tmp_path) as ground:
        run_id = await a_run(ground)
        records = list(await ground.events(run_id))
        definition = (await ground.history.state(run_id)).graph.definition
    check_journal(records, definition)
    spoiled = spoil(records) if law.startswith("seq") else numbered(spoil(records))
    with pytest.raises(Broken, match=law):
        check_journal(spoiled, definition)


async def test_an_effect_is_not_repeated_unless_a_person_says_so(tmp_path: Path) -> None:
    """A second attempt after an interruption needs an answer between them; for a block that is idempotent it does not."""
    async with world(tmp_path) as ground:
        run_id = await a_run(ground)
        records = list(await ground.events(run_id))
        definition = (await ground.history.state(run_id)).graph.definition
    started = next(record for record in records if isinstance(record.event, AttemptStarted))
    assert isinstance(started.event, AttemptStarted)
    again = [
        *records[: started.seq],
        started.evolve(event=CUT_OFF),
        started.evolve(event=started.event.evolve(attempt=2)),
    ]
    with pytest.raises(Broken, match="repeated only if a person says so"):
        check_journal(numbered(again), definition)
    check_journal(numbered(again), with_effect(definition, "idempotent"))


def with_effect(definition: WorkflowDefinition, effect: str) -> WorkflowDefinition:
    """Return the workflow with another effect of its first block."""
    first, *others = definition.blocks
    return definition.evolve(blocks=(first.evolve(effect=type(first.effect)(effect)), *others))


@pytest.mark.parametrize(
    ("statement", "law"),
    [
        ("UPDATE runs SET summary = CAST(replace(CAST(summary AS TEXT), 'succeeded', 'failed') AS BLOB)", "listed as its journal folds"),
        ("UPDATE runs SET epoch = 0", "no driver is newer"),
        ("UPDATE runs SET path = 'a/b'", "listed under what started it"),
        ("UPDATE runs SET updated_at = updated_at + 1", "dated by its journal"),
        ("UPDATE pauses SET state = 0", "a pause is listed as its journal says"),
        ("UPDATE pauses SET answer = CAST(replace(CAST(answer AS TEXT), 'ana', 'bob') AS BLOB)", "a pause is listed as its journal says"),
        ("DELETE FROM pauses", "every question has its row"),
        ("UPDATE checkpoints SET seq = seq - 1", "a checkpoint is listed as it was marked"),
        ("UPDATE checkpoints SET checkpoint_id = 'chk_' || no", "a checkpoint is a position of its journal"),
    ],
)  # fmt: skip
async def test_a_list_that_disagrees_with_its_journal_is_found(
    tmp_path: Path, statement: str, law: str
) -> None:
    """Whatever row is not what follows from the events."""
    url = f"sqlite:///{tmp_path}/store.db"
    async with world(tmp_path, url) as ground:
        await a_run(ground)
        assert await check_store(ground.store) == 1
        await check_at_rest(ground.store, SystemClock().now())
    with sqlite3.connect(tmp_path / "store.db") as connection:
        assert connection.execute(statement).rowcount
    connection.close()

    async with world(tmp_path, url) as ground:
        with pytest.raises(Broken, match=law):
            await check_store(ground.store)


@pytest.mark.parametrize(
    ("statement", "law"),
    [
        ("UPDATE run_counts SET runs = runs + 1", "runs are counted"),
        ("UPDATE runs SET owner = 'elsewhere:1:1', lease_until = 9e12", "nobody drives a run that has ended"),
    ],
)
async def test_what_is_not_free_at_rest_is_found(tmp_path: Path, statement: str, law: str) -> None:
    """Leases and counts are looked at once nobody writes any more."""
    url = f"sqlite:///{tmp_path}/store.db"
    async with world(tmp_path, url) as ground:
        await a_run(ground)
    with sqlite3.connect(tmp_path / "store.db") as connection:
        assert connection.execute(statement).rowcount
    connection.close()

    async with world(tmp_path, url) as ground:
        with pytest.raises(Broken, match=law):
            await check_at_rest(ground.store, SystemClock().now())
