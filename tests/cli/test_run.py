"""`tidegate run`: progress, the document, inputs, and being stopped."""

import shlex
import signal
from pathlib import Path

import pytest

from cli.calling import Process, Tidegate, is_alive, until
from cli.sample import FAILS, is_harmless
from tidegate.cli.find import load_file
from tidegate.cli.given import read_inputs
from tidegate.errors import InputsError

WORKS = """
    name: works
    inputs:
      who: {type: string, default: world}
      count: {type: integer, default: 1}
    blocks:
      - id: hello
        type: Shell
        inputs: {command: "echo hello ${who}; printf '\\\\033[2J[b]x[/b]'"}
      - {id: twice, type: Shell, depends_on: [hello], inputs: {command: "echo ${count}", parse: json}}
    outputs: {greeting: "${hello.stdout}", count: "${twice.result}"}
"""

SLOW = """
    name: slow
    blocks:
      - {id: first, type: Shell, inputs: {command: "echo first >> done.txt"}}
      - id: slow
        type: Shell
        depends_on: [first]
        on_interrupt: rerun
        inputs:
          command: |
            test -e again && exit 0
            touch again; sleep 300 & echo $! $$ > pids.new; mv pids.new pids; wait
      - {id: last, type: Shell, depends_on: [slow], inputs: {command: "echo last >> done.txt"}}
"""


def test_progress_is_a_line_for_each_thing_that_happened(tidegate: Tidegate) -> None:
    """Times first and aligned, then what happened; at the end the run, its status and its outputs."""
    tidegate.file("works.yaml", WORKS)
    text, document = tidegate.together(
        ["run", "works.yaml", "--by", "bo"],
        ["run", "works.yaml", "-i", "who=a=b", "-i", "count=7", "--json"],
    )

    assert text.code == document.code == 0
    assert text.err == document.err == ""
    assert " of works started by bo\n" in text.out
    assert is_harmless(text.out)
    *progress, ended, greeting, count = text.out.splitlines()
    assert all(line[2] == line[5] == ":" and line[8:10] == "  " and line[10] != " " for line in progress)
    assert [line[10:].split()[:2] for line in progress if "✓" in line] == [["✓", "hello"], ["✓", "twice"]]
    assert ended.startswith("run ")
    assert ended.endswith(" succeeded")
    assert greeting == "output greeting = hello world⏎␛[2J[b]x[/b]"
    assert count == "output count = 1"
    found = document.document
    assert list(found) == [
        "run_id",
        "workflow",
        "status",
        "outputs",
        "pauses",
        "failures",
        "checkpoint_id",
        "reason",
        "forked_from",
        "held_by",
        "children",
        "children_total",
    ]
    assert found["outputs"] == {"greeting": "hello a=b\n\x1b[2J[b]x[/b]", "count": 7}


def test_inputs_come_from_words_a_file_or_standard_input(tidegate: Tidegate) -> None:
    """A word wins over the file; what is unknown, missing or of another type is told by name."""
    tidegate.file("works.yaml", WORKS)
    tidegate.file("in.yaml", "who: NO\ncount: 3\n")

    from_file, no_file, endless, wrong = tidegate.together(
        ["run", "works.yaml", "--inputs", "in.yaml", "-i", "count=4", "--json"],
        ["run", "works.yaml", "--inputs", "none.yaml"],
        ["run", "works.yaml", "--inputs", "/dev/zero"],
        ["run", "works.yaml", "-i", "woh=x", "-i", "count=many", "--json"],
    )
    from_stdin = tidegate.call("run", "works.yaml", "--inputs", "-", "--json", stdin='{"who": "json"}')

    assert from_file.document["outputs"]["greeting"].startswith("hello NO\n")
    assert from_file.document["outputs"]["count"] == 4
    assert from_stdin.document["outputs"]["greeting"].startswith("hello json\n")
    assert (no_file.code, endless.code, wrong.code) == (2, 2, 2)
    assert "larger than 1,048,576 bytes" in endless.err
    assert "none.yaml" in no_file.err
    assert "(did you mean 'who'?)" in wrong.err
    assert wrong.error_type == "InputsError"


def test_what_is_missing_is_shown_with_values_of_its_type(tmp_path: Path) -> None:
    """As they may be typed; of many inputs the first few."""
    typed = {
        "count": "integer",
        "on": "boolean",
        "names": "list",
        "kind": "{choices: [b c, d]}",
        "s": "string",
        "m": "map",
    }
    file = tmp_path / "needs.yaml"
    lines = "".join(f"  {name}: {rule}\n" for name, rule in typed.items())
    file.write_text(
        f"name: needs\ninputs:\n{lines}blocks: [{{id: a, type: Shell, inputs: {{command: ls}}}}]\n"
    )
    definition = load_file(file).definition

    with pytest.raises(InputsError) as refused:
        read_inputs(definition, ["kind=d"], None)
    shown = refused.value.lines[-1].removeprefix("workflow 'needs': give them like this: ")
    assert shown == '-i count=1 -i on=true -i \'names=["a","b"]\' -i s=TEXT -i \'m={"key":1}\''
    given = [word for word in shlex.split(shown) if word != "-i"]
    assert read_inputs(definition, [*given, "kind=b c"], None)["m"] == {"key": 1}
    with pytest.raises(InputsError, match=r"-i 'kind=b c' -i s=TEXT \.\.\.$"):
        read_inputs(definition, [], None)


def test_a_failure_is_told_with_its_reason(tidegate: Tidegate) -> None:
    """Exit code 1; the document lists each failed block."""
    tidegate.file("fails.yaml", FAILS)
    text, document = tidegate.together(["run", "fails.yaml"], ["run", "fails.yaml", "--json"])

    assert text.code == document.code == 1
    assert "✗ check: exit code 3: [/b] too low" in text.out
    assert "⊘ publish: 'check' failed" in text.out
    failure = document.document["failures"][0]
    assert failure == {
        "block": "check",
        "kind": "exit",
        "message": "exit code 3: [/b] too low",
        "exit_code": 3,
    }


def test_nothing_is_asked_where_there_is_no_terminal(tidegate: Tidegate) -> None:
    """A question ends the call with code 3 and the command that answers, which then works as shown."""
    tidegate.file(
        "asks.yaml",
        """
        name: asks
        blocks:
          - {id: pick, type: AskChoice, inputs: {question: "Which [b]one[/b]?", choices: [a, b]}}
        outputs: {picked: "${pick.choice}"}
        """,
    )
    done = tidegate.call("run", "asks.yaml", "--store", f"{tidegate.store}.other", stdin="a\n")
    command = done.out.splitlines()[-1].partition("answer with: ")[2]
    answered = tidegate.call(*command.replace("ANSWER", "2").split()[1:])

    assert done.code == 3
    assert "    Which [b]one[/b]?\n    1. a\n    2. b\n" in done.out
    assert command.startswith(f"tidegate --store {tidegate.store}.other answer pause_")
    assert answered.code == 0
    assert answered.out.endswith("output picked = b\n")


def stop(process: Process, how: signal.Signals, folder: Path) -> list[int]:
    """Send a signal once the slow block runs; return the processes that ran for it."""
    until((folder / "pids").exists)
    process.send_signal(how)
    return [int(pid) for pid in (folder / "pids").read_text(encoding="utf-8").split()]


@pytest.mark.parametrize(
    ("how", "words"), [(signal.SIGINT, []), (signal.SIGTERM, ["--json"]), (signal.SIGHUP, [])]
)
def test_a_signal_stops_a_run_in_order(tidegate: Tidegate, how: signal.Signals, words: list[str]) -> None:
    """Exit code 130, nothing left running, the run `interrupted` and told so; `resume` goes on with it."""
    tidegate.file("slow.yaml", SLOW)
    process = tidegate.start("run", "slow.yaml", *words)
    pids = stop(process, how, tidegate.folder)
    stopped = tidegate.end(process)

    assert stopped.code == 130
    assert not [pid for pid in pids if is_alive(pid)]
    if words:
        assert stopped.document["status"] == "interrupted"
    else:
        assert "is interrupted\n  go on with: tidegate resume " in stopped.out
    listed = tidegate.call("runs", "list", "--status", "interrupted", "--json").document["runs"]
    resumed = tidegate.call("resume", listed[0]["run_id"])
    assert resumed.code == 0
    assert (tidegate.folder / "done.txt").read_text(encoding="utf-8") == "first\nlast\n"


def test_a_terminal_without_utf8_gets_replacements(tidegate: Tidegate) -> None:
    """Text that cannot be written is replaced; JSON is escaped and loses nothing."""
    tidegate.file("works.yaml", WORKS)
    text = tidegate.call("run", "works.yaml", "-i", "who=家族", PYTHONIOENCODING="ascii")
    document = tidegate.call("run", "works.yaml", "-i", "who=家🏳", "--json", PYTHONIOENCODING="ascii")

    assert text.code == document.code == 0
    assert text.out.isascii()
    assert "output greeting = hello ??" in text.out
    assert document.out.isascii()
    assert document.document["outputs"]["greeting"].startswith("hello 家🏳\n")
