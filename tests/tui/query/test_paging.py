"""A long list read page by page, while it changes."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from tidegate.tui.paging import PAGE, Pager, Source


@dataclass(frozen=True)
class Row:
    """Something in a list."""

    number: int
    """Later ones are newer."""
    word: str = ""
    born: float = 0.0
    """0: as its number says."""


@dataclass
class Shelf:
    """A list that changes; says how often it was read."""

    rows: list[Row] = field(default_factory=list)
    reads: int = 0
    now: float = 100.0

    async def page(self, older_than: Row | None, limit: int) -> Sequence[Row]:
        """Return a page."""
        self.reads += 1
        edge = older_than.number if older_than is not None else float("inf")
        return [row for row in self.rows if row.number < edge][:limit]

    def source(self, keeps: Callable[[Row], bool] = lambda _: True, begins_at: float = 0.0) -> Source[Row]:
        """Return where a pager reads."""
        return Source(
            self.page,
            keeps,
            lambda row: str(row.number),
            lambda row: row.born or float(row.number),
            begins_at,
        )


def shelf(count: int) -> Shelf:
    """Return a list of some rows; every hundredth is a find."""
    return Shelf([Row(number, "find" if number % 100 == 0 else "") for number in range(count, 0, -1)])


async def test_only_what_is_looked_at_is_read() -> None:
    """The end of what was read reads another page, and so on to the last row."""
    kept, pager = shelf(1_200), Pager[Row]()

    await pager.update(kept.source(), lambda: kept.now)
    assert (len(pager.rows), kept.reads, pager.is_short) == (PAGE, 1, False)
    for count in (1_000, 1_200):
        assert pager.read_on()
        await pager.update(kept.source(), lambda: kept.now)
        assert [row.number for row in pager.rows] == list(range(1_200, 1_200 - count, -1))
    assert pager.is_all
    assert not pager.read_on()


async def test_a_filter_looks_at_all_of_them() -> None:
    """In steps: what was found so far is shown between them."""
    kept, pager = shelf(10_000), Pager[Row]()
    source = kept.source(lambda row: row.word == "find")

    await pager.update(source, lambda: kept.now)
    assert (pager.is_short, pager.looked) == (True, 9 * PAGE)
    assert [row.number for row in pager.rows][:2] == [10_000, 9_900]
    while pager.is_short:
        await pager.update(source, lambda: kept.now)

    assert len(pager.rows) == 100
    assert pager.is_all


async def test_all_of_them_are_read_for_whoever_goes_to_the_end() -> None:
    """As many as are kept, some pages at a time; whoever stops has what was read so far."""
    kept, pager = shelf(12_000), Pager[Row]()
    await pager.update(kept.source(), lambda: kept.now)

    assert pager.read_all()
    await pager.update(kept.source(), lambda: kept.now)
    assert (len(pager.rows), pager.is_short) == (9 * PAGE, True)
    pager.stop()
    await pager.update(kept.source(), lambda: kept.now)
    assert (len(pager.rows), pager.is_short) == (9 * PAGE, False)
    assert pager.read_all()
    while pager.is_short:
        await pager.update(kept.source(), lambda: kept.now)

    assert (len(pager.rows), pager.is_all) == (10_000, False)
    assert not pager.read_all()


async def test_what_nobody_wants_any_more_is_not_read_to_its_end() -> None:
    """Neither the first time nor when it is read anew: whoever has typed something else waits for one page."""
    kept, pager, wishes = shelf(10_000), Pager[Row](), [True]
    source = replace(kept.source(lambda row: row.word == "find"), is_wanted=lambda: wishes[0])
    while pager.is_short or not pager.looked:
        await pager.update(source, lambda: kept.now)
    found, kept.reads, kept.now, wishes[0] = list(pager.rows), 0, kept.now + 1_000, False

    await pager.update(source, lambda: kept.now)
    assert (pager.rows, kept.reads) == (found, 1)
    pager.restart()
    await pager.update(source, lambda: kept.now)
    assert kept.reads == 3


async def test_nothing_is_read_that_is_too_old() -> None:
    """A filter by time stops where it begins."""
    kept, pager = shelf(10_000), Pager[Row]()

    source = kept.source(lambda row: row.number > 9_000 and row.word == "find", begins_at=9_001.0)
    await pager.update(source, lambda: kept.now)

    assert (len(pager.rows), kept.reads) == (10, 3)
    assert pager.is_all


async def test_older_pages_are_read_anew_now_and_then() -> None:
    """A change in them is seen after a while; the first page is always as it is."""
    kept, pager = shelf(3_000), Pager[Row]()
    await pager.update(kept.source(), lambda: kept.now)
    pager.read_on()
    await pager.update(kept.source(), lambda: kept.now)
    kept.rows[700] = Row(kept.rows[700].number, "changed")
    kept.rows[7] = Row(kept.rows[7].number, "changed")

    await pager.update(kept.source(), lambda: kept.now)
    assert [at for at, row in enumerate(pager.rows) if row.word == "changed"] == [7]
    kept.now += 11
    await pager.update(kept.source(), lambda: kept.now)
    assert [at for at, row in enumerate(pager.rows) if row.word == "changed"] == [7, 700]


@pytest.mark.parametrize("seed", range(5))
async def test_rows_that_come_and_go_are_neither_lost_nor_doubled(seed: int) -> None:
    """However many come between two looks."""
    chance, kept, pager = random.Random(seed), shelf(2_000), Pager[Row]()  # noqa: S311 - a seed is wanted
    newest = 2_000
    for _ in range(30):
        for _ in range(chance.choice([0, 1, 40, 700])):
            newest += 1
            # What is brought from another store is new here, whenever it came into being.
            kept.rows.insert(0, Row(newest, born=chance.choice([0.0, chance.uniform(1, newest)])))
        for _ in range(chance.choice([0, 3])):
            kept.rows.pop(chance.randrange(PAGE // 2))
        if chance.random() < 0.3:
            pager.read_on()
        await pager.update(kept.source(), lambda: kept.now)

        assert pager.rows == kept.rows[: len(pager.rows)]
        assert len(pager.rows) >= PAGE
