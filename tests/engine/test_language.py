"""What the language promises of a run: items, loops, retries, tolerance, clean-up, calls, time."""

import asyncio
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from invariants import check_invariants
from running import World, statuses, until, world
from tidegate.blocks.registry import catalog
from tidegate.clock import SystemClock
from tidegate.errors import NotResumable, PauseClosed
from tidegate.model.base import Json
from tidegate.model.events import AttemptFailed, AttemptStarted, CheckpointMarked, RunResumed, RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import CheckpointFilter, PauseFilter, RunFilter
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunState
from tidegate.model.value import Inline
from tidegate.workflows.loader import load_workflow


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world on an in-memory store."""
    async with world(tmp_path) as opened:
        yield opened


def output(state: RunState, block: str, name: str) -> Json:
    """Return a small output of a block."""
    value = state.block(BlockId(block)).outputs[name]
    assert isinstance(value, Inline)
    return value.value


def lines(ground: World, name: str = "log") -> list[str]:
    """Return what the commands of a run have written down."""
    path = ground.folder / name
    return path.read_text().split() if path.exists() else []


# -- items ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "results"), [("[]", []), ("{}", []), ("[a]", ["a"]), ("{x: 1, y: 2}", ["x", "y"])]
)
async def test_results_are_one_list_whatever_there_is_to_go_through(
    ground: World, items: str, results: list[str]
) -> None:
    """Nothing to do is a success with an empty list, and what depends on it runs."""
    state = await ground.run(f"""
        name: items
        blocks:
          - id: each
            type: Shell
            for_each: {items}
            inputs: {{command: "echo done"}}
          - {{id: sum, type: Shell, depends_on: [each], inputs: {{command: "echo ${{each.count}}"}}}}
    """)

    check_invariants(state)
    given = output(state, "each", "results")
    assert isinstance(given, list)
    assert [result["key"] for result in given if isinstance(result, dict)] == results
    assert output(state, "sum", "stdout") == str(len(results))


@pytest.mark.parametrize(("value", "shown"), [("null", "null"), ('"abc"', "abc")])
async def test_what_is_no_list_is_not_gone_through(ground: World, value: str, shown: str) -> None:
    """Not letter by letter: the block fails, and its message shows what was given."""
    state = await ground.run(f"""
        name: items
        blocks:
          - id: plan
            type: Shell
            inputs: {{command: [echo, '{value}'], parse: json}}
          - id: each
            type: Shell
            depends_on: [plan]
            for_each: ${{plan.result}}
            inputs: {{command: "echo no >> log"}}
    """)

    failure = state.block(BlockId("each")).failure
    assert failure is not None
    assert shown in failure.message
    assert lines(ground) == []


async def test_items_keep_their_order_and_their_number_at_once(ground: World) -> None:
    """Whoever is faster: results stand as the items do, and never more run than the file allows."""
    state = await ground.run("""
        name: items
        blocks:
          - id: each
            type: Shell
            for_each: {items: [3, 1, 2, 0], max_parallel: 2}
            inputs:
              command: |
                echo x >> busy.${item}; ls busy.* | wc -l >> width
                sleep 0.0${item}; rm busy.${item}; echo ${item}
    """)

    results = output(state, "each", "results")
    assert isinstance(results, list)
    assert [r["outputs"]["stdout"] for r in results if isinstance(r, dict)] == ["3", "1", "2", "0"]  # type: ignore[index,call-overload]
    assert max(map(int, lines(ground, "width"))) == 2


async def test_resume_runs_the_failed_items_only(ground: World) -> None:
    """What had succeeded stays, and the results are whole."""
    state = await ground.run("""
        name: items
        blocks:
          - id: each
            type: Shell
            for_each: [a, b, c]
            inputs: {command: "echo ${item} >> log; test ${item} != b || test -e ready"}
          - {id: after, type: Shell, depends_on: [each], inputs: {command: "echo ${each.succeeded}"}}
    """)
    assert statuses(state) == {"each": "failed", "after": "skipped"}
    (ground.folder / "ready").touch()
    await ground.executor.resume(state.run_id, by="bo")
    await ground.rest(state.run_id)
    state = await ground.history.state(state.run_id)

    check_invariants(state)
    assert sorted(lines(ground)) == ["a", "b", "b", "c"]
    assert statuses(state) == {"each": "succeeded", "after": "succeeded"}
    assert output(state, "after", "stdout") == "3"


async def test_fail_fast_starts_no_further_item(ground: World) -> None:
    """Those that had not started are told as skipped, and a retry runs them."""
    text = """
        name: items
        blocks:
          - id: each
            type: Shell
            for_each: {items: [a, b, c], max_parallel: 1, fail_fast: true}
            inputs: {command: "echo ${item} >> log; test ${item} != b || test -e ready"}
    """
    state = await ground.run(text)
    results = output(state, "each", "results")
    assert isinstance(results, list)
    assert [r["status"] for r in results if isinstance(r, dict)] == ["succeeded", "failed", "skipped"]
    (ground.folder / "ready").touch()
    await ground.executor.retry(state.run_id, BlockId("each"), by="bo")
    await ground.rest(state.run_id)

    assert lines(ground) == ["a", "b", "b", "c"]
    assert (await ground.history.state(state.run_id)).status is RunStatus.SUCCEEDED


async def test_every_item_has_a_question_of_its_own(ground: World) -> None:
    """An answer releases the item it names; a second step may ask again, one item at a time."""
    run_id = await ground.start("""
        name: gates
        blocks:
          - id: gate
            type: ConfirmOperation
            for_each: [red, green, blue]
            inputs: {message: "deploy ${item}?"}
    """)
    await ground.rest(run_id)
    await ground.answer_and_rest(run_id, "gate[green]", "yes")
    assert {row.block for row in await ground.history.inbox(run_id)} == {"gate[red]", "gate[blue]"}
    await ground.answer_and_rest(run_id, "gate[red]", "no")
    state = await ground.answer_and_rest(run_id, "gate[blue]", "yes")

    results = output(state, "gate", "results")
    assert isinstance(results, list)
    assert [r["status"] for r in results if isinstance(r, dict)] == ["rejected", "succeeded", "succeeded"]
    assert state.status is RunStatus.REJECTED


# -- loops and retries ------------------------------------------------------------------------


async def test_a_loop_goes_round_until_it_is_done(ground: World) -> None:
    """Each iteration knows what the one before gave, and is in the history."""
    state = await ground.run("""
        name: polling
        blocks:
          - id: poll
            type: Shell
            loop: {until: "${poll.stdout} == '3'", max_iterations: 5, delay: 10ms}
            inputs: {command: "echo $((BEFORE + 1))", env: {BEFORE: "${poll.stdout ?? '0'}"}}
          - {id: after, type: Shell, depends_on: [poll], inputs: {command: "echo ${poll.iterations}"}}
    """)

    check_invariants(state)
    assert output(state, "after", "stdout") == "3"
    assert [state.block(BlockId(f"poll#{n}")).status.value for n in (1, 2, 3)] == ["succeeded"] * 3


async def test_a_loop_that_is_never_done_fails_and_says_so(ground: World) -> None:
    """After as many iterations as the file allows, with what the last one gave."""
    state = await ground.run("""
        name: polling
        blocks:
          - id: poll
            type: Shell
            loop: {until: "${poll.stdout} == 'up'", max_iterations: 2}
            inputs: {command: "echo down"}
    """)

    failure = state.block(BlockId("poll")).failure
    assert failure is not None
    assert failure.message.startswith("not done after 2 iterations")
    assert output(state, "poll", "stdout") == "down"


async def test_a_retry_keeps_its_key_and_counts_its_attempts(ground: World) -> None:
    """Every attempt is in the journal, each failed one with when the next follows."""
    run_id = await ground.start("""
        name: flaky
        blocks:
          - id: flaky
            type: Shell
            retry: {max_attempts: 3, delay: 20ms, backoff: 2}
            inputs: {command: "echo $TIDEGATE_ATTEMPT$TIDEGATE_IDEMPOTENCY_KEY >> log; test $TIDEGATE_ATTEMPT = 3"}
    """)
    await ground.rest(run_id)
    records = await ground.events(run_id)

    assert [line[0] for line in lines(ground)] == ["1", "2", "3"]
    assert len({line[1:] for line in lines(ground)}) == 1
    retries = [
        r.event.retry_at - r.at for r in records if isinstance(r.event, AttemptFailed) and r.event.retry_at
    ]
    assert retries == pytest.approx([0.02, 0.04])
    starts = [record.at for record in records if isinstance(record.event, AttemptStarted)]
    assert starts[2] - starts[1] >= 0.04


async def test_only_what_the_file_names_is_tried_again(ground: World) -> None:
    """Another exit code ends the block at the first failure."""
    state = await ground.run("""
        name: flaky
        blocks:
          - {id: a, type: Shell, retry: {max_attempts: 3, on: [75]}, inputs: {command: "echo x >> log; exit 1"}}
    """)

    assert lines(ground) == ["x"]
    assert state.block(BlockId("a")).attempt == 1


# -- failure ----------------------------------------------------------------------------------


async def test_a_tolerated_failure_lets_the_run_go_on_and_succeed(ground: World) -> None:
    """And the run names no reason, for there is none."""
    state = await ground.run("""
        name: lint
        blocks:
          - {id: lint, type: Shell, on_failure: continue, inputs: {command: "exit 1"}}
          - {id: build, type: Shell, depends_on: [lint], inputs: {command: "echo ${lint.status}"}}
    """)

    assert state.status is RunStatus.SUCCEEDED
    assert output(state, "build", "stdout") == "failed"
    assert state.summarise().reason == ""


async def test_a_failure_may_ask_what_now(ground: World) -> None:
    """Run again, and the run goes on as if nothing had been."""
    run_id = await ground.start("""
        name: careful
        blocks:
          - {id: a, type: Shell, on_failure: pause, inputs: {command: "echo x >> log; test -e ready"}}
          - {id: b, type: Shell, depends_on: [a], inputs: {command: "true"}}
    """)
    pause = await ground.pause_of(run_id, "a")
    assert pause.prompt.text.startswith("Block 'a' failed: exit code 1")
    (ground.folder / "ready").touch()
    state = await ground.answer_and_rest(run_id, "a", "rerun")

    assert lines(ground) == ["x", "x"]
    assert state.status is RunStatus.SUCCEEDED


ALWAYS = """
    name: cleaning
    blocks:
      - {id: a, type: Shell, inputs: {command: "%s"}}
      - {id: b, type: Shell, depends_on: [a], inputs: {command: "true"}}
      - id: clean
        type: Shell
        always: true
        inputs: {command: "echo ${run.status} >> log; echo ${{ size(run.failures) }} >> log"}
"""


@pytest.mark.parametrize(("command", "told"), [("true", ["succeeded", "0"]), ("exit 3", ["failed", "1"])])
async def test_what_runs_always_knows_how_it_went(ground: World, command: str, told: list[str]) -> None:
    """It is the last to run, and sees the status that the run ends with."""
    state = await ground.run(ALWAYS % command)

    assert lines(ground) == told
    assert state.status.value == told[0]


async def test_a_cancelled_run_cleans_up_and_asks_nobody(ground: World) -> None:
    """What ran is cancelled, what was to come too; what runs always runs."""
    run_id = await ground.start(ALWAYS % "touch there; sleep 60")
    await until(lambda: asyncio.to_thread((ground.folder / "there").exists))
    await ground.executor.cancel(run_id, by="bo", reason="wrong branch")
    await ground.rest(run_id)
    state = await ground.history.state(run_id)

    check_invariants(state)
    assert statuses(state) == {"a": "cancelled", "b": "cancelled", "clean": "succeeded"}
    assert lines(ground) == ["cancelled", "0"]
    assert state.finished is not None
    assert "wrong branch" in state.finished.reason


async def test_a_second_cancel_gives_up_what_runs_always(ground: World) -> None:
    """Asked for by force, the run ends at once."""
    run_id = await ground.start(
        ALWAYS.replace("echo ${run.status} >> log", "touch there; sleep 60") % "sleep 60"
    )
    await ground.executor.cancel(run_id, by="bo")
    await until(lambda: asyncio.to_thread((ground.folder / "there").exists))
    await ground.executor.cancel(run_id, by="bo", force=True)
    view = await ground.rest(run_id)

    assert view.status is RunStatus.CANCELLED
    assert statuses(await ground.history.state(run_id))["clean"] == "cancelled"


# -- time -------------------------------------------------------------------------------------


async def test_time_spent_waiting_for_people_is_no_machine_time(ground: World) -> None:
    """A workflow's timeout ends what works too long, not what nobody answers."""
    run_id = await ground.start("""
        name: slow
        timeout: 300ms
        blocks:
          - {id: gate, type: ConfirmOperation, inputs: {message: "go?"}}
          - {id: work, type: Shell, depends_on: [gate], inputs: {command: "sleep 30"}}
    """)
    await ground.pause_of(run_id, "gate")
    opened = (await ground.rest(run_id)).row.updated_at
    clock = SystemClock()
    while clock.now() < opened + 0.4:  # Longer than the run may work.
        await asyncio.sleep(0.02)
    state = await ground.answer_and_rest(run_id, "gate", "yes")

    assert statuses(state) == {"gate": "succeeded", "work": "cancelled"}
    assert state.status is RunStatus.FAILED
    assert state.finished is not None
    assert "machine time" in state.finished.reason


async def test_a_held_run_starts_nothing_and_its_deadlines_stand_still(ground: World) -> None:
    """Until it is released; then the time that was left goes on."""
    run_id = await ground.start("""
        name: held
        schedule: eager
        blocks:
          - {id: gate, type: ConfirmOperation, timeout: 1h, inputs: {message: "go?"}}
          - {id: next, type: Shell, depends_on: [gate], inputs: {command: "true"}}
    """)
    before = (await ground.pause_of(run_id, "gate")).deadline
    await ground.executor.pause(run_id, by="bo")
    assert (await ground.pause_of(run_id, "gate")).deadline is None
    await ground.answer(run_id, "gate", "yes")
    state = await ground.history.state((await ground.rest(run_id)).row.run_id)
    assert statuses(state)["next"] == "pending"
    assert state.status is RunStatus.PAUSED
    await ground.executor.unpause(run_id, by="bo")
    view = await ground.rest(run_id)

    assert view.status is RunStatus.SUCCEEDED
    assert before is not None


async def test_a_released_question_has_the_time_that_was_left(ground: World) -> None:
    """Its deadline moves by as long as the run was held."""
    run_id = await ground.start("""
        name: held
        blocks:
          - {id: gate, type: ConfirmOperation, timeout: 1h, inputs: {message: "go?"}}
    """)
    before = (await ground.pause_of(run_id, "gate")).deadline
    await ground.executor.pause(run_id, by="bo")
    await ground.executor.unpause(run_id, by="bo")
    after = (await ground.pause_of(run_id, "gate")).deadline

    assert before is not None
    assert after is not None
    assert 0 < after - before < 30


async def test_who_cleans_up_after_a_timeout_can_tell_why(ground: World) -> None:
    """A list among texts is written out as JSON, in an environment, on stdin and in a text."""
    await ground.run("""
        name: slow
        timeout: 200ms
        blocks:
          - {id: work, type: Shell, inputs: {command: "sleep 30"}}
          - id: tell
            type: Shell
            always: true
            inputs:
              command: cat > stdin; echo "$WHY" > env
              stdin: "${run.failures}"
              env: {WHY: "${run.failures}"}
    """)

    told = (ground.folder / "stdin").read_text()
    assert "timed out after 0.2 s of machine time" in told
    assert (ground.folder / "env").read_text().strip() == told


async def test_a_run_for_tests_leaves_nothing_to_resume(ground: World) -> None:
    """`rollback` drops the marks of a failed run; its history stays readable."""
    run_id = await ground.start("""
        name: rehearsal
        checkpoint: {on_failure: rollback}
        blocks:
          - {id: a, type: Shell, inputs: {command: "exit 1"}}
    """)
    await ground.rest(run_id)

    assert await ground.history.checkpoints(CheckpointFilter(run_id=run_id)) == ()
    with pytest.raises(NotResumable, match="discarded"):
        await ground.executor.resume(run_id, by="bo")
    assert len(await ground.events(run_id)) > 3


async def test_a_workflow_may_tolerate_all_failures(ground: World) -> None:
    """Unless a block says otherwise."""
    text = """
        name: lenient
        checkpoint: {on_failure: continue}
        blocks:
          - {id: a, type: Shell, inputs: {command: "exit 1"}}
          - {id: b, type: Shell, %s inputs: {command: "exit 2"}}
    """

    assert (await ground.run(text % "")).status is RunStatus.SUCCEEDED
    assert (await ground.run(text % "on_failure: fail,")).status is RunStatus.FAILED


# -- turns ------------------------------------------------------------------------------------

FLAKY = """
    name: turns
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "go?"}}
      - {id: flaky, type: Shell, inputs: {command: "echo x >> log; test -e ready"}}
      - {id: after, type: Shell, depends_on: [flaky], inputs: {command: "echo y >> log"}}
"""


async def test_a_failed_block_is_retried_while_a_question_stays_open(ground: World) -> None:
    """E4, R17: the question is untouched, and what follows the block is decided again."""
    run_id = await ground.start(FLAKY)
    await ground.rest(run_id)
    pause = await ground.pause_of(run_id, "gate")
    (ground.folder / "ready").touch()
    await ground.executor.retry(run_id, BlockId("flaky"), by="bo")
    await ground.rest(run_id)
    assert (await ground.pause_of(run_id, "gate")).pause_id == pause.pause_id
    state = await ground.answer_and_rest(run_id, "gate", "yes")

    check_invariants(state)
    assert state.status is RunStatus.SUCCEEDED
    assert lines(ground) == ["x", "x", "y"]


async def test_a_skipped_failure_no_longer_fails_the_run(ground: World) -> None:
    """What hung on it is decided again: it is skipped for another reason now."""
    run_id = await ground.start(FLAKY)
    await ground.rest(run_id)
    await ground.executor.skip(run_id, BlockId("flaky"), by="bo", reason="known to be broken")
    state = await ground.answer_and_rest(run_id, "gate", "yes")

    check_invariants(state)
    assert state.status is RunStatus.SUCCEEDED
    assert state.block(BlockId("flaky")).reason == "skipped by bo: known to be broken"


async def test_a_block_runs_again_with_a_new_key(ground: World) -> None:
    """Rerun from a block: it and what follows begin anew, what came before stays."""
    text = """
        name: again
        blocks:
          - {id: a, type: Shell, inputs: {command: "echo a >> log"}}
          - {id: b, type: Shell, depends_on: [a], inputs: {command: "echo $TIDEGATE_IDEMPOTENCY_KEY >> keys"}}
    """
    state = await ground.run(text)
    await ground.executor.rerun(state.run_id, BlockId("b"), by="bo")
    await ground.rest(state.run_id)

    assert lines(ground) == ["a"]
    assert len(set(lines(ground, "keys"))) == 2


# -- calls ------------------------------------------------------------------------------------


def write(folder: Path, **files: str) -> None:
    """Write workflow files."""
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(textwrap.dedent(text))


CHILD = """
    name: child
    inputs: {env: {type: string, default: dev}}
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "deploy to ${env}?"}}
      - {id: log, type: Shell, depends_on: [gate], inputs: {command: "echo ${env} >> log && echo to-${env}"}}
    outputs: {where: "${log.stdout}"}
"""


async def started(ground: World, text: str) -> RunId:
    """Start a run of a file beside `child.yaml`."""
    write(ground.folder, child=CHILD, parent=text)
    definition = load_workflow(ground.folder / "parent.yaml", catalog()).definition
    return await ground.executor.start(definition, {}, by="ana")


async def test_a_call_sees_only_what_it_is_passed_and_gives_back_its_outputs(ground: World) -> None:
    """Its question stands in the one inbox, under its path; the answer wakes the caller."""
    run_id = await started(
        ground,
        """
        name: parent
        inputs: {env: {type: string, default: production}}
        blocks:
          - {id: staging, type: ExecuteWorkflow, inputs: {workflow: child, inputs: {env: staging}}}
          - {id: default, type: ExecuteWorkflow, inputs: {workflow: child}}
        outputs: {told: "${staging.where} ${default.where}"}
        """,
    )
    view = await ground.rest(run_id)
    assert view.status is RunStatus.PAUSED
    rows = await ground.store.pauses(PauseFilter(root=run_id))
    assert {(row.path, row.prompt.text) for row in rows} == {
        ("staging", "deploy to staging?"),
        ("default", "deploy to dev?"),
    }
    for row in rows:
        await ground.answer_and_rest(row.run_id, "gate", "yes")
    await ground.rest(run_id)
    state = await ground.history.state(run_id)

    check_invariants(state)
    assert state.finished is not None
    assert state.finished.outputs == {"told": "to-staging to-dev"}


async def test_cancel_goes_down_to_every_run_below(ground: World) -> None:
    """And their questions are closed."""
    run_id = await started(
        ground,
        """
        name: parent
        blocks:
          - {id: call, type: ExecuteWorkflow, for_each: [a, b], inputs: {workflow: child, inputs: {env: "${item}"}}}
        """,
    )
    await ground.rest(run_id)
    await ground.executor.cancel(run_id, by="bo")
    await ground.rest(run_id)
    rows = await ground.store.runs(RunFilter(root=run_id))

    assert {row.summary.status for row in rows} == {RunStatus.CANCELLED}
    assert await ground.history.inbox(run_id) == ()


# -- marks ------------------------------------------------------------------------------------


async def test_a_checkpoint_is_taken_with_the_outcome_it_belongs_to(ground: World) -> None:
    """With its label and its metadata, which may read what the block gave."""
    run_id = await ground.start("""
        name: marks
        checkpoint: {on: [explicit]}
        blocks:
          - id: build
            type: Shell
            checkpoint: {label: "built ${build.stdout}", metadata: {version: "${build.stdout}"}}
            inputs: {command: "echo 1.2"}
          - {id: fail, type: Shell, checkpoint: never, inputs: {command: "exit 1"}}
    """)
    await ground.rest(run_id)
    marks = [
        record.event for record in await ground.events(run_id) if isinstance(record.event, CheckpointMarked)
    ]

    assert [(mark.kind, mark.label, mark.metadata) for mark in marks] == [
        (CheckpointKind.EXPLICIT, "built 1.2", {"version": "1.2"})
    ]


# -- a no stays a no --------------------------------------------------------------------------

GATES = """
    name: gates
    blocks:
      - {id: q, type: ConfirmOperation, for_each: [h1, h2], inputs: {message: "ok ${item}?"}}
      - {id: after, type: Shell, depends_on: [q], inputs: {command: "echo after >> log"}}
"""


async def test_asking_one_item_again_is_no_yes_to_another(ground: World) -> None:
    """The block stays rejected as long as one of its items is."""
    run_id = await ground.start(GATES)
    await ground.answer_and_rest(run_id, "q[h1]", "no")
    await ground.answer_and_rest(run_id, "q[h2]", "no")
    await ground.executor.retry(run_id, BlockId("q[h2]"), by="bo")
    state = await ground.answer_and_rest(run_id, "q[h2]", "yes")

    check_invariants(state)
    assert state.status is RunStatus.REJECTED
    assert lines(ground) == []


async def test_a_run_below_is_resumed_by_whoever_resumes_the_one_above(ground: World) -> None:
    """Its journal names that person, not who had started it all."""
    (ground.folder / "trying.yaml").write_text(
        "name: trying\nblocks: [{id: try, type: Shell, inputs: {command: test -e ready}}]\n"
    )
    run_id = await started(
        ground, "{name: parent, blocks: [{id: call, type: ExecuteWorkflow, inputs: {workflow: trying}}]}"
    )
    assert (await ground.rest(run_id)).status is RunStatus.FAILED
    (ground.folder / "ready").touch()
    await ground.executor.resume(run_id, by="bo")
    assert (await ground.rest(run_id)).status is RunStatus.SUCCEEDED

    (child,) = await ground.store.runs(RunFilter(parent=run_id))
    resumed = [r.event.by for r in await ground.events(child.run_id) if isinstance(r.event, RunResumed)]
    assert resumed == ["bo"]


async def test_what_was_answered_with_no_is_not_asked_again_with_what_failed(ground: World) -> None:
    """Resuming runs what failed; a person's no is no failure."""
    run_id = await started(
        ground,
        """
        name: parent
        blocks:
          - id: each
            type: ExecuteWorkflow
            for_each: [h1, h2]
            inputs: {workflow: child, inputs: {env: "${item}"}}
        """,
    )
    await ground.rest(run_id)
    (ground.folder / "log").mkdir()  # Nothing can be written there.
    for row in await ground.store.pauses(PauseFilter(root=run_id)):
        await ground.answer_and_rest(row.run_id, "gate", "no" if row.path == "each[h1]" else "yes")
    await ground.rest(run_id)
    (ground.folder / "log").rmdir()
    await ground.executor.retry(run_id, by="bo")
    await ground.rest(run_id)
    state = await ground.history.state(run_id)

    assert await ground.history.inbox(run_id) == ()
    assert lines(ground) == ["h2"]
    assert state.status is RunStatus.REJECTED


async def test_a_run_that_was_replaced_cannot_be_turned(ground: World) -> None:
    """Its block has another run by now; two of them would do the work twice."""
    run_id = await started(
        ground,
        """
        name: parent
        blocks:
          - {id: call, type: ExecuteWorkflow, inputs: {workflow: child}}
        """,
    )
    await ground.rest(run_id)
    [old] = await ground.store.pauses(PauseFilter(root=run_id))
    await ground.answer_and_rest(old.run_id, "gate", "no")
    await ground.rest(run_id)
    await ground.executor.retry(run_id, BlockId("call"), by="bo")
    await ground.rest(run_id)

    with pytest.raises(NotResumable, match="was run again as run"):
        await ground.executor.rerun(old.run_id, BlockId("gate"), by="bo")


async def test_the_reason_is_what_is_still_wrong(ground: World) -> None:
    """Of two failures one was made good, and the other was skipped: each time the reason says what is left."""
    state = await ground.run("""
        name: two
        blocks:
          - {id: a, type: Shell, inputs: {command: "test -e ready"}}
          - {id: b, type: Shell, inputs: {command: "exit 2"}}
    """)
    (ground.folder / "ready").touch()
    await ground.executor.retry(state.run_id, BlockId("a"), by="bo")
    row = (await ground.rest(state.run_id)).row
    assert row.summary.reason == "b: exit code 2"
    await ground.executor.skip(state.run_id, BlockId("b"), by="bo", reason="no need")
    view = await ground.rest(state.run_id)
    state = await ground.history.state(state.run_id)

    assert view.status is RunStatus.SUCCEEDED
    assert view.row.summary.reason == ""
    assert state.block(BlockId("b")).failure is None


async def test_an_answer_that_comes_too_late_lets_the_run_go_on(ground: World) -> None:
    """The question expires by that very call, and what its author wants then happens."""
    run_id = await ground.start("""
        name: late
        blocks:
          - {id: gate, type: AskChoice, timeout: 50ms,
             inputs: {question: "?", choices: [a, b], default: b, on_timeout: default}}
    """)
    pause = await ground.pause_of(run_id, "gate")
    clock = SystemClock()
    while clock.now() < (pause.deadline or 0):
        await asyncio.sleep(0.01)
    with pytest.raises(PauseClosed):
        await ground.answer(run_id, "gate", "a")
    view = await ground.rest(run_id)

    assert view.status is RunStatus.SUCCEEDED
    assert output(await ground.history.state(run_id), "gate", "choice") == "b"
