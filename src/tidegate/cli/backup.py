"""`tidegate backup`: a verified copy of the whole store, made while everybody goes on."""

import os
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from tidegate.cli import options
from tidegate.cli.backups import BackupFolder, discard, folder_of, size_of
from tidegate.cli.console import complain, emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.wiring import with_store
from tidegate.clock import SystemClock, iso
from tidegate.errors import StoreNotFound, StoreUnavailable
from tidegate.history.history import History
from tidegate.history.spans import size
from tidegate.private import make_private_folder
from tidegate.settings import DEFAULT_ORIGIN, Settings
from tidegate.store.copies import open_copy
from tidegate.store.moving import move_into_place
from tidegate.store.opening import url_of
from tidegate.store.protocol import Store

__all__ = ["backup"]

_EVERY = 2.0
"""Seconds between two lines that say how far it is."""
_MOST_FAULTS = 20
"""Lines; beyond these, more of them say nothing new."""


@dataclass(frozen=True, slots=True)
class _Verified:
    """What was found in a copy."""

    runs: int
    events: int
    faults: tuple[str, ...]


@click.command(cls=Command)
@argument(
    "place",
    metavar="[FILE|FOLDER]",
    required=False,
    help="A new file, or a folder (or a name that ends in /) for one that is named by the time. Default: beside the store.",
)
@click.option(
    "--keep",
    metavar="N",
    type=click.IntRange(min=1),
    help="Afterwards keep only the N newest backups of this store in the folder.",
)
@options.as_json
@options.store
@options.pass_settings
def backup(settings: Settings, place: str | None, keep: int | None, as_json: bool) -> int:
    """Write a verified copy of the whole store, while everybody goes on.

    It is of one moment, and gets its name once it was read to its end. It is a store by itself: `tidegate
    --store COPY runs list` looks into it. Nothing is ever overwritten. --keep removes only what is called like a backup and holds the same store.

    Exit code: 0, or 1 if the copy is not sound; then there is none, and no older one is removed.
    """
    folder, exact = _chosen(settings, place)
    if exact is not None and keep is not None:
        raise click.UsageError("--keep is for backups in a folder; this one has a name of its own")

    async def work(store: Store) -> int:
        return await _make(store, folder, exact, keep, as_json=as_json)

    return with_store(settings, work)


def _chosen(settings: Settings, place: str | None) -> tuple[BackupFolder, Path | None]:
    """Return the folder for the copy, and its name if that was said."""
    beside = folder_of(settings.store)
    if not (beside.store.exists() or settings.store_origin != DEFAULT_ORIGIN):
        raise StoreNotFound(url_of(settings.store))
    if place is None:
        return beside, None
    path = Path(place).expanduser().absolute()
    if place.endswith(os.sep) or path.is_dir():
        return BackupFolder(path, beside.store), None
    if os.path.lexists(path):
        raise click.UsageError(
            f"{path} is there already, and a backup replaces nothing: name another, or a folder"
        )
    return BackupFolder(path.parent, beside.store), path


async def _make(
    store: Store, folder: BackupFolder, exact: Path | None, keep: int | None, *, as_json: bool
) -> int:
    clock = SystemClock()
    _prepare(folder, exact)
    at = clock.now()
    place = exact or folder.place(at)
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    try:
        await store.copy_to(draft)
        found = await _verified(draft)
        if found.faults:
            return _refuse(store, found, as_json=as_json)
        _name(draft, place)
    finally:
        discard(draft)
    removed = _removed(folder.beyond(keep, place) if keep is not None else ())
    _tell(store, place, found, removed, at=at, as_json=as_json)
    return Exit.SUCCEEDED


def _removed(old: Iterable[Path]) -> list[Path]:
    """Remove backups; return those that are gone, and say which are not."""
    gone = []
    for place in old:
        if discard(place):
            gone.append(place)
        else:
            complain(f"tidegate: {place} could not be removed. The new backup is made; remove it yourself")
    return gone


def _prepare(folder: BackupFolder, exact: Path | None) -> None:
    try:
        make_private_folder(folder.folder)
        folder.remove_drafts(exact)
    except OSError as error:
        raise _unwritable(folder.folder, error) from error


def _name(draft: Path, place: Path) -> None:
    try:
        move_into_place(draft, place)
    except OSError as error:
        raise _unwritable(place, error) from error


def _unwritable(place: Path, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(str(place), f"{error.strerror or error}", "Choose another place for the copy")


async def _verified(draft: Path) -> _Verified:
    """Read a copy to its end."""
    clock = SystemClock()
    store = await open_copy(draft, clock=clock)
    try:
        history = History(store, clock)
        faults, runs, events = list(await history.faults()), 0, 0
        told_at = clock.monotonic()
        async for verdict in history.verify():
            runs, events = runs + 1, events + verdict.good
            faults += [f"run {verdict.run_id}: {finding}" for finding in verdict.findings]
            if clock.monotonic() - told_at >= _EVERY:
                told_at = clock.monotonic()
                complain(f"tidegate: the copy is made; {runs:,} runs of it are verified")
        return _Verified(runs, events, tuple(faults))
    finally:
        await store.close()


# -- telling ----------------------------------------------------------------------------------


def _refuse(store: Store, found: _Verified, *, as_json: bool) -> int:
    if as_json:
        emit_json({"store": store.url, "backup": None, "faults": list(found.faults)})
    for fault in found.faults[:_MOST_FAULTS]:
        complain(f"tidegate: {fault}")
    complain(
        "tidegate: the copy is not sound, and was not kept; older ones were not touched."
        " `tidegate checkpoints verify` says whether the store is, `tidegate doctor --repair` saves what can be read"
    )
    return Exit.FAILED


def _tell(
    store: Store, place: Path, found: _Verified, removed: Sequence[Path], *, at: float, as_json: bool
) -> None:
    count = size_of(place)
    if as_json:
        emit_json(
            {
                "store": store.url,
                "backup": str(place),
                "at": at,
                "at_iso": iso(at),
                "bytes": count,
                "runs": found.runs,
                "events": found.events,
                "removed": [str(old) for old in removed],
                "faults": [],
            }
        )
        return
    say(f"{place}: {found.runs:,} runs, {found.events:,} events, {size(count)}; verified")
    for old in removed:
        say(f"removed {old}")
