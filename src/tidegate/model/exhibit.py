"""What is laid before a person who must answer: texts, files and differences, frozen.

An exhibit is complete once the pause is open: what the person reads is what was there then, whatever
becomes of the file. Until then it only says what is to be read (`engine/exhibits.py` reads it).
"""

from enum import StrEnum

from tidegate.model.base import Noun

__all__ = ["MAX_EXHIBITS", "MAX_EXHIBIT_BYTES", "Exhibit", "ExhibitKind", "Source", "bounded", "text_exhibit"]

MAX_EXHIBITS = 20
"""How many one question may show; a person reads no more."""
MAX_EXHIBIT_BYTES = 64 * 1024
"""How much of one exhibit is kept, as UTF-8."""

_TAIL_BYTES = MAX_EXHIBIT_BYTES // 4
"""Of a longer text this much of the end is kept: a summary often stands there."""


class ExhibitKind(StrEnum):
    """What an exhibit shows."""

    TEXT = "text"
    FILE = "file"
    DIFF = "diff"
    """What changes between two texts or files, as a unified diff."""


class Source(Noun):
    """A file, or a text, that an exhibit is made of."""

    path: str = ""
    """Of a file, as the workflow names it; empty: it is a text."""
    text: str = ""
    """Of a text that is to be compared; empty once it was."""
    size: int | None = None
    """Bytes of the file when it was read, or of the text when it was compared; None: it was not."""
    sha256: str = ""
    """Hex, of the whole file when it was read; empty: it was not, or is too large for that."""
    problem: str = ""
    """Why the file could not be read: "deploy.plan cannot be read: no such file"."""

    @property
    def is_read(self) -> bool:
        """Whether nothing is left to be read."""
        return self.size is not None or bool(self.problem)


class Exhibit(Noun):
    """One thing to look at before answering."""

    title: str
    kind: ExhibitKind = ExhibitKind.TEXT
    text: str = ""
    """What the person reads, at most `MAX_EXHIBIT_BYTES` and a mark; foreign text, not yet safe."""
    left_out: int = 0
    """Bytes of it that are not in `text`, which has a mark at that place."""
    sources: tuple[Source, ...] = ()
    """Of a file: one. Of a diff: the old one, then the new one. Of a text: none."""

    @property
    def is_frozen(self) -> bool:
        """Whether `text` is what there is to read."""
        return all(source.is_read for source in self.sources)

    @property
    def size(self) -> int | None:
        """Bytes of the file (of a diff, the new one) when the pause opened, if there is one and it was read."""
        return self.sources[-1].size if self.sources else None

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of the file (of a diff, the new one) when the pause opened; empty if there is none."""
        return self.sources[-1].sha256 if self.sources else ""

    @property
    def problem(self) -> str:
        """Why it, or a part of it, cannot be shown; empty if it can."""
        return "; ".join(source.problem for source in self.sources if source.problem)


def text_exhibit(title: str, text: str) -> Exhibit:
    """Return an exhibit of a text that is known already."""
    shown, left_out = bounded(text)
    return Exhibit(title=title, text=shown, left_out=left_out)


def bounded(text: str) -> tuple[str, int]:
    """Return *text* bounded, and how many bytes were left out.

    The begin and the end are kept; a line in between says how much is missing.
    """
    data = text.encode("utf-8", "replace")
    if len(data) <= MAX_EXHIBIT_BYTES:
        return text, 0
    return cut(data[: MAX_EXHIBIT_BYTES - _TAIL_BYTES], data[-_TAIL_BYTES:], len(data))


def cut(head: bytes, tail: bytes, size: int) -> tuple[str, int]:
    """Return the two ends of *size* bytes as one text with a mark between, and how many bytes are missing."""
    left_out = size - len(head) - len(tail)
    # A character that the cut went through is dropped, not shown as damage.
    first, last = head.decode("utf-8", "ignore"), tail.decode("utf-8", "ignore")
    return f"{first}\n[... {left_out:,} bytes are left out here ...]\n{last}", left_out
