"""Which block types there are, what they say of themselves, and what asking for them costs."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from blocks.running import KeptContext
from tidegate.blocks.base import Failed, WorkBlock
from tidegate.blocks.registry import BUILTIN, all_blocks, catalog
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect
from tidegate.workflows.loader import parse_workflow


@pytest.mark.parametrize("name", BUILTIN)
def test_every_type_says_what_it_is(name: str) -> None:
    """What it is for, each input in a sentence, and how a block of it is written."""
    spec = catalog()[name]

    assert spec.type == name
    assert spec.description
    assert spec.inputs()
    assert [entry.name for entry in spec.inputs() if not entry.description or not entry.type] == []
    assert [entry.name for entry in spec.inputs() if entry.required and entry.default is not None] == []


@pytest.mark.parametrize("name", BUILTIN)
def test_every_example_is_a_block_that_is_taken(name: str) -> None:
    """A reader who copies one gets no fault from the type."""
    spec = catalog()[name]
    if spec.calls is not None:
        # Whether there is such a workflow is another question than whether the block is one.
        block = parse_example(spec.example)
        assert spec.check(block["inputs"], lambda _: False) == ()  # type: ignore[arg-type]  # it is JSON
        return

    loaded = parse_workflow(as_workflow(spec.example), catalog(), file="example.yaml")

    assert [block.type for block in loaded.definition.blocks] == [name]


def as_workflow(example: str) -> str:
    """Return a workflow of one block."""
    return "name: example\nblocks:\n  -\n" + textwrap.indent(example, "    ")


def parse_example(example: str) -> dict[str, object]:
    """Return the block that an example is."""
    import yaml

    block = yaml.safe_load(example)
    assert isinstance(block, dict)
    return block


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("Shell", Effect.ONCE),
        ("Python", Effect.ONCE),
        ("HttpCall", Effect.PURE),
        ("ReadFile", Effect.PURE),
        ("WriteFile", Effect.IDEMPOTENT),
        ("Template", Effect.PURE),
        ("Wait", Effect.PURE),
    ],
)
def test_an_effect_without_inputs_is_the_documented_one(name: str, effect: Effect) -> None:
    """What runs again by itself after a crash is what changes nothing the second time."""
    assert catalog()[name].effect_with({}) is effect


async def test_an_unknown_name_is_no_type() -> None:
    """In a file it is a fault; a run that was started with its package fails there, and says why."""
    assert catalog().get("Sell") is None
    assert "Sell" not in catalog()
    assert "Sell" not in set(all_blocks())

    block = all_blocks()["Sell"]

    assert isinstance(block, WorkBlock)
    result = await block.run({}, KeptContext(Path("/")))
    assert isinstance(result, Failed)
    assert result.failure.kind is FailureKind.START
    assert result.failure.message == "there is no block type 'Sell': install the package that it came from"


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import tidegate.blocks.registry", {"pydantic", "httpx", "yaml", "importlib.metadata", "asyncio"}),
        (
            "from tidegate.blocks.registry import catalog; catalog()['Shell'], catalog().get('HttpCall')",
            {"httpx", "yaml", "tidegate.blocks.installed", "tidegate.blocks.python", "tidegate.blocks.files"},
        ),
    ],
)
def test_a_type_costs_nothing_until_it_is_needed(statement: str, absent: set[str]) -> None:
    """Whoever runs a Shell block waits for no web client; installed packages are searched for strangers only."""
    code = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert not absent & set(done.stdout.split())
