"""What each screen looks like, at the two sizes that matter, and in both themes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tidegate.tui.lines import Piece
from tui.monitoring import Monitor, Prepare, monitor_app, picture_of
from tui.parts_scene import fill_parts
from tui.scene import NOW, fill

Pictures = dict[str, str]
SIZES = {"80x24": (80, 24), "120x36": (120, 36)}
SCREENS = {
    "inbox": ("1", "Promote build"),
    "runs": ("2", "backup-all"),
    "checkpoints": ("3", "wave 2"),
    "help": ("question_mark", "Open the question"),
    "run that asks": ("2 j enter", "Waves|for an answer|needs     build_api"),
    "run at work": ("2 enter", "copied chunk 59"),
    "run that failed": ("2 j j j j j enter", "exit code 3|needs     list_files"),
    "filter": ("2 slash n i g h t", "2 of 6"),
}
"""The keys that lead there from the inbox, and what is to be seen by then."""
LIGHT = ("inbox", "runs", "run that asks")


PARTS = {
    "inbox of parts": ("1", "regions[red]"),
    "run with parts": ("2 enter", "11 of 40 items ended"),
    "run with items": ("2 enter enter", "web-07|its items write"),
    "cancel": ("2 X", "These run all the same|until the id is typed"),
    "run below": ("1 o", "part of kx5m2r|Switch red over"),
    "explicit": ("3 f f f f", "built|chk_kx5m2rbuilt"),
}
"""The same, over a run with items, retries, a loop, a timer, and runs below it."""


async def take(
    screens: dict[str, tuple[str, str]],
    size: tuple[int, int],
    *,
    prepare: Prepare = fill,
    is_light: bool = False,
) -> Pictures:
    """Return pictures of *screens*, all from one monitor that goes from one to the next."""
    app = monitor_app(prepare, at=NOW)
    pictures = {}
    async with app.run_test(size=size) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see("Waiting for you", "confirm")
        await seen.until(lambda: app.overview.is_read)
        if is_light:
            await seen.press("T")
            # What is said of it would go by itself, some time in one of the next pictures.
            app.note = Piece("")
            app.clear_notifications()
        for screen, (keys, words) in screens.items():
            await seen.press(*keys.split())
            await seen.see(*words.split("|"))
            pictures[screen] = await picture_of(app, pilot)
            await back_to_the_inbox(seen)
    return pictures


async def back_to_the_inbox(seen: Monitor) -> None:
    """Leave every mode as it was found: without a filter, and with the cursor on its first row."""
    await seen.press("escape", "escape", "escape", "g", "1")
    await seen.see("Waiting for you")


_TAKEN: dict[str, Pictures] = {}
"""Every picture, by size or theme: all of a kind are taken when the first of them is asked for."""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", SCREENS)
async def test_a_screen_looks_as_it_was_approved(look: Callable[[str], None], screen: str, size: str) -> None:
    """Each was looked at before it was kept."""
    if size not in _TAKEN:
        _TAKEN[size] = await take(SCREENS, SIZES[size])

    look(_TAKEN[size][screen])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", PARTS)
async def test_a_run_in_parts_looks_as_it_was_approved(
    look: Callable[[str], None], screen: str, size: str
) -> None:
    """Items, attempts, iterations and runs below, in the list, in the run, and in what asks about it."""
    if f"parts {size}" not in _TAKEN:
        _TAKEN[f"parts {size}"] = await take(PARTS, SIZES[size], prepare=fill_parts)

    look(_TAKEN[f"parts {size}"][screen])


@pytest.mark.parametrize("screen", LIGHT)
async def test_the_light_theme_looks_as_it_was_approved(look: Callable[[str], None], screen: str) -> None:
    """It is not an inverted dark one."""
    if "light" not in _TAKEN:
        _TAKEN["light"] = await take({name: SCREENS[name] for name in LIGHT}, SIZES["120x36"], is_light=True)

    look(_TAKEN["light"][screen])


@pytest.mark.parametrize(
    ("size", "words"), [((60, 16), "deploy-api"), ((39, 11), "needs at least")], ids=["60x16", "too small"]
)
async def test_a_small_terminal_is_usable_or_says_so(
    look: Callable[[str], None], size: tuple[int, int], words: str
) -> None:
    """A list without preview still answers; below that one sentence says what is needed."""
    app = monitor_app(fill, at=NOW)
    async with app.run_test(size=size) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see(words)
        await seen.until(lambda: app.overview.is_read)

        look(await picture_of(app, pilot))
