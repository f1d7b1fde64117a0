"""`tidegate schema`: the JSON Schema of workflow files."""

import click

from tidegate.cli.console import emit_json
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command

__all__ = ["schema"]


@click.command(cls=Command)
def schema() -> int:
    """Print the JSON Schema of workflow files, for editors.

    It has the block types that are installed here. An editor with it completes keys and checks as somebody writes: put
    `# yaml-language-server: $schema=FILE` into the first line of a workflow. `tidegate init` does so.
    """
    from tidegate.blocks.registry import catalog
    from tidegate.workflows.schema import workflow_schema

    emit_json(workflow_schema(catalog()))
    return Exit.SUCCEEDED
