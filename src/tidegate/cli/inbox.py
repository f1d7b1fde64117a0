"""`tidegate inbox`."""

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, table
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command
from tidegate.cli.times import age, due
from tidegate.cli.wiring import Reading, read_store
from tidegate.history.views import pause_json, where
from tidegate.model.listing import PauseRow
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

__all__ = ["inbox"]


@click.command(cls=Command)
@click.option("for_whom", "--for", metavar="NAME", help="Only what is assigned to NAME, or to `me`.")
@options.as_json
@options.store
@options.pass_settings
def inbox(settings: Settings, for_whom: str | None, as_json: bool) -> int:
    """List every open pause: those with a deadline first, then the oldest."""
    name = settings.operator if for_whom == "me" else for_whom

    async def work(reading: Reading) -> int:
        pauses = [row for row in await reading.history.inbox() if name is None or row.assignee == name]
        if as_json:
            emit_json({"pauses": [pause_json(pause) for pause in pauses], "total": len(pauses)})
        elif not pauses:
            say(
                "Nothing waits for an answer."
                if name is None
                else f"Nothing waits for an answer of {safe_line(name)}."
            )
        else:
            headings = ("PAUSE", "KIND", "RUN", "WORKFLOW", "BLOCK", "SINCE", "DUE", "FOR", "QUESTION")
            table(headings, [_row(pause) for pause in pauses])
        return Exit.SUCCEEDED

    return read_store(settings, work)


def _row(pause: PauseRow) -> tuple[str, ...]:
    first_line = pause.prompt.text.strip().partition("\n")[0]
    return (
        *(pause.pause_id, pause.prompt.kind, pause.root or pause.run_id, pause.workflow, where(pause)),
        *(age(pause.opened_at), due(pause.deadline), pause.assignee or "-", first_line),
    )
