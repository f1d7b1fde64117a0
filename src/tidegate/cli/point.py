"""`tidegate checkpoints show`: what a run was at a checkpoint, or after any of its events."""

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument, not_empty
from tidegate.cli.wiring import Reading, read_store
from tidegate.clock import iso
from tidegate.errors import BlockNotFound, CheckpointNotFound
from tidegate.history.document import document, is_branch, pick, plain_json
from tidegate.history.history import History
from tidegate.history.parts import parts_of
from tidegate.model.base import Json, JsonObject
from tidegate.model.checkpoint import PointState, asked
from tidegate.model.ids import BlockId
from tidegate.model.prompt import describe_value
from tidegate.model.state import Pause
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

__all__ = ["show"]

_VALUE = 200
"""Characters of one value of many; `--json` has all of them, and `--block` more."""
_LINES = 40
"""Lines of one value of a block that was asked for."""
_PAUSES = 50


@click.command(cls=Command)
@argument("point", metavar="POINT", help="A checkpoint, RUN@SEQ, or a run, which means its newest event.")
@click.option(
    "--block", "-b", metavar="BLOCK", callback=not_empty, help="Only this block, item or iteration, in full."
)
@options.as_json
@options.store
@options.pass_settings
def show(settings: Settings, point: str, block: str | None, as_json: bool) -> int:
    """Show what a run was at a point.

    Inputs, blocks with their outputs, the run's own state, questions with their answers, progress.
    """

    async def work(reading: Reading) -> int:
        found = await _found(reading.history, point)
        if block is not None:
            told = await _block_json(reading.history, found, block)
            _emit_or_tell(told, as_json=as_json)
        elif as_json:
            emit_json(found.as_json())
        else:
            _tell(found)
        return Exit.SUCCEEDED

    return read_store(settings, work)


async def _found(history: History, text: str) -> PointState:
    """Return the state at a point; by the id of a checkpoint with what there is to say of that, too."""
    try:
        return await history.checkpoint(await history.find_checkpoint(text))
    except CheckpointNotFound:
        return await history.point_state(await history.find_point(text))


# -- one block --------------------------------------------------------------------------------


async def _block_json(history: History, found: PointState, block: str) -> JsonObject:
    """Return everything of one place, its large values loaded."""
    state = found.state
    node = pick(document(state), ("blocks", block))
    if not is_branch(node):
        raise BlockNotFound(state.run_id, block, tuple(state.graph.blocks))
    place = BlockId(block)
    values = {
        name: await history.outputs(dict(held))
        for name, held in (("outputs", state.block(place).outputs), ("steps", state.block(place).steps))
        if held
    }
    definition = state.definition_of(place)
    return {
        "block": block,
        "type": definition.type,
        **{name: values[name] if name in values else plain_json(held) for name, held in node.items()},
    }


def _emit_or_tell(told: JsonObject, *, as_json: bool) -> None:
    if as_json:
        emit_json(told)
        return
    for name, value in told.items():
        if name in ("outputs", "steps") and isinstance(value, dict):
            for key, held in value.items():
                _tell_value(f"{name}.{key}", held)
        else:
            _tell_value(name, iso(value) if isinstance(value, float) and name.endswith("_at") else value)


def _tell_value(name: str, value: Json) -> None:
    lines = shown_value(value).splitlines()
    if len(lines) <= 1:
        say(safe_line(f"{name:<20}  {lines[0] if lines else ''}", limit=10 * _VALUE).rstrip())
        return
    say(safe_line(name))
    for line in lines[:_LINES]:
        say(f"    {safe_line(line, limit=_VALUE)}")
    if len(lines) > _LINES:
        say(f"    … {len(lines) - _LINES:,} more lines: --json has them")


# -- all of it --------------------------------------------------------------------------------


def _tell(found: PointState) -> None:
    for name, value in found.heading.items():
        if name == "checkpoint_id" and value is None:
            say(f"{'point':<20}  {found.state.run_id}@{found.state.head}")
        else:
            say(f"{name:<20}  {'' if value in (None, {}) else shown_value(value)}".rstrip(), hang=22)
    for name, value in found.state.inputs.items():
        say(safe_line(f"input {name} = {shown_value(value)}", limit=_VALUE))
    for name, value in found.variables.items():
        say(safe_line(f"state {name} = {shown_value(value)}", limit=_VALUE))
    for block in found.state.graph.blocks:
        _tell_place(found, "block ", block)
        parts = parts_of(found.state, block)
        for place in parts.shown if parts is not None else ():
            _tell_place(found, "  ", place)
        if parts is not None and parts.hidden:
            say(f"  … {parts.hidden:,} more")
    _tell_pauses(asked(found.state))


def _tell_place(found: PointState, before: str, place: BlockId) -> None:
    block = found.state.block(place)
    why = block.failure.message if block.failure is not None else block.reason
    say(safe_line(f"{before}{place:<14}  {block.status.value}" + (f"  ({why})" if why else ""), limit=_VALUE))
    for name, value in found.context.get(place, {}).items():
        say(safe_line(f"    {name} = {shown_value(value)}", limit=_VALUE))


def _tell_pauses(pauses: list[Pause]) -> None:
    for pause in pauses[:_PAUSES]:
        answer = pause.answer
        told = f": {describe_value(answer.value)}, by {answer.by}" if answer is not None else ""
        say(
            safe_line(
                f"pause {pause.pause_id} at '{pause.block}'  {pause.state.name.lower()}{told}", limit=_VALUE
            )
        )
    if len(pauses) > _PAUSES:
        say(f"… {len(pauses) - _PAUSES:,} more: --json has them")
