"""Workflow files as practitioners write them, each with the trap that it sets for an engine."""

import asyncio
import json

import pytest

from running import until
from samples.playing import Play, Stage
from tidegate.errors import AnswerError, DefinitionError, InvalidAnswer
from tidegate.model.answer import Reply
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import ChoicePrompt

# -- a child for each item ---------------------------------------------------------------------


async def test_each_item_asks_in_its_turn_and_its_answer_stays_with_it(ground: Stage) -> None:
    """The answer goes to the child that asked; the items after it are still gone through (W04)."""
    play = await ground.play("approve-each")
    asked = []
    for service, raw in (("red", "y"), ("green", "n"), ("blue", "approved")):
        asked.append({place: pause.prompt.text for place, pause in (await play.asked()).items()})
        await play.say(f"deploy[{service}]/gate", raw)
    blocks = await play.blocks()

    assert asked == [
        {"deploy[red]/gate": "Deploy red on port 80?"},
        {"deploy[green]/gate": "Deploy green on port 81?"},
        {"deploy[blue]/gate": "Deploy blue on port 82?"},
    ]
    assert ground.log == ["red:80", "blue:82", "red y / blue approved: 2 done, 1 refused"]
    assert blocks == {"deploy": "rejected", "report": "succeeded"}
    assert (await play.outputs())["statuses"] == ["red=succeeded", "green=rejected", "blue=succeeded"]
    assert await play.status() is RunStatus.REJECTED


async def test_an_empty_list_is_a_success_and_a_limit_is_kept(ground: Stage) -> None:
    """Nothing to do is no failure and no reason to skip; with five, never more than two at once (W32)."""
    none = await ground.play("empty-list")
    assert await none.status() is RunStatus.SUCCEEDED
    assert await none.outputs() == {"count": 0, "names": []}
    assert ground.log == ["after 0"]

    five = await ground.play("empty-list", members=list("abcde"))
    assert await five.outputs() == {"count": 5, "names": [f"hello {name}" for name in "abcde"]}
    at_once, most = 0, 0
    for turn in ground.lines("turns"):
        at_once += 1 if turn == "+" else -1
        most = max(most, at_once)
    assert most == 2


async def test_a_step_that_is_reached_from_three_places_runs_three_times(ground: Stage) -> None:
    """What is called is a run of its own each time, and the last call knows how the run ended (W27)."""
    play = await ground.play("notify-often")

    outputs = await play.outputs()
    assert sorted(line for line in ground.log if line.startswith("mail")) == [
        "mail: created",
        "mail: reserved",
        "mail: succeeded",
    ]
    assert isinstance(outputs["three"], list)
    assert sorted(outputs["three"]) == ["1", "2", "3"]  # type: ignore[type-var]
    assert ground.log[-1] == "mail: succeeded"


# -- again and again ---------------------------------------------------------------------------


async def test_two_runs_that_count_do_not_disturb_each_other(ground: Stage) -> None:
    """Each run's counter is its own, and is not there at first (W05)."""
    plays = [await ground.play("counter", target=target) for target in (3, 5)]

    assert [await play.outputs() for play in plays] == [{"value": 3, "steps": 3}, {"value": 5, "steps": 5}]


async def test_a_cycle_and_a_workflow_that_calls_itself_are_refused_with_what_to_write(ground: Stage) -> None:
    """Not "cyclic dependency" and no more: the message says loop (W05, W26)."""
    itself = ground.folder / "itself.yaml"
    itself.write_text(
        "name: itself\nblocks:\n  - {id: again, type: ExecuteWorkflow, inputs: {workflow: ./itself.yaml}}\n"
    )
    cycle = ground.folder / "cycle.yaml"
    cycle.write_text(
        "name: cycle\nblocks:\n"
        "  - {id: check, type: Shell, depends_on: [roll_back], inputs: {command: 'true'}}\n"
        "  - {id: roll_back, type: Shell, depends_on: [check], inputs: {command: 'true'}}\n"
    )

    with pytest.raises(DefinitionError, match=r"itself\.yaml:3:.*cannot call itself.*loop"):
        await ground.play_file(itself)
    with pytest.raises(DefinitionError, match=r"check.*roll_back.*loop"):
        await ground.play_file(cycle)


async def test_check_and_roll_back_go_round_until_it_is_healthy(ground: Stage) -> None:
    """A bounded loop over two blocks; what never gets well is a failure, and nothing after it runs (W26)."""
    well = await ground.play("heal", patience="2")
    assert await well.status() is RunStatus.SUCCEEDED
    assert ground.log == ["check 0", "check 1", "check 2", "healthy after 3"]

    (ground.folder / "rolled-back").unlink()
    (ground.folder / "log").unlink()
    ill = await ground.play("heal", patience="99")
    assert await ill.status() is RunStatus.FAILED
    assert ground.log == ["check 0", "check 1", "check 2", "check 3"]


# -- who runs after whom -----------------------------------------------------------------------


async def test_dependencies_may_ask_for_certain_ends(ground: Stage) -> None:
    """Succeeded, failed, skipped: each dependant runs after the end that it asks for (W15)."""
    play = await ground.play("enhanced-depends")

    blocks = await play.blocks()
    assert (blocks["b"], blocks["c"], blocks["after_success"]) == ("failed", "skipped", "skipped")
    assert sorted(ground.log) == ["a", "after_any", "after_failure", "after_skip", "tolerant"]
    # The workflow tolerates failures, so what depends on one runs, and the run succeeds.
    assert blocks["after_chain"] == "skipped"
    assert await play.status() is RunStatus.SUCCEEDED


async def test_nothing_is_released_when_the_test_fails_after_the_gate_was_approved(ground: Stage) -> None:
    """A yes that was given while the test still ran is no yes to a broken build (W18)."""
    failing = await ground.play("gate-beside-work", tests="fail")
    await failing.say("approve", "yes")
    assert await failing.status() is RunStatus.FAILED
    assert await failing.blocks() == {
        "build": "succeeded",
        "approve": "succeeded",
        "test": "failed",
        "release": "skipped",
    }
    assert ground.log == ["build"]

    passing = await ground.play("gate-beside-work")
    await passing.say("approve", "yes")
    assert await passing.status() is RunStatus.SUCCEEDED
    assert ground.log[1:] == ["build", "test", "release"]


@pytest.mark.parametrize(
    ("breaks", "log"),
    [
        ("nothing", ["patch"]),
        ("snapshot", ['alert: no snapshot, rollback skipped, failed: ["snapshot"]']),
        ("patch", ["patch", "back to snap-17", 'alert: snap-17, rollback succeeded, failed: ["patch"]']),
        ("health", ["patch", "back to snap-17", 'alert: snap-17, rollback succeeded, failed: ["health"]']),
    ],
)
async def test_a_patch_is_rolled_back_only_to_what_was_there(
    ground: Stage, breaks: str, log: list[str]
) -> None:
    """Before the snapshot there is nothing to go back to; somebody is alerted all the same (W22)."""
    play = await ground.play("safe-patch", breaks=breaks)

    status = await play.status()
    assert ground.log == log
    assert status is (RunStatus.SUCCEEDED if breaks == "nothing" else RunStatus.FAILED)


async def _ended(ground: Stage, ending: str) -> Play:
    play = await ground.play("exit-handler", ending=ending)
    if ending == "rejected":
        await play.say("gate", "no")
    if ending == "cancelled":
        await play.asked()
        await ground.world.executor.cancel(play.run_id, by="ana")
    await play.rest()
    return play


@pytest.mark.parametrize("ending", ["succeeded", "rejected", "cancelled"])
async def test_who_is_told_at_the_end_is_told_how_it_ended(ground: Stage, ending: str) -> None:
    """One of two handlers runs, also after a "no" and a cancel (W16)."""
    play = await _ended(ground, ending)

    assert ground.log == (["hooray"] if ending == "succeeded" else [f"{ending}: []"])
    assert await play.status() == RunStatus(ending)


async def test_who_is_told_of_a_failure_gets_its_text_as_text(ground: Stage) -> None:
    """What a command wrote is data, however much it looks like a command (W16)."""
    play = await _ended(ground, "failed")

    (line,) = ground.log
    (failure,) = json.loads(line.removeprefix("failed: "))
    assert (failure["block"], failure["kind"], failure["exit_code"]) == ("work", "exit", 4)
    assert failure["message"].endswith('it\'s "broken"; $(touch owned) `touch owned`')
    assert await play.status() is RunStatus.FAILED
    assert not (ground.folder / "owned").exists()


async def test_who_is_told_at_the_end_is_told_when_the_time_is_up(ground: Stage) -> None:
    """The limit of the whole workflow stops the work, not the handler (W16)."""
    play = await _ended(ground, "timed out")

    (line,) = ground.log
    assert line.startswith("failed: ")
    assert await play.blocks() == {
        "work": "cancelled",
        "gate": "cancelled",
        "celebrate": "skipped",
        "mourn": "succeeded",
    }


# -- people ------------------------------------------------------------------------------------


async def test_two_people_are_asked_and_one_deploy_waits_for_both(ground: Stage) -> None:
    """Work that is nobody's business goes on; answers go by block, not by what the question says (W11, W24)."""
    play = await ground.play("two-acknowledgements")
    asked = await play.asked()
    assert {place: pause.prompt.text for place, pause in asked.items()} == {
        "ask_jack": "Jill, are you ready?",
        "ask_jill": "Jack, are you ready?",
    }
    assert ground.log == ["beside", "beside too"]

    await play.say("ask_jill", "yes")
    left = await play.asked()
    assert (set(left), ground.log) == ({"ask_jack"}, ["beside", "beside too"])

    await play.say("ask_jack", "no")
    assert (await play.blocks())["deploy"] == "succeeded"
    assert ground.log == ["beside", "beside too", "jack=false jill=true"]


async def test_yes_and_no_stay_the_words_they_were_written_as(ground: Stage) -> None:
    """YAML would make booleans of them; the default is offered, not taken from an empty answer (W13)."""
    play = await ground.play("yes-or-no")
    prompt = (await play.asked())["approve"].prompt
    assert isinstance(prompt, ChoicePrompt)
    assert prompt.choices == ("YES", "NO")
    with pytest.raises(InvalidAnswer):
        await play.say("approve", "YE")

    await play.say("approve", "NO")
    assert (await play.blocks())["production"] == "skipped"
    yes = await ground.play("yes-or-no")
    await yes.say("approve", "1")
    await yes.rest()
    assert ground.log == ["preprod", "preprod", "production"]


async def test_the_second_choice_depends_on_the_first_and_a_no_provisions_nothing(ground: Stage) -> None:
    """What was answered decides, not that an answer came; there is no default yes (W23)."""
    play = await ground.play("request-resources")
    await play.say("kind", "vm")
    prompt = (await play.asked())["size"].prompt
    assert (prompt.text, isinstance(prompt, ChoicePrompt) and prompt.choices) == (
        "Which vm?",
        ("small", "large"),
    )
    await play.say("size", "large")
    with pytest.raises(InvalidAnswer, match="approved"):
        await play.say("verdict", "{}")
    await play.say("verdict", '{"approved": "no", "reason": "too $(large)"}')
    await play.rest()
    assert ground.log == ["refused: too $(large)"]

    granted = await ground.play("request-resources")
    await granted.says(kind="bucket", size="1", verdict='{"approved": true}')
    assert ground.log[1:] == ["1 TB bucket: all in order"]


QUESTIONS = [
    {"id": "name", "label": "[/red] \x1b]52;c;cm0gLXJm\x07 What is it called?"},
    {"id": "size", "label": "x" * 2_000, "choices": ["small", "large"], "default": "small"},
    {"id": "since", "label": "${run.id} $(touch owned)", "input_type": "date", "required": False},
]


async def test_questions_out_of_data_are_asked_together_and_kept_as_they_are(ground: Stage) -> None:
    """Untrusted text is only text: nothing in it is evaluated, and a refused answer loses none (W06)."""
    play = await ground.play("survey", questions=json.dumps(QUESTIONS))
    with pytest.raises(InvalidAnswer, match="'since'"):
        await play.say("ask", '{"name": "n", "since": "yesterday"}')
    prompt = (await play.asked())["ask"].prompt
    await play.say("ask", '{"name": "n", "size": "2"}')

    expected = {"name": "n", "size": "large", "since": None}
    assert "$(touch owned)" in str(prompt)
    assert "${run.id}" in str(prompt)
    assert (await play.outputs())["answers"] == expected
    assert json.loads((ground.folder / "answers/all.json").read_text()) == expected
    assert not (ground.folder / "owned").exists()


@pytest.mark.parametrize(
    ("questions", "problem"),
    [
        ([], "holds 0 fields"),
        ([{"id": "a"}, {"id": "a"}], "the id 'a' twice"),
        ([{"id": "a", "label": "x" * 5_000}], "5,000 characters"),
        ([{"id": "a", "choces": ["x"]}], "choces"),
        ("none", "must be a list of fields"),
    ],
)
async def test_questions_that_cannot_be_asked_fail_the_block_and_say_why(
    ground: Stage, questions: object, problem: str
) -> None:
    """Data that is no form is no form, whoever made it (W06)."""
    play = await ground.play("survey", questions=json.dumps(questions))

    state = await play.rest()
    assert state.status is RunStatus.FAILED
    assert problem in state.first_failure
    assert not (ground.folder / "answers").exists()


async def test_a_person_decides_what_becomes_of_a_node_that_failed(ground: Stage) -> None:
    """The run waits with the failure before it; nodes that were done stay done (W28)."""
    (ground.folder / "broken-n2").touch()
    play = await ground.play("careful-upgrade", nodes=["n1", "n2", "n3"], ask=False)
    asked = await play.asked()
    assert list(asked) == ["node[n2]/drain"]
    assert asked["node[n2]/drain"].prompt.kind == "recovery"
    (ground.folder / "broken-n2").unlink()
    await play.say("node[n2]/drain", "rerun")

    assert await play.status() is RunStatus.SUCCEEDED
    assert ground.log == [
        *("drain n1", "uncordon n1", "drain n2", "drain n2", "uncordon n2", "drain n3", "uncordon n3"),
        "all",
    ]


async def test_a_node_that_is_given_up_stops_the_nodes_after_it(ground: Stage) -> None:
    """It is opened again, the rest is left alone, and the run has failed (W28)."""
    (ground.folder / "broken-n2").touch()
    play = await ground.play("careful-upgrade", nodes=["n1", "n2", "n3"])
    await play.say("node[n1]/confirm", "yes")
    with pytest.raises(InvalidAnswer):
        await play.say("node[n2]/confirm", "")
    await play.say("node[n2]/confirm", "yes")
    await play.say("node[n2]/drain", "fail")

    assert await play.status() is RunStatus.FAILED
    assert ground.log == ["drain n1", "uncordon n1", "drain n2", "uncordon n2"]
    results = await play.results_of("node")
    assert [result["status"] for result in results] == ["succeeded", "failed", "skipped"]


# -- values and time ---------------------------------------------------------------------------


async def test_a_large_document_goes_through_standard_input(ground: Stage) -> None:
    """More than a pipe holds, to one that reads it and to one that does not; undeclared, it is empty (W08)."""
    play = await ground.play("stdin-document", rows=["x" * 1000] * 300)

    assert await play.status() is RunStatus.SUCCEEDED
    outputs = await play.outputs()
    assert outputs["bytes"] == len(str(outputs["text"])) > 300_000
    assert outputs["without"] == "<>"


async def test_a_wait_lasts_what_was_written_in_whatever_unit(ground: Stage) -> None:
    """200ms, a number with a unit behind it, 0.3 and an instant that is over (W09)."""
    play = await ground.play("waits")

    waited = (await play.outputs())["waited"]
    assert isinstance(waited, list)
    text, made, bare, over = (float(str(seconds)) for seconds in waited)
    assert 0.2 <= text < 2
    assert 0.15 <= made < 2
    assert 0.3 <= bare < 2
    assert over < 0.2
    assert ground.log == ["after", "succeeded"]


async def test_a_cancel_does_not_wait_for_a_wait(ground: Stage) -> None:
    """An hour is cut off at once; what runs always still runs (W09)."""
    play = await ground.play("waits", long=True)

    async def others_are_over() -> bool:
        state = await ground.world.history.state(play.run_id)
        return state.block(BlockId("bare")).status.has_ended

    await until(others_are_over)
    await ground.world.executor.cancel(play.run_id, by="ana", reason="enough")

    async with asyncio.timeout(10):
        assert await play.status() is RunStatus.CANCELLED
    assert (await play.blocks())["hour"] == "cancelled"
    assert ground.log == ["cancelled"]


async def test_inputs_reach_a_long_script_as_data_whatever_is_in_them(ground: Stage) -> None:
    """Quotes, blanks and shell words in an input change nothing of the script around them (W31)."""
    play = await ground.play("external-project", name="a'b\"c $(touch owned) `id` \\", public=True)

    assert await play.status() is RunStatus.SUCCEEDED
    assert ground.lines("project.txt") == [
        "name=<a'b\"c $(touch owned) `id` \\>",
        'description=<the "big" one, isn\'t it>',
        "contact=<ops@example.com>",
        "cores=<16> memory=<62.5> public=<true>",
        "network=<internal>",
        "network=<with blank>",
        'tags=<{"team":"ops"}>',
    ]
    assert (await play.outputs_of("create"))["stdout"] == "1: 2\n2: 4\n3: 6"
    assert not (ground.folder / "owned").exists()


async def test_python_calculates_for_each_item_and_keeps_what_others_need(ground: Stage) -> None:
    """Items of a mapping, the run's own state in a question and in a list, and a named position (W07)."""
    play = await ground.play("prices")
    assert (await play.asked())["gate"].prompt.text == "The sum is 12. What now?"
    await play.say("gate", "go on")

    assert await play.outputs() == {"sum": 12, "regions": ["eu", "us"]}
    assert sorted(ground.log) == ["eu 0", "us 1"]
    kinds = CheckpointFilter(run_id=play.run_id, kinds=(CheckpointKind.EXPLICIT,))
    (mark,) = await ground.world.history.checkpoints(kinds)
    assert (mark.label, mark.metadata) == ("summed up", {"sum": 12})


async def test_a_choice_that_was_not_taken_leaves_its_items_alone(ground: Stage) -> None:
    """The block that goes through them is skipped as a whole (W07)."""
    play = await ground.play("prices")
    await play.say("gate", "3")

    assert (await play.blocks())["dive"] == "skipped"
    assert await play.status() is RunStatus.SUCCEEDED
    assert ground.log == []


async def test_a_late_answer_is_told_who_was_faster(ground: Stage) -> None:
    """One winner, whatever the loser says (W11)."""
    play = await ground.play("yes-or-no")
    pause = (await play.asked())["approve"]
    answers = [
        ground.world.executor.answer(pause.pause_id, Reply(raw=raw, by=by, via="test"))
        for raw, by in (("YES", "ana"), ("NO", "bo"))
    ]
    ends = await asyncio.gather(*answers, return_exceptions=True)

    (lost,) = (end for end in ends if isinstance(end, BaseException))
    assert isinstance(lost, AnswerError)
    assert "already answered by" in str(lost)
    await play.rest()
    assert ground.log.count("production") <= 1
