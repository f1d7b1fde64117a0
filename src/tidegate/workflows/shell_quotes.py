"""Quotes and expansions of a shell text: what protects what, and where a value may stand.

Follows the shell's own rules as far as they decide what a `${...}` means. It never changes
anything else: what it does not know it copies.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from tidegate.errors import ExpressionError
from tidegate.workflows.shell_frames import ADVICE, Frame
from tidegate.workflows.shell_programs import VALUE

__all__ = ["IN_DOUBLE", "IN_SINGLE", "UNQUOTED", "QuoteReader", "Recognise"]

Recognise: TypeAlias = Callable[[str, int], tuple[str, str, int] | None]
"""Told a text and the position of a `$`; returns a reference's source, its variable and its end, or
None for what belongs to the shell."""

# How a variable is written at a place.
UNQUOTED = '"%s"'
IN_DOUBLE = "%s"
IN_SINGLE = "'\"%s\"'"

_HARMLESS_QUOTE = re.compile(r"'[^'\"`$}\\\\]*'")
_MAX_DEPTH = 40
_ARITHMETIC = "it is arithmetic, which the shell evaluates"


class QuoteReader(ABC):
    """Copies quoted text and expansions, and replaces references on the way.

    Every method takes a position, copies what stands there, and returns where to go on.
    """

    def __init__(self, text: str, recognise: Recognise) -> None:
        self.text = text
        self.recognise = recognise
        self.out: list[str] = []
        self.frame = Frame()
        self.values = 0
        """How many references were replaced."""
        self.forbidden = ""
        """Why no value may stand here; empty where one may."""
        self.unsure = ""
        """Why it is not known any more how the rest is quoted; empty as long as it is."""
        self.depth = 0

    @abstractmethod
    def substitution(self, position: int) -> int:
        """Read the commands of `$( )`, from behind its parenthesis."""

    def copy(self, start: int, length: int = 1) -> int:
        """Copy *length* characters as they are."""
        end = min(start + length, len(self.text))
        self.out.append(self.text[start:end])
        return end

    def copy_plain(self, position: int) -> int:
        """Copy one character that means only itself, into the word under way."""
        self.frame.add(self.text[position])
        return self.copy(position)

    def at(self, position: int, text: str) -> bool:
        """Return whether *text* stands at *position*."""
        return self.text.startswith(text, position)

    def until(self, end: str, position: int, read: Callable[[int], int]) -> int:
        """Read with *read* up to the character *end*, and copy that too."""
        while position < len(self.text) and self.text[position] != end:
            position = read(position)
        return self.copy(position)

    def forbid(self, reason: str, read: Callable[[int], int], position: int) -> int:
        """Read on from *position* where no value may stand."""
        before, self.forbidden = self.forbidden, self.forbidden or reason
        end = read(position)
        self.forbidden = before
        return end

    def deeper(self, read: Callable[[int], int], position: int) -> int:
        """Read one level deeper; refuse before the interpreter's own limit ends in a traceback."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ExpressionError(self.text[position : position + 40], "substitutions are nested too deeply")
        end = read(position)
        self.depth -= 1
        return end

    def reference(self, position: int, form: str) -> int | None:
        """Replace the reference at *position*, or return None if there is none of ours."""
        found = self.recognise(self.text, position)
        if found is None:
            return None
        source, variable, end = found
        if self.forbidden or self.unsure:
            raise ExpressionError(
                source, f"a value cannot stand here: {self.forbidden or self.unsure}; {ADVICE}"
            )
        self.out.append(form % f"${{{variable}}}")
        self.values += 1
        self.frame.add(VALUE)
        self.frame.sources.append(source)
        return end

    def escaped(self, position: int) -> int:
        """Copy a backslash and what it protects."""
        protected = self.text[position + 1 : position + 2]
        if protected != "\n":
            self.frame.add(protected)
        return self.copy(position, 2)

    def literal(self, position: int) -> int:
        """Read one thing where the shell expands nothing: only references of ours mean something."""
        if self.at(position, "$${"):
            self.frame.add("${")
            return self.copy(position + 1, 2)
        end = self.reference(position, IN_SINGLE) if self.text[position] == "$" else None
        return self.copy_plain(position) if end is None else end

    def single_quoted(self, position: int) -> int:
        """Read a text in single quotes; a value closes it, stands in double quotes, and opens it again."""
        self.frame.add("")
        return self.until("'", self.copy(position), self.literal)

    def ansi_quoted(self, position: int) -> int:
        """Read `$'...'`, in which a backslash protects a quote."""
        self.frame.add("")
        return self.until("'", self.copy(position, 2), self._literal_or_escaped)

    def _literal_or_escaped(self, position: int) -> int:
        return self.escaped(position) if self.text[position] == "\\" else self.literal(position)

    def double_quoted(self, position: int) -> int:
        """Read a text in double quotes."""
        self.frame.add("")
        return self.until('"', self.copy(position), self.in_double_quotes)

    def in_double_quotes(self, position: int) -> int:
        """Read one thing inside double quotes, or inside a here-document."""
        match self.text[position]:
            case "\\":
                return self.escaped(position)
            case "`":
                return self.backticks(position)
            case "$":
                return self.dollar(position, IN_DOUBLE)
            case _:
                return self.copy_plain(position)

    def backticks(self, position: int) -> int:
        """Read a command in backticks: its quoting depends on what is around it, so no value may stand there."""
        self.frame.add("$")
        return self.forbid("it is inside backticks: write $( ) instead", self._in_backticks, position)

    def _in_backticks(self, position: int) -> int:
        return self.until("`", self.copy(position), self._literal_or_escaped)

    def dollar(self, position: int, form: str) -> int:
        """Read a `$` where the shell expands."""
        if self.at(position, "$${"):
            return self.expansion(position + 1, form)
        if self.at(position, "$$"):
            self.frame.add("$")
            return self.copy(position, 2)
        if self.at(position, "${"):
            end = self.reference(position, form)
            return self.expansion(position, form) if end is None else end
        return self._substituted(position, form)

    def _substituted(self, position: int, form: str) -> int:
        if form == UNQUOTED and self.at(position, "$'"):
            reason = "it is inside $'...', where backslashes have a meaning"
            return self.forbid(reason, self.ansi_quoted, position)
        if form == UNQUOTED and self.at(position, '$"'):
            return self.double_quoted(self.copy(position))  # a text to be translated
        self.frame.add("$")
        if self.at(position, "$(("):
            return self.arithmetic(self.copy(position))
        if self.at(position, "$("):
            return self.deeper(self.substitution, self.copy(position, 2))
        if self.at(position, "$["):
            return self.forbid(_ARITHMETIC, self._in_brackets, position)
        return self.copy(position)

    def arithmetic(self, position: int) -> int:
        """Read from the `((` of arithmetic to its end."""
        return self.forbid(_ARITHMETIC, self._balanced, position)

    def _balanced(self, position: int) -> int:
        depth = 0
        while position < len(self.text):
            character = self.text[position]
            depth += (character == "(") - (character == ")")
            position = self._in_arithmetic(position)
            if depth == 0:
                break
        return position

    def _in_arithmetic(self, position: int) -> int:
        # A parenthesis of `$(` is counted like any other, so only `${` is read as a whole.
        if self.at(position, "${") or self.at(position, "$${"):
            return self.dollar(position, IN_DOUBLE)
        return self.copy(position, 2 if self.text[position] == "\\" else 1)

    def _in_brackets(self, position: int) -> int:
        return self.until("]", self.copy(position, 2), self._in_arithmetic)

    def expansion(self, position: int, form: str) -> int:
        """Read a `${...}` of the shell's own."""
        self.frame.add("$")
        one = self._one_unquoted if form == UNQUOTED else self._one_quoted
        return self.forbid(
            "it is inside another ${...}",
            lambda start: self.deeper(lambda inner: self.until("}", inner, one), self.copy(start, 2)),
            position,
        )

    def _one_unquoted(self, position: int) -> int:
        match self.text[position]:
            case "'":
                return self.single_quoted(position)
            case "$":
                return self.dollar(position, UNQUOTED)
            case _:
                return self._one_quoted(position)

    def _one_quoted(self, position: int) -> int:
        match self.text[position]:
            case '"':
                return self.double_quoted(position)
            case "'":
                return self._apostrophe(position)
            case _:
                return self.in_double_quotes(position)

    def _apostrophe(self, position: int) -> int:
        # In "${x:-it's}" it is an apostrophe to dash and an open quote to bash. Both agree where a second
        # one closes it and nothing in between means anything.
        quoted = _HARMLESS_QUOTE.match(self.text, position)
        if quoted is None:
            self.unsure = 'an apostrophe in "${...}" before it is read differently by different shells'
        return self.copy(position, len(quoted.group()) if quoted else 1)
