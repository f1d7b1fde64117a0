"""The limits that a page tells are those of the code."""

import importlib
from pathlib import Path

import pytest

from tidegate.blocks.file_inputs import ReadFileInputs
from tidegate.blocks.http_inputs import HttpCallInputs
from tidegate.engine.output import OutputLimits

PAGE = Path(__file__).parents[1] / "docs" / "threat-model.md"
TOLD = {
    "a workflow file, and": (
        "workflows.yaml_text.MAX_BYTES",
        "workflows.yaml_text.MAX_DEPTH",
        "workflows.yaml_text._MAX_NODES",
    ),
    "faults": ("workflows.fault_list.MOST_FAULTS",),
    "blocks of": ("workflows.block_list.MAX_BLOCKS", "workflows.block_list.MAX_LAST"),
    "names": ("workflows.fields.MAX_NAME",),
    "calls": ("workflows.children.MAX_DEPTH",),
    "quotes": ("workflows.shell_quotes._MAX_DEPTH",),
    "an expression": (
        "workflows.cel_source._MAX_SOURCE",
        "workflows.cel_source._MAX_TOKENS",
        "workflows.cel_source._MAX_NESTED",
    ),
    "the work": ("workflows.cel_cost._MOST_WORK",),
    "a text": ("workflows.templates.MOST_TEXT",),
    "a value": ("workflows.shell_text._MAX_VALUE",),
    "inputs of a run": ("workflows.run_inputs.MOST_BYTES", "model.codec.MOST_DEEP"),
    "numbers": ("model.codec.MOST_BITS",),
    "`for_each`": ("workflows.items.MAX_ITEMS", "workflows.items.MAX_KEY"),
    "`stdout`": ("blocks.capture._KEPT",),
    "`parse`": ("blocks.shell._PARSED",),
    "what a `Python`": ("blocks.child.python_child._LIMIT",),
    "a secret": ("blocks.secret_sources.MOST",),
    "an answer": ("model.raw_answer.MAX_ANSWER_CHARACTERS", "model.raw_answer.MAX_COMMENT_CHARACTERS"),
    "a `validation_pattern`": ("model.patterns._MOST_PATTERN",),
    "choices": (
        "blocks.interactive_questions._MAX_CHOICES",
        "model.form_prompt.MAX_FIELDS",
        "model.exhibit.MAX_EXHIBITS",
        "model.exhibit.MAX_EXHIBIT_BYTES",
    ),
    "an import": ("history.export_files.MOST_BYTES",),
}


def _value(name: str) -> int:
    module, _, constant = f"tidegate.{name}".rpartition(".")
    value: int = getattr(importlib.import_module(module), constant)
    return value


@pytest.mark.skipif(not PAGE.exists(), reason="the tests run against a wheel")
@pytest.mark.parametrize("what", TOLD)
def test_a_limit_is_what_the_page_says(what: str) -> None:
    """Whoever changes a number changes the page."""
    [row] = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {what}")]

    assert not [name for name in TOLD[what] if f"{_value(name):,}" not in row]


def test_files_and_bodies_are_bounded_like_what_a_command_writes() -> None:
    """And the log keeps what the page says."""
    bounds = [inputs.model_fields["max_bytes"].default for inputs in (ReadFileInputs, HttpCallInputs)]
    limits = OutputLimits()

    assert bounds == [_value("blocks.shell._PARSED")] * 2
    assert (limits.head, limits.tail) == (4_194_304, 1_048_576)
