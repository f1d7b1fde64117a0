"""Freezing what a question shows: files are read and differences made, once, when the pause opens.

What the person reads, and the hash beside it, is what was there then. A file that cannot be read is
shown as such: the question is asked all the same.
"""

import asyncio
import difflib
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tidegate.model.exhibit import MAX_EXHIBIT_BYTES, Exhibit, ExhibitKind, Source, bounded, cut
from tidegate.model.prompt import Prompt, RecoveryPrompt

__all__ = ["freeze"]

_CHUNK = 1 << 20
_TAIL = MAX_EXHIBIT_BYTES // 4
_HASHED = 1 << 30
"""Bytes: a larger file gets no hash, or the question would wait for minutes."""
_COMPARED = 1 << 20
"""Bytes of a side that is compared; beyond, a comparison could take for ever."""
_COMPARED_LINES = 10_000


async def freeze(prompt: Prompt, working_dir: str) -> Prompt:
    """Return *prompt* with its exhibits as they are now.

    Never fails: what cannot be read says so in its place.

    Args:
        prompt: As the block asked it.
        working_dir: Absolute; where relative paths start.
    """
    if isinstance(prompt, RecoveryPrompt) or all(exhibit.is_frozen for exhibit in prompt.show):
        return prompt
    # Off the loop: a network disk may hang, and a comparison may take a second.
    show = await asyncio.to_thread(lambda: tuple(_frozen(exhibit, working_dir) for exhibit in prompt.show))
    return prompt.evolve(show=show)


def _frozen(exhibit: Exhibit, working_dir: str) -> Exhibit:
    if exhibit.is_frozen:
        return exhibit
    if exhibit.kind is ExhibitKind.DIFF:
        return _frozen_diff(exhibit, working_dir)
    (source,) = exhibit.sources
    content = _read(source, working_dir, MAX_EXHIBIT_BYTES - _TAIL, _TAIL)
    text, left_out = content.shown()
    return exhibit.evolve(text=text, left_out=left_out, sources=(content.source,))


# -- files ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Content:
    """A source that was read: its facts, and both ends of what is in it."""

    source: Source
    head: bytes = b""
    tail: bytes = b""

    @property
    def size(self) -> int:
        return self.source.size or 0

    @property
    def is_whole(self) -> bool:
        return len(self.head) + len(self.tail) == self.size

    def shown(self) -> tuple[str, int]:
        """Return what a person reads, and how many bytes of it are missing."""
        if self.source.problem:
            return self.source.problem, 0
        if b"\0" in self.head:
            return f"({self.source.path} is no text: {self.size:,} bytes)", self.size
        if self.is_whole:
            return (self.head + self.tail).decode("utf-8", "replace"), 0
        return cut(self.head, self.tail, self.size)


def _read(source: Source, working_dir: str, head: int, tail: int) -> _Content:
    """Read a file, of which up to *head* bytes of the begin and *tail* bytes of the end are kept."""
    path = Path(working_dir, source.path)
    try:
        return _read_file(source, path, head, tail)
    except OSError as error:
        problem = error.strerror or type(error).__name__
        return _Content(_unread(source, problem[:1].lower() + problem[1:]))
    except ValueError as error:  # A path that no system call takes.
        return _Content(_unread(source, str(error)))


def _unread(source: Source, problem: str) -> Source:
    return source.evolve(problem=f"{source.path} cannot be read: {problem}")


def _read_file(source: Source, path: Path, head: int, tail: int) -> _Content:
    with open(path, "rb", opener=_open_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return _Content(_unread(source, "it is no regular file"))
        return _both_ends(source, file, head, tail)


def _open_without_waiting(path: str, flags: int) -> int:
    # To open a pipe otherwise waits for its writer, who may never come.
    return os.open(path, flags | os.O_NONBLOCK)


def _both_ends(source: Source, file: BinaryIO, head: int, tail: int) -> _Content:
    first, last = file.read(head), b""
    digest, size = hashlib.sha256(first), len(first)
    while size <= _HASHED and (chunk := file.read(_CHUNK)):
        digest.update(chunk)
        size += len(chunk)
        last = (last + chunk)[-tail:] if tail else b""
    if size <= _HASHED:
        return _Content(source.evolve(size=size, sha256=digest.hexdigest()), first, last)
    size = file.seek(0, os.SEEK_END)
    file.seek(max(len(first), size - tail))
    return _Content(source.evolve(size=size), first, file.read(tail))


# -- differences ------------------------------------------------------------------------------


def _frozen_diff(exhibit: Exhibit, working_dir: str) -> Exhibit:
    old, new = (_side(source, working_dir) for source in exhibit.sources)
    text, left_out = _difference(old, new)
    # A text that was compared is in the difference; a second copy would only cost.
    sources = tuple(side.source.evolve(text="") for side in (old, new))
    return exhibit.evolve(text=text, left_out=left_out, sources=sources)


def _side(source: Source, working_dir: str) -> _Content:
    if source.path:
        return _read(source, working_dir, _COMPARED, 0)
    data = source.text.encode("utf-8", "replace")
    return _Content(source.evolve(size=len(data)), data[:_COMPARED], b"")


def _difference(old: _Content, new: _Content) -> tuple[str, int]:
    problems = [side.source.problem for side in (old, new) if side.source.problem]
    problems += [problem for side in (old, new) if (problem := _not_comparable(side))]
    if problems:
        return "\n".join(problems), 0
    if old.head == new.head:
        return "(no difference)", 0
    return bounded("\n".join(_unified(old, new)))


def _not_comparable(side: _Content) -> str:
    name = side.source.path or "a text"
    if b"\0" in side.head:
        return f"{name} is no text and cannot be compared: {side.size:,} bytes"
    if not side.is_whole or side.head.count(b"\n") > _COMPARED_LINES:
        return f"{name} is too large to be compared: {side.size:,} bytes"
    return ""


def _unified(old: _Content, new: _Content) -> list[str]:
    # A line break ends a line: after the last one there is no further, empty line.
    before, after = (
        side.head.decode("utf-8", "replace").removesuffix("\n").split("\n") for side in (old, new)
    )
    name, new_name = (side.source.path or "text" for side in (old, new))
    lines = list(difflib.unified_diff(before, after, name, new_name, lineterm=""))
    return lines or ["(only the line break at the end differs)"]
