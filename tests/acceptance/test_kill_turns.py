"""What an operator has asked for holds, whoever is killed right after it (E4, R17, R24)."""

import sys
from functools import partial
from pathlib import Path

import pytest

from aftermath import check_books, lines, to_the_end, tree
from lives import LIVES, Fate, begin, carry_on, give, hold_on, life, living, told, turn, url_of
from running import until, world
from tidegate.clock import SystemClock
from tidegate.engine.leftovers import leftovers
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseRow, RunRow
from tidegate.model.state import BlockStatus

FATES = [LIVES, Fate(1), Fate(2)]

TIMEOUT = 2.0
DRAIN = """
name: turned
blocks:
  - id: work
    type: Shell
    effect: idempotent
    inputs: {command: 'echo begun-$TIDEGATE_ATTEMPT >> log; while [ ! -e go ]; do sleep 0.05; done; echo done >> log'}
  - {id: ask, type: GetInput, timeout: 2s, inputs: {prompt: "Name?"}}
  - {id: after, type: Shell, depends_on: [work, ask], inputs: {command: "echo after >> log"}}
"""
FLAKY = """
name: turned
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Ship?"}}
  - {id: flaky, type: Shell, effect: idempotent, inputs: {command: "echo flaky >> log; test -e ready"}}
  - {id: after_flaky, type: Shell, depends_on: [flaky], inputs: {command: "echo after_flaky >> log"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo ship >> log"}}
"""
EXPIRED = """
name: turned
blocks:
  - id: gate
    type: AskChoice
    timeout: 300ms
    inputs: {question: "Go?", choices: [go, stay]}
  - {id: deploy, type: Shell, depends_on: [gate], condition: "${gate.choice} == 'go'", inputs: {command: "echo deploy >> log"}}
  - {id: tell, type: Shell, depends_on: [deploy], inputs: {command: "echo tell >> log"}}
"""
LINE = """
name: turned
blocks:
  - {id: a, type: Shell, inputs: {command: "echo a >> log"}}
  - {id: b, type: Shell, depends_on: [a], effect: idempotent, inputs: {command: "echo b $TIDEGATE_IDEMPOTENCY_KEY >> log; test ! -e broken"}}
  - id: c
    type: Shell
    depends_on: [{block: b, when: [succeeded, skipped]}]
    effect: idempotent
    inputs: {command: "echo c $TIDEGATE_IDEMPOTENCY_KEY >> log"}
"""


async def the_run(folder: Path) -> RunRow:
    """Return the one run."""
    async with world(folder, url_of(folder)) as ground:
        [row] = await tree(ground)
        return row


async def statuses_of(folder: Path, run_id: RunId) -> dict[str, BlockStatus]:
    """Return where each block stands, once the books are found right."""
    async with world(folder, url_of(folder)) as ground:
        await check_books(ground)
        state = await ground.history.state(run_id)
        return {block: state.block(BlockId(block)).status for block in state.graph.blocks}


def never(_: object) -> str:
    """Answer nothing: nobody should be asked."""
    raise AssertionError("nobody should be asked")


async def killed_while_paused(folder: Path) -> PauseRow:
    """Leave a run that was paused while `work` ran, and whose process was killed then; return what it asks."""
    (folder / "turned.yaml").write_text(DRAIN)
    with living(folder, partial(hold_on, file="turned.yaml")) as process:

        async def has_begun() -> bool:
            return lines(folder / "log") == ["begun-1"] and (await the_run(folder)).summary.pauses == 1

        await until(has_begun)
        async with world(folder, url_of(folder)) as ground:
            [asked] = await ground.history.inbox()
            await ground.executor.pause(asked.run_id, by="ana")
        process.kill()
        process.join()
    return asked


@pytest.mark.parametrize("fate", FATES)
async def test_a_paused_run_stays_paused_when_its_process_dies_while_it_drains(
    tmp_path: Path, fate: Fate
) -> None:
    """Whoever adopts it starts nothing, its deadline stands still, and unpaused from elsewhere it goes on."""
    asked = await killed_while_paused(tmp_path)
    assert life(tmp_path, carry_on)
    row = await the_run(tmp_path)
    assert (row.summary.status, row.summary.held, row.owner) == (RunStatus.PAUSED, True, "")
    assert lines(tmp_path / "log") == ["begun-1"]

    async with world(tmp_path, url_of(tmp_path), adopts=True) as ground:

        async def is_past() -> bool:
            return SystemClock().now() > (asked.deadline or 0)

        await until(is_past)
        [pause] = await ground.history.inbox()
        assert pause.deadline is None
    (tmp_path / "go").touch()
    released_at = SystemClock().now()
    life(tmp_path, partial(turn, what="unpause", run_id=row.run_id), fate=fate)
    async with world(tmp_path, url_of(tmp_path)) as ground:
        [pause] = await ground.history.inbox()
    assert pause.deadline is not None
    assert released_at < pause.deadline < released_at + TIMEOUT + 1.0
    assert life(tmp_path, partial(give, pause_id=pause.pause_id, raw="x"))
    await to_the_end(tmp_path, never)

    assert set((await statuses_of(tmp_path, row.run_id)).values()) == {BlockStatus.SUCCEEDED}
    assert lines(tmp_path / "log").count("after") == 1


@pytest.mark.parametrize("fate", FATES)
async def test_a_failed_block_is_retried_while_a_question_stays_open(tmp_path: Path, fate: Fate) -> None:
    """E4, R17: from another process, which is killed; the question is the same one, and is answered later."""
    (tmp_path / "turned.yaml").write_text(FLAKY)
    assert life(tmp_path, partial(begin, file="turned.yaml"))
    row = await the_run(tmp_path)
    assert (row.summary.status, row.summary.failed) == (RunStatus.PAUSED, 1)
    async with world(tmp_path, url_of(tmp_path)) as ground:
        [asked] = await ground.history.inbox()
    (tmp_path / "ready").touch()

    life(tmp_path, partial(turn, what="retry", run_id=row.run_id, block="flaky"), fate=fate)
    assert life(tmp_path, carry_on)

    async with world(tmp_path, url_of(tmp_path)) as ground:
        assert await ground.history.inbox() == (asked,)
    row = await the_run(tmp_path)
    assert (row.summary.status, row.summary.failed) == (RunStatus.PAUSED, 0)
    assert life(tmp_path, partial(give, pause_id=asked.pause_id, raw="yes"))
    assert set((await statuses_of(tmp_path, row.run_id)).values()) == {BlockStatus.SUCCEEDED}
    assert sorted(set(lines(tmp_path / "log"))) == ["after_flaky", "flaky", "ship"]
    assert lines(tmp_path / "log").count("after_flaky") == 1


@pytest.mark.parametrize("fate", FATES)
async def test_a_question_that_expired_is_asked_again_and_its_followers_run(
    tmp_path: Path, fate: Fate
) -> None:
    """R24: the followers that were skipped are planned again, conditions included."""
    (tmp_path / "turned.yaml").write_text(EXPIRED)
    async with world(tmp_path, url_of(tmp_path), adopts=True) as ground:
        assert life(tmp_path, partial(begin, file="turned.yaml"))

        async def has_failed() -> bool:
            return (await the_run(tmp_path)).summary.status is RunStatus.FAILED

        await until(has_failed)
    run_id = (await the_run(tmp_path)).run_id
    assert (await statuses_of(tmp_path, run_id))["deploy"] is BlockStatus.SKIPPED

    life(tmp_path, partial(turn, what="retry", run_id=run_id, block="gate"), fate=fate)
    async with world(tmp_path, url_of(tmp_path)) as ground:
        await ground.executor.adopt()
        await ground.rest(run_id)
        await ground.executor.pause(run_id, by="ana")  # So that it does not expire on a slow machine.
        await ground.answer(run_id, "gate", "go")
        await ground.executor.unpause(run_id, by="ana")
        await ground.rest(run_id)

    assert set((await statuses_of(tmp_path, run_id)).values()) == {BlockStatus.SUCCEEDED}
    assert lines(tmp_path / "log") == ["deploy", "tell"]


@pytest.mark.parametrize("fate", FATES)
async def test_a_failed_block_is_skipped_and_what_hangs_on_it_is_decided_again(
    tmp_path: Path, fate: Fate
) -> None:
    """The decision is durable before its process dies; the run succeeds without the block."""
    (tmp_path / "turned.yaml").write_text(LINE)
    (tmp_path / "broken").touch()
    assert life(tmp_path, partial(begin, file="turned.yaml"))
    row = await the_run(tmp_path)
    assert row.summary.status is RunStatus.FAILED

    errand = partial(turn, what="skip", run_id=row.run_id, block="b", reason="not today")
    life(tmp_path, errand, fate=fate)
    await to_the_end(tmp_path, never)

    assert (await the_run(tmp_path)).summary.status is RunStatus.SUCCEEDED
    statuses = await statuses_of(tmp_path, row.run_id)
    assert statuses == {"a": "succeeded", "b": "skipped", "c": "succeeded"}
    names = [line.split()[0] for line in lines(tmp_path / "log")]
    assert sorted(set(names)) == ["a", "b", "c"]
    assert names.count("a") == names.count("b") == 1


@pytest.mark.parametrize("fate", [*FATES, Fate(4, after=False)])
async def test_a_rerun_is_made_once_though_its_process_dies(tmp_path: Path, fate: Fate) -> None:
    """The block and all after it run anew, under new keys; what stands before it does not."""
    (tmp_path / "turned.yaml").write_text(LINE)
    assert life(tmp_path, partial(begin, file="turned.yaml"))
    row = await the_run(tmp_path)
    assert row.summary.status is RunStatus.SUCCEEDED

    life(tmp_path, partial(turn, what="rerun", run_id=row.run_id, block="b"), fate=fate)
    await to_the_end(tmp_path, never)

    assert (await the_run(tmp_path)).summary.status is RunStatus.SUCCEEDED
    await statuses_of(tmp_path, row.run_id)
    assert lines(tmp_path / "log").count("a") == 1
    keys = {tuple(line.split()) for line in lines(tmp_path / "log") if line != "a"}
    assert sorted(name for name, _ in keys) == ["b", "b", "c", "c"]


# -- in a tree --------------------------------------------------------------------------------

TREE = """
name: turned
blocks:
  - {id: call, type: ExecuteWorkflow, inputs: {workflow: below}}
  - {id: slow, type: Shell, inputs: {command: "while [ ! -e go ]; do sleep 0.05; done"}}
  - {id: last, type: Shell, depends_on: [call, slow], inputs: {command: "echo last >> log"}}
"""
BELOW = """
name: below
blocks:
  - {id: work, type: Shell, effect: idempotent, inputs: {command: COMMAND}}
  - {id: after, type: Shell, depends_on: [work], inputs: {command: "echo after >> log"}}
"""


def lay_out(folder: Path, command: str) -> None:
    """Write the two workflows; the one below runs *command*."""
    (folder / "turned.yaml").write_text(TREE)
    (folder / "below.yaml").write_text(BELOW.replace("COMMAND", f"'{command}'"))


async def rows_of(folder: Path) -> dict[str, RunRow]:
    """Return the runs by their paths."""
    async with world(folder, url_of(folder)) as ground:
        return {row.path: row for row in await tree(ground)}


@pytest.mark.parametrize("what", ["resume", "retry"])
async def test_a_failed_child_goes_on_while_its_parent_runs_in_another_process(
    tmp_path: Path, what: str
) -> None:
    """The turn is taken here, and the parent's driver there sees to the rest."""
    lay_out(tmp_path, "echo work >> log; test -e ready")
    with living(tmp_path, partial(hold_on, file="turned.yaml")) as process:

        async def has_failed() -> bool:
            rows = await rows_of(tmp_path)
            return (
                "call" in rows
                and rows["call"].summary.status is RunStatus.FAILED
                and rows[""].summary.failed == 1
            )

        await until(has_failed)
        (tmp_path / "ready").touch()
        child = (await rows_of(tmp_path))["call"]
        async with world(tmp_path, url_of(tmp_path)) as ground:
            await getattr(ground.executor, what)(child.run_id, by="ben")

            async def has_succeeded() -> bool:
                return (await rows_of(tmp_path))["call"].summary.status is RunStatus.SUCCEEDED

            await until(has_succeeded)
            assert (await rows_of(tmp_path))[""].owner.split(":")[1] == str(process.pid)
        (tmp_path / "go").touch()
        told(tmp_path, process)

    assert (await rows_of(tmp_path))[""].summary.status is RunStatus.SUCCEEDED
    assert lines(tmp_path / "log") == ["work", "work", "after", "last"]


async def test_a_paused_tree_stays_paused_though_only_its_top_had_heard_of_it(tmp_path: Path) -> None:
    """Killed between pausing a run and those below it: whoever adopts them starts nothing below either."""
    lay_out(tmp_path, "echo work >> log; while [ ! -e on ]; do sleep 0.05; done")
    with living(tmp_path, partial(hold_on, file="turned.yaml")) as process:

        async def has_begun() -> bool:
            return lines(tmp_path / "log") == ["work"]

        await until(has_begun)
        top = (await rows_of(tmp_path))[""]
        assert not life(tmp_path, partial(turn, what="pause", run_id=top.run_id), fate=Fate(1))
        process.kill()
        process.join()
    (tmp_path / "on").touch()
    (tmp_path / "go").touch()

    assert life(tmp_path, carry_on)
    assert all(row.summary.held and not row.owner for row in (await rows_of(tmp_path)).values())
    assert lines(tmp_path / "log") == ["work"]
    assert life(tmp_path, partial(turn, what="unpause", run_id=top.run_id))
    await to_the_end(tmp_path, lambda _: "rerun")

    assert {row.summary.status for row in (await rows_of(tmp_path)).values()} == {RunStatus.SUCCEEDED}
    assert lines(tmp_path / "log") == ["work", "work", "after", "last"]


@pytest.mark.skipif(sys.platform != "linux", reason="only there can a process's environment be read")
async def test_a_cancel_reaches_what_runs_below_though_canceller_and_owner_die(tmp_path: Path) -> None:
    """Nothing of the tree is at work any more once somebody has adopted it, and nothing that follows was started."""
    lay_out(tmp_path, "echo $$ >> pids; sleep 300")
    with living(tmp_path, partial(hold_on, file="turned.yaml")) as process:

        async def has_begun() -> bool:
            return len(lines(tmp_path / "pids")) == 1

        await until(has_begun)
        rows = await rows_of(tmp_path)
        process.kill()
        process.join()
    assert not life(tmp_path, partial(turn, what="cancel", run_id=rows[""].run_id), fate=Fate(1))

    assert life(tmp_path, carry_on)

    assert {row.summary.status for row in (await rows_of(tmp_path)).values()} == {RunStatus.CANCELLED}
    assert await leftovers(rows["call"].run_id, BlockId("work"), 1) == ()
    assert await leftovers(rows[""].run_id, BlockId("slow"), 1) == ()
    assert len(lines(tmp_path / "pids")) == 1
    assert lines(tmp_path / "log") == []
