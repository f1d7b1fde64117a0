"""Every exit code that the command line documents, each by the call that leads to it."""

import pytest

from cli.calling import Tidegate
from tidegate.cli.exits import Exit, exit_of_status
from tidegate.model.events import RunStatus

GATE = """
    name: gate
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "Deploy?"}}
      - {id: after, type: Shell, depends_on: [gate], inputs: {command: "exit ${code}"}}
    inputs: {code: {type: integer, default: 0}}
"""


@pytest.mark.parametrize("status", RunStatus)
def test_every_status_has_an_exit_code(status: RunStatus) -> None:
    """Only success is 0."""
    code = exit_of_status(status)

    assert (code == Exit.SUCCEEDED) == (status is RunStatus.SUCCEEDED)


def test_each_way_of_ending_has_a_code_of_its_own(tidegate: Tidegate) -> None:
    """0 succeeded, 1 failed, 4 rejected, 5 cancelled, 6 conflict, 7 not found.

    The other ones, 2 for usage, 3 for a pause and 130 for a signal, are in the tests of `run`.
    """
    yes, breaks, no, cancel = tidegate.runs_of(GATE, {"code": 0}, {"code": 9}, {"code": 0}, {"code": 0})
    open_ = tidegate.call("inbox", "--json").document["pauses"]
    pauses = {pause["run_id"]: pause["pause_id"] for pause in open_}

    ended = tidegate.together(
        ["answer", yes, "yes"],
        ["answer", breaks, "y"],
        ["answer", no, "No"],
        ["runs", "cancel", cancel, "--reason", "too late"],
    )
    assert [done.code for done in ended] == [0, 1, 4, 5]

    wrong = tidegate.together(
        ["answer", pauses[yes], "no"],
        ["answer", pauses[cancel], "yes"],
        ["runs", "cancel", yes],
        ["resume", cancel],
        ["answer", pauses[yes], "y"],
        ["checkpoints", "show", "chk_nope"],
        ["answer", yes, "yes"],
    )
    assert [done.code for done in wrong] == [6, 6, 6, 6, 0, 7, 0]
    assert "was already answered by ana at " in wrong[0].err
    assert "was cancelled by ana" in wrong[1].err
    assert "has already ended: succeeded" in wrong[2].err
    assert "had this answer already: yes" in wrong[4].err
    assert "had this answer already: yes" in wrong[6].err
