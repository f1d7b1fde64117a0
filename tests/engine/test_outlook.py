"""What an answer would lead to: exact for its moment, honest about what follows."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from running import World, world
from scripted import Scripted, with_scripted
from strategies import Case, cases
from tidegate.blocks.registry import catalog
from tidegate.errors import InvalidAnswer, PauseClosed
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.outlook import Ahead, ForeseenBlock, Outlook, Supposed
from tidegate.model.state import BlockStatus, RunState
from tidegate.workflows.loader import load_workflow


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    """A world of its own."""
    async with world(tmp_path) as ground:
        yield ground


DEPLOY = """
    name: deploy
    inputs:
      region: {type: str, default: eu}
    blocks:
      - {id: build, type: Shell, inputs: {command: "echo 1.5.3"}}
      - {id: go, type: ConfirmOperation, depends_on: [build], inputs: {message: "Go?"}}
      - {id: deploy, type: Shell, depends_on: [go], inputs: {command: "echo deploy ${build.stdout} ${region}"}}
      - {id: check, type: Shell, depends_on: [deploy], inputs: {command: "echo check ${deploy.stdout}"}}
      - {id: us, type: Shell, depends_on: [go], condition: "${region} == 'us'", inputs: {command: "echo us"}}
      - {id: warm, type: Shell, depends_on: [check], condition: "${deploy.exit_code} == 0", inputs: {command: "echo warm"}}
      - {id: tell, type: Shell, depends_on: [warm], inputs: {command: "echo told ${region}"}}
      - {id: back, type: Shell, depends_on: [{block: go, when: [rejected]}], inputs: {command: "echo back ${build.stdout}"}}
      - {id: clean, type: Shell, always: true, depends_on: [check], inputs: {command: "echo clean"}}
"""


async def foreseen(here: World, run_id: RunId, block: str, raw: str | Supposed) -> Outlook:
    """Return what an answer would lead to; nothing is written by that."""
    pause = await here.pause_of(run_id, block)
    before = await here.events(run_id)
    outlook = await here.executor.foresee(pause.pause_id, raw)
    assert await here.events(run_id) == before
    assert outlook.as_json()["seq"] == before[-1].seq
    return outlook


def told(blocks: tuple[ForeseenBlock, ...]) -> list[str]:
    """Return blocks in a short form: a ~ where it is not sure, what it does or its condition behind it."""
    return [
        f"{'' if it.is_sure else '~'}{it.block}"
        + (f": {it.does}" if it.does else "")
        + (f" if {it.condition}" if it.condition else "")
        for it in blocks
    ]


async def test_yes_and_no_are_told_apart_with_what_they_run(here: World) -> None:
    """Commands are rendered where they can be; what cannot be decided yet is told as it is written."""
    run_id = await here.start(DEPLOY, region="eu")
    yes = await foreseen(here, run_id, "go", "yes")
    no = await foreseen(here, run_id, "go", "no")

    assert told(yes.of(Ahead.AT_ONCE)) == ["deploy: echo deploy 1.5.3 eu"]
    assert told(yes.of(Ahead.LATER)) == [
        "check",
        "~warm if ${deploy.exit_code} == 0",
        "clean: echo clean",
        "~tell: echo told eu",
    ]
    assert {it.block: it.reason for it in yes.of(Ahead.SKIPPED)} == {
        "us": "its condition is false: ${region} == 'us'",
        "back": "'go' succeeded, and it runs only if that is rejected",
    }
    assert (yes.block_ends, yes.ends, yes.is_held) == ("succeeded", None, False)
    assert [it.block for it in yes.effects] == ["deploy", "check", "warm", "clean", "tell"]

    assert told(no.of(Ahead.AT_ONCE)) == ["back: echo back 1.5.3"]
    assert told(no.of(Ahead.LATER)) == ["clean: echo clean"]
    assert {it.block for it in no.of(Ahead.SKIPPED)} == {"deploy", "us", "check", "warm", "tell"}
    assert no.block_ends == "rejected"


async def test_what_nobody_has_said_yet_and_what_time_decides(here: World) -> None:
    """An answer that is not typed yet gives what is not known; a deadline gives its default."""
    run_id = await here.start(
        """
        name: asks
        blocks:
          - {id: who, type: GetInput, timeout: 1h, inputs: {prompt: "Who?", default: nobody, on_timeout: default}}
          - {id: greet, type: Shell, depends_on: [who], inputs: {command: "echo hello ${who.input_value}"}}
          - {id: fallback, type: Shell, depends_on: [who], condition: "${who.input_value} == 'nobody'", inputs: {command: "echo x"}}
        """
    )
    anything = await foreseen(here, run_id, "who", Supposed.ANYTHING)
    nothing = await foreseen(here, run_id, "who", Supposed.NOTHING)
    typed = await foreseen(here, run_id, "who", "bo")

    assert told(anything.of(Ahead.LATER)) == ["greet", "~fallback if ${who.input_value} == 'nobody'"]
    assert told(nothing.of(Ahead.AT_ONCE)) == ["greet: echo hello nobody", "fallback: echo x"]
    assert told(typed.of(Ahead.AT_ONCE)) == ["greet: echo hello bo"]
    assert [it.block for it in typed.of(Ahead.SKIPPED)] == ["fallback"]


async def test_an_end_a_second_question_and_a_held_run_are_told(here: World) -> None:
    """And a question without a deadline waits for ever."""
    run_id = await here.start(
        """
        name: short
        blocks:
          - {id: go, type: ConfirmOperation, inputs: {message: "Go?", on_reject: stop}}
          - {id: again, type: ConfirmOperation, depends_on: [go], inputs: {message: "Sure?"}}
        """
    )
    yes = await foreseen(here, run_id, "go", "yes")
    assert [(it.block, it.ahead, it.asks, it.has_effect) for it in yes.runs] == [
        ("again", Ahead.AT_ONCE, True, False)
    ]
    no = await foreseen(here, run_id, "go", "no")
    assert (no.ends, no.block_ends, no.runs) == (RunStatus.REJECTED, "rejected", ())
    nothing = await foreseen(here, run_id, "go", Supposed.NOTHING)
    assert (nothing.blocks, nothing.ends, nothing.block_ends) == ((), None, "")

    await here.executor.pause(run_id, by="ana")
    held = await foreseen(here, run_id, "go", "yes")
    assert held.is_held
    assert held.of(Ahead.AT_ONCE) == ()
    assert [it.block for it in held.of(Ahead.LATER)] == ["again"]


CHILD = """\
name: child
blocks:
  - {id: go, type: ConfirmOperation, inputs: {message: "Go?"}}
"""
TOP = """\
name: top
blocks:
  - {id: call, type: ExecuteWorkflow, inputs: {workflow: child.yaml}}
  - {id: ship, type: Shell, depends_on: [call], inputs: {command: "echo ship"}}
  - {id: say, type: Shell, depends_on: [call], inputs: {command: "echo ${call.run_id}"}}
"""


async def test_what_follows_in_the_workflow_above_is_told(here: World, tmp_path: Path) -> None:
    """With the name of that workflow; a refusal below is one above."""
    (tmp_path / "child.yaml").write_text(CHILD)
    (tmp_path / "top.yaml").write_text(TOP)
    top = load_workflow(tmp_path / "top.yaml", catalog()).definition
    run_id = await here.start(top)
    await here.rest(run_id)
    (pause,) = await here.history.inbox(run_id)
    yes = await here.executor.foresee(pause.pause_id, "yes")
    no = await here.executor.foresee(pause.pause_id, "no")

    assert yes.ends is RunStatus.SUCCEEDED
    assert [(it.above, it.block, it.ahead, it.does) for it in yes.blocks] == [
        ("top", "ship", Ahead.LATER, "echo ship"),
        ("top", "say", Ahead.LATER, ""),
    ]
    assert no.ends is RunStatus.REJECTED
    assert [(it.above, it.block, it.ahead) for it in no.blocks] == [
        ("top", "ship", Ahead.SKIPPED),
        ("top", "say", Ahead.SKIPPED),
    ]

    assert yes.caller == "top"


TWO_GATES = """
    name: two
    schedule: eager
    blocks:
      - {id: gate_a, type: ConfirmOperation, inputs: {message: "A?"}}
      - {id: act_a, type: Shell, depends_on: [gate_a], inputs: {command: "echo a"}}
      - {id: more_a, type: Shell, depends_on: [act_a], inputs: {command: "echo more"}}
      - {id: gate_b, type: ConfirmOperation, inputs: {message: "B?"}}
      - {id: act_b, type: Shell, depends_on: [gate_b], inputs: {command: "echo b"}}
      - {id: back_b, type: Shell, depends_on: [{block: gate_b, when: [rejected]}], inputs: {command: "echo back"}}
      - {id: ask_c, type: AskChoice, inputs: {question: "C?", choices: [x, y]}}
      - {id: join, type: Shell, depends_on: [more_a, act_b], inputs: {command: "echo join"}}
      - {id: tail, type: Shell, depends_on: [join], inputs: {command: "echo tail"}}
"""


def ways(outlook: Outlook) -> dict[Ahead, list[str]]:
    """Return which blocks are reached when; behind those that wait for others, what they wait for."""
    found: dict[Ahead, list[str]] = {}
    for it in outlook.blocks:
        waits = f" for {' '.join(it.waits_for)}" if it.waits_for else ""
        found.setdefault(it.ahead, []).append(f"{it.block}{' by wave' if it.by_wave else ''}{waits}")
    return found


async def test_only_what_hangs_on_the_answer_is_told(here: World) -> None:
    """What others decide about too is told apart; what only they decide about is not told."""
    run_id = await here.start(TWO_GATES)
    assert ways(await foreseen(here, run_id, "gate_a", "yes")) == {
        Ahead.AT_ONCE: ["act_a"],
        Ahead.LATER: ["more_a"],
        Ahead.WAITS: ["join for gate_b", "tail for gate_b"],
    }
    no = await foreseen(here, run_id, "gate_a", "no")
    # What act_b gives may still let join run.
    assert ways(no) == {
        Ahead.SKIPPED: ["act_a", "more_a"],
        Ahead.WAITS: ["join for gate_b", "tail for gate_b"],
    }
    assert no.effects == ()
    assert (await foreseen(here, run_id, "ask_c", Supposed.ANYTHING)).blocks == ()

    await here.answer_and_rest(run_id, "gate_b", "no")
    assert ways(await foreseen(here, run_id, "gate_a", "yes"))[Ahead.LATER] == ["more_a", "join", "tail"]


async def test_a_wave_begins_once_all_have_answered(here: World) -> None:
    """Whatever follows waits for the other questions of its wave; the last answer lets all of the next one start."""
    run_id = await here.start(TWO_GATES.replace("eager", "waves"))
    assert ways(await foreseen(here, run_id, "gate_a", "yes")) == {
        Ahead.WAITS: [f"{block} for gate_b ask_c" for block in ("act_a", "more_a", "join", "tail")]
    }
    await here.answer_and_rest(run_id, "gate_b", "yes")
    await here.answer_and_rest(run_id, "ask_c", "x")
    assert ways(await foreseen(here, run_id, "gate_a", "yes")) == {
        Ahead.AT_ONCE: ["act_a", "act_b"],
        Ahead.SKIPPED: ["back_b"],
        Ahead.LATER: ["more_a", "join", "tail"],
    }
    assert ways(await foreseen(here, run_id, "gate_a", Supposed.ANYTHING)) == {
        Ahead.LATER: ["act_a", "act_b by wave", "more_a", "join", "tail"]
    }


async def test_one_of_several_items_leaves_the_others_to_be_decided(here: World) -> None:
    """A refused one decides for all of them, and a loop that asks again is told."""
    run_id = await here.start(
        """
        name: items
        schedule: eager
        blocks:
          - {id: gate, type: ConfirmOperation, for_each: [a, b], inputs: {message: "${item}?"}}
          - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo ship"}}
          - id: name
            type: GetInput
            loop: {until: "${name.input_value} == 'ok'", max_iterations: 3}
            inputs: {prompt: "Name ${index}?"}
          - {id: use, type: Shell, depends_on: [name], inputs: {command: "echo use"}}
        """
    )
    assert ways(await foreseen(here, run_id, "gate[a]", "yes")) == {Ahead.WAITS: ["ship for gate[b]"]}
    assert ways(await foreseen(here, run_id, "gate[a]", "no")) == {Ahead.SKIPPED: ["ship"]}
    again = await foreseen(here, run_id, "name#1", "no")
    assert again.asks_again.startswith("Name ")
    assert ways(again) == {Ahead.AT_ONCE: ["name#2"], Ahead.LATER: ["use"]}
    assert ways(await foreseen(here, run_id, "name#1", "ok")) == {Ahead.AT_ONCE: ["use"]}

    await here.executor.pause(run_id, by="ana")
    await here.answer(run_id, "gate[b]", "yes")
    assert ways(await foreseen(here, run_id, "gate[a]", "no")) == {Ahead.SKIPPED: ["ship"]}


async def test_a_wrong_answer_and_a_closed_question_lead_nowhere(here: World) -> None:
    """They are refused as they would be."""
    run_id = await here.start(DEPLOY, region="eu")
    pause = await here.pause_of(run_id, "go")
    with pytest.raises(InvalidAnswer):
        await here.executor.foresee(pause.pause_id, "perhaps")
    await here.answer(run_id, "go", "no")
    with pytest.raises(PauseClosed):
        await here.executor.foresee(pause.pause_id, "yes")


SOME = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
_LOST = frozenset({BlockStatus.FAILED, BlockStatus.REJECTED})


def _check(outlook: Outlook, place: BlockId, before: RunState, after: RunState) -> None:
    """What was foreseen is what has happened, as far as it was said for sure."""
    for it in outlook.of(Ahead.WAITS):
        assert after.block(it.block).attempt == before.block(it.block).attempt
    for it in outlook.of(Ahead.AT_ONCE):
        assert after.block(it.block).attempt > before.block(it.block).attempt
    if outlook.block_ends:
        assert after.block(place).status.value == outlook.block_ends
    if outlook.ends is not None:
        assert after.finished is not None
        assert after.finished.status is outlook.ends
    if _went_well(place, before, after):
        _check_what_follows(outlook, after)


def _went_well(place: BlockId, before: RunState, after: RunState) -> bool:
    def lost(state: RunState) -> set[BlockId]:
        return {block for block in state.graph.blocks if state.block(block).status in _LOST}

    return not lost(after) - lost(before) - {block_of(place)}


def _check_what_follows(outlook: Outlook, after: RunState) -> None:
    for it in outlook.of(Ahead.SKIPPED):
        assert not it.is_sure or after.block(it.block).status in (BlockStatus.SKIPPED, BlockStatus.PENDING)
    asks_more = outlook.asks_again or any(block.asks for block in outlook.runs)
    for it in outlook.of(Ahead.LATER):
        status = after.block(it.block).status
        assert not it.is_sure or after.finished is None or status is not BlockStatus.SKIPPED
        # Nobody else is waited for.
        assert asks_more or status is not BlockStatus.PENDING


@SOME
@given(case=cases())
def test_what_is_foreseen_is_what_happens(case: Case) -> None:
    """At every question of a random run, with the answer that is given then."""

    async def check() -> None:
        async with world(Path.cwd(), blocks=with_scripted(Scripted())) as here:
            run_id = await here.start(case.definition)
            await here.rest(run_id)
            while pauses := await here.history.inbox(run_id):
                raw = case.answer_to(pauses[0])
                before = await here.history.state(run_id)
                outlook = await here.executor.foresee(pauses[0].pause_id, raw)
                after = await here.answer_and_rest(run_id, pauses[0].block, raw)
                _check(outlook, pauses[0].block, before, after)

    asyncio.run(check())


FINAL = """
    name: final
    blocks:
      - {id: go, type: ConfirmOperation, inputs: {message: "Go?"}}
      - {id: copy, type: Shell, depends_on: [go], inputs: {command: "true"}}
      - {id: sure, type: ConfirmOperation, depends_on: [copy], inputs: {message: "Sure?"}}
      - {id: drop, type: Shell, reversible: false, depends_on: [sure], inputs: {command: "true"}}
      - {id: mail, type: Shell, reversible: false, depends_on: [copy], inputs: {command: "true"}}
      - {id: back, type: Shell, reversible: false, depends_on: [{block: go, when: [rejected]}], inputs: {command: "true"}}
"""


def irreversible(outlook: Outlook) -> list[str]:
    """Return the names of what cannot be undone and is decided here."""
    return [str(it.block) for it in outlook.irreversible]


async def test_what_cannot_be_undone_is_told_of_the_question_that_decides_it(tmp_path: Path) -> None:
    """Where somebody is asked once more before, it is their answer; a wave waits for every question before it."""
    async with world(tmp_path) as here:
        eager = await here.start(FINAL.replace("name: final", "name: final\n    schedule: eager"))
        assert irreversible(await foreseen(here, eager, "go", "yes")) == ["mail"]
        assert irreversible(await foreseen(here, eager, "go", "no")) == ["back"]
        waves = await here.start(
            FINAL.replace("depends_on: [copy], inputs: {command", "depends_on: [sure], inputs: {command")
        )
        yes = await foreseen(here, waves, "go", "yes")
        assert irreversible(yes) == []
        assert {it.block: (it.reversible, it.after_question) for it in yes.runs} == {
            "copy": (True, False),
            "sure": (True, False),
            "drop": (False, True),
            "mail": (False, True),
        }
        await here.answer(waves, "go", "yes")
        assert irreversible(await foreseen(here, waves, "sure", "yes")) == ["drop", "mail"]
        assert irreversible(await foreseen(here, waves, "sure", "no")) == []


async def test_a_question_that_may_not_come_protects_nobody(here: World) -> None:
    """Where it may be skipped, the answer before it decides."""
    run_id = await here.start(
        """
        name: perhaps
        blocks:
          - {id: go, type: ConfirmOperation, inputs: {message: "Go?"}}
          - {id: see, type: Shell, depends_on: [go], inputs: {command: "echo 1"}}
          - {id: sure, type: ConfirmOperation, depends_on: [see], condition: "${see.stdout} == '1'", inputs: {message: "Sure?"}}
          - {id: drop, type: Shell, reversible: false, depends_on: [sure, see], inputs: {command: "true"}}
        """
    )
    assert irreversible(await foreseen(here, run_id, "go", "yes")) == ["drop"]


async def test_what_cannot_be_undone_above_is_told_below(here: World, tmp_path: Path) -> None:
    """Of the last question there, not of those before it."""
    sure = '  - {id: sure, type: ConfirmOperation, depends_on: [go], inputs: {message: "Sure?"}}\n'
    (tmp_path / "child.yaml").write_text(CHILD + sure)
    (tmp_path / "top.yaml").write_text(
        TOP.replace("type: Shell, depends_on", "type: Shell, reversible: false, depends_on")
    )
    run_id = await here.start(load_workflow(tmp_path / "top.yaml", catalog()).definition)
    await here.rest(run_id)
    (first,) = await here.history.inbox(run_id)
    assert irreversible(await here.executor.foresee(first.pause_id, "yes")) == []
    await here.answer(first.run_id, "go", "yes")
    last = await here.pause_of(first.run_id, "sure")
    assert irreversible(await here.executor.foresee(last.pause_id, "yes")) == ["ship", "say"]
    assert irreversible(await here.executor.foresee(last.pause_id, "no")) == []
