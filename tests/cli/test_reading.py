"""The commands that only read, on one store with a run of every kind: `inbox`, `runs`, `checkpoints`, `logs`."""

from cli.sample import BIDI, MARKUP, OSC_52, Sample, is_harmless

SHOWN = f"{MARKUP} ␛]52;c;ZXZpbA==␇ \\u202egnp.exe"
"""The hostile prompt as every text output shows it."""

LISTED = {
    "checkpoint_id",
    "workflow",
    "created_at",
    "created_at_iso",
    "is_paused",
    "pause_prompt",
    "type",
    "completed_blocks",
    "current_wave",
    "total_waves",
    "progress_percentage",
}
"""The names that tools know from before."""


def test_no_command_lets_hostile_text_through(sample: Sample) -> None:
    """Prompts, outputs, reasons: everything is shown, nothing is obeyed, markup is only text."""
    done = sample.tidegate.together(
        ["inbox"],
        ["runs", "list"],
        ["runs", "show", sample.paused],
        ["runs", "show", sample.cancelled],
        ["runs", "show", sample.failed],
        ["checkpoints", "list"],
        ["checkpoints", "show", sample.gate],
        ["logs", sample.paused],
    )
    inbox, listed, paused, cancelled, failed, marks, mark, logs = (one.out for one in done)

    for one in done:
        assert one.err == ""
        assert is_harmless(one.out)
    assert SHOWN in inbox
    assert SHOWN in paused
    assert SHOWN in marks
    assert SHOWN in mark
    assert "cancelled by bo: ␛]52;c;ZXZpbA==␇ no" in listed
    assert "cancelled by bo: ␛]52" in cancelled
    assert "failed      check  (exit code 3: [/b] too low)" in failed
    assert "skipped     publish  ('check' failed)" in failed
    assert "␛]52;c;ZXZpbA==␇red [b]x[/b] FAILED␍\nOK\n" in logs


def test_json_tells_the_text_as_it_is_and_escapes_what_a_terminal_would_obey(sample: Sample) -> None:
    """One document on standard output; neither escape sequences nor bidirectional controls stand in it raw."""
    inbox, runs, marks = sample.tidegate.together(
        ["inbox", "--json"], ["runs", "list", "--json"], ["checkpoints", "list", "--json"]
    )

    for done in (inbox, runs, marks):
        assert done.code == 0
        assert is_harmless(done.out)
    pauses = inbox.document["pauses"]
    assert inbox.document["total"] == len(pauses) == 2
    assert {pause["kind"] for pause in pauses} == {"confirm", "choice"}
    gate = next(pause for pause in pauses if pause["block"] == "gate")
    assert gate["prompt"] == f"{MARKUP} {OSC_52} {BIDI}\nsecond line"
    assert {"pause_id", "block", "kind", "prompt", "choices", "path", "opened_at", "deadline"} <= set(gate)
    assert [run["status"] for run in runs.document["runs"]] == ["paused", "failed", "cancelled"]


def test_runs_are_listed_by_workflow_and_status(sample: Sample) -> None:
    """Newest first, at most so many; nothing found is said in words."""
    failed, both, one, none, show = sample.tidegate.together(
        ["runs", "list", "-s", "failed", "--json"],
        ["runs", "list", "-w", "asks", "-s", "paused", "-s", "cancelled", "--json"],
        ["runs", "list", "-n", "1", "--json"],
        ["runs", "list", "-w", "nothing"],
        ["runs", "show", sample.failed[:6], "--json"],
    )

    assert [run["run_id"] for run in failed.document["runs"]] == [sample.failed]
    assert [run["run_id"] for run in both.document["runs"]] == [sample.paused, sample.cancelled]
    assert one.document["total"] == 1
    assert none.out == "No such runs of 'nothing'.\n"
    found = show.document
    assert found["run_id"] == sample.failed
    assert found["outputs"] == {"lint": "fine", "published": None}
    assert [block["status"] for block in found["blocks"]] == ["succeeded", "failed", "skipped"]
    assert found["failures"][0]["exit_code"] == 3


def test_a_paused_run_is_shown_with_exit_code_3(sample: Sample) -> None:
    """So that a script knows from `show` alone that a person is needed."""
    done = sample.tidegate.call("runs", "show", sample.paused)

    assert done.code == 3
    assert f"open      {sample.gate} at 'gate'" in done.out


def test_checkpoints_have_the_names_that_tools_know(sample: Sample) -> None:
    """In the list and in `show`, which adds the state at that point."""
    listed, waiting, explicit, shown = sample.tidegate.together(
        ["checkpoints", "list", "--run", sample.paused, "--json"],
        ["checkpoints", "list", "--open", "--json"],
        ["checkpoints", "list", "--type", "explicit"],
        ["checkpoints", "show", sample.gate[:14], "--json"],
    )

    marks = listed.document["checkpoints"]
    assert set(marks[0]) >= LISTED
    assert [mark["type"] for mark in marks] == ["pause", "pause", "automatic"]
    assert {mark["checkpoint_id"] for mark in waiting.document["checkpoints"]} == {
        mark["checkpoint_id"] for mark in marks if mark["is_paused"]
    }
    assert explicit.out == "No checkpoints.\n"
    found = shown.document
    assert found["checkpoint_id"] == sample.gate
    assert found["runtime_inputs"] == {"note": f"{MARKUP} {OSC_52} {BIDI}"}
    assert found["completed_blocks"] == ["before"]
    assert found["current_wave_index"] == 1
    assert found["execution_waves"] == [["before"], ["gate", "other_gate"], ["after"]]
    assert found["paused_block_id"] == "gate"
    assert found["pause_metadata"] == {"pause_id": sample.gate, "kind": "confirm"}
    assert found["context"]["before"]["exit_code"] == 0
    assert {"workflow_name", "schema_version", "block_definitions"} <= set(found)


def test_logs_are_safe_unless_the_bytes_are_asked_for(sample: Sample) -> None:
    """Headed by block, colours gone, a line that was begun is whole; `--raw` gives exactly what was written."""
    everything, attempt, no_part, both, dated, one, raw, wrong = sample.tidegate.together(
        ["logs", sample.failed],
        ["logs", sample.failed, "check", "1"],
        ["logs", sample.failed, "check", "77"],
        ["logs", sample.failed, "--raw", "--timestamps"],
        ["logs", sample.gate, "before", "-t"],
        ["logs", sample.gate, "before"],
        ["logs", sample.paused, "before", "--raw"],
        ["logs", sample.paused, "befor"],
    )

    assert everything.out == "-- lint\nfine\n-- check\n[/b] too low\n"
    assert one.out == "␛]52;c;ZXZpbA==␇red [b]x[/b] FAILED␍\nOK\né and half a line\n"
    assert raw.out == f"{OSC_52}\x1b[31mred\x1b[0m [b]x[/b] FAILED\rOK\né and half a line"
    assert attempt.out == "[/b] too low\n"
    assert [line.partition("+00:00 ")[2] for line in dated.out.splitlines()] == one.out.splitlines()
    assert (no_part.code, both.code, wrong.code) == (7, 2, 7)
    assert "no item, iteration or attempt '77' of block 'check': it has attempt 1" in no_part.err
    assert "has no block 'befor': it has before, gate, other_gate, after" in wrong.err


def test_where_nothing_is_listed_it_is_said_what_there_is(sample: Sample) -> None:
    """Of a block, or a workflow, that no checkpoint is of; one that is there needs no advice."""
    near, far, workflow, fine = sample.tidegate.together(
        ["checkpoints", "list", "--run", sample.paused, "--block", "gaet"],
        ["checkpoints", "list", "--run", sample.paused, "--block", "x[y]"],
        ["checkpoints", "list", "--workflow", "nothing-like-it"],
        ["checkpoints", "list", "--run", sample.paused, "--block", "gate", "--type", "failure"],
    )

    assert near.out == "No checkpoints of a block 'gaet' (did you mean 'gate'?).\n"
    assert far.out == "No checkpoints of a block 'x[y]': there are some of gate, other_gate.\n"
    assert workflow.out.startswith("No checkpoints of a workflow 'nothing-like-it': there are some of ")
    assert fine.out == "No checkpoints.\n"
    assert [done.code for done in (near, far, workflow, fine)] == [0, 0, 0, 0]


def test_who_looks_for_checkpoints_by_how_a_run_ended_is_told_what_finds_them(sample: Sample) -> None:
    """A checkpoint is marked before the end, but for what a person has placed there: the status is that of then."""
    failed, paused, at_failures = sample.tidegate.together(
        ["checkpoints", "list", "--run", sample.paused, "--status", "failed,cancelled"],
        ["checkpoints", "list", "--run", sample.failed, "--status", "paused"],
        ["checkpoints", "list", "--run", sample.failed, "--type", "failure", "--json"],
    )

    assert (failed.code, failed.out) == (0, "No checkpoints.\n")
    assert "--status is where the run stood when a checkpoint was marked" in failed.err
    assert "tidegate checkpoints list --type failure" in failed.err
    assert "tidegate runs list --status failed,cancelled" in failed.err
    assert (paused.out, paused.err) == ("No checkpoints.\n", "")
    assert at_failures.document["total"] == 1
