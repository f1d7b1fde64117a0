"""`tidegate answer` and `tidegate inbox`."""

import sys
from typing import Annotated

import typer

from tidegate.cli.console import complain, emit_json, say, table
from tidegate.cli.exits import Exit
from tidegate.cli.options import AsJson, By, settings_of
from tidegate.cli.report import follow_to_rest
from tidegate.cli.times import age
from tidegate.cli.wiring import Session, run_with_session
from tidegate.engine.votes import Reply
from tidegate.errors import InvalidAnswer
from tidegate.history.views import pause_json
from tidegate.model.prompt import describe_value
from tidegate.store.protocol import PauseRow

__all__ = ["answer", "inbox"]


def answer(
    context: typer.Context,
    target: Annotated[
        str, typer.Argument(metavar="PAUSE|RUN", help="A pause, or a run with one open pause.")
    ],
    value: Annotated[
        str | None, typer.Argument(metavar="VALUE", help="The answer. Left out: asked for.")
    ] = None,
    comment: Annotated[str, typer.Option("--comment", metavar="TEXT", help="Kept with the answer.")] = "",
    by: By = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Follow the run until it rests, or leave it to others.")
    ] = True,
    as_json: AsJson = False,
) -> int:
    """Answer an open pause, and follow its run until it ends or waits again.

    Exit code: that of the run (0, 1, 3, 4, 5), 2 for a wrong answer, 6 if somebody else was faster,
    7 if there is no such pause.
    """
    settings = settings_of(context)

    async def work(session: Session) -> int:
        pause = await session.history.find_pause(target)
        raw = value if value is not None else _ask(pause)
        before = (await session.history.run_view(pause.run_id)).row.head
        reply = Reply(raw=raw, by=by or session.operator, via="cli", comment=comment)
        answered = await session.executor.answer(pause.pause_id, reply)
        if answered.repeated:
            complain(f"{pause.pause_id} had this answer already: {describe_value(answered.value)}")
        if not wait:
            return Exit.SUCCEEDED
        return await follow_to_rest(session, pause.run_id, as_json=as_json, since=before)

    return run_with_session(settings, work)


def _ask(pause: PauseRow) -> str:
    """Ask at the terminal; refuse to where there is none."""
    if not sys.stdin.isatty():
        raise InvalidAnswer(f"no answer was given, and there is no terminal to ask at: {pause.prompt.rule}")
    complain(f"{pause.workflow} · run {pause.run_id} · block '{pause.block}'")
    complain(pause.prompt.text)
    for number, choice in enumerate(getattr(pause.prompt, "choices", ()), 1):
        complain(f"  {number}. {choice}")
    complain(f"({pause.prompt.rule}; Ctrl-C answers nothing)")
    return input("> ")


def inbox(context: typer.Context, as_json: AsJson = False) -> int:
    """List every open pause: those with a deadline first, then the oldest."""

    async def work(session: Session) -> int:
        pauses = await session.history.inbox()
        if as_json:
            emit_json({"pauses": [pause_json(pause) for pause in pauses], "total": len(pauses)})
        elif not pauses:
            say("Nothing waits for an answer.")
        else:
            headings = ("PAUSE", "KIND", "WORKFLOW", "BLOCK", "SINCE", "QUESTION")
            table(headings, [_row(pause) for pause in pauses])
        return Exit.SUCCEEDED

    return run_with_session(settings_of(context), work)


def _row(pause: PauseRow) -> tuple[str, ...]:
    first_line = pause.prompt.text.strip().partition("\n")[0]
    return (pause.pause_id, pause.prompt.kind, pause.workflow, pause.block, age(pause.opened_at), first_line)
