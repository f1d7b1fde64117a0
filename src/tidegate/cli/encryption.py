"""`tidegate encryption`: keys, what opens the store, and an encrypted copy of one that is plain."""

import shlex
from pathlib import Path

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, Group, argument
from tidegate.cli.repair import Found, copy_into, emit_found, is_whole, tell_runs
from tidegate.cli.wiring import run_attended
from tidegate.history.export_files import FileThere
from tidegate.settings import Settings
from tidegate.store.keys import KEY, KEY_FILE, KeyFault, Keys, new_key
from tidegate.store.locks import change_keys, envelope_at
from tidegate.store.opening import url_of

__all__ = ["encryption"]


@click.group(
    cls=Group,
    help="Encryption at rest: keys, what opens the store, and an encrypted copy of it.",
    no_args_is_help=True,
)
def encryption() -> None:
    """Hold the commands about encryption."""


@encryption.command("key", cls=Command)
def key() -> int:
    """Print a new random key. Keep it: without it nothing of an encrypted store can be read."""
    say(new_key())
    return Exit.SUCCEEDED


@encryption.command("status", cls=Command)
@options.as_json
@options.store
@options.pass_settings
def status(settings: Settings, as_json: bool) -> int:
    """Show whether the store is encrypted, which keys open it, and which ones are given.

    Keys are called by names that are made from them and tell nothing of them.
    """
    envelope, given = envelope_at(settings.store), Keys.from_environment().names
    opening = () if envelope is None else tuple(envelope.wrapped)
    if as_json:
        emit_json(
            {
                "store": url_of(settings.store),
                "encrypted": envelope is not None,
                "opened_by": [*opening],
                "given": [*given],
            }
        )
        return Exit.SUCCEEDED
    say(f"store      {url_of(settings.store)}")
    say(f"encrypted  {'no' if envelope is None else 'yes'}")
    say(f"opened by  {', '.join(opening) or '-'}")
    say(f"given      {', '.join(given) or '-'}")
    return Exit.SUCCEEDED


@encryption.command("rotate", cls=Command)
@options.store
@options.pass_settings
def rotate(settings: Settings) -> int:
    """Let the keys that are given open the store, and no others.

    Give the new key, and one that opens it now; then, without the old one, call it again. Whoever has the
    store open goes on undisturbed. Backups that were made before are opened by the keys of that time.
    """
    keys = Keys.from_environment()
    if not keys.names:
        raise KeyFault(f"no key is given: set {KEY_FILE} or {KEY}")
    envelope = change_keys(settings.store, keys)
    say(f"{url_of(settings.store)} is opened by {', '.join(envelope.wrapped)}, and by no other key.")
    return Exit.SUCCEEDED


@encryption.command("copy", cls=Command)
@argument("place", metavar="FILE", help="Where the copy is to be. Nothing may be there.")
@options.as_json
@options.store
@options.pass_settings
def copy(settings: Settings, place: str, as_json: bool) -> int:
    """Write an encrypted copy of the store: each run is checked, and written anew with a new key of the store's own.

    Nobody may be at work in the store meanwhile. It is left as it is: remove it yourself, and what copies of it there are.

    Exit code: 0 if everything was kept; 1 otherwise.
    """
    if not Keys.from_environment().names:
        problem = f"no key is given: set {KEY_FILE} or {KEY}, to what `tidegate encryption key` prints"
        raise KeyFault(problem)
    target = Path(place).expanduser().absolute()
    if target.exists():
        raise FileThere(target)
    source = None if envelope_at(settings.store) else Keys()
    found = run_attended(lambda: copy_into(settings, target, keys=source, quiet=as_json))
    if as_json:
        emit_found(settings, found)
    else:
        _tell(settings, found)
    return Exit.SUCCEEDED if is_whole(found) else Exit.FAILED


def _tell(settings: Settings, found: Found) -> None:
    tell_runs(found)
    call = f"tidegate --store {shlex.quote(f'sqlite://{found.copy}')}"
    say(
        f"The copy is {found.copy}; it is encrypted, and was verified. {url_of(settings.store)} was left as it was."
    )
    say(f"  look at it with:  {call} runs list --all")
    say("  Go on in the copy only: a run that goes on in both does everything twice.")
