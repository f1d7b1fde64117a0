"""That no more is drawn than what is other."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import RenderableType
from textual.screen import Screen

from tidegate.tui.app import MonitorApp
from tidegate.tui.lines import Tone
from tui.monitoring import FixedClock, Monitor, monitor
from tui.scene import NOW, fill

ASK = (
    "name: ask\nblocks:\n  - {id: gate, type: ConfirmOperation, inputs: {message: 'Go on?', operation: it}}\n"
)


@contextmanager
def drawn_whole(app: MonitorApp) -> Iterator[list[Screen[object]]]:
    """Collect the screens that are drawn from their first cell to their last."""
    found: list[Screen[object]] = []
    display = app._display  # noqa: SLF001 - what is written to the terminal has no other door

    def note(screen: Screen[object], renderable: RenderableType | None) -> None:
        if type(renderable).__name__ == "LayoutUpdate":
            found.append(screen)
        display(screen, renderable)

    app._display = note  # type: ignore[method-assign]  # noqa: SLF001
    try:
        yield found
    finally:
        app._display = display  # type: ignore[method-assign]  # noqa: SLF001


async def settled(seen: Monitor) -> None:
    """Wait until nothing is drawn any more."""
    before = ""
    while before != seen.text:
        before = seen.text
        await seen.pilot.pause(0.3)


async def test_a_word_that_is_said_once_draws_its_line_alone(tmp_path: Path) -> None:
    """A whole screen for each note is ten thousand characters more, over a slow line too."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.see("Promote build")
        await settled(seen)
        with drawn_whole(seen.app) as whole:
            seen.app.tell("run nvydx4 goes on", Tone.DONE)
            await seen.see("run nvydx4 goes on")
            await settled(seen)

        assert not whole


async def test_counts_that_move_draw_nothing_of_what_is_covered(tmp_path: Path) -> None:
    """Below a run's screen its list rests; once it is back, it tells how many there are now."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.see("Promote build")
        await seen.press("2")
        await seen.see("backup-all")
        await seen.press("?")
        await seen.see("Help")
        await settled(seen)
        waiting = seen.app.overview.waiting
        with drawn_whole(seen.app) as whole:
            await seen.start(ASK)
            await seen.until(lambda: seen.app.overview.waiting > waiting)
            await seen.see(f"◆{waiting + 1}")
            await settled(seen)
        await seen.press("escape")
        await seen.see("backup-all")
        await seen.see(f"◆{waiting + 1}")

        assert not whole
