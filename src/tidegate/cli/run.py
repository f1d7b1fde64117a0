"""`tidegate run`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tidegate.cli.find import load_named
from tidegate.cli.options import AsJson, By, settings_of
from tidegate.cli.report import follow_to_rest
from tidegate.cli.wiring import Session, run_with_session

__all__ = ["run"]


def run(
    context: typer.Context,
    workflow: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="A workflow file, or the name of a known one.")
    ],
    given: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", metavar="KEY=VALUE", help="One input; repeat for more."),
    ] = None,
    inputs: Annotated[
        Path | None,
        typer.Option("--inputs", metavar="FILE", help="Inputs as a YAML or JSON mapping; - is stdin."),
    ] = None,
    by: By = None,
    as_json: AsJson = False,
) -> int:
    """Start a run and follow it until it ends or waits for a person.

    Exit code: 0 succeeded, 1 failed, 2 invalid file or inputs, 3 a person must answer, 4 rejected,
    5 cancelled, 130 interrupted.
    """
    from tidegate.cli.given import read_inputs  # with it comes YAML

    settings = settings_of(context)
    loaded = load_named(settings, workflow)
    values = read_inputs(loaded.definition, given or [], inputs)

    async def work(session: Session) -> int:
        who = by or session.operator
        run_id = await session.executor.start(loaded.definition, values, by=who, source=loaded.source)
        if not as_json:
            sys.stderr.write(f"run {run_id}\n")
        return await follow_to_rest(session, run_id, as_json=as_json)

    return run_with_session(settings, work)
