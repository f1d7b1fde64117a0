"""How long blocks usually take."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import World, world
from tidegate.history.usual import Worked
from tidegate.model.events import (
    AttemptFailed,
    AttemptStarted,
    AttemptSucceeded,
    BlockPaused,
    ChildMoved,
    ChildPaused,
    Failure,
    JournalEvent,
    Record,
)
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import ConfirmPrompt

A, B = BlockId("a"), BlockId("b")
ASKS = BlockPaused(block=B, attempt=1, pause_id=PauseId("p"), prompt=ConfirmPrompt(message="Go?"))
LOST = AttemptFailed(block=A, attempt=1, failure=Failure(kind=FailureKind.ERROR, message="x"), retry_at=13.0)
ASLEEP, AWAKE = ChildPaused(block=A, pauses=1), ChildMoved(block=A)


def started(block: BlockId, attempt: int = 1) -> AttemptStarted:
    """Return that an attempt began."""
    return AttemptStarted(block=block, attempt=attempt, key="k")


def succeeded(block: BlockId, attempt: int = 1) -> AttemptSucceeded:
    """Return that it went well."""
    return AttemptSucceeded(block=block, attempt=attempt)


def at(*events: tuple[float, JournalEvent]) -> list[Record]:
    """Return a journal of events with their times."""
    return [
        Record(run_id=RunId("r"), seq=Seq(seq), at=when, event=event)
        for seq, (when, event) in enumerate(events, start=1)
    ]


@pytest.mark.parametrize(
    ("journal", "expected"),
    [
        (at((10, started(A)), (12.5, succeeded(A))), {A: 2.5}),
        # Both attempts count, and the time between them does not.
        (at((10, started(A)), (12, LOST), (14, started(A, 2)), (15, succeeded(A, 2))), {A: 3.0}),
        # Waiting for a person is no work.
        (at((10, started(B)), (11, ASKS), (500, succeeded(B))), {B: 1.0}),
        # Nor is it where a run below waits for one.
        (
            at((10, started(A)), (12, ASLEEP), (70, AWAKE), (71, succeeded(A))),
            {A: 3.0},
        ),
        # What has not succeeded, and an item by itself, tell nothing.
        (
            at(
                (10, started(A)), (12, LOST), (13, started(BlockId("a[x]"))), (14, succeeded(BlockId("a[x]")))
            ),
            {},
        ),
        # A clock that was set back.
        (at((10, started(A)), (3, succeeded(A))), {A: 0.0}),
    ],
)
def test_work_is_counted_and_waiting_is_not(journal: list[Record], expected: dict[BlockId, float]) -> None:
    """From the events alone."""
    worked = Worked()
    worked.take(journal)
    assert worked.seconds == expected


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    """A world of its own."""
    async with world(tmp_path, f"sqlite://{tmp_path}/store.db") as ground:
        yield ground


WORKFLOW = """
    name: timed
    inputs:
      nap: {type: str}
    blocks:
      - {id: a, type: Shell, inputs: {command: "sleep ${nap}"}}
      - {id: b, type: Shell, depends_on: [a], inputs: {command: "test ${nap} != 1"}}
"""


async def test_the_usual_time_is_that_of_the_runs_that_went_well(here: World) -> None:
    """The median over them; a run that is new counts at once."""
    assert dict(await here.history.usual("timed")) == {}
    for nap in ("0.05", "0.3", "1"):
        await here.run(WORKFLOW, nap=nap)
    usual = await here.history.usual("timed")

    assert set(usual) == {A, B}
    assert usual[A].runs == usual[B].runs == 2, "the third has failed"
    assert 0.1 < usual[A].seconds < 1.0

    await here.run(WORKFLOW, nap="0.05")
    assert (await here.history.usual("timed"))[A].runs == 3
