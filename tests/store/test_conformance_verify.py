"""Whether it is sound can be asked of every kind of store."""

from pathlib import Path

import pytest

from running import definition_of
from store.builders import RUN, adding, hashed, new_run, wave
from tidegate.blocks.registry import BUILTIN
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.errors import RunNotFound
from tidegate.history.history import History
from tidegate.model.answer import Reply
from tidegate.model.events import AttemptSucceeded, RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseFilter
from tidegate.model.value import Stored
from tidegate.store.protocol import Store

WORKFLOW = """
    name: deploy
    blocks:
      - {id: build, type: Shell, inputs: {command: "seq 1 9000; echo oops >&2"}}
      - {id: each, type: Shell, depends_on: [build], for_each: [red, green], inputs: {command: 'echo "${item}"'}}
      - {id: gate, type: ConfirmOperation, depends_on: [each], inputs: {message: "Go?", operation: deploy}}
      - {id: fails, type: Shell, depends_on: [gate], inputs: {command: "exit 3"}}
"""


async def test_what_a_run_writes_is_sound_at_every_rest(store: Store, tmp_path: Path) -> None:
    """Values, output, items, a question with its checkpoint, a failure: all of it agrees with the journal."""
    executor, history = Executor(store, SystemClock(), BUILTIN), History(store, SystemClock())
    await executor.open()
    run_id = await executor.start(definition_of(WORKFLOW, working_dir=tmp_path), {}, by="ana")
    await executor.settle(run_id)
    asked = await history.verify_run(run_id)
    (pause,) = await store.pauses(PauseFilter())
    await executor.answer(pause.pause_id, Reply(raw="yes", by="ana", via="test"))
    await executor.settle(run_id)
    await executor.close()

    (ended,) = [verdict async for verdict in history.verify()]
    assert (asked.findings, ended.findings) == ((), ())
    assert (ended.head, ended.good) == ((await store.run(run_id)).head,) * 2
    assert (await store.run(run_id)).summary.status is RunStatus.FAILED
    assert await history.faults() == ()
    assert history.damage == ""


async def test_a_value_that_was_never_given_is_found(store: Store) -> None:
    """The event names it, and it is not there."""
    name, data = hashed("x" * 100)
    await store.create_run(new_run())
    ended = AttemptSucceeded(
        block=BlockId("gate"), attempt=1, outputs={"text": Stored(sha256=name, size=len(data))}
    )
    await store.append(adding(wave(), ended))

    verdict = await History(store, SystemClock()).verify_run(RUN)

    assert any(f"the value {name} is missing" in finding for finding in verdict.findings)


async def test_a_run_that_is_not_there_is_told(store: Store) -> None:
    """It is no damage."""
    with pytest.raises(RunNotFound):
        await History(store, SystemClock()).verify_run(RunId("nothing"))


async def test_runs_are_verified_page_by_page_while_others_write(store: Store) -> None:
    """Each once, also those of one instant; what moves on meanwhile is no damage."""
    for number in range(520):
        await store.create_run(new_run(f"run{number}"))

    seen = [verdict.run_id async for verdict in History(store, SystemClock()).verify()]

    assert sorted(seen) == sorted(f"run{number}" for number in range(520))
