"""`tidegate checkpoints fork`: a new run that goes on from a point of another one."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json
from tidegate.cli.exits import Exit
from tidegate.cli.find import load_named
from tidegate.cli.fork_text import OtherDefinition, say_fork
from tidegate.cli.grammar import Command, argument, not_empty
from tidegate.cli.report import follow_to_rest
from tidegate.cli.wiring import Session, run_with_session
from tidegate.history.paths import parse_path, split_assignment
from tidegate.history.points import Point
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, block_of
from tidegate.settings import Settings

if TYPE_CHECKING:
    from tidegate.engine.forks.edits import Edit
    from tidegate.engine.forks.preview import ForkPreview
    from tidegate.model.base import Json, JsonObject
    from tidegate.model.workflow import WorkflowDefinition
    from tidegate.workflows.loader import Loaded

__all__ = ["fork"]


@click.command(cls=Command)
@argument("point", metavar="POINT", help="A checkpoint, RUN@SEQ, or a run, which means its newest event.")
@click.option(
    "changes",
    "--set",
    metavar="PATH=VALUE",
    multiple=True,
    help="What is to be other than it was: inputs.NAME, state.NAME, blocks.BLOCK.outputs.NAME of one that had "
    "ended, blocks.BLOCK.inputs.NAME of one that is to run, blocks.BLOCK.answer of one that asked, which runs "
    "again with everything downstream; repeat for more.",
)
@click.option(
    "blocks",
    "--from",
    metavar="BLOCK",
    multiple=True,
    help="Let this block run again, with everything downstream, though it had ended: BLOCK, an item BLOCK[KEY], or "
    "PLACE/BLOCK of the run that does the work of a place; repeat for more.",
)
@click.option(
    "--keep-answers",
    is_flag=True,
    help="Let answers that were given after the point count again, where the very same question is asked.",
)
@click.option(
    "--with",
    "file",
    metavar="FILE|NAME",
    callback=not_empty,
    help="Go on with this workflow as it is now, instead of what the run was started with. What had ended stays, "
    "as far as its blocks are still there.",
)
@click.option(
    "--dry-run", is_flag=True, help="Only say what would stay, what would run, and who would be asked."
)
@options.by
@options.as_json
@options.store
@options.pass_settings
def fork(
    settings: Settings,
    point: str,
    changes: tuple[str, ...],
    blocks: tuple[str, ...],
    keep_answers: bool,
    file: str | None,
    dry_run: bool,
    by: str | None,
    as_json: bool,
) -> int:
    """Start a new run that goes on from a point of another one, which stays as it is, and follow it.

    What had ended at the point is not run again. What had begun, failed or been cancelled begins again,
    with real effects. Questions that were answered after the point are asked again.

    Exit code: as of `tidegate run`; 0 for --dry-run; 7 if there is no such point.
    """
    # Here: the other commands about checkpoints start without the engine.
    from tidegate.engine.forks.fork import ForkRequest

    edits = tuple(_edit_of(change) for change in changes)
    loaded = load_named(settings, file) if file is not None else None

    async def work(session: Session) -> int:
        start = await session.history.find_point(point)
        origin = Origin(run_id=start.run_id, seq=start.seq)
        request = ForkRequest(
            origin,
            edits,
            tuple(map(BlockId, blocks)),
            keep_answers=keep_answers,
            workflow=loaded.definition if loaded is not None else None,
            source=loaded.source if loaded is not None else "",
        )
        if dry_run or not as_json:
            preview = await session.executor.preview_fork(request)
            warnings = (*preview.warnings, *_not_begun(preview, request.blocks))
            await _tell(session, start, replace(preview, warnings=warnings), loaded, as_json=as_json)
        if dry_run:
            return Exit.SUCCEEDED
        run_id = await session.executor.fork(request, by=by or session.operator)
        return await follow_to_rest(session, run_id, as_json=as_json)

    return run_with_session(settings, work)


def _edit_of(word: str) -> "Edit":
    from tidegate.engine.forks.edits import Edit

    written, value = split_assignment(word)
    if value is None:
        raise click.UsageError(f"--set {word!r}: write it as PATH=VALUE, for example inputs.region=eu")
    try:
        path = parse_path(written)
    except ValueError as error:
        raise click.UsageError(f"--set: {error}") from error
    return Edit(path, value, as_text=True)


# -- what it will do --------------------------------------------------------------------------


async def _tell(
    session: Session, start: Point, preview: "ForkPreview", loaded: "Loaded | None", *, as_json: bool
) -> None:
    other = await _other(session, start, loaded)
    if not as_json:
        say_fork(start, preview, other)
        return
    differences: list[Json] = [change.as_json() for change in other.changes]
    document: JsonObject = {"definition": other.word, "definition_changes": differences}
    with_file: Json = {"workflow": other.name, "file": other.file} if other.file else None
    emit_json({**preview.as_json(), **document, "with": with_file})


async def _other(session: Session, start: Point, loaded: "Loaded | None") -> OtherDefinition:
    """Return how what the fork goes on with, or else the workflow's file, compares with what the run has."""
    if loaded is None:
        change, changes = await session.history.definition_changes(start.run_id)
        return OtherDefinition(change.value, changes)
    # Here: only who names a file needs it.
    from tidegate.history.definition_tree import definition_tree
    from tidegate.history.diff import changes_between

    definition = loaded.definition
    pinned = await _pinned(session, start)
    found = tuple(changes_between(definition_tree(pinned), definition_tree(definition)))
    word = "changed" if found else "same"
    return OtherDefinition(word, found, definition.source_path, definition.name)


async def _pinned(session: Session, start: Point) -> "WorkflowDefinition":
    """Return the definition that holds at a point: before that of a fork, it is that of the other run."""
    row = await session.store.run(start.run_id)
    while row.origin is not None and start.seq <= row.origin.seq:
        row = await session.store.run(row.origin.run_id)
    return await session.history.definition(row.definition)


def _not_begun(preview: "ForkPreview", places: Iterable[BlockId]) -> Iterator[str]:
    """Yield what there is to know of blocks that were to run again, and had not begun."""
    ahead = {block.block for block in preview.blocks if block.fate.value == "ahead"}
    named = [place for place in dict.fromkeys(places) if block_of(place) in ahead]
    if named:
        yield f"had not begun there, and --from changes nothing for it: {', '.join(named)}"
