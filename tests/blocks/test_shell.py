"""What a Shell block gives its command, and what the command's end makes of the block."""

import asyncio
import os
import shutil
import signal
import sys
import threading
from pathlib import Path

import pytest

from blocks.running import KeptContext, completed, failed, run_shell
from tidegate.blocks.base import Completed, Result
from tidegate.blocks.shell import Shell
from tidegate.model.policy import FailureKind

# -- outputs ----------------------------------------------------------------------------------


async def test_a_command_gives_its_outputs(tmp_path: Path) -> None:
    """Output comes without its trailing newlines, as `$(...)` gives it."""
    outputs = await completed(tmp_path, "printf ' a\\n b \\n\\n\\n'; echo oops >&2")

    assert outputs["stdout"] == " a\n b "
    assert outputs["stderr"] == "oops"
    assert outputs["exit_code"] == 0
    assert outputs["success"] is True
    assert isinstance(outputs["duration_s"], float)
    assert "result" not in outputs


async def test_bytes_are_emitted_as_they_were_written(tmp_path: Path) -> None:
    """The outputs are text with replacements; what is emitted is the raw stream."""
    context = KeptContext(tmp_path)

    outputs = await completed(context, r"printf '\377\376ok\0z\n'")

    assert outputs["stdout"] == "\ufffd\ufffdok\0z"
    assert context.written(1) == b"\xff\xfeok\0z\n"


async def test_an_endless_line_is_no_failure(tmp_path: Path) -> None:
    """Neither 70 kB nor 5 MB without a newline is more than a few chunks."""
    context = KeptContext(tmp_path)

    outputs = await completed(context, "head -c 70000 /dev/zero; echo; head -c 5000000 /dev/zero")

    assert len(context.written(1)) == 5_070_001
    assert max(len(data) for _, data in context.emitted) <= 64 * 1024
    assert "bytes left out] ..." in str(outputs["stdout"])


async def test_a_flood_is_kept_at_both_ends(tmp_path: Path) -> None:
    """Head and tail stay, with a mark that says how much is missing; memory stays small."""
    outputs = await completed(_Forgetful(tmp_path), "echo first; yes | head -c 300M; echo; echo last")

    text = str(outputs["stdout"])
    assert text.startswith("first\ny\n")
    assert text.endswith("y\n\nlast")
    left_out = 6 + 300 * 1024 * 1024 + 6 - 256 * 1024
    assert f"\n... [{left_out} bytes left out] ...\n" in text
    assert len(text) < 257 * 1024


class _Forgetful(KeptContext):
    """Takes a flood without keeping it."""

    async def emit(self, stream: int, data: bytes) -> None:
        """Keep nothing."""


async def test_both_streams_keep_their_order(tmp_path: Path) -> None:
    """Whatever the two streams do to each other, each is in the order it was written in."""
    context = KeptContext(tmp_path)

    await completed(context, "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done")

    assert context.written(1) == b"o1\no2\no3\no4\no5\n"
    assert context.written(2) == b"e1\ne2\ne3\ne4\ne5\n"


async def test_a_file_name_that_is_no_text_is_no_failure(tmp_path: Path) -> None:
    """An odd byte never becomes a lone surrogate, which no journal could hold."""
    outputs = await completed(tmp_path, r"touch $(printf 'caf\351'); ls")

    assert outputs["stdout"] == "caf\ufffd"


async def test_output_written_just_before_the_end_is_not_lost(tmp_path: Path) -> None:
    """However slowly bytes are taken, a command that ended by itself gets all of them taken."""
    context = _Slow(tmp_path)

    await completed(context, "head -c 200000 /dev/zero")

    assert len(context.written(1)) == 200_000


class _Slow(KeptContext):
    """Takes its time for each chunk."""

    async def emit(self, stream: int, data: bytes) -> None:
        """Keep *data*, later."""
        await asyncio.sleep(0.3)
        await super().emit(stream, data)


# -- how it ends ------------------------------------------------------------------------------


async def test_another_exit_code_than_0_fails_the_block(tmp_path: Path) -> None:
    """The failure says the code and the last thing the command said; the outputs are all there."""
    result = await failed(tmp_path, r"printf '\377bin'; echo one >&2; echo two >&2; echo >&2; exit 7")

    assert result.failure.kind is FailureKind.EXIT
    assert result.failure.message == "exit code 7: two"
    assert result.failure.exit_code == 7
    assert result.outputs["exit_code"] == 7
    assert result.outputs["success"] is False
    assert result.outputs["stdout"] == "\ufffdbin"


async def test_a_silent_failure_says_only_its_code(tmp_path: Path) -> None:
    """Nothing is made up where the command said nothing."""
    result = await failed(tmp_path, "exit 3")

    assert result.failure.message == "exit code 3"


async def test_the_last_line_in_a_failure_is_bounded_and_without_colours(tmp_path: Path) -> None:
    """A message is a line for a list, not the log."""
    result = await failed(tmp_path, r"printf '\033[31m%0500d\033[0m\n' 1 >&2; exit 1")

    assert result.failure.message == "exit code 1: " + "0" * 197 + "..."


@pytest.mark.parametrize("name", ["continue-on-error", "continue_on_error"])
async def test_an_error_to_continue_on_completes_the_block(tmp_path: Path, name: str) -> None:
    """The workflow said that it looks at `success` itself."""
    result = await Shell().run({"command": "exit 3", name: True}, KeptContext(tmp_path))

    assert isinstance(result, Completed)
    assert result.outputs["exit_code"] == 3
    assert result.outputs["success"] is False


async def test_a_killed_command_is_no_success(tmp_path: Path) -> None:
    """The failure names the signal."""
    result = await failed(tmp_path, "kill -9 $$")

    assert result.failure.kind is FailureKind.SIGNAL
    assert result.failure.message == "killed by signal 9 (SIGKILL)"
    assert result.failure.exit_code == -9


async def test_a_missing_command_is_the_shells_127(tmp_path: Path) -> None:
    """The shell ran; what it says is shown."""
    result = await failed(tmp_path, "nosuchcmd")

    assert result.failure.kind is FailureKind.EXIT
    assert result.failure.exit_code == 127
    assert result.failure.message.startswith("exit code 127 (command not found): ")
    assert "nosuchcmd" in result.failure.message


async def test_a_file_without_permission_is_the_shells_126(tmp_path: Path) -> None:
    """Found and not executable is another thing than not found."""
    (tmp_path / "tool").write_text("#!/bin/sh\n")

    result = await failed(tmp_path, "./tool")

    assert result.failure.exit_code == 126
    assert "(found, but it cannot be executed): " in result.failure.message


# -- starting ---------------------------------------------------------------------------------


async def test_a_working_directory_is_not_created(tmp_path: Path) -> None:
    """A typo in a path must not run a command in an empty new folder."""
    result = await failed(tmp_path, "touch x", working_dir="not/here")

    assert result.failure.kind is FailureKind.START
    assert result.failure.message == (
        f"working_dir {tmp_path}/not/here does not exist: it is not created for you"
    )
    assert not (tmp_path / "not").exists()


async def test_a_tilde_is_not_expanded(tmp_path: Path) -> None:
    """And the message says so, because that is what was meant."""
    result = await failed(tmp_path, "true", working_dir="~/x")

    assert "(`~` is not expanded here)" in result.failure.message


async def test_a_file_is_no_working_directory(tmp_path: Path) -> None:
    """It exists, and that is said."""
    (tmp_path / "f").touch()

    result = await failed(tmp_path, "true", working_dir="f")

    assert result.failure.message == f"working_dir {tmp_path}/f is no directory"


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000])
async def test_a_directory_that_cannot_be_looked_for_says_why(tmp_path: Path, name: str) -> None:
    """A value of a run may be anything; the sentence stays one."""
    result = await failed(tmp_path, "true", working_dir=name)

    assert result.failure.kind is FailureKind.START
    assert result.failure.message.endswith("... cannot be used: file name too long")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter everything")
async def test_a_directory_that_may_not_be_entered_says_so(tmp_path: Path) -> None:
    """That is about the directory, and not about the shell."""
    (tmp_path / "shut").mkdir(mode=0o600)

    result = await failed(tmp_path, "true", working_dir="shut")

    assert result.failure.message == f"working_dir {tmp_path}/shut may not be entered: check its permissions"


async def test_a_relative_directory_starts_at_the_workflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Tidegate itself was started makes no difference."""
    (tmp_path / "sub").mkdir()
    seen = []
    for start in (Path("/"), tmp_path):
        monkeypatch.chdir(start)
        seen.append((await completed(tmp_path, "pwd", working_dir="sub"))["stdout"])

    assert seen == [str(tmp_path / "sub")] * 2


async def test_a_list_runs_without_a_shell(tmp_path: Path) -> None:
    """Each argument arrives as it is."""
    outputs = await completed(tmp_path, ["printf", "%s|", "$HOME", "a b", "; exit 1", 5, True])

    assert outputs["stdout"] == "$HOME|a b|; exit 1|5|true|"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["nosuchprog"], "there is no program nosuchprog on the PATH: install it, or write where it is"),
        (["./nosuchprog"], "./nosuchprog does not exist (looked up from "),
        (["./plain"], "./plain may not be executed: check its permissions (chmod +x)"),
        (["./script"], "./script is no program and has no #! line"),
        (["echo", "x" * 3_000_000], "the command and its variables are too large for the system"),
        (["echo", "a\0b"], "a value cannot be passed to it (embedded null byte)"),
        (["echo", "\ud800"], "a value holds a character the system does not take"),
    ],
)
async def test_what_cannot_be_started_says_why(tmp_path: Path, command: list[str], message: str) -> None:
    """And what to do about it."""
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "script").write_text("")
    (tmp_path / "script").write_text("echo hi\n")
    (tmp_path / "script").chmod(0o755)

    result = await failed(tmp_path, list(command))

    assert result.failure.kind is FailureKind.START
    assert message in result.failure.message
    assert len(result.failure.message) < 500


async def test_a_process_that_cannot_know_exit_codes_runs_nothing(tmp_path: Path) -> None:
    """With SIGCHLD ignored by whoever started Tidegate, `exit 3` would look like success."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        result = await failed(tmp_path, "touch ran; exit 3")
    finally:
        signal.signal(signal.SIGCHLD, before)

    assert result.failure.kind is FailureKind.START
    assert "SIGCHLD" in result.failure.message
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
async def test_another_shell_is_found_on_the_path(tmp_path: Path) -> None:
    """The default is /bin/sh, whoever the user is."""
    outputs = await completed(tmp_path, "a=(1 2 3); echo ${#a[@]}", under="bash")

    assert outputs["stdout"] == "3"


async def test_a_shell_that_is_not_there_says_so(tmp_path: Path) -> None:
    """That is a start that failed, not an exit code."""
    result = await failed(tmp_path, "true", under="nosuchshell")

    assert result.failure.kind is FailureKind.START
    assert "nosuchshell" in result.failure.message


async def test_text_that_starts_with_a_dash_is_a_command(tmp_path: Path) -> None:
    """It is never taken for options of the shell."""
    result = await failed(tmp_path, "-x; echo hi; exit 9")

    assert result.failure.exit_code == 9
    assert result.outputs["stdout"] == "hi"


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({}, "'command' is required"),
        (
            {"command": "true", "env": {"A": None}},
            "'env' gives A empty; it must be text, a number or true/false",
        ),
        ({"command": "true", "comand": "x"}, "unknown input 'comand' (did you mean 'command'?)"),
    ],
)
async def test_wrong_inputs_fail_the_block(tmp_path: Path, inputs: dict[str, object], problem: str) -> None:
    """A reference may turn out to be anything; that is no traceback."""
    result = await Shell().run(inputs, KeptContext(tmp_path))  # type: ignore[arg-type]  # what is tested

    assert not isinstance(result, Completed)
    assert result.failure.kind is FailureKind.INPUTS
    assert result.failure.message == problem


# -- standard input ---------------------------------------------------------------------------


@pytest.mark.parametrize("command", ['read x; echo "got [$x]"', "cat; echo 'got []'"])
async def test_standard_input_is_empty(tmp_path: Path, command: str) -> None:
    """A command never waits for a person at the terminal, and never takes their keys."""
    outputs = await completed(tmp_path, command)

    assert outputs["stdout"] == "got []"


async def test_declared_input_of_any_size_is_fed(tmp_path: Path) -> None:
    """More than a pipe holds, while the command writes as much: neither waits for the other."""
    context = KeptContext(tmp_path)

    await completed(context, "cat", stdin="ä" * 300_000)

    assert context.written(1).decode() == "ä" * 300_000


async def test_input_need_not_be_read(tmp_path: Path) -> None:
    """A broken pipe is the command's own choice."""
    outputs = await completed(tmp_path, "head -c 3", stdin="x" * 3_000_000)

    assert outputs["stdout"] == "xxx"


async def test_there_is_no_controlling_terminal(tmp_path: Path) -> None:
    """Nothing can be asked for past standard input."""
    outputs = await completed(tmp_path, "(: < /dev/tty) 2>/dev/null && echo tty || echo none")

    assert outputs["stdout"] == "none"


# -- environment ------------------------------------------------------------------------------


async def test_the_environment_is_the_documented_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inherited, but for the engine's own settings; then the run's; then what the file declares."""
    monkeypatch.setenv("FOO", "inherited")
    monkeypatch.setenv("BAR", "inherited")
    monkeypatch.setenv("TIDEGATE_STORE", "postgresql://user:secret@db/x")
    monkeypatch.setenv("WORKFLOW_CHECKPOINT_DSN", "secret")
    context = KeptContext(tmp_path, bindings={"V1": "it's $(x)"})

    outputs = await completed(context, "env", env={"A": "1", "N": 2, "B": True, "BAR": "own"})

    lines = str(outputs["stdout"]).split("\n")
    assert {"FOO=inherited", "BAR=own", "A=1", "N=2", "B=true", "V1=it's $(x)"} <= set(lines)
    assert {"TIDEGATE_RUN_ID=run_1", "TIDEGATE_BLOCK=block_1", "TIDEGATE_ATTEMPT=2"} <= set(lines)
    assert "TIDEGATE_IDEMPOTENCY_KEY=key_1" in lines
    assert "secret" not in str(outputs["stdout"])


async def test_no_open_file_is_inherited(tmp_path: Path) -> None:
    """A command cannot hold the store's file open."""
    with (tmp_path / "f").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        outputs = await completed(tmp_path, [sys.executable, "-c", "import os; print(os.listdir('/dev/fd'))"])

    # The fourth is the listing itself.
    assert outputs["stdout"] == "['0', '1', '2', '3']"


# -- parse ------------------------------------------------------------------------------------


async def test_json_becomes_a_value(tmp_path: Path) -> None:
    """Types are those of the document."""
    outputs = await completed(tmp_path, """echo '{"a": [1, 2.5, null, true, "x"]}'""", parse="json")

    assert outputs["result"] == {"a": [1, 2.5, None, True, "x"]}


async def test_a_document_larger_than_what_is_shown_is_parsed(tmp_path: Path) -> None:
    """What is to be parsed is kept whole up to 4 MiB: half a document is none."""
    command = f"""{sys.executable} -c 'import json; print(json.dumps(["x" * 1000] * 1000))'"""

    outputs = await completed(tmp_path, command, parse="json")

    assert outputs["result"] == ["x" * 1000] * 1000


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("echo nope", "stdout is no JSON document: "),
        ("true", "stdout is empty, but 'parse: json' expects a JSON document"),
        ("echo NaN", "stdout is no JSON document: "),
        ("printf '[%.0s' $(seq 5000)", "stdout is no JSON document: "),
        ("head -c 5000000 /dev/zero", "stdout is too long to be parsed: 805696 bytes of it were not kept"),
    ],
)
async def test_what_cannot_be_parsed_fails_the_block(tmp_path: Path, command: str, message: str) -> None:
    """The command did its work, but its dependants would get nothing they can use."""
    result = await failed(tmp_path, command, parse="json")

    assert result.failure.kind is FailureKind.OUTPUTS
    assert result.failure.message.startswith(message)


@pytest.mark.parametrize(
    ("written", "lines"), [("", []), (r"a\r\n\nb\n\n", ["a", "", "b"]), (r"a\342\200\250b", ["a\u2028b"])]
)
async def test_lines_become_a_list(tmp_path: Path, written: str, lines: list[str]) -> None:
    """Lines end with a newline and nothing else; trailing empty ones do not count."""
    outputs = await completed(tmp_path, f"printf '{written}'", parse="lines")

    assert outputs["result"] == lines


async def test_an_error_to_continue_on_still_gives_its_document(tmp_path: Path) -> None:
    """Linters exit with 1 and say why as JSON; one that says nothing gives null."""
    outputs = await completed(tmp_path, "echo [1]; exit 1", parse="json", continue_on_error=True)
    silent = await completed(tmp_path, "exit 1", parse="json", continue_on_error=True)

    assert outputs["result"] == [1]
    assert silent["result"] is None


# -- elsewhere --------------------------------------------------------------------------------


def test_it_runs_from_a_loop_in_any_thread(tmp_path: Path) -> None:
    """The engine's loop lives in a thread of its own."""
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(asyncio.run(run_shell(tmp_path, "echo hi"))))
    thread.start()
    thread.join(timeout=20)

    assert isinstance(results[0], Completed)
    assert results[0].outputs["stdout"] == "hi"


def test_a_command_that_is_said_to_have_worked_has_outputs() -> None:
    """After a crash a person says so; its dependants then see what a silent command gives."""
    outputs = Shell().presumed()

    assert set(outputs) == set(Shell.spec.outputs) - {"result"}
    assert outputs["exit_code"] == 0
    assert outputs["success"] is True


@pytest.mark.parametrize(
    ("command", "summary"),
    [
        ("  make all  ", "make all"),
        ("make a\nmake b", "make a ..."),
        (["git", "push"], "git push"),
        ("x" * 300, "x" * 197 + "..."),
        ("", ""),
    ],
)
def test_a_summary_is_one_bounded_line(command: str | list[str], summary: str) -> None:
    """A person recognises what was about to run."""
    given = list(command) if isinstance(command, list) else command

    assert Shell().summary({"command": given}) == summary  # type: ignore[dict-item]  # list[str] is JSON
