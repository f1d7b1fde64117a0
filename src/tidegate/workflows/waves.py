"""The graph of a workflow: its waves, its faults, and who comes before whom.

Works on positions of blocks in the file, without recursion: 10,000 blocks in one chain are as
ordinary as 10,000 side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Order", "ancestors", "ends_before", "order_of"]


@dataclass(frozen=True, slots=True)
class Order:
    """What a graph's edges say about its order."""

    waves: tuple[tuple[int, ...], ...]
    """One topological level each, in the order of the file. Complete only without cycles."""
    cycles: tuple[tuple[int, ...], ...]
    """Each once, as a path in which every block depends on the next, and the last on the first."""


def order_of(needs: Sequence[Sequence[int]]) -> Order:
    """Return the order of a graph.

    Args:
        needs: For each block the blocks it depends on, by position; none twice, none itself.
    """
    dependants = _dependants(needs)
    waiting = [len(blocks) for blocks in needs]
    settled = [False] * len(needs)
    waves: list[tuple[int, ...]] = []
    cycles: list[tuple[int, ...]] = []
    ready = [block for block, count in enumerate(waiting) if count == 0]
    start = 0
    while True:
        waves.extend(_levels(ready, dependants, waiting, settled))
        start = next((block for block in range(start, len(needs)) if not settled[block]), len(needs))
        if start == len(needs):
            return Order(tuple(waves), tuple(cycles))
        cycles.append(_cycle(start, needs, settled))
        # Taken for done, so that what depends on a cycle is not reported as another one.
        ready = list(cycles[-1])


def _dependants(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    dependants: list[list[int]] = [[] for _ in needs]
    for block, blocks in enumerate(needs):
        for needed in blocks:
            dependants[needed].append(block)
    return dependants


def _levels(
    ready: list[int], dependants: list[list[int]], waiting: list[int], settled: list[bool]
) -> list[tuple[int, ...]]:
    levels: list[tuple[int, ...]] = []
    while ready:
        levels.append(tuple(sorted(ready)))
        for block in ready:
            settled[block] = True
        released: list[int] = []
        for block in ready:
            for dependant in dependants[block]:
                waiting[dependant] -= 1
                if waiting[dependant] == 0 and not settled[dependant]:
                    released.append(dependant)
        ready = released
    return levels


def _cycle(start: int, needs: Sequence[Sequence[int]], settled: list[bool]) -> tuple[int, ...]:
    """Follow unsettled dependencies from *start*: each unsettled block has one, so a block comes again."""
    path: list[int] = []
    position: dict[int, int] = {}
    block = start
    while block not in position:
        position[block] = len(path)
        path.append(block)
        block = next(needed for needed in needs[block] if not settled[needed])
    cycle = path[position[block] :]
    first = cycle.index(min(cycle))
    return tuple(cycle[first:] + cycle[:first])


def ancestors(needs: Sequence[Sequence[int]], order: Order) -> list[int]:
    """Return for each block the set of all blocks before it, as the bits of a number.

    Bits, because a set per block of a chain of 10,000 would be fifty million entries.
    """
    before = [0] * len(needs)
    for wave in order.waves:
        for block in wave:
            for needed in needs[block]:
                before[block] |= before[needed] | 1 << needed
    return before


def ends_before(last: Sequence[int], needs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the blocks after which everything has ended that does not depend on a block of *last*.

    Depending on all of them, the blocks of *last* stand at the end, and no edge closes a cycle.
    """
    dependants = _dependants(needs)
    after = set(last)
    waiting = list(last)
    while waiting:
        found = [block for block in dependants[waiting.pop()] if block not in after]
        after.update(found)
        waiting.extend(found)
    return tuple(
        block for block in range(len(needs)) if block not in after and after.issuperset(dependants[block])
    )
