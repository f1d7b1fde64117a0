"""The pages beside a question: the state it is answered in, what is other than last time, what was written."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tidegate.history.comparing import Comparison
from tidegate.history.points import Point
from tidegate.model.base import JsonObject
from tidegate.model.checkpoint import PointState
from tidegate.model.ids import BlockId
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Tone, text_line
from tidegate.tui.present.differences import difference_lines
from tidegate.tui.present.shared import counted, heading, json_lines, short_id

__all__ = ["difference_page", "output_page", "state_page"]

_BLOCKS = 40
"""Blocks whose outputs are shown."""
_LINES = 200
"""Lines of output of one block."""


def state_page(found: PointState, asking: BlockId) -> list[Line]:
    """Return what the run knows now: its inputs, its state, and what blocks gave, the nearest first."""
    lines = [*_values("Inputs", found.state.inputs)]
    lines += _values("State", found.variables)
    blocks = _nearest_first(found, asking)
    for block in blocks[:_BLOCKS]:
        lines += _values(block, found.context[block])
    if len(blocks) > _BLOCKS:
        lines.append(text_line(f"… {counted(len(blocks) - _BLOCKS, 'more block')}", Tone.DIM, key="more"))
    return lines or [text_line("It has no inputs, and nothing has given anything yet.", Tone.DIM)]


def _values(title: str, values: JsonObject) -> Iterator[Line]:
    if values:
        yield heading(safe_line(title, 80))
        for line in json_lines(values):
            yield replace(line, key=f"{title}:{line.key}")


def _nearest_first(found: PointState, asking: BlockId) -> list[str]:
    needed = {str(it.block) for it in found.state.definition_of(asking).depends_on}
    given = [block for block, outputs in found.context.items() if outputs]
    # What ended last stands first.
    given.reverse()
    return sorted(given, key=lambda block: block not in needed)


def difference_page(left: Point, is_at_question: bool, comparison: Comparison) -> list[Line]:
    """Return what is other than in the last run that went well.

    Args:
        left: Where that one is looked at.
        is_at_question: Whether that is where it asked the same.
        comparison: From there to the question.
    """
    when = "when it asked the same" if is_at_question else "as it ended: it did not ask this"
    title = f"Against run {short_id(left.run_id)}, the last that succeeded, {when}"
    return [
        text_line(title, Tone.DIM, key="against"),
        text_line("", key="gap"),
        *difference_lines(comparison),
    ]


def output_page(written: Sequence[tuple[BlockId, Sequence[Line]]]) -> list[Line]:
    """Return the last lines of what the blocks before a question wrote."""
    lines: list[Line] = []
    for block, output in written:
        lines.append(heading(safe_line(block, 80)))
        if len(output) > _LINES:
            lines.append(
                text_line(f"… {counted(len(output) - _LINES, 'line')} before", Tone.DIM, key=f"{block}:more")
            )
        lines += [replace(line, key=f"{block}:{line.key}") for line in output[-_LINES:]]
        if not output:
            lines.append(text_line("(it wrote nothing)", Tone.DIM, key=f"{block}:nothing"))
    return lines or [text_line("It follows no block that writes anything.", Tone.DIM)]
