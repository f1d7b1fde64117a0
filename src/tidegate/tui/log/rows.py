"""From the bytes that a block wrote to rows: one for each line, decoded, safe, and with its level.

Bytes come in chunks of two streams, and a page of them may begin and end within a line. What is cut
off there stays beside the rows, so that two pages can be joined in either order.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from tidegate.history.spans import size
from tidegate.model.ids import BlockId
from tidegate.model.listing import OutputChunk, Stream
from tidegate.safe_text import safe_lines

__all__ = ["Level", "Page", "Row", "Segment", "gap_row", "level_of", "rows_of", "text_rows"]

LONGEST = 65_536
"""Characters of a row; a longer line is broken, and counts as several."""
_UNBROKEN = 65_536
"""Bytes without a line break that are waited for; more of them are broken."""
_LEVELLED = 64
"""Characters of a line in which its level is looked for."""


class Level(IntEnum):
    """How much a line matters, as its first words say."""

    NONE = 0
    """They do not say it."""
    DEBUG = 1
    INFO = 2
    WARN = 3
    ERROR = 4


_NAMES = {
    "TRACE": Level.DEBUG,
    "DEBUG": Level.DEBUG,
    "INFO": Level.INFO,
    "NOTICE": Level.INFO,
    "WARN": Level.WARN,
    "WARNING": Level.WARN,
    "ERR": Level.ERROR,
    "ERROR": Level.ERROR,
    "CRITICAL": Level.ERROR,
    "FATAL": Level.ERROR,
    "PANIC": Level.ERROR,
}
_WORDS = "|".join(sorted(_NAMES, key=len, reverse=True))
_LEVEL = re.compile(
    rf"\b({_WORDS})\b|^\W*((?i:{_WORDS}))(?=:)|(?i:\blevel=\W?({_WORDS})\b)|\[\s*((?i:{_WORDS}))\s*\]"
)


def level_of(text: str) -> Level:
    """Return the level that the first words of a line say: `ERROR`, `warning:`, `[info]`, `level=debug`."""
    found = _LEVEL.search(text, 0, _LEVELLED)
    return _NAMES[found[found.lastindex or 0].upper()] if found else Level.NONE


class Segment(NamedTuple):
    """What one attempt of one place wrote."""

    place: BlockId
    attempt: int


class Row(NamedTuple):
    """One line."""

    text: str
    """Safe to draw."""
    stream: Stream | None
    """None: nobody wrote it; it is a word of ours."""
    segment: Segment
    level: Level = Level.NONE
    """Its own, or that of the line of the same stream before it: a trace belongs to its error."""
    at: float = 0.0
    """When it began to come; 0: that was not noted."""


@dataclass(slots=True)
class Page:
    """Rows that were read together, and what is cut off at both ends of them."""

    segment: Segment
    first: int
    """`n` of its first chunk."""
    last: int
    """`n` of its last one."""
    rows: int = 0
    """How many there are."""
    size: int = 0
    """Bytes."""
    lead: dict[Stream, bytes] = field(default_factory=dict)
    """The end of a line that begins before it."""
    tail: dict[Stream, bytes] = field(default_factory=dict)
    """The beginning of a line that ends after it."""
    begins: dict[Stream, int] = field(default_factory=dict)
    """How many bytes the stream had written before it."""
    ends: dict[Stream, int] = field(default_factory=dict)
    """The same, with it."""
    is_joined: bool = False
    """Whether its first rows are whole: it was read after the page before it."""
    joins: int = 0
    """How many of its last rows end in the page after it."""
    levels: dict[Stream, Level] = field(default_factory=dict)
    """Of its last rows."""
    lead_at: dict[Stream, float] = field(default_factory=dict)
    """When what is in `lead` came."""
    tail_at: dict[Stream, float] = field(default_factory=dict)
    """When the lines in `tail` began to come."""
    torn: set[Stream] = field(default_factory=set)
    """Of which the newest chunk is damaged: how much is missing after it is not told again."""


def rows_of(
    segment: Segment, chunks: Sequence[OutputChunk], before: Page | None = None
) -> tuple[Page, list[Row]]:
    """Return chunks as a page, and its rows.

    Args:
        segment: Who wrote them.
        chunks: In order; at least one.
        before: The page that they follow; None: what is before them is not known, unless nothing is.
    """
    page = Page(segment, chunks[0].n, chunks[-1].n)
    if before is not None:
        page.tail, page.ends, page.levels = dict(before.tail), dict(before.ends), dict(before.levels)
        page.tail_at, page.torn = dict(before.tail_at), set(before.torn)
    elif chunks[0].n == 0:
        page.ends = dict.fromkeys(Stream, 0)
    page.is_joined = before is not None or chunks[0].n == 0
    rows: list[Row] = []
    for chunk in chunks:
        rows += _taken(page, chunk)
    page.rows, page.size = len(rows), sum(len(chunk.data) for chunk in chunks)
    return page, rows


def _taken(page: Page, chunk: OutputChunk) -> list[Row]:
    if chunk.damage:
        return _torn(page, chunk)
    stream, rows = chunk.stream, []
    known = page.ends.get(stream)
    if known is not None and chunk.offset > known and stream not in page.torn:
        rows = [*_cut_off(page, stream), gap_row(page.segment, chunk.offset - known)]
    page.torn.discard(stream)
    page.begins.setdefault(stream, chunk.offset)
    page.ends[stream] = chunk.offset + len(chunk.data)
    tail = page.tail.pop(stream, b"")
    began = page.tail_at.get(stream, 0.0) if tail else chunk.at
    *lines, rest = _split(tail + chunk.data)
    if lines and not page.is_joined and stream not in page.lead:
        page.lead[stream], page.lead_at[stream] = lines.pop(0), began
        began = chunk.at
    rows += text_rows(page, stream, lines[:1], began)
    rows += text_rows(page, stream, lines[1:], chunk.at)
    page.tail_at[stream] = chunk.at if lines else began
    if len(rest) > _UNBROKEN:
        rows += text_rows(page, stream, [rest], page.tail_at[stream])
        rest = b""
    if rest:
        page.tail[stream] = rest
    return rows


def _torn(page: Page, chunk: OutputChunk) -> list[Row]:
    """Return what stands in the place of a damaged chunk: of it not even the length is known."""
    stream = chunk.stream
    rows = [*_cut_off(page, stream), Row(safe_lines(chunk.notice)[0], None, page.segment)]
    page.torn.add(stream)
    page.begins.setdefault(stream, chunk.offset)
    page.ends.setdefault(stream, chunk.offset)
    if not page.is_joined:
        # What follows begins no line that a page before this one could end.
        page.lead.setdefault(stream, b"")
        page.lead_at.setdefault(stream, chunk.at)
    return rows


def _cut_off(page: Page, stream: Stream) -> list[Row]:
    """Return the line that was begun, if any: its end is missing."""
    began = page.tail_at.get(stream, 0.0)
    return text_rows(page, stream, [page.tail.pop(stream, b"")], began, is_whole=False)


def gap_row(segment: Segment, missing: int) -> Row:
    """Return what stands where *missing* bytes are not there."""
    return Row(f"── {size(missing)} in between were not kept ──", None, segment)


def _split(data: bytes) -> list[bytes]:
    r"""Return lines; one that ended in a lone `\r` says so. The last one has not ended."""
    if b"\r" not in data:
        return data.split(b"\n")
    # What follows the last one is not known yet: it may be one of the two that end a line together.
    held = b"\r" if data.endswith(b"\r") else b""
    data = data.removesuffix(held) if held else data
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", "␍\n".encode()).split(b"\n")
    lines[-1] += held
    return lines


def text_rows(
    page: Page, stream: Stream, lines: Iterable[bytes], at: float, *, is_whole: bool = True
) -> list[Row]:
    """Return whole lines as rows.

    Args:
        page: Which page they are of; it remembers their level.
        stream: Where they were written.
        lines: Without their ends.
        at: When they began to come.
        is_whole: Whether an empty line is one.
    """
    lines = [*lines]
    # A return that is left ends no line: nothing of it is to be overwritten.
    text = b"\n".join(lines).decode("utf-8", "replace").replace("\r", "␍")
    if not lines or not (text or is_whole):
        return []
    # The last one keeps an empty line before it: a final line break would open none.
    shown = safe_lines(f"{text}\n.")[:-1]
    level, rows = page.levels.get(stream, Level.NONE), []
    for line in shown:
        level = level_of(line) or level
        rows += [
            Row(line[start : start + LONGEST], stream, page.segment, level, at)
            for start in range(0, max(1, len(line)), LONGEST)
        ]
    page.levels[stream] = level
    return rows
