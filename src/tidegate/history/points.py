"""Points of runs: what a word on the command line, or in the monitor, means by "there".

A point is one position of one run's journal. Everything that looks back takes one: to show it, to
compare it with another, to fork from it.
"""

from contextlib import suppress
from dataclasses import dataclass

from tidegate.errors import CheckpointNotFound
from tidegate.history.finding import find_id, find_run, kind_of
from tidegate.model.ids import CheckpointId, PauseId, RunId, Seq
from tidegate.store.protocol import Store

__all__ = ["Point", "PointNotFound", "find_point", "no_event"]

_SEPARATOR = "@"


@dataclass(frozen=True, slots=True)
class Point:
    """A run right after one of its events."""

    run_id: RunId
    seq: Seq
    """From 1, which is the start of the run, to its newest event."""

    def __str__(self) -> str:
        return f"{self.run_id}{_SEPARATOR}{self.seq}"


class PointNotFound(CheckpointNotFound):
    """No point of a run is meant by this."""

    def __init__(self, text: str, problem: str = "") -> None:
        super().__init__(text)
        self.args = (
            problem
            or f"no run, checkpoint or question '{text}': `tidegate runs list` and "
            "`tidegate checkpoints list` show what there is",
        )


def no_event(run_id: RunId, seq: int, head: Seq) -> PointNotFound:
    """Return that a run has no such event, and which it has."""
    problem = f"run {run_id} has no event {seq}: it has those from 1 to {head}"
    return PointNotFound(f"{run_id}{_SEPARATOR}{seq}", problem)


async def find_point(store: Store, text: str) -> Point:
    """Return the point that *text* means.

    Args:
        store: Where to look.
        text: `RUN@SEQ`; a checkpoint's or a question's id; or a run's id, which means its newest event.
            Ids may be given by their beginning.

    Raises:
        RunNotFound: there is no run of that name before the `@`.
        PointNotFound: nothing has such an id, or the run has no such event.
        AmbiguousId: more than one thing has.
    """
    word, separator, number = text.strip().rpartition(_SEPARATOR)
    if separator:
        return await _point_in(store, word, number, text)
    found = await find_id(store, text.strip(), ("run", "pause", "chk"))
    if found is None:
        raise PointNotFound(text)
    if kind_of(found) == "run":
        return await _checked(store, RunId(found), None)
    return await _point_of_mark(store, found)


async def _point_in(store: Store, word: str, number: str, text: str) -> Point:
    run_id = await find_run(store, word)
    if not (number.isascii() and number.isdecimal()):
        problem = f"'{text}' names no point: what follows the @ is the number of an event, as in {run_id}@12"
        raise PointNotFound(text, problem)
    return await _checked(store, run_id, int(number))


async def _checked(store: Store, run_id: RunId, seq: int | None) -> Point:
    """Return a point of a run that is there; None: its newest."""
    head = (await store.run(run_id)).head
    if head < 1:
        raise PointNotFound(run_id, f"run {run_id} has no events that can be read")
    if seq is not None and not 1 <= seq <= head:
        raise no_event(run_id, seq, head)
    return Point(run_id, Seq(head if seq is None else seq))


async def _point_of_mark(store: Store, name: str) -> Point:
    with suppress(CheckpointNotFound):
        row = await store.checkpoint(CheckpointId(name))
        return Point(row.run_id, row.seq)
    # Its checkpoint was taken off the list: a question still knows where it was asked.
    pause = await store.pause(PauseId(name))
    return Point(pause.run_id, pause.opened_seq)
