"""The `secrets` of a workflow file: how they are declared, and where they may stand."""

from textwrap import dedent

import pytest

from tidegate.blocks.registry import catalog
from tidegate.errors import DefinitionError
from tidegate.model.secret import FromCommand, FromEnvironment, FromFile
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.workflows.loader import parse_workflow

BLOCK = "blocks: [{id: a, type: Shell, inputs: {command: ls}}]"


def load(text: str) -> WorkflowDefinition:
    """Return the workflow that *text* describes."""
    return parse_workflow(dedent(text), catalog(), file="w.yaml", working_dir="/srv").definition


def faults_of(text: str) -> list[str]:
    """Return its faults, as `LINE:COLUMN: MESSAGE`."""
    with pytest.raises(DefinitionError) as caught:
        load(text)
    return [fault.describe("w")[2:] for fault in caught.value.faults]


def test_a_list_names_variables_and_a_mapping_names_sources() -> None:
    """In the order of the file."""
    short = load(f"name: w\nsecrets: [DEPLOY_TOKEN]\n{BLOCK}")
    long = load(
        "name: w\nsecrets: {token: {env: DEPLOY_TOKEN}, key: {file: ~/k}, pin: {command: [pass, 7]}}\n"
        + BLOCK
    )

    assert [(it.name, it.source) for it in short.secrets] == [
        ("DEPLOY_TOKEN", FromEnvironment(variable="DEPLOY_TOKEN"))
    ]
    assert [(it.name, it.source) for it in long.secrets] == [
        ("token", FromEnvironment(variable="DEPLOY_TOKEN")),
        ("key", FromFile(path="~/k")),
        ("pin", FromCommand(words=("pass", "7"))),
    ]
    assert definition_hash(short) != definition_hash(short.evolve(secrets=()))


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        ("[TOKEN, TOKEN]", "2:18: secrets.1: 'TOKEN' stands twice: remove one"),
        (
            "[my-token]",
            "'my-token' is no name of a variable: letters, digits and _; to say where a secret is, write",
        ),
        (
            "{TOKEN: s3cret}",
            "2:18: secret 'TOKEN': expected where it is read, {env: VARIABLE}, {file: PATH}, {command:",
        ),
        ("{TOKEN: {}}", "secret 'TOKEN' has no source: write one"),
        ("{TOKEN: {env: A, file: b}}", "secret 'TOKEN' has several sources: write one"),
        ("{TOKEN: {vault: x}}", "unknown key 'vault'"),
        ("{TOKEN: {env: 'A B'}}", "2:24: env: 'A B' is no name of a variable"),
        ("{TOKEN: {file: ''}}", "file: expected a text with something in it"),
        (
            "{TOKEN: {file: '${inputs.x}'}}",
            "file: takes no reference: a secret has the same source in every run",
        ),
        (
            "{TOKEN: {command: pass show x}}",
            "command: expected a list of a program and its arguments, like [pass,",
        ),
        ("{TOKEN: {command: [pass, '${x}']}}", "command.1: takes no reference"),
        ("{run: {env: A}}", "2:11: secret name: 'run' is reserved"),
        ("TOKEN", "expected a mapping"),
    ],
)
def test_a_wrong_declaration_is_said(section: str, fault: str) -> None:
    """And a secret that stands there itself is not repeated."""
    found = faults_of(f"name: w\nsecrets: {section}\n{BLOCK}")

    assert len(found) == 1
    assert fault in found[0]
    assert "s3cret" not in found[0]


BLOCKS = """
    name: w
    secrets: [TOKEN]
    blocks:
      - {id: shell, type: Shell, inputs: {command: ./go, stdin: "${secrets.TOKEN}", env: {A: "x ${secrets.TOKEN}"}}}
      - {id: python, type: Python, inputs: {callable: "m:f", env: {A: "${secrets.TOKEN}"}, args: {a: ["${secrets.TOKEN}"]}}}
      - id: call
        type: HttpCall
        inputs: {url: "http://x/", method: POST, headers: {Authorization: "Bearer ${secrets.TOKEN}"}, json: {a: "${secrets.TOKEN}"}}
      - {id: ask, type: GetInput, depends_on: [shell], inputs: {prompt: "p"}, outputs: {o: "${ask.input_value}"}}
      - {id: sub, type: Shell, for_each: [1], condition: "'a' == 'a'", checkpoint: done, inputs: {command: ls, working_dir: x}}
    outputs: {o: "${shell.stdout}"}
"""


def test_secrets_stand_where_nothing_is_kept() -> None:
    """In the environment, in standard input, in arguments of a function, in headers and bodies."""
    assert len(load(BLOCKS).blocks) == 5


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("command: ./go", 'command: "./go ${secrets.TOKEN}"'),
        ("command: ./go", 'command: [./go, "${secrets.TOKEN}"]'),
        ("command: ./go", 'command: "./go ${{ secrets.TOKEN }}"'),
        ('A: "x ${secrets.TOKEN}"', 'A: "${{ secrets.TOKEN }}"'),
        ('A: "x ${secrets.TOKEN}"', 'A: "${{ size(${secrets.TOKEN}) }}"'),
        ('"m:f"', '"${secrets.TOKEN}"'),
        ('"http://x/"', '"http://x/?t=${secrets.TOKEN}"'),
        ("method: POST", 'query: {a: "${secrets.TOKEN}"}'),
        ('prompt: "p"', 'prompt: "${secrets.TOKEN}"'),
        ('"${ask.input_value}"', '"${secrets.TOKEN}"'),
        ("for_each: [1]", 'for_each: ["${secrets.TOKEN}"]'),
        ("'a' == 'a'", "${secrets.TOKEN} == 'a'"),
        ("checkpoint: done", 'checkpoint: "${secrets.TOKEN}"'),
        ("working_dir: x", 'working_dir: "${secrets.TOKEN}"'),
        ('"${shell.stdout}"', '"${secrets.TOKEN}"'),
    ],
)
def test_secrets_stand_nowhere_else(right: str, wrong: str) -> None:
    """Everything else is kept, told, or seen by everybody who looks at the processes."""
    assert right in BLOCKS

    (found,) = faults_of(BLOCKS.replace(right, wrong))

    assert "a secret may stand only where nothing of it is kept" in found
    assert 'env: {TOKEN: ${secrets.TOKEN}}, and "$TOKEN" in the command' in found


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("${secrets.TOKN}", "'TOKN' is no secret of this workflow (did you mean 'TOKEN'?)"),
        (
            "${secrets.OTHER_ONE}",
            "'OTHER_ONE' is no secret of this workflow: declare it in the workflow's 'secrets'",
        ),
        ("${secrets}", "a secret is written ${secrets.NAME}"),
        ("${secrets.TOKEN.x}", "a secret is written ${secrets.NAME}"),
        (
            "${secrets.TOKEN ?? 'x'}",
            "a secret is written ${secrets.NAME}: it is a text that has no parts, and no",
        ),
        ("{{ secrets.TOKEN }}", "to Tidegate this is plain text: write ${secrets.TOKEN}"),
    ],
)
def test_a_wrong_reference_is_a_fault(reference: str, problem: str) -> None:
    """Before anything runs."""
    found = faults_of(BLOCKS.replace('stdin: "${secrets.TOKEN}"', f'stdin: "{reference}"'))

    assert any(problem in fault for fault in found)
