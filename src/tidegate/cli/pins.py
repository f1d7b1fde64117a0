"""`tidegate checkpoints pin | unpin | label | mark`: what people say about points of runs."""

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.wiring import Session, run_with_session
from tidegate.settings import Settings

__all__ = ["label", "mark", "pin", "unpin"]

_checkpoint = argument("checkpoint", metavar="CHECKPOINT", help="Its id, or the beginning of it.")


@click.command(cls=Command)
@_checkpoint
@options.as_json
@options.store
@options.pass_settings
def pin(settings: Settings, checkpoint: str, as_json: bool) -> int:
    """Keep a checkpoint, and with it its run, whatever its age.

    Exit code: 0, also if it was pinned already; 7 if there is no such checkpoint.
    """
    return _pin(settings, checkpoint, pinned=True, as_json=as_json)


@click.command(cls=Command)
@_checkpoint
@options.as_json
@options.store
@options.pass_settings
def unpin(settings: Settings, checkpoint: str, as_json: bool) -> int:
    """Keep a checkpoint only as long as others.

    Exit code: 0, also if it was not pinned; 7 if there is no such checkpoint.
    """
    return _pin(settings, checkpoint, pinned=False, as_json=as_json)


def _pin(settings: Settings, checkpoint: str, *, pinned: bool, as_json: bool) -> int:
    async def work(session: Session) -> int:
        found = await session.history.find_checkpoint(checkpoint)
        await session.executor.pin(found, pinned=pinned)
        if as_json:
            emit_json({"checkpoint_id": found, "pinned": pinned})
        else:
            say(f"checkpoint {found} is {'pinned' if pinned else 'not pinned any more'}")
        return Exit.SUCCEEDED

    return run_with_session(settings, work)


@click.command(cls=Command)
@_checkpoint
@argument("text", metavar="[TEXT]", required=False, help="What to call it; one line.")
@click.option("--remove", is_flag=True, help="Call it no longer anything but what its workflow calls it.")
@options.as_json
@options.store
@options.pass_settings
def label(settings: Settings, checkpoint: str, text: str | None, remove: bool, as_json: bool) -> int:
    """Call a checkpoint something. One that has a label stays on the list however many there are.

    Exit code: 0; 7 if there is no such checkpoint.
    """
    if remove is (text is not None):
        raise click.UsageError("say what to call it, or --remove")
    if text is not None and not text.split():
        raise click.UsageError("the label is empty: say --remove to take one off")

    async def work(session: Session) -> int:
        found = await session.history.find_checkpoint(checkpoint)
        await session.executor.label(found, text)
        called = (await session.store.checkpoint(found)).label
        if as_json:
            emit_json({"checkpoint_id": found, "label": called})
        else:
            what = f"is called '{called}'" if called else "has no label"
            say(f"checkpoint {found} {what}")
        return Exit.SUCCEEDED

    return run_with_session(settings, work)


@click.command(cls=Command)
@argument("point", metavar="POINT", help="A run, which means its newest event; RUN@SEQ; or a checkpoint.")
@click.option("--label", "-l", "text", metavar="TEXT", default="", help="What to call it; one line.")
@options.by
@options.as_json
@options.store
@options.pass_settings
def mark(settings: Settings, point: str, text: str, by: str | None, as_json: bool) -> int:
    """Place a checkpoint at any point of a run, also of one that has ended or is running now.

    The run's journal does not change. Exit code: 0; 7 if there is no such run or point.
    """

    async def work(session: Session) -> int:
        found = await session.history.find_point(point)
        placed = await session.executor.mark(found.run_id, found.seq, by=by or session.operator, label=text)
        if as_json:
            emit_json({"checkpoint_id": placed, "run_id": found.run_id, "seq": found.seq})
        else:
            say(f"checkpoint {placed} is at event {found.seq} of run {found.run_id}")
        return Exit.SUCCEEDED

    return run_with_session(settings, work)
