"""Commands as lists: values are arguments, unless the program reads an argument as code."""

import pytest

from workflows.small_catalog import faults_in_block, faults_of


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", "echo ${s}"],
        ["bash", "-lc", "echo '${s}'"],
        ["/bin/bash", "-e", "-c", "echo ${s}", "name"],
        ["env", "sh", "-c", "echo ${s}"],
        ["env", "A=1", "sh", "-c", "echo ${s}"],
        ["python3", "-c", "print('${s}')"],
        ["python3", "-c", "${{ s + '' }}"],
        ["perl", "-e", "print '${s}'"],
        ["node", "-e", "console.log('${s}')"],
        ["timeout", "5", "sh", "-c", "echo ${s}"],
        ["su", "bob", "-c", "echo ${s}"],
        ["ssh", "host", "ls ${s}"],
        ["ssh", "host", "ls", "${s}"],
        ["sudo", "-u", "bob", "eval", "sh", "-c", "${s}"],
        ["eval", "echo ${s}"],
        ["xargs", "sh", "-c", "echo ${s}"],
        ["find", ".", "-exec", "sh", "-c", "echo ${s}", ";"],
        ["${my-input}", "-c", "echo ${s}"],
        ["sh", "-c", '"$@"', "sh", "python3", "-c", "${s}"],
    ],
)
def test_a_value_inside_of_code_is_a_fault(command: list[str]) -> None:
    """As in a text: the program would run what the value says."""
    (fault,) = faults_in_block(inputs={"command": list(command)})

    assert "the value would be run as code: " in fault
    assert "pass it as its own argument, like [sh, -c, 'echo \"$1\"', sh, '${n}']" in fault


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", 'echo "$1"', "sh", "${s}"],
        ["bash", "-euc", 'echo "$@"', "name", "${s}", "x ${n}"],
        ["python3", "-c", "import sys; print(sys.argv[1])", "${s}"],
        ["python3", "${s}", "-c", "x"],
        ["sh", "-c", "echo $${s}"],
        ["sh", "-c", "echo $HOME"],
        ["git", "-c", "user.name=${s}", "commit", "-m", "${s}"],
        ["kubectl", "exec", "${s}", "-c", "${my-input}"],
        ["timeout", "${n}", "make", "${s}"],
        ["test", "${n}", "-eq", "5"],
        ["jq", "x[${n}]=1"],
        ["echo", "${s}"],
    ],
)
def test_a_value_as_an_argument_of_its_own_is_none(command: list[str]) -> None:
    """No program takes it for anything but data."""
    assert faults_in_block(inputs={"command": list(command)}) == []


def test_the_place_is_the_reference_in_the_code() -> None:
    """Also when other arguments have references."""
    text = (
        "name: w\ninputs: {n: integer}\nblocks:\n  - id: b\n    type: Shell\n    inputs:\n      command:\n"
        '        - timeout\n        - "${n}"\n        - sh\n        - -c\n        - "echo ${n}"\n'
    )

    assert faults_of(text)[0].startswith("12:17: block 'b': ${n}: the value would be run as code: sh reads")


def test_other_lists_are_no_commands() -> None:
    """Only inputs that a shell may read are looked at."""
    assert faults_in_block(inputs={"command": "ls", "notes": ["sh", "-c", "echo ${s}"]}) == []
