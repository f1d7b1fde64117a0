"""Where a secret is read, and what is said when it is not there."""

import os
from pathlib import Path

import pytest

from blocks.running import is_running, pid_in
from tidegate.blocks.secret_sources import MOST, Unreadable, read_secret
from tidegate.model.secret import FromCommand, FromEnvironment, FromFile, SecretDefinition, SecretSource


def secret(source: SecretSource) -> SecretDefinition:
    """Return a declaration of T."""
    return SecretDefinition(name="T", source=source)


async def test_each_source_gives_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the line breaks at its end, which no editor and no program leaves out; those inside stay."""
    monkeypatch.setenv("DEPLOY", " in env ")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "key").write_bytes("två\r\nlines\r\n\n".encode())
    sources = (
        FromEnvironment(variable="DEPLOY"),
        FromFile(path="home/key"),
        FromFile(path="~/key"),
        FromCommand(words=("sh", "-c", "echo from $PWD; echo noise >&2")),
    )

    found = [await read_secret(secret(source), str(tmp_path)) for source in sources]

    assert found == [" in env ", "två\r\nlines", "två\r\nlines", f"from {tmp_path}"]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            FromEnvironment(variable="NOT_THERE"),
            "is missing: the environment variable NOT_THERE is not set in",
        ),
        (FromEnvironment(variable="EMPTY"), "is missing: what was found is empty"),
        (
            FromEnvironment(variable="SHORT"),
            "has 3 characters: one of fewer than 4 cannot be masked, and is not",
        ),
        (FromEnvironment(variable="BYTES"), r"is no text \(UTF-8\): pass the path of a file instead"),
        (FromFile(path="nosuch"), r"the file /.*/nosuch cannot be read \(No such file or directory\)"),
        (FromFile(path="."), "is no regular file"),
        (FromFile(path="pipe"), "pipe is no regular file"),
        (FromFile(path="short"), "has 3 characters"),
        (FromFile(path="nul"), "holds a NUL character"),
        (FromFile(path="large"), "has more than 16,384 bytes: pass the path"),
        (FromCommand(words=("nosuchprogram",)), "there is no program nosuchprogram on the PATH"),
        (
            FromCommand(words=("sh", "-c", "echo hidden-part; exit 3")),
            "sh ended with exit code 3; run it by hand",
        ),
        (FromCommand(words=("sh", "-c", "kill -9 $$")), "sh ended with signal 9"),
        (FromCommand(words=("true",)), "is missing: what was found is empty"),
        (FromCommand(words=("sh", "-c", "yes | head -c 20000000")), "has more than 16,384 bytes"),
    ],
)
async def test_what_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: SecretSource, problem: str
) -> None:
    """With where it was looked for, and nothing of what was found."""
    for variable, value in {b"EMPTY": b" ", b"SHORT": b"a\nbc", b"BYTES": b"abc\xff\xfe"}.items():
        monkeypatch.setitem(os.environb, variable, value)
    monkeypatch.delenv("NOT_THERE", raising=False)
    os.mkfifo(tmp_path / "pipe")
    for name, data in {"short": b"abc\n", "nul": b"ab\0cd", "large": b"x" * (MOST + 1)}.items():
        (tmp_path / name).write_bytes(data)

    with pytest.raises(Unreadable, match=problem) as caught:
        await read_secret(secret(source), str(tmp_path))

    assert str(caught.value).startswith("secret 'T' ")
    assert "hidden-part" not in str(caught.value)


async def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    """With everything that it started."""
    source = FromCommand(words=("sh", "-c", "echo half; sleep 600 & echo $! > pid; wait"))

    with pytest.raises(Unreadable, match=r"sh did not print it in 0.5 s"):
        await read_secret(secret(source), str(tmp_path), patience=0.5)

    assert not is_running(pid_in(tmp_path / "pid"))
