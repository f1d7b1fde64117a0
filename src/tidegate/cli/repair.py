"""`tidegate doctor --repair`: a sound copy of what can be read of a damaged store, beside it."""

import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tidegate.cli.console import complain, emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.wiring import run_attended
from tidegate.clock import SystemClock, iso
from tidegate.errors import StoreUnavailable
from tidegate.history.repair import Extent, Rescue, Rescued, must_rest
from tidegate.settings import Settings
from tidegate.store.keys import Keys
from tidegate.store.opening import WrongStore, file_of, open_store, url_of
from tidegate.store.opening_wrecks import open_wreck
from tidegate.store.wreck import Wreck

if TYPE_CHECKING:
    from tidegate.model.base import Json

__all__ = ["Found", "copy_into", "emit_found", "is_whole", "repair", "tell_runs"]


class Found(NamedTuple):
    """What became of a store."""

    copy: Path
    rescued: tuple[Rescued, ...]
    nameless: int
    faults: Sequence[str]


def repair(settings: Settings, *, as_json: bool) -> int:
    """Write a sound copy of what can be read of the store; say what became of each run, and how to go on.

    Exit code: 0 if everything was kept, 1 otherwise.
    """
    found = run_attended(lambda: _repair(settings, quiet=as_json))
    if as_json:
        emit_found(settings, found)
    else:
        tell_runs(found)
        _tell(settings, found)
    return Exit.SUCCEEDED if is_whole(found) else Exit.FAILED


def is_whole(found: Found) -> bool:
    """Whether everything that a store held is in its copy."""
    runs_are = all(
        run.extent is Extent.WHOLE and not run.values_lost and not run.output_lost for run in found.rescued
    )
    return runs_are and not found.nameless and not found.faults


async def _repair(settings: Settings, *, quiet: bool) -> Found:
    path = file_of(settings.store)
    if path is None:
        raise WrongStore(settings.store, "a store in memory has no file to repair", "Name one with --store")
    return await copy_into(settings, _free_place(path.resolve()), quiet=quiet)


async def copy_into(
    settings: Settings, copy: Path, *, keys: Keys | None = None, quiet: bool = False
) -> Found:
    """Write what can be read of a store into a new one.

    Args:
        settings: Which store.
        copy: Where the new one is to be; nothing may be there.
        keys: What opens the store that is read; None: what the environment names, as for the new one.
        quiet: Whether nothing is said meanwhile of what could not be read.

    Raises:
        StoreError: it cannot be read at all, somebody works with it, or the copy cannot be written.
        FileExistsError: somebody has put something there meanwhile.
    """
    draft = copy.with_name(f"{copy.name}.{os.getpid()}.part")
    try:
        scratch = draft.with_name(f"{draft.name}.found")
        async with open_wreck(settings.store, scratch, keys=keys) as wreck:
            found = await _write(wreck, settings.store, draft, copy, quiet=quiet)
        # link, unlike rename, never replaces what somebody else has put there meanwhile.
        copy.hardlink_to(draft)  # noqa: ASYNC240  # one name in one directory
        return found
    finally:
        _remove(draft)


def _remove(draft: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _free_place(path: Path) -> Path:
    """Return the first name beside *path* for a copy of it that is not taken."""
    names = (f"{path.stem}.repaired{number or ''}{path.suffix}" for number in range(1_000))
    return next(place for place in map(path.with_name, names) if not place.exists())


async def _write(wreck: Wreck, url: str, draft: Path, copy: Path, *, quiet: bool) -> Found:
    clock = SystemClock()
    runs = await wreck.runs()
    must_rest(runs, clock.now())
    if not runs:
        raise StoreUnavailable(url, "nothing of a store is left in it", "Look for a copy of the file")
    store = await open_store(f"sqlite://{draft}", clock=clock)
    try:
        rescue = Rescue(wreck, store, clock)
        async for rescued in rescue.write():
            if not quiet and (rescued.extent is not Extent.WHOLE or rescued.output_lost):
                complain(f"tidegate: {_line(rescued)}")
        await rescue.hold()
        return Found(copy, rescue.rescued, wreck.nameless, await rescue.faults())
    finally:
        await store.close()


# -- telling ----------------------------------------------------------------------------------


def emit_found(settings: Settings, found: Found) -> None:
    """Say what became of each run, for programs."""
    runs: list[Json] = [run.as_json() for run in found.rescued]
    emit_json(
        {
            "store": url_of(settings.store),
            "copy": f"sqlite://{found.copy}",
            **{extent.value: _count(found.rescued, extent) for extent in Extent},
            "events_of_unknown_runs": found.nameless,
            "faults": list(found.faults),
            "runs": runs,
        }
    )


def _count(rescued: Iterable[Rescued], extent: Extent) -> int:
    return sum(run.extent is extent for run in rescued)


def tell_runs(found: Found) -> None:
    """Say what became of each run."""
    for run in found.rescued:
        say(_line(run))
    if found.nameless:
        say(f"{'lost':<8}{found.nameless:,} events of runs of which not even the name is left")
    for fault in found.faults:
        say(f"{'fault':<8}{fault}")
    counts = (f"{_count(found.rescued, extent):,} {word}" for extent, word in _WORDS.items())
    say(f"{len(found.rescued):,} runs: {', '.join(counts)}")


def _tell(settings: Settings, found: Found) -> None:
    say(f"The copy is {found.copy}; it was verified. {url_of(settings.store)} was left as it was.")
    call = f"tidegate --store {shlex.quote(f'sqlite://{found.copy}')}"
    say(f"  look at it with:  {call} runs list --all")
    held = [run for run in found.rescued if run.held]
    if held:
        say(
            "  What was cut off is held, with all that belongs to it. Look at each, then let it go on, or not:"
        )
        say(f"                    {call} runs unpause {held[0].run_id}")
    say("  Go on in the copy only: a run that goes on in both does everything twice.")


_WORDS = {Extent.WHOLE: "kept whole", Extent.CUT: "cut back", Extent.LOST: "lost"}


def _line(run: Rescued) -> str:
    parts = [f"{run.extent.value:<8}{run.run_id}  {run.workflow}"]
    if run.extent is Extent.WHOLE:
        parts.append(f"{run.events:,} events")
    elif run.extent is Extent.CUT and run.at is not None:
        parts.append(f"up to event {run.events:,} of {run.head or '?'}, {iso(run.at)}: {run.why}")
    else:
        parts.append(run.why)
    if run.values_lost:
        parts.append(f"{run.values_lost:,} of its values are lost")
    if run.output_lost:
        word = "part" if run.output_lost == 1 else "parts"
        parts.append(f"{run.output_lost:,} {word} of its output left out: damaged")
    return "  ".join([*parts, *(["held"] if run.held else [])])
