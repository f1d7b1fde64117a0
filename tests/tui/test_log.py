"""What blocks have written, as rows: read from either end, found, filtered, bounded, saved."""

import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tidegate.clock import SystemClock
from tidegate.errors import TidegateError
from tidegate.history.history import History
from tidegate.model.events import WaveStarted
from tidegate.model.ids import BlockId
from tidegate.model.listing import OutputChunk, Stream
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store
from tidegate.tui.lines import Tone
from tidegate.tui.log import window as window_module
from tidegate.tui.log.reader import LogReader, segments_of
from tidegate.tui.log.rows import LONGEST, Level, Row, Segment, level_of
from tidegate.tui.log.saving import save
from tidegate.tui.log.sight import Numbers, Wanted, spans_of
from tidegate.tui.log.window import LogWindow
from tidegate.tui.present.log import (
    cut,
    folded,
    held_words,
    row_line,
    row_time,
    seen_words,
    unseen_words,
    wanted_words,
)
from tidegate.tui.screens.run.log import LogScreen
from tui.monitoring import Monitor, monitor
from tui.parts_scene import block, workflow
from tui.scene import Told, begin, started, succeeded

OUT, ERR = Stream.STDOUT, Stream.STDERR
E2E = Segment(BlockId("e2e"), 1)


def chunks(*pieces: tuple[Stream, bytes], first: int = 0) -> list[OutputChunk]:
    """Return what was written, piece by piece."""
    at = {OUT: 0, ERR: 0}
    found = []
    for n, (stream, data) in enumerate(pieces, first):
        found.append(OutputChunk(n=n, stream=stream, offset=at[stream], data=data))
        at[stream] += len(data)
    return found


def texts(window: LogWindow, stream: Stream = OUT) -> list[str]:
    """Return the rows of a stream."""
    return [row.text for row in (*window.rows, *window.rest()) if row.stream is stream]


# -- rows and windows -------------------------------------------------------------------------

PIECES = st.lists(
    st.tuples(st.sampled_from(Stream), st.text("ab\né\r\n", max_size=12).map(str.encode)),
    min_size=1,
    max_size=14,
)


@given(PIECES, st.data())
def test_a_log_reads_the_same_from_either_end(
    pieces: list[tuple[Stream, bytes]], data: st.DataObject
) -> None:
    """Lines and characters that are split over chunks and pages come out whole, whichever page was read first."""
    everything = chunks(*pieces)
    forwards, backwards = LogWindow(), LogWindow()
    forwards.append(E2E, everything)
    cuts = sorted(
        data.draw(st.sets(st.integers(1, len(everything) - 1)) if len(everything) > 1 else st.just(set()))
    )
    pages = [everything[a:b] for a, b in zip([0, *cuts], [*cuts, len(everything)], strict=True)]
    middle = data.draw(st.integers(0, len(pages) - 1))
    backwards.append(E2E, pages[middle])
    for page in reversed(pages[:middle]):
        backwards.prepend(E2E, page)
    for page in pages[middle + 1 :]:
        backwards.append(E2E, page)
    forwards.is_at_end = backwards.is_at_end = True

    for stream in Stream:
        whole = "".join(texts(forwards, stream))
        # A return that stood alone right at the edge of a page is not told from one that ended a line.
        assert "".join(texts(backwards, stream)).replace("␍", "") == whole.replace("␍", "")
        if middle == 0:
            assert texts(backwards, stream) == texts(forwards, stream)


def test_pages_that_are_read_backwards_are_joined() -> None:
    """What a page begins with is the end of the line that the page before it begins."""
    pieces = chunks(
        (OUT, b"one\ntw"), (ERR, b"oh "), (OUT, b"o\nthree\nfo"), (ERR, b"no\n"), (OUT, b"ur\nfive")
    )
    window = LogWindow()
    window.append(E2E, pieces[4:])
    window.prepend(E2E, pieces[2:4])
    window.prepend(E2E, pieces[:2])
    window.is_at_end = True

    assert texts(window) == ["one", "two", "three", "four", "five"]
    assert texts(window, ERR) == ["oh no"]
    assert window.base < 0


@pytest.mark.parametrize("cuts", [(0, 5), (0, 2, 5), (0, 2, 4, 5), (0, 1, 2, 3, 4, 5)])
@pytest.mark.parametrize("backwards", [False, True], ids=["forwards", "backwards"])
def test_a_line_has_the_time_at_which_it_began(cuts: tuple[int, ...], backwards: bool) -> None:
    """Also where it ended later, in another page, and whichever of them was read first."""
    pieces = chunks(
        (OUT, b"one\ntw"),
        (ERR, b"oh "),
        (OUT, b"o\nthree\nfo"),
        (ERR, b"no\n"),
        (OUT, b"ur\nfive"),
    )
    pieces = [chunk.evolve(at=100.0 + chunk.n) for chunk in pieces]
    window = LogWindow()
    pages = [pieces[a:b] for a, b in pairwise(cuts)]
    for page in reversed(pages) if backwards else pages:
        (window.prepend if backwards else window.append)(E2E, page)
    window.is_at_end = True

    times = {row.text: row.at for row in (*window.rows, *window.rest())}
    assert times == {"one": 100, "two": 100, "three": 102, "four": 102, "five": 104, "oh no": 101}
    row = Row("two", OUT, E2E, at=1_790_000_000.4)
    said = row_line(row, (0, 3), Wanted(), key="1", is_first=True, named=False, timed=True, is_here=False)
    assert said.text == "09-21 14:13:20 two"
    assert row_time(0.0) == "not noted     "


def test_what_was_not_kept_is_said_where_it_is_missing() -> None:
    """Once, and what stands on both sides is not glued together."""
    head, tail = (
        chunks((OUT, b"begin\nhalf a "))[0],
        OutputChunk(n=900, stream=OUT, offset=5_000_000, data=b" of it\nend\n"),
    )
    window = LogWindow()
    window.append(E2E, [head, tail])

    assert [row.text for row in window.rows] == [
        "begin",
        "half a ",
        "── 5.0 MB in between were not kept ──",
        " of it",
        "end",
    ]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_damaged_part_is_said_where_it_stood(at_once: bool) -> None:
    """Once, with no word about bytes that were let go; what stands on both sides is not glued together."""
    found = [
        OutputChunk(n=0, stream=OUT, offset=0, data=b"begin\nhalf a "),
        OutputChunk(n=1, stream=OUT, offset=13, data=b"", damage="it is not what was written"),
        OutputChunk(n=2, stream=OUT, offset=40, data=b" of it\nend\n"),
    ]
    window = LogWindow()
    for some in [found] if at_once else [[chunk] for chunk in found]:
        window.append(E2E, some)

    assert [row.text for row in window.rows] == ["begin", "half a ", found[1].notice, " of it", "end"]


def test_a_damaged_part_above_what_is_shown_joins_nothing() -> None:
    """Read from the end upwards, the line after it is whole, and so is the one before it."""
    window = LogWindow()
    window.append(E2E, [OutputChunk(n=1, stream=OUT, offset=13, data=b"", damage="changed")])
    window.append(E2E, [OutputChunk(n=2, stream=OUT, offset=40, data=b" of it\nend\n")])
    window.prepend(E2E, [OutputChunk(n=0, stream=OUT, offset=0, data=b"begin\nhalf a ")])

    texts = [row.text for row in window.rows]
    assert texts == [
        "begin",
        "half a ",
        "… a part of this is damaged, and left out: changed …",
        " of it",
        "end",
    ]


def test_five_megabytes_without_a_line_break_are_rows() -> None:
    """M2: each can be shown."""
    window = LogWindow()
    for page in range(10):
        data = b"x" * 500_000
        window.append(E2E, [OutputChunk(n=page, stream=OUT, offset=page * 500_000, data=data)])

    assert max(len(text) for text in texts(window)) <= LONGEST
    assert sum(len(text) for text in texts(window)) + len(window.pages[-1].tail.get(OUT, b"")) == 5_000_000


def test_a_window_is_bounded_at_either_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is let go is read again when one goes back there, and is the same; numbers of rows stay theirs."""
    monkeypatch.setattr(window_module, "ROWS", 50)
    pages = [
        [
            OutputChunk(
                n=n,
                stream=OUT,
                offset=n * 100,
                data=b"".join(b"line %03d %02d\n" % (n, k) for k in range(9)) + b"r",
            )
        ]
        for n in range(30)
    ]
    window = LogWindow()
    for page in pages:
        window.append(E2E, page)
    assert len(window.rows) <= 60
    number = window.base + 5
    held = window.row(number).text
    first = window.pages[0].first
    for page in reversed(pages[first - 2 : first]):
        window.prepend(E2E, page)
    assert window.row(number).text == held
    assert len(window.rows) <= 60
    assert not window.is_at_end
    for page in pages[window.pages[-1].last + 1 :]:
        window.append(E2E, page)

    joined = texts(window)
    assert joined[-9:-7] == ["rline 029 00", "line 029 01"]
    assert len(set(joined)) == len(joined)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("14:02:05 ERROR no route", Level.ERROR),
        ("error: cannot find it", Level.ERROR),
        ("[warn] disk is full", Level.WARN),
        ("WARNING:root:odd", Level.WARN),
        ('time="now" level=info msg="x"', Level.INFO),
        ("2026-11-28 12:00:00,123 - app - DEBUG - x", Level.DEBUG),
        ("no error was found", Level.NONE),
        ("this is a long line in which nothing is said for a while at all, ERROR", Level.NONE),
        ("INFORMATION", Level.NONE),
    ],
)
def test_a_level_is_guessed_from_the_first_words(text: str, level: Level) -> None:
    """From words that are meant as one."""
    assert level_of(text) is level


def test_a_trace_belongs_to_its_error() -> None:
    """A line without a level has that of the line before it, in its own stream."""
    window = LogWindow()
    window.append(E2E, chunks((OUT, b"INFO a\n"), (ERR, b"ERROR b\n  at c\n"), (OUT, b"d\nINFO e\n")))
    shown = Numbers(Wanted(least=Level.ERROR).shows)
    shown.sync(window)

    assert [window.row(number).text for number in shown.found] == ["ERROR b", "  at c"]


# -- what is seen -----------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["append", "prepend"]), max_size=30), st.integers(1, 40))
def test_numbers_follow_a_window(moves: list[str], most: int) -> None:
    """Whatever comes and goes at either end, those that pass are those that would be found anew."""
    before, window_module.ROWS = window_module.ROWS, most
    try:
        window, n = LogWindow(), 500
        low = high = n
        window.append(E2E, [OutputChunk(n=n, stream=OUT, offset=0, data=b"0\n1\n2\n")])
        shown = Numbers(lambda row: row.text in "02468")
        for move in moves:
            shown.sync(window)
            if move == "append":
                high += 1
                window.append(
                    E2E, [OutputChunk(n=high, stream=OUT, offset=(high - n) * 6, data=b"3\n4\n5\n")]
                )
            else:
                low -= 1
                window.prepend(E2E, [OutputChunk(n=low, stream=OUT, offset=0, data=b"6\n7\n8\n")])
        shown.sync(window)
        assert list(shown.found) == [
            number for number in range(window.base, window.end) if window.row(number).text in "02468"
        ]
    finally:
        window_module.ROWS = before


@given(st.text("aé家\u0301b", max_size=60), st.integers(2, 30))
def test_a_row_is_broken_without_losing_anything(text: str, width: int) -> None:
    """At any width, wide and combining characters included."""
    parts = folded(text, width)

    assert "".join(text[a:b] for a, b in parts) == text
    assert all(cell_len(text[a:b]) <= width for a, b in parts)


@given(st.text("aé家\u0301b", max_size=60), st.integers(0, 40), st.integers(1, 30))
def test_a_row_that_is_cut_fills_its_room_and_no_more(text: str, left: int, width: int) -> None:
    """From whichever cell on; a mark stays on its letter."""
    start, end = cut(text, left, width)

    assert cell_len(text[start:end]) <= width
    assert cell_len(text[:start]) in {left, left + 1} or start == len(text)
    assert cell_len(text[start : end + 1]) > width - 1 or end == len(text)
    assert text[start:end] == text[left : left + width] or not text.isascii()


def test_a_line_of_ten_thousand_columns_is_one_line() -> None:
    """It can be cut, found in and counted as what it is."""
    window = LogWindow()
    window.append(E2E, chunks((OUT, b"0123456789" * 1_000 + b"\n")))

    assert texts(window) == ["0123456789" * 1_000]


@pytest.mark.parametrize(
    ("is_at_start", "is_at_end", "following", "scrolled"),
    [
        (True, True, "1,200 lines, following", "lines 5 to 9 of 1,200"),
        (True, False, "the first 1,200 lines, following", "lines 5 to 9 of the first 1,200"),
        (False, True, "the last 1,200 lines, following", "lines 5 to 9 of the last 1,200"),
        (False, False, "1,200 held lines, following", "lines 5 to 9 of 1,200 held"),
    ],
)
def test_a_count_is_said_to_be_of_all_only_where_it_is(
    is_at_start: bool, is_at_end: bool, following: str, scrolled: str
) -> None:
    """What is before and after what is held was not counted, and nothing was looked for in it."""
    window = LogWindow()
    window.is_at_start, window.is_at_end = is_at_start, is_at_end
    is_whole = is_at_start and is_at_end

    assert seen_words((5, 9), 1_200, 1_200, window, follows=True) == following
    assert seen_words((5, 9), 1_200, 1_200, window, follows=False) == scrolled
    filtered = seen_words((5, 9), 7, 1_200, window, follows=False)
    assert filtered == scrolled.replace("9 of", "7 of 7 among")
    assert (held_words(window, is_of_one=True) == "") == is_whole
    nowhere = wanted_words(Wanted(find="x"), 0, 0, is_whole=is_whole)
    assert nowhere == ("'x' nowhere" if is_whole else "'x' in no line held")


def test_what_is_below_is_counted_only_where_that_is_known() -> None:
    """Else it is said that it was not read."""
    assert unseen_words(7, None, "", is_cut_off=False) == "↓ 7 new below, f follows"
    assert (
        unseen_words(0, 16, "", is_cut_off=True) == "↓ not read to the end, f follows · cut, from column 17"
    )


def test_what_is_found_is_marked_even_where_a_row_is_broken() -> None:
    """The one that was gone to looks different; markup in a line is text."""
    row = Row("[red]abcabc[/]", OUT, E2E)
    line = row_line(
        row, (0, 9), Wanted(find="abc"), key="1", is_first=True, named=True, timed=False, is_here=True
    )

    assert [(piece.text, piece.tone) for piece in line.pieces] == [
        ("e2e            ", Tone.DIM),
        ("[red]", Tone.PLAIN),
        ("abc", Tone.TAB),
        ("a", Tone.TAB),
    ]
    assert list(spans_of("ABC abc", "abc")) == [(0, 3), (4, 7)]
    assert list(spans_of("ABC abc", "ABC")) == [(0, 3)]


def test_sixty_thousand_lines_are_quick() -> None:
    """To read, to filter, and to find in: no key waits for it."""
    data = b"".join(b"12:00:00 INFO copied chunk %d of the volume\n" % n for n in range(60_000))
    pages = [
        OutputChunk(n=n, stream=OUT, offset=at, data=data[at : at + 65_536])
        for n, at in enumerate(range(0, len(data), 65_536))
    ]
    window, spent = LogWindow(), []
    for page in pages:
        began = time.process_time()
        window.append(E2E, [page])
        spent.append(time.process_time() - began)
    began = time.process_time()
    for passes in (Wanted(only="chunk 599").shows, Wanted(find="volume").finds):
        Numbers(passes).sync(window)
    taken = time.process_time() - began

    # The slowest ones pay for what Python cleans up in between.
    assert sorted(spent)[-4] < 0.1, spent
    assert taken < 0.5


# -- a store ----------------------------------------------------------------------------------


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    """Return a store without a monitor."""
    opened = await open_store("memory://", clock=SystemClock())
    yield opened
    await opened.close()


def asker(store: Store) -> Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]:
    """Return what asks a session that has only a history."""

    class Only:
        history = History(store, SystemClock())

    async def call(ask: Callable[[Any], Awaitable[Any]]) -> Any:
        return await ask(Only())

    return call


async def two_blocks(store: Store) -> Told:
    """Tell a run in which one block has ended and another one goes on."""
    both = workflow("both", block("build"), block("test"), waves=(("build", "test"),))
    run = await begin(store, both, "kx5m2r9p7wth", 100)
    await run.tell(0.0, WaveStarted(wave=0), started("build"))
    await run.tell(1.0, started("test"))
    await run.tell(5.0, succeeded("build", 6))
    return run


async def test_a_long_output_is_read_backwards_over_what_was_not_kept(store: Store) -> None:
    """From its end to its start, through a gap of thousands of chunks, and forwards again: the same rows."""
    run = await two_blocks(store)
    head = [OutputChunk(n=n, stream=OUT, offset=n * 9, data=b"head %03d\n" % n) for n in range(40)]
    tail = [
        OutputChunk(n=n, stream=OUT, offset=n * 9, data=b"tail %03d\n" % (n % 1000))
        for n in range(5_000, 5_030)
    ]
    await store.write_output(run.state.run_id, BlockId("build"), 1, head)
    await store.write_output(run.state.run_id, BlockId("build"), 1, tail)
    reader = LogReader(asker(store), run.state.run_id, BlockId("build"))
    reader.see(run.state)
    await reader.read_end()
    first = [row.text for row in reader.window.rows]
    while await reader.read_earlier():
        pass

    assert first[-1] == "tail 029"
    assert len(first) < 40
    assert len(reader.window.rows) == 71
    assert [row.text for row in reader.window.rows if row.stream is None] == [
        "── 44.6 kB in between were not kept ──"
    ]
    assert held_words(reader.window, is_of_one=True) == ""
    backwards = [row.text for row in reader.window.rows]
    await reader.read_start()
    while await reader.read_later():
        pass
    assert [row.text for row in reader.window.rows] == backwards


async def test_a_whole_run_is_read_block_by_block_and_then_as_it_comes(store: Store) -> None:
    """What goes on is last; a block that begins later is added, and nothing is read twice."""
    run = await two_blocks(store)
    run_id = run.state.run_id
    # Nothing follows this, so it is a line.
    await store.write_output(run_id, BlockId("build"), 1, chunks((OUT, b"built")))
    await store.write_output(run_id, BlockId("test"), 1, chunks((OUT, b"test 1\n")))
    reader = LogReader(asker(store), run_id, None)
    reader.see(run.state)
    await reader.read_end()
    assert segments_of(run.state, None) == (("build", 1), ("test", 1))
    more = OutputChunk(n=1, stream=OUT, offset=7, data=b"test 2\n")
    await store.write_output(run_id, BlockId("test"), 1, [more])
    await reader.poll()
    await reader.poll()

    assert [(row.segment.place, row.text) for row in reader.window.rows] == [
        ("build", "built"),
        ("test", "test 1"),
        ("test", "test 2"),
    ]
    assert reader.has_many
    await run.tell(1.0, succeeded("test", 8))
    reader.see(run.state)
    assert reader.is_live
    await reader.poll()
    assert not reader.is_live


async def written(store: Store, run: Told, place: str, lines: range) -> None:
    """Write a line for each number, each in a chunk of its own."""
    pieces = [
        OutputChunk(n=n, stream=OUT, offset=n * 8, data=b"%s %05d\n" % (place.encode(), n)) for n in lines
    ]
    await store.write_output(run.state.run_id, BlockId(place), 1, pieces)


def numbers_of(reader: LogReader, place: str) -> list[int]:
    """Return the numbers of the lines of a place, as they stand in a window."""
    return [int(row.text[2:]) for row in reader.window.rows if row.segment.place == place]


async def three_blocks(store: Store) -> Told:
    """Tell a run of three blocks at work."""
    names = ("a", "b", "c")
    run = await begin(store, workflow("all", *map(block, names), waves=(names,)), "kx5m2r9p7wth", 100)
    await run.tell(0.0, WaveStarted(wave=0), *map(started, names))
    return run


async def test_what_blocks_write_side_by_side_stands_there_once(store: Store) -> None:
    """Also of one that had no room in the window when its end was read."""
    run = await three_blocks(store)
    for place in "abc":
        await written(store, run, place, range(30))
    reader = LogReader(asker(store), run.state.run_id, None)
    reader.see(run.state)
    await reader.read_end()
    assert numbers_of(reader, "a") == []
    for place in "abc":
        await written(store, run, place, range(30, 34))
    await reader.poll()
    while await reader.read_earlier():
        pass

    assert [numbers_of(reader, place) for place in "abc"] == [[*range(34)]] * 3
    assert reader.window.is_whole


@pytest.mark.parametrize("seed", range(6))
async def test_a_window_is_true_wherever_one_goes_while_blocks_write(
    store: Store, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """However it is let go and read again, no line stands there twice, and none is missing between two others."""
    monkeypatch.setattr(window_module, "ROWS", 25)
    chance, run = random.Random(seed), await three_blocks(store)  # noqa: S311 - a seed is wanted
    wrote = dict.fromkeys("abc", 0)
    reader = LogReader(asker(store), run.state.run_id, None)
    reader.see(run.state)
    await reader.read_end()
    moves: list[Callable[[], Awaitable[object]]] = [
        reader.poll,
        lambda: reader.poll(keeps_start=True),
        reader.read_earlier,
        lambda: reader.read_earlier(may_shorten=False),
        reader.read_later,
        lambda: reader.read_later(may_shorten=False),
    ]
    for _ in range(60):
        if chance.random() < 0.3:
            place, more = chance.choice("abc"), chance.randint(1, 9)
            await written(store, run, place, range(wrote[place], wrote[place] + more))
            wrote[place] += more
        await chance.choice(moves)()
        for place in "abc":
            held = numbers_of(reader, place)
            assert held == [*range(held[0], held[-1] + 1)] if held else True
    while not reader.window.is_whole:
        await reader.read_earlier(may_shorten=False)
        await reader.read_later(may_shorten=False)
    monkeypatch.setattr(window_module, "ROWS", 10_000)
    while await reader.poll():
        pass
    assert [len(numbers_of(reader, place)) for place in "abc"] == list(wrote.values())


async def test_what_one_reads_is_not_let_go_for_what_comes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window that is full stays as it is while one does not follow; at the end all of it is read."""
    monkeypatch.setattr(window_module, "ROWS", 20)
    run = await two_blocks(store)
    run_id, place = run.state.run_id, BlockId("test")
    lines = [OutputChunk(n=n, stream=OUT, offset=n * 9, data=b"line %03d\n" % n) for n in range(60)]
    await store.write_output(run_id, place, 1, lines[:30])
    reader = LogReader(asker(store), run_id, place)
    reader.see(run.state)
    await reader.read_end()
    while not reader.window.is_full:
        await reader.read_earlier(may_shorten=False)
    base = reader.window.base
    await store.write_output(run_id, place, 1, lines[30:])
    await reader.poll(keeps_start=True)

    assert reader.window.base == base
    assert not reader.window.is_at_end
    await reader.read_end()
    assert reader.window.rows[-1].text == "line 059"


async def test_a_log_is_saved_whole_or_as_it_is_shown_and_never_over_another_file(
    store: Store, tmp_path: Path
) -> None:
    """More than a window holds is no matter."""
    run = await two_blocks(store)
    pieces = [
        OutputChunk(n=n, stream=OUT, offset=n * 10, data=b"line %04d\n" % n, at=float(n))
        for n in range(2_000)
    ]
    await store.write_output(run.state.run_id, BlockId("build"), 1, pieces)

    async def saved(name: str, wanted: Wanted, *, timed: bool = False) -> int:
        reader = LogReader(asker(store), run.state.run_id, BlockId("build"))
        reader.see(run.state)
        return await save(reader, str(tmp_path / name), wanted, timed=timed)

    assert await saved("all.log", Wanted()) == 2_000
    assert (tmp_path / "all.log").read_text(encoding="utf-8") == "".join(
        f"line {n:04}\n" for n in range(2_000)
    )
    assert await saved("some.log", Wanted(only="199")) == 11 + 1
    assert await saved("timed.log", Wanted(only="1999"), timed=True) == 1
    assert (tmp_path / "timed.log").read_text(encoding="utf-8") == "1970-01-01T00:33:19.000+00:00 line 1999\n"
    with pytest.raises(TidegateError, match=r"all\.log is there already, and stays as it is"):
        await saved("all.log", Wanted())
    with pytest.raises(TidegateError, match="cannot be written"):
        await saved("no/such/folder.log", Wanted())


# -- with keys --------------------------------------------------------------------------------

TALKER = """
name: talker
blocks:
  - id: talk
    type: Shell
    inputs:
      command: |
        for n in $(seq 1 400); do echo "INFO line $n of talk"; done
        echo "ERROR it is lost" >&2
        until test -e go; do sleep 0.05; done
        for n in $(seq 1 7); do echo "later $n"; done; printf 'ready? '
        until test -e end; do sleep 0.05; done
  - id: other
    type: Shell
    inputs: {command: 'echo "WARN from the other"'}
"""


async def open_log(seen: Monitor) -> None:
    """Go to the log of the first run, at the block that talks."""
    await seen.start(TALKER)
    await seen.press("2")
    await seen.see("talker")
    await seen.press("enter")
    await seen.see("▌● talk", "following")
    await seen.press("l")
    await seen.see("Log of talk", "401 lines, following", "!ERROR it is lost")


async def times_come_and_go(seen: Monitor) -> None:
    """Show the times of lines, and hide them again; whether they are shown is kept."""
    timed = re.compile(r"\d\d-\d\d \d\d:\d\d:\d\d later 7")
    await seen.press("t")
    await seen.until(lambda: timed.search(seen.text) is not None)
    assert seen.app.desk.state.get("log times") is True
    await seen.press("t")
    await seen.until(lambda: timed.search(seen.text) is None)


async def test_a_log_is_followed_found_in_and_filtered_with_keys(tmp_path: Path) -> None:
    """Each key does what its help says, and esc takes it back before it leaves."""
    async with monitor(tmp_path) as seen:
        await open_log(seen)
        await seen.press("k", "k")
        await seen.see("lines 381 to 399 of 401")
        (tmp_path / "go").touch()
        await seen.see("↓ 7 new below, f follows", "lines 381 to 399 of 409")
        await seen.press("f")
        await seen.see("409 lines, following", "later 7", "ready? ")

        await seen.press("slash", *"LINE", "escape", "slash", *"line 39", "enter")
        await seen.see("'line 39' 11 of 11", "line 399 of talk")
        await seen.press("n")
        await seen.see("1 of 11", "line 39 of talk")
        await seen.press("N", "N")
        await seen.see("10 of 11")
        await seen.press("ampersand", *"line 3", "enter", "minus", *"39", "enter")
        await seen.see("'line 39' nowhere · only 'line 3' · without '39'", "of 143 among 409", "line 389")
        await seen.unsee("line 399")
        await seen.press("escape")
        await seen.see("of 409")
        await seen.press("L", "L")
        await seen.see("WARN and worse", "!ERROR it is lost")
        await seen.press("escape", "f", "m")
        await seen.see("── marker ", "410 lines, following")
        await times_come_and_go(seen)
        await seen.press("escape")
        await seen.see("▌● talk")
        (tmp_path / "end").touch()


FLOOD = """
name: flood
blocks:
  - id: flood
    type: Shell
    inputs:
      command: "echo begin; yes 'INFO one of very many lines' | head -c 20000000; echo; echo end; until test -e go; do sleep 0.1; done"
"""


async def test_a_flood_is_read_at_its_end_and_at_its_start_and_keys_stay_quick(tmp_path: Path) -> None:
    """M2: what the store keeps of it is there, what it does not keep is said, and memory holds a part of it."""
    async with monitor(tmp_path) as seen:
        await seen.start(FLOOD)
        await seen.press("2")
        await seen.see("flood")
        await seen.press("enter", "l")
        await seen.see("Log of flood", "│ end")
        screen = seen.app.screen
        assert isinstance(screen, LogScreen)
        await seen.press("slash", *"not kept", "enter")
        # More than one if it was read while it was written, each for what was dropped by then.
        await seen.until(lambda: screen.pane.hits[0] >= 1)
        await seen.press("n")
        await seen.see("MB in between were not kept ──", "'not kept' ")
        began = time.process_time()
        await seen.press("k", "k", "k", "k", "k")
        assert (time.process_time() - began) / 5 < 0.1
        await seen.press("escape", "g")
        await seen.see("│ begin", "lines 1 to 19 of the first ", "↓ not read to the end, f follows")
        await seen.press("G")
        await seen.see("│ end", "the last ", " lines, following")
        (tmp_path / "go").touch()


async def test_lines_are_cut_and_moved_sideways_and_the_whole_run_is_one_key_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut lines are seen by going sideways; of a whole run each line says who wrote it; what is shown is saved."""
    monkeypatch.chdir(tmp_path)
    async with monitor(tmp_path) as seen:
        await open_log(seen)
        await seen.press("w", "right")
        await seen.see("cut, from column 17", " talk ")
        await seen.unsee("INFO line 400")
        await seen.press("w", "b")
        await seen.see("Log of wave 1")
        await seen.press("b")
        await seen.see("Log of whole run", "talk           INFO line 400", "402 lines")
        await seen.press("g")
        await seen.see("other          WARN from the other", "lines 1 to 19 of 402")
        await seen.press("L", "L", "E", "enter")
        await seen.see("2 lines saved to")
        (saved,) = tmp_path.glob("*.log")
        assert saved.read_text(encoding="utf-8") == "other: WARN from the other\ntalk: ERROR it is lost\n"
        await seen.press("E", "enter")
        await seen.see("is there already")
        assert isinstance(seen.app.screen, LogScreen)
        for name in ("go", "end"):
            (tmp_path / name).touch()


LONG = """
name: long
blocks:
  - {id: talk, type: Shell, inputs: {command: "for i in 1 2 3; do seq -s ' ' 1 60; done; printf 'and no end'"}}
"""


async def test_lines_are_copied_whole_however_they_are_drawn(tmp_path: Path) -> None:
    """Wrapped or cut; what is selected stays where it is, and it is said how much was copied."""
    numbers = " ".join(map(str, range(1, 61)))
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(LONG)
        await seen.ask(lambda session: session.executor.settle(run_id))
        await seen.press("2", "enter", "l")
        await seen.see("4 lines, following", "and no end")
        screen = seen.app.screen
        assert isinstance(screen, LogScreen)

        async def copy(start: tuple[int, int], end: tuple[int, int]) -> str:
            await seen.pilot.mouse_down(screen.pane, offset=start)
            await seen.pilot.hover(screen.pane, offset=end)
            await seen.pilot.mouse_up(screen.pane, offset=end)
            await seen.press("ctrl+c")
            return seen.app.clipboard

        assert await copy((8, 1), (20, 4)) == f"{numbers}\n{numbers}"
        await seen.see("copied 2 lines")
        assert not screen.pane.follows
        assert numbers.startswith(await copy((2, 1), (6, 2)))
        assert len(seen.app.clipboard) > screen.pane.room
        await seen.press("w")
        await seen.unsee("copied 2 lines")
        assert await copy((3, 2), (4, 4)) == f"{numbers}\n{numbers}\nand no end"
