"""What the dialog of a fork says and keeps to, with real keys: errors, keys, what goes on elsewhere, the file as it is now."""

from pathlib import Path

from tidegate.history.shelf import read_file
from tidegate.model.answer import Reply
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import RunFilter
from tidegate.tui.dialogs.turns.fork import ForkDialog
from tui.monitoring import Monitor, monitor
from tui.test_fork_values import SIZE, ask_for_fork, edit, field, made, type_in
from tui.test_forking import fork_of

FILE = """
name: mended
inputs:
  who: {{type: string, default: ana}}
blocks:
  - {{id: build, type: Shell, inputs: {{command: "echo built >> log"}}}}
  - {{id: ship, type: Shell, depends_on: [build], inputs: {{command: "{command}"}}}}
"""
NEEDS = """
name: mended
inputs:
  who: {type: string, default: ana}
  region: {type: string, required: true}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo built >> log"}}
  - {id: ship, type: Shell, depends_on: [build], inputs: {command: "echo '${region}' >> log"}}
"""
ABOVE = """
name: above
blocks:
  - {id: inner, type: ExecuteWorkflow, inputs: {workflow: below.yaml}}
"""
BELOW = """
name: below
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go on?"}}
  - {id: act, type: Shell, depends_on: [gate], inputs: {command: "true"}}
"""


async def from_file(seen: Monitor, path: Path) -> RunId:
    """Return a run of a workflow file that moves no more."""
    file = await read_file(path)
    definition = file.definition
    assert definition is not None, file.faults
    run_id: RunId = await seen.ask(
        lambda session: session.executor.start(definition, {}, by="ben", source=file.source)
    )
    await seen.ask(lambda session: session.executor.settle(run_id))
    return run_id


async def forks(seen: Monitor, run_id: RunId) -> int:
    """Return how many forks of a run there are."""
    return len(await seen.ask(lambda session: session.history.runs(RunFilter(origin=run_id))))


async def test_a_fork_that_fails_when_it_is_made_says_why(tmp_path: Path) -> None:
    """The error is what stands there, not what one could do before."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x")
        dialog = await ask_for_fork(seen, run_id, "read")
        await seen.ask(lambda session: session.executor.remove_run(run_id))
        await seen.approve()
        await seen.see("Not forked:", run_id)
        # All that the first press and the failure have said is there by now.
        await seen.pilot.pause()
        await seen.pilot.pause()
        assert "Not forked:" in seen.text
        assert seen.app.screen is dialog


async def test_keys_and_hints_are_those_of_the_field(tmp_path: Path) -> None:
    """From the moment that it is open, and again once it is closed."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x")
        await ask_for_fork(seen, run_id, "read")
        await seen.see("y fork   e change")
        await seen.press("e")
        await seen.see("enter take it   tab next field", "Type what is to be another one")
        assert "y fork" not in seen.text
        await seen.press("escape")
        await seen.see("y fork   e change", "Nothing happens until you press y")
        await seen.press("b")
        await seen.see("enter take it", "Type a block, an item (B[x]) or a block below (B/x)")
        assert "y fork" not in seen.text
        await seen.press("escape")
        await seen.see("y fork   e change", "Nothing happens until you press y")


async def test_no_key_forks_while_a_field_is_open(tmp_path: Path) -> None:
    """Neither tab nor a key that comes before the field has the focus leads to what forks."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x")
        dialog = await ask_for_fork(seen, run_id, "read")
        await seen.press("e")
        await seen.see("tab next field")
        await type_in(seen, "inputs.who")
        await seen.press("tab", "tab", "y")
        await seen.pilot.pause(0.2)
        await seen.press("y", "ctrl+s")
        await seen.pilot.pause(0.2)
        assert "to send" not in seen.text
        assert seen.app.screen is dialog
        assert await forks(seen, run_id) == 0


async def test_ctrl_s_takes_what_is_typed(tmp_path: Path) -> None:
    """As enter does."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x", who="ben")
        await ask_for_fork(seen, run_id, "make")
        await edit(seen, "inputs.who")
        await seen.until(lambda: field(seen) == "ben")
        await seen.press("s", "ctrl+s")
        await seen.see('Changes  inputs.who  "ben" → "bens"')


async def test_it_says_that_the_other_run_still_goes_on(tmp_path: Path) -> None:
    """What it does outside is then done by both; of one that has ended nothing is said."""
    (tmp_path / "below.yaml").write_text(BELOW)
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await from_file(seen, tmp_path / "below.yaml")
        await ask_for_fork(seen, run_id)
        await seen.see("itself has not ended: what it still does outside, it does there, too")
        await seen.press("escape")
        pause = await seen.ask(lambda session: session.history.find_pause(run_id))
        await seen.ask(
            lambda session: session.executor.answer(pause.pause_id, Reply("yes", by="b", via="cli"))
        )
        await seen.ask(lambda session: session.executor.settle(run_id))
        await ask_for_fork(seen, run_id, "act")
        assert "has not ended" not in seen.text


async def test_it_says_that_a_fork_of_a_run_below_belongs_to_nobody(tmp_path: Path) -> None:
    """Who called that run hears nothing of it."""
    (tmp_path / "below.yaml").write_text(BELOW)
    (tmp_path / "above.yaml").write_text(ABOVE)
    async with monitor(tmp_path, size=SIZE) as seen:
        above = await from_file(seen, tmp_path / "above.yaml")
        state = await seen.ask(lambda session: session.history.state(above))
        [below] = state.children.values()
        await ask_for_fork(seen, below)
        await seen.see(
            f"does the work of block 'inner' of run {above}", "which gets nothing of", "nobody stands above"
        )


async def test_w_goes_on_with_the_file_as_it_is_now(tmp_path: Path) -> None:
    """What is other in it is shown, the preview and the command are of it, and w goes back."""
    path = tmp_path / "mended.yaml"
    path.write_text(FILE.format(command="false"))
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await from_file(seen, path)
        path.write_text(FILE.format(command="echo mended >> log"))
        await ask_for_fork(seen, run_id)
        await seen.see("The fork keeps what the run was started with", "w file as it is now")
        await seen.press("w")
        await seen.see(
            "Goes on with the workflow's file as it is now", "--with", "mended.yaml", "echo mended"
        )
        await seen.press("w")
        await seen.see("The fork keeps what the run was started with")
        assert "--with" not in seen.text
        await seen.press("w")
        await seen.see("Goes on with the workflow's file as it is now")
        await seen.approve()

        await seen.see("fork of")
        fork = await fork_of(seen, run_id)
        assert fork.status is RunStatus.SUCCEEDED
        assert (tmp_path / "log").read_text() == "built\nmended\n"
        assert fork.graph.blocks[BlockId("ship")].inputs["command"] == "echo mended >> log"


async def test_w_says_where_the_file_has_faults(tmp_path: Path) -> None:
    """With its line; what was offered before still is."""
    path = tmp_path / "mended.yaml"
    path.write_text(FILE.format(command="false"))
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await from_file(seen, path)
        path.write_text(FILE.format(command="false").replace("[build]", "[biuld]"))
        await ask_for_fork(seen, run_id)
        await seen.press("w")
        await seen.see("The fork cannot go on with the file as it is: mended.yaml:7", "biuld")
        path.unlink()
        await seen.press("w")
        await seen.see("There is no file to go on with")
        await seen.approve()
        await seen.see("fork of")
        assert await forks(seen, run_id) == 1


async def test_w_says_that_nothing_would_be_other(tmp_path: Path) -> None:
    """Where the file is as it was."""
    path = tmp_path / "mended.yaml"
    path.write_text(FILE.format(command="false"))
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await from_file(seen, path)
        await ask_for_fork(seen, run_id)
        await seen.press("w")
        await seen.see("says what the run has: nothing would be other")
        assert "--with" not in seen.text


async def test_a_file_that_takes_other_inputs_can_be_given_them(tmp_path: Path) -> None:
    """Nothing can be made before; with them it is as if it had been asked for at once."""
    path = tmp_path / "mended.yaml"
    path.write_text(FILE.format(command="false"))
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await from_file(seen, path)
        path.write_text(NEEDS)
        await ask_for_fork(seen, run_id)
        await seen.press("w")
        await seen.see("It cannot be made yet:", "the workflow takes other inputs now")
        await seen.press("y")
        await seen.see("It is not known what it would do")
        await edit(seen, "inputs.region")
        await seen.see("Nothing stands there yet")
        await type_in(seen, "eu")
        await seen.press("enter")
        await seen.see('Changes  inputs.region  null → "eu"', "Goes on with the workflow's file as it is now")
        await seen.approve()
        await seen.see("fork of")
        await fork_of(seen, run_id)
        assert (tmp_path / "log").read_text() == "built\neu\n"


async def test_leaving_does_not_lose_changes_at_one_stroke_after_another_key(tmp_path: Path) -> None:
    """A key in between takes the warning back."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x", who="ben")
        dialog = await ask_for_fork(seen, run_id, "make")
        await edit(seen, "inputs.who")
        await seen.until(lambda: field(seen) == "ben")
        await seen.press("s", "enter")
        await seen.see('"ben" → "bens"')
        await seen.press("escape")
        await seen.see("esc once more leaves, and the changes are lost")
        await seen.press("P")
        await seen.see("The command is copied")
        await seen.press("escape")
        await seen.see("esc once more leaves, and the changes are lost")
        assert isinstance(seen.app.screen, ForkDialog)
        await seen.press("escape")
        await seen.until(lambda: seen.app.screen is not dialog)
