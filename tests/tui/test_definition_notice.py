"""A run knows its file: whether that has changed, and where in it each block stands."""

import textwrap
from pathlib import Path

import pytest

from tidegate.blocks.registry import catalog
from tidegate.model.ids import BlockId
from tidegate.tui.reads.file_place import FilePlace, read_file_place
from tidegate.workflows.loader import load_workflow
from tui.monitoring import monitor

FILE = """
    name: release
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "Deploy?"}}
"""


FAILING = """
    name: nightly
    blocks:
      - {id: extract, type: Shell, inputs: {command: echo fine}}
      - {id: load, type: Shell, depends_on: [extract], inputs: {command: "echo no room >&2; exit 3"}}
"""


async def test_a_block_leads_to_its_line_and_its_error_can_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the file as it is now; of one that is gone, in what it held; and no key without a word."""
    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.delenv("VISUAL", raising=False)
    path = tmp_path / "nightly.yaml"
    path.write_text(textwrap.dedent(FAILING))
    loaded = load_workflow(path, catalog())
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await seen.ask(
            lambda session: session.executor.start(loaded.definition, {}, by="ana", source=loaded.source)
        )
        await seen.ask(lambda session: session.executor.settle(run_id))
        await seen.press("2", "enter")
        await seen.see("y copies it, ctrl+e opens nightly.yaml:5")
        await seen.press("y")
        assert seen.app.clipboard == "exit code 3: no room"

        path.write_text("# Of the night.\n" + textwrap.dedent(FAILING))
        await seen.press("ctrl+e")
        # In a test there is no terminal that could be lent: it is said where it would have been opened.
        await seen.until(
            lambda: any(
                f"no editor can be opened in this terminal. The place is {path}:6" == note.text
                for note in seen.app.desk.notes
            )
        )
        await seen.press("g", "y")
        await seen.until(lambda: seen.app.clipboard == "blocks.extract.outputs")

        path.unlink()
        place = await seen.ask(lambda session: read_file_place(session, run_id, BlockId("load")))
        assert place == FilePlace(path, 5, textwrap.dedent(FAILING))


async def test_a_run_says_that_its_file_has_changed(tmp_path: Path) -> None:
    """It keeps what it was started with, and nobody has to guess which text that was."""
    path = tmp_path / "release.yaml"
    path.write_text(textwrap.dedent(FILE))
    definition = load_workflow(path, catalog()).definition
    path.write_text(textwrap.dedent(FILE).replace("Deploy?", "Really?"))
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await seen.ask(lambda session: session.executor.start(definition, {}, by="ana"))
        await seen.see("Deploy?")
        await seen.press("2", "enter")

        await seen.see("the file has changed since the run started")
