"""`tidegate resume`: after a failure, after SIGKILL, by run, checkpoint and name of the workflow."""

import os
import signal
from collections import Counter
from pathlib import Path

from cli.calling import Tidegate, is_alive, until

FLAKY = """
    name: flaky
    blocks:
      - {id: first, type: Shell, inputs: {command: "echo first >> done.txt"}}
      - id: flaky
        type: Shell
        depends_on: [first]
        inputs: {command: "test -e fixed && echo flaky >> done.txt"}
      - {id: last, type: Shell, depends_on: [flaky], inputs: {command: "echo last >> done.txt"}}
"""

BLOCKS = ("by_hand", "again", "without", "broken")

ONCE = "name: once\nblocks:\n" + "".join(
    f"""
  - id: {block}
    type: Shell
    inputs:
      command: |
        echo {block} >> done.txt
        test -e tried_{block} && exit 0
        touch tried_{block}; echo $$ >> pids; echo "uploading {block}"; exec sleep 300
  - {{id: after_{block}, type: Shell, depends_on: [{block}], inputs: {{command: "echo after_{block} >> done.txt"}}}}
"""
    for block in BLOCKS
)


def lines(folder: Path, name: str = "done.txt") -> list[str]:
    """Return what the blocks wrote into a file, in order."""
    return (folder / name).read_text(encoding="utf-8").split()


def test_after_a_failure_only_what_failed_and_what_follows_runs_again(tidegate: Tidegate) -> None:
    """What had ended is kept; a finished run, a left-behind checkpoint and an unknown name are refused."""
    (run_id,) = tidegate.runs_of(FLAKY, {})
    marks = tidegate.call("checkpoints", "list", "--run", run_id, "--json").document["checkpoints"]
    (tidegate.folder / "fixed").touch()

    old, unknown = tidegate.together(["resume", marks[-1]["checkpoint_id"]], ["resume", "flakey", "--json"])
    resumed = tidegate.call("resume", "flaky", "--by", "bo")
    again = tidegate.call("resume", "flaky")

    assert old.code == 6
    first = marks[-1]["checkpoint_id"]
    fork = f"`tidegate checkpoints fork {first}` goes on from there, as another run"
    assert f"{fork}; `tidegate resume {run_id}` goes on with this one, from where it is\n" in old.err
    assert (unknown.code, unknown.error_type) == (7, "RunNotFound")
    assert resumed.code == 0
    assert "resumed by bo: flaky, last" in resumed.out
    assert "started by" not in resumed.out
    assert lines(tidegate.folder) == ["first", "flaky", "last"]
    assert again.code == 6
    assert f"the newest, {run_id}, is succeeded" in again.err
    # Nothing goes on with a run that has succeeded: the fork is all that may have been meant, and is what was said.
    late = tidegate.call("resume", first)
    assert late.code == 6
    assert late.err.endswith(f". {fork}\n")
    assert tidegate.call("checkpoints", "fork", first).code == 0


def test_after_a_sigkill_the_person_decides_what_became_of_each_block(tidegate: Tidegate) -> None:
    """Each recovery pause shows its evidence, each answer does what it says, and nothing runs unasked."""
    tidegate.file("once.yaml", ONCE)
    process = tidegate.start("run", "once.yaml")
    assert process.stdout is not None
    run_id = process.stdout.readline().split()[3].decode()
    until(lambda: tidegate.call("logs", run_id).out.count("uploading") == len(BLOCKS))
    process.send_signal(signal.SIGKILL)
    assert tidegate.end(process).code == -signal.SIGKILL
    # What it had started lives on; nobody but us knows it.
    pids = [int(pid) for pid in lines(tidegate.folder, "pids")]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not any(map(is_alive, pids)))

    resumed = tidegate.call("resume", "once")
    by_hand = tidegate.call("answer", run_id, "--block", "by_hand", 'done {"stdout": "x"}')
    again = tidegate.call("answer", run_id, "--block", "again", "rerun")
    without = tidegate.call("answer", run_id, "--block", "without", "skip")
    broken = tidegate.call("answer", run_id, "--block", "broken", "fail")

    assert [done.code for done in (resumed, by_hand, again, without, broken)] == [3, 3, 3, 3, 1]
    for block in BLOCKS:
        assert f"waits for an answer at block '{block}' (recovery):" in resumed.out
        assert f"    command: echo {block} >> done.txt" in resumed.out
        assert f"      uploading {block}\n" in resumed.out
    assert "✓ by_hand" in by_hand.out
    assert Counter(lines(tidegate.folder)) == Counter([*BLOCKS, "again", "after_by_hand", "after_again"])
