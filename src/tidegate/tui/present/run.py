"""One run: its header, its waves side by side or below each other, and each of its blocks."""

from collections.abc import Iterator
from dataclasses import dataclass

from tidegate.history.views import RunView
from tidegate.model.base import JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.prompt import describe_value
from tidegate.model.state import BlockState, BlockStatus, Pause, RunState
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.present.runs import why
from tidegate.tui.present.shared import fact, first_line, heading, json_lines, progress, prose
from tidegate.tui.symbols import block_sign, run_sign
from tidegate.tui.times import clock_time, lasted, past

__all__ = [
    "BLOCK_COLUMNS",
    "BlockItem",
    "Wave",
    "block_lines",
    "first_block",
    "progress_of",
    "reason_line",
    "stacked",
    "status_pieces",
    "waves",
]

BLOCK_COLUMNS = (
    Column("BLOCK", weight=1),
    Column("STATUS", 11, since=40),
    Column("TRY", 3, right=True),
    Column("TIME", 7, right=True),
)


@dataclass(frozen=True, slots=True)
class BlockItem:
    """A block in a wave."""

    block: BlockId
    name: str
    symbol: str
    word: str
    tone: Tone
    attempt: str
    """Empty for the first."""
    time: str
    said: str = ""
    """What was answered, where its sign does not say so."""


@dataclass(frozen=True, slots=True)
class Wave:
    """A wave, with how far it is."""

    title: str
    tone: Tone
    blocks: tuple[BlockItem, ...]


def status_pieces(view: RunView, state: RunState) -> tuple[Piece, ...]:
    """Return which run this is, and where it stands."""
    row, sign = view.row, run_sign(view.status)
    status = Piece(f"{sign.text}{_awaited(state)}", sign.tone)
    return Piece(safe_line(row.workflow, 100), Tone.STRONG), Piece(f"  run {row.run_id}  ", Tone.DIM), status


def progress_of(view: RunView, now: float) -> Line:
    """Return how far a run is, since when, and by whom."""
    row, summary = view.row, view.row.summary
    has_stopped = view.status.is_terminal or view.status is RunStatus.INTERRUPTED
    took = lasted((row.updated_at if has_stopped else now) - row.created_at)
    wave = f" · wave {min(summary.wave + 1, summary.total_waves)}/{summary.total_waves}"
    times = f" · started {clock_time(row.created_at, now)} by {safe_line(row.by or 'somebody', 30)}"
    pieces = (
        Piece(progress(summary, 14), Tone.ACCENT),
        Piece(f"{wave}{times} · {'took' if has_stopped else 'so far'} {took}", Tone.DIM),
    )
    return Line("progress", pieces, selectable=False)


def _awaited(state: RunState) -> str:
    """Return which questions a run waits for."""
    if state.status is not RunStatus.PAUSED:
        return ""
    blocks = [safe_line(state.pauses[pause].block, 60) for pause in state.open_pauses]
    first, rest = blocks[:2], blocks[2:]
    return f" for an answer to {', '.join(first)}" + (f" and {len(rest)} more" if rest else "")


def reason_line(view: RunView) -> Line | None:
    """Return why a run stands where it stands, if there is something to say that its status does not."""
    text = why(view) if view.row.summary.reason or view.status is RunStatus.INTERRUPTED else ""
    return text_line(text, run_sign(view.status).tone, key="reason") if text else None


# -- waves ------------------------------------------------------------------------------------


def waves(state: RunState, now: float) -> tuple[Wave, ...]:
    """Return the waves of a run in order."""
    definition = state.graph.definition
    return tuple(_wave(state, number, blocks, now) for number, blocks in enumerate(definition.waves))


def _wave(state: RunState, number: int, blocks: tuple[BlockId, ...], now: float) -> Wave:
    ended = sum(state.block(block).status.has_ended for block in blocks)
    tone = Tone.STRONG if number == state.wave and state.finished is None else Tone.HEADING
    items = tuple(_item(state, block, now) for block in blocks)
    return Wave(f"Wave {number + 1}  {ended}/{len(blocks)}", tone, items)


def _item(state: RunState, block_id: BlockId, now: float) -> BlockItem:
    block = state.block(block_id)
    sign = block_sign(block.status)
    return BlockItem(
        block=block_id,
        name=safe_line(block_id, 100),
        symbol=sign.symbol,
        word=sign.word,
        tone=sign.tone,
        attempt=f"×{block.attempt}" if block.attempt > 1 else "",  # noqa: RUF001 - the sign is meant
        time=_took(state, block, now),
        said=_refusal(state, block),
    )


def _refusal(state: RunState, block: BlockState) -> str:
    """Return "no" for a gate that was rejected and, because its workflow wants that, has succeeded."""
    if block.status is not BlockStatus.SUCCEEDED or block.pause_id is None:
        return ""
    answer = state.pauses[block.pause_id].answer
    return "no" if answer is not None and answer.value is False else ""


def _took(state: RunState, block: BlockState, now: float) -> str:
    if block.started_at is None:
        return ""
    if block.ended_at is not None:
        return lasted(block.ended_at - block.started_at)
    if block.status in (BlockStatus.RUNNING, BlockStatus.PAUSED) and state.finished is None:
        return lasted(now - block.started_at)
    return ""


def stacked(all_waves: tuple[Wave, ...]) -> Iterator[Line]:
    """Yield the waves below each other."""
    for wave in all_waves:
        yield heading(wave.title)
        for item in wave.blocks:
            name = Piece(f"{item.symbol} {item.name}", item.tone)
            pieces = (name, Piece(item.word, item.tone), Piece(item.attempt), Piece(item.time, Tone.DIM))
            yield Line(item.block, pieces, columns=True)


def first_block(state: RunState) -> BlockId | None:
    """Return the block one wants to see first: what waits, runs or failed, else the last that did anything."""
    for status in (
        BlockStatus.PAUSED,
        BlockStatus.RUNNING,
        BlockStatus.FAILED,
        BlockStatus.INTERRUPTED,
        BlockStatus.REJECTED,
    ):
        for block in state.graph.blocks:
            if state.block(block).status is status:
                return block
    ended = [block for block in state.graph.blocks if state.block(block).ended_at is not None]
    return max(
        ended,
        key=lambda block: state.block(block).ended_at or 0,
        default=next(iter(state.graph.blocks), None),
    )


# -- a block ----------------------------------------------------------------------------------


def block_lines(state: RunState, block_id: BlockId, outputs: JsonObject, now: float) -> list[Line]:
    """Return everything there is to say about a block."""
    block, definition = state.block(block_id), state.graph.blocks[block_id]
    wave = Piece(f"  {safe_line(definition.type, 40)} · wave {state.graph.wave_of[block_id] + 1}", Tone.DIM)
    lines = [Line("state", (block_sign(block.status).piece, wave), selectable=False)]
    lines += _reasons(block)
    if definition.description:
        lines.append(text_line(first_line(definition.description), Tone.DIM, key="description"))
    lines += _timing(state, block, now)
    lines += _question(state, block, now)
    lines += _neighbours(state, block_id)
    if definition.inputs:
        lines += [heading("Inputs, as written"), *json_lines(definition.inputs)]
    if outputs:
        lines += [heading("Outputs"), *json_lines(outputs)]
    return lines


def _reasons(block: BlockState) -> list[Line]:
    if block.failure is not None:
        return prose(block.failure.message, "failure", Tone.FAILED)
    return prose(block.reason, "reason", Tone.DIM) if block.reason else []


def _timing(state: RunState, block: BlockState, now: float) -> list[Line]:
    if block.started_at is None:
        return []
    lines = [fact("started", f"{clock_time(block.started_at, now)}, {past(now - block.started_at)}")]
    if took := _took(state, block, now):
        lines.append(fact("took" if block.ended_at is not None else "so far", took))
    if block.attempt > 1:
        lines.append(fact("attempt", str(block.attempt)))
    if block.summary:
        lines.append(fact("does", first_line(block.summary)))
    return lines


def _question(state: RunState, block: BlockState, now: float) -> list[Line]:
    if block.pause_id is None:
        return []
    pause = state.pauses[block.pause_id]
    asks = Piece(first_line(pause.prompt.text), Tone.WAITING if pause.is_open else Tone.PLAIN)
    lines = [fact("asks", asks)]
    return lines + ([fact("answer", Piece("press a", Tone.KEY))] if pause.is_open else _answer(pause, now))


def _answer(pause: Pause, now: float) -> list[Line]:
    if pause.answer is None:
        return [fact("answer", Piece("none: it expired, or its run ended", Tone.DIM))]
    answer = pause.answer
    lines = [fact("answer", Piece(safe_line(describe_value(answer.value), 400), Tone.STRONG))]
    lines.append(
        fact("by", f"{answer.by or 'somebody'} ({answer.via}), {clock_time(pause.closed_at or 0, now)}")
    )
    return lines + ([fact("comment", answer.comment)] if answer.comment else [])


def _neighbours(state: RunState, block_id: BlockId) -> list[Line]:
    needs = ", ".join(wait.block for wait in state.graph.blocks[block_id].depends_on)
    feeds = ", ".join(state.graph.dependants[block_id])
    named = (("needs", needs), ("feeds", feeds))
    return [fact(name, safe_line(blocks, 400)) for name, blocks in named if blocks]
