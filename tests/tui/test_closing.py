"""What closes takes its work along."""

import asyncio
import gc
import warnings

from textual.app import App, ComposeResult
from textual.widgets import Static

from tidegate.tui.room import RoomyScreen
from tidegate.tui.working import begin, begin_anew


class Parting(Static):
    """Takes its time to go, while those beside it are gone."""

    def __init__(self, is_going: asyncio.Event) -> None:
        super().__init__()
        self._is_going = is_going

    async def on_unmount(self) -> None:
        """Let the others go first."""
        self._is_going.set()
        await asyncio.sleep(0.1)


class Working(RoomyScreen[None]):
    """Shows what it has found out in a part of it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_going = asyncio.Event()
        self.has_shown = False

    def compose(self) -> ComposeResult:
        """Lay out two parts, one of which goes slowly."""
        yield Static(id="found")
        yield Parting(self.is_going)

    def on_mount(self) -> None:
        """Begin to find out."""
        self.run_worker(self._find())

    async def _find(self) -> None:
        await self.is_going.wait()
        await asyncio.sleep(0.05)
        self.query_one("#found", Static).update("it")
        self.has_shown = True


async def test_what_a_closing_screen_still_reads_is_shown_nowhere() -> None:
    """It would look for a part that is gone, and the monitor would end by it."""
    app = App[None]()
    async with app.run_test() as pilot:
        working = Working()
        await app.push_screen(working)
        await app.pop_screen()
        await pilot.pause()

        assert working.is_going.is_set()
        assert not working.has_shown
        assert len(app.workers) == 0


async def test_work_that_is_ended_before_it_begins_leaves_nothing_behind() -> None:
    """The toolkit would warn of a coroutine that nobody has awaited."""
    begun: list[str] = []

    async def note(word: str) -> None:
        begun.append(word)

    app = App[None]()
    async with app.run_test() as pilot:
        begin(app, "words", note, "ended")
        begin_anew(app, "words", note, "done")
        with warnings.catch_warnings(record=True, action="always") as caught:
            await pilot.pause()
            gc.collect()

    assert begun == ["done"]
    assert caught == []
