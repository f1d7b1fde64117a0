"""`tidegate init`: a first workflow to change, and the schema with which an editor helps to."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import click
import msgspec

from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.options import as_json as as_json_option

if TYPE_CHECKING:
    from tidegate.model.base import JsonObject

__all__ = ["SCHEMA_NAME", "init"]

SCHEMA_NAME = "workflow.schema.json"
_ENDINGS = (".yaml", ".yml")

_WORKFLOW = Template("""\
# yaml-language-server: $$schema=./$schema
#
# A first workflow: it works, asks somebody, and goes on after a yes.
#
#   tidegate validate $file     every fault, with its place
#   tidegate run $file -i who=you
#   tidegate                    the monitor: answer there, or with `tidegate answer`
#
# The first line lets editors complete keys and check what is written.
name: $name
description: Prepare something, ask, and do it

# What a run is given. A value reaches the shell as data, whatever is in it.
inputs:
  who: {type: string, required: true, description: Whom to greet}
  mood: {type: string, default: friendly, choices: [friendly, formal]}

blocks:
  # Every step is on disk before it starts and when it has ended.
  - id: prepare
    type: Shell
    inputs:
      command: |
        echo "a $${mood} greeting for $${who}"

  # The run waits here, for a minute or for a month, and costs nothing.
  - id: ask
    type: ConfirmOperation
    depends_on: [prepare]
    inputs:
      message: "Prepared: $${prepare.stdout}. Send it?"
      operation: send
      # After a no, what depends on this is skipped, and the run ends `rejected`.

  - id: send
    type: Shell
    depends_on: [ask]
    # Only after a yes; a condition is one expression that is true or false.
    condition: "$${ask.confirmed} == true"
    retry: {max_attempts: 3, delay: 2s}
    timeout: 30s
    inputs:
      command: |
        echo "sent to $${who}"

# What a run gives back; a block that did not run gives null.
outputs:
  sent: "$${send.success}"
""")


@click.command(cls=Command)
@argument(
    "name",
    metavar="[FILE]",
    required=False,
    default="first-workflow",
    help="How it is called, or where it is to be: deploy, flows/deploy.yaml. Default: first-workflow.",
)
@as_json_option
def init(name: str, as_json: bool) -> int:
    """Write a first workflow with comments, and the schema with which editors check it.

    The schema lies beside it, and the first line of the workflow names it. A workflow that is there is never overwritten; the schema is made anew, as it follows the block types that
    are installed.
    """
    place = _place(name)
    schema = place.with_name(SCHEMA_NAME)
    _check_schema(schema)
    with _refusals():
        place.parent.mkdir(parents=True, exist_ok=True)
        text = _WORKFLOW.substitute(schema=SCHEMA_NAME, file=place.name, name=place.stem)
        with place.open("x", encoding="utf-8") as file:
            file.write(text)
        schema.write_bytes(_schema())
    _tell({"workflow": str(place), "schema": str(schema)}, as_json=as_json)
    return Exit.SUCCEEDED


def _place(name: str) -> Path:
    # Here, as the schema below: no other command that starts has a use for what reads workflow files.
    from tidegate.workflows.fields import MAX_NAME, NAME

    path = Path(name).expanduser()
    place = path if path.suffix in _ENDINGS else path.with_name(f"{path.name}{_ENDINGS[0]}")
    if not NAME.fullmatch(place.stem) or len(place.stem) > MAX_NAME:
        raise click.UsageError(
            f"'{place.stem[:MAX_NAME]}' is no name of a workflow: it may have letters, digits, - and _ only,"
            f" and at most {MAX_NAME} of them"
        )
    return place


def _check_schema(schema: Path) -> None:
    """Refuse to write over something else that is called like a schema."""
    from tidegate.workflows.schema import SCHEMA_MARK

    if not schema.exists():
        return
    try:
        found: Any = msgspec.json.decode(schema.read_bytes())
    except (OSError, msgspec.DecodeError):
        found = None
    if not isinstance(found, dict) or found.get("$comment") != SCHEMA_MARK:
        raise click.UsageError(
            f"{schema} is there already, and is no schema of ours: move it, or name another folder"
        )


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise click.UsageError(
            f"{error.filename} is there already, and stays as it is: name another"
        ) from error
    except OSError as error:
        raise click.UsageError(f"{error.filename} cannot be written: {error.strerror}") from error


def _schema() -> bytes:
    from tidegate.blocks.registry import catalog
    from tidegate.workflows.schema import workflow_schema

    return msgspec.json.format(msgspec.json.encode(workflow_schema(catalog())), indent=2) + b"\n"


def _tell(made: "JsonObject", *, as_json: bool) -> None:
    if as_json:
        emit_json(made)
        return
    say(f"{made['workflow']}: a workflow to change")
    say(f"{made['schema']}: what editors check it with")
    say(f"  try it with:  tidegate run {made['workflow']} -i who=you")
