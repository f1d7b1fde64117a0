"""What a run does, from start to rest, on a real store with real commands."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import World, statuses, until, world
from tidegate.errors import AlreadyAnswered, InvalidAnswer, NotResumable, PauseClosed, RunFinished
from tidegate.model.answer import Reply
from tidegate.model.events import (
    AnswerRefused,
    AttemptStarted,
    PauseAnswered,
    PauseAssigned,
    RunStatus,
)
from tidegate.model.ids import BlockId
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.model.value import Inline


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world on an in-memory store."""
    async with world(tmp_path) as opened:
        yield opened


APPROVAL = """
    name: approval
    blocks:
      - id: notify
        type: Shell
        inputs: {command: "echo sent >> log"}
      - id: gate
        type: ConfirmOperation
        depends_on: [notify]
        inputs: {message: "Deploy ${project}?"}
      - id: deploy
        type: Shell
        depends_on: [gate]
        condition: "${gate.confirmed} == true"
        inputs: {command: "echo deployed >> log"}
    outputs:
      approved: "${gate.confirmed}"
      deployed: "${deploy.success}"
"""


async def test_a_run_pauses_and_goes_on_from_where_it_stood(ground: World) -> None:
    """What came before the question is not done again (R01)."""
    run_id = await ground.start(APPROVAL, project="shop")
    view = await ground.rest(run_id)
    assert view.status is RunStatus.PAUSED
    pause = await ground.pause_of(run_id, "gate")
    assert pause.prompt.text == "Deploy shop?"

    state = await ground.answer_and_rest(run_id, "gate", "yes")

    assert state.status is RunStatus.SUCCEEDED
    assert state.finished is not None
    assert state.finished.outputs == {"approved": True, "deployed": True}
    assert (ground.folder / "log").read_text() == "sent\ndeployed\n"
    assert state.block(BlockId("notify")).attempt == 1


async def test_no_ends_the_run_as_rejected(ground: World) -> None:
    """A "no" is neither a success nor a failure, and the guarded block does not run."""
    run_id = await ground.start(APPROVAL, project="shop")

    state = await ground.answer_and_rest(run_id, "gate", "no")

    assert state.status is RunStatus.REJECTED
    assert statuses(state) == {"notify": "succeeded", "gate": "rejected", "deploy": "skipped"}
    assert state.finished is not None
    assert state.finished.outputs == {"approved": False, "deployed": None}


async def test_a_refused_answer_leaves_the_pause_open_and_is_in_the_history(ground: World) -> None:
    """Nothing is guessed: an unclear answer is refused, and may be given again."""
    run_id = await ground.start(APPROVAL, project="shop")
    with pytest.raises(InvalidAnswer, match="yes or no"):
        await ground.answer(run_id, "gate", "maybe")

    pause = await ground.pause_of(run_id, "gate")
    refusals = [r.event for r in await ground.events(run_id) if isinstance(r.event, AnswerRefused)]
    assert [(refusal.raw, refusal.by) for refusal in refusals] == [("maybe", "ana")]
    assert pause.state.name == "OPEN"
    assert (await ground.answer_and_rest(run_id, "gate", "yes")).status is RunStatus.SUCCEEDED


ASSIGNED = """
    name: assigned
    inputs: {owner: {type: string}}
    blocks:
      - id: gate
        type: AskForm
        inputs: {assignee: "${inputs.owner}", fields: {size: {choices: [small]}}}
      - {id: after, type: Shell, depends_on: [gate], inputs: {command: "true"}}
"""


async def test_a_question_is_whose_business_its_file_says_until_a_person_says_otherwise(
    ground: World,
) -> None:
    """The row and the fold agree; saying it again adds nothing; anybody may answer all the same."""
    run_id = await ground.start(ASSIGNED, owner="bo")
    pause = await ground.pause_of(run_id, "gate")
    assert (pause.assignee, pause.assignment) == ("bo", None)

    await ground.executor.assign(pause.pause_id, " cy ", by="bo", note=" on call\n")
    await ground.executor.assign(pause.pause_id, "cy", by="bo")

    row, state = await ground.pause_of(run_id, "gate"), await ground.history.state(run_id)
    assert (row.assignee, row.assignment) == ("cy", state.pauses[pause.pause_id].assignment)
    told = [r.event for r in await ground.events(run_id) if isinstance(r.event, PauseAssigned)]
    assert told == [PauseAssigned(pause_id=pause.pause_id, to="cy", by="bo", note="on call")]
    with pytest.raises(InvalidAnswer, match="one line"):
        await ground.executor.assign(pause.pause_id, "a\nb", by="bo")
    await ground.executor.assign(pause.pause_id, "", by="bo")
    assert (await ground.pause_of(run_id, "gate")).assignee == ""

    state = await ground.answer_and_rest(run_id, "gate", '{"size": "small"}')
    assert state.status is RunStatus.SUCCEEDED
    with pytest.raises(AlreadyAnswered, match="by ana"):
        await ground.executor.assign(pause.pause_id, "cy", by="bo")


async def test_the_same_answer_twice_is_success_and_another_one_a_conflict(ground: World) -> None:
    """Whoever answers late learns who was faster, when, and with what."""
    run_id = await ground.start(APPROVAL, project="shop")
    pause = await ground.pause_of(run_id, "gate")
    first = await ground.executor.answer(pause.pause_id, Reply(raw="yes", by="ana", via="test"))

    again = await ground.executor.answer(pause.pause_id, Reply(raw="Y", by="bo", via="test"))
    with pytest.raises(AlreadyAnswered, match=r"already answered by ana at .*: yes"):
        await ground.executor.answer(pause.pause_id, Reply(raw="no", by="bo", via="test"))

    assert again.repeated
    answers = [r for r in await ground.events(run_id) if isinstance(r.event, PauseAnswered)]
    assert [record.seq for record in answers] == [first.seq]


TWO_GATES = """
    name: two-gates
    blocks:
      - {id: gA, type: ConfirmOperation, inputs: {message: "Go?"}}
      - {id: gB, type: ConfirmOperation, inputs: {message: "Go?"}}
      - {id: work, type: Shell, inputs: {command: "sleep 0.3; echo work >> log"}}
      - {id: dA, type: Shell, depends_on: [gA], inputs: {command: "echo dA >> log"}}
      - {id: dB, type: Shell, depends_on: [gB], inputs: {command: "echo dB >> log"}}
      - {id: end, type: Shell, depends_on: [dA, dB], inputs: {command: "echo end >> log"}}
"""


@pytest.mark.parametrize("order", [("gA", "gB"), ("gB", "gA")])
async def test_several_pauses_are_open_at_once_and_answered_in_any_order(
    ground: World, order: tuple[str, str]
) -> None:
    """E1: each question has its own answer, though their texts are equal; siblings finish and are kept."""
    run_id = await ground.start(TWO_GATES)
    await ground.answer(run_id, order[0], "yes")
    view = await ground.rest(run_id)
    assert view.status is RunStatus.PAUSED
    assert view.row.summary.pauses == 1
    assert (ground.folder / "log").read_text() == "work\n"

    state = await ground.answer_and_rest(run_id, order[1], "no")

    expected_deploys = (
        {"dA": "succeeded", "dB": "skipped"} if order[1] == "gB" else {"dA": "skipped", "dB": "succeeded"}
    )
    assert statuses(state) | expected_deploys == statuses(state)
    assert statuses(state)["end"] == "succeeded"
    assert state.status is RunStatus.REJECTED


async def test_answers_to_equal_questions_go_to_the_block_that_asked(ground: World) -> None:
    """R15: ids never derive from a prompt's text."""
    run_id = await ground.start("""
        name: twins
        blocks:
          - {id: a, type: GetInput, inputs: {prompt: "Name?"}}
          - {id: b, type: GetInput, inputs: {prompt: "Name?"}}
          - {id: pa, type: Shell, depends_on: [a], inputs: {command: "echo ${a.input_value}"}}
          - {id: pb, type: Shell, depends_on: [b], inputs: {command: "echo ${b.input_value}"}}
    """)
    await ground.answer(run_id, "b", "B")
    state = await ground.answer_and_rest(run_id, "a", "A")

    assert state.block(BlockId("pa")).outputs["stdout"] == Inline(value="A")
    assert state.block(BlockId("pb")).outputs["stdout"] == Inline(value="B")


async def test_a_failure_skips_what_depends_on_it_and_nothing_else(ground: World) -> None:
    """B2: siblings finish; the run has failed and names the block and its exit code."""
    state = await ground.run("""
        name: checks
        blocks:
          - {id: bad, type: Shell, inputs: {command: "exit 3"}}
          - {id: slow, type: Shell, inputs: {command: "sleep 0.2; echo slow >> log"}}
          - {id: after_bad, type: Shell, depends_on: [bad], inputs: {command: "echo never >> log"}}
          - {id: after_slow, type: Shell, depends_on: [slow], inputs: {command: "echo after >> log"}}
    """)

    assert state.status is RunStatus.FAILED
    assert statuses(state) == {
        "bad": "failed",
        "slow": "succeeded",
        "after_bad": "skipped",
        "after_slow": "succeeded",
    }
    assert state.block(BlockId("after_bad")).reason == "'bad' failed"
    assert state.summarise().reason == "bad: exit code 3"
    assert (ground.folder / "log").read_text() == "slow\nafter\n"


async def test_exclusive_branches_join(ground: World) -> None:
    """B1: of three branches one runs; what joins them runs too."""
    state = await ground.run(
        """
        name: branches
        inputs: {env: {type: string, choices: [dev, staging, production]}}
        blocks:
          - {id: dev, type: Shell, condition: "${env} == 'dev'", inputs: {command: "true"}}
          - {id: staging, type: Shell, condition: "${env} == 'staging'", inputs: {command: "true"}}
          - {id: production, type: Shell, condition: "${env} == 'production'", inputs: {command: "true"}}
          - {id: verify, type: Shell, depends_on: [dev, staging, production], inputs: {command: "echo verified"}}
        """,
        env="staging",
    )

    assert state.status is RunStatus.SUCCEEDED
    assert statuses(state) == {
        "dev": "skipped",
        "staging": "succeeded",
        "production": "skipped",
        "verify": "succeeded",
    }
    assert "condition is false" in state.block(BlockId("dev")).reason


async def test_a_block_may_ask_for_certain_outcomes(ground: World) -> None:
    """`when` replaces the default join for that dependency."""
    state = await ground.run("""
        name: outcomes
        blocks:
          - {id: bad, type: Shell, inputs: {command: "exit 1"}}
          - id: rescue
            type: Shell
            depends_on: [{block: bad, when: [failed]}]
            inputs: {command: "echo rescued"}
          - id: celebrate
            type: Shell
            depends_on: [{block: bad, when: [succeeded]}]
            inputs: {command: "echo no"}
    """)

    assert statuses(state) == {"bad": "failed", "rescue": "succeeded", "celebrate": "skipped"}
    assert state.status is RunStatus.FAILED


async def test_a_rejected_gate_can_be_handled_by_outcome(ground: World) -> None:
    """A dependant that lists `rejected` runs after a no."""
    run_id = await ground.start("""
        name: handled
        blocks:
          - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
          - id: undo
            type: Shell
            depends_on: [{block: gate, when: [rejected]}]
            inputs: {command: "echo undone"}
          - {id: go, type: Shell, depends_on: [gate], inputs: {command: "echo gone"}}
    """)
    state = await ground.answer_and_rest(run_id, "gate", "no")

    assert statuses(state) == {"gate": "rejected", "undo": "succeeded", "go": "skipped"}
    assert state.status is RunStatus.REJECTED


async def test_on_reject_continue_makes_no_only_data(ground: World) -> None:
    """The block succeeds, and what follows decides by itself."""
    run_id = await ground.start("""
        name: data
        blocks:
          - {id: gate, type: ConfirmOperation, inputs: {message: "Loud?", on_reject: continue}}
          - {id: say, type: Shell, depends_on: [gate], inputs: {command: "echo loud=${gate.confirmed}"}}
    """)
    state = await ground.answer_and_rest(run_id, "gate", "no")

    assert state.status is RunStatus.SUCCEEDED
    assert state.block(BlockId("say")).outputs["stdout"] == Inline(value="loud=false")


async def test_cancelling_a_waiting_run_is_immediate_and_closes_its_pause(ground: World) -> None:
    """R23: nobody has to answer first, and nobody can answer afterwards."""
    run_id = await ground.start(APPROVAL, project="shop")
    pause = await ground.pause_of(run_id, "gate")
    await ground.executor.cancel(run_id, by="bo", reason="wrong branch")
    view = await ground.rest(run_id)

    assert view.status is RunStatus.CANCELLED
    assert await ground.history.inbox() == ()
    with pytest.raises(PauseClosed, match="cancelled by bo"):
        await ground.executor.answer(pause.pause_id, Reply(raw="yes", by="ana", via="test"))
    with pytest.raises(RunFinished, match="cancelled"):
        await ground.executor.cancel(run_id, by="bo")


async def test_cancelling_stops_what_runs(ground: World) -> None:
    """A running command is stopped; what was pending does not start."""
    run_id = await ground.start("""
        name: long
        blocks:
          - {id: sleep, type: Shell, inputs: {command: "echo $$ > pid; sleep 60"}}
          - {id: after, type: Shell, depends_on: [sleep], inputs: {command: "echo after >> log"}}
    """)

    async def has_pid() -> bool:
        return (ground.folder / "pid").exists() and bool((ground.folder / "pid").read_text().strip())

    await until(has_pid)
    pid = int((ground.folder / "pid").read_text())
    await ground.executor.cancel(run_id, by="bo")
    view = await ground.rest(run_id)

    assert view.status is RunStatus.CANCELLED
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    state = await ground.history.state(run_id)
    assert statuses(state) == {"sleep": "cancelled", "after": "cancelled"}


async def test_a_block_times_out(ground: World) -> None:
    """The block's own limit ends its command; what it printed is kept."""
    run_id = await ground.start("""
        name: slow
        blocks:
          - {id: nap, type: Shell, timeout: 0.3, inputs: {command: "echo begun; sleep 60"}}
    """)
    view = await ground.rest(run_id)
    state = await ground.history.state(run_id)
    chunks = await ground.history.output(run_id, BlockId("nap"), 1)

    assert view.status is RunStatus.FAILED
    assert (
        "timed out after 0.3 s" in (state.block(BlockId("nap")).failure or pytest.fail("no failure")).message
    )
    assert b"".join(chunk.data for chunk in chunks) == b"begun\n"


async def test_no_more_blocks_run_at_once_than_allowed(ground: World) -> None:
    """`max_parallel` holds, and every block runs."""
    blocks = "\n".join(
        f'          - {{id: b{n}, type: Shell, inputs: {{command: "echo start >> log; sleep 0.05; echo end >> log"}}}}'
        for n in range(8)
    )
    state = await ground.run(f"""
        name: narrow
        max_parallel: 2
        blocks:
{blocks}
    """)

    running = most = 0
    for line in (ground.folder / "log").read_text().split():
        running += 1 if line == "start" else -1
        most = max(most, running)
    assert state.status is RunStatus.SUCCEEDED
    assert most <= 2


async def test_a_gate_does_not_wait_for_a_free_slot(ground: World) -> None:
    """People are asked at once, however busy the machine is."""
    run_id = await ground.start("""
        name: busy
        max_parallel: 1
        blocks:
          - {id: nap, type: Shell, inputs: {command: "sleep 30"}}
          - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
    """)

    assert (await ground.pause_of(run_id, "gate")).block == "gate"
    await ground.executor.cancel(run_id, by="ana")
    await ground.rest(run_id)


async def test_eager_blocks_do_not_wait_for_their_wave(ground: World) -> None:
    """R16: with `schedule: eager` the gate's dependant starts while a sibling of the gate still runs."""
    run_id = await ground.start("""
        name: eager
        schedule: eager
        blocks:
          - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
          - {id: nap, type: Shell, inputs: {command: "while [ ! -e go ]; do sleep 0.05; done; echo slept >> log"}}
          - {id: after, type: Shell, depends_on: [gate], inputs: {command: "echo after >> log; touch go"}}
    """)
    state = await ground.answer_and_rest(run_id, "gate", "yes")

    assert state.status is RunStatus.SUCCEEDED
    assert (ground.folder / "log").read_text() == "after\nslept\n"


async def test_resuming_a_failed_run_plans_the_failed_block_and_its_dependants_again(ground: World) -> None:
    """What succeeded is kept; the failed block gets a new attempt with a new idempotency key."""
    run_id = await ground.start("""
        name: flaky
        blocks:
          - {id: first, type: Shell, inputs: {command: "echo first >> log"}}
          - id: flaky
            type: Shell
            depends_on: [first]
            inputs: {command: "test -e flag && echo ok >> log"}
          - {id: last, type: Shell, depends_on: [flaky], inputs: {command: "echo last >> log"}}
    """)
    assert (await ground.rest(run_id)).status is RunStatus.FAILED
    (ground.folder / "flag").touch()
    await ground.executor.resume(run_id, by="bo")
    view = await ground.rest(run_id)

    assert view.status is RunStatus.SUCCEEDED
    assert (ground.folder / "log").read_text() == "first\nok\nlast\n"
    intents = [r.event for r in await ground.events(run_id) if isinstance(r.event, AttemptStarted)]
    flaky = [intent for intent in intents if intent.block == "flaky"]
    assert [intent.attempt for intent in flaky] == [1, 2]
    assert flaky[0].key != flaky[1].key
    with pytest.raises(RunFinished):
        await ground.executor.resume(run_id, by="bo")


async def test_a_rejected_run_is_not_resumed(ground: World) -> None:
    """A person ended it; the message says what to do instead."""
    run_id = await ground.start(APPROVAL, project="shop")
    await ground.answer_and_rest(run_id, "gate", "no")

    with pytest.raises(NotResumable, match="tidegate run approval"):
        await ground.executor.resume(run_id, by="bo")


async def test_checkpoints_mark_waves_pauses_and_failures(ground: World) -> None:
    """Each with its progress at that point; the pause's checkpoint has the pause's id."""
    run_id = await ground.start(APPROVAL, project="shop")
    pause = await ground.pause_of(run_id, "gate")
    await ground.answer_and_rest(run_id, "gate", "yes")
    found = await ground.history.checkpoints(CheckpointFilter(run_id=run_id))

    told = [(mark.kind, mark.summary.completed, mark.type) for mark in reversed(found)]
    assert told == [
        (CheckpointKind.WAVE, 1, "automatic"),
        (CheckpointKind.PAUSE, 1, "pause"),
        (CheckpointKind.WAVE, 2, "automatic"),
        (CheckpointKind.WAVE, 3, "automatic"),
    ]
    assert found[2].checkpoint_id == pause.pause_id
    assert not found[2].is_paused


async def test_a_checkpoint_shows_the_state_of_its_time(ground: World) -> None:
    """It is folded from the journal up to its position, not from now."""
    run_id = await ground.start(APPROVAL, project="shop")
    pause = await ground.pause_of(run_id, "gate")
    await ground.answer_and_rest(run_id, "gate", "yes")

    then = (await ground.history.checkpoint(await ground.history.find_checkpoint(pause.pause_id))).as_json()

    assert then["completed_blocks"] == ["notify"]
    assert then["paused_block_id"] == "gate"
    assert then["runtime_inputs"] == {"project": "shop"}
    assert then["current_wave_index"] == 1
    assert then["execution_waves"] == [["notify"], ["gate"], ["deploy"]]
    assert then["progress_percentage"] == 33.3


async def test_a_large_output_is_kept_beside_the_journal(ground: World) -> None:
    """And reaches whoever refers to it, whole."""
    state = await ground.run("""
        name: large
        blocks:
          - {id: make, type: Shell, inputs: {command: "head -c 50000 /dev/zero | tr '\\\\0' x"}}
          - {id: count, type: Shell, depends_on: [make], inputs: {command: "printf %s ${make.stdout} | wc -c"}}
    """)

    assert state.status is RunStatus.SUCCEEDED
    assert not isinstance(state.block(BlockId("make")).outputs["stdout"], Inline)
    assert state.block(BlockId("count")).outputs["stdout"] == Inline(value="50000")


async def test_a_deadline_that_passes_fails_the_block(tmp_path: Path) -> None:
    """Nobody answered in time: that is no approval, and a late answer is refused."""
    async with world(tmp_path, adopts=True) as ground:
        run_id = await ground.start("""
            name: hasty
            blocks:
              - {id: gate, type: ConfirmOperation, timeout: 0.2, inputs: {message: "Go?"}}
              - {id: go, type: Shell, depends_on: [gate], inputs: {command: "echo gone"}}
        """)
        pause = await ground.pause_of(run_id, "gate")

        async def has_failed() -> bool:
            return (await ground.history.run_view(run_id)).status is RunStatus.FAILED

        await until(has_failed)
        with pytest.raises(PauseClosed, match="expired at"):
            await ground.executor.answer(pause.pause_id, Reply(raw="yes", by="ana", via="test"))


async def test_of_many_answers_at_once_one_wins(ground: World) -> None:
    """Every other one is told who did; what follows runs once."""
    run_id = await ground.start(APPROVAL, project="shop")
    pause = await ground.pause_of(run_id, "gate")
    replies = [Reply(raw="yes" if n % 2 else "no", by=f"op{n}", via="test") for n in range(20)]
    results = await asyncio.gather(
        *(ground.executor.answer(pause.pause_id, reply) for reply in replies), return_exceptions=True
    )
    await ground.rest(run_id)

    winners = [result for result in results if not isinstance(result, BaseException) and not result.repeated]
    losers = [result for result in results if isinstance(result, AlreadyAnswered)]
    assert len(winners) == 1
    assert len(losers) == 10
    answers = [r for r in await ground.events(run_id) if isinstance(r.event, PauseAnswered)]
    assert len(answers) == 1
    assert (ground.folder / "log").read_text().count("deployed") == (1 if winners[0].value else 0)


async def test_closing_right_after_starting_leaves_a_run_that_can_be_resumed(tmp_path: Path) -> None:
    """Nothing survives; what a person stopped stays stopped until a person resumes it."""
    url = f"sqlite:///{tmp_path}/store.db"
    async with world(tmp_path, url, adopts=True) as ground:
        run_id = await ground.start("""
            name: long
            blocks:
              - {id: nap, type: Shell, on_interrupt: rerun, inputs: {command: "while [ ! -e go ]; do sleep 0.05; done"}}
        """)

    (tmp_path / "go").touch()
    async with world(tmp_path, url, adopts=True) as ground:
        assert await ground.executor.adopt() == ()
        assert (await ground.history.run_view(run_id)).status is RunStatus.INTERRUPTED
        await ground.executor.resume(run_id, by="bo")

        async def has_succeeded() -> bool:
            return (await ground.history.run_view(run_id)).status is RunStatus.SUCCEEDED

        await until(has_succeeded)


async def test_an_answer_may_be_left_to_others_to_act_on(ground: World) -> None:
    """It is durable; the run moves when somebody drives it."""
    run_id = await ground.start(APPROVAL, project="shop")
    await ground.rest(run_id)
    pause = await ground.pause_of(run_id, "gate")
    await ground.executor.answer(pause.pause_id, Reply(raw="yes", by="ana", via="test"), drive=False)
    view = await ground.rest(run_id)
    assert view.status is RunStatus.INTERRUPTED
    assert await ground.executor.adopt() == (run_id,)

    assert (await ground.rest(run_id)).status is RunStatus.SUCCEEDED
