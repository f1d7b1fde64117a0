"""`tidegate checkpoints pin | unpin`: what is kept until somebody says otherwise."""

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.wiring import Session, run_with_session
from tidegate.settings import Settings

__all__ = ["pin", "unpin"]

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
