"""What all lists and panes say the same way: names, bars, facts, texts."""

from typing import NamedTuple

import msgspec
from rich.cells import cell_len

from tidegate.model.base import JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.state import RunSummary
from tidegate.safe_text import safe_line, safe_lines
from tidegate.tui.lines import Line, Piece, Tone, fit, text_line

__all__ = [
    "LONG",
    "Cut",
    "bar",
    "counted",
    "cut_text",
    "deed",
    "fact",
    "first_line",
    "heading",
    "json_lines",
    "json_lines_of",
    "matching",
    "progress",
    "progress_line",
    "progress_tone",
    "prose",
    "short_id",
    "who",
]

LONG = 300
"""Characters of a question that a list needs; no terminal shows more of it on one line."""
_PROMPT_LINES = 2_000
_PROSE_CHARACTERS = 100_000
"""Of one text that is read line by line."""
_INDENT, _WIDEST_INDENT = 10, 17
"""Cells of the names in front of facts: as a rule, and of values with longer names at most."""
_FACT = 4_000
"""Characters of a fact: as many as a comment may have."""
_VALUE_LINES = 21
"""Lines of one value among others."""
_JSON_CHARACTERS = 100_000
"""Of one value that is read as a whole."""


def short_id(name: str) -> str:
    """Return enough of an id to recognise it and to name it on the command line."""
    return safe_line(name.rpartition("_")[2])[:6]


def who(workflow: str, run_id: str) -> str:
    """Return a run as lists name it."""
    return f"{safe_line(workflow, LONG)} · {short_id(run_id)}"


def deed(name: str, *, reversible: bool) -> str:
    """Return the name of what changes something outside, marked if that cannot be undone."""
    return name if reversible else f"{name} (cannot be undone)"


def counted(number: int, noun: str, nouns: str = "", *, more: str = "") -> str:
    """Return how many there are: ``1 run``, ``2,000 runs``, ``500+ runs``.

    Args:
        number: How many.
        noun: What, for one of it.
        nouns: What, for several; empty: that and an s.
        more: What stands behind the number if there may be more.
    """
    return f"{number:,}{more} {noun if number == 1 and not more else nouns or f'{noun}s'}"


def bar(fraction: float, width: int) -> str:
    """Return a bar of *width* cells; neither empty once begun nor full before the end."""
    full = round(fraction * width)
    if 0 < fraction < 1:
        full = max(1, min(width - 1, full))
    return "━" * full + "╌" * (width - full)


def progress(summary: RunSummary, width: int = 8) -> str:
    """Return how far a run is: a bar, and its blocks."""
    done = summary.completed / summary.blocks if summary.blocks else 1.0
    return f"{bar(done, width)} {summary.completed}/{summary.blocks}"


def heading(text: str, *, key: str = "", note: str = "") -> Line:
    """Return a heading between lines, with a note beside it."""
    pieces = (Piece(text, Tone.HEADING), *((Piece(f"  {note}", Tone.DIM),) if note else ()))
    return Line(key or f"heading:{text}", pieces, selectable=False)


def fact(name: str, value: str | Piece, *, key: str = "", indent: int = _INDENT) -> Line:
    """Return a line that names something and says what it is, *indent* cells from its start."""
    shown = value if isinstance(value, Piece) else Piece(safe_line(value, _FACT))
    named = Piece(f"{fit(name, max(indent - 1, cell_len(name)))} ", Tone.DIM)
    return Line(key or f"fact:{name}", (named, shown), selectable=False, indent=indent)


class Cut(NamedTuple):
    """The beginning of a text."""

    lines: list[str]
    """Safe to draw; a last one that is cut short ends in ``…``."""
    left: int
    """Lines that are left out; the rest of one that is cut short counts as one."""
    words: str
    """How much is left out, as a line to draw; empty: nothing."""


def cut_text(text: str, lines: int, characters: int) -> Cut:
    """Return the beginning of a text. What is left out costs no more than to be counted.

    Args:
        text: Anything.
        lines: Lines that are kept, at most.
        characters: Characters of *text* that are kept, at most.
    """
    has_end = text.endswith("\n")
    read, rest = safe_lines(text[:characters]), len(text) - has_end - characters
    shown = read[:lines]
    is_short = len(read) <= lines
    if rest <= 0 and is_short:
        return Cut(shown, 0, "")
    if is_short and shown and "\n" not in text[characters - 1 : characters + 1]:
        shown[-1] += "…"
    written = text.count("\n") + (not has_end)
    if left := max(written - len(shown), len(read) - len(shown)):
        return Cut(shown, left, f"… {counted(left, 'more line')}")
    return Cut(shown, 1, f"… {counted(rest, 'more character')}")


def prose(text: str, key: str, tone: Tone = Tone.PLAIN) -> list[Line]:
    """Return a text as it is written, line by line, bounded."""
    cut = cut_text(text, _PROMPT_LINES, _PROSE_CHARACTERS)
    shown = [text_line(line, tone, key=f"{key}:{n}") for n, line in enumerate(cut.lines)]
    return [*shown, text_line(cut.words, Tone.DIM, key=f"{key}:more")] if cut.words else shown


def matching(line: Line, words: str) -> bool:
    """Whether a line holds every one of *words*, whatever their case."""
    text = line.text.casefold()
    return all(word in text for word in words.casefold().split())


def first_line(text: str) -> str:
    """Return the first line of a text, for a list."""
    # A list asks for every row each time that it is drawn, and a question may be a file.
    lines = text.lstrip()[: 2 * LONG].rstrip().splitlines()
    return safe_line(lines[0], LONG) if lines else ""


def json_lines(values: JsonObject, *, limit: int = 200) -> list[Line]:
    """Return named values, text as it is and the rest as JSON; what is left out of one, and of all, is said."""
    lines, named = [], [(safe_line(name, 40), value) for name, value in list(values.items())[:limit]]
    # Below each other, unless a name is so long that too little would be left for what it names.
    cells = (cell_len(name) + 1 for name, _ in named)
    indent = max([_INDENT, *(wide for wide in cells if wide <= _WIDEST_INDENT)])
    for name, value in named:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        cut = cut_text(text, _VALUE_LINES, _FACT)
        first, *rest = [*cut.lines, cut.words] if cut.words else cut.lines or [""]
        lines.append(fact(name, Piece(first), key=f"value:{name}", indent=indent))
        lines += [_further(line, f"value:{name}:{n}", indent) for n, line in enumerate(rest)]
    if len(values) > limit:
        lines.append(
            text_line(f"… {counted(len(values) - limit, 'more value')}", Tone.DIM, key="values:more")
        )
    return lines


def _further(text: str, key: str, indent: int) -> Line:
    """Return a further line of a value, below its beginning; so is what has no room in it."""
    return Line(key, (Piece(" " * indent), Piece(text)), selectable=False, indent=indent)


def progress_tone(summary: RunSummary, otherwise: Tone = Tone.ACCENT) -> Tone:
    """Return how a run's bar is meant: a full one of a run that has failed is no good end."""
    return Tone.FAILED if summary.status is RunStatus.FAILED else otherwise


def progress_line(summary: RunSummary) -> Line:
    """Return how far a run is, as a line of its own."""
    wave = f" · wave {min(summary.wave + 1, summary.total_waves)}/{summary.total_waves}"
    return Line(
        "progress",
        (Piece(progress(summary, 10), progress_tone(summary)), Piece(wave, Tone.DIM)),
        selectable=False,
    )


def json_lines_of(value: object) -> list[Line]:
    """Return a value as indented JSON, line by line, safe to draw and bounded; a text as it is written."""
    if not isinstance(value, str):
        value = msgspec.json.format(msgspec.json.encode(value, enc_hook=dict), indent=2).decode()
    lines = safe_lines(value[:_JSON_CHARACTERS])
    if len(value) > _JSON_CHARACTERS:
        lines.append(f"… {counted(len(value) - _JSON_CHARACTERS, 'more character')}")
    return [text_line(line, key=f"value:{n}") for n, line in enumerate(lines)]
