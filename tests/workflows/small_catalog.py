"""Block types for tests of files: enough to tell a command, a question and a reader apart."""

import json
from collections.abc import Callable, Mapping

from tidegate.errors import DefinitionError
from tidegate.model.base import Json
from tidegate.model.catalog import BlockSpec, Catalog, InputProblem, ValueType
from tidegate.model.workflow import Effect, WorkflowDefinition
from tidegate.workflows.expressions import BlockView, Names, Scope
from tidegate.workflows.loader import parse_workflow


def _anything(inputs: Mapping[str, Json], has_reference: Callable[[Json], bool]) -> tuple[InputProblem, ...]:
    return ()


def _needs_command(
    inputs: Mapping[str, Json], has_reference: Callable[[Json], bool]
) -> tuple[InputProblem, ...]:
    command = inputs.get("command")
    if command is None:
        return (InputProblem((), "'command' is missing"),)
    if isinstance(command, list):
        return tuple(
            InputProblem(("command", index), "expected text")
            for index, item in enumerate(command)
            if not isinstance(item, str)
        )
    return () if isinstance(command, str) else (InputProblem(("command",), "expected text or a list"),)


SHELL = BlockSpec(
    type="Shell",
    check=_needs_command,
    outputs={"stdout": ValueType.STRING, "exit_code": ValueType.INTEGER, "success": ValueType.BOOLEAN},
    effect=Effect.ONCE,
    shell_inputs=frozenset({"command", "cleanup"}),
)
CONFIRM = BlockSpec(
    type="ConfirmOperation",
    check=_anything,
    outputs={"confirmed": ValueType.BOOLEAN, "response": ValueType.STRING},
    interactive=True,
    effect=Effect.PURE,
)
CHOICE = BlockSpec(
    type="AskChoice",
    check=_anything,
    outputs={"choice": ValueType.STRING},
    interactive=True,
    effect=Effect.PURE,
)
INPUT = BlockSpec(
    type="GetInput",
    check=_anything,
    outputs={"input_value": ValueType.ANY},
    interactive=True,
    effect=Effect.PURE,
)
OPEN = BlockSpec(type="Python", check=_anything, outputs={}, open_outputs=True)
CALL = BlockSpec(
    type="ExecuteWorkflow",
    check=_anything,
    outputs={},
    open_outputs=True,
    effect=Effect.IDEMPOTENT,
    calls="workflow",
)
CATALOG: Catalog = {spec.type: spec for spec in (SHELL, CONFIRM, CHOICE, INPUT, OPEN, CALL)}


def load(text: str) -> WorkflowDefinition:
    """Return the workflow that *text* describes."""
    return parse_workflow(text, CATALOG, file="w.yaml", working_dir="/srv").definition


def faults_of(text: str) -> list[str]:
    """Return every fault of *text*, as ``line:column: block: message``."""
    try:
        load(text)
    except DefinitionError as error:
        return [fault.describe("w")[2:] for fault in error.faults]
    return []


NAMES = Names(
    inputs=frozenset({"flag", "project", "count", "absent", "my-input", "items_in"}),
    blocks=frozenset({"build", "a-b", "gone", "broken", "waiting"}),
)
SCOPE = Scope(
    inputs={
        "flag": "false",
        "project": "tide",
        "count": 3,
        "absent": None,
        "my-input": "hyphen",
        "items_in": [1, {"key": "deep"}],
    },
    blocks={
        "build": BlockView(
            "succeeded", {"stdout": "NO", "exit_code": 0, "success": True, "files": {"a b": ["x"]}}
        ),
        "a-b": BlockView("succeeded", {"has-changes": True}),
        "gone": BlockView("skipped", {}, "its condition was false"),
        "broken": BlockView("failed", {"exit_code": 2}, "exit code 2"),
        "waiting": BlockView("pending", {}),
    },
    run_id="r7",
    workflow="demo",
)

_FIRST = """\
name: w
inputs: {s: string, flag: boolean, n: integer, x: number, xs: list, m: map, database: string, my-input: string}
blocks:
  - {id: gate, type: ConfirmOperation}
  - {id: a, type: Shell, inputs: {command: ls}, outputs: {own: "${a.stdout}"}}
  - {id: raw, type: Python}
  - id: b
    depends_on: [gate, a, raw]
"""


def faults_in_block(**keys: Json) -> list[str]:
    """Return the messages for a block `b` with *keys*, a command of a shell unless they say otherwise.

    Before it stand `gate` (a confirmation), `a` (a command) and `raw` (of open outputs); the inputs are
    named for their types.
    """
    lines = {"type": "Shell", "inputs": {"command": "ls"}} | keys
    text = _FIRST + "".join(f"    {key}: {json.dumps(value)}\n" for key, value in lines.items())
    return [fault.partition("block 'b': ")[2] for fault in faults_of(text)]
