"""From a block that calls a workflow into the past of the run that does its work."""

from pathlib import Path

from tidegate.history.shelf import read_file
from tidegate.model.answer import Reply
from tidegate.model.ids import RunId
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tui.monitoring import Monitor, monitor

ABOVE = """
name: above
blocks:
  - {id: first, type: Shell, inputs: {command: "true"}}
  - {id: inner, type: ExecuteWorkflow, depends_on: [first], inputs: {workflow: below.yaml}}
  - {id: each, type: ExecuteWorkflow, depends_on: [inner], for_each: [red, blue], inputs: {workflow: quick.yaml}}
"""
BELOW = """
name: below
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go on?"}}
  - {id: act, type: Shell, depends_on: [gate], inputs: {command: "true"}}
"""
QUICK = """
name: quick
blocks:
  - {id: only, type: Shell, inputs: {command: "true"}}
"""


async def begun(seen: Monitor, folder: Path) -> RunId:
    """Return a run whose block waits for an answer in the run below it."""
    for name, text in (("above", ABOVE), ("below", BELOW), ("quick", QUICK)):
        (folder / f"{name}.yaml").write_text(text)
    file = await read_file(folder / "above.yaml")
    definition = file.definition
    assert definition is not None, file.faults
    run_id: RunId = await seen.ask(lambda session: session.executor.start(definition, {}, by="ben"))
    await seen.see("1 Inbox ◆1")
    return run_id


async def go_on(seen: Monitor, run_id: RunId) -> None:
    """Answer what waits, and return once all has ended."""
    pause = await seen.ask(lambda session: session.history.most_urgent())
    assert pause is not None
    await seen.ask(lambda session: session.executor.answer(pause.pause_id, Reply("yes", by="ben", via="cli")))
    await seen.ask(lambda session: session.executor.settle(run_id))


async def past_of(seen: Monitor, run_id: RunId, place: str) -> TimeTravelScreen:
    """Open the past of a run as it is now, with the cursor on a block."""
    await seen.press("2")
    await seen.see(run_id)
    await seen.press("g", "enter", "t")
    await seen.see("viewing", f"run {run_id}")
    await seen.press("full_stop")
    await seen.see(" AS OF ")
    await seen.press("tab")
    return at(seen, place)


def at(seen: Monitor, place: str) -> TimeTravelScreen:
    """Put the cursor on a block."""
    screen = seen.app.screen
    assert isinstance(screen, TimeTravelScreen)
    screen.state_list.move_to(f"blocks.{place}")
    return screen


async def below_of(seen: Monitor, run_id: RunId, place: str) -> RunId:
    """Return the run that does the work of a block."""
    state = await seen.ask(lambda session: session.history.state(run_id))
    child = next(block.child for name, block in state.touched.items() if name == place)
    assert child is not None
    return child.run_id


async def test_one_key_leads_to_where_the_run_below_stood_then(tmp_path: Path) -> None:
    """While it asked it asked there, too, though it has ended since; esc comes back."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await begun(seen, tmp_path)
        state = await seen.ask(lambda session: session.history.state(run_id))
        asked_at, below = state.head, await below_of(seen, run_id, "inner")
        stood = (await seen.ask(lambda session: session.history.state(below))).head
        await go_on(seen, run_id)
        above = await past_of(seen, run_id, "inner")
        await seen.see("the run below inner, as it stood")

        await seen.press("number_sign", "at", *str(asked_at), "enter")
        await seen.see(f"event {asked_at} of")
        await seen.press("i")
        await seen.see(f"run {below}", f"event {stood} of", "◆ paused", "PAST")
        await seen.press("escape")
        await seen.until(lambda: seen.app.screen is above)

        await seen.press("full_stop")
        await seen.see(" AS OF ")
        await seen.press("i")
        await seen.see(f"run {below}", "AS OF", "✓ succeeded")


async def test_what_has_no_run_below_says_why(tmp_path: Path) -> None:
    """A block that calls nothing, one that had not begun, and one whose items have a run each."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await begun(seen, tmp_path)
        await go_on(seen, run_id)
        await past_of(seen, run_id, "first")
        await seen.press("i")
        await seen.see("'first' runs no other workflow: no run does its work")
        at(seen, "each")
        await seen.press("i")
        await seen.see("each item of 'each' has its own run: put the cursor on one, such as each[red]")
        screen = at(seen, "each")
        screen.state_list.move_to("blocks.each[red]")
        await seen.press("i")
        await seen.see(f"run {await below_of(seen, run_id, 'each[red]')}")
        await seen.press("escape")
        await seen.see(f"run {run_id}")
        await seen.press("number_sign", "at", "2", "enter")
        await seen.see("event 2 of")
        at(seen, "inner")
        await seen.press("i")
        await seen.see("'inner' had not begun here: no run does its work")


async def test_a_fork_leads_into_the_run_it_goes_on_from_until_it_has_its_own(tmp_path: Path) -> None:
    """What is inherited was done there."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await begun(seen, tmp_path)
        below = await below_of(seen, run_id, "inner")
        await go_on(seen, run_id)
        point = await seen.ask(lambda session: session.history.find_point(run_id))
        assert await seen.ask(lambda session: session.history.point_below(point, "inner")) is not None  # type: ignore[arg-type]
        await past_of(seen, run_id, "inner")
        await seen.press("F")
        await seen.dialog("Stays as it is")
        await seen.approve()
        await seen.until(lambda: not isinstance(seen.app.screen, TimeTravelScreen))
        await seen.see("fork of")
        await seen.press("t")
        await seen.see("viewing", "inherited")
        await seen.press("tab")
        at(seen, "inner")
        await seen.press("i")
        await seen.see(f"run {below}")
