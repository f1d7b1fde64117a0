"""What a command leaves to the shell, and was probably not meant for it."""

import pytest

from tidegate.model.base import Json
from workflows.small_catalog import faults_in_block


def faults_of_command(command: str, env: Json = None) -> list[str]:
    """Return the faults of a block that runs *command*."""
    given = {} if env is None else {"env": env}
    return faults_in_block(inputs={"command": command, **given})


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        (
            "rm -rf ${databse}/",
            "did you mean ${database}? For a variable of the shell named databse write $databse",
        ),
        ('echo "${Database}"', "did you mean ${database}?"),
        ("echo '${databse}'", "did you mean ${database}?"),
        ("echo ${DATABASE}", "did you mean ${database}?"),
        ("echo $(ls ${databse})", "did you mean ${database}?"),
        ("tool --databse=x ${databse}", "did you mean ${database}?"),
        ("echo $databse; [ $databse == x ]; echo ${databse}", "did you mean ${database}?"),
        ("echo ${gat}", "did you mean ${gate.status}?"),
        (
            "echo ${my-inptu}",
            "did you mean ${my-input}? For a variable of the shell named my write ${my:-inptu}",
        ),
        ("echo ${my_input}", "did you mean ${my-input}?"),
    ],
)
def test_a_near_miss_of_a_known_name_is_a_fault(command: str, fault: str) -> None:
    """The shell would take it for nothing, without a word."""
    (found,) = faults_of_command(command)

    assert fault in found


@pytest.mark.parametrize(
    "command",
    [
        "databse=x; echo ${databse}",
        "echo ${databse}; databse=$(ls)",
        "databse+=x; echo ${databse}",
        "databse[0]=x; echo ${databse}",
        "for databse in a b; do echo ${databse}; done",
        "while read databse; do echo ${databse}; done",
        "while IFS= read -r other databse; do echo ${databse}; done",
        "export databse=x; echo ${databse}",
        "local databse; echo ${databse}",
        "printf -v databse %s x; echo ${databse}",
        ': "${databse:=x}"; echo ${databse}',
        "echo $databse",
        "echo $${databse}",
        "# ${databse}\nls",
        "echo ${databse:-x}",
        "echo ${HOME} ${unlike}",
    ],
)
def test_a_variable_of_the_shell_is_none(command: str) -> None:
    """What the command assigns itself, or writes as only a shell would, is the shell's."""
    assert faults_of_command(command) == []


def test_a_variable_that_the_block_declares_is_none() -> None:
    """Its env gives it a value; an env that only a run shows may."""
    command = "echo ${databse} ${database%%.*}"

    assert faults_of_command(command, {"databse": "x", "database": "y"}) == []
    assert faults_of_command(command, "${m}") == []
    assert len(faults_of_command(command, {"database": "y"})) == 1


def test_common_variables_are_no_near_misses() -> None:
    """An input `home` does not take `${HOME}` away."""
    assert faults_of_command("echo ${PATH} ${USER} ${TERM}") == []


@pytest.mark.parametrize(
    ("command", "fix"),
    [
        ("echo ${database:-x}", "write ${database ?? 'x'}"),
        ("echo ${database-}", "write ${database ?? ''}"),
        ("echo ${database:=x}", "write ${database ?? 'x'}"),
        ("echo ${database%%.*}", "assign it first: v=${database}"),
        ("echo ${database#*/}", "assign it first: v=${database}"),
        ("echo ${#database}", "assign it first: v=${database}"),
        ("echo ${database//a/b}", "assign it first: v=${database}"),
        ("echo ${database:?missing}", "assign it first: v=${database}"),
        ("echo ${database^^}", "assign it first: v=${database}"),
        ('echo "${database:-"x y"}"', "assign it first: v=${database}"),
        ("echo ${xs[@]}", "assign it first: v=${xs}"),
        ("echo ${gate:-x}", "assign one of its outputs first, like v=${gate.status}"),
    ],
)
def test_an_expansion_of_a_known_name_is_a_fault(command: str, fix: str) -> None:
    """The value is no variable of the shell: the default would always win, the pattern find nothing."""
    (found,) = faults_of_command(command)

    assert fix in found


@pytest.mark.parametrize(
    "command",
    [
        "database=${database}; echo ${database%%.*}",
        "v=${database}; echo ${v%%.*} ${v:-x}",
        "for s in a b; do echo ${s%%.*}; done",
        "echo ${TAG:-latest} ${#} ${!} ${1:-x} ${@:2}",
        "echo ${database ?? 'x'}",
        "echo $${database:-x}",
    ],
)
def test_an_expansion_of_a_variable_is_none(command: str) -> None:
    """Of one that the command has, or of a name that means nothing to the workflow."""
    assert faults_of_command(command) == []
