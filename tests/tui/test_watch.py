"""`tidegate watch` from the inside: its frames at every size, its pages, and what they look like."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from running import definition_of
from tidegate.engine.feed import Feed
from tidegate.errors import StoreUnavailable
from tidegate.history.glance import Glance
from tidegate.history.history import History
from tidegate.history.lookout import Lookout
from tidegate.settings import Ascii
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store
from tidegate.tui.looks.ascii import in_ascii
from tidegate.tui.present.frame import Sight, frame
from tidegate.tui.watch import OpenWatched, WatchApp, Watched
from tui.monitoring import FixedClock, picture_of
from tui.scene import ETL, NOW, PROMOTE, begin, fill
from tui.test_markup import EVIL, tell

SIZES = {"40x12": (40, 12), "80x24": (80, 24), "120x36": (120, 36), "200x50": (200, 50)}
CLOCK = FixedClock(NOW)
URL = "sqlite:///srv/prod.db"


def opener(prepare: Callable[[Store], Awaitable[None]]) -> OpenWatched:
    """Return what opens a store that *prepare* has filled."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Watched]:
        store = await open_store("memory://", clock=CLOCK)
        await prepare(store)
        try:
            yield Watched(History(store, CLOCK), Feed(store), store.url, lambda: True)
        finally:
            await store.close()

    return opened


async def many(store: Store) -> None:
    """Tell fifty runs that ask."""
    definition = definition_of(ETL)
    for number in range(50):
        run = await begin(store, definition, f"{number:06}manyxy", 6000 - number * 60)
        await run.ask("drift", PROMOTE)


async def glance_of(prepare: Callable[[Store], Awaitable[None]]) -> Glance:
    """Return what there is to be seen of a store."""
    store = await open_store("memory://", clock=CLOCK)
    await prepare(store)
    glance = await Lookout(store, CLOCK).look()
    await store.close()
    return glance


def text_of(app: WatchApp) -> str:
    """Return what the terminal shows."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())  # noqa: SLF001 - no other door


async def see(app: WatchApp, pilot: Pilot[None], *texts: str) -> None:
    """Return once the terminal shows all *texts*."""
    for _ in range(500):
        if all(text in text_of(app) for text in texts):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"{texts} did not come:\n{text_of(app)}")


@pytest.mark.parametrize(
    "size", [(40, 12), (60, 16), (67, 20), (68, 23), (80, 24), (110, 30), (124, 36), (200, 60)]
)
@pytest.mark.parametrize("trouble", ["", "the disk is " + "gone " * 60])
async def test_a_frame_fills_the_terminal_and_no_line_is_too_long(
    size: tuple[int, int], trouble: str
) -> None:
    """With few questions and with many, while all is well and while it is not."""
    width, height = size
    for prepare in (fill, many):
        sight = Sight(URL, await glance_of(prepare), trouble)
        for seen in (sight, Sight(URL), Sight(URL, sight.glance, trouble, page=9, helps=True)):
            lines = frame(seen, width, height, NOW)
            assert len(lines) == height
            assert max(cell_len(line.text) for line in lines) <= width
            assert "q" in lines[-1].text
        assert "waiting" in "".join(line.text for line in frame(sight, width, height, NOW))
        assert "Waiting longest" in "".join(line.text for line in frame(sight, width, height, NOW))


async def test_arrows_page_through_all_questions_and_stop_at_the_ends() -> None:
    """The oldest come first, and none is left out."""
    app = WatchApp(opener(many), URL, CLOCK)
    async with app.run_test(size=(80, 24)) as pilot:
        await see(app, pilot, "1 to ", "of 50")
        found = set()
        for _ in range(20):
            found |= {line.split()[4] for line in text_of(app).splitlines() if "Promote build" in line}
            await pilot.press("down")
            await pilot.pause(0.02)
        assert len(found) == 50
        await see(app, pilot, "to 50 of 50")
        for _ in range(20):
            await pilot.press("left")
        await see(app, pilot, "Waiting longest 1 to")
        await pilot.press("q")


async def test_markup_and_escapes_are_shown_and_never_obeyed() -> None:
    """On a wall nobody would notice what they did."""
    app = WatchApp(opener(tell), "sqlite:///srv/[b]x[0].db", CLOCK)
    async with app.run_test(size=(200, 50)) as pilot:
        await see(app, pilot, f"Q {EVIL}", "[b]x[0].db")
        assert "\x1b" not in text_of(app)


async def test_a_store_that_cannot_be_opened_is_tried_again() -> None:
    """The reason is in sight, and then what is there."""
    tries: list[int] = []
    whole = opener(fill)

    @asynccontextmanager
    async def later() -> AsyncIterator[Watched]:
        tries.append(1)
        if len(tries) < 3:
            raise StoreUnavailable(URL, "it is locked [by] another program")
        async with whole() as watched:
            yield watched

    app = WatchApp(later, URL, CLOCK, interval=0.2)
    async with app.run_test(size=(80, 24)) as pilot:
        await see(app, pilot, "it is locked [by] another program", "no news")
        await see(app, pilot, "3 waiting", "live")


async def test_it_draws_in_ascii_where_that_is_asked_for() -> None:
    """Every sign has one that says the same, of the same width."""
    app = WatchApp(opener(fill), URL, CLOCK, ascii_only=Ascii.ALL)
    async with app.run_test(size=(80, 24)) as pilot:
        await see(app, pilot, "! 3 waiting", "x 1 failed")
        assert text_of(app).isascii()
    signs = "◆●✓✗○⊗×↻‖⊘·…╭╮╰╯─│┏┓┗┛━┃▌▁▂▃▄▅▆▇█↑↓"  # noqa: RUF001 - the sign is meant
    assert "?" not in in_ascii(signs)
    assert len(in_ascii(signs)) == len(signs)


async def test_a_terminal_that_is_too_small_says_so() -> None:
    """And is used again once it is not."""
    app = WatchApp(opener(fill), URL, CLOCK)
    async with app.run_test(size=(39, 11)) as pilot:
        await see(app, pilot, "40 columns, 12 rows")
        await pilot.resize_terminal(40, 12)
        await see(app, pilot, "3 waiting")


@pytest.mark.parametrize("size", SIZES)
async def test_it_looks_as_it_was_approved(look: Callable[[str], None], size: str) -> None:
    """Each was looked at before it was kept."""
    app = WatchApp(opener(fill), URL, CLOCK)
    async with app.run_test(size=SIZES[size]) as pilot:
        await see(app, pilot, "3 waiting", "Waiting longest")

        look(await picture_of(app, pilot, title="tidegate watch"))
