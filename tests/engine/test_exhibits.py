"""What a question shows is frozen when its pause opens."""

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from tidegate.engine.exhibits import freeze
from tidegate.model.exhibit import Exhibit, ExhibitKind, Source
from tidegate.model.prompt import ConfirmPrompt, Evidence, RecoveryPrompt


def file(path: str) -> Exhibit:
    """Return a file that is still to be read."""
    return Exhibit(title=path, kind=ExhibitKind.FILE, sources=(Source(path=path),))


def diff(old: Source, new: Source) -> Exhibit:
    """Return a difference that is still to be made."""
    return Exhibit(title="Change", kind=ExhibitKind.DIFF, sources=(old, new))


async def frozen(folder: Path, *exhibits: Exhibit) -> tuple[Exhibit, ...]:
    """Return exhibits as a person sees them."""
    prompt = await freeze(ConfirmPrompt(message="Go?", show=exhibits), str(folder))
    assert all(exhibit.is_frozen for exhibit in prompt.show)
    return prompt.show


async def test_the_person_sees_the_bytes_that_will_be_used(tmp_path: Path) -> None:
    """Text, size and hash are of that moment; what becomes of the file changes nothing."""
    (tmp_path / "plan").write_text("2 to add\n", encoding="utf-8")
    asked = ConfirmPrompt(message="Go?", show=(file("plan"), file(str(tmp_path / "plan"))))

    prompt = await freeze(asked, str(tmp_path))
    (tmp_path / "plan").write_text("900 to destroy\n", encoding="utf-8")
    again = await freeze(prompt, str(tmp_path))

    assert again == prompt
    for exhibit in prompt.show:
        assert exhibit.text == "2 to add\n"
        assert exhibit.size == 9
        assert exhibit.sha256 == hashlib.sha256(b"2 to add\n").hexdigest()
        assert not exhibit.left_out


async def test_a_large_file_keeps_both_ends_and_the_hash_of_all(tmp_path: Path) -> None:
    """With a mark where something is missing."""
    data = b"begin\n" + b"x" * 3_000_000 + b"\nPlan: 3 to add\n"
    (tmp_path / "plan").write_bytes(data)
    (exhibit,) = await frozen(tmp_path, file("plan"))

    assert exhibit.size == len(data)
    assert exhibit.sha256 == hashlib.sha256(data).hexdigest()
    assert exhibit.left_out == len(data) - 64 * 1024
    assert exhibit.text.startswith("begin\n")
    assert exhibit.text.endswith("\nPlan: 3 to add\n")
    assert f"[... {exhibit.left_out:,} bytes are left out here ...]" in exhibit.text


async def test_what_is_no_text_is_told_by_its_size(tmp_path: Path) -> None:
    """A few bytes that are no UTF-8 in a text are replaced."""
    (tmp_path / "image").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    image, latin = await frozen(tmp_path, file("image"), file("latin"))

    assert image.text == "(image is no text: 6 bytes)"
    assert image.sha256
    assert latin.text == "caf�"


async def test_a_file_that_cannot_be_read_is_shown_as_such(tmp_path: Path) -> None:
    """The question is asked all the same; a pipe that nobody writes to does not hold it up."""
    os.mkfifo(tmp_path / "pipe")
    names = ["deploy.plan", ".", "pipe", "/dev/zero", "x" * 300, "plan/under"]
    (tmp_path / "plan").write_text("x", encoding="utf-8")
    async with asyncio.timeout(10):
        shown = await frozen(tmp_path, *map(file, names))

    assert shown[0].text == shown[0].problem == "deploy.plan cannot be read: no such file or directory"
    assert [exhibit.text.partition(" cannot be read: ")[2] for exhibit in shown[1:]] == [
        "is a directory",
        "it is no regular file",
        "it is no regular file",
        "file name too long",
        "not a directory",
    ]
    assert not any(exhibit.sha256 for exhibit in shown)


async def test_a_difference_is_a_unified_diff(tmp_path: Path) -> None:
    """Between files and texts in any combination; the hash is of the new file."""
    (tmp_path / "live").write_text("a\nb\nc\n", encoding="utf-8")
    (tmp_path / "new").write_text("a\nB\nc\n", encoding="utf-8")
    files, texts, same = await frozen(
        tmp_path,
        diff(Source(path="live"), Source(path="new")),
        diff(Source(text="one"), Source(text="two")),
        diff(Source(path="live"), Source(text="a\nb\nc\n")),
    )

    assert files.text.splitlines() == ["--- live", "+++ new", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
    assert files.sha256 == hashlib.sha256(b"a\nB\nc\n").hexdigest()
    assert texts.text.splitlines()[-2:] == ["-one", "+two"]
    assert [source.text for source in texts.sources] == ["", ""]
    assert same.text == "(no difference)"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\0", "new is no text and cannot be compared: 1 bytes"),
        (b"x" * 2_000_000, "new is too large to be compared: 2,000,000 bytes"),
        (b"\n" * 20_000, "new is too large to be compared: 20,000 bytes"),
        (None, "new cannot be read: no such file or directory"),
    ],
)
async def test_what_cannot_be_compared_is_told(tmp_path: Path, content: bytes | None, told: str) -> None:
    """In its place; it never takes minutes."""
    if content is not None:
        (tmp_path / "new").write_bytes(content)
    (exhibit,) = await frozen(tmp_path, diff(Source(text="x"), Source(path="new")))

    assert exhibit.text == told


async def test_a_long_difference_is_bounded(tmp_path: Path) -> None:
    """Like any other exhibit."""
    old, new = ("\n".join(f"{word} {number}" for number in range(9_000)) for word in ("old", "new"))
    (exhibit,) = await frozen(tmp_path, diff(Source(text=old), Source(text=new)))

    assert exhibit.left_out > 0
    assert len(exhibit.text.encode()) < 66_000


async def test_a_question_about_an_interruption_shows_nothing_else(tmp_path: Path) -> None:
    """Its evidence is in it already."""
    prompt = RecoveryPrompt(block="x", attempt=1, evidence=Evidence(started_at=0.0))

    assert await freeze(prompt, str(tmp_path)) is prompt
