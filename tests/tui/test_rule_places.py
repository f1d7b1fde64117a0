"""An error of a field says where its rule stands in the file of the workflow."""

import textwrap
from pathlib import Path

import pytest

from tidegate.blocks.registry import catalog
from tidegate.workflows.loader import load_workflow
from tui.monitoring import Monitor, monitor

SIZES = [(80, 24), (120, 36)]
TICKET = """
    name: ticket
    blocks:
      - id: ask
        type: GetInput
        inputs:
          prompt: Which ticket?
          validation_pattern: '[A-Z]+-[0-9]+'
"""
FORM = """
    name: form
    blocks:
      - id: ask
        type: AskForm
        inputs:
          message: How?
          fields:
            - {id: replicas, label: How many?, input_type: integer, max: 20}
            - id: day
              label: Which day?
              input_type: date
"""


async def started(seen: Monitor, name: str, text: str, question: str, *, keeps_text: bool = True) -> Path:
    """Start a run of a file, and open its question; return the file."""
    path = seen.folder / name
    path.write_text(textwrap.dedent(text).lstrip())
    loaded = load_workflow(path, catalog())
    source = loaded.source if keeps_text else ""
    await seen.ask(lambda session: session.executor.start(loaded.definition, {}, by="ana", source=source))
    # In the list, not only counted: what is under the cursor is what is opened.
    await seen.see(question)
    await seen.press("a")
    await seen.dialog("send")
    return path


async def says(seen: Monitor, sentence: str) -> None:
    """Return once the terminal says something; it may be broken over lines."""
    await seen.until(lambda: sentence in " ".join(seen.text.replace("│", " ").split()))


@pytest.mark.parametrize("size", SIZES)
async def test_the_error_of_a_value_names_its_line(tmp_path: Path, size: tuple[int, int]) -> None:
    """As it stood when the run was started, whatever the file says by now; also while it is being mended."""
    async with monitor(tmp_path, size=size) as seen:
        path = await started(seen, "ticket.yaml", TICKET, "Which ticket?")
        path.write_text("# Another file by now.\n\n" + path.read_text())
        await seen.press(*"abc", "enter")
        await says(seen, "(ticket.yaml:7).")
        await seen.press("x")

        await says(seen, "Not taken: ")
        await says(seen, "(ticket.yaml:7).")


@pytest.mark.parametrize("size", SIZES)
async def test_the_error_of_each_field_names_its_own_line(tmp_path: Path, size: tuple[int, int]) -> None:
    """Of every field of a form."""
    async with monitor(tmp_path, size=size) as seen:
        await started(seen, "form.yaml", FORM, "How?")
        await seen.press(*"70", "tab", *"soon", "ctrl+s")

        await says(seen, "(form.yaml:8)")
        await seen.press("tab")
        await says(seen, "(form.yaml:9)")


async def test_without_the_text_of_the_file_it_is_the_line_of_the_block(tmp_path: Path) -> None:
    """Which the run knows by itself."""
    async with monitor(tmp_path) as seen:
        await started(seen, "ticket.yaml", TICKET, "Which ticket?", keeps_text=False)
        await seen.press(*"abc", "enter")

        await says(seen, "(ticket.yaml:3).")


async def test_a_workflow_that_came_from_no_file_has_no_lines(tmp_path: Path) -> None:
    """Nothing is named then."""
    async with monitor(tmp_path) as seen:
        await seen.start(TICKET)
        await seen.see("Which ticket?")
        await seen.press("a")
        await seen.dialog("Enter sends it")
        await seen.press(*"abc", "enter")

        await says(seen, "Not taken: ")
        assert "yaml" not in seen.text
