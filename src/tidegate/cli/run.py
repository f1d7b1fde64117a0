"""`tidegate run`."""

from pathlib import Path

import click

from tidegate.cli import options
from tidegate.cli.background import begin_worker
from tidegate.cli.call import call_of
from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.find import load_named
from tidegate.cli.grammar import Command, argument
from tidegate.cli.report import follow_to_rest, run_document
from tidegate.cli.wiring import Session, run_with_session
from tidegate.model.base import JsonObject
from tidegate.model.ids import RunId
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
@click.option(
    "--detach",
    is_flag=True,
    help="Return once the run is on disk; a worker goes on with it in the background.",
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
    detach: bool,
    by: str | None,
    as_json: bool,
) -> int:
    """Start a run and follow it until it ends or waits for a person.

    Exit code: 0 succeeded, 1 failed, 2 invalid file or inputs, 3 a person must answer, 4 rejected,
    5 cancelled, 130 interrupted. With --detach: 0 once it is on disk and
    a worker has it, 1 if there is no worker.
    """
    from tidegate.cli.given import read_inputs  # with it comes YAML

    if detach and settings.store == "memory://":
        raise click.UsageError("--detach needs a store that is there when this command has ended")
    loaded = load_named(settings, workflow)
    values = read_inputs(loaded.definition, given, inputs)

    async def start(session: Session) -> RunId:
        who = by or session.operator
        return await session.executor.start(loaded.definition, values, by=who, source=loaded.source)

    async def work(session: Session) -> int:
        return await follow_to_rest(session, await start(session), as_json=as_json)

    async def leave(session: Session) -> JsonObject:
        # Nothing of it begins here: this process is about to end, and would cut it off.
        await session.executor.drain()
        view = await session.history.run_view(await start(session))
        await session.executor.drain()
        return await run_document(session.history, view)

    if not detach:
        return run_with_session(settings, work, creates=True)
    return _tell_left(settings, run_with_session(settings, leave, creates=True), as_json=as_json)


def _tell_left(settings: Settings, document: JsonObject, *, as_json: bool) -> int:
    """Leave a run to a worker, and tell how to look for it."""
    is_begun = begin_worker(settings)
    if as_json:
        emit_json(document)
    else:
        run_id = document["run_id"]
        say(f"run {run_id} of {document['workflow']} was started")
        say(f"  look for it with: {call_of(settings)} runs show {run_id}")
    return Exit.SUCCEEDED if is_begun else Exit.FAILED
