"""What each screen looks like, at the two sizes that matter, and in both themes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from running import PATIENCE
from tidegate.tui.app import MonitorApp
from tui.monitoring import monitor_app
from tui.scene import NOW, fill

Compare = Callable[..., bool]
SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
SCREENS = {
    "inbox": ("1", "Promote build"),
    "runs": ("2", "backup-all"),
    "checkpoints": ("3", "wave 2"),
    "help": ("question_mark", "Open the question"),
    "run that asks": ("2 j enter", "Waves|for an answer"),
    "run at work": ("2 enter", "copied chunk 59"),
    "run that failed": ("2 j j j j j enter", "exit code 3"),
    "filter": ("2 slash n i g h t", "2 of 6"),
}


def text_of(app: MonitorApp) -> str:
    """Return what the terminal shows."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())  # noqa: SLF001 - see Monitor.text


def steps(keys: str, words: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    """Return what presses *keys* on a list that is there, and waits for *words*."""

    async def run(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, MonitorApp)
        async with asyncio.timeout(PATIENCE):
            await _until(pilot, lambda: app.overview.is_read and "deploy-api" in text_of(app))
            for key in keys.split():
                await pilot.press(key)
                await _until(pilot, lambda: "Reading" not in text_of(app))
            await _until(pilot, lambda: all(word in text_of(app) for word in words.split("|")))
        await pilot.pause(0.4)

    return run


async def _until(pilot: Pilot[None], fact: Callable[[], bool]) -> None:
    while not fact():
        await pilot.pause(0.02)


@SIZES
@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_looks_as_it_was_approved(snap_compare: Compare, screen: str, size: tuple[int, int]) -> None:
    """Each was looked at before it was kept."""
    keys, words = SCREENS[screen]

    assert snap_compare(monitor_app(fill, at=NOW), terminal_size=size, run_before=steps(keys, words))


@pytest.mark.parametrize("screen", ["inbox", "runs", "run that asks"])
def test_the_light_theme_looks_as_it_was_approved(snap_compare: Compare, screen: str) -> None:
    """It is not an inverted dark one."""
    keys, words = SCREENS[screen]

    assert snap_compare(
        monitor_app(fill, at=NOW), terminal_size=(120, 36), run_before=steps(f"T {keys}", words)
    )


@pytest.mark.parametrize("size", [(60, 16), (39, 11)], ids=["60x16", "too small"])
def test_a_small_terminal_is_usable_or_says_so(snap_compare: Compare, size: tuple[int, int]) -> None:
    """A list without preview still answers; below that one sentence says what is needed."""

    async def wait(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, MonitorApp)
        async with asyncio.timeout(PATIENCE):
            await _until(
                pilot, lambda: any(word in text_of(app) for word in ("deploy-api", "needs at least"))
            )
            await _until(pilot, lambda: app.overview.is_read)
        await pilot.pause(0.4)

    assert snap_compare(monitor_app(fill, at=NOW), terminal_size=size, run_before=wait)
