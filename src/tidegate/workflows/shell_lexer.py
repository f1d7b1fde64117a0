"""Where in a shell command a reference stands, so that it can be replaced by a quoted variable.

Reads what is outside of quotes: words, separators, parentheses, comments, redirections and
here-documents. `shell_quotes` reads the rest.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidegate.workflows.shell_commands import Command
from tidegate.workflows.shell_frames import Frame
from tidegate.workflows.shell_programs import FILE, VALUE
from tidegate.workflows.shell_quotes import UNQUOTED, QuoteReader, Recognise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["bind_references"]

_REDIRECTION = re.compile(r"<<<|<<-|<<|<>|<&|<|>>|>&|>\||>|&>>|&>")
_DESCRIPTOR = re.compile(r"[0-9]+|\{\w+\}")
_DELIMITER = re.compile(r"[ \t]*((?:\\.|'[^']*'|\"[^\"]*\"|[^\s;&|<>()'\"\\])+)", re.DOTALL)


@dataclass(slots=True)
class _HereDocument:
    delimiter: str
    quoted: bool
    strip_tabs: bool
    command: Command
    """The command it is the input of."""
    pipeline: list[Command]
    """That command and those that read from it; grows until its line ends."""

    def end(self, text: str, position: int) -> tuple[int, int]:
        """Return where its body ends, and where its last line does."""
        while position < len(text):
            end = _line_end(text, position)
            while not self.quoted and _goes_on(text, position, end):
                end = _line_end(text, end + 1)
            line = text[position:end]
            if (line.lstrip("\t") if self.strip_tabs else line) == self.delimiter:
                return position, end
            position = end + 1
        return len(text), len(text)

    def reason(self) -> str:
        """Return why no value may stand in it, or an empty text."""
        if any(command.reads_code for command in [self.command, *self.pipeline]):
            return "it is in a here-document that is read as code"
        if self.quoted:
            return (
                f"it is in a here-document whose delimiter is quoted ('{self.delimiter}'): remove the quotes"
            )
        return ""


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _goes_on(text: str, start: int, end: int) -> bool:
    """Return whether the line break at *end* is escaped, so that what follows it is no line of its own."""
    line = text[start:end]
    return end < len(text) and (len(line) - len(line.rstrip("\\"))) % 2 == 1


class _Lexer(QuoteReader):
    """Reads commands."""

    def __init__(self, text: str, recognise: Recognise) -> None:
        super().__init__(text, recognise)
        self.here_documents: list[_HereDocument] = []
        """Those whose bodies start after the current line."""
        self.readers: Mapping[str, Callable[[int], int]] = {
            "\\": self.escaped,
            "'": self.single_quoted,
            '"': self.double_quoted,
            "`": self.backticks,
            "$": lambda position: self.dollar(position, UNQUOTED),
            "\n": self._line_break,
            "(": self._open,
            ")": self._close,
            "#": self._comment,
            " ": self._blank,
            "\t": self._blank,
        }

    def commands(self, position: int, *, nested: bool) -> int:
        """Read commands up to the end, or up to the `)` that ends them."""
        while position < len(self.text):
            if nested and self.text[position] == ")" and not self.frame.nesting:
                self.frame.end_command("")
                return self.copy(position)
            position = self.readers.get(self.text[position], self._other)(position)
        self.frame.end_command("")
        return position

    def substitution(self, position: int) -> int:
        """Read the commands of `$( )`, which have quotes and words of their own."""
        outer, self.frame = self.frame, Frame()
        before = self.values
        end = self.commands(position, nested=True)
        inner, self.frame = self.frame, outer
        if self.values > before:
            # What the commands print may hold the value: `eval "$(echo ${x})"` reads it as code.
            outer.add(VALUE)
            outer.sources.extend(inner.all_sources)
        return end

    def _blank(self, position: int) -> int:
        self.frame.end_word()
        return self.copy(position)

    def _comment(self, position: int) -> int:
        if self.frame.word is not None:
            return self.copy_plain(position)
        return self.copy(position, _line_end(self.text, position) - position)

    def _line_break(self, position: int) -> int:
        self.frame.end_command("\n")
        position = self.copy(position)
        documents, self.here_documents = self.here_documents, []
        for document in documents:
            position = self._body(document, position)
        return position

    def _open(self, position: int) -> int:
        self.frame.end_keyword()
        if self.frame.arithmetic_may_start and self.at(position, "(("):
            return self.arithmetic(position)
        self.frame.open_parenthesis()
        return self.copy(position)

    def _close(self, position: int) -> int:
        self.frame.close_parenthesis()
        return self.copy(position)

    def _other(self, position: int) -> int:
        redirection = _REDIRECTION.match(self.text, position)
        if redirection:
            return self._redirect(position, redirection.group())
        character = self.text[position]
        if character not in ";&|":
            return self.copy_plain(position)
        doubled = self.at(position, character * 2)
        both = self.at(position, "|&")
        self.frame.end_command("|" if character == "|" and not doubled else ";")
        return self.copy(position, 1 + (doubled or both))

    def _redirect(self, position: int, operator: str) -> int:
        end = self.copy(position, len(operator))
        if operator in {"<", ">"} and self.at(end, "("):
            self.frame.add(FILE)
            return self.deeper(self.substitution, self.copy(end))
        if not _DESCRIPTOR.fullmatch(self.frame.word or ""):
            self.frame.end_word()
        self.frame.word, self.frame.redirection = None, operator
        found = _DELIMITER.match(self.text, end) if operator in {"<<", "<<-"} else None
        return self._here_document(found, operator) if found else end

    def _here_document(self, found: re.Match[str], operator: str) -> int:
        written = found.group(1).replace("\\\n", "")
        delimiter = re.sub(r"\\(.)|['\"]", r"\1", written)
        self.frame.redirection = ""
        command, pipeline = self.frame.command, self.frame.pipeline
        quoted, strips = delimiter != written, operator == "<<-"
        self.here_documents.append(_HereDocument(delimiter, quoted, strips, command, pipeline))
        return self.copy(found.start(), found.end() - found.start())

    def _body(self, document: _HereDocument, position: int) -> int:
        end, after = document.end(self.text, position)
        outer, self.frame = self.frame, Frame()
        read = self.literal if document.quoted else self.in_double_quotes
        before, self.forbidden = self.forbidden, self.forbidden or document.reason()
        while position < end:
            position = read(position)
        if self.frame.sources:
            document.command.is_fed = True
            outer.all_sources.extend(self.frame.sources)
        self.forbidden, self.frame = before, outer
        return self.copy(position, max(after - position, 0))


def bind_references(text: str, recognise: Recognise) -> str:
    """Return *text* with each reference replaced by a variable, quoted as its place needs.

    Args:
        text: A shell command, of any number of lines.
        recognise: Tells references from what belongs to the shell.

    Raises:
        ExpressionError: a value cannot stand safely where a reference stands.
    """
    lexer = _Lexer(text, recognise)
    lexer.commands(0, nested=False)
    return "".join(lexer.out)
