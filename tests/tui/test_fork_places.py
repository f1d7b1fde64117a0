"""What runs again where somebody asks for it at an item, at a call, or in a run below: what they stand on, no more."""

from pathlib import Path

import pytest

from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.state import BlockStatus, RunState
from tidegate.tui.messages import RunWanted
from tidegate.tui.reads.fork_wishes import editable, known_paths, known_places
from tidegate.tui.screens.run.run_view import RunScreen
from tidegate.tui.session import Session
from tui.monitoring import Monitor, monitor
from tui.test_fork_dialog import from_file
from tui.test_fork_values import SIZE, ask_for_fork, field, type_in
from tui.test_forking import fork_of, type_over

ITEMS = """
name: items
blocks:
  - {id: kids, type: Shell, for_each: [a, b, c], inputs: {command: "echo ${item} >> log; test ${item} != b"}}
"""
ABOVE = """
name: above
blocks:
  - {id: sub, type: ExecuteWorkflow, inputs: {workflow: below.yaml, inputs: {who: ana, n: 3}}}
  - {id: each, type: ExecuteWorkflow, depends_on: [sub], for_each: [a, b], inputs: {workflow: quick.yaml}}
  - id: again
    type: ExecuteWorkflow
    depends_on: [each]
    loop: {until: "true", max_iterations: 2}
    inputs: {workflow: quick.yaml}
"""
BELOW = """
name: below
inputs:
  who: {type: string, default: ben}
  n: {type: integer, default: 1}
blocks:
  - {id: inner, type: Shell, inputs: {command: "echo 'inner ${who}' >> log"}}
  - {id: last, type: Shell, depends_on: [inner], inputs: {command: "echo 'last ${n}' >> log"}}
"""
QUICK = """
name: quick
blocks:
  - {id: only, type: Shell, inputs: {command: "echo quick >> log"}}
"""


async def called(seen: Monitor) -> tuple[RunId, RunState]:
    """Return a run that has called others, and how it ended."""
    for name, text in (("above", ABOVE), ("below", BELOW), ("quick", QUICK)):
        (seen.folder / f"{name}.yaml").write_text(text)
    run_id = await from_file(seen, seen.folder / "above.yaml")
    return run_id, await seen.ask(lambda session: session.history.state(run_id))


def below(state: RunState, place: str) -> RunId:
    """Return the run that did the work of a place."""
    child = state.block(BlockId(place)).child
    assert child is not None
    return child.run_id


async def view(seen: Monitor, run_id: RunId, place: str) -> None:
    """Show a run as it is now, with the cursor on a place."""
    seen.app.post_message(RunWanted(run_id, BlockId(place)))
    await seen.until(lambda: isinstance(seen.app.screen, RunScreen) and seen.app.screen.run_id == run_id)
    await seen.see(place)


async def state_after(session: Session, run_id: RunId, seq: Seq) -> RunState:
    """Return what a run was after one of its events."""
    return await (await session.history.walk(run_id)).state(seq)


async def test_at_an_item_only_that_item_runs_again(tmp_path: Path) -> None:
    """And what all of them are given can be changed for it."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await seen.start(ITEMS)
        await seen.ask(lambda session: session.executor.settle(run_id))
        await view(seen, run_id, "kids[b]")
        (tmp_path / "log").unlink()

        await seen.press("F")
        await seen.dialog("--from 'kids[b]'")
        await seen.see("2 of its 3 items stay; kids[b] runs again")
        await type_over(seen, "echo mended")
        await seen.press("enter")
        await seen.see("--set")
        await seen.approve()
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen) and seen.app.screen.run_id != run_id)

        fork = await fork_of(seen, run_id)
        assert fork.block(BlockId("kids")).status is BlockStatus.SUCCEEDED
        assert not (tmp_path / "log").exists()


async def test_in_a_run_below_a_block_runs_again_for_the_run_on_top(tmp_path: Path) -> None:
    """A fork of the run below alone would belong to nobody; what is done there once more the one above goes on with."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id, state = await called(seen)
        await view(seen, below(state, "sub"), "last")
        (tmp_path / "log").unlink()

        await seen.press("F")
        await seen.dialog(f"checkpoints fork {run_id}@{state.head} --from sub/last")
        await seen.until(lambda: field(seen) == "echo 'last ${n}' >> log")
        await type_over(seen, "echo 'mended ${n}' >> log")
        await seen.press("enter")
        await seen.see("Changes  blocks.sub/last.inputs.command", "--set 'blocks.sub/last.inputs.command=")
        await seen.approve()
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))

        fork = await fork_of(seen, run_id)
        assert fork.block(BlockId("each")).status is BlockStatus.SUCCEEDED
        assert (tmp_path / "log").read_text().splitlines() == ["mended 3", *["quick"] * 3]


async def test_below_an_item_too(tmp_path: Path) -> None:
    """By the name of the item."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id, state = await called(seen)
        await view(seen, below(state, "each[b]"), "only")
        await seen.press("F")
        await seen.dialog(f"checkpoints fork {run_id}@{state.head} --from 'each[b]/only'")


async def test_below_an_iteration_the_run_is_forked_by_itself(tmp_path: Path) -> None:
    """The next one reads what it gave; the dialog says that nobody hears of the fork."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id, state = await called(seen)
        child = below(state, "again#1")
        await view(seen, child, "only")
        await seen.press("F")
        await seen.dialog(f"checkpoints fork {child}@")
        await seen.see("--from only", run_id)


async def test_without_the_run_on_top_the_one_below_is_forked(tmp_path: Path) -> None:
    """Where the run on top goes on by another run by now, too: that one is not what somebody looks at."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id, state = await called(seen)
        child = below(state, "sub")
        await seen.ask(lambda session: session.executor.rerun(run_id, BlockId("sub"), by="ben"))
        await seen.ask(lambda session: session.executor.settle(run_id))
        assert below(await seen.ask(lambda session: session.history.state(run_id)), "sub") != child
        await view(seen, child, "last")
        await seen.press("F")
        await seen.dialog("checkpoints fork")
        await seen.see(f"fork {child}@")


async def test_of_a_call_what_it_passes_is_changed(tmp_path: Path) -> None:
    """Hardly ever which workflow it calls."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id, state = await called(seen)
        await view(seen, run_id, "sub")
        await seen.press("F")
        await seen.dialog("--from sub")
        await seen.see("blocks.sub.inputs.inputs.who", "ana")
        await type_over(seen, "eva")
        await seen.press("enter")
        await seen.see("blocks.sub.inputs.inputs.who", '"ana" → "eva"')
        await seen.press("escape", "escape")

        paths = known_paths(state)
        assert [path for path in paths if path.startswith("blocks.sub.inputs")] == [
            "blocks.sub.inputs.inputs.who",
            "blocks.sub.inputs.inputs.n",
            "blocks.sub.inputs.inputs",
            "blocks.sub.inputs.workflow",
        ]
        before = await seen.ask(lambda session: state_after(session, run_id, Seq(1)))
        assert editable(before, ("blocks", "sub")) == ("blocks", "sub", "inputs", "inputs", "who")


@pytest.mark.parametrize(
    ("start", "whole"), [("each[b]", "each[b]/only"), ("sub/l", "sub/last"), ("each[", "each[a]")]
)
async def test_the_field_completes_items_and_blocks_below(tmp_path: Path, start: str, whole: str) -> None:
    """As one types them on the command line."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id, state = await called(seen)
        assert known_places(state) == (
            *("sub", "each", "again", "each[a]", "each[b]", "sub/inner", "sub/last"),
            *("each[a]/only", "each[b]/only"),
        )
        await ask_for_fork(seen, run_id)
        await seen.press("b")
        await seen.see("enter take it")
        await type_in(seen, f"{start}/" if whole.startswith(f"{start}/") else start)
        await seen.see(whole)
        await seen.press("right", "enter")
        await seen.see(f"--from '{whole}'" if "[" in whole else f"--from {whole}")
