"""`tidegate assign`."""

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.wiring import Session, run_with_session
from tidegate.history.views import pause_json
from tidegate.settings import Settings

__all__ = ["assign"]


@click.command(cls=Command)
@argument("target", metavar="PAUSE|RUN", help="A pause, or a run with one open pause.")
@argument("to", metavar="[NAME]", required=False, help="Whose business it is now, or `me`.")
@click.option("--anybody", is_flag=True, help="It is nobody's in particular any more.")
@click.option(
    "--block",
    "-b",
    metavar="BLOCK",
    help="Of a run with several open pauses, the one of this block, item or path: a, a[red], deploy[red]/a.",
)
@click.option("--note", metavar="TEXT", default="", show_default=False, help="For whoever it is now.")
@options.by
@options.as_json
@options.store
@options.pass_settings
def assign(
    settings: Settings,
    target: str,
    to: str | None,
    anybody: bool,
    block: str | None,
    note: str,
    by: str | None,
    as_json: bool,
) -> int:
    """Say whose business an open pause is: theirs is the first look, but anybody may answer.

    Exit code: 0, 2 if nobody was named, 6 if it is not open any more, 7 if there is no such pause.
    """
    if (to is None) is not anybody:
        raise click.UsageError("Say to whom: NAME, `me`, or --anybody.")

    async def work(session: Session) -> int:
        pause_id = (await session.history.find_pause(target, block)).pause_id
        name = session.operator if to == "me" else to or ""
        await session.executor.assign(pause_id, name, by=by or session.operator, note=note)
        pause = await session.history.find_pause(pause_id)
        if as_json:
            emit_json(pause_json(pause))
        else:
            say(f"{pause_id} is {pause.assignee or 'anybody'}'s: {pause.prompt.text}", hang=2)
        return Exit.SUCCEEDED

    return run_with_session(settings, work)
