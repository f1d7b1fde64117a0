"""What a block is given, and what a run gives back."""

import pytest

from tidegate.errors import ExpressionError
from tidegate.workflows.expressions import BlockView, Scope
from tidegate.workflows.render import (
    names_of,
    needed_blocks,
    render_block_outputs,
    render_inputs,
    render_outputs,
)
from tidegate.workflows.templates import MOST_TEXT
from workflows.small_catalog import CATALOG, SHELL, load

WORKFLOW = load("""
name: w
inputs: {v: string, n: integer}
blocks:
  - {id: first, type: Shell, inputs: {command: ls}}
  - {id: second, type: Shell, inputs: {command: ls}}
  - {id: third, type: Shell, inputs: {command: ls}}
  - id: last
    type: Shell
    depends_on: [first, second, third]
    condition: ${second.success}
    inputs:
      command: echo ${v} "${first.stdout}" ${HOME}
      cleanup: rm ${v}
      env: {"${v}": "${v}", list: ["${n}", "n=${n}", true]}
    outputs: {total: "${last.stdout} of ${third.exit_code}"}
outputs:
  text: "got ${last.total}"
  typed: {n: ["${last.exit_code}"]}
  given: "${v}"
  status: "${last.status}"
""")
NAMES = names_of(WORKFLOW)
LAST = WORKFLOW.blocks[3]


def scope(**blocks: BlockView) -> Scope:
    """Return the scope of a run whose first blocks succeeded."""
    done = {
        name: BlockView("succeeded", {"stdout": name, "exit_code": 0})
        for name in ("first", "second", "third")
    }
    return Scope({"v": "$(x)", "n": 3}, {**done, **blocks}, "r", "w")


def test_values_of_shell_text_come_beside_it() -> None:
    """Each variable once, numbered through all shell texts of the block; the rest is typed in place."""
    rendered = render_inputs(LAST, SHELL, NAMES, scope())

    assert rendered.inputs == {
        "command": 'echo "${TIDEGATE_VALUE_1}" "${TIDEGATE_VALUE_2}" ${HOME}',
        "cleanup": 'rm "${TIDEGATE_VALUE_3}"',
        "env": {"${v}": "$(x)", "list": [3, "n=3", True]},
    }
    assert rendered.bindings == {
        "TIDEGATE_VALUE_1": "$(x)",
        "TIDEGATE_VALUE_2": "first",
        "TIDEGATE_VALUE_3": "$(x)",
    }


def test_a_list_is_a_program_and_its_arguments() -> None:
    """No shell reads it, so nothing is bound or quoted; each item becomes one text."""
    block = LAST.evolve(inputs={"command": ["echo", "${v}", "a ${n}", "${{ n + 1 }}"]})

    rendered = render_inputs(block, SHELL, NAMES, scope())

    assert rendered.inputs == {"command": ["echo", "$(x)", "a 3", "4"]}
    assert rendered.bindings == {}


def test_a_block_needs_what_its_texts_may_read() -> None:
    """Its inputs, its condition and its own outputs; never itself."""
    assert needed_blocks(LAST, SHELL, NAMES) == {"first", "second", "third"}
    assert needed_blocks(WORKFLOW.blocks[0], CATALOG["Shell"], NAMES) == frozenset()


def test_further_outputs_are_made_of_the_block_s_own() -> None:
    """Under its own id."""
    own = scope(last=BlockView("succeeded", {"stdout": "5", "exit_code": 0}))

    assert render_block_outputs(LAST, NAMES, own) == {"total": "5 of 0"}


@pytest.mark.parametrize("status", ["skipped", "cancelled", "failed", "rejected", "pending"])
def test_a_block_that_did_not_run_gives_null(status: str) -> None:
    """In the outputs of the workflow, and nowhere else."""
    ended = scope(last=BlockView(status, {}))

    assert render_outputs(WORKFLOW, NAMES, ended) == {
        "text": None,
        "typed": {"n": [None]},
        "given": "$(x)",
        "status": status,
    }


def test_what_a_failed_block_gave_is_given() -> None:
    """Only what is missing is null."""
    ended = scope(last=BlockView("failed", {"exit_code": 3}))

    assert render_outputs(WORKFLOW, NAMES, ended)["typed"] == {"n": [3]}


def test_an_output_that_a_block_should_have_given_is_an_error() -> None:
    """It succeeded, so nothing explains that there is none."""
    ended = scope(last=BlockView("succeeded", {"exit_code": 3}))

    with pytest.raises(ExpressionError, match="block 'last' gave no 'total'"):
        render_outputs(WORKFLOW, NAMES, ended)


def test_names_are_made_once_per_definition() -> None:
    """They are asked for at every block of a run."""
    workflow = WORKFLOW.evolve(version="2")

    assert names_of(workflow) is names_of(workflow)
    assert (names_of(workflow).inputs, names_of(workflow).blocks) == (NAMES.inputs, NAMES.blocks)


def test_the_texts_of_an_input_together_fit_into_memory() -> None:
    """A list of a thousand long texts is a thousand copies as soon as somebody sends it."""
    workflow = load("""
    name: w
    inputs: {v: string}
    blocks:
      - {id: a, type: Shell, inputs: {command: ls, env: {list: ["${v}", "1${v}", "2${v}", "3${v}", "4${v}"]}}}
    """)
    wide = Scope({"v": "x" * (MOST_TEXT // 4)}, {}, "r", "w")

    with pytest.raises(
        ExpressionError, match="has more than 67,108,864 characters: pass large values through"
    ):
        render_inputs(workflow.blocks[0], SHELL, names_of(workflow), wide)
