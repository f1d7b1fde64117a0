"""Every command of the command line over hostile text: the terminal is sent nothing that it would obey."""

import asyncio
import io
import json
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from hostile import EVIL, NAME, obeyed, quoted
from running import World, world
from tidegate.cli.main import run, tidegate
from tidegate.model.answer import Reply

WORKFLOW = f"""
name: evil
description: {quoted(EVIL)}
inputs:
  note: {{type: string, description: {quoted(EVIL)}, default: {quoted(EVIL)}, choices: [{quoted(EVIL)}]}}
blocks:
  - {{id: out, type: Shell, description: {quoted(EVIL)}, inputs: {{command: "printf %s ${{note}}; printf '\\\\377\\\\n' >&2"}}}}
  - id: gate
    type: AskChoice
    depends_on: [out]
    inputs: {{question: "${{note}}", choices: ["${{note}}", fine]}}
  - {{id: check, type: Shell, depends_on: [gate], inputs: {{command: "printf %s ${{note}} >&2; exit 3"}}}}
  - {{id: after, type: Shell, depends_on: [check], inputs: {{command: ls}}}}
  - {{id: each, type: Shell, for_each: ["${{note}}", fine], inputs: {{command: "exit 4"}}}}
outputs: {{said: "${{out.stdout}}", note: "${{note}}"}}
"""
BROKEN = (
    f"name: evil\n{quoted(EVIL)}: 1\nblocks:\n  - {{id: {quoted(EVIL)}, type: {quoted(EVIL)}}}\n"
    f"  - {{id: b, type: Shell, depends_on: [{quoted(EVIL)}], inputs: {{command: {quoted('${' + EVIL + '}')}}}}}\n"
    f"  - {{id: c, type: Shell, {quoted(EVIL)}: 1, condition: {quoted('${' + EVIL + '} == 1')}}}\n"
)


@dataclass(frozen=True)
class Evil:
    """A folder and a store in which everything that may be is hostile."""

    folder: Path
    names: dict[str, str]
    """What the words in braces of a call stand for."""

    def words(self, call: str) -> list[str]:
        """Return the words of a call."""
        return [word.format_map(self.names) for word in shlex.split(call)]


async def _filled(made: World, by: str) -> dict[str, str]:
    asks, cancelled, failed, deleted = [await made.start(WORKFLOW, note=EVIL) for _ in range(4)]
    for run_id in (asks, cancelled, failed, deleted):
        await made.rest(run_id)
    for run_id in (cancelled, deleted):
        await made.executor.cancel(run_id, by=by, reason=EVIL)
        await made.rest(run_id)
    pause = await made.pause_of(failed, "gate")
    await made.executor.answer(pause.pause_id, Reply(EVIL, by, "cli", EVIL))
    await made.rest(failed)
    gate = await made.pause_of(asks, "gate")
    return {
        "asks": asks,
        "cancelled": cancelled,
        "failed": failed,
        "deleted": deleted,
        "gate": gate.pause_id,
        "evil": NAME,
        "text": EVIL,
    }


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evil]:
    """The folder is the working directory as long as there are tests, with a hostile operator."""
    folder = tmp_path_factory.mktemp("evil") / NAME
    folder.mkdir()
    for name, text in (("w", WORKFLOW), ("broken", BROKEN), (NAME, WORKFLOW), (f"{NAME}broken", BROKEN)):
        (folder / f"{name}.yaml").write_text(text, "utf-8", "backslashreplace")
    (folder / f"{os.fsdecode(b'x')}{NAME}.json").write_text(json.dumps({EVIL: EVIL}))

    async def fill() -> dict[str, str]:
        async with world(folder, f"sqlite:///{folder}/tidegate.db") as made:
            return await _filled(made, f"ana {EVIL}")

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("TIDEGATE_CONFIG", "TIDEGATE_DEBUG", "COLUMNS", "NO_COLOR"):
            patch.delenv(name, raising=False)
        patch.setenv("TIDEGATE_OPERATOR", f"ana {NAME}")
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setenv("TIDEGATE_WORKFLOWS", str(folder))
        patch.setenv("TIDEGATE_STORE", f"sqlite:///{folder}/tidegate.db")
        yield Evil(folder, asyncio.run(fill()))


CALLS = [
    "inbox",
    "assign {gate} {text} --note {text}",
    "assign {gate} {evil} --note {evil}",
    "assign {text} ana",
    "inbox --for {text}",
    "runs list",
    "runs list --workflow {evil}",
    "runs list --workflow {text}",
    "stats --workflow {text}",
    "checkpoints list --block {text}",
    "checkpoints clear {text} --yes",
    "checkpoints prune --workflow {text} --dry-run",
    "validate {text}",
    "plan {text}",
    "runs show {asks}",
    "runs show {cancelled} --items",
    "runs show {failed}",
    "runs show {evil}",
    "runs show {text}",
    "runs show {asks} --items",
    "runs list --status {text}",
    "logs {failed}",
    "logs {failed} {evil}",
    "logs {failed} {text}",
    "logs {failed} each {text}x",
    "logs {failed} --timestamps",
    "checkpoints list",
    "checkpoints list --block {evil}",
    "checkpoints mark {failed} --label {text}",
    "checkpoints show {failed}",
    "checkpoints show {gate} --block {evil}",
    "checkpoints diff {failed} {cancelled}",
    "checkpoints diff {failed} --with {evil}.yaml",
    "checkpoints fork {failed}@1 --dry-run --set note={text}",
    "checkpoints fork {failed}@1 --set {evil}=1",
    "checkpoints label {gate} {text}",
    "checkpoints list --open",
    "checkpoints pin {gate}",
    "checkpoints unpin {gate}",
    "checkpoints unpin {evil}",
    "checkpoints delete {gate} --yes --dry-run --cancel",
    "checkpoints delete {gate} --yes",
    "checkpoints delete {evil} --yes",
    "checkpoints verify",
    "checkpoints verify {evil}",
    "checkpoints export {failed} {evil}.out",
    "checkpoints export {failed} {evil}.out",
    "checkpoints export {failed} --as-test {evil}.test.py",
    "checkpoints import {evil}.out --dry-run",
    "checkpoints import {evil}.out --as-new",
    "checkpoints import {evil}.yaml",
    "checkpoints prune --workflow {evil} --keep 1 --dry-run",
    "checkpoints clear {evil} --yes",
    "validate w.yaml {evil}.yaml {evil}broken.yaml broken.yaml {evil}none.yaml",
    "validate {evil}.out",
    "plan {evil}.yaml",
    "plan broken.yaml",
    "run broken.yaml",
    "run {evil}.yaml",
    "run {evil}.yaml --by {text}",
    "run {evil}",
    "run {text}",
    "run w.yaml --input {text}=1",
    "run w.yaml --input {evil}=1",
    "run w.yaml --input note={text}x",
    "run w.yaml --inputs x{evil}.json",
    "answer {gate} {evil}",
    "answer {gate} {text} --dry-run --full --comment {text}",
    "answer {evil} yes",
    "answer {text} yes",
    "answer {gate} {text}x",
    "answer {gate} --field {evil}=1",
    "answer {gate} {text} --comment {text}",
    "answer {gate} {text} --comment {text}",
    "resume {failed}",
    "resume {evil}",
    "worker --once",
    "runs pause {asks} --reason {text}",
    "runs unpause {evil}",
    "runs retry {failed} --block {evil}",
    "runs rerun {failed} --block {evil}",
    "runs skip {failed} --block {evil} --reason {text}",
    "runs cancel {evil} --reason {text}",
    "runs cancel {asks} --reason {text}",
    "runs delete {deleted} {evil} --yes",
    "runs delete {deleted} --dry-run",
    "runs delete {deleted} --yes",
    "init {evil}",
    "schema",
    "blocks",
    "blocks {evil}",
    "demo",
    "stats",
    "stats --workflow {evil}",
    "stats --prometheus",
    "watch --once",
    "backup {evil}.copy",
    "backup {evil}.copy",
    "config show",
    "config path",
    "keys",
    "completion {evil}",
    "completion bash",
    "doctor",
    "doctor --store sqlite:///{evil}/none.db",
    "inbox --store {evil}://x",
    "inbox --store {text}://x",
    "inbox --store sqlite:///{evil}.yaml",
    "encryption key",
    "encryption status",
    "encryption rotate",
    "encryption copy {evil}.yaml",
    "mcp --http {evil}",
    "mcp",
    "{evil}",
    "--{evil}",
    "--{text}",
    "inbox --{text}",
    "inbox --{evil}=1",
]


def leaves(command: click.Command, path: str = "") -> Iterator[str]:
    """Yield every command by its words."""
    if not isinstance(command, click.Group):
        yield path.strip()
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, f"{path} {name}")


def test_every_command_is_called_here() -> None:
    """A new one is told to join."""
    missing = [
        path for path in leaves(tidegate) if not any(f"{call} ".startswith(f"{path} ") for call in CALLS)
    ]

    assert missing == []


def test_no_command_sends_a_terminal_what_it_would_obey(
    evil: Evil, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what it shows nor what it complains of, whatever is hostile: texts, names, files, words typed.

    And no text that somebody wrote can look like a line of ours; `logs` shows output as it was.
    """
    found = {}
    for call in CALLS:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        code = run(evil.words(call))
        out, err = capfdbinary.readouterr()
        if faults := obeyed(out.decode()) + obeyed(err.decode()):
            found[call] = (code, faults[:3])
        assert b"Traceback" not in err, (call, err.decode())
        assert b"went wrong" not in err, (call, err.decode())
        assert out or err or call == "mcp", call
        told = b"\n" + (b"" if call.startswith("logs") else out) + b"\n" + err
        if b"\nFORGED" in told:
            found.setdefault(call, (code, [f"a line that is not ours: {told.decode()}"]))

    assert found == {}


def test_what_a_shell_completes_is_neither_run_nor_obeyed(
    evil: Evil, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell puts it into the command line without quotes: only plain names are proposed."""
    (evil.folder / "$(touch PWNED).yaml").write_text(WORKFLOW)
    (evil.folder / "plain.yaml").write_text(WORKFLOW)
    (evil.folder / "two\nplain,evil.yaml").write_text(WORKFLOW)
    for shell, words in (("bash", "tidegate run "), ("zsh", "tidegate checkpoints show ")):
        monkeypatch.setenv("_TIDEGATE_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
        run()
        out, err = capfdbinary.readouterr()

        assert err == b""
        assert b"plain" in out
        assert b"evil" not in out.replace(b"evil, ", b"").replace(b"evil\n", b"")
        assert b"PWNED" not in out
        assert obeyed(out.decode()) == []
