"""What a fork will do, as `tidegate checkpoints fork` tells it before it does it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidegate.cli.console import say, shown_value, table
from tidegate.history.paths import path_text
from tidegate.history.points import Point
from tidegate.model.base import Json
from tidegate.model.ids import block_of
from tidegate.safe_text import safe_line

if TYPE_CHECKING:
    from tidegate.engine.forks.preview import ForkedBlock, ForkPreview
    from tidegate.engine.forks.questions import ForkedQuestion
    from tidegate.history.changes import Change

__all__ = ["OtherDefinition", "say_fork"]

_FILES = {"changed": "has changed since", "missing": "is gone", "broken": "has faults by now"}
_CHANGES = 20
"""Differences of a definition that are named; `--json` has all of them."""
_ROWS = 40
"""Rows about blocks of one fate; and names in a line. `--json` has all of them."""
_VALUE = 60
"""Characters of a value, or a question, in a preview; `--json` has all of them."""
_QUESTIONS = 8
"""Questions of one block that are told; `--json` has all of them."""
_STAYS = "stays"
_PLACE = ""
"""In the place of a fate: the row is of an item whose run goes on, and its blocks follow."""

_Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OtherDefinition:
    """How the definition that a fork goes on with, or the workflow's file by now, compares with the run's own."""

    word: str
    """`same`, `changed`, and of the workflow's file also `missing` or `broken`."""
    changes: "Sequence[Change]"
    """What differs; on the left what the run is pinned to."""
    file: str = ""
    """Where the one is from that the fork goes on with; empty: it keeps the run's own."""
    name: str = ""
    """What that workflow is called."""


def say_fork(start: Point, preview: "ForkPreview", other: OtherDefinition) -> None:
    """Say what a fork from *start* will do."""
    say(f"fork of run {start.run_id} ({preview.workflow}) from event {start.seq} of {preview.head}:")
    rows, others = _split(list(_rows(preview)))
    table(("", "BLOCK", "TYPE", "THEN", ""), rows)
    for fate, names in others.items():
        say(f"{fate}: {len(names):,} {'blocks' if fate == _STAYS else 'more'}: {_named(names)}")
    for edit in preview.edits:
        before, after = _shown(edit.before), _shown(edit.after)
        say(f"changed: {safe_line(path_text(edit.path), 200)}: {before} becomes {after}")
    if preview.effects:
        say(f"effects outside are real: {_named([block.name for block in preview.effects])}")
    _say_definition(start, preview, other)
    for warning in preview.warnings:
        say(f"note: {warning}")


def _say_definition(start: Point, preview: "ForkPreview", other: OtherDefinition) -> None:
    pinned = f"what run {start.run_id} was started with"
    if not other.file:
        if other.word in _FILES:
            say(f"the workflow's file {_FILES[other.word]}: the fork keeps {pinned}")
    elif other.word == "same":
        say(f"{other.file} says {pinned}")
    else:
        say(f"the fork goes on with {other.file}, which is other than {pinned}:")
    for change in other.changes[:_CHANGES]:
        say(f"  {change.kind.sign} {safe_line(path_text(change.path), 200)}")
    if other.changes[_CHANGES:]:
        say(f"  … and {len(other.changes) - _CHANGES:,} more")
    if other.name and other.name != preview.workflow:
        say(f"note: it is another workflow: '{other.name}', and the run is one of '{preview.workflow}'")


# -- blocks -----------------------------------------------------------------------------------


def _rows(preview: "ForkPreview", depth: int = 0) -> Iterator[_Row]:
    """Yield the blocks, below each the blocks of a run that goes on there."""
    below = {it.place: it.preview for it in preview.below}
    for block in preview.blocks:
        fate, name, *rest = _row(block)
        yield fate, f"{'  ' * depth}{name}", *rest
        for place, its in below.items():
            if block_of(place) == block.block:
                if place != block.block:
                    yield _PLACE, f"{'  ' * depth}  {place}", "", "", ""
                yield from _rows(its, depth + 1 + (place != block.block))


def _split(rows: Sequence[_Row]) -> tuple[list[_Row], dict[str, list[str]]]:
    """Return the rows of a table, the first of each fate; and by fate the names of the other blocks.

    Of what stays it has all, or, if that is much, none: it is told what stays, and looked for what runs.
    """
    many_stay = sum(fate == _STAYS for fate, *_ in rows) > _ROWS
    seen: Counter[str] = Counter()
    shown: list[_Row] = []
    others: dict[str, list[str]] = {}
    for row in rows:
        fate, name, *_ = row
        seen[fate] += 1
        if seen[fate] <= _ROWS and not (many_stay and fate == _STAYS):
            shown.append(row)
        elif fate != _PLACE:
            others.setdefault(fate, []).append(name.strip())
    return shown, others


def _named(names: Sequence[str]) -> str:
    more = f", … and {len(names) - _ROWS:,} more" if names[_ROWS:] else ""
    return ", ".join(names[:_ROWS]) + more


def _row(block: "ForkedBlock") -> _Row:
    words = [block.why]
    if block.has_effect:
        words.append("has an effect outside")
    if not block.reversible:
        words.append("cannot be undone")
    if block.asks:
        words.append(_asks(block))
    if block.asks_if_it_fails:
        words.append("asks if it fails")
    return (
        block.fate.value,
        block.block,
        block.type,
        block.then.value,
        "; ".join(filter(None, words)),
    )


def _asks(block: "ForkedBlock") -> str:
    asked = [_question(block, it) for it in block.questions[:_QUESTIONS]] or ["asks"]
    more = block.questions[_QUESTIONS:]
    return "; ".join([*asked, *([f"asks {len(more):,} more"] if more else [])])


def _question(block: "ForkedBlock", asked: "ForkedQuestion") -> str:
    place = f" for {safe_line(asked.place, _VALUE)}" if asked.place != block.block else ""
    last = "" if asked.is_sure else ", last time"
    text = f"asks{place}{last}: {safe_line(asked.text, _VALUE)}"
    if not asked.answer:
        return text
    counts = "counts" if asked.is_given else "counts again"
    return f"{text} (the answer {safe_line(asked.answer, _VALUE)} {counts} if it is the very same)"


def _shown(value: Json) -> str:
    return safe_line(shown_value(value), _VALUE)
