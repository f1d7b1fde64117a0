"""Where a run comes from and which runs go on from it: one line of the run view, and the tree of forks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from tidegate.history.paths import Path, path_text
from tidegate.history.views import RunView
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.fork_events import KeptAnswer, RunForked
from tidegate.model.ids import BlockId
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, wrap
from tidegate.tui.looks.symbols import HELD, run_sign
from tidegate.tui.present.runs import signed
from tidegate.tui.present.shared import counted, short_id
from tidegate.tui.present.state_values import shown_value

__all__ = ["Branch", "Edited", "edits_of", "lineage_line", "tree_lines"]

_WAITS = run_sign(RunStatus.PAUSED)
_MOST_EDITS = 3
"""Edits of one fork that are told; of more it is said how many there are."""
_WIDE, _LEAST = 60, 12
"""Cells of a line from which on whole paths are told, and of the words of edits at least."""
_PATH, _VALUE = 60, 40
"""Characters of a path and of a value that are told of an edit."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What a fork was given that is other than it was, safe to draw."""

    path: str
    value: str = ""
    """Empty: it is told by its name alone."""
    short: str = ""
    """The path where there is little room: what is changed of which block."""

    def words(self, *, is_brief: bool) -> str:
        """Return it as one types it on the command line, or brief."""
        path = self.short if is_brief and self.short else self.path
        return f"{path}={self.value}" if self.value else path


@dataclass(frozen=True, slots=True)
class Branch:
    """A run, and the runs that go on from a point of it, by that point."""

    view: RunView
    forks: "tuple[Branch, ...]"
    has_more: bool = False
    """Whether there are more of them than were read."""
    edits: tuple[Edited, ...] = ()
    """What it was given that is other than it was."""


def edits_of(event: RunForked, answers: Mapping[BlockId, KeptAnswer]) -> tuple[Edited, ...]:
    """Return what a fork was given that is other than it was.

    No declared secret is among it: an edit that holds one is refused.

    Args:
        event: How it was made.
        answers: Those of its kept answers that are other ones, by who asked.
    """
    found = [_edited(path, value) for path, value in _paths(event)]
    found += [
        Edited(safe_line(path_text(("blocks", place, "answer")), _PATH), _answer(kept), f"{place}.answer")
        for place, kept in answers.items()
    ]
    if event.workflow is not None:
        found.append(Edited("the workflow's file"))
    return tuple(found)


def _paths(event: RunForked) -> Iterator[tuple[Path, Json]]:
    of_blocks: tuple[tuple[str, Mapping[BlockId, JsonObject]], ...] = (
        ("inputs", event.given),
        ("outputs", event.outputs),
    )
    yield from ((("inputs", name), value) for name, value in event.inputs.items())
    yield from ((("state", name), value) for name, value in event.variables.items())
    for part, by_place in of_blocks:
        for place, values in by_place.items():
            yield from ((("blocks", place, part, name), value) for name, value in values.items())


def _edited(path: Path, value: Json) -> Edited:
    return Edited(safe_line(path_text(path), _PATH), shown_value(value, _VALUE), _short(path))


def _short(path: Path) -> str:
    """Return a path without the names that are the same in all of them."""
    parts = (path[1], *path[3:]) if path[0] == "blocks" else path[1:]
    return safe_line(path_text(parts), _PATH)


def _answer(kept: KeptAnswer) -> str:
    return safe_line(kept.answer.raw, _VALUE) or shown_value(kept.answer.value, _VALUE)


def lineage_line(view: RunView, forks: int) -> Line | None:
    """Return which run a run goes on from, and how many go on from it; None: none does, and it from none."""
    origin = view.row.origin
    pieces: list[Piece] = []
    if origin is not None:
        pieces += [Piece("fork of ", Tone.DIM), Piece(f"{short_id(origin.run_id)}@{origin.seq}", Tone.STRONG)]
    if forks:
        pieces += [Piece(" · " if pieces else ""), Piece(counted(forks, "fork"), Tone.STRONG)]
    if not pieces:
        return None
    shown = (
        Piece("  "),
        Piece("t", Tone.KEY, "screen.travel"),
        Piece(" shows the tree", Tone.DIM, "screen.travel"),
    )
    return Line("lineage", (*pieces, *shown), selectable=False)


def tree_lines(tree: Branch | None, here: str, room: int = _WIDE) -> list[Line]:
    """Return the tree of forks, one run a line whose key is the run's id, and what was edited for it below that.

    Args:
        tree: From the run they all come from; None: there are none.
        here: The run one is looking at.
        room: Cells for a line.
    """
    return [] if tree is None else list(_lines(tree, here, "", "", room))


def _lines(branch: Branch, here: str, lead: str, inner: str, room: int) -> Iterator[Line]:
    row, is_here = branch.view.row, branch.view.row.run_id == here
    origin = f" @{row.origin.seq}" if row.origin is not None else ""
    named = (
        Piece(lead, Tone.RULE),
        Piece(short_id(row.run_id), Tone.STRONG if is_here else Tone.PLAIN),
        Piece(origin, Tone.ACCENT),
    )
    pieces = (*named, *_standing(branch.view, is_here=is_here, room=room - _cells(named)))
    left = room - _cells(pieces)
    yield Line(row.run_id, (*pieces, Piece(_started_by(branch.view, left), Tone.DIM)))
    if branch.edits:
        yield from _edits_lines(branch, f"{inner}{'│  ' if branch.forks or branch.has_more else '   '}", room)
    for number, fork in enumerate(branch.forks, 1):
        is_last = number == len(branch.forks) and not branch.has_more
        yield from _lines(
            fork, here, f"{inner}{'╰' if is_last else '├'}─ ", f"{inner}{'   ' if is_last else '│  '}", room
        )
    if branch.has_more:
        more = (Piece(f"{inner}╰─ ", Tone.RULE), Piece("… more", Tone.DIM))
        yield Line(f"more:{row.run_id}", more, selectable=False)


def _standing(view: RunView, *, is_here: bool, room: int) -> tuple[Piece, Piece]:
    """Return whether a run is the one that one is looking at, and where it stands: so long as there is room for."""
    sign = signed(view)
    status = Piece(f"{sign.symbol} waits", sign.tone) if sign == _WAITS else sign.piece
    symbol = Piece(sign.symbol, sign.tone)
    forms = [(" this run  ", status), (" here ", status), (" ", status), (" here ", symbol), (" ", symbol)]
    said = [(Piece(here if is_here else " " * min(2, len(here)), Tone.DIM), shown) for here, shown in forms]
    return next((pieces for pieces in said if _cells(pieces) <= room), said[-1])


def _cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)


def _started_by(view: RunView, room: int) -> str:
    """Return who made a fork, as far as there is room for the whole name."""
    if not view.row.by or view.row.origin is None:
        return ""
    name = safe_line(view.row.by, 30)
    # Beside "paused", "by" alone would say who has paused it.
    forms = [f" · started by {name}", *([f" · by {name}"] if signed(view) is not HELD else [])]
    return next((words for words in forms if cell_len(words) <= room), "")


def _edits_lines(branch: Branch, lead: str, room: int) -> Iterator[Line]:
    told = ", ".join(edit.words(is_brief=room < _WIDE) for edit in branch.edits[:_MOST_EDITS])
    left = len(branch.edits) - _MOST_EDITS
    more = f" … {left} more" if left > 0 else ""
    words = Line("", (Piece(f"edited: {told}{more}", Tone.DIM),), selectable=False)
    for number, line in enumerate(wrap(words, max(_LEAST, room - len(lead)))):
        key = f"edits:{branch.view.row.run_id}{f':{number}' if number else ''}"
        yield replace(line, key=key, pieces=(Piece(lead, Tone.RULE), *line.pieces))
