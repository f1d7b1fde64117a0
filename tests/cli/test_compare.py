"""`tidegate checkpoints diff`: two points of runs, side by side, for people and for scripts."""

import pytest

from cli.calling import Tidegate
from cli.sample import MARKUP, OSC_52, Sample, is_harmless
from tidegate.model.ids import RunId

BUILD = r"""
    name: build
    inputs: {env: {type: string}, note: {type: string}}
    blocks:
      - {id: compile, type: Shell, inputs: {command: "seq 12; echo ${env}; seq 12"}}
      - {id: check, type: Shell, depends_on: [compile], inputs: {command: "test ${env} != bad"}}
      - {id: say, type: Template, depends_on: [compile], inputs: {template: "${note}"}}
"""


@pytest.fixture
def builds(tidegate: Tidegate) -> tuple[RunId, RunId, RunId]:
    """Three runs: for dev, for prod, and one that failed."""
    dev, prod, bad = tidegate.runs_of(
        BUILD,
        {"env": "dev", "note": "x"},
        {"env": "prod", "note": f"{MARKUP}{OSC_52}"},
        {"env": "bad", "note": "x"},
    )
    return dev, prod, bad


def test_what_differs_is_told_in_lines_that_say_what_became_of_it(
    tidegate: Tidegate, builds: tuple[RunId, RunId, RunId]
) -> None:
    """By groups, texts line by line; hostile ones harmless; whether it differs is no failure unless asked."""
    dev, prod, bad = builds
    plain, strict, same, failed = tidegate.together(
        ["checkpoints", "diff", dev, prod],
        ["checkpoints", "diff", dev, prod, "--exit-code"],
        ["checkpoints", "diff", dev, prod, "--exit-code", "--ignore", "inputs", "--ignore", "blocks"],
        ["checkpoints", "diff", bad, "--with", "last-successful"],
    )

    lines = plain.out.splitlines()
    assert (plain.code, strict.code, same.code) == (0, 1, 0)
    assert lines[0].startswith(f"--- {dev}@")
    assert lines[1].startswith(f"+++ {prod}@")
    assert lines[2:4] == ["inputs", "  ~ env: dev → prod"]
    at = lines.index("  ~ compile.outputs.stdout:")
    assert lines[at + 1 : at + 9] == [
        *(
            "      @@ -10,7 +10,7 @@",
            "       10",
            "       11",
            "       12",
            "      -dev",
            "      +prod",
            "       1",
        ),
        "       2",
    ]
    assert is_harmless(plain.out)
    assert "[b]x[/b]" in plain.out
    assert "times and numbers of attempts differ: --timing shows them" in lines[-1]
    assert "nothing that counts differs" in same.out
    assert failed.out.startswith(f"--- {prod}@")
    assert {
        "  ~ status: succeeded → failed",
        "  ~ check.status: succeeded → failed",
        "  ~ check.outputs.exit_code: 0 → 1",
        "  ~ env: prod → bad",
    } <= set(failed.out.splitlines())


def test_scripts_get_one_document(tidegate: Tidegate, builds: tuple[RunId, RunId, RunId]) -> None:
    """With the points, and each change by its path, its kind and both sides."""
    dev, prod, _ = builds
    found = tidegate.call("checkpoints", "diff", f"{dev}@1", f"{prod}@1", "--json").document

    assert (found["left"], found["right"]) == (
        {"run_id": dev, "seq": 1, "workflow": "build"},
        {"run_id": prod, "seq": 1, "workflow": "build"},
    )
    assert found["is_same"] is False
    assert found["changes"]["inputs"][0] == {
        "path": "inputs.env",
        "kind": "changed",
        "left": "dev",
        "right": "prod",
    }
    assert {change["path"] for change in found["timing"]} == {"started_at", "updated_at"}
    assert (found["more"], found["ignored"]) == (0, 0)


def test_the_other_point_is_the_run_now_unless_somebody_says_otherwise(
    tidegate: Tidegate, builds: tuple[RunId, RunId, RunId]
) -> None:
    """And where there is nothing to compare, that is said with what to do."""
    dev, prod, _ = builds
    then, timed, nothing, both, unforked, beyond, pattern, unset = tidegate.together(
        ["checkpoints", "diff", f"{dev}@2"],
        ["checkpoints", "diff", f"{dev}@2", "--timing"],
        ["checkpoints", "diff", dev],
        ["checkpoints", "diff", dev, prod, "--with", "parent"],
        ["checkpoints", "diff", dev, "--with", "parent"],
        ["checkpoints", "diff", dev, f"{prod}@999"],
        ["checkpoints", "diff", dev, prod, "--ignore", "a..b"],
        ["checkpoints", "diff", dev, prod, "--ignore", ""],
    )

    assert "  ~ status: running → succeeded" in then.out
    assert "  + compile.ended_at: 20" in timed.out
    assert "  + compile.ended_at: 20" not in then.out
    assert (nothing.code, both.code, unforked.code, beyond.code, pattern.code, unset.code) == (
        2,
        2,
        7,
        7,
        2,
        2,
    )
    assert f"is run {dev} as it is now: name the point to compare it with" in nothing.err
    assert "give one of them" in both.err
    assert f"run {dev} was not forked from another one" in unforked.err
    assert f"run {prod} has no event 999: it has those from 1 to" in beyond.err
    assert "is no path" in pattern.err
    assert "it is empty" in unset.err


def test_any_point_can_be_shown(sample: Sample) -> None:
    """By its event, as a run is now, or by its checkpoint; one block of it in full."""
    run_id = sample.paused
    by_seq, now, mark, block, item, document, nothing = sample.tidegate.together(
        ["checkpoints", "show", f"{run_id}@1"],
        ["checkpoints", "show", run_id],
        ["checkpoints", "show", sample.gate, "--json"],
        ["checkpoints", "show", run_id, "--block", "before"],
        ["checkpoints", "show", run_id, "--block", "before", "--json"],
        ["checkpoints", "show", f"{run_id}@1", "--json"],
        ["checkpoints", "show", run_id, "--block", "nope"],
    )

    assert f"point                 {run_id}@1" in by_seq.out
    assert "block before          pending" in by_seq.out
    assert "block before          succeeded" in now.out
    assert f"pause {sample.gate} at 'gate'  open" in now.out
    assert mark.document["checkpoint_id"] == sample.gate
    assert ("gate", "open") in {(pause["block"], pause["state"]) for pause in mark.document["pauses"]}
    assert "outputs.stdout" in block.out
    assert all(is_harmless(shown.out) for shown in (by_seq, now, block))
    assert (item.document["block"], item.document["status"]) == ("before", "succeeded")
    assert item.document["outputs"]["exit_code"] == 0
    assert (document.document["checkpoint_id"], document.document["type"]) == (None, "event")
    assert document.document["completed_blocks"] == []
    assert nothing.code == 7
    assert "has no block 'nope': it has before, gate, other_gate, after" in nothing.err


def test_checkpoints_are_listed_by_type_block_status_and_age(sample: Sample) -> None:
    """Everything that is asked for must hold."""
    of_block, automatic, recent, old, then, bad = sample.tidegate.together(
        ["checkpoints", "list", "--block", "gate", "--json"],
        ["checkpoints", "list", "--type", "automatic", "--json"],
        ["checkpoints", "list", "--newer-than", "1h", "--json"],
        ["checkpoints", "list", "--older-than", "1h", "--json"],
        ["checkpoints", "list", "--status", "paused,failed", "--status", "failed", "--json"],
        ["checkpoints", "list", "--older-than", "soon"],
    )

    def of(field: str, call: object) -> set[str]:
        return {mark[field] for mark in call.document["checkpoints"]}  # type: ignore[attr-defined]

    assert of("block", of_block) == {"gate"}
    assert of("type", automatic) == {"automatic"}
    assert recent.document["total"] > old.document["total"] == 0
    assert of("status", then) <= {"paused", "failed"}
    assert bad.code == 2
    assert "'soon' is no time" in bad.err
