"""A run whose file has changed says so."""

import textwrap
from pathlib import Path

from tidegate.blocks.registry import catalog
from tidegate.workflows.loader import load_workflow
from tui.monitoring import monitor

FILE = """
    name: release
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "Deploy?"}}
"""


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
