"""Order and cycles of a graph."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.workflows.waves import ancestors, order_of


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    """Any graph without self-edges."""
    size = draw(st.integers(0, 12))
    others = [
        st.lists(st.sampled_from([n for n in range(size) if n != block] or [0]), unique=True)
        for block in range(size)
    ]
    return [draw(other) if size > 1 else [] for other in others]


def test_a_wave_is_in_the_order_of_the_file() -> None:
    """What starts first is what stands first."""
    order = order_of([[2], [], [], [0, 1]])

    assert order.waves == ((1, 2), (0,), (3,))
    assert order.cycles == ()


@given(graphs())
def test_every_dependency_is_in_an_earlier_wave_or_there_is_a_cycle(needs: list[list[int]]) -> None:
    """Waves respect every edge, and each block is in one of them."""
    order = order_of(needs)
    wave_of = {block: index for index, wave in enumerate(order.waves) for block in wave}

    assert sorted(wave_of) == list(range(len(needs)))
    if not order.cycles:
        assert all(
            wave_of[needed] < wave_of[block] for block, needed_by in enumerate(needs) for needed in needed_by
        )


@given(graphs())
def test_a_cycle_is_a_real_one(needs: list[list[int]]) -> None:
    """Each block of it depends on the next."""
    for cycle in order_of(needs).cycles:
        assert all(after in needs[block] for block, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        assert cycle[0] == min(cycle)


@given(graphs())
def test_ancestors_are_what_can_be_reached(needs: list[list[int]]) -> None:
    """Bits say the same as a walk."""
    order = order_of(needs)
    if order.cycles:
        return
    before = ancestors(needs, order)

    for block in range(len(needs)):
        reached: set[int] = set()
        waiting = list(needs[block])
        while waiting:
            needed = waiting.pop()
            reached.add(needed)
            waiting.extend(needs[needed])
        assert {other for other in range(len(needs)) if before[block] >> other & 1} == reached


@pytest.mark.parametrize("shape", ["chain", "wide", "ring", "pairs"])
def test_ten_thousand_blocks_need_no_recursion(shape: str) -> None:
    """No shape of graph is too long."""
    size = 10_000
    shapes: dict[str, list[list[int]]] = {
        "chain": [[n - 1] if n else [] for n in range(size)],
        "wide": [[] for _ in range(size)],
        "ring": [[(n + 1) % size] for n in range(size)],
        "pairs": [[n + 1 if n % 2 == 0 else n - 1] for n in range(size)],
    }
    needs = shapes[shape]

    order = order_of(needs)

    assert len(ancestors(needs, order)) == size
    assert len(order.cycles) == {"chain": 0, "wide": 0, "ring": 1, "pairs": 5000}[shape]
