"""Secrets in real processes: planted, used, and looked for in everything that Tidegate leaves and shows."""

import base64
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from cli.calling import Tidegate, until

PLANTED = {
    "FROM_ENV": 'env "v4lue" of/it\'s own+é',
    "FROM_FILE": "-----BEGIN KEY-----\nMIIEvgIBADANBgkqhkiG\n9w0BAQEFAASCBKgwggSk\n-----END KEY-----",
    "FROM_COMMAND": "printed-by-a-program",
    "UNUSED_ONE": "declared-and-not-used",
}
WORKFLOW = """
    name: planted
    secrets:
      FROM_ENV: {env: PLANTED}
      FROM_FILE: {file: key.pem}
      FROM_COMMAND: {command: [./vault, get, it]}
      UNUSED_ONE: {env: UNUSED}
    blocks:
      - id: print
        type: Shell
        on_failure: continue
        inputs:
          stdin: "${secrets.FROM_FILE}"
          env: {E: "${secrets.FROM_ENV}", C: "x ${secrets.FROM_COMMAND}"}
          command: |
            tee key.copy
            printf '%s\\n' "$E" "$C"; printf '%s\\n' "$E" "$C" >&2
            printf '%s' "$E" | base64; base64 key.copy; printf 'me:%s' "$E" | base64
            touch printed; while [ ! -e go ]; do sleep 0.02; done
            echo "no luck with $E" >&2; exit 7
      - {id: others, type: Shell, inputs: {command: "env"}}
      - id: function
        type: Python
        depends_on: [print]
        inputs: {callable: "job:work", args: {secret: "${secrets.FROM_ENV}"}}
      - id: fails
        type: Python
        depends_on: [function]
        inputs: {callable: "job:fail", env: {SECRET: "${secrets.FROM_FILE}"}}
    outputs: {printed: "${print.stdout}"}
"""
JOB = """
import os
def work(secret): return {"it": [secret], secret: secret.encode().hex()[:2]}
def fail(): raise RuntimeError("with " + os.environ["SECRET"])
"""


def prepare(tidegate: Tidegate) -> None:
    """Write the workflow, and plant."""
    tidegate.file("planted.yaml", WORKFLOW)
    tidegate.file("job.py", JOB)
    (tidegate.folder / "key.pem").write_text(PLANTED["FROM_FILE"] + "\n", encoding="utf-8")
    vault = tidegate.file("vault", f'#!/bin/sh\necho "{PLANTED["FROM_COMMAND"]}"\n')
    vault.chmod(0o700)
    tidegate.environ |= {"PLANTED": PLANTED["FROM_ENV"], "UNUSED": PLANTED["UNUSED_ONE"]}


def forms() -> set[bytes]:
    """Return what must be nowhere: each secret and each line of it, as it is, escaped and encoded."""
    found: set[bytes] = set()
    for value in PLANTED.values():
        for text in (value, *value.split("\n")):
            escaped = json.dumps(text)[1:-1]
            written = (
                text,
                escaped,
                json.dumps(text, ensure_ascii=False)[1:-1],
                json.dumps(escaped)[1:-1],
                repr(text)[1:-1],
                quote(text, safe=""),
            )
            found |= {form.encode() for form in written}
        raw = value.encode()
        found |= {
            base64.b64encode(b"me:" + raw)[4:-4],
            base64.b64encode(raw)[:-4],
            raw.replace(b"\n", b"\\n"),
        }
    return found


def leaks(text: bytes) -> list[bytes]:
    """Return what of the secrets is in *text*; base64 may be folded in it."""
    unbroken = text.replace(b"\n", b"")
    return [form for form in forms() if form in text or form in unbroken]


def arguments() -> bytes:
    """Return the command lines of all processes, as `ps` shows them to everybody."""
    listed = subprocess.run(["ps", "-eww", "-o", "args"], check=True, capture_output=True)
    return listed.stdout


def left_by(folder: Path) -> dict[str, bytes]:
    """Return every file that Tidegate has written: the database, its WAL, exports, tests, logs."""
    ours = {"planted.yaml", "job.py", "key.pem", "key.copy", "vault"}
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in ours)
    return {str(path): path.read_bytes() for path in files if "__pycache__" not in path.parts}


def unpacked(database: Path) -> bytes:
    """Return what the database holds, row by row, and unpacked where it is packed."""
    import zstandard

    packed = zstandard.ZstdDecompressor()
    found = bytearray()
    with closing(sqlite3.connect(database)) as opened:
        tables = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for row in (row for table in tables for row in opened.execute(f'SELECT * FROM "{table}"')):  # noqa: S608
            for cell in row:
                data = cell if isinstance(cell, bytes) else str(cell).encode()
                is_packed = data.startswith(b"\x28\xb5\x2f\xfd")
                found += packed.decompress(data, max_output_size=1 << 26) if is_packed else data
    return bytes(found)


def test_planted_secrets_are_found_nowhere(tmp_path: Path) -> None:
    """While it runs and afterwards: database, WAL, output, errors, exports, tests, arguments of processes."""
    tidegate = Tidegate(tmp_path)
    prepare(tidegate)
    running = tidegate.start("run", "planted.yaml", "--json", TIDEGATE_DEBUG="1")
    until((tmp_path / "printed").exists)
    meanwhile = arguments()
    # What was printed is on its way to the store for a tenth of a second.
    until(lambda: b"[secret FROM_ENV]" in b"".join(left_by(tmp_path).values()) or running.poll() is not None)
    then = b"".join(left_by(tmp_path).values())
    (tmp_path / "go").touch()
    out, err = running.communicate(timeout=60)
    run = json.loads(out)["run_id"]
    shown = [
        tidegate.call("runs", "show", run),
        tidegate.call("runs", "show", run, "--json"),
        tidegate.call("logs", run),
        tidegate.call("logs", run, "print", "--raw"),
        tidegate.call("checkpoints", "list", "--json"),
        tidegate.call("checkpoints", "show", run, "--json"),
        tidegate.call("checkpoints", "export", run),
        tidegate.call("checkpoints", "export", run, "--as-test", "test_planted.py"),
        tidegate.call("backup", "saved.db"),
    ]

    assert [done.code for done in shown] == [0] * len(shown)
    assert running.returncode == 1
    assert (tmp_path / "key.copy").read_text() == PLANTED["FROM_FILE"]
    assert b"tee key.copy" in meanwhile
    assert leaks(meanwhile) == []
    assert leaks(then) == []
    assert leaks(out + err) == []
    assert [(done.out, done.err) for done in shown if leaks((done.out + done.err).encode())] == []
    files = left_by(tmp_path)
    assert {"test_planted.py", "saved.db", "tidegate.db"} <= {os.path.basename(name) for name in files}  # noqa: PTH119
    assert {name: found for name, data in files.items() if (found := leaks(data))} == {}
    held = unpacked(tmp_path / "tidegate.db")
    assert leaks(held) == []
    for name in ("FROM_ENV", "FROM_FILE", "FROM_COMMAND"):
        assert f"[secret {name}]".encode() in held
    assert b"PLANTED=" not in held


def test_a_recorded_run_is_replayed_without_its_secrets(tmp_path: Path) -> None:
    """A test that was made of a run needs none of them: nothing is read, and nothing is done."""
    tidegate = Tidegate(tmp_path)
    prepare(tidegate)
    (tmp_path / "go").touch()
    run = tidegate.call("run", "planted.yaml", "--json").document["run_id"]
    assert tidegate.call("checkpoints", "export", run, "--as-test", "test_planted.py").code == 0
    (tmp_path / "vault").unlink()
    (tmp_path / "key.pem").unlink()
    environ = {name: value for name, value in os.environ.items() if name not in {"PLANTED", "UNUSED"}}

    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_planted.py"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        check=False,
    )

    assert tested.returncode == 0, tested.stdout.decode()


def test_after_a_restart_a_secret_is_read_again(tmp_path: Path) -> None:
    """By whichever process drives then: it says what is missing there, and goes on when it is there."""
    tidegate = Tidegate(tmp_path, {"PLANTED": "first-value"})
    tidegate.file(
        "two.yaml",
        """
        name: two
        secrets: [PLANTED]
        blocks:
          - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
          - id: use
            type: Shell
            depends_on: [gate]
            inputs: {command: 'printf %s "$T" > used', env: {T: "${secrets.PLANTED}"}}
        """,
    )
    run = tidegate.call("run", "two.yaml", "--json").document["run_id"]
    del tidegate.environ["PLANTED"]

    answered = tidegate.call("answer", run, "yes")
    resumed = tidegate.call("resume", run, PLANTED="second-value")

    assert answered.code == 1
    assert (
        "secret 'PLANTED' is missing: the environment variable PLANTED is not set"
        in answered.err + answered.out
    )
    assert resumed.code == 0
    assert (tmp_path / "used").read_text() == "second-value"
