"""The tools about workflows: what there is, whether it is sound, and starting it."""

import asyncio
from typing import Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field

from tidegate.errors import DefinitionError, TidegateError
from tidegate.history.shelf import WorkflowFile
from tidegate.model.base import Json, JsonObject
from tidegate.model.workflow import WorkflowDefinition
from tidegate.server.desk import Call, desk_of
from tidegate.server.refusals import faults_json
from tidegate.server.telling import run_told, tell, told

__all__ = ["Seconds", "execute_workflow", "list_workflows", "validate_workflow"]

Seconds = Annotated[
    float | None,
    Field(
        ge=0, description="Return after this many seconds at most; the run goes on. Default: once it rests."
    ),
]


@told()
async def execute_workflow(
    ctx: Call,
    workflow: Annotated[str, Field(description="A name that list_workflows shows.")],
    inputs: Annotated[dict[str, Any] | None, Field(description="Its inputs by name.")] = None,
    wait_seconds: Seconds = None,
) -> CallToolResult:
    """Start a workflow, and return once it has ended, or waits for a person.

    `status` is success, paused, failure or running. If it is paused, `prompt` asks something: answer with
    resume_workflow and its `checkpoint_id`. The run is durable and goes on if this call is given up.
    """
    desk = desk_of(ctx)
    run_id = await desk.gate.start(await desk.workflow_file(workflow), inputs)
    return run_told(await desk.rested(run_id, wait_seconds))


@told()
async def list_workflows(ctx: Call) -> CallToolResult:
    """List the workflows that can be started, with the inputs they take."""
    files = await desk_of(ctx).workflows()
    workflows: list[Json] = [_file_json(file) for file in files]
    lines = [f"{file.name}{'' if file.is_sound else ' (has faults)'}" for file in files]
    return tell({"workflows": workflows, "total": len(files)}, "\n".join(lines) or "no workflows")


def _file_json(file: WorkflowFile) -> JsonObject:
    definition = file.definition
    return {
        "name": file.name,
        "file": str(file.path),
        "valid": file.is_sound,
        "description": definition.description if definition is not None else "",
        "inputs": _inputs_json(definition) if definition is not None else [],
        "faults": [fault.describe(str(file.path)) for fault in file.faults],
    }


def _inputs_json(definition: WorkflowDefinition) -> list[Json]:
    return [
        {
            "name": entry.name,
            "type": entry.type.value,
            "required": entry.required,
            "default": entry.default,
            "choices": list(entry.choices),
            "description": entry.description,
        }
        for entry in definition.inputs
    ]


class _NothingToCheck(TidegateError):
    """Neither a name nor a text was given, or both were."""

    def __init__(self) -> None:
        super().__init__("give either `workflow`, a name that list_workflows shows, or `source`, a YAML text")


@told()
async def validate_workflow(
    ctx: Call,
    workflow: Annotated[str, Field(description="A name that list_workflows shows.")] = "",
    source: Annotated[str, Field(description="The text of a workflow file, instead of a name.")] = "",
) -> CallToolResult:
    """Check a workflow without running anything: every fault, with its place and what would be right."""
    if bool(workflow) == bool(source):
        raise _NothingToCheck
    desk = desk_of(ctx)
    try:
        if source:
            loaded = await asyncio.to_thread(desk.gate.workflow, source)
        else:
            loaded = await asyncio.to_thread(desk.gate.load, await desk.workflow_file(workflow))
    except DefinitionError as error:
        return tell({"valid": False, "workflow": None, "faults": faults_json(error)}, str(error))
    name = loaded.definition.name
    return tell(
        {"valid": True, "workflow": name, "faults": []},
        f"{name}: ok, {len(loaded.definition.blocks)} blocks",
    )
