"""What ReadFile makes of a file, and that WriteFile writes all of one or nothing."""

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from blocks.running import KeptContext, until
from tidegate.blocks.base import Completed, Failed, Result, WorkBlock
from tidegate.blocks.files import ReadFile, WriteFile
from tidegate.model.base import Json, JsonObject
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect


async def run(block: WorkBlock, where: Path, inputs: JsonObject) -> Result:
    """Run a block to its end."""
    return await block.run(inputs, KeptContext(where))


async def read(where: Path, path: str, **inputs: Json) -> JsonObject:
    """Read a file that must be readable."""
    result = await run(ReadFile(), where, {"path": path, **inputs})
    assert isinstance(result, Completed), result
    return result.outputs


async def not_read(where: Path, path: str, **inputs: Json) -> tuple[FailureKind, str]:
    """Read a file that must fail; return why."""
    result = await run(ReadFile(), where, {"path": path, **inputs})
    assert isinstance(result, Failed), result
    return result.failure.kind, result.failure.message


async def write(where: Path, path: str, content: Json, **inputs: Json) -> JsonObject:
    """Write a file that must be writable."""
    result = await run(WriteFile(), where, {"path": path, "content": content, **inputs})
    assert isinstance(result, Completed), result
    return result.outputs


async def not_written(where: Path, path: str, content: Json = "x", **inputs: Json) -> tuple[FailureKind, str]:
    """Write a file that must fail; return why."""
    result = await run(WriteFile(), where, {"path": path, "content": content, **inputs})
    assert isinstance(result, Failed), result
    return result.failure.kind, result.failure.message


def names_in(folder: Path) -> list[str]:
    """Return what is in a folder."""
    return sorted(path.name for path in folder.iterdir())


async def python(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, with what these tests have."""
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", script],
        check=False,
        capture_output=True,
        text=True,
        env=environ,
    )


def mode_of(path: Path) -> int:
    """Return the permissions of a file."""
    return path.stat().st_mode & 0o777


# -- reading ----------------------------------------------------------------------------------


async def test_a_file_is_its_text_and_what_is_known_of_it(tmp_path: Path) -> None:
    """Size and digest are those of the bytes; nothing is trimmed."""
    (tmp_path / "f").write_text("ä\r\n\n", newline="")

    outputs = await read(tmp_path, "f")

    assert outputs == {
        "content": "ä\r\n\n",
        "result": "ä\r\n\n",
        "exists": True,
        "size": 5,
        "sha256": hashlib.sha256("ä\r\n\n".encode()).hexdigest(),
        "path": f"{tmp_path}/f",
    }
    assert set(outputs) == set(ReadFile.spec.outputs)


@pytest.mark.parametrize(
    ("data", "inputs", "result"),
    [
        (b'{"a": [1, null]}', {"parse": "json"}, {"a": [1, None]}),
        (b"\xef\xbb\xbf[1]", {"parse": "json"}, [1]),
        (b"a\r\n\nb\n", {"parse": "lines"}, ["a", "", "b"]),
        (b"a\n\n", {"parse": "lines"}, ["a", ""]),
        (b"", {"parse": "lines"}, []),
        (b"caf\xe9", {"encoding": "latin-1"}, "café"),
        (b"h\x00i\x00", {"encoding": "utf-16-le"}, "hi"),
        (b"", {"parse": "yaml"}, None),
        (
            b"country: NO\nat: 12:30\nday: 2026-01-02\nversion: 1.10\nn: 010\non: true\n1: [~, -2, 1e3, 0x1f]\n",
            {"parse": "yaml"},
            {
                "country": "NO",
                "at": "12:30",
                "day": "2026-01-02",
                "version": 1.1,
                "n": 10,
                "on": True,
                "1": [None, -2, 1000.0, "0x1f"],
            },
        ),
        (b"a: &x [1]\nb: *x\n", {"parse": "yaml"}, {"a": [1], "b": [1]}),
    ],
)
async def test_a_file_is_parsed_as_the_block_says(
    tmp_path: Path, data: bytes, inputs: JsonObject, result: Json
) -> None:
    """YAML is read as a workflow file is: no word becomes a truth value or a date by itself."""
    (tmp_path / "f").write_bytes(data)

    assert (await read(tmp_path, "f", **inputs))["result"] == result


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "inputs", "message"),
    [
        ("{", {"parse": "json"}, "f is no JSON: "),
        ("NaN", {"parse": "json"}, "f is no JSON: "),
        ("a: [1", {"parse": "yaml"}, "f is no YAML that can be used: "),
        ("a: 1\na: 2", {"parse": "yaml"}, "the key 'a' is there twice"),
        ("a: 1\n---\nb: 2", {"parse": "yaml"}, "but found another document"),
        ("a: !!python/object:os.system x", {"parse": "yaml"}, "could not determine a constructor"),
        ("a: !!binary aGk=", {"parse": "yaml"}, "a value is bytes, which JSON does not have"),
        ("a: 1e999", {"parse": "yaml"}, "a number is too large"),
        ("b: {<<: {a: 1}}", {"parse": "yaml"}, "merge keys (<<) are not read"),
        ("[" * 1500, {"parse": "yaml"}, "f is no YAML that can be used: "),
        (BOMB, {"parse": "yaml"}, "more than 1000000 values"),
        ("\xff", {"encoding": "ascii"}, "f is no ascii: byte 0 does not belong there"),
    ],
)
async def test_what_cannot_be_parsed_says_why(
    tmp_path: Path, text: str, inputs: JsonObject, message: str
) -> None:
    """And is the same the next time, so that no retry repeats it."""
    (tmp_path / "f").write_text(text)

    kind, told = await not_read(tmp_path, "f", **inputs)

    assert kind is FailureKind.OUTPUTS
    assert message in told


async def test_a_missing_file_is_a_failure_or_what_the_block_says(tmp_path: Path) -> None:
    """Null is something that can be said, too."""
    kind, message = await not_read(tmp_path, "no/f")
    given = await read(tmp_path, "no/f", if_missing={"a": 1})
    nothing = await read(tmp_path, "f", if_missing=None)

    assert kind is FailureKind.ERROR
    assert message == f"{tmp_path}/no/f does not exist: `if_missing` says what to go on with"
    assert (given["result"], given["content"], given["exists"], given["size"]) == ({"a": 1}, "", False, 0)
    assert nothing["result"] is None


async def test_only_files_are_read(tmp_path: Path) -> None:
    """A pipe that nobody writes to holds nobody up, and a device has no end."""
    os.mkfifo(tmp_path / "pipe")

    assert await not_read(tmp_path, ".") == (FailureKind.ERROR, f"{tmp_path} is a directory, not a file")
    assert (await not_read(tmp_path, "pipe"))[1] == f"{tmp_path}/pipe is a pipe, not a file"
    assert (await not_read(tmp_path, "/dev/zero"))[1] == "/dev/zero is a device, not a file"
    assert (await not_read(tmp_path, "~/x"))[1].startswith(
        f"{tmp_path}/~/x does not exist (`~` is not expanded"
    )


async def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """Half a file is none."""
    (tmp_path / "f").write_bytes(b"x" * 11)

    kind, message = await not_read(tmp_path, "f", max_bytes=10)

    assert (kind, message) == (FailureKind.ERROR, f"{tmp_path}/f has more than 10 bytes (max_bytes)")
    assert (await read(tmp_path, "f", max_bytes=11))["size"] == 11


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({"path": ""}, "'path' must be a path, not ''"),
        ({"path": "a\0b"}, "'path' must be a path"),
        (
            {"path": "f", "encoding": "klingon"},
            "'encoding' must be an encoding like utf-8 or latin-1, not 'klingon'",
        ),
        ({"path": "f", "encoding": "hex"}, "'encoding' must be an encoding"),
    ],
)
async def test_wrong_inputs_of_a_read_are_named(tmp_path: Path, inputs: JsonObject, problem: str) -> None:
    """Before anything is opened."""
    result = await run(ReadFile(), tmp_path, inputs)

    assert isinstance(result, Failed)
    assert result.failure.kind is FailureKind.INPUTS
    assert result.failure.message.startswith(problem)


# -- writing ----------------------------------------------------------------------------------


async def test_a_file_is_written_and_then_left_alone(tmp_path: Path) -> None:
    """The same content a second time touches nothing, and says so."""
    first = await write(tmp_path, "f", "ä\n")
    before = (tmp_path / "f").stat()
    second = await write(tmp_path, "f", "ä\n")

    assert first == {
        "path": f"{tmp_path}/f",
        "bytes": 3,
        "sha256": hashlib.sha256("ä\n".encode()).hexdigest(),
        "changed": True,
    }
    assert second == first | {"changed": False}
    assert (tmp_path / "f").stat().st_mtime_ns == before.st_mtime_ns
    assert (tmp_path / "f").read_bytes() == "ä\n".encode()
    assert names_in(tmp_path) == ["f"]


async def test_permissions_are_kept_set_or_usual(tmp_path: Path) -> None:
    """A secret that was private stays private; a new file is like every other new file."""
    (tmp_path / "old").write_text("a")
    (tmp_path / "old").chmod(0o600)
    (tmp_path / "usual").touch()

    await write(tmp_path, "old", "b")
    await write(tmp_path, "new", "b")
    await write(tmp_path, "set", "b", permissions="0640")
    again = await write(tmp_path, "set", "b", permissions=600)

    assert mode_of(tmp_path / "old") == 0o600
    assert mode_of(tmp_path / "new") == mode_of(tmp_path / "usual")
    assert mode_of(tmp_path / "set") == 0o600
    assert again["changed"] is True


async def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    """Also when the target is not there yet, or in another folder."""
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d/target")

    await write(tmp_path, "link", "1")
    await write(tmp_path, "link", "2")
    await write(tmp_path, "link", "3", mode="append")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "d/target").read_text() == "23"
    assert names_in(tmp_path / "d") == ["target"]


async def test_create_replaces_nothing(tmp_path: Path) -> None:
    """Neither a file nor a link that leads nowhere."""
    (tmp_path / "link").symlink_to("nowhere")

    await write(tmp_path, "f", "1", mode="create", permissions="0600")
    kind, message = await not_written(tmp_path, "f", "2", mode="create")
    _, dangling = await not_written(tmp_path, "link", "2", mode="create")

    assert kind is FailureKind.ERROR
    assert message == f"{tmp_path}/f exists already, and 'mode: create' replaces nothing"
    assert dangling.startswith(f"{tmp_path}/link exists already")
    assert (tmp_path / "f").read_text() == "1"
    assert mode_of(tmp_path / "f") == 0o600
    assert names_in(tmp_path) == ["f", "link"]


async def test_append_adds_to_the_end(tmp_path: Path) -> None:
    """And makes the file if there is none."""
    await write(tmp_path, "log", "1\n", mode="append")
    outputs = await write(tmp_path, "log", "22\n", mode="append")

    assert (tmp_path / "log").read_text() == "1\n22\n"
    assert (outputs["bytes"], outputs["changed"]) == (3, True)


async def test_folders_are_made_only_if_the_block_says_so(tmp_path: Path) -> None:
    """A slip in a path must not make a new tree."""
    kind, message = await not_written(tmp_path, "a/b/f")
    await write(tmp_path, "a/b/f", "x", make_parents=True)
    _, below_a_file = await not_written(tmp_path, "a/b/f/g", make_parents=True)

    assert kind is FailureKind.ERROR
    assert (
        message
        == f"{tmp_path}/a/b/f: the folder {tmp_path}/a/b does not exist: `make_parents: true` makes it"
    )
    assert (tmp_path / "a/b/f").read_text() == "x"
    assert below_a_file.startswith(f"the folder {tmp_path}/a/b/f could not be made: ")


@pytest.mark.parametrize("mode", ["overwrite", "append"])
async def test_only_files_are_written(tmp_path: Path, mode: str) -> None:
    """A pipe or a device is no place to leave a file."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")

    assert (await not_written(tmp_path, ".", mode=mode))[1] == f"{tmp_path} is a directory, not a file"
    assert (await not_written(tmp_path, "pipe", mode=mode))[1] == f"{tmp_path}/pipe is a pipe, not a file"
    assert (await not_written(tmp_path, "/dev/null", mode=mode))[1] == "/dev/null is a device, not a file"
    assert (await not_written(tmp_path, "loop", mode=mode))[1].endswith(
        "its symbolic links go round in a circle"
    )


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({"content": "\ud800"}, "'content' holds half of a surrogate pair"),
        ({"content": "", "permissions": "rw"}, "'permissions' must be octal, like '0644', not 'rw'"),
        ({"content": "", "permissions": "4755"}, "'permissions' must be octal"),
        ({"content": "", "mode": "replace"}, "'mode' must be one of overwrite, create, append"),
        ({}, "'content' is required"),
    ],
)
async def test_wrong_inputs_of_a_write_are_named(tmp_path: Path, inputs: JsonObject, problem: str) -> None:
    """And nothing is left behind."""
    result = await run(WriteFile(), tmp_path, {"path": "f", **inputs})

    assert isinstance(result, Failed)
    assert result.failure.kind is FailureKind.INPUTS
    assert result.failure.message.startswith(problem)
    assert names_in(tmp_path) == []


async def test_a_mapping_that_a_reference_gave_is_written_as_json(tmp_path: Path) -> None:
    """In a file it would be a mistake, and the load says so."""
    result = await run(WriteFile(), tmp_path, {"path": "f", "content": {"a": [1]}})
    [problem] = WriteFile.spec.check({"path": "f", "content": {"a": [1]}}, lambda _: False)

    assert isinstance(result, Completed)
    assert (tmp_path / "f").read_text() == '{"a":[1]}'
    assert problem.message == "'content' must be text, not a mapping"


@pytest.mark.parametrize("mode", ["overwrite", "create"])
async def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, mode: str) -> None:
    """The disk is full in the middle: the old file is whole, and no other is beside it."""
    (tmp_path / "old").write_text("old")
    script = f"""
import asyncio, resource, signal
from pathlib import Path
from blocks.running import KeptContext
from tidegate.blocks.files import WriteFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
inputs = {{"path": "{"old" if mode == "overwrite" else "new"}", "content": "x" * 300_000, "mode": "{mode}"}}
print(asyncio.run(WriteFile().run(inputs, KeptContext(Path({str(tmp_path)!r})))).failure.message)
"""
    done = await python(script)

    assert "file too large" in done.stdout
    assert (tmp_path / "old").read_text() == "old"
    assert names_in(tmp_path) == ["old"]


async def test_nobody_reads_half_a_file(tmp_path: Path) -> None:
    """While one is replaced again and again, every reader sees a whole one."""
    contents = ["a" * 300_000, "b" * 200_000]
    (tmp_path / "f").write_text(contents[0])
    seen: set[str] = set()
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            seen.add((tmp_path / "f").read_text())

    reader = threading.Thread(target=look)
    reader.start()
    try:
        for number in range(40):
            await write(tmp_path, "f", contents[number % 2])
        await until(lambda: len(seen) > 0)
    finally:
        stop.set()
        reader.join()

    assert seen <= set(contents)


async def test_a_killed_write_leaves_nothing_that_stays(tmp_path: Path) -> None:
    """Run again with the same key, it replaces what the crash left behind."""
    script = f"""
import asyncio, os, signal
from pathlib import Path
from blocks.running import KeptContext
from tidegate.blocks.files import WriteFile
# The last thing before the new file takes its name.
os.fsync = lambda number: os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(WriteFile().run({{"path": "f", "content": "new"}}, KeptContext(Path({str(tmp_path)!r}))))
"""
    (tmp_path / "f").write_text("old")
    done = await python(script)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "f").read_text() == "old"
    assert len(names_in(tmp_path)) == 2

    await write(tmp_path, "f", "new")

    assert (tmp_path / "f").read_text() == "new"
    assert names_in(tmp_path) == ["f"]


@pytest.mark.parametrize(
    ("inputs", "effect"),
    [
        ({}, Effect.IDEMPOTENT),
        ({"mode": "overwrite"}, Effect.IDEMPOTENT),
        ({"mode": "create"}, Effect.ONCE),
        ({"mode": "append"}, Effect.ONCE),
        ({"mode": "${how}"}, Effect.ONCE),
    ],
)
def test_the_effect_follows_from_the_mode(inputs: JsonObject, effect: Effect) -> None:
    """Only replacing a file twice is replacing it once."""
    assert WriteFile.spec.effect_with(inputs) is effect


def test_a_person_recognises_the_file() -> None:
    """In one bounded line."""
    assert ReadFile().summary({"path": "a\nb"}) == "read a b"
    assert WriteFile().summary({"path": "x" * 300, "mode": "append"}) == "append " + "x" * 190 + "..."
    assert set(WriteFile().presumed()) == set(WriteFile.spec.outputs)
