"""`tidegate runs show`: one run, block by block, with what it has started."""

from dataclasses import dataclass

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value
from tidegate.cli.exits import Exit, exit_of_status
from tidegate.cli.grammar import Command, argument
from tidegate.cli.report import held_text, run_document, tell_outputs
from tidegate.cli.wiring import Reading, read_store
from tidegate.clock import SystemClock, iso
from tidegate.history.parts import SHOWN, note_of, parts_of, place_json
from tidegate.history.trees import Tree
from tidegate.history.views import RunView, whose
from tidegate.model.base import Json, JsonObject
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.lineage import Origin
from tidegate.model.listing import CheckpointFilter, RunFilter
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import SentBack, describe_value
from tidegate.model.state import Pause, RunState
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

__all__ = ["show"]

_BRANCHES = 50
"""Runs below, and open questions."""
_HANG = 10
"""Columns before what is told: where a text of several lines goes on."""
_VALUE = 200
"""Characters of one variable; `--json` has all of them."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is shown, and how much of it."""

    view: RunView
    state: RunState
    tree: Tree
    limit: int
    """Parts of one block."""
    call: str
    """As of `Reading`."""


@click.command(cls=Command)
@argument("run", metavar="RUN", help="A run's id, or the beginning of it.")
@click.option(
    "--items",
    type=click.IntRange(min=0),
    default=SHOWN,
    help="At most so many items of a block, failed ones first.",
)
@options.as_json
@options.store
@options.pass_settings
def show(settings: Settings, run: str, items: int, as_json: bool) -> int:
    """Show one run: where it stands, block by block, and the runs that it started.

    Exit code: 3 if it waits for a person, otherwise 0.
    """

    async def work(reading: Reading) -> int:
        run_id = await reading.history.find_run(run)
        shown = _Shown(
            view=await reading.history.run_view(run_id),
            state=await reading.history.state(run_id),
            tree=await reading.history.tree(run_id),
            limit=items,
            call=reading.call,
        )
        if as_json:
            emit_json(await _document(reading, shown))
        else:
            await _tell(reading, shown)
        is_paused = shown.view.status is RunStatus.PAUSED
        return exit_of_status(shown.view.status) if is_paused else Exit.SUCCEEDED

    return read_store(settings, work)


# -- as a document ----------------------------------------------------------------------------


async def _document(reading: Reading, shown: _Shown) -> JsonObject:
    view, state = shown.view, shown.state
    blocks: list[Json] = [place_json(state, block, limit=shown.limit) for block in state.graph.blocks]
    return {
        **view.as_json(),
        **await run_document(reading.history, view),
        "definition_changed": (await reading.history.definition_change(view.row.run_id)).value,
        "inputs": state.inputs,
        "state": await reading.history.outputs(dict(state.variables)),
        "blocks": blocks,
        "answers": [_answer_json(pause) for pause in _answered(state)],
        "sent_back": [
            {"by": said.by, "feedback": said.feedback, "blocks": list(blocks)}
            for said, blocks in _sent_back(state).items()
        ],
        "checkpoints": [mark.as_json() for mark in await _marks(reading, view)],
    }


def _answered(state: RunState) -> list[Pause]:
    """Return the decided pauses, in the order in which they were decided."""
    decided = [pause for pause in state.pauses.values() if pause.answer is not None]
    return sorted(decided, key=lambda pause: pause.closed_at or 0.0)


def _answer_json(pause: Pause) -> JsonObject:
    answer = pause.answer
    assert answer is not None  # noqa: S101 - `_answered` chose those that have one
    return {
        "pause_id": pause.pause_id,
        "block": pause.block,
        "prompt": pause.prompt.text,
        "answer": answer.value,
        "by": answer.by,
        "via": answer.via,
        "at": pause.closed_at,
        "comment": answer.comment,
    }


async def _marks(reading: Reading, view: RunView) -> tuple[CheckpointMetadata, ...]:
    """Return the checkpoints that somebody gave a name, oldest first."""
    query = CheckpointFilter(run_id=view.row.run_id, kinds=(CheckpointKind.EXPLICIT,), limit=SHOWN)
    return (await reading.history.checkpoints(query))[::-1]


# -- as text ----------------------------------------------------------------------------------


async def _tell(reading: Reading, shown: _Shown) -> None:
    state = shown.state
    await _tell_head(reading, shown)
    for wave, blocks in enumerate(state.graph.definition.waves, 1):
        say(f"wave {wave}")
        for block in blocks:
            _tell_block(shown, block)
    _tell_tree(shown)
    for mark in await _marks(reading, shown.view):
        say(f"mark      {mark.checkpoint_id} at '{mark.block or '-'}'  {mark.label}".rstrip(), hang=_HANG)
    _tell_pauses(state, reading.call)
    tell_outputs(state)


async def _fork_of(reading: Reading, origin: Origin) -> str:
    """Return what a run was forked from. Of one that was imported that may be elsewhere."""
    is_here = await reading.history.runs(RunFilter(ids=(origin.run_id,), limit=1))
    elsewhere = "" if is_here else ", which is not in this store"
    return f"fork of   run {origin.run_id} from event {origin.seq}{elsewhere}"


async def _tell_head(reading: Reading, shown: _Shown) -> None:
    row, summary, state = shown.view.row, shown.view.row.summary, shown.state
    say(f"run       {row.run_id}  ({row.workflow})")
    if row.parent is not None:
        say(f"part of   run {row.root} at {row.path}")
    if state.forked_from is not None:
        say(await _fork_of(reading, state.forked_from), hang=_HANG)
    forks = await reading.history.runs(RunFilter(origin=row.run_id, limit=_BRANCHES))
    for fork in reversed(forks):
        start = fork.row.origin.seq if fork.row.origin is not None else 0
        say(f"forked    as run {fork.row.run_id} from event {start}  {fork.status}")
    cancelling = ", being cancelled" if summary.cancelling else ""
    reason = f"  {summary.reason}" if summary.reason else ""
    say(f"status    {shown.view.status}{cancelling}{reason}", hang=_HANG)
    if summary.held:
        draining = f", draining {shown.tree.in_flight}" if shown.tree.in_flight else ""
        say(f"held      {held_text(state)}{draining}", hang=_HANG)
    if notice := await reading.history.definition_notice(row.run_id):
        say(f"file      {notice}", hang=_HANG)
    say(f"progress  {summary.completed} of {summary.blocks} blocks, {summary.progress_percentage:g} %")
    say(f"started   {iso(row.created_at)} by {row.by or '-'}", hang=_HANG)
    for name, value in state.inputs.items():
        say(f"input     {name} = {shown_value(value)}", hang=_HANG)
    for name, value in (await reading.history.outputs(dict(state.variables))).items():
        say(safe_line(f"state     {name} = {shown_value(value)}", limit=_VALUE))


def _tell_block(shown: _Shown, block: BlockId) -> None:
    say(f"  {_line(shown.state, block)}", hang=_HANG)
    parts = parts_of(shown.state, block, limit=shown.limit)
    if parts is None:
        return
    for place in parts.shown:
        say(f"    {_line(shown.state, place)}", hang=_HANG)
    if parts.hidden:
        say(f"    … {parts.hidden:,} more")


def _line(state: RunState, place: BlockId) -> str:
    note = note_of(state, place, SystemClock().now())
    return f"{state.block(place).status.value:<12}{place}" + (f"  {note}" if note else "")


def _tell_tree(shown: _Shown) -> None:
    """Say which runs this one has started, and they in turn."""
    branches = list(shown.tree.below())
    if not branches:
        return
    say("runs")
    for branch in branches[:_BRANCHES]:
        row, summary = branch.view.row, branch.view.row.summary
        indent = "  " * branch.depth
        done = f"{summary.completed}/{summary.blocks}"
        say(f"{indent}{branch.place}: {row.run_id} of {row.workflow}  {branch.view.status} {done}".rstrip())
    if len(branches) > _BRANCHES:
        say(
            f"  … {len(branches) - _BRANCHES:,} more: {shown.call} runs list --children {shown.view.row.run_id}"
        )


def _sent_back(state: RunState) -> dict[SentBack, list[str]]:
    """Return what was said last to blocks that were run again, each with those blocks, in the order of the file."""
    said: dict[SentBack, list[str]] = {}
    for block in state.graph.blocks:
        if block in state.sent_back:
            said.setdefault(state.sent_back[block], []).append(block)
    return said


def _tell_pauses(state: RunState, call: str) -> None:
    for pause in _answered(state):
        say(f"answered  {_answer_line(pause)}", hang=_HANG)
    for told, blocks in _sent_back(state).items():
        names = ", ".join(blocks[:_BRANCHES])
        say(f"sent back by {told.by or 'somebody'}: {told.feedback} ({names})", hang=_HANG)
    for pause_id in list(state.open_pauses)[:_BRANCHES]:
        pause = state.pauses[pause_id]
        said = f", {whose(pause)}" if whose(pause) else ""
        say(f"open      {pause_id} at '{pause.block}'{said}", hang=_HANG)
    if len(state.open_pauses) > _BRANCHES:
        say(f"open      … {len(state.open_pauses) - _BRANCHES:,} more: {call} inbox")


def _answer_line(pause: Pause) -> str:
    answer = pause.answer
    assert answer is not None  # noqa: S101 - as above
    comment = f": {answer.comment}" if answer.comment else ""
    told = f"'{pause.block}' {describe_value(answer.value)}, by {answer.by} ({answer.via})"
    return f"{told} at {iso(pause.closed_at or 0.0)}{comment}"
