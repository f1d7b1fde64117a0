"""Keeping checkpoints from their list, and saying what they are called."""

from pathlib import Path

from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.ids import RunId
from tui.monitoring import Monitor, monitor

TALE = """
name: tale
blocks:
  - {id: build, type: Shell, inputs: {command: "true"}}
  - {id: ship, type: Shell, depends_on: [build], inputs: {command: "true"}}
"""


async def listed(seen: Monitor) -> RunId:
    """Return a run that has ended, with the checkpoints open."""
    run_id = await seen.start(TALE)
    await seen.ask(lambda session: session.executor.settle(run_id))
    await seen.press("3")
    await seen.see("shown", "tale")
    await seen.press("g")
    return run_id


async def marks(seen: Monitor) -> list[CheckpointMetadata]:
    """Return the checkpoints as the store has them, newest first."""
    return list(await seen.ask(lambda session: session.history.checkpoints()))


async def test_a_checkpoint_is_pinned_at_once_and_let_go_at_a_second_press(tmp_path: Path) -> None:
    """A pin only keeps; what lets a run be cleaned up is said first. Another row begins anew."""
    async with monitor(tmp_path) as seen:
        await listed(seen)

        await seen.press("b")
        await seen.see("1 checkpoint pinned: kept with its run", "pinned · ")
        assert [mark.pinned for mark in await marks(seen)] == [True, False]

        await seen.press("b")
        await seen.see("b once more takes off the pin")
        await seen.press("j", "k", "b")
        await seen.pilot.pause(0.2)
        assert [mark.pinned for mark in await marks(seen)] == [True, False]
        await seen.press("b")
        await seen.see("1 checkpoint pinned no more")
        await seen.unsee("pinned · ")
        assert [mark.pinned for mark in await marks(seen)] == [False, False]


async def test_marked_rows_are_pinned_together(tmp_path: Path) -> None:
    """Those that are already stay so; what a filter hides is left out, and that is said."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await listed(seen)
        await seen.press("b")
        await seen.see("pinned · ", "kept")
        await seen.press("asterisk", "b")
        await seen.until(lambda: seen.text.count("pinned · ") == 2)
        await seen.press("b")
        await seen.see("once more takes off 2 pins")
        await seen.press("b")
        await seen.see("2 checkpoints pinned no more")

        await seen.press("slash", *"label:2", "enter")
        await seen.see("1 hidden by the filter")
        await seen.press("b")
        await seen.see("1 marked row not")
        assert sum(mark.pinned for mark in await marks(seen)) == 1


async def test_who_only_looks_pins_nothing(tmp_path: Path) -> None:
    """The reason is said."""
    async with monitor(tmp_path) as seen:
        await listed(seen)
        seen.app.read_only = True
        for key in "bB":
            await seen.press(key)
            await seen.see("nothing is changed from here")
        assert not any(mark.pinned for mark in await marks(seen))


async def test_a_checkpoint_is_called_something_from_its_list(tmp_path: Path) -> None:
    """Foreign signs stay signs; without a word it is called what its workflow calls it."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await listed(seen)
        before = (await marks(seen))[0].label
        await seen.press("B")
        await seen.see("What to call it")
        await seen.press("ctrl+u", "left_square_bracket", *"red", "right_square_bracket", "enter")
        await seen.see("it is called [red]", "label")
        assert (await marks(seen))[0].label == "[red]"
        await seen.press("B")
        await seen.see("What to call it")
        await seen.press("ctrl+u", "enter")
        await seen.until(lambda: "called [red]" not in seen.text)
        assert (await marks(seen))[0].label == before


async def test_what_was_removed_meanwhile_is_said_to_be_gone(tmp_path: Path) -> None:
    """Nothing else is pinned in its place."""
    async with monitor(tmp_path) as seen:
        run_id = await listed(seen)
        screen = seen.app.screen
        keys = [mark.checkpoint_id for mark in await marks(seen)]
        await seen.ask(lambda session: session.executor.remove_run(run_id))
        await screen._pin(keys, "", pinned=True)  # type: ignore[attr-defined]  # noqa: SLF001 - between two looks at the store
        await seen.see("2 checkpoints no longer there")


async def test_the_past_of_a_run_says_which_of_its_points_are_pinned(tmp_path: Path) -> None:
    """There, too, by a word."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await listed(seen)
        await seen.press("b")
        await seen.see("pinned · ")
        await seen.press("enter")
        await seen.see("viewing", "pinned · ")
