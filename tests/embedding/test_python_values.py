"""Python values at the doors of a program: what JSON holds, exactly, or a refusal that names the place."""

import enum
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import tidegate
from tidegate.errors import DefinitionError, InputsError, InvalidAnswer, SettingsError
from tidegate.model.policy import FailureKind

LIMIT = "TIDEGATE_MAX_CHECKPOINT_SIZE_MB"

TAKES = """
name: takes
inputs:
  word: {type: string, default: x}
  rows: {type: list, required: false}
  extra: {type: map, required: false}
blocks: [{id: tell, type: Template, inputs: {template: "${word} ${rows} ${extra}"}}]
outputs: {rows: "${rows}", extra: "${extra}", word: "${word}"}
"""


class Colour(enum.StrEnum):
    """A text with a name."""

    RED = "red"


async def test_inputs_that_are_no_json_are_refused_all_at_once() -> None:
    """With the place of each, and what to write; nothing is started."""
    wrong: Any = {
        "rows": [1, {"price": Decimal("1.1")}],
        "extra": {"at": date(2027, 3, 1)},
        "word": "\udcff",
        1: 2,
    }
    async with tidegate.open("memory://") as gate:
        with pytest.raises(InputsError) as caught:
            await gate.execute_workflow(gate.workflow(TAKES), wrong)

        assert await gate.list_runs() == ()
    assert caught.value.problems == (
        "inputs.rows[1].price: Decimal is no JSON: use str or float",
        "inputs.extra.at: date is no JSON: use .isoformat()",
        "inputs.word: the text holds half of a surrogate pair, which is no character",
        "inputs: the key 1 is int, and keys of JSON are text",
    )


@pytest.mark.parametrize("rows", [(1, 2), [(1, 2)], [{True: 1}], [float("nan")]])
async def test_no_input_is_silently_another_one(rows: Any) -> None:
    """A tuple would come back as a list, true as a text, NaN as nothing."""
    async with tidegate.open("memory://") as gate:
        with pytest.raises(InputsError, match=r"inputs\.rows.*: "):
            await gate.execute_workflow(gate.workflow(TAKES), {"rows": rows})


async def test_inputs_are_kept_as_they_were_given(tmp_path: Path) -> None:
    """A program may go on to change what it gave; of a subclass the plain value is kept."""
    rows: list[Any] = [1, 1.0, True, -0.0, 2**70, "a\0b", Colour.RED]
    async with tidegate.open(tmp_path / "store.db") as gate:
        run_id = await gate.start(gate.workflow(TAKES), {"rows": rows, "word": Colour.RED})
        rows.append("changed")
        result = await gate.wait(run_id)

    assert repr(result.outputs["rows"]) == repr([1, 1.0, True, -0.0, 2**70, "a\0b", "red"])
    assert repr(result.outputs["word"]) == "'red'"


async def test_an_answer_that_is_no_json_names_the_place() -> None:
    """Before any prompt reads it."""
    ask = {"id": "ask", "type": "GetInput", "inputs": {"prompt": "Settings?", "input_type": "json"}}
    async with tidegate.open("memory://") as gate:
        run = await gate.execute_workflow(gate.workflow({"name": "asks", "blocks": [ask]}))
        wrong: Any = {"sizes": [1, (2, 3)]}
        with pytest.raises(
            InvalidAnswer, match=r"^answer\.sizes\[1\]: tuple is no JSON: use list\(\.\.\.\)$"
        ):
            await gate.resume_workflow(run.run_id, wrong)


async def test_a_workflow_that_is_no_json_names_the_place() -> None:
    """A number as a key would become a text."""
    block = {"id": "tell", "type": "Template", "inputs": {"template": "x", "extra": {1: "one"}}}
    async with tidegate.open("memory://") as gate:
        with pytest.raises(DefinitionError, match=r"workflow\.blocks\[0\]\.inputs\.extra: the key 1 is int"):
            gate.workflow({"name": "w", "blocks": [block]})


# -- how much a block may leave ---------------------------------------------------------------

READS = """
name: reads
blocks: [{id: read, type: ReadFile, inputs: {path: document}}]
outputs: {size: "${{ size(read.content) }}"}
"""
WRITES = """
name: writes
blocks:
  - id: write
    type: Shell
    inputs: {command: "head -c 900000 /dev/zero | tr '\\\\0' x; head -c 900000 /dev/zero | tr '\\\\0' x >&2"}
outputs: {size: "${{ size(write.stdout) }}"}
"""


async def test_outputs_have_a_limit_that_the_environment_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says how large, how large at most, what is so large, and what to do; then it can go on."""
    (tmp_path / "document").write_text("x" * 200_000)
    monkeypatch.setenv(LIMIT, "0.1")
    async with tidegate.open(tmp_path / "store.db") as gate:
        failed = await gate.execute_workflow(gate.workflow(READS, working_dir=tmp_path))
    monkeypatch.setenv(LIMIT, "0.25")
    async with tidegate.open(tmp_path / "store.db") as gate:
        ended = await gate.resume_workflow(failed.run_id)

    (failure,) = failed.failures
    assert failure.kind is FailureKind.OUTPUTS
    assert failure.message.startswith("outputs: 200,")
    assert "of which 'content' is 200,002; at most 104,857 (0.1 MB) are taken" in failure.message
    assert failure.message.endswith(
        "write it to a file and give its path, or raise TIDEGATE_MAX_CHECKPOINT_SIZE_MB"
    )
    assert (ended.status, ended.outputs) == (tidegate.RunStatus.SUCCEEDED, {"size": 200_000})


async def test_what_a_command_writes_never_makes_its_block_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is cut by itself, with a mark; that is no reason to fail."""
    monkeypatch.setenv(LIMIT, "0.01")
    async with tidegate.open(tmp_path / "store.db") as gate:
        result = await gate.execute_workflow(gate.workflow(WRITES))

    assert result.status is tidegate.RunStatus.SUCCEEDED
    assert 2 * 128 * 1024 < int(str(result.outputs["size"])) < 2 * 128 * 1024 + 100


async def test_what_is_read_out_of_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result is a value like any other; the text that it was read from does not count on top."""
    monkeypatch.setenv(LIMIT, "0.3")
    text = """
        name: parses
        inputs: {lines: {type: integer}}
        blocks: [{id: p, type: Shell, inputs: {command: "seq 100001 ${lines}", parse: lines}}]
        outputs: {all: "${{ size(p.result) }}"}
        """
    async with tidegate.open(tmp_path / "store.db") as gate:
        fits = await gate.execute_workflow(gate.workflow(text), {"lines": 130_000})
        large = await gate.execute_workflow(gate.workflow(text), {"lines": 140_000})

    assert fits.status is tidegate.RunStatus.SUCCEEDED
    assert "of which 'result' is 360,001; at most 314,572 (0.3 MB)" in large.failures[0].message


async def test_a_limit_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before a store is opened, or made."""
    monkeypatch.setenv(LIMIT, "plenty")
    with pytest.raises(
        SettingsError, match=r"^TIDEGATE_MAX_CHECKPOINT_SIZE_MB is 'plenty', expected a number"
    ):
        async with tidegate.open(tmp_path / "store.db"):
            pass

    assert not (tmp_path / "store.db").exists()
