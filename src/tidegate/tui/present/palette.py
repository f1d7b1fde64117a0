"""What the palette offers, and which of it fits what is typed. Pure."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidegate.tui.commands import Command, Scope
from tidegate.tui.lines import Column, Line, Piece, Tone

__all__ = ["PALETTE_COLUMNS", "Entry", "command_entries", "entry_lines", "fitting"]

PALETTE_COLUMNS = (Column("", width=10), Column("", weight=1))
_MOVING = (Scope.LIST, Scope.TEXT, Scope.PREVIEW, Scope.BACK)
"""Whoever types words does not want to move by one row."""
_ALSO: Final[Mapping[str, str]] = {
    "inbox.answer": "approve reject",
    "inbox.bulk": "approve all shown together bulk review",
    "inbox.snooze": "assign reassign snooze",
    "runs.answer": "approve reject",
    "run.answer": "approve reject",
    "run.again": "launch start new",
    "workflows.launch": "launch run new",
    "turns.pause": "hold stop continue unpause",
    "turns.cancel": "stop kill end abort",
    "turns.retry": "resume continue",
    "travel.next_base": "compare diff",
    "rows.copy_id": "yank",
    "global.quit": "exit leave",
    "global.help": "keys",
}
"""What else people call a command, by its id."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be chosen."""

    key: str
    title: str
    act: Callable[[], Awaitable[None]]
    keys: str = ""
    """What does the same without the palette."""
    why_not: str = ""
    """Why it cannot be chosen now; empty: it can."""
    is_urgent: bool = False
    also: str = ""
    """What else it is called, in small letters; not shown."""


def command_entries(
    commands: Iterable[Command], why_not: Callable[[str], str], run: Callable[[Command], Awaitable[None]]
) -> list[Entry]:
    """Return the commands of a place as entries.

    Args:
        commands: What works there.
        why_not: Says of an action why it cannot be done now; empty: it can.
        run: Does one.
    """

    def act(command: Command) -> Callable[[], Awaitable[None]]:
        return lambda: run(command)

    return [
        Entry(
            command.id,
            f"{command.label}: {command.help}",
            act(command),
            command.first_key,
            why_not(command.action),
            also=_ALSO.get(command.id, ""),
        )
        for command in commands
        if command.scope not in _MOVING
    ]


def fitting(entries: Sequence[Entry], words: str) -> list[Entry]:
    """Return the entries that have all of *words*, in any order; of those that can be chosen, what fits best first.

    Best is a title that begins so; then come a name with all the words in it, or with other words for the same, what
    is told of it, and at last a name in which they are written short: `lnch` for launch.
    """
    wanted = words.casefold().split()
    ranked = [(bool(entry.why_not), _rank(entry, wanted), entry) for entry in entries]
    found = [(is_off, rank, entry) for is_off, rank, entry in ranked if rank is not None]
    return [entry for _, _, entry in sorted(found, key=lambda each: each[:2])]


def _rank(entry: Entry, wanted: Sequence[str]) -> int | None:
    """Return how well an entry fits, 0 for the best; None: it does not."""
    title = entry.title.casefold()
    name = title.partition(":")[0]
    if title.startswith(" ".join(wanted)):
        return 0
    texts = (f"{name} {entry.also}", f"{title} {entry.key} {entry.also}".casefold())
    for rank, text in enumerate(texts, 1):
        if all(word in text for word in wanted):
            return rank
    is_short = all(re.search(_written_short(word), name) for word in wanted)
    return len(texts) + 1 if is_short else None


def _written_short(word: str) -> str:
    """Return a pattern for a word with these letters in this order, beginning with the first of them."""
    return r"\b" + r"[\w-]*?".join(map(re.escape, word))


def entry_lines(entries: Sequence[Entry]) -> list[Line]:
    """Return entries as rows of a list."""
    return [_line(entry) for entry in entries]


def _line(entry: Entry) -> Line:
    if not entry.why_not:
        return Line(entry.key, (Piece(entry.keys, Tone.KEY), Piece(entry.title)), columns=True)
    name, colon, about = entry.title.partition(":")
    # The reason before what is cut where it is narrow.
    title = f"{name} ({entry.why_not}){colon}{about}"
    return Line(entry.key, (Piece(entry.keys, Tone.OFF), Piece(title, Tone.OFF)), columns=True)
