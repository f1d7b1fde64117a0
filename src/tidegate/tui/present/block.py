"""Everything there is to say about one place of a run."""

from pathlib import PurePath

from tidegate.history.usual import Usual
from tidegate.history.views import whose
from tidegate.model.base import JsonObject
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.prompt import describe_value
from tidegate.model.state import BlockState, BlockStatus, Pause, RunState
from tidegate.model.workflow import BlockDefinition, Dependency
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.present.board import took
from tidegate.tui.present.shared import counted, fact, first_line, heading, json_lines, prose, short_id
from tidegate.tui.present.standing import standing
from tidegate.tui.times import clock_time, lasted, past

__all__ = ["block_lines", "silence"]

_WAY_OUT = Line(
    "way out",
    (
        Piece("F", Tone.KEY, "screen.fork"),
        Piece(" forks from before it, an input changed", Tone.DIM, "screen.fork"),
    ),
    selectable=False,
)


def block_lines(
    state: RunState,
    place: BlockId,
    outputs: JsonObject,
    now: float,
    *,
    item: JsonObject | None = None,
    usual: Usual | None = None,
) -> list[Line]:
    """Return everything there is to say about a place.

    Args:
        state: Where the run stands.
        place: A block, or a part of one.
        outputs: Of the place.
        now: Seconds since 1970 UTC.
        item: The one it is about, by the name `item`, if it is one of a block's items.
        usual: How long the place usually works, where that is known.
    """
    block, definition = state.block(place), state.definition_of(place)
    where = standing(state, place, now)
    kind = Piece(f"  {_kind(state, place, definition)}", Tone.DIM)
    lines = [Line("state", (where.sign.piece, kind), selectable=False)]
    if where.words:
        lines.append(text_line(where.words, where.sign.tone, key="words"))
    lines += _reasons(block)
    if block.failure is not None:
        lines += _ways_out(state, definition)
    if definition.description:
        lines.append(text_line(first_line(definition.description), Tone.DIM, key="description"))
    lines += _timing(state, block, now, where.words)
    if usual is not None and block.status is BlockStatus.RUNNING:
        lines.append(fact("usually", f"{lasted(usual.seconds)}, over {counted(usual.runs, 'run')}"))
    lines += _question(state, block, now)
    lines += _child(block)
    lines += _neighbours(state, block_of(place), definition)
    if item:
        lines += [heading("Item"), *json_lines(item)]
    lines += _given(state.given.get(block_of(place), {}), definition)
    if outputs:
        lines += [heading("Outputs"), *json_lines(outputs)]
    return lines


def _given(changed: JsonObject, definition: BlockDefinition) -> list[Line]:
    """Return what a block is given; what whoever forked the run has changed stands in for what the file says."""
    lines = [heading("Inputs, changed in this fork"), *json_lines(changed)] if changed else []
    written = {name: value for name, value in definition.inputs.items() if name not in changed}
    return [*lines, heading("Inputs, as written"), *json_lines(written)] if written else lines


def _ways_out(state: RunState, definition: BlockDefinition) -> list[Line]:
    """Return what can be done about a failure, with where the block stands in its file if that is known."""
    source = state.graph.definition.source_path
    if not source or not definition.line:
        return [_WAY_OUT]
    where = f"{safe_line(PurePath(source).name, 100)}:{definition.line}"
    pieces = (
        Piece("y", Tone.KEY, "screen.copy"),
        Piece(" copies it, ", Tone.DIM, "screen.copy"),
        Piece("ctrl+e", Tone.KEY, "screen.edit"),
        Piece(f" opens {where}", Tone.DIM, "screen.edit"),
    )
    return [Line("file", pieces, selectable=False), _WAY_OUT]


def _kind(state: RunState, place: BlockId, definition: BlockDefinition) -> str:
    """Return what a place is, and what is special about it."""
    words = [safe_line(definition.type, 40), f"wave {state.graph.wave_of[block_of(place)] + 1}"]
    if is_part(place):
        words.append(f"part of {safe_line(block_of(place), 60)}")
    if definition.always:
        words.append("runs always")
    if not definition.reversible:
        words.append("cannot be undone")
    return " · ".join(words)


def _child(block: BlockState) -> list[Line]:
    if block.child is None:
        return []
    run = f"{short_id(block.child.run_id)} of {safe_line(block.child.workflow, 100)}, enter opens it"
    return [fact("run", run)]


def _reasons(block: BlockState) -> list[Line]:
    if block.failure is not None:
        return prose(block.failure.message, "failure", Tone.FAILED)
    return prose(block.reason, "reason", Tone.DIM) if block.reason else []


def _timing(state: RunState, block: BlockState, now: float, said: str) -> list[Line]:
    """Return when it began and how far it is, without what *said* says already."""
    if block.started_at is None:
        return []
    lines = [fact("started", f"{clock_time(block.started_at, now)}, {past(now - block.started_at)}")]
    if lasts := took(state, block, now):
        lines.append(fact("took" if block.ended_at is not None else "so far", lasts))
    lines += _attempt(block, said)
    if steps := len(block.steps):
        lines.append(fact("steps", f"{steps} done, kept for the next attempt"))
    if block.summary:
        lines.append(fact("does", first_line(block.summary)))
    return lines


def _attempt(block: BlockState, said: str) -> list[Line]:
    """Return which attempt it is, unless that is said; what counts otherwise there is not contradicted here."""
    if block.attempt <= 1 or f"attempt {block.attempt}" in said:
        return []
    if "attempt" in said:
        # A retry rule counts failures; an attempt that a crash cut off is one, and no failure.
        return [fact("attempts", f"{block.attempt} so far, all counted")]
    return [fact("attempt", str(block.attempt))]


def _question(state: RunState, block: BlockState, now: float) -> list[Line]:
    """Return the newest question. One that is closed reads as such; an earlier attempt's is that attempt's."""
    if block.pause_id is None:
        return []
    pause = state.pauses[block.pause_id]
    text = first_line(pause.prompt.text)
    if pause.is_open:
        to = whose(pause).removeprefix("assigned ")
        named = [fact("assigned", to)] if to else []
        return [
            fact("asks", Piece(text, Tone.WAITING)),
            *named,
            fact("answer", Piece("press a", Tone.KEY)),
        ]
    if pause.attempt < block.attempt:
        text = f"about attempt {pause.attempt}: {text}"
    return [fact("asked", Piece(text, Tone.DIM)), *_answer(pause, now)]


def _answer(pause: Pause, now: float) -> list[Line]:
    if pause.answer is None:
        return [fact("answer", Piece("none: it expired, or its run ended", Tone.DIM))]
    answer = pause.answer
    lines = [fact("answer", Piece(safe_line(describe_value(answer.value), 400), Tone.STRONG))]
    lines.append(
        fact("by", f"{answer.by or 'somebody'} ({answer.via}), {clock_time(pause.closed_at or 0, now)}")
    )
    return lines + ([fact("comment", answer.comment)] if answer.comment else [])


def _neighbours(state: RunState, block_id: BlockId, definition: BlockDefinition) -> list[Line]:
    """Return what a block waits for and with which outcome, under which condition it runs, and what waits for it."""
    named = (
        ("needs", ", ".join(map(_needed, definition.depends_on))),
        ("only if", definition.condition or ""),
        ("feeds", ", ".join(state.graph.dependants[block_id])),
    )
    return [fact(name, safe_line(words, 400)) for name, words in named if words]


def _needed(wait: Dependency) -> str:
    return f"{wait.block} ({' or '.join(wait.when)})" if wait.when else wait.block


def silence(state: RunState, place: BlockId) -> str:
    """Return why there is no output of a place."""
    block = state.block(place)
    if block.fan is not None:
        return "its items write: put the cursor on one; enter shows or hides them"
    if block.child is not None:
        return "the run that does its work writes: enter opens it"
    if block.wake_at is not None:
        return "it waits, and writes nothing"
    return "nothing written yet" if block.status is BlockStatus.RUNNING else "it wrote nothing"
