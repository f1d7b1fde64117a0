"""`tidegate checkpoints fork`: a new run that goes on from a point of another one."""

from typing import TYPE_CHECKING

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value, table
from tidegate.cli.exits import Exit
from tidegate.cli.find import load_named
from tidegate.cli.grammar import Command, argument, not_empty
from tidegate.cli.report import follow_to_rest
from tidegate.cli.wiring import Session, run_with_session
from tidegate.history.paths import parse_path, path_text
from tidegate.history.points import Point
from tidegate.model.base import Json
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, block_of
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tidegate.engine.edits import Edit
    from tidegate.engine.fork_preview import ForkedBlock, ForkPreview

__all__ = ["fork"]

_FILES = {"changed": "has changed since", "missing": "is gone", "broken": "has faults by now"}
_CHANGES = 20
"""Differences of a definition that are named; `--json` has all of them."""
_VALUE = 60
"""Characters of a value, or a question, in a preview; `--json` has all of them."""


@click.command(cls=Command)
@argument("point", metavar="POINT", help="A checkpoint, RUN@SEQ, or a run, which means its newest event.")
@click.option(
    "changes",
    "--set",
    metavar="PATH=VALUE",
    multiple=True,
    help="What is to be other than it was: inputs.NAME, state.NAME, blocks.BLOCK.outputs.NAME of one that had "
    "ended, blocks.BLOCK.inputs.NAME of one that is to run; repeat for more.",
)
@click.option(
    "blocks",
    "--from",
    metavar="BLOCK",
    multiple=True,
    help="Let this block run again, with everything downstream, though it had ended; repeat for more.",
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
    from tidegate.engine.fork import ForkRequest

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
            await _tell(session, start, preview, as_json=as_json, is_other=loaded is not None)
        if dry_run:
            return Exit.SUCCEEDED
        run_id = await session.executor.fork(request, by=by or session.operator)
        return await follow_to_rest(session, run_id, as_json=as_json, since=start.seq)

    return run_with_session(settings, work)


def _edit_of(word: str) -> "Edit":
    from tidegate.engine.edits import Edit

    written, equals, value = word.partition("=")
    if not equals:
        raise click.UsageError(f"--set {word!r}: write it as PATH=VALUE, for example inputs.region=eu")
    try:
        path = parse_path(written)
    except ValueError as error:
        raise click.UsageError(f"--set: {error}") from error
    return Edit(path, value, as_text=True)


# -- what it will do --------------------------------------------------------------------------


async def _tell(
    session: Session, start: Point, preview: "ForkPreview", *, as_json: bool, is_other: bool
) -> None:
    changed, changes = await session.history.definition_changes(start.run_id)
    if as_json:
        differences: list[Json] = [change.as_json() for change in changes]
        emit_json({**preview.as_json(), "definition": changed.value, "definition_changes": differences})
        return
    say(f"fork of run {start.run_id} ({preview.workflow}) from event {start.seq} of {preview.head}:")
    table(("", "BLOCK", "TYPE", "THEN", ""), list(_rows(preview)))
    for edit in preview.edits:
        before, after = _shown(edit.before), _shown(edit.after)
        say(f"changed: {safe_line(path_text(edit.path), 200)}: {before} becomes {after}")
    if preview.effects:
        say(f"effects outside are real: {', '.join(block.name for block in preview.effects)}")
    if changed.value in _FILES and not is_other:
        say(
            f"the workflow's file {_FILES[changed.value]}: the fork keeps what run {start.run_id} was started with"
        )
    for change in changes[:_CHANGES]:
        say(f"  {change.kind.sign} {safe_line(path_text(change.path), 200)}")
    for warning in preview.warnings:
        say(f"note: {warning}")


def _rows(preview: "ForkPreview", depth: int = 0) -> "Iterator[tuple[str, ...]]":
    """Yield the blocks, below each the blocks of a run that goes on there."""
    below = {it.place: it.preview for it in preview.below}
    for block in preview.blocks:
        fate, name, *rest = _row(block)
        yield fate, f"{'  ' * depth}{name}", *rest
        for place, its in below.items():
            if block_of(place) == block.block:
                if place != block.block:
                    yield "", f"{'  ' * depth}  {place}", "", "", ""
                yield from _rows(its, depth + 1 + (place != block.block))


def _row(block: "ForkedBlock") -> tuple[str, ...]:
    words = [block.why]
    if block.has_effect:
        words.append("has an effect outside")
    if not block.reversible:
        words.append("cannot be undone")
    if block.asks:
        words.append(_asks(block))
    return (
        block.fate.value,
        block.block,
        block.type,
        block.then.value,
        "; ".join(filter(None, words)),
    )


def _asks(block: "ForkedBlock") -> str:
    last = "" if block.is_sure else ", last time"
    question = f"{last}: {safe_line(block.question, _VALUE)}" if block.question else ""
    if block.more_questions:
        question += f", and {block.more_questions} more"
    if block.answer:
        return f"asks{question} (the answer {safe_line(block.answer, _VALUE)} counts again if it is the very same)"
    return f"asks{question}"


def _shown(value: Json) -> str:
    return safe_line(shown_value(value), _VALUE)
