"""`tidegate runs pause, unpause, retry, rerun, skip, cancel --now`: turning the course of a run."""

from pathlib import Path

from cli.calling import Tidegate, until

HELD = """
    name: held
    blocks:
      - {id: first, type: Shell, inputs: {command: "touch begun; until test -e go; do sleep 0.02; done"}}
      - {id: second, type: Shell, depends_on: [first], inputs: {command: "echo second >> done.txt"}}
"""

FLAKY = """
    name: flaky
    blocks:
      - {id: gate, type: ConfirmOperation, depends_on: [base], inputs: {message: "Go?", operation: deploy}}
      - {id: base, type: Shell, inputs: {command: "echo base >> done.txt"}}
      - id: each
        type: Shell
        depends_on: [base]
        for_each: {items: [red, green]}
        inputs: {command: "test ${item} = red || test -e fixed && echo ${item} >> done.txt"}
      - {id: last, type: Shell, depends_on: [each], inputs: {command: "echo last >> done.txt"}}
"""

ONE = """
    name: one
    blocks:
      - {id: check, type: Shell, inputs: {command: "exit 4"}}
      - id: after
        type: Shell
        depends_on: [{block: check, when: [succeeded, skipped]}]
        inputs: {command: "echo after >> done.txt"}
"""

CLEANS = """
    name: cleans
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "Go?", operation: deploy}}
      - {id: clean, type: Shell, always: true, depends_on: [gate], inputs: {command: "echo clean >> done.txt"}}
"""


def lines(folder: Path) -> list[str]:
    """Return what the blocks wrote, in order."""
    path = folder / "done.txt"
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def test_a_paused_run_drains_and_goes_on_when_it_is_let_go(tidegate: Tidegate) -> None:
    """What is at work ends, nothing new starts, who followed is told by whom; unpausing goes on."""
    tidegate.file("held.yaml", HELD)
    running = tidegate.start("run", "held.yaml")
    assert running.stdout is not None
    run_id = running.stdout.readline().split()[3].decode()
    until((tidegate.folder / "begun").exists)

    pausing = tidegate.start("runs", "pause", run_id[:6], "--reason", "lunch", "--by", "bo")
    assert pausing.stdout is not None
    said = [pausing.stdout.readline().decode() for _ in range(2)]
    listed = tidegate.call("runs", "list")
    (tidegate.folder / "go").touch()
    paused, followed = tidegate.end(pausing), tidegate.end(running)
    resumed, again = tidegate.together(["resume", run_id], ["runs", "pause", run_id, "--json"])
    released = tidegate.call("runs", "unpause", run_id)
    over = tidegate.call("runs", "unpause", run_id)

    assert said == [f"run {run_id} is paused by bo: lunch\n", "draining 1 in flight\n"]
    assert "draining 1, paused by bo: lunch" in listed.out
    assert paused.code == 0
    assert paused.out == f"drained\n  go on with: tidegate runs unpause {run_id}\n"
    assert "‖ paused by bo: lunch" in followed.out
    assert [followed.code, resumed.code, again.code] == [3, 3, 0]
    for told in (followed.out, resumed.out):
        assert f"run {run_id} is paused by bo: lunch\n  go on with: tidegate runs unpause {run_id}" in told
    assert (again.document["status"], again.document["held_by"]) == ("paused", "bo")
    assert released.code == 0
    assert "unpaused by ana" in released.out
    assert lines(tidegate.folder) == ["second"]
    assert (over.code, over.err) == (6, f"tidegate: run {run_id} has already ended: succeeded\n")


def test_only_failed_items_are_retried_and_open_questions_stay_open(tidegate: Tidegate) -> None:
    """In a run that waits for a person, too; what cannot be retried is refused in words."""
    (run_id,) = tidegate.runs_of(FLAKY, {})
    before = tidegate.call("inbox", "--json").document["pauses"][0]["pause_id"]
    unknown, well = tidegate.together(
        ["runs", "retry", run_id, "--block", "eech", "--json"], ["runs", "retry", run_id, "--block", "base"]
    )
    (tidegate.folder / "fixed").touch()
    retried = tidegate.call("runs", "retry", run_id, "--block", "each[green]", "--json")
    answered = tidegate.call("answer", before, "yes")
    rerun = tidegate.call("runs", "rerun", run_id, "--block", "each")

    assert (unknown.code, unknown.error_type) == (7, "BlockNotFound")
    assert well.code == 6
    assert retried.code == 3
    assert [pause["pause_id"] for pause in retried.document["pauses"]] == [before]
    assert answered.code == 0
    assert rerun.code == 0
    assert "○ run again by ana: " in rerun.out
    assert sorted(lines(tidegate.folder)[:4]) == ["base", "green", "last", "red"]
    assert sorted(lines(tidegate.folder)[4:]) == ["green", "last", "red"]


def test_a_failed_block_is_skipped_with_a_reason(tidegate: Tidegate) -> None:
    """What depends on it is decided again, and the run goes on; without a reason nothing happens."""
    (run_id,) = tidegate.runs_of(ONE, {})
    missing = tidegate.call("runs", "skip", run_id, "--block", "check")
    skipped = tidegate.call("runs", "skip", run_id, "--block", "check", "--reason", "known", "--by", "bo")
    shown = tidegate.call("runs", "show", run_id)

    assert missing.code == 2
    assert skipped.code == 0
    assert "⊘ check: skipped by bo: known" in skipped.out
    assert lines(tidegate.folder) == ["after"]
    assert "skipped     check" in shown.out


def test_cancelling_now_leaves_out_what_always_runs(tidegate: Tidegate) -> None:
    """Without it the clean-up runs first."""
    gently, now = tidegate.runs_of(CLEANS, {}, {})
    first = tidegate.call("runs", "cancel", gently)
    cleaned = lines(tidegate.folder)
    second = tidegate.call("runs", "cancel", now, "--now", "--reason", "hurry")

    assert [first.code, second.code] == [5, 5]
    assert cleaned == lines(tidegate.folder) == ["clean"]
    assert "cancel asked for by ana, at once: hurry" in second.out
