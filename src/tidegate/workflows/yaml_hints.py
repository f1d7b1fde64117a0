"""What a person probably did when YAML says something that only helps its own authors."""

import re

import yaml

from tidegate.errors import Fault

__all__ = ["UNQUOTED_BRACES", "blank_fault", "control_fault", "syntax_fault"]

UNQUOTED_BRACES = 'text with braces must be quoted, like "${name}": YAML reads an unquoted { as a mapping'

_BLANKS = "\u00a0\u2007\u202f\u3000\u2002\u2003\u2009"
_BLANK_INDENT = re.compile(rf"^[ ]*(?:- )*[ ]*([{_BLANKS}])")
_BLANK_AFTER_COLON = re.compile(rf"^[ ]*(?:- +)?[\w-]+:[ ]*([{_BLANKS}])")
_BRACES_VALUE = re.compile(r"(?::[ ]+|-[ ]+|[\[{,][ ]*)(\$?\{\{?)")
# What the YAML reader refuses without saying where.
_CONTROL = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def control_fault(text: str) -> Fault | None:
    """Return a fault for the first character that no text file has, if there is one."""
    found = _CONTROL.search(text)
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - (text.rfind("\n", 0, found.start()) + 1) + 1
    shown = f"U+{ord(found.group()):04X}"
    advice = 'write it as "\\e" in double quotes' if found.group() == "\x1b" else "remove it"
    return Fault(f"the character {shown} may not stand in a workflow file: {advice}", line, column)


def blank_fault(line_text: str, line: int) -> Fault | None:
    """Return a fault if a blank that is not the space character indents a line or follows its colon."""
    found = _BLANK_INDENT.search(line_text) or _BLANK_AFTER_COLON.search(line_text)
    if found is None:
        return None
    what = "no-break space" if found.group(1) in "\u00a0\u202f\u2007" else "special blank"
    shown = f"U+{ord(found.group(1)):04X}"
    return Fault(
        f"a {what} ({shown}) stands where YAML needs a plain space: "
        "replace it (it is often copied from a web page or a chat)",
        line,
        found.start(1) + 1,
    )


def _first_blank(lines: list[str]) -> Fault | None:
    return next((fault for number, line in enumerate(lines, 1) if (fault := blank_fault(line, number))), None)


def syntax_fault(text: str, error: yaml.YAMLError) -> Fault:
    """Return the fault of a file that is no YAML."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        return Fault(f"this is not YAML: {str(error).splitlines()[0]}")
    lines = text.split("\n")
    # A blank that is no blank makes two lines one text, so the error appears after the cause.
    blank = _first_blank(lines[: mark.line + 1])
    if blank is not None:
        return blank
    line = lines[mark.line] if mark.line < len(lines) else ""
    return _explain(error, line, mark.line + 1, mark.column + 1)


def _explain(error: yaml.YAMLError, line: str, number: int, column: int) -> Fault:
    problem = str(getattr(error, "problem", None) or error)
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent or "tab character" in problem:
        return Fault(
            "a tab is used for indentation: YAML takes spaces only", number, max(indent.find("\t"), 0) + 1
        )
    braces = _BRACES_VALUE.search(line)
    if braces:
        return Fault(UNQUOTED_BRACES, number, braces.start(1) + 1)
    start = getattr(error, "context_mark", None)
    if start is not None and ("end of stream" in problem or "expected ',' or" in problem):
        # What is never closed is found at the end of the file, and mended where it starts.
        number, column = start.line + 1, start.column + 1
    return Fault(_sentence(problem), number, column)


_SENTENCES = (
    (
        "mapping values are not",
        "a ': ' inside unquoted text, or a line indented too far: quote the text, or align the keys",
    ),
    ("end of stream", "a quoted text starts here and is never closed: add the missing quote"),
    ("cannot start any token", "text that starts with @, `, % or a tab must be quoted"),
    ("unknown escape", "this backslash means nothing in double quotes: use single quotes, or write \\\\"),
    ("block sequence entries", "a list must start on its own line, below its key"),
    ("expected ',' or", "a [ or { starts here and is never closed, or a comma is missing in it"),
    ("nesting", "lists and mappings are nested too deeply"),
    (
        "expected key",
        "this line does not fit the lines above it: align it with them, or quote the text before it",
    ),
    (
        "block end",
        "this line does not fit the lines above it: align it with them, or quote the text before it",
    ),
    ("'-' indicator", "this line does not fit the list above it: align it with its key"),
)
"""By a part of what the YAML reader says."""


def _sentence(problem: str) -> str:
    known = (sentence for part, sentence in _SENTENCES if part in problem)
    return next(known, f"this is not YAML: {problem}")
