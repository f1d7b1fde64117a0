"""`tidegate validate` and `tidegate plan`: reading workflow files, never running anything."""

from pathlib import Path

import click

from tidegate.cli import options
from tidegate.cli.console import complain, emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.find import load_file, load_named
from tidegate.cli.grammar import Command, argument
from tidegate.errors import DefinitionError
from tidegate.model.base import Json, JsonObject
from tidegate.model.workflow import BlockDefinition, Dependency, WorkflowDefinition
from tidegate.settings import Settings

__all__ = ["plan", "validate"]


@click.command(cls=Command)
@argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    help="Workflow files.",
)
@options.as_json
def validate(files: tuple[Path, ...], as_json: bool) -> int:
    """Check workflow files: every fault, with its place and what would be right.

    Exit code: 0 if all are sound, 2 otherwise.
    """
    documents: list[Json] = []
    sound = True
    for file in files:
        try:
            definition = load_file(file).definition
            documents.append({"file": str(file), "valid": True, "workflow": definition.name, "faults": []})
            if not as_json:
                say(f"{file}: ok ({definition.name}, {len(definition.blocks)} blocks)")
        except DefinitionError as error:
            sound = False
            documents.append(_faults(error))
            if not as_json:
                complain(*error.lines)
    if as_json:
        emit_json({"files": documents, "valid": sound})
    return Exit.SUCCEEDED if sound else Exit.USAGE


def _faults(error: DefinitionError) -> JsonObject:
    faults: list[Json] = [
        {"line": fault.line, "column": fault.column, "block": fault.block or None, "message": fault.message}
        for fault in error.faults
    ]
    return {"file": error.file, "valid": False, "workflow": None, "faults": faults}


@click.command(cls=Command)
@argument("workflow", metavar="FILE|NAME", help="A workflow file, or a known one's name.")
@options.as_json
@options.pass_settings
def plan(settings: Settings, workflow: str, as_json: bool) -> int:
    """Show the waves of a workflow: what may run together, and what asks a person."""
    definition = load_named(settings, workflow).definition
    if as_json:
        emit_json(_plan_json(definition))
        return Exit.SUCCEEDED
    say(f"{definition.name}: {len(definition.blocks)} blocks in {len(definition.waves)} waves")
    for entry in definition.inputs:
        need = "required" if entry.required else f"default {entry.default!r}"
        say(f"  input {entry.name}: {entry.type}, {need}")
    blocks = {block.id: block for block in definition.blocks}
    for number, wave in enumerate(definition.waves, 1):
        say(f"wave {number}")
        for block_id in wave:
            say(f"  {_line(blocks[block_id])}")
    return Exit.SUCCEEDED


def _line(block: BlockDefinition) -> str:
    asks = "◆ " if block.interactive else "○ "
    after = f"  after {', '.join(map(_dependency, block.depends_on))}" if block.depends_on else ""
    condition = f"  if {block.condition}" if block.condition else ""
    return f"{asks}{block.id}  ({block.type}){after}{condition}"


def _dependency(dependency: Dependency) -> str:
    return dependency.block + (f" ({' or '.join(dependency.when)})" if dependency.when else "")


def _plan_json(definition: WorkflowDefinition) -> JsonObject:
    waves: list[Json] = [[str(block_id) for block_id in wave] for wave in definition.waves]
    blocks: dict[str, Json] = {
        block.id: {
            "type": block.type,
            "interactive": block.interactive,
            "depends_on": [dependency.block for dependency in block.depends_on],
            "condition": block.condition,
            "effect": block.effect.value,
            "reversible": block.reversible,
        }
        for block in definition.blocks
    }
    inputs: list[Json] = [
        {"name": entry.name, "type": entry.type.value, "required": entry.required, "default": entry.default}
        for entry in definition.inputs
    ]
    return {"workflow": definition.name, "execution_waves": waves, "blocks": blocks, "inputs": inputs}
