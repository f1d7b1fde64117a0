"""What is laid before a person who must answer, as lines. Foreign text, made safe here."""

from collections.abc import Iterator

from tidegate.model.exhibit import Exhibit, ExhibitKind, Source
from tidegate.safe_text import safe_line, safe_lines
from tidegate.tui.lines import Line, Tone, text_line
from tidegate.tui.present.shared import LONG

__all__ = ["exhibit_facts", "exhibit_lines", "exhibit_title"]

_HASH = 12
"""Characters of a hash: enough to compare by eye."""


def exhibit_title(exhibit: Exhibit, limit: int = LONG) -> str:
    """Return what it is called, in at most *limit* characters."""
    return safe_line(exhibit.title or exhibit.kind, limit)


def exhibit_facts(exhibit: Exhibit) -> str:
    """Return what it is: kind, size, hash, and what of it is missing."""
    facts = [exhibit.kind.value]
    match exhibit.kind:
        case ExhibitKind.DIFF:
            facts.append(" → ".join(_source_words(source) for source in exhibit.sources))
        case ExhibitKind.FILE:
            facts += [_source_words(source) for source in exhibit.sources]
        case ExhibitKind.TEXT:
            facts.append(f"{len(exhibit.text.encode('utf-8', 'replace')) + exhibit.left_out:,} bytes")
    if exhibit.left_out:
        facts.append(f"{exhibit.left_out:,} bytes left out")
    return " · ".join(filter(None, facts))


def _source_words(source: Source) -> str:
    words = [safe_line(source.path, LONG) or "a text"]
    if source.size is not None:
        words.append(f"{source.size:,} bytes")
    if source.sha256:
        words.append(f"sha256 {safe_line(source.sha256[:_HASH])}")
    return ", ".join(words)


def exhibit_lines(exhibit: Exhibit) -> list[Line]:
    """Return its facts and all of its text; of a difference, each line says and shows what it is."""
    head = [text_line(exhibit_facts(exhibit), Tone.DIM), text_line("")]
    if exhibit.problem:
        return head + [text_line(line, Tone.FAILED) for line in safe_lines(exhibit.text or exhibit.problem)]
    if not exhibit.text.strip():
        return [*head, text_line(_nothing(exhibit.kind), Tone.DIM)]
    if exhibit.kind is ExhibitKind.DIFF:
        return head + list(_diff_lines(exhibit.text))
    return head + [text_line(line) for line in safe_lines(exhibit.text)]


def _nothing(kind: ExhibitKind) -> str:
    return "(no difference)" if kind is ExhibitKind.DIFF else "(it is empty)"


def _diff_lines(text: str) -> Iterator[Line]:
    is_head = True
    for raw in text.removesuffix("\n").split("\n"):
        # Only up to the first hunk do --- and +++ name files; further down they are changed lines.
        is_head = is_head and not raw.startswith("@@")
        tone = Tone.STRONG if is_head else _diff_tone(raw)
        # A carriage return must not let the rest of a line pass for one of the other side.
        first, *rest = safe_lines(raw) or [""]
        yield text_line(first, tone)
        yield from (text_line(f"{raw[:1]} {line}", tone) for line in rest)


def _diff_tone(line: str) -> Tone:
    match line[:1]:
        case "+":
            return Tone.DONE
        case "-":
            return Tone.FAILED
        case "@":
            return Tone.ACCENT
        case _:
            return Tone.PLAIN
