"""What a file says on repetition, failure and marks."""

import pytest

from tidegate.model.policy import (
    CheckpointKind,
    CheckpointPolicy,
    ExplicitCheckpoint,
    FailureKind,
    ForEach,
    Loop,
    OnFailure,
    OnRunFailure,
    Retention,
    RetryPolicy,
)
from workflows.small_catalog import faults_in_block, faults_of, load

BLOCKS = "blocks: [{id: a, type: Python}]\n"


def test_every_key_becomes_its_noun() -> None:
    """With durations in seconds, and words as their members."""
    definition = load("""
name: w
timeout: 2h
checkpoint:
  on: [wave, explicit]
  on_failure: pause
  retention: {max_checkpoints: 10, max_age_days: 0.5, keep_successful: false}
blocks:
  - id: a
    type: Python
    retry: {max: 10, delay: 1s, backoff: 2, max_delay: 1m, jitter: 0.25, on: [3, timeout, 3]}
    on_failure: continue
    checkpoint: built
  - id: b
    type: Python
    for_each: {items: [1, two, {x: 3}], key: "k-${index}", max_parallel: 2, fail_fast: true}
    on_failure: pause
    checkpoint: {label: "${a.x}", metadata: {n: ["${b.y}"]}}
    depends_on: a
  - {id: c, type: Python, loop: {until: "${c.done}", max_iterations: 5, delay: 0}}
  - {id: d, type: Python, for_each: {eu: 1, us: 2}, retry: {max_attempts: 2, delay: 200ms}}
""")
    a, b, c, d = definition.blocks

    assert definition.timeout == 7200.0
    assert definition.checkpoint == CheckpointPolicy(
        on=(CheckpointKind.WAVE, CheckpointKind.EXPLICIT),
        on_failure=OnRunFailure.PAUSE,
        retention=Retention(max_checkpoints=10, max_age_days=0.5, keep_successful=False),
    )
    assert a.retry == RetryPolicy(
        max_attempts=10, delay=1.0, backoff=2.0, max_delay=60.0, jitter=0.25, on=(3, FailureKind.TIMEOUT)
    )
    assert (a.on_failure, b.on_failure, c.on_failure) == (OnFailure.CONTINUE, OnFailure.PAUSE, OnFailure.FAIL)
    assert a.checkpoint == ExplicitCheckpoint(label="built")
    assert b.checkpoint == ExplicitCheckpoint(label="${a.x}", metadata={"n": ["${b.y}"]})
    assert b.for_each == ForEach(items=[1, "two", {"x": 3}], key="k-${index}", max_parallel=2, fail_fast=True)
    assert c.loop == Loop(until="${c.done}", max_iterations=5)
    assert d.for_each == ForEach(items={"eu": 1, "us": 2})
    assert d.retry == RetryPolicy(max_attempts=2, delay=0.2)


def test_what_is_not_said_is_as_it_was() -> None:
    """Nothing is repeated, a failure fails the run, and every position is marked."""
    definition = load("name: w\n" + BLOCKS)
    (block,) = definition.blocks

    assert definition.checkpoint == CheckpointPolicy()
    assert (definition.timeout, block.retry, block.for_each, block.loop) == (None, None, None, None)
    assert (block.on_failure, block.always, block.checkpoint) == (OnFailure.FAIL, False, None)


def test_a_workflow_that_goes_on_after_failures_says_so_for_its_blocks() -> None:
    """Unless a block says otherwise."""
    text = "name: w\ncheckpoint: {on_failure: continue}\nblocks:\n  - {id: a, type: Python}\n"
    definition = load(text + "  - {id: b, type: Python, on_failure: fail}\n")

    assert [block.on_failure for block in definition.blocks] == [OnFailure.CONTINUE, OnFailure.FAIL]


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"retry": 3}, "like {max_attempts: 3, delay: 10s}"),
        ({"retry": {"delay": 3}}, "retry: 'max_attempts' is missing"),
        ({"retry": {"max": "3"}}, "retry.max: expected a whole number from 2 to 1000, without quotes"),
        ({"retry": {"max": 1}}, "expected a whole number from 2 to 1000"),
        ({"retry": {"max": 2.0}}, "expected a whole number"),
        ({"retry": {"max": True}}, "expected a whole number"),
        ({"retry": {"max": 2, "tries": 3}}, "unknown key 'tries'"),
        ({"retry": {"max": 2, "delay": 1, "backof": 3}}, "unknown key 'backof' (did you mean 'backoff'?)"),
        ({"retry": {"max": 2, "delay": 1, "backoff": 0.5}}, "expected a number from 1 to 1000"),
        ({"retry": {"max": 2, "delay": 1, "jitter": 1.5}}, "expected a number from 0 to 1"),
        ({"retry": {"max": 2, "backoff": 2}}, "retry.backoff: changes nothing without a delay"),
        ({"retry": {"max": 2, "delay": -1}}, "'-1' must be at least 0"),
        ({"retry": {"max": 2, "delay": "soon"}}, "'soon' is no time"),
        ({"retry": {"max": 2, "on": ["exitt"]}}, "'exitt' is not one of exit, signal"),
        ({"retry": {"max": 2, "on": [0]}}, "retry.on.0: expected a whole number from 1 to 255"),
        ({"retry": {"max": 2, "on": []}}, "names no cause"),
        ({"on_failure": "ignore"}, "'ignore' is not one of fail, continue, pause"),
        ({"always": "yes"}, "always: expected true or false, without quotes"),
        ({"for_each": 3}, "expected a list, a mapping, or nothing but a reference to one"),
        ({"for_each": "a,b"}, "expected a list, a mapping, or nothing but a reference to one"),
        ({"for_each": "${xs} ${xs}"}, "nothing but a reference"),
        ({"for_each": None}, "for_each is empty"),
        ({"for_each": "${s}"}, "this is a string: declare the input as a list"),
        ({"for_each": "${n}"}, "this is an integer"),
        ({"for_each": "${a.stdout}"}, "split it first, like a Shell block with parse: lines"),
        ({"for_each": "${xss}"}, "'xss' is no input of this workflow (did you mean 'xs'?)"),
        ({"for_each": ["${xss}"]}, "did you mean 'xs'"),
        ({"for_each": list(range(10_001))}, "there are 10,001 items; at most 10,000 are taken"),
        ({"for_each": {"items": [1], "failfast": True}}, "did you mean 'fail_fast'"),
        ({"for_each": {"item": [1], "max_parallel": 2}}, "unknown key 'item' (did you mean 'items'?)"),
        ({"for_each": {"items": [1], "max_parallel": 0}}, "from 1 to 1000"),
        ({"for_each": {"items": [1], "key": "fixed"}}, "the key would be the same for every item"),
        ({"for_each": {"items": [1], "key": "${itm}"}}, "'itm' is no input"),
        ({"for_each": {"items": ["${item}"]}}, "for_each only, and not in for_each.items"),
        ({"for_each": [1], "loop": {"until": True, "max_iterations": 2}}, "cannot stand in one block"),
        ({"loop": {"until": True}}, "loop: 'max_iterations' is missing"),
        ({"loop": {"until": True, "max_iterations": 0}}, "from 1 to 10000"),
        ({"loop": {"until": "${b.stdout}", "max_iterations": 2}}, "the condition is a string"),
        ({"loop": {"until": "", "max_iterations": 2}}, "the condition is empty"),
        ({"loop": {"until": "${gone.x}", "max_iterations": 2}}, "neither a block nor an input"),
        ({"checkpoint": True}, "quote it, like 'true'"),
        ({"checkpoint": {"label": "x", "meta": 1}}, "did you mean 'metadata'"),
        ({"checkpoint": "${gone.x}"}, "neither a block nor an input"),
        ({"checkpoint": {"label": "x", "metadata": {"a": "${b.stdot}"}}}, "did you mean 'stdout'"),
    ],
)
def test_what_cannot_be_is_a_fault_of_its_block(keys: dict[str, object], fault: str) -> None:
    """It says what would be right."""
    found = faults_in_block(**keys)  # type: ignore[arg-type]  # wrong on purpose

    assert any(fault in message for message in found), found


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"retry": {"max": 2}}, "asking again is no second attempt. Remove retry, or ask again with loop"),
        ({"on_failure": "pause"}, "choose fail or continue"),
    ],
)
def test_a_question_is_not_retried_and_asks_nobody_else(keys: dict[str, object], fault: str) -> None:
    """A loop asks again; that is allowed."""
    (found,) = faults_in_block(type="ConfirmOperation", inputs={}, **keys)  # type: ignore[arg-type]

    assert fault in found
    loop = {"until": "${b.confirmed}", "max_iterations": 3}
    assert faults_in_block(type="ConfirmOperation", inputs={}, loop=loop) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("timeout: 0", "2:10: timeout: '0' must be more than 0"),
        ("checkpoint: {on: [wave, pauze]}", "2:25: checkpoint.on.1: 'pauze' is not one of"),
        ("checkpoint: {onfailure: pause}", "unknown key 'onfailure' (did you mean 'on_failure'?)"),
        ("checkpoint: {on_failure: fail}", "'fail' is not one of pause, continue, rollback"),
        ("checkpoint: {retention: {max_chekpoints: 3}}", "did you mean 'max_checkpoints'"),
        ("checkpoint: {retention: {max_age_days: '3'}}", "expected a number from 0 to 36500, without quotes"),
        ("checkpoint: true", "expected a mapping"),
    ],
)
def test_what_is_wrong_at_the_top_is_said(line: str, fault: str) -> None:
    """With its place."""
    (found,) = faults_of(f"name: w\n{line}\n{BLOCKS}")

    assert fault in found


@pytest.mark.parametrize(
    "keys",
    [
        {"for_each": {"key": "${item}"}, "inputs": {"command": "echo ${item}"}},
        {"foreach": [1], "inputs": {"command": "echo ${item} ${index}"}},
        {"loop": {"until": "true"}, "inputs": {"command": "echo ${b.stdout ?? ''} ${index}"}},
        {"always": "yes", "inputs": {"command": "echo ${run.status}"}},
    ],
)
def test_a_wrong_section_makes_no_other_faults(keys: dict[str, object]) -> None:
    """What would be known with it is not called unknown."""
    assert len(faults_in_block(**keys)) == 1  # type: ignore[arg-type]  # wrong on purpose
