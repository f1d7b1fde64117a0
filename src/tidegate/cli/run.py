"""`tidegate run`."""

from pathlib import Path

import click

from tidegate.cli import options
from tidegate.cli.find import load_named
from tidegate.cli.grammar import Command, argument
from tidegate.cli.report import follow_to_rest
from tidegate.cli.wiring import Session, run_with_session
from tidegate.settings import Settings

__all__ = ["run"]


@click.command(cls=Command)
@argument("workflow", metavar="FILE|NAME", help="A workflow file, or the name of a known one.")
@click.option(
    "given", "--input", "-i", metavar="KEY=VALUE", multiple=True, help="One input; repeat for more."
)
@click.option(
    "--inputs",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Inputs as a YAML or JSON mapping; - is stdin.",
)
@options.by
@options.as_json
@options.store
@options.pass_settings
def run(
    settings: Settings,
    workflow: str,
    given: tuple[str, ...],
    inputs: Path | None,
    by: str | None,
    as_json: bool,
) -> int:
    """Start a run and follow it until it ends or waits for a person.

    Exit code: 0 succeeded, 1 failed, 2 invalid file or inputs, 3 a person must answer, 4 rejected,
    5 cancelled, 130 interrupted.
    """
    from tidegate.cli.given import read_inputs  # with it comes YAML

    loaded = load_named(settings, workflow)
    values = read_inputs(loaded.definition, given, inputs)

    async def work(session: Session) -> int:
        who = by or session.operator
        run_id = await session.executor.start(loaded.definition, values, by=who, source=loaded.source)
        return await follow_to_rest(session, run_id, as_json=as_json)

    return run_with_session(settings, work, creates=True)
