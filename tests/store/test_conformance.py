"""What every store promises, through its public door. A new store adds a parameter, not tests."""

import asyncio
from typing import Any

import pytest

from store.builders import (
    BLOCK,
    DEFINITION,
    NOW,
    PATIENCE,
    RUN,
    RUNNING,
    adding,
    chunk,
    hashed,
    marked,
    new_run,
    paused,
    until,
    wave,
)
from tidegate.errors import (
    CheckpointInUse,
    CheckpointNotFound,
    CorruptStore,
    JournalConflict,
    LeaseHeld,
    PauseNotFound,
    RunNotFound,
    StaleEpoch,
    StoreUnavailable,
)
from tidegate.model.base import JsonObject
from tidegate.model.events import (
    OPERATOR_EVENTS,
    AnswerRefused,
    BlockExpanded,
    CancelRequested,
    JournalEvent,
    PauseAnswered,
    PauseAssigned,
    PauseExpired,
    Record,
    RunFinished,
    RunHeld,
    RunReleased,
    RunResumed,
    RunStatus,
    SkipRequested,
)
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import CheckpointFilter, Cursor, Epoch, PauseFilter, RunFilter, Stream
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import Answer, Assignment
from tidegate.model.state import PauseState, RunSummary
from tidegate.model.value import Inline
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.store.protocol import Store

ONE = PauseId("pause_one")
YES = Answer(value=True, raw="y", by="ada", via="cli")

VOTES = (
    PauseAssigned(pause_id=ONE, to="ada", by="bo"),
    PauseAnswered(pause_id=ONE, answer=YES),
    AnswerRefused(pause_id=ONE, raw="maybe", rule="yes or no"),
    PauseExpired(pause_id=ONE),
    CancelRequested(by="ada"),
    RunResumed(blocks=(BLOCK,), by="ada"),
    RunHeld(by="ada"),
    RunReleased(by="ada"),
    SkipRequested(block=BLOCK, reason="done by hand", by="ada"),
)


async def _states(store: Store) -> dict[str, PauseState]:
    rows = await store.pauses(PauseFilter(open_only=False))
    return {row.pause_id: row.state for row in rows}


# -- creating ---------------------------------------------------------------------------------


async def test_a_created_run_can_be_read_and_listed(store: Store) -> None:
    """Its first events, its row and its definition are there when `create_run` returns."""
    claim = await store.create_run(new_run())

    row = await store.run(RUN)
    (record,) = await store.read(RUN)
    assert (claim.epoch, claim.head, claim.previous_owner) == (1, 1, "")
    assert (row.workflow, row.by, row.owner, row.epoch, row.head) == ("deploy", "ada", "me", 1, 1)
    assert (row.created_at, row.updated_at, row.lease_until) == (NOW, NOW, NOW + 30)
    assert row.summary == RUNNING
    assert (record.seq, record.at, record.event) == (1, NOW, new_run().events[0])
    assert await store.definition(row.definition) == DEFINITION


async def test_a_run_may_be_created_without_a_driver(store: Store) -> None:
    """Without an owner the lease is free, under epoch 0, and the first driver gets epoch 1."""
    created = await store.create_run(new_run(owner=""))

    claim = await store.claim(RUN, owner="you", now=NOW, until=NOW + 30)
    assert (created.epoch, claim.epoch, claim.head) == (0, 1, 1)


async def test_a_run_is_created_once(store: Store) -> None:
    """A second run of the same id is refused and changes nothing of the first."""
    await store.create_run(new_run())

    with pytest.raises(JournalConflict, match="but the head is 1"):
        await store.create_run(new_run(owner="somebody else"))
    assert (await store.run(RUN)).owner == "me"


async def test_a_definition_is_kept_once_for_all_its_runs(store: Store) -> None:
    """Runs of one definition share it; another definition is another one."""
    other = WorkflowDefinition(name="backup")
    await store.create_run(new_run("run1"))
    await store.create_run(new_run("run2"))
    await store.create_run(new_run("run3", definition=other))

    assert (await store.run(RunId("run1"))).definition == (await store.run(RunId("run2"))).definition
    assert await store.definition(definition_hash(other)) == other


async def test_a_definition_that_is_not_there_is_damage(store: Store) -> None:
    """Nobody asks for a definition that no run has, so a missing one is named as damage."""
    with pytest.raises(CorruptStore, match="definition cafe is missing"):
        await store.definition("cafe")


# -- appending --------------------------------------------------------------------------------


async def test_events_are_numbered_in_the_order_they_were_appended(store: Store) -> None:
    """From 1, without gaps, and the new head is returned."""
    await store.create_run(new_run())

    heads = [await store.append(adding(wave(1), wave(2))), await store.append(adding(wave(3), after=3))]

    records = await store.read(RUN)
    assert heads == [3, 4]
    assert [record.seq for record in records] == [1, 2, 3, 4]
    assert [record.event for record in records[1:]] == [wave(1), wave(2), wave(3)]


async def test_a_part_of_a_journal_can_be_read(store: Store) -> None:
    """`after` is excluded, `upto` included, and an unknown run has no events."""
    await store.create_run(new_run())
    await store.create_run(new_run("other"))
    await store.append(adding(*(wave(number) for number in range(5))))

    assert [r.seq for r in await store.read(RUN, after=Seq(2), upto=Seq(4))] == [3, 4]
    assert [r.seq for r in await store.read(RUN, after=Seq(5))] == [6]
    assert await store.read(RUN, after=Seq(6)) == ()
    assert await store.read(RUN, upto=Seq(0)) == ()
    assert await store.read(RunId("nothing")) == ()


async def test_an_append_moves_the_row_of_the_run(store: Store) -> None:
    """Head, summary and time are those of the newest event."""
    await store.create_run(new_run())
    summary = RunSummary(status=RunStatus.PAUSED, wave=1, pauses=1, reason="waits for gate")

    await store.append(adding(wave(), at=NOW + 9, summary=summary))

    row = await store.run(RUN)
    assert (row.head, row.updated_at, row.created_at, row.summary) == (2, NOW + 9, NOW, summary)


async def test_who_appends_after_another_head_is_refused(store: Store) -> None:
    """The loser learns where the head is, and nothing of its append is there."""
    await store.create_run(new_run())
    await store.append(adding(wave(1)))

    with pytest.raises(JournalConflict, match="after event 1, but the head is 2") as refused:
        await store.append(adding(paused(), marked()))
    assert refused.value.head == 2
    assert await _states(store) == {}
    assert await store.checkpoints() == ()
    assert len(await store.read(RUN)) == 2


@pytest.mark.parametrize("after", [2, 9])
async def test_who_appends_beyond_the_head_is_refused(store: Store, after: int) -> None:
    """A journal has no gaps."""
    await store.create_run(new_run())

    with pytest.raises(JournalConflict):
        await store.append(adding(wave(), after=after))


async def test_a_writer_whose_epoch_is_over_is_refused(store: Store) -> None:
    """It hears that before it hears of a conflict: it must stop, not read on."""
    await store.create_run(new_run())
    await store.claim(RUN, owner="you", now=NOW + 60, until=NOW + 90)
    await store.append(adding(wave(), epoch=2))

    with pytest.raises(StaleEpoch, match="epoch 1 is over, the run is driven under epoch 2"):
        await store.append(adding(wave(), after=1, epoch=1))
    assert (await store.run(RUN)).head == 2


@pytest.mark.parametrize("event", VOTES, ids=lambda event: type(event).__name__)
async def test_an_operator_may_vote_without_the_lease(store: Store, event: JournalEvent) -> None:
    """Votes need the head, not the epoch; here is one of each kind."""
    assert tuple(map(type, VOTES)) == OPERATOR_EVENTS
    await store.create_run(new_run())

    assert await store.append(adding(event, epoch=None)) == 2
    assert (await store.read(RUN))[-1].event == event


@pytest.mark.parametrize(
    "event",
    [wave(), paused(), marked(), RunFinished(status=RunStatus.FAILED)],
    ids=lambda e: type(e).__name__,
)
async def test_only_votes_may_be_appended_without_the_lease(store: Store, event: JournalEvent) -> None:
    """Anything else under no epoch is a mistake of the caller, not a conflict."""
    await store.create_run(new_run())

    with pytest.raises(ValueError, match="only an operator's events"):
        await store.append(adding(CancelRequested(), event, epoch=None))
    assert (await store.run(RUN)).head == 1


async def test_nothing_can_be_appended_to_a_run_that_is_not_there(store: Store) -> None:
    """The error names the run."""
    with pytest.raises(RunNotFound, match="no run 'bcdf2345ghjk'"):
        await store.append(adding(wave()))


async def test_an_id_that_is_taken_stops_the_whole_append(store: Store) -> None:
    """Events written before the fault was met are gone with it."""
    await store.create_run(new_run())
    await store.append(adding(marked()))

    with pytest.raises(Exception, match="already taken"):
        await store.append(adding(wave(), paused(), marked(), after=2))
    assert (await store.run(RUN)).head == 2
    assert len(await store.read(RUN)) == 2
    assert await _states(store) == {}


async def test_a_refused_append_spoils_nobody_elses(store: Store) -> None:
    """Many appends at once, some of them refused: the others are all there."""
    ids = [f"run{number}" for number in range(30)]
    await asyncio.gather(*(store.create_run(new_run(run_id)) for run_id in ids))
    appends: list[Any] = [
        adding(wave(), marked("same" if number % 3 == 0 else f"chk{number}"), run_id=run_id, after=number % 2)
        for number, run_id in enumerate(ids)
    ]

    outcomes = await asyncio.gather(*map(store.append, appends), return_exceptions=True)

    for run_id, outcome in zip(ids, outcomes, strict=True):
        assert len(await store.read(RunId(run_id))) == (outcome if isinstance(outcome, int) else 1)
    assert sum(outcome == 3 for outcome in outcomes) == 11
    assert sum(isinstance(outcome, JournalConflict) for outcome in outcomes) == 15


async def test_who_stops_waiting_does_not_stop_the_append(store: Store) -> None:
    """A caller that is cancelled changes nothing about what it asked for."""
    await store.create_run(new_run())
    append = asyncio.create_task(store.append(adding(wave(), paused())))
    await asyncio.sleep(0)

    append.cancel()

    with pytest.raises(asyncio.CancelledError):
        await append

    async def is_there() -> bool:
        return len(await store.read(RUN)) == 3

    await until(is_there)
    assert await _states(store) == {ONE: PauseState.OPEN}


async def test_close_finishes_what_waits(store: Store) -> None:
    """What was asked for before `close` is done; what comes after is refused."""
    await store.create_run(new_run())
    append = asyncio.create_task(store.append(adding(wave())))
    await asyncio.sleep(0)

    await store.close()

    assert await append == 2
    with pytest.raises(StoreUnavailable, match="has been closed"):
        await store.append(adding(wave(), after=2))
    with pytest.raises(StoreUnavailable, match="has been closed"):
        await store.runs()
    await store.close()


async def test_a_long_event_is_kept_small_and_comes_back_whole(store: Store) -> None:
    """Ten thousand items in one event, and appends after it that do not care."""
    await store.create_run(new_run())
    keys = tuple(f"host-{number:05}" for number in range(10_000))
    items = tuple(Inline(value={"host": key, "region": "eu-west-1", "tags": ["a", "b"]}) for key in keys)
    expanded = BlockExpanded(block=BLOCK, attempt=1, keys=keys, items=items)

    await store.append(adding(expanded))
    for after in range(2, 102):
        await store.append(adding(wave(after), after=after))

    assert [record.event for record in await store.read(RUN, upto=Seq(2))][1:] == [expanded]
    assert await store.read(RUN, after=Seq(101)) == (
        Record(run_id=RUN, seq=Seq(102), at=NOW + 1, event=wave(101)),
    )


# -- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["", "x", "text " * 50_000, list(range(3_000))])
async def test_a_value_comes_back_as_it_was(store: Store, value: object) -> None:
    """Small or large, whether it can be compressed or not."""
    name, data = hashed(value)
    await store.create_run(new_run())

    await store.append(adding(wave(), values={name: data}))

    assert await store.values([name, name]) == {name: data}


async def test_a_value_is_kept_once(store: Store) -> None:
    """The same content in another append, of another run, is no conflict."""
    name, data = hashed("x" * 5_000)
    for run_id in ("run1", "run2"):
        await store.create_run(new_run(run_id))
        await store.append(adding(wave(), run_id=run_id, values={name: data}))

    assert await store.values([name]) == {name: data}


async def test_a_value_under_a_wrong_name_is_refused(store: Store) -> None:
    """It would be found damaged only when somebody needs it; nothing of the append is written."""
    name, _ = hashed("this")
    await store.create_run(new_run())

    with pytest.raises(ValueError, match="not what its hash"):
        await store.append(adding(wave(), values={name: b'"that"'}))
    assert (await store.run(RUN)).head == 1


async def test_a_missing_value_is_named(store: Store) -> None:
    """Nothing stands in for it."""
    name, _ = hashed("never stored")

    with pytest.raises(CorruptStore, match=f"value {name} is missing"):
        await store.values([name])
    assert await store.values([]) == {}


async def test_which_values_are_missing_is_told_without_reading_them(store: Store) -> None:
    """More than one statement takes, and each once."""
    there = dict(map(hashed, range(700)))
    gone = [hashed(f"never stored {number}")[0] for number in range(600)]
    await store.create_run(new_run())
    await store.append(adding(wave(), values=there))

    assert await store.missing_values([*gone, *there, *gone]) == frozenset(gone)
    assert await store.missing_values(list(there)) == frozenset()
    assert await store.missing_values([]) == frozenset()


async def test_many_values_can_be_read_at_once(store: Store) -> None:
    """More than one statement takes."""
    values = dict(map(hashed, range(1_200)))
    await store.create_run(new_run())
    await store.append(adding(wave(), values=values))

    assert await store.values(list(values)) == values


# -- output -----------------------------------------------------------------------------------


async def test_output_is_read_in_order(store: Store) -> None:
    """Over both streams, page by page."""
    await store.create_run(new_run())
    chunks = [
        chunk(0, b"one", at=NOW + 0.25),
        chunk(1, b"\xff\x00" * 5_000, stream=Stream.STDERR),
        chunk(2, b"three", offset=3),
    ]

    await store.write_output(RUN, BLOCK, 1, chunks[:2])
    await store.write_output(RUN, BLOCK, 1, chunks[2:])

    assert await store.read_output(RUN, BLOCK, 1) == tuple(chunks)
    assert await store.read_output(RUN, BLOCK, 1, after=0, limit=1) == (chunks[1],)
    assert await store.last_output(RUN, BLOCK, 1, limit=2) == tuple(chunks[1:])
    assert await store.read_output(RUN, BLOCK, 2) == ()
    assert await store.last_output(RunId("nothing"), BLOCK, 1) == ()


async def test_output_can_be_forgotten_while_more_is_added(store: Store) -> None:
    """A gap in `n` is what is left of the middle of a long output."""
    await store.create_run(new_run())
    await store.write_output(RUN, BLOCK, 1, [chunk(n) for n in range(6)])

    await store.write_output(RUN, BLOCK, 1, [chunk(6)], drop=range(2, 5))
    await store.write_output(RUN, BLOCK, 1, [], drop=range(3, 3))

    assert [found.n for found in await store.read_output(RUN, BLOCK, 1)] == [0, 1, 5, 6]


async def test_output_needs_a_run(store: Store) -> None:
    """Output of nothing is a mistake."""
    with pytest.raises(RunNotFound):
        await store.write_output(RUN, BLOCK, 1, [chunk(0)])


# -- leases -----------------------------------------------------------------------------------


async def test_a_held_lease_is_not_given_away(store: Store) -> None:
    """The error says who holds it."""
    await store.create_run(new_run())

    with pytest.raises(LeaseHeld, match="is driven by me") as held:
        await store.claim(RUN, owner="you", now=NOW + 29, until=NOW + 60)
    assert held.value.until == NOW + 30
    assert (await store.run(RUN)).epoch == 1


async def test_an_expired_lease_can_be_taken(store: Store) -> None:
    """Under the next epoch; the new driver learns who had it."""
    await store.create_run(new_run())
    await store.append(adding(wave()))

    claim = await store.claim(RUN, owner="you", now=NOW + 31, until=NOW + 60)

    assert (claim.epoch, claim.head, claim.previous_owner) == (2, 2, "me")
    assert (await store.run(RUN)).owner == "you"


async def test_the_lease_of_a_dead_holder_can_be_taken(store: Store) -> None:
    """Who found the holder of that epoch dead need not wait; of another epoch it knows nothing."""
    await store.create_run(new_run())

    claim = await store.claim(RUN, owner="you", now=NOW, until=NOW + 30, over=Epoch(1))

    assert claim.epoch == 2
    with pytest.raises(LeaseHeld):
        await store.claim(RUN, owner="she", now=NOW, until=NOW + 30, over=Epoch(1))


async def test_of_many_who_claim_one_wins(store: Store) -> None:
    """A free lease is given once."""
    await store.create_run(new_run(owner=""))

    outcomes = await asyncio.gather(
        *(store.claim(RUN, owner=f"p{n}", now=NOW, until=NOW + 30) for n in range(20)), return_exceptions=True
    )

    assert sum(isinstance(outcome, LeaseHeld) for outcome in outcomes) == 19
    assert (await store.run(RUN)).epoch == 1


async def test_a_lease_of_nothing_cannot_be_taken(store: Store) -> None:
    """The error names the run."""
    with pytest.raises(RunNotFound):
        await store.claim(RUN, owner="me", now=NOW, until=NOW + 30)


async def test_renewing_extends_and_tells_what_is_lost(store: Store) -> None:
    """A lost run is one with a newer epoch, or one that is gone."""
    for run_id in ("kept", "taken"):
        await store.create_run(new_run(run_id))
    await store.claim(RunId("taken"), owner="you", now=NOW + 60, until=NOW + 90)

    lost = await store.renew(
        {RunId("kept"): Epoch(1), RunId("taken"): Epoch(1), RunId("gone"): Epoch(1)}, until=NOW + 500
    )

    assert lost == {"taken", "gone"}
    assert (await store.run(RunId("kept"))).lease_until == NOW + 500
    assert (await store.run(RunId("taken"))).lease_until == NOW + 90


async def test_a_released_lease_is_free(store: Store) -> None:
    """Nobody held it before, for whoever comes next; renewing it does not take it back."""
    await store.create_run(new_run())

    assert await store.release(RUN, epoch=Epoch(1), head=Seq(1))
    assert await store.renew({RUN: Epoch(1)}, until=NOW + 500) == set()

    row = await store.run(RUN)
    assert (row.owner, row.lease_until, row.epoch) == ("", 0.0, 1)
    claim = await store.claim(RUN, owner="you", now=NOW, until=NOW + 30)
    assert (claim.epoch, claim.previous_owner) == (2, "")


async def test_a_lease_is_not_released_when_somebody_appended(store: Store) -> None:
    """The holder has not seen the vote yet; if it left now, nobody would."""
    await store.create_run(new_run())
    await store.append(adding(CancelRequested(), epoch=None))

    assert not await store.release(RUN, epoch=Epoch(1), head=Seq(1))
    assert (await store.run(RUN)).owner == "me"
    assert await store.release(RUN, epoch=Epoch(1), head=Seq(2))


async def test_a_lease_is_not_released_under_an_old_epoch(store: Store) -> None:
    """It is somebody else's by now."""
    await store.create_run(new_run())
    await store.claim(RUN, owner="you", now=NOW + 60, until=NOW + 90)

    assert not await store.release(RUN, epoch=Epoch(1), head=Seq(1))
    assert not await store.release(RunId("gone"), epoch=Epoch(1), head=Seq(1))
    assert (await store.run(RUN)).owner == "you"


async def test_the_end_of_a_run_gives_its_lease_back(store: Store) -> None:
    """In the same transaction: a finished run is never seen as driven."""
    await store.create_run(new_run())

    await store.append(
        adding(RunFinished(status=RunStatus.SUCCEEDED), summary=RunSummary(status=RunStatus.SUCCEEDED))
    )

    row = await store.run(RUN)
    assert (row.owner, row.lease_until, row.summary.status) == ("", 0.0, RunStatus.SUCCEEDED)


# -- pauses -----------------------------------------------------------------------------------


async def test_a_pause_opens_with_its_event(store: Store) -> None:
    """Its row says what was asked, where, and until when."""
    await store.create_run(new_run())

    await store.append(adding(wave(), paused(deadline=NOW + 60, message="Deploy?")))

    row = await store.pause(ONE)
    assert (row.run_id, row.workflow, row.block, row.attempt) == (RUN, "deploy", BLOCK, 1)
    assert (row.prompt.text, row.opened_at, row.opened_seq, row.deadline) == ("Deploy?", NOW + 1, 3, NOW + 60)
    assert (row.state, row.closed_at, row.answer) == (PauseState.OPEN, None, None)
    assert await store.pauses() == (row,)


async def test_an_answer_closes_its_pause(store: Store) -> None:
    """And only that one; who answered what and when is in the row."""
    await store.create_run(new_run())
    await store.append(adding(paused(), paused("pause_two")))

    await store.append(adding(PauseAnswered(pause_id=ONE, answer=YES), after=3, at=NOW + 7, epoch=None))

    row = await store.pause(ONE)
    assert (row.state, row.closed_at, row.answer) == (PauseState.ANSWERED, NOW + 7, YES)
    assert [open_pause.pause_id for open_pause in await store.pauses()] == ["pause_two"]


async def test_a_refused_answer_leaves_its_pause_open(store: Store) -> None:
    """It is history, not an answer."""
    await store.create_run(new_run())
    await store.append(adding(paused()))

    await store.append(adding(AnswerRefused(pause_id=ONE, raw="hm", rule="yes or no"), after=2, epoch=None))

    assert await _states(store) == {ONE: PauseState.OPEN}


async def test_a_pause_is_whose_business_its_last_assignment_says(store: Store) -> None:
    """Once it is decided, it stays that of whoever it was then."""
    await store.create_run(new_run())
    await store.append(adding(paused()))
    assert (await store.pause(ONE)).assignment is None

    said = PauseAssigned(pause_id=ONE, to="ada", by="bo", note="you know it")
    await store.append(adding(said, after=2, at=NOW + 5, epoch=None))
    assert (await store.pause(ONE)).assignment == Assignment(
        to="ada", by="bo", at=NOW + 5, note="you know it"
    )

    answered, late = PauseAnswered(pause_id=ONE, answer=YES), said.evolve(to="bo")
    await store.append(adding(answered, late, after=3, epoch=None))
    (row,) = await store.pauses(PauseFilter(open_only=False))
    assert (row.assignee, row.state) == ("ada", PauseState.ANSWERED)


async def test_a_pause_may_expire(store: Store) -> None:
    """It is neither answered nor open then."""
    await store.create_run(new_run())
    await store.append(adding(paused()))

    await store.append(adding(PauseExpired(pause_id=ONE), after=2, at=NOW + 5, epoch=None))

    row = await store.pause(ONE)
    assert (row.state, row.closed_at, row.answer) == (PauseState.EXPIRED, NOW + 5, None)


async def test_the_end_of_a_run_closes_its_open_pauses(store: Store) -> None:
    """Answered ones stay answered, and those of other runs open."""
    for run_id in (RUN, "other"):
        await store.create_run(new_run(run_id))
    await store.append(adding(paused("of_other"), run_id="other"))
    await store.append(adding(paused(), paused("pause_two"), PauseAnswered(pause_id=ONE, answer=YES)))

    await store.append(adding(RunFinished(status=RunStatus.CANCELLED), after=4))

    assert await _states(store) == {
        ONE: PauseState.ANSWERED,
        "pause_two": PauseState.CLOSED,
        "of_other": PauseState.OPEN,
    }


async def test_planning_a_block_again_closes_its_pauses(store: Store) -> None:
    """Those that the writer names, no others: it knows what is run again, the store does not."""
    await store.create_run(new_run())
    await store.append(
        adding(paused("of_a", block="a"), paused("of_b", block="b"), paused("of_c", block="c"))
    )

    resumed = RunResumed(blocks=(BlockId("a"), BlockId("b")))
    await store.append(adding(resumed, after=4, at=NOW + 5, epoch=None, closed=["of_a", "of_c"]))

    assert await _states(store) == {
        "of_a": PauseState.CLOSED,
        "of_b": PauseState.OPEN,
        "of_c": PauseState.CLOSED,
    }
    row = await store.pause(PauseId("of_a"))
    assert (row.closed_at, row.answer) == (NOW + 5, None)


async def test_only_what_is_open_is_closed(store: Store) -> None:
    """An answer in the same append stays, and so does what is of another run."""
    for run_id in (RUN, "other"):
        await store.create_run(new_run(run_id))
    await store.append(adding(paused("of_other"), run_id="other"))
    await store.append(adding(paused(), paused("pause_two")))

    answered = PauseAnswered(pause_id=ONE, answer=YES)
    await store.append(adding(answered, after=3, closed=[ONE, "pause_two", "of_other", "nothing"]))

    assert await _states(store) == {
        ONE: PauseState.ANSWERED,
        "pause_two": PauseState.CLOSED,
        "of_other": PauseState.OPEN,
    }


async def test_deadlines_stand_still_while_a_run_is_held(store: Store) -> None:
    """Whoever holds the run takes them away, whoever releases it sets new ones; nothing is due meanwhile."""
    await store.create_run(new_run())
    await store.append(adding(paused(deadline=NOW + 30), paused("pause_two", deadline=NOW + 60)))

    await store.append(adding(RunHeld(by="ada"), after=3, epoch=None, deadlines={ONE: None}))
    held = await store.pauses(PauseFilter(due_by=NOW + 100))
    still = await store.pause(ONE)
    await store.append(adding(RunReleased(by="ada"), after=4, epoch=None, deadlines={ONE: NOW + 90}))

    assert [row.pause_id for row in held] == ["pause_two"]
    assert (still.deadline, still.state) == (None, PauseState.OPEN)
    assert [row.deadline for row in await store.pauses()] == [NOW + 60, NOW + 90]


async def test_a_closed_pause_keeps_its_deadline(store: Store) -> None:
    """It is history."""
    await store.create_run(new_run())
    await store.append(adding(paused(deadline=NOW + 30)))

    await store.append(adding(PauseExpired(pause_id=ONE), after=2, deadlines={ONE: NOW + 90}))

    assert (await store.pause(ONE)).deadline == NOW + 30


async def test_pauses_are_listed_by_urgency(store: Store) -> None:
    """Deadlines first, the earliest first; then the oldest."""
    await store.create_run(new_run())
    await store.append(adding(paused("old"), paused("later", deadline=NOW + 90)))
    await store.append(adding(paused("new"), paused("soon", deadline=NOW + 30), after=3, at=NOW + 2))

    assert [row.pause_id for row in await store.pauses()] == ["soon", "later", "old", "new"]
    assert [row.pause_id for row in await store.pauses(PauseFilter(limit=1))] == ["soon"]
    assert [row.pause_id for row in await store.pauses(PauseFilter(due_by=NOW + 30))] == ["soon"]


async def test_pauses_can_be_listed_by_run(store: Store) -> None:
    """Closed ones on request."""
    for run_id in ("run1", "run2"):
        await store.create_run(new_run(run_id))
        await store.append(adding(paused(f"{run_id}_a"), paused(f"{run_id}_b"), run_id=run_id))
    answer = PauseAnswered(pause_id=PauseId("run1_a"), answer=YES)
    await store.append(adding(answer, run_id="run1", after=3))

    mine = PauseFilter(run_id=RunId("run1"))
    assert [row.pause_id for row in await store.pauses(mine)] == ["run1_b"]
    everything = await store.pauses(mine.evolve(open_only=False))
    assert [row.pause_id for row in everything] == ["run1_a", "run1_b"]


async def test_pauses_can_be_listed_by_when_they_were_closed(store: Store) -> None:
    """However they were, the last one first, and as many as are wanted."""
    await store.create_run(new_run())
    await store.append(
        adding(paused("open"), paused("no_1"), paused("no_2"), paused("no_3", deadline=NOW + 1))
    )
    for after, name in enumerate(("no_2", "no_3", "no_1"), 5):
        answer = PauseAnswered(pause_id=PauseId(name), answer=YES)
        await store.append(adding(answer, after=after, at=NOW + after))

    closed = PauseFilter(open_only=False, closed_since=0.0)
    assert [row.pause_id for row in await store.pauses(closed)] == ["no_1", "no_3", "no_2"]
    assert [row.pause_id for row in await store.pauses(closed.evolve(limit=1))] == ["no_1"]
    recent = closed.evolve(closed_since=NOW + 6)
    assert [row.pause_id for row in await store.pauses(recent)] == ["no_1", "no_3"]


async def test_pauses_can_be_listed_by_who_asked(store: Store) -> None:
    """In all runs of a workflow: a block and every part of it, and no block whose name only begins the same."""
    other = DEFINITION.evolve(name="other")
    for run_id, definition in (("run1", DEFINITION), ("run2", DEFINITION), ("run3", other)):
        await store.create_run(new_run(run_id, definition=definition))
        blocks = ("ask", "ask[eu]", "ask#2", "asked", "ask-2")
        names = {f"{run_id}_{block}": block for block in blocks}
        events = [paused(name, block=block) for name, block in names.items()]
        await store.append(adding(*events, run_id=run_id))
        for after, name in enumerate(names, 6):
            answer = PauseAnswered(pause_id=PauseId(name), answer=YES)
            await store.append(adding(answer, run_id=run_id, after=after, at=NOW + after))
    await store.append(adding(paused("still_open", block="ask"), run_id="run2", after=11, at=NOW + 20))

    asked = PauseFilter(workflow=DEFINITION.name, block=BlockId("ask"), open_only=False, closed_since=0.0)
    rows = await store.pauses(asked)
    assert {row.pause_id for row in rows[:2]} == {"run1_ask#2", "run2_ask#2"}, (
        "the last one closed comes first"
    )
    assert {row.pause_id for row in rows} == {
        f"{run}_{block}" for run in ("run1", "run2") for block in ("ask", "ask[eu]", "ask#2")
    }
    assert len(await store.pauses(asked.evolve(limit=2))) == 2
    assert await store.pauses(asked.evolve(workflow="nobody's")) == ()
    [open_one] = await store.pauses(PauseFilter(workflow=DEFINITION.name, block=BlockId("ask")))
    assert open_one.pause_id == "still_open"


async def test_a_pause_that_is_not_there(store: Store) -> None:
    """The error says where to look."""
    with pytest.raises(PauseNotFound, match="no pause 'pause_one'"):
        await store.pause(ONE)


# -- checkpoints ------------------------------------------------------------------------------


async def test_a_mark_becomes_a_checkpoint(store: Store) -> None:
    """With the place it marks and the summary of the run there."""
    await store.create_run(new_run())
    summary = RunSummary(status=RunStatus.RUNNING, wave=2, total_waves=3)

    await store.append(adding(wave(), marked(), summary=summary))

    row = await store.checkpoint(CheckpointId("chk_one"))
    assert (row.run_id, row.workflow, row.seq, row.kind) == (RUN, "deploy", 3, CheckpointKind.WAVE)
    assert (row.created_at, row.label, row.block, row.summary) == (NOW + 1, "here", None, summary)
    assert (row.pause_open, row.pause_text) == (False, "")


async def test_two_marks_in_one_append_have_their_own_summaries(store: Store) -> None:
    """Each is of the run at its own place; what is not said is that of the whole append."""
    await store.create_run(new_run())
    then = RunSummary(status=RunStatus.RUNNING, wave=1)
    now = RunSummary(status=RunStatus.PAUSED, wave=2)

    append = adding(marked("chk_a"), marked("chk_b"), summary=now).evolve(marks={"chk_a": then})
    await store.append(append)

    assert [row.summary for row in await store.checkpoints()] == [now, then]


async def test_a_mark_keeps_what_its_author_noted(store: Store) -> None:
    """As it was written; a mark without notes has none."""
    noted: JsonObject = {"version": "1.2.3", "hosts": ["a", "ü"], "deep": {"n": 1.5, "none": None}}
    await store.create_run(new_run())

    explicit = marked("chk_noted", CheckpointKind.EXPLICIT, metadata=noted)
    await store.append(adding(marked("chk_plain"), explicit))

    assert [row.metadata for row in await store.checkpoints()] == [noted, {}]
    assert (await store.checkpoint(CheckpointId("chk_noted"))).metadata == noted


async def test_a_discarded_run_has_no_checkpoints(store: Store) -> None:
    """Its journal stays, the others keep theirs, and a run that merely ends keeps its own."""
    for run_id in ("discarded", "kept"):
        await store.create_run(new_run(run_id))
        await store.append(adding(marked(f"chk_{run_id}"), run_id=run_id))

    for run_id in ("discarded", "kept"):
        end = RunFinished(status=RunStatus.FAILED, discarded=run_id == "discarded")
        await store.append(adding(end, run_id=run_id, after=2))

    assert [row.checkpoint_id for row in await store.checkpoints()] == ["chk_kept"]
    assert len(await store.read(RunId("discarded"))) == 3


async def test_the_checkpoint_of_a_pause_says_whether_it_is_open(store: Store) -> None:
    """As it is now, not as it was when it was marked."""
    await store.create_run(new_run())
    await store.append(adding(paused(message="Deploy?"), marked(ONE, CheckpointKind.PAUSE)))
    before = await store.checkpoint(CheckpointId(ONE))

    await store.append(adding(PauseAnswered(pause_id=ONE, answer=YES), after=3))

    after = await store.checkpoint(CheckpointId(ONE))
    assert (before.pause_open, before.pause_text) == (True, "Deploy?")
    assert (after.pause_open, after.pause_text) == (False, "Deploy?")


async def test_checkpoints_are_listed_newest_first(store: Store) -> None:
    """In the order they were committed, and by run, workflow, kind and open pause."""
    backup = WorkflowDefinition(name="backup")
    await store.create_run(new_run("run1"))
    await store.create_run(new_run("run2", definition=backup))
    await store.append(adding(marked("chk_a"), paused(), marked(ONE, CheckpointKind.PAUSE), run_id="run1"))
    # The clock was set back; what was marked later is newer all the same.
    failure = marked("chk_b", CheckpointKind.FAILURE)
    await store.append(adding(failure, run_id="run2", at=NOW - 999))

    async def listed(query: CheckpointFilter) -> list[str]:
        return [row.checkpoint_id for row in await store.checkpoints(query)]

    assert await listed(CheckpointFilter()) == ["chk_b", ONE, "chk_a"]
    assert await listed(CheckpointFilter(limit=1)) == ["chk_b"]
    assert await listed(CheckpointFilter(run_id=RunId("run1"))) == [ONE, "chk_a"]
    assert await listed(CheckpointFilter(workflow="backup")) == ["chk_b"]
    kinds = (CheckpointKind.WAVE, CheckpointKind.FAILURE)
    assert await listed(CheckpointFilter(kinds=kinds)) == ["chk_b", "chk_a"]
    assert await listed(CheckpointFilter(open_pauses_only=True)) == [ONE]


async def test_checkpoints_are_found_by_block_time_and_what_the_run_was_then(store: Store) -> None:
    """A block's own and those of its items and iterations; everything that is asked for must hold."""
    await store.create_run(new_run())
    places = ("gate", "gate[a]", "gate#2", "gate_b", "gat", None)
    for number, place in enumerate(places):
        status = RunStatus.PAUSED if number % 2 else RunStatus.RUNNING
        mark = marked(f"chk_{number}").evolve(block=place)
        append = adding(mark, after=number + 1, at=NOW + number, summary=RunSummary(status=status))
        await store.append(append)

    async def listed(**query: object) -> list[str]:
        wanted = CheckpointFilter().evolve(**query)
        return [row.checkpoint_id.removeprefix("chk_") for row in await store.checkpoints(wanted)]

    assert await listed(block="gate") == ["2", "1", "0"]
    assert await listed(block="gate[a]") == ["1"]
    assert await listed(block="nothing") == []
    assert await listed(statuses=(RunStatus.PAUSED,)) == ["5", "3", "1"]
    assert await listed(statuses=(RunStatus.PAUSED, RunStatus.RUNNING), limit=2) == ["5", "4"]
    assert await listed(statuses=(RunStatus.FAILED,)) == []
    assert await listed(since=NOW + 1, before=NOW + 4) == ["3", "2", "1"]
    assert await listed(before=NOW) == []
    assert await listed(since=NOW + 1, block="gate", statuses=(RunStatus.RUNNING,)) == ["2"]


async def test_a_checkpoint_that_is_not_there(store: Store) -> None:
    """The error names it."""
    with pytest.raises(CheckpointNotFound, match="no checkpoint 'chk_one'"):
        await store.checkpoint(CheckpointId("chk_one"))


async def test_a_deleted_mark_leaves_history_as_it_is(store: Store) -> None:
    """The others stay, so does the journal, and whoever follows the store hears of it."""
    await store.create_run(new_run())
    await store.append(adding(marked("chk_a"), marked("chk_b")))
    journal = await store.read(RUN)
    before = await store.newest_cursor()

    await store.delete_mark(CheckpointId("chk_a"))

    assert [row.checkpoint_id for row in await store.checkpoints()] == ["chk_b"]
    assert await store.matching("chk_") == ("chk_b",)
    assert await store.read(RUN) == journal
    assert [row.run_id for row in (await store.changes(before)).runs] == [RUN]
    with pytest.raises(CheckpointNotFound, match="no checkpoint 'chk_a'"):
        await store.delete_mark(CheckpointId("chk_a"))


async def test_the_mark_of_an_open_pause_stays(store: Store) -> None:
    """It is what a person is asked about; once that is over, it can go, and the pause stays known."""
    await store.create_run(new_run())
    await store.append(adding(paused(), marked(ONE, CheckpointKind.PAUSE)))

    with pytest.raises(CheckpointInUse, match=f"answer it, or cancel run {RUN}, first"):
        await store.delete_mark(CheckpointId(ONE))
    await store.append(adding(PauseAnswered(pause_id=ONE, answer=YES), after=3))
    await store.delete_mark(CheckpointId(ONE))

    assert await store.checkpoints() == ()
    assert (await store.pause(ONE)).answer == YES


# -- runs and ids -----------------------------------------------------------------------------


async def test_runs_are_listed_newest_first(store: Store) -> None:
    """By workflow, status, id and age; a page starts where the one before ended."""
    backup = WorkflowDefinition(name="backup")
    await store.create_run(new_run("run1", at=NOW))
    await store.create_run(new_run("run2", at=NOW + 1, definition=backup))
    await store.create_run(new_run("run3", at=NOW + 2))
    await store.append(adding(wave(), run_id="run1", summary=RunSummary(status=RunStatus.PAUSED)))

    async def listed(query: RunFilter) -> list[str]:
        return [row.run_id for row in await store.runs(query)]

    assert await listed(RunFilter()) == ["run3", "run2", "run1"]
    assert await listed(RunFilter(limit=2)) == ["run3", "run2"]
    assert await listed(RunFilter(before=NOW + 1)) == ["run1"]
    assert await listed(RunFilter(workflow="deploy")) == ["run3", "run1"]
    assert await listed(RunFilter(statuses=(RunStatus.PAUSED, RunStatus.FAILED))) == ["run1"]
    ids = (RunId("run2"), RunId("run1"), RunId("nothing"))
    assert await listed(RunFilter(ids=ids)) == ["run2", "run1"]
    assert await listed(RunFilter(ids=ids, workflow="backup")) == ["run2"]
    assert await listed(RunFilter(last_changed_first=True)) == ["run1", "run3", "run2"]
    assert await listed(RunFilter(last_changed_first=True, limit=1, workflow="backup")) == ["run2"]


async def test_what_was_left_behind_is_found_among_all_that_wait(store: Store) -> None:
    """Whoever looks for it does so for ever: runs that nobody held last, and that wait for people, are no part of it."""
    status_of = {
        "queued": RunStatus.QUEUED,
        "running": RunStatus.RUNNING,
        "paused": RunStatus.PAUSED,
        "held": RunStatus.PAUSED,
        "stopped": RunStatus.INTERRUPTED,
    }
    for name, status in status_of.items():
        await store.create_run(new_run(name))
        await store.append(adding(wave(), run_id=name, summary=RunSummary(status=status)))
        if name != "held":
            await store.release(RunId(name), epoch=Epoch(1), head=Seq(2))

    left = await store.runs(RunFilter(statuses=tuple(status_of.values()), left_only=True))

    assert {row.run_id for row in left} == {"queued", "running", "held"}


async def test_a_page_of_runs_starts_where_the_one_before_ended(store: Store) -> None:
    """Also within one instant, in which many are created at once: none is lost, none comes twice."""
    ids = [f"run{number}" for number in range(10)]
    for number, run_id in enumerate(ids):
        await store.create_run(new_run(run_id, at=NOW + number // 4))

    listed: list[str] = []
    query = RunFilter(limit=3)
    while page := await store.runs(query):
        listed += [row.run_id for row in page]
        query = query.evolve(older_than=page[-1].run_id)

    assert listed == ids[::-1]
    assert await store.runs(RunFilter(older_than=RunId("nothing"))) == ()


async def test_a_page_of_questions_starts_where_the_one_before_ended(store: Store) -> None:
    """With and without deadlines, which order them, and within one instant."""
    await store.create_run(new_run())
    for number in range(9):
        deadline = NOW + 100 - number // 2 if number % 3 else None
        await store.append(adding(paused(f"pause_{number}", deadline=deadline), after=1 + number, at=NOW + 1))
    whole = [row.pause_id for row in await store.pauses()]

    listed: list[str] = []
    query = PauseFilter(limit=2)
    while page := await store.pauses(query):
        listed += [row.pause_id for row in page]
        query = query.evolve(behind=page[-1].pause_id)

    assert listed == whole
    assert len(set(listed)) == 9
    assert await store.pauses(PauseFilter(behind=PauseId("nothing"))) == ()


async def test_a_page_of_checkpoints_starts_where_the_one_before_ended(store: Store) -> None:
    """Of all runs, in the order in which they were marked, whatever the clock said."""
    for run_id in ("one", "two"):
        await store.create_run(new_run(run_id))
    for number in range(4):
        for run_id in ("one", "two"):
            mark = marked(f"chk_{run_id}_{number}")
            await store.append(adding(mark, run_id=run_id, after=1 + number, at=NOW - number))
    whole = [row.checkpoint_id for row in await store.checkpoints()]

    listed: list[str] = []
    query = CheckpointFilter(limit=3)
    while page := await store.checkpoints(query):
        listed += [row.checkpoint_id for row in page]
        query = query.evolve(older_than=page[-1].checkpoint_id)

    assert listed == whole
    assert whole[:2] == ["chk_two_3", "chk_one_3"]
    assert await store.checkpoints(CheckpointFilter(older_than=CheckpointId("nothing"))) == ()


async def test_a_run_that_is_not_there(store: Store) -> None:
    """The error says where to look; an id that cannot be text is simply not there."""
    for name in ("nothing", "\udcff", ""):
        with pytest.raises(RunNotFound, match="tidegate runs list"):
            await store.run(RunId(name))


async def test_ids_can_be_found_by_their_beginning(store: Store) -> None:
    """Runs, pauses and checkpoints; an exact id first; nothing in a prefix is a wild card."""
    for run_id in ("abc", "abcd", "abx", "a_c", "a%c"):
        await store.create_run(new_run(run_id))
    await store.append(
        adding(paused("abp"), marked("abp", CheckpointKind.PAUSE), marked("abz"), run_id="abx")
    )

    assert await store.matching("abc") == ("abc", "abcd")
    assert await store.matching("ab", limit=3) == ("abc", "abcd", "abp")
    assert await store.matching("ab") == ("abc", "abcd", "abp", "abx", "abz")
    assert await store.matching("a_") == ("a_c",)
    assert await store.matching("a%") == ("a%c",)
    assert await store.matching("ABC") == ()
    assert await store.matching("\udcff") == ()


# -- changes ----------------------------------------------------------------------------------


async def test_changes_are_what_happened_since(store: Store) -> None:
    """Each run once, as it is now, in the order of the last changes."""
    for run_id in ("run1", "run2", "run3"):
        await store.create_run(new_run(run_id))
    first = await store.changes(Cursor(0))
    await store.append(adding(wave(), run_id="run3"))
    await store.append(adding(wave(), run_id="run1"))
    await store.append(adding(wave(), run_id="run3", after=2))

    later = await store.changes(first.cursor)

    assert [row.run_id for row in first.runs] == ["run1", "run2", "run3"]
    assert [(row.run_id, row.head) for row in later.runs] == [("run1", 2), ("run3", 3)]
    assert await store.changes(later.cursor) == later.evolve(runs=())


async def test_leases_are_changes_too(store: Store) -> None:
    """Claiming and releasing show; renewing, which happens all the time, does not."""
    await store.create_run(new_run())
    cursor = (await store.changes(Cursor(0))).cursor

    await store.renew({RUN: Epoch(1)}, until=NOW + 60)
    renewed = await store.changes(cursor)
    await store.release(RUN, epoch=Epoch(1), head=Seq(1))
    released = await store.changes(cursor)
    await store.claim(RUN, owner="you", now=NOW, until=NOW + 30)
    claimed = await store.changes(released.cursor)

    assert renewed.runs == ()
    assert [row.owner for row in released.runs] == [""]
    assert [row.owner for row in claimed.runs] == ["you"]


async def test_an_old_cursor_does_not_wait(store: Store) -> None:
    """What happened before the call is not missed."""
    await store.create_run(new_run())

    async with asyncio.timeout(PATIENCE):
        await store.wait_for_change(Cursor(0))


async def test_a_change_wakes_everybody_who_waits(store: Store) -> None:
    """Whoever waits from the newest change on hears of the next."""
    await store.create_run(new_run())
    cursor = (await store.changes(Cursor(0))).cursor
    waiting = [asyncio.create_task(store.wait_for_change(cursor)) for _ in range(3)]

    await store.append(adding(wave()))

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*waiting)
    assert [row.head for row in (await store.changes(cursor)).runs] == [2]


async def test_no_change_is_missed(store: Store) -> None:
    """A reader that waits and reads sees every head at last, however fast the writer is."""
    await store.create_run(new_run())
    seen = 1

    async def follow() -> None:
        nonlocal seen
        cursor = Cursor(0)
        while seen < 200:
            await store.wait_for_change(cursor)
            changes = await store.changes(cursor)
            cursor = changes.cursor
            seen = max([seen, *(row.head for row in changes.runs)])

    follower = asyncio.create_task(follow())
    for after in range(1, 200):
        await store.append(adding(wave(), after=after))

    async with asyncio.timeout(PATIENCE):
        await follower
    assert seen == 200


async def test_closing_wakes_who_waits(store: Store) -> None:
    """Nobody hangs on a store that is gone."""
    await store.create_run(new_run())
    cursor = (await store.changes(Cursor(0))).cursor
    waiting = asyncio.create_task(store.wait_for_change(cursor))
    await store.changes(cursor)

    await store.close()

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(waiting, return_exceptions=True)


async def test_the_text_of_a_definition_is_kept_as_soon_as_somebody_gives_it(store: Store) -> None:
    """A run that a block starts brings none; of several that mean the same the first stays."""
    for number, source in enumerate(("", "first", "", "second")):
        run = new_run(f"{number}bcdf2345ghj").evolve(source=source)
        await store.create_run(run)
        said = await store.definition_source(run.definition_hash)
        assert said == ("" if not number else "first")
