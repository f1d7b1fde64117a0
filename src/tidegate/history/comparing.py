"""Comparing two points of runs: what to look at, what does not count, and what has to be loaded for that."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

import msgspec

from tidegate.history.changes import GROUPS, Change, plain
from tidegate.history.diff import changes_between
from tidegate.history.document import Missing, Node, document, questions
from tidegate.history.paths import Path, any_of, parse_path
from tidegate.history.points import Point
from tidegate.model.base import Json, JsonObject
from tidegate.model.checkpoint import asked
from tidegate.model.state import Pause, PauseState, RunState
from tidegate.model.value import Stored
from tidegate.store.protocol import Store

__all__ = ["Comparison", "Rules", "compare_states", "names_of_questions"]

_MOST_CHANGES = 2_000
"""Changes that are told one by one; of more there is a number."""
_MOST_COUNTED = 200_000
"""Changes that are counted at all."""
_MOST_BYTES = 32_000_000
"""Of large values that one comparison loads; what is beyond is told by its size."""
_LARGEST = 4_000_000
"""Bytes of one value: a larger one is told by its size."""

# What says only which run it was, and who or what it was called by, or sums up what is told part by part: never a
# difference.
_NAMES = ("by", "blocks.*.parts", "blocks.*.child.run_id", "pauses.*.id", "pauses.*.via")
_TIMING = (
    "started_at",
    "updated_at",
    "blocks.*.started_at",
    "blocks.*.ended_at",
    "blocks.*.duration",
    "blocks.*.wake_at",
    "blocks.*.attempt",
    "blocks.*.failures",
    "blocks.*.outputs.**.duration_s",
    "pauses.*.opened_at",
    "pauses.*.closed_at",
    "pauses.*.deadline",
)


@cache
def _any_of(patterns: tuple[str, ...]) -> Callable[[Path], bool]:
    # Made when somebody compares, not when somebody lists runs.
    return any_of(map(parse_path, patterns))


@dataclass(frozen=True, slots=True)
class Rules:
    """What counts as a difference."""

    ignore: tuple[str, ...] = ()
    """Patterns of paths: `blocks.*.outputs.stamp`; see `tidegate.history.paths.any_of`."""
    timing: bool = False
    """Whether times, durations and numbers of attempts count."""

    def ignores(self) -> Callable[[Path], bool]:
        """Return what tells whether a path is ignored.

        Raises:
            ValueError: a pattern is no path; says which.
        """
        if not all(self.ignore):
            raise ValueError("an empty pattern to ignore would ignore everything")
        return any_of(map(parse_path, self.ignore))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two points."""

    left: Point
    right: Point
    workflows: tuple[str, str]
    """Of the left run and of the right one."""
    changes: tuple[Change, ...] = ()
    """Those that count, in the order of the document of a state."""
    timing: tuple[Change, ...] = ()
    """Times, durations and attempts; they are among `changes` if the rules count them."""
    ignored: int = 0
    """How many the rules leave out."""
    more: int = 0
    """How many there are beside `changes`."""
    at_least: bool = False
    """Whether `more` is where counting was given up."""

    @property
    def is_same(self) -> bool:
        """Whether nothing that counts differs."""
        return not self.changes

    def by_group(self) -> dict[str, tuple[Change, ...]]:
        """Return the changes by what they belong to, in the order in which they are shown; no empty groups."""
        grouped: dict[str, list[Change]] = {}
        for change in self.changes:
            grouped.setdefault(change.group, []).append(change)
        return {name: tuple(grouped[name]) for name in GROUPS if name in grouped}

    def as_json(self) -> JsonObject:
        """Return it with the field names that `checkpoints diff --json` has."""
        groups: JsonObject = {
            name: [change.as_json() for change in changes] for name, changes in self.by_group().items()
        }
        return {
            "left": _point_json(self.left, self.workflows[0]),
            "right": _point_json(self.right, self.workflows[1]),
            "is_same": self.is_same,
            "changes": groups,
            "more": self.more,
            "ignored": self.ignored,
            "timing": [change.as_json() for change in self.timing],
        }


async def compare_states(
    store: Store, left: tuple[Point, RunState], right: tuple[Point, RunState], rules: Rules
) -> Comparison:
    """Return what differs between two states, loading the large values that do.

    Args:
        store: Where those are.
        left: A point and the state there.
        right: The other one.
        rules: What counts.

    Raises:
        ValueError: a pattern to ignore is no path.
        CorruptStore: a large value is missing or damaged.
    """
    sieve = _Sieve(rules.timing, rules.ignores())
    trees = document(_as_asked(left[1])), document(_as_asked(right[1]))
    # In a thread: two runs of ten thousand blocks take a while, and the loop has leases to renew.
    found = await asyncio.to_thread(lambda: sieve.all(changes_between(*trees)))
    loaded = await _load(store, found)
    await asyncio.to_thread(sieve.sort, found, loaded)
    return Comparison(
        left=left[0],
        right=right[0],
        workflows=(left[1].graph.definition.name, right[1].graph.definition.name),
        changes=tuple(sieve.counted),
        timing=tuple(sieve.timing),
        ignored=sieve.ignored,
        more=sieve.more,
        at_least=sieve.is_full,
    )


def names_of_questions(state: RunState) -> Mapping[str, str]:
    """Return how the document of a state calls the questions that a comparison of it tells of, by its name there."""
    names = {pause.pause_id: name for name, pause in questions(state).items()}
    return {name: names[pause.pause_id] for name, pause in questions(_as_asked(state)).items()}


def _as_asked(state: RunState) -> RunState:
    """Return a state with the questions whose answers count.

    One that was closed to be asked anew is no answer, nor a difference; nor is one of an attempt that another one
    has followed in which its block asked again.
    """
    last = {pause.block: pause for pause in asked(state)}
    superseded = [
        pause.pause_id
        for pause in state.pauses.values()
        if _is_superseded(pause, last[pause.block]) or _forked_away(state, pause)
    ]
    pauses = state.pauses
    for pause_id in superseded:
        pauses = pauses.delete(pause_id)
    # What nothing is taken from stays the very same object: comparing skips what both sides share.
    return state.evolve(pauses=pauses) if superseded else state


def _is_superseded(pause: Pause, last: Pause) -> bool:
    """Whether a question of the same place was asked in its stead; a second one of one attempt is another one."""
    return pause is not last and (pause.state is PauseState.CLOSED or pause.attempt < last.attempt)


def _forked_away(state: RunState, pause: Pause) -> bool:
    """Whether a question was open where a run was forked: the fork closes it, and asks it again when it comes to it."""
    origin = state.forked_from
    if origin is None or pause.state is not PauseState.CLOSED:
        return False
    return pause.opened_seq <= origin.seq and pause.closed_at == state.started_at


def _point_json(point: Point, workflow: str) -> JsonObject:
    return {"run_id": point.run_id, "seq": point.seq, "workflow": workflow}


@dataclass(slots=True)
class _Sieve:
    """Tells the differences that count from those that do not, and stops at some number."""

    counts_timing: bool
    ignores: Callable[[Path], bool]
    is_name: Callable[[Path], bool] = field(default_factory=lambda: _any_of(_NAMES))
    is_timing: Callable[[Path], bool] = field(default_factory=lambda: _any_of(_TIMING))
    counted: list[Change] = field(default_factory=list)
    timing: list[Change] = field(default_factory=list)
    ignored: int = 0
    more: int = 0
    is_full: bool = False

    def all(self, changes: Iterable[Change]) -> list[Change]:
        """Return the changes that are not left out, up to so many as anybody counts."""
        return self._most(filter(self._passes, changes))

    def _most(self, changes: Iterable[Change]) -> list[Change]:
        found = list(islice(changes, _MOST_COUNTED + 1))
        self.is_full |= len(found) > _MOST_COUNTED
        return found[:_MOST_COUNTED]

    def _passes(self, change: Change) -> bool:
        path = change.path
        if self.is_name(path):
            return False
        is_ignored = self.ignores(path)
        self.ignored += is_ignored
        return not is_ignored

    def sort(self, changes: Sequence[Change], loaded: Mapping[str, Json]) -> None:
        """Sort the changes, those of large values told in detail where the values were loaded."""
        for change in self._most(self._opened(changes, loaded)):
            is_timing = self.is_timing(change.path)
            if is_timing and len(self.timing) < _MOST_CHANGES:
                self.timing.append(change)
            if is_timing and not self.counts_timing:
                continue
            if len(self.counted) < _MOST_CHANGES:
                self.counted.append(change)
            else:
                self.more += 1

    def _opened(self, changes: Iterable[Change], loaded: Mapping[str, Json]) -> Iterator[Change]:
        """Yield the changes; instead of one of a large value, the changes in it."""
        for change in changes:
            if change.stored and all(value.sha256 in loaded for value in change.stored):
                left, right = _loaded(change.left, loaded), _loaded(change.right, loaded)
                inside = changes_between(left, right, change.left_path or (), change.right_path or ())
                yield from filter(self._passes, inside)
            else:
                yield change


def _loaded(node: Node | Missing, loaded: Mapping[str, Json]) -> Node | Missing:
    return loaded[node.sha256] if isinstance(node, Stored) else plain(node)


async def _load(store: Store, changes: Iterable[Change]) -> Mapping[str, Json]:
    """Return the large values that changes are about, by their hash, as far as there is room for them."""
    loaded: dict[str, Json] = {}
    room = _MOST_BYTES
    for change in changes:
        wanted = {value.sha256: value.size for value in change.stored if value.sha256 not in loaded}
        if wanted and max(wanted.values()) <= _LARGEST and sum(wanted.values()) <= room:
            room -= sum(wanted.values())
            for name, data in (await store.values(list(wanted))).items():
                loaded[name] = msgspec.json.decode(data)
    return loaded
