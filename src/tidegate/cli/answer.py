"""`tidegate answer`."""

from dataclasses import dataclass

import click

from tidegate.cli import options
from tidegate.cli.asking import Said, ask, ask_comment, at_terminal
from tidegate.cli.call import call_of
from tidegate.cli.console import complain, emit_json
from tidegate.cli.exits import Exit
from tidegate.cli.foreseen import tell_foreseen
from tidegate.cli.given_answer import given_answer
from tidegate.cli.grammar import Command, argument
from tidegate.cli.report import follow_to_rest, run_document
from tidegate.cli.telling import heads_of
from tidegate.cli.wiring import Session, read_store, run_with_session
from tidegate.errors import InvalidAnswer, PauseClosed
from tidegate.history.history import History
from tidegate.model.answer import Reply
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import FormPrompt, describe_value, is_secret
from tidegate.settings import Settings

__all__ = ["answer"]


@click.command(cls=Command)
@argument("target", metavar="PAUSE|RUN", help="A pause, or a run with one open pause.")
@argument(
    "value",
    metavar="[VALUE]",
    required=False,
    callback=None,  # An empty text can be an answer.
    help="The answer; - reads it from standard input. Left out: asked for. One that begins with - goes after --.",
)
@click.option(
    "fields",
    "--field",
    "-f",
    metavar="NAME=VALUE",
    multiple=True,
    help="One field of a form; repeat for more.",
)
@click.option(
    "--block",
    "-b",
    metavar="BLOCK",
    help="Of a run with several open pauses, the one of this block, item or path: a, a[red], deploy[red]/a.",
)
@click.option("--comment", metavar="TEXT", default="", show_default=False, help="Kept with the answer.")
@click.option(
    "--dry-run", is_flag=True, help="Only say what the answer would lead to; without a value, what any would."
)
@click.option("--full", is_flag=True, help="Show all of what is shown with the question.")
@options.by
@click.option("--wait/--no-wait", default=True, help="Follow the run until it rests, or leave it to others.")
@options.as_json
@options.store
@options.pass_settings
def answer(
    settings: Settings,
    target: str,
    value: str | None,
    fields: tuple[str, ...],
    block: str | None,
    comment: str,
    dry_run: bool,
    full: bool,
    by: str | None,
    wait: bool,
    as_json: bool,
) -> int:
    """Answer an open pause, and follow its run until it ends or waits again.

    Of several choices: their texts or numbers with commas between, or a JSON list. A form: --field for
    each field, or a JSON object.

    Exit code: that of the run (0, 1, 3, 4, 5), 2 for a wrong answer, 6 if somebody else was faster,
    7 if there is no such pause; 0 for --dry-run.
    """
    raw = given_answer(value, fields)
    if dry_run:
        return _foresee(settings, Meant(target, block), value, raw, as_json=as_json)
    meant, said = Meant(target, block), None if raw is None else Said(raw, comment)
    if said is None or at_terminal():
        # Before the session, which takes Ctrl-C for itself and would hold the store meanwhile.
        pause = read_store(settings, lambda reading: _find(reading.history, meant))
        call = call_of(settings)
        said = ask(pause, call, comment=comment, full=full) if said is None else _with_comment(pause, said)
        # What was asked is what is answered, whatever the run asks by now.
        meant = Meant(pause.pause_id)
    reply = said

    async def work(session: Session) -> int:
        pause = await _find(session.history, meant)
        if fields and not isinstance(pause.prompt, FormPrompt):
            raise InvalidAnswer(f"--field is for forms, and {pause.pause_id} is none: {pause.prompt.rule}")
        _refuse_seen(pause, value)
        return await _answer(session, pause, reply, by=by, wait=wait, as_json=as_json)

    return run_with_session(settings, work)


def _foresee(settings: Settings, meant: "Meant", word: str | None, raw: str | None, *, as_json: bool) -> int:
    async def work(session: Session) -> int:
        pause = await _find(session.history, meant)
        _refuse_seen(pause, word)
        await tell_foreseen(session, pause, raw, as_json=as_json)
        return Exit.SUCCEEDED

    return run_with_session(settings, work)


def _refuse_seen(pause: PauseRow, word: str | None) -> None:
    """Refuse a secret that was among the words of the command.

    Raises:
        InvalidAnswer: it was.
    """
    if is_secret(pause.prompt) and word not in (None, "-"):
        problem = "a secret among the words of a command is seen by everybody on the machine"
        raise InvalidAnswer(
            f"{problem}: leave it out and type it, or write - and let it be read from standard input"
        )


def _with_comment(pause: PauseRow, said: Said) -> Said:
    """Return what was said, with the comment that it needs; what is no answer is refused where it counts."""
    try:
        return Said(said.raw, ask_comment(pause.prompt, said.raw, said.comment))
    except InvalidAnswer:
        return said


async def _answer(
    session: Session, pause: PauseRow, said: Said, *, by: str | None, wait: bool, as_json: bool
) -> int:
    # What its answer moves is the run at the top: that one is followed, and its end is told.
    run_id = pause.root or pause.run_id
    before = await heads_of(session.history, run_id)
    reply = Reply(raw=said.raw, by=by or session.operator, via="cli", comment=said.comment)
    try:
        answered = await session.executor.answer(pause.pause_id, reply, drive=wait)
    except PauseClosed:
        if wait and not as_json:  # If it has expired by now, its run goes on without an answer.
            await follow_to_rest(session, run_id, as_json=False, since=before)
        raise
    if answered.repeated:
        complain(f"{pause.pause_id} had this answer already: {describe_value(answered.value)}")
    if wait:
        return await follow_to_rest(session, run_id, as_json=as_json, since=before)
    view = await session.history.run_view(run_id)
    if as_json:
        emit_json(await run_document(session.history, view))
    else:
        complain(f"The answer is kept. Run {run_id} goes on as soon as somebody drives it:")
        complain(f"an open monitor, or {session.call} resume {run_id}")
    return Exit.SUCCEEDED


@dataclass(frozen=True, slots=True)
class Meant:
    """Which pause the words mean."""

    target: str
    block: str | None = None


async def _find(history: History, meant: Meant) -> PauseRow:
    """Return the pause that is meant.

    Raises:
        BlockNotFound: the run has no such block.
        PauseNotFound: nothing is open there.
        RunNotFound, WhichPause, AmbiguousId: as `History` raises them.
    """
    return await history.find_pause(meant.target, meant.block)
