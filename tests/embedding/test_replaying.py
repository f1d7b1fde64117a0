"""A run becomes a test: what was recorded of it, done again by its workflow without doing anything."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

import tidegate
from running import World, definition_of, until, world
from tidegate.blocks.registry import catalog
from tidegate.engine.forks.fork import ForkRequest
from tidegate.history.portable import NotExportable
from tidegate.history.recording import BadRecording, Recording, read_recording, record, told_questions
from tidegate.model.events import Origin, RunStatus
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.workflows.loader import Loaded, load_workflow

CHILD = """
name: child
blocks:
  - {id: say, type: Shell, inputs: {command: "echo child >> log"}}
  - {id: ask, type: GetInput, depends_on: [say], inputs: {prompt: "Which?"}}
outputs: {which: "${ask.input_value}"}
"""
PARENT = """
name: parent
inputs: {colours: {type: list, default: [red, green]}}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo build >> log; seq 1 2000"}, outputs: {short: "is ${build.exit_code}"}}
  - id: flaky
    type: Shell
    inputs: {command: "echo flaky >> log; test -e flag || { touch flag; exit 3; }"}
    retry: {max_attempts: 3, delay: 0.05}
  - {id: each, type: Shell, depends_on: [build], for_each: "${colours}", inputs: {command: 'echo "${item}" >> log; test "${item}" = red'}, on_failure: continue}
  - {id: loop, type: Shell, depends_on: [build], loop: {until: "${loop.stdout} == '2'", max_iterations: 3, delay: 0.01}, inputs: {command: 'echo x >> loops; grep -c x loops'}}
  - {id: rest, type: Wait, depends_on: [build], inputs: {duration: 0.1}}
  - {id: never, type: Shell, depends_on: [build], condition: "${build.exit_code} == 7", inputs: {command: "echo never >> log"}}
  - {id: sub, type: ExecuteWorkflow, depends_on: [loop, flaky, rest], inputs: {workflow: child.yaml}}
  - {id: gate, type: ConfirmOperation, depends_on: [sub], inputs: {message: "Go to ${sub.which}?", operation: deploy}}
  - {id: deploy, type: Shell, depends_on: [gate], inputs: {command: "echo deploy >> log; exit 4"}}
  - {id: tidy, type: Shell, depends_on: [deploy], always: true, inputs: {command: "echo tidy >> log"}}
outputs: {which: "${sub.which}", said: "${build.short}"}
"""


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    """Where runs are recorded."""
    (tmp_path / "child.yaml").write_text(CHILD)
    (tmp_path / "parent.yaml").write_text(PARENT)
    async with world(tmp_path) as made:
        yield made


def parent(here: World, old: str = "", new: str = "") -> Loaded:
    """Return the workflow, with one thing in it changed."""
    assert old in PARENT
    (here.folder / "parent.yaml").write_text(PARENT.replace(old, new))
    return load_workflow(here.folder / "parent.yaml", catalog())


async def recorded(here: World, run_id: RunId, seq: int | None = None) -> Recording:
    """Return the recording of a run, as it comes back from its file."""
    head = (await here.store.run(run_id)).head
    made = await record(here.store, run_id, Seq(seq or head))
    return read_recording(msgspec.json.encode(made.recording), "x.json")


async def failed(here: World) -> RunId:
    """Return a run with a history of every kind, that failed in production."""
    run_id = await here.executor.start(parent(here).definition, {"colours": ["red", "green"]}, by="ana")
    await here.rest(run_id)
    (asked,) = await here.history.inbox(run_id)
    await here.answer(asked.run_id, "ask", "the blue one")
    await here.rest(run_id)
    await here.answer(run_id, "gate", "yes")
    assert (await here.rest(run_id)).status is RunStatus.FAILED
    return run_id


async def test_a_run_of_every_kind_is_replayed_as_it_was_and_nothing_is_done(here: World) -> None:
    """Retries, items, iterations, a wait, a run below, a failure that is tolerated and one that is not."""
    recording = await recorded(here, await failed(here))
    log = (here.folder / "log").read_text()

    replayed = await tidegate.replay_async(parent(here), recording)

    assert replayed.differences == ()
    assert str(replayed) == "failed, as in the recording"
    assert replayed.status is RunStatus.FAILED
    assert replayed.outputs == {"which": "the blue one", "said": "is 0"}
    assert replayed.path["each[green]"] == "failed"
    assert replayed.blocks == {
        **dict.fromkeys(
            ["build", "flaky", "loop", "rest", "sub", "sub/say", "sub/ask", "gate", "tidy"], "succeeded"
        ),
        **dict.fromkeys(["each", "deploy"], "failed"),
        "never": "skipped",
    }
    assert replayed.questions == ("gate: Go to the blue one?", "sub/ask: Which?")
    assert (here.folder / "log").read_text() == log


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "== 7",
            "== 0",
            [
                "block 'never' ran, and was skipped in the recording (its condition is false: ${build.exit_code} == 7)"
            ],
        ),
        (
            "depends_on: [gate], inputs",
            'depends_on: [gate], condition: "${gate.confirmed} == false", inputs',
            [
                "block 'deploy' is skipped, and was failed in the recording",
                "the run is succeeded, and was failed",
            ],
        ),
        (
            "max_attempts: 3",
            "max_attempts: 2, on: [9]",
            ["block 'flaky' is failed, and was succeeded in the recording"],
        ),
        ("max_iterations: 3", "max_iterations: 1", ["block 'loop' is failed, and was succeeded"]),
        (
            "Go to ${sub.which}?",
            "Go?",
            ["'gate' asks 'Go?' (confirm), and 'Go to the blue one?' (confirm) in the recording"],
        ),
        (
            "id: tidy",
            "id: clean",
            ["block 'clean' ran, and the recording knows no such block", "block 'tidy' is not there"],
        ),
        (
            "inputs: {colours",
            "inputs: {more: {type: string, required: true}, colours",
            ["its inputs are not taken: the input 'more' is missing"],
        ),
        (
            'type: ConfirmOperation, depends_on: [sub], inputs: {message: "Go to ${sub.which}?", operation: deploy}',
            "type: GetInput, depends_on: [sub], inputs: {prompt: x, validation_pattern: '[0-9]+'}",
            ["the question at 'gate' does not take the recorded answer"],
        ),
    ],
)
async def test_what_a_changed_workflow_does_otherwise_is_said(
    here: World, old: str, new: str, said: list[str]
) -> None:
    """In words that name the block, what it does now and what it did."""
    recording = await recorded(here, await failed(here))
    loaded = parent(here, old, new)

    replayed = await tidegate.replay_async(loaded, recording)

    told = str(replayed)
    assert all(sentence in told for sentence in said), told
    assert told.startswith("other than in the recording:\n")


ASKING = """
    name: asking
    blocks:
      - {id: first, type: ConfirmOperation, timeout: %s, inputs: {message: "Go?", operation: deploy, on_timeout: reject}}
      - {id: other, type: GetInput, inputs: {prompt: "What?"}}
      - {id: after, type: Shell, depends_on: [{block: first, when: [rejected]}], inputs: {command: "echo no"}}
"""


async def test_a_run_that_waits_is_replayed_to_where_it_waits(here: World) -> None:
    """Also at a point in its past at which it did."""
    run_id = await here.start(ASKING % "2h")
    await here.rest(run_id)
    waiting = (await here.store.run(run_id)).head
    await here.answer(run_id, "first", "no")
    await here.rest(run_id)

    loaded = Loaded(definition_of(ASKING % "2h"), "")
    then = await tidegate.replay_async(loaded, await recorded(here, run_id, waiting))
    now = await tidegate.replay_async(loaded, await recorded(here, run_id))

    assert (then.status, then.differences, then.blocks["first"]) == (RunStatus.PAUSED, (), "paused")
    assert (now.status, now.differences, now.blocks["first"]) == (RunStatus.PAUSED, (), "rejected")


async def test_a_question_that_nobody_answered_expires_at_once(here: World) -> None:
    """A replay waits for nothing, whatever the deadline is by now."""
    run_id = await here.start(ASKING % "0.2s")
    await here.answer(run_id, "other", "this")
    await here.rest(run_id)
    (pause,) = await here.history.inbox(run_id)
    assert pause.deadline is not None
    while await here.history.inbox(run_id):
        await here.executor.resume(run_id, by="ana")
    await here.rest(run_id)

    replayed = await tidegate.replay_async(
        Loaded(definition_of(ASKING % "10d"), ""), await recorded(here, run_id)
    )

    assert (replayed.differences, replayed.status) == ((), RunStatus.REJECTED)


EAGER = """
    name: eager
    schedule: eager
    blocks:
      - {id: a, type: Shell, inputs: {command: "sleep 0.3"}}
      - {id: b, type: Shell, inputs: {command: "true"}}
      - {id: ga, type: GetInput, depends_on: [a], inputs: {prompt: "A?"}}
      - {id: gb, type: GetInput, depends_on: [b], inputs: {prompt: "B?"}}
"""


async def test_how_long_work_took_does_not_show_in_the_questions(here: World) -> None:
    """They are told by place: in a replay work takes no time, and others are asked first."""
    run_id = await here.start(EAGER)
    await here.rest(run_id)
    asked = sorted((await here.history.state(run_id)).pauses.values(), key=lambda pause: pause.opened_seq)
    recording = await recorded(here, run_id)

    replayed = await tidegate.replay_async(Loaded(definition_of(EAGER), ""), recording)

    assert [pause.block for pause in asked] == ["gb", "ga"]
    assert replayed.questions == told_questions(recording.questions) == ("ga: A?", "gb: B?")


RETRIED = """
    name: retried
    blocks:
      - {id: a, type: Shell, inputs: {command: "test -e mended"}}
      - {id: b, type: Shell, depends_on: [a], on_failure: pause, inputs: {command: "exit 3"}}
"""


async def test_what_a_person_let_run_again_counts_as_it_was_the_last_time(here: World) -> None:
    """And what a person decided about a failure is decided again."""
    run_id = await here.start(RETRIED)
    await here.rest(run_id)
    (here.folder / "mended").touch()
    await here.executor.retry(run_id, BlockId("a"), by="ana")
    await here.answer(run_id, "b", 'done {"stdout": "by hand"}')
    assert (await here.rest(run_id)).status is RunStatus.SUCCEEDED

    replayed = await tidegate.replay_async(Loaded(definition_of(RETRIED), ""), await recorded(here, run_id))

    assert (replayed.differences, replayed.status) == ((), RunStatus.SUCCEEDED)


async def test_a_fork_is_replayed_with_all_that_it_goes_on_from(here: World) -> None:
    """From its first event on."""
    run_id = await failed(here)
    head = (await here.store.run(run_id)).head
    fork = await here.executor.fork(ForkRequest(Origin(run_id=run_id, seq=Seq(head))), by="bo")
    await here.rest(fork)

    replayed = await tidegate.replay_async(parent(here), await recorded(here, fork))

    assert (replayed.differences, replayed.status) == ((), RunStatus.FAILED)


CUT = """
    name: cut
    blocks:
      - {id: nap, type: Shell, inputs: {command: "touch begun; sleep 60"}}
"""


async def cut_off(folder: Path) -> RunId:
    """Return a run whose work was cut off, in a store that is closed by now."""
    (folder / "begun").unlink(missing_ok=True)
    async with world(folder, f"sqlite://{folder}/cut.db") as here:
        run_id = await here.start(CUT)

        async def has_begun() -> bool:
            return (folder / "begun").exists()

        await until(has_begun)
    return run_id


@pytest.mark.parametrize(
    ("answer", "status"), [('done {"stdout": "by hand"}', RunStatus.SUCCEEDED), ("fail", RunStatus.FAILED)]
)
async def test_what_a_person_said_of_work_that_was_cut_off_is_how_it_ended(
    tmp_path: Path, answer: str, status: RunStatus
) -> None:
    """The question about it is left out: a replay has no crashes."""
    run_id = await cut_off(tmp_path)
    async with world(tmp_path, f"sqlite://{tmp_path}/cut.db") as here:
        await here.executor.resume(run_id, by="ana")
        assert (await here.answer_and_rest(run_id, "nap", answer)).status is status
        recording = await recorded(here, run_id)

    replayed = await tidegate.replay_async(Loaded(definition_of(CUT), ""), recording)

    assert (replayed.differences, replayed.status, replayed.questions) == ((), status, ())


async def test_what_no_workflow_does_again_is_no_test(here: World) -> None:
    """A run that is cancelled, or held, or in which a person skipped something; each is told why."""
    run_id = await here.start(ASKING % "2h")
    await here.rest(run_id)
    await here.executor.pause(run_id, by="ana")
    with pytest.raises(NotExportable, match="Name a point at which it has ended, or waits"):
        await recorded(here, run_id)
    await here.executor.unpause(run_id, by="ana")
    await here.executor.skip(run_id, BlockId("other"), by="ana", reason="no need")
    await here.rest(run_id)
    with pytest.raises(NotExportable, match="ana skipped block 'other'"):
        await recorded(here, run_id)
    cancelled = await here.start(ASKING % "2h")
    await here.rest(cancelled)
    await here.executor.cancel(cancelled, by="ana")
    await here.rest(cancelled)
    with pytest.raises(NotExportable, match="it was cancelled, and a replay would not be"):
        await recorded(here, cancelled)
    interrupted = await cut_off(here.folder)
    async with world(here.folder, f"sqlite://{here.folder}/cut.db") as there:
        await there.executor.resume(interrupted, by="ana")
        await there.answer_and_rest(interrupted, "nap", "skip")
        with pytest.raises(NotExportable, match="ana skipped block 'nap', which was cut off"):
            await recorded(there, interrupted)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    """With its name, and how to get one."""
    path = tmp_path / "x.json"
    for text in (
        b"",
        b"{}",
        b'{"format": "x", "version": 1, "run_id": "r", "workflow": "w", "status": "failed"}',
    ):
        path.write_bytes(text)
        with pytest.raises(BadRecording, match=r"x\.json: .*export --as-test"):
            tidegate.replay(Loaded(definition_of(RETRIED), ""), path)
