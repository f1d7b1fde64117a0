"""Runs that run other runs, cut off wherever it hurts: adopted, finished, nothing started twice.

At full size every instant is tried, and all rounds; otherwise a part of them.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from aftermath import answer_open, check_books, lines, result_of, to_the_end, tree
from lives import Fate, begin, carry_on, give, hold_on, life, living, play, told, turn, url_of
from running import World, until, world
from sizes import FULL, some_of
from tidegate.model.answer import Reply
from tidegate.model.events import AttemptFailed, ChildStarted, RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.listing import PauseRow, RunRow
from tidegate.model.prompt import RecoveryPrompt

PARENT = """
name: parent
inputs: {ENV: {type: string}}
blocks:
  - {id: first, type: Shell, inputs: {command: "echo first >> log"}}
  - {id: staging, type: ExecuteWorkflow, depends_on: [first], inputs: {workflow: child, inputs: {ENV: staging}}}
  - {id: testing, type: ExecuteWorkflow, depends_on: [first], inputs: {workflow: child, inputs: {ENV: testing}}}
  - {id: last, type: Shell, depends_on: [staging, testing], inputs: {command: "echo last >> log"}}
outputs: {staging: "${staging.said}", testing: "${testing.said}"}
"""
CHILD = """
name: child
inputs: {ENV: {type: string, default: dev}}
blocks:
  - {id: before, type: Shell, inputs: {command: "echo before-${ENV} >> log"}}
  - {id: deep, type: ExecuteWorkflow, depends_on: [before], inputs: {workflow: grandchild, inputs: {NAME: "${ENV}"}}}
  - {id: after, type: Shell, depends_on: [deep], inputs: {command: "echo after-${ENV} >> log"}}
outputs: {said: "${deep.said}"}
"""
GRANDCHILD = """
name: grandchild
inputs: {ENV: {type: string, default: dev}, NAME: {type: string}}
blocks:
  - {id: ask, type: GetInput, inputs: {prompt: "Go in ${ENV}?"}}
  - {id: do, type: Shell, depends_on: [ask], inputs: {command: "echo do-${NAME} >> log"}}
outputs: {said: "${ENV}: ${ask.input_value}"}
"""
ENVS = ("staging", "testing")
EFFECTS = sorted(["first", "last", *(f"{what}-{env}" for env in ENVS for what in ("before", "do", "after"))])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the three workflows."""
    return prepare(tmp_path)


def prepare(folder: Path) -> Path:
    """Lay out the three workflows."""
    folder.mkdir(exist_ok=True)
    for name, text in (("parent", PARENT), ("child", CHILD), ("grandchild", GRANDCHILD)):
        (folder / f"{name}.yaml").write_text(text)
    return folder


START = partial(begin, file="parent.yaml", inputs={"ENV": "production"})
PLAY = partial(play, file="parent.yaml", inputs={"ENV": "production"}, answers={"ask": "go"})


def answer_in(folder: Path, pause: PauseRow) -> str:
    """Answer as a person does who looks at what a cut-off block has left behind."""
    if not isinstance(pause.prompt, RecoveryPrompt):
        return "go"
    env = pause.path.partition("/")[0]
    trace = pause.block if not env else f"{pause.block}-{env}"
    return "done" if trace in lines(folder / "log") else "rerun"


async def finish(folder: Path) -> dict[str, object]:
    """Bring the tree to its end; return what it came to, once what it did outside is found right."""
    await to_the_end(folder, partial(answer_in, folder))
    async with world(folder, url_of(folder)) as ground:
        await check_books(ground)
        rows = await tree(ground)
        results: dict[str, object] = {row.path: await result_of(ground, row.run_id) for row in rows}
        children = [await children_of(ground, row) for row in rows]
    assert sum(children) == len(rows) - 1 == 4
    assert sorted(lines(folder / "log")) == EFFECTS
    return results


async def children_of(ground: World, row: RunRow) -> int:
    """Return how many runs a run has started, as its journal says."""
    return sum(isinstance(record.event, ChildStarted) for record in await ground.events(row.run_id))


# -- killed -----------------------------------------------------------------------------------


@pytest.mark.timeout(900)
async def test_a_tree_ends_the_same_wherever_its_process_is_killed(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """F1, R20: parent, children and grandchildren go on; each is started once, and sees what it was passed."""
    whole = prepare(tmp_path / "undisturbed")
    with living(whole, PLAY) as process:
        commits = told(whole, process)
    expected = await finish(whole)

    instants = some_of(
        [(commit, after) for commit in range(1, commits + 1) for after in (False, True)][1:], 6
    )
    record_property("size", f"{len(instants)} kills in {commits} commits of 5 runs")
    for commit, after in instants:
        folder = prepare(tmp_path / f"{commit}-{after}")
        life(folder, PLAY, fate=Fate(commit, after=after))
        assert await finish(folder) == expected, (commit, after)


async def test_an_answer_to_a_grandchild_reaches_it_from_a_process_that_never_saw_it(folder: Path) -> None:
    """F1: it goes to the run that asks, and everything above it wakes from what is stored."""
    assert life(folder, START)
    async with world(folder, url_of(folder)) as ground:
        pauses = await ground.history.inbox()
        assert [pause.prompt.text for pause in pauses] == ["Go in dev?"] * 2
        assert {pause.path for pause in pauses} == {"staging/deep", "testing/deep"}
    for pause in pauses:
        assert life(folder, partial(give, pause_id=pause.pause_id, raw="go"))

    async with world(folder, url_of(folder)) as ground:
        top, *others = await tree(ground)
        assert top.summary.status is RunStatus.SUCCEEDED
        finished = (await ground.history.state(top.run_id)).finished
        assert finished is not None
        assert finished.outputs == {"staging": "dev: go", "testing": "dev: go"}
        assert len(others) == 4
        await check_books(ground)
    assert sorted(lines(folder / "log")) == EFFECTS


async def test_an_answer_whose_process_dies_at_once_still_moves_the_whole_tree(folder: Path) -> None:
    """The answer is durable; whoever adopts next sees from the stores alone that the tree is to go on."""
    assert life(folder, START)
    async with world(folder, url_of(folder)) as ground:
        pauses = await ground.history.inbox()
    for pause in pauses:
        assert not life(folder, partial(give, pause_id=pause.pause_id, raw="go"), fate=Fate(1))

    assert life(folder, carry_on)

    async with world(folder, url_of(folder)) as ground:
        assert {row.summary.status for row in await tree(ground)} == {RunStatus.SUCCEEDED}
        await check_books(ground)
    assert sorted(lines(folder / "log")) == EFFECTS


async def test_an_answer_without_a_driver_is_taken_up_when_the_parent_is_resumed(folder: Path) -> None:
    """A process that does not adopt may be told to: resume of the run at the top goes down to the answer."""
    assert life(folder, START)
    async with world(folder, url_of(folder)) as ground:
        for pause in await ground.history.inbox():
            await ground.executor.answer(pause.pause_id, Reply(raw="go", by="ana", via="test"), drive=False)
        [top, *_] = await tree(ground)
        await ground.executor.resume(top.run_id, by="ana")
        view = await ground.rest(top.run_id)

    assert view.status is RunStatus.SUCCEEDED
    assert sorted(lines(folder / "log")) == EFFECTS


async def test_an_answer_to_a_grandchild_reaches_the_process_that_drives_its_top(folder: Path) -> None:
    """The run at the top is busy there, what lies between is asleep; the answer given here wakes it all the same."""
    (folder / "busy.yaml").write_text(
        "name: busy\nblocks:\n"
        "  - {id: call, type: ExecuteWorkflow, inputs: {workflow: child}}\n"
        "  - {id: slow, type: Shell, inputs: {command: 'while [ ! -e go ]; do sleep 0.05; done'}}\n"
    )
    with living(folder, partial(hold_on, file="busy.yaml")) as process:
        async with world(folder, url_of(folder)) as ground:

            async def sleeps() -> bool:
                rows = {row.path: row for row in await tree(ground)}
                return "call" in rows and (rows["call"].summary.pauses, rows["call"].owner) == (1, "")

            await until(sleeps)
            [pause] = await ground.history.inbox()
            await ground.executor.answer(pause.pause_id, Reply(raw="go", by="ana", via="test"))

            async def is_done() -> bool:
                rows = {row.path: row for row in await tree(ground)}
                return rows["call"].summary.status is RunStatus.SUCCEEDED

            await until(is_done)
        (folder / "go").touch()
        told(folder, process)

    async with world(folder, url_of(folder)) as ground:
        assert {row.summary.status for row in await tree(ground)} == {RunStatus.SUCCEEDED}
        await check_books(ground)
    assert lines(folder / "log") == ["before-dev", "do-dev", "after-dev"]


async def test_what_cleans_up_in_a_run_of_its_own_does_so_again_after_a_resume(folder: Path) -> None:
    """Its first run had succeeded; it cleans up after what has been done since, in a new one."""
    (folder / "tidy.yaml").write_text(
        "name: tidy\nblocks:\n  - {id: t, type: Shell, inputs: {command: 'echo tidy >> log'}}\n"
    )
    (folder / "messy.yaml").write_text(
        "name: messy\nblocks:\n"
        "  - {id: mess, type: Shell, inputs: {command: 'echo mess >> log; test -e ready'}}\n"
        "  - {id: clean, type: ExecuteWorkflow, always: true, depends_on: [mess], inputs: {workflow: tidy}}\n"
    )
    assert life(folder, partial(begin, file="messy.yaml"))
    async with world(folder, url_of(folder)) as ground:
        top, *_ = await tree(ground)
    (folder / "ready").touch()

    assert life(folder, partial(turn, what="resume", run_id=top.run_id))

    async with world(folder, url_of(folder)) as ground:
        assert (await tree(ground))[0].summary.status is RunStatus.SUCCEEDED
    assert lines(folder / "log") == ["mess", "tidy", "mess", "tidy"]


# -- R12: answered within milliseconds --------------------------------------------------------


@pytest.mark.timeout(600)
async def test_two_children_answered_at_once_by_two_processes_wake_their_parent(folder: Path) -> None:
    """R12: whichever process comes first, the parent completes each time, and does nothing twice."""
    for number in range(30 if FULL else 6):
        (folder / "log").unlink(missing_ok=True)
        assert life(folder, START)
        async with world(folder, url_of(folder)) as ground:
            first, second = await ground.history.inbox()
        with (
            living(folder, partial(give, pause_id=first.pause_id, raw="go")) as one,
            living(folder, partial(give, pause_id=second.pause_id, raw="go")) as other,
        ):
            told(folder, one)
            told(folder, other)
        async with world(folder, url_of(folder)) as ground:
            rows = await tree(ground)
            assert {row.summary.status for row in rows} == {RunStatus.SUCCEEDED}, number
            assert not await answer_open(ground, lambda _: "go")
        assert sorted(lines(folder / "log")) == EFFECTS
    async with world(folder, url_of(folder)) as ground:
        await check_books(ground)


# -- cancel and resume ------------------------------------------------------------------------


@pytest.mark.parametrize("after", range(1, 9) if FULL else (1, 3))
async def test_a_cancel_goes_down_though_its_process_dies(folder: Path, after: int) -> None:
    """Cancelled at the top, everything below ends cancelled, whenever the canceller is killed."""
    assert life(folder, START)
    async with world(folder, url_of(folder)) as ground:
        [top, *_] = await tree(ground)
    life(folder, partial(turn, what="cancel", run_id=top.run_id), fate=Fate(after))
    assert life(folder, carry_on)

    async with world(folder, url_of(folder)) as ground:
        assert {row.summary.status for row in await tree(ground)} == {RunStatus.CANCELLED}
        assert await ground.history.inbox() == ()
        await check_books(ground)


async def test_a_cancelled_child_fails_its_parents_block(folder: Path) -> None:
    """The parent was not cancelled: for it, the run that its block started did not succeed."""
    assert life(folder, START)
    async with world(folder, url_of(folder)) as ground:
        rows = await tree(ground)
        child = next(row for row in rows if row.path == "staging")
    assert life(folder, partial(turn, what="cancel", run_id=child.run_id))
    async with world(folder, url_of(folder)) as ground:
        [pause] = await ground.history.inbox()
        assert life(folder, partial(give, pause_id=pause.pause_id, raw="go"))
        top, *_ = await tree(ground)
        state = await ground.history.state(top.run_id)
        await check_books(ground)

    assert top.summary.status is RunStatus.FAILED
    failure = state.block(BlockId("staging")).failure
    assert failure is not None
    assert "was cancelled by ben" in failure.message
    assert lines(folder / "log").count("last") == 0


@pytest.mark.parametrize("fate", [Fate(commit) for commit in (range(6) if FULL else (0, 1, 3))])
@pytest.mark.parametrize("where", ["", "staging", "staging/deep"])
async def test_resuming_a_failed_run_reopens_the_chain(folder: Path, where: str, fate: Fate) -> None:
    """The grandchild failed, and all above it: resumed anywhere, the tree succeeds; only the failed block runs again."""
    (folder / "grandchild.yaml").write_text(GRANDCHILD.replace("echo do", "test -e ready && echo do"))
    assert life(folder, START)
    async with world(folder, url_of(folder)) as ground:
        for pause in await ground.history.inbox():
            assert life(folder, partial(give, pause_id=pause.pause_id, raw="go"))
        rows = await tree(ground)
        assert {row.summary.status for row in rows} == {RunStatus.FAILED}
    (folder / "ready").touch()
    for row in (row for row in rows if row.path in (where, where.replace("staging", "testing"))):
        life(folder, partial(turn, what="resume", run_id=row.run_id), fate=fate)
    await to_the_end(folder, partial(answer_in, folder))
    # Killed between reopening one run and the one above it, the top has to be resumed by itself.
    async with world(folder, url_of(folder)) as ground:
        top, *_ = await tree(ground)
    if top.summary.status is RunStatus.FAILED:
        assert fate.commit
        assert life(folder, partial(turn, what="resume", run_id=top.run_id))

    async with world(folder, url_of(folder)) as ground:
        assert {row.summary.status for row in await tree(ground)} == {RunStatus.SUCCEEDED}
        await check_books(ground)
        events = [record.event for row in rows for record in await ground.events(row.run_id)]
    assert sorted(lines(folder / "log")) == EFFECTS
    assert sum(isinstance(event, AttemptFailed) for event in events) == 6
