"""What the papers say is true."""

import re
from pathlib import Path

import pytest

from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.cli.main import COMMANDS
from tidegate.workflows.loader import load_workflow, parse_workflow

ROOT = Path(__file__).parents[1]
PAPERS = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if path.exists()]
WORKFLOWS = [
    (path.name, text)
    for path in PAPERS
    for text in re.findall(r"```yaml\n(.*?)```", path.read_text(), re.DOTALL)
]


@pytest.mark.parametrize(("paper", "text"), WORKFLOWS)
def test_every_workflow_in_the_papers_loads(paper: str, text: str) -> None:
    """A reader who copies one gets no fault."""
    assert parse_workflow(text, catalog(), file=paper).definition.blocks


@pytest.mark.parametrize(
    "file", sorted((ROOT / "sample_workflows").rglob("*.yaml")), ids=lambda path: path.stem
)
def test_every_sample_loads_and_is_called_like_its_file(file: Path) -> None:
    """A sample is found by its name."""
    assert load_workflow(file, catalog()).definition.name == file.stem


def test_the_author_guide_names_every_block_type() -> None:
    """A type that nobody can read about is not there."""
    if not (guide := ROOT / "docs/workflow-files.md").exists():
        pytest.skip("the tests run against a wheel, beside which there are no papers")
    text = guide.read_text()

    assert all(f"`{name}`" in text for name in BUILTIN)


def test_every_command_in_the_papers_exists() -> None:
    """And is called as it is written there."""
    text = "\n".join(path.read_text() for path in PAPERS)
    written = set(re.findall(r"^(?:uv run )?tidegate ([a-z]+)", text, re.MULTILINE))

    assert written <= set(COMMANDS)
    assert not PAPERS or {"run", "answer", "inbox", "resume"} <= written
