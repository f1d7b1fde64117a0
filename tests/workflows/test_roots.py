"""Items, iterations, the run's state and its end: where they are known, and what they are worth."""

from dataclasses import replace

import pytest

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.workflows.expressions import BlockView, Scope, bind_shell, compile_condition, compile_text
from workflows.small_catalog import NAMES, SCOPE, faults_in_block, faults_of

HERE = replace(NAMES, item=True, index=True, run=True)
NOW = replace(
    SCOPE,
    item={"name": "red", "size": 3, "k": None},
    index=4,
    state={"seen": [1, 2]},
    run_status="failed",
    run_failures=[{"block": "build", "kind": "exit", "message": "exit code 2", "exit_code": 2}],
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${item}", {"name": "red", "size": 3, "k": None}),
        ("${item.name}", "red"),
        ("${item['size']}", 3),
        ("${item.other ?? 'none'}", "none"),
        ("${item.k ?? 'none'}", "none"),
        ("${index}", 4),
        ("n${index}", "n4"),
        ("${state.seen[1]}", 2),
        ("${state}", {"seen": [1, 2]}),
        ("${state.other ?? 0}", 0),
        ("${run.status}", "failed"),
        ("${run.failures[0].block}", "build"),
        ("${{ item.size + index }}", 7),
        ("${{ ${item.size} + ${index} }}", 7),
        ("${{ has(state.other) ? state.other : 'none' }}", "none"),
        ("${{ size(run.failures) }}", 1),
        ("${{ run.id + run.status }}", "r7failed"),
        ("${{ [1].map(item, item) }}", [1]),
        ("${{ state['seen'].map(n, n + index) }}", [5, 6]),
    ],
)
def test_each_has_its_value(text: str, value: Json) -> None:
    """In plain references and in expressions alike."""
    assert compile_text(text, HERE).evaluate(NOW) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "${state.other}",
            r"state.other has no value: no block of this run has set 'other'; write a default",
        ),
        ("${state.sen}", r"did you mean 'seen'"),
        ("${item.nam}", r"item.nam has no value: 'item' has no key 'nam' \(did you mean 'name'\?\)"),
        ("${run.failures[3].block}", r"'run.failures' has 1 items"),
        ("${{ state.other }}", r"ask first: has\(state.other\)"),
        ("${{ item.nam }}", "'item' has no key 'nam'"),
    ],
)
def test_what_is_missing_is_an_error(text: str, problem: str) -> None:
    """It says how to write a default."""
    with pytest.raises(ExpressionError, match=problem):
        compile_text(text, HERE).evaluate(NOW)


def test_what_an_item_says_is_never_evaluated() -> None:
    """Not as a reference, not as a part of an expression, not as shell text."""
    scope = replace(NOW, item="${index}' || true || '$(touch x)")

    assert compile_text("${item}", HERE).evaluate(scope) == scope.item
    assert compile_condition("${item} == 'x'", HERE).evaluate(scope) is False
    command, bound = bind_shell("echo ${item} ${index} ${state.seen}", HERE).evaluate(scope)
    assert "touch" not in command
    assert list(bound.values()) == [scope.item, "4", "[1,2]"]


def test_a_shell_keeps_its_own_item_where_there_is_none_of_ours() -> None:
    """As long as its command gives it a value; otherwise it would be an empty text."""
    command = "for item in a b; do echo ${item} ${item:-x} ${index}; done; index=3"

    assert faults_in_block(inputs={"command": command}) == []
    assert bind_shell(command, NAMES).command == command
    (found,) = faults_in_block(inputs={"command": "rm -rf /srv/${item}/x"})
    assert "${item}: 'item' is known in blocks with for_each only; for a variable of the shell" in found
    (found,) = faults_in_block(inputs={"command": "echo ${item:-x}"}, for_each="${xs}")
    assert "'item' is of Tidegate and no variable of the shell: write ${item ?? 'x'}" in found


@pytest.mark.parametrize(
    "keys",
    [
        {"for_each": "${xs}", "inputs": {"command": "echo ${item} ${item.x} ${index} ${state.y ?? 1}"}},
        {"for_each": "${m}", "condition": "${item.key} != 'x' && index > 0"},
        {"for_each": "${raw.any}", "outputs": {"o": "${item}-${b.stdout}"}},
        {
            "for_each": "${{ xs.filter(x, x > 1) }}",
            "checkpoint": {"label": "${item}", "metadata": {"i": "${index}"}},
        },
        {"for_each": {"items": "${xs}", "key": "${item.name}"}},
        {"for_each": ["${s}", 2], "type": "ConfirmOperation", "inputs": {"message": "Deploy ${item}?"}},
        {
            "loop": {"until": "${b.success} || index > 3", "max_iterations": 9},
            "inputs": {"command": "echo ${index}"},
        },
        {
            "loop": {"until": "${b.exit_code} == 0", "max_iterations": 9},
            "condition": "${b.exit_code ?? 1} != 0",
            "inputs": {"command": "echo ${b.stdout ?? 'first'} ${b.status}"},
            "checkpoint": {"label": "round ${index}", "metadata": {"out": "${b.stdout}"}},
        },
        {
            "loop": {"until": "has(b.stdout)", "max_iterations": 2},
            "inputs": {"command": "${{ has(b.stdout) ? b.stdout : 'ls' }}"},
        },
        {
            "always": True,
            "inputs": {"command": "echo ${run.status} ${run.failures}"},
            "condition": "${run.status} != 'succeeded'",
        },
    ],
)
def test_where_they_are_known_they_load(keys: dict[str, Json]) -> None:
    """In all texts of their blocks."""
    assert faults_in_block(**keys) == []


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"inputs": {"command": "ls", "x": "${item}"}}, "'item' is known in blocks with for_each only"),
        ({"loop": {"until": True, "max_iterations": 2}, "condition": "${item} == 1"}, "for_each only"),
        (
            {"inputs": {"command": "ls", "x": "a ${index}"}},
            "'index' is known in blocks with for_each or loop only",
        ),
        ({"for_each": "${xs}", "condition": "${index.x} == 1"}, "'index' is a number"),
        (
            {"condition": "${run.status} == 'failed'"},
            "'run.status' is known in blocks with 'always: true' only",
        ),
        ({"inputs": {"command": "echo ${run.failures}"}}, "'run.failures' is known in blocks with"),
        (
            {"always": True, "condition": "${run.status} == 'success'"},
            "no status of a run at its end (did you mean 'succeeded'?)",
        ),
        ({"always": True, "condition": "${run.status}"}, "the condition is a string"),
        (
            {"for_each": "${xs}", "condition": "${index} == '1'"},
            "'index' is a number, and never equal to text",
        ),
        (
            {"for_each": "${xs}", "inputs": {"command": "ls", "x": "{{ item }}"}},
            "to Tidegate this is plain text: write ${item}",
        ),
        ({"for_each": "${xs}", "inputs": {"command": "echo ${b.stdout}"}}, "block 'b' reads itself"),
        (
            {"loop": {"until": True, "max_iterations": 2}, "inputs": {"command": "echo ${b.stdout}"}},
            "in the first iteration it has no value: write a default, like ${b.stdout ?? 'none'}",
        ),
    ],
)
def test_elsewhere_they_are_a_fault(keys: dict[str, Json], fault: str) -> None:
    """It says where they are known."""
    found = faults_in_block(**keys)

    assert len(found) == 1
    assert fault in found[0]


REPEATED = """\
name: w
blocks:
  - {id: each, type: Shell, for_each: [1], inputs: {command: ls}, outputs: {mine: "${each.stdout}"}}
  - {id: again, type: Shell, inputs: {command: ls}, loop: {until: "${again.success}", max_iterations: 3}}
  - id: b
    type: Python
    depends_on: [each, again]
"""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("${each.results[0].outputs.stdout} ${each.count} ${each.failed} ${each.status}", ""),
        ("${again.stdout} ${again.iterations}", ""),
        (
            "${each.stdout}",
            "no output 'stdout': it runs for each of its items, and has results, count, succeeded",
        ),
        ("${each.mine}", "block 'each' (Shell) has no output 'mine'"),
        ("${each.result}", "it runs for each of its items"),
        ("${again.iteration}", "did you mean 'iterations'"),
        ("${{ ${each.count} == '3' }}", "'count' is a number, and never equal to text"),
        ("${{ each.results == 'x' }}", "'results' is a list"),
        ("${{ again.iterations == true }}", "'iterations' is a number"),
    ],
)
def test_others_see_what_repetition_gives(text: str, fault: str) -> None:
    """Of a block with for_each its results and counts, of a loop its last outputs."""
    found = faults_of(REPEATED + f'    inputs: {{x: "{text}"}}\n')

    assert [fault in message for message in found] == ([True] if fault else [])


def test_a_workflow_s_names_are_few_whatever_its_blocks_are() -> None:
    """Each remembers what texts mean, so there is one for each kind of block and not one for each block."""
    scope = Scope({}, {"build": BlockView("succeeded", {})}, "r", "w")
    outside = HERE.outside_items()

    assert (outside.item, outside.index, outside.run) == (False, False, True)
    assert outside is HERE.outside_items()
    assert NAMES.outside_items() is NAMES
    assert compile_text("${state.x ?? 2}", NAMES).evaluate(scope) == 2
