"""`tidegate checkpoints export | import`: runs as files that go from one store to another."""

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import click

from tidegate import __version__
from tidegate.cli import options
from tidegate.cli.as_test import Written, try_out, write_test
from tidegate.cli.call import call_of
from tidegate.cli.console import complain, emit_json, say
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.wiring import with_store
from tidegate.clock import SystemClock
from tidegate.errors import StoreNotFound
from tidegate.history.arriving import Arrival, Arriving, Import, under_new_ids
from tidegate.history.export import Export, prepare_export
from tidegate.history.export_files import read_export, write_parts, write_whole
from tidegate.history.importing import unpack
from tidegate.history.points import find_point
from tidegate.history.recording import Recorded, record
from tidegate.model.base import Json, JsonObject
from tidegate.settings import Settings
from tidegate.store.protocol import Store

__all__ = ["export", "import_"]

_STDOUT = Path("-")
_COLLECTED = ("test_*.py", "*_test.py")
"""Names of files in which pytest looks for tests, unless it was told others."""


@click.command(cls=Command)
@argument("point", metavar="POINT", help="A run, which means its newest event; RUN@SEQ; or a checkpoint.")
@argument(
    "file",
    metavar="[FILE|-]",
    required=False,
    type=click.Path(path_type=Path),
    help="Where to; .gz and .zst compress. Default: RUN.json here.",
)
@click.option(
    "--parts",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the three-part form: state, metadata and values, each a file in this folder.",
)
@click.option(
    "--as-test",
    "test",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a pytest file that replays what was recorded through the workflow, and asserts its path.",
)
@click.option(
    "--workflow",
    "-w",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="With --as-test: the workflow file that is tested. Default: the one that the run was started from.",
)
@click.option("--no-output", is_flag=True, help="Without what commands printed.")
@click.option("--force", is_flag=True, help="Replace what is there.")
@options.as_json
@options.store
@options.pass_settings
def export(
    settings: Settings,
    point: str,
    file: Path | None,
    parts: Path | None,
    test: Path | None,
    workflow: Path | None,
    no_output: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Write a run up to a point, with every run below it, as one portable file.

    In it are the definitions, the events, values, output and checkpoints. Secrets are in no store, and so
    in no export. With --as-test the run becomes a regression test instead, which does nothing.

    Exit code: 0; 7 if there is no such run or point.
    """
    if sum(place is not None for place in (parts, file, test)) > 1:
        raise click.UsageError("name a file, or --parts, or --as-test: one of them")
    if test is not None:
        _check_test(test)
    if workflow is not None and test is None:
        raise click.UsageError("--workflow goes with --as-test")
    if file == _STDOUT and as_json:
        raise click.UsageError("the export itself goes to standard output: leave --json out")

    async def work(store: Store) -> int:
        found = await find_point(store, point)
        if test is not None:
            recorded = await record(store, found.run_id, found.seq)
            await _as_test(recorded, test, workflow, force=force, as_json=as_json)
            return Exit.SUCCEEDED
        made = await prepare_export(store, found, SystemClock(), output=not no_output, program=__version__)
        if file == _STDOUT:
            await _to_stdout(made.whole())
            return Exit.SUCCEEDED
        place = parts or file or Path(f"{found.run_id}.json")
        size = await (
            write_whole(made.whole(), place, replace=force)
            if parts is None
            else write_parts(made.parts(), place, replace=force)
        )
        _tell_export(made, place, size, as_json=as_json)
        return Exit.SUCCEEDED

    return with_store(settings, work)


def _check_test(test: Path) -> None:
    """Refuse a file that no test can be in.

    Raises:
        click.UsageError: it is standard output, or no Python file.
    """
    if test.suffix != ".py":
        problem = "a test is a Python file, and its recording one beside it"
        raise click.UsageError(f"--as-test {test}: {problem}: name it, for example, tests/test_incident.py")


async def _as_test(
    recorded: Recorded, test: Path, workflow: Path | None, *, force: bool, as_json: bool
) -> None:
    if not await try_out(recorded):
        complain("it was not tried: a block is of a type that only a program has")
    is_new = not test.parent.is_dir()
    written = await write_test(recorded, test, workflow, replace=force)
    _tell_test(written, as_json=as_json, is_new=is_new)


async def _to_stdout(pieces: AsyncIterator[bytes]) -> None:
    async for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _tell_test(written: Written, *, as_json: bool, is_new: bool) -> None:
    """Tell where a test is.

    Args:
        written: Its files.
        as_json: As a document.
        is_new: Whether its folder was made for it.
    """
    if is_new:
        complain(f"the folder {written.test.parent} was not there: it was made")
    if not any(map(written.test.match, _COLLECTED)):
        complain(
            f"pytest finds {' and '.join(_COLLECTED)} by itself; this one has to be named: pytest {written.test}"
        )
    if as_json:
        emit_json(
            {
                "test": str(written.test),
                "recording": str(written.recording),
                "workflow": str(written.workflow),
            }
        )
        return
    say(f"{written.test} replays {written.recording} through {written.workflow}")


def _tell_export(made: Export, place: Path, size: int, *, as_json: bool) -> None:
    top, events = made.surveys[0], sum(survey.upto for survey in made.surveys)
    if as_json:
        document: JsonObject = {
            "run_id": top.row.run_id,
            "seq": top.upto,
            "file": str(place),
            "bytes": size,
            "runs": len(made.surveys),
            "events": events,
        }
        emit_json(document)
        return
    below = f" and {len(made.surveys) - 1:,} below it" if len(made.surveys) > 1 else ""
    say(f"run {top.row.run_id}{below}, up to event {top.upto}: {events:,} events, {size:,} bytes in {place}")


@click.command("import", cls=Command)
@argument(
    "file",
    metavar="FILE",
    type=click.Path(exists=True, path_type=Path),
    help="What `checkpoints export` has written: a file, or the folder of the three-part form.",
)
@click.option("--as-new", is_flag=True, help="As a second run, under ids that nothing has yet.")
@click.option("--dry-run", is_flag=True, help="Check all of it, and only say what would be imported.")
@options.as_json
@options.store
@options.pass_settings
def import_(settings: Settings, file: Path, as_new: bool, dry_run: bool, as_json: bool) -> int:
    """Bring a run that was exported into the store, with every run below it.

    All of it is checked first; a file that is not as it was written is refused, with the place. Nothing in
    it is run. A run that had not ended arrives held: `tidegate runs unpause` lets it go on.

    Exit code: 0, also if the run is there already with the same events; 2 if the file is refused.
    """
    parcel = unpack(read_export(file))
    if as_new:
        parcel = under_new_ids(parcel)

    async def work(store: Store) -> int:
        arriving = Import(store, parcel, SystemClock(), str(file))
        planned = await (arriving.plan() if dry_run else arriving.write())
        if as_json:
            runs: list[Json] = [_arrival_json(it) for it in planned]
            emit_json({"file": str(file), "dry_run": dry_run, "runs": runs})
        else:
            _tell_arrivals(call_of(settings), planned, dry_run=dry_run)
        return Exit.SUCCEEDED

    try:
        return with_store(settings, work, creates=not dry_run)
    except StoreNotFound:
        # Nothing is there that could be in the way, and to look makes no store.
        return with_store(replace(settings, store="memory://"), work, creates=True)


def _arrival_json(it: Arriving) -> JsonObject:
    return {
        "run_id": it.run.run_id,
        "arrival": it.arrival.value,
        "events": len(it.run.events),
        "held": it.held,
    }


def _tell_arrivals(call: str, arriving: tuple[Arriving, ...], *, dry_run: bool) -> None:
    top = arriving[0]
    for it in arriving:
        said = _SAID[it.arrival] if not dry_run else _WOULD[it.arrival]
        held = ", held" if it.held else ""
        say(f"run {it.run.run_id}: {len(it.run.events):,} events, {said}{held}")
    if top.held and not dry_run:
        complain(f"It had not ended. To let it go on:  {call} runs unpause {top.run.run_id}")


_SAID = {
    Arrival.NEW: "imported",
    Arrival.GOES_ON: "imported, from where an earlier import broke off",
    Arrival.THERE: "is there already: nothing to do",
}
_WOULD = {
    Arrival.NEW: "would be imported",
    Arrival.GOES_ON: "would be imported, from where an earlier import broke off",
    Arrival.THERE: "is there already",
}
