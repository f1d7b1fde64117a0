"""What the palette offers, and which of it fits what is typed. Pure, but for reading the store once."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidegate.model.listing import RunFilter
from tidegate.tui.commands import Command, Scope
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.present.shared import who

if TYPE_CHECKING:
    from tidegate.history.shelf import WorkflowFile
    from tidegate.history.views import RunView
    from tidegate.model.listing import PauseRow
    from tidegate.tui.session import Session

__all__ = ["PALETTE_COLUMNS", "Entry", "Supply", "command_entries", "entry_lines", "fitting", "read_supply"]

PALETTE_COLUMNS = (Column("", width=10), Column("", weight=1))
_MOVING = (Scope.LIST, Scope.TEXT, Scope.PREVIEW, Scope.BACK)
"""Whoever types words does not want to move by one row."""
_RUNS = 200


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


@dataclass(frozen=True, slots=True)
class Supply:
    """What the store has to offer."""

    urgent: "PauseRow | None" = None
    runs: "tuple[RunView, ...]" = ()
    files: "tuple[WorkflowFile, ...]" = ()


async def read_supply(session: "Session") -> Supply:
    """Return what there is to go to, to answer and to start."""
    history = session.history
    return Supply(
        await history.most_urgent(), await history.runs(RunFilter(limit=_RUNS)), tuple(session.shelf.files)
    )


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
        )
        for command in commands
        if command.scope not in _MOVING
    ]


def run_title(run: "RunView") -> str:
    """Return how a run is called where one goes to it."""
    return f"Go to run {who(run.row.workflow, run.row.run_id)} ({run.status.value})"


def fitting(entries: Sequence[Entry], words: str) -> list[Entry]:
    """Return the entries that have all of *words*; those that can be chosen first, then those that begin with them."""
    wanted = words.casefold().split()
    found = [
        entry for entry in entries if all(word in f"{entry.title} {entry.key}".casefold() for word in wanted)
    ]
    start = " ".join(wanted)
    return sorted(
        found, key=lambda entry: (bool(entry.why_not), not entry.title.casefold().startswith(start))
    )


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
