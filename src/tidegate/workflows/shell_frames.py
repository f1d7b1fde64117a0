"""Which command of a shell text is being read, and which of its words.

Knows as much of the shell's grammar as decides what a word is: a command's first, an argument, the
target of a redirection, a pattern of `case`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tidegate.errors import ExpressionError
from tidegate.workflows.shell_commands import Command
from tidegate.workflows.shell_programs import FILE, VALUE

__all__ = ["ADVICE", "Frame"]

ADVICE = 'give the value to the block\'s env and use "$NAME" there, or write $${ for a literal ${'

_OPENERS = frozenset({"if", "while", "until", "for", "select", "case"})
_CLOSERS = frozenset({"fi", "done", "esac", "}"})
_KEYWORDS = frozenset(
    {"if", "then", "else", "elif", "while", "until", "do", "!", "time", "coproc", "fi", "done", "esac", "}"}
)
"""After these words a command starts, or goes on behind a compound one."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_DUPLICATES = {">&": ">", "<&": "<"}


@dataclass(slots=True)
class Frame:
    """A list of commands: the whole text, or what stands in `$( )`."""

    command: Command = field(default_factory=Command)
    pipeline: list[Command] = field(default_factory=list)
    """The commands that read from each other, up to the one before the current."""
    piping: bool = False
    """Whether the last of them still waits for its reader."""
    compounds: list[tuple[list[Command], Command]] = field(default_factory=list)
    """For each open loop, parenthesis and the like: the pipeline it is in, and what is in it."""
    word: str | None = None
    """The word under way with its quotes removed; None between words."""
    redirection: str = ""
    """The operator whose target comes next."""
    nesting: list[str] = field(default_factory=list)
    """`(`, `array` or `case`, innermost last."""
    start: bool = True
    """Whether the next word is a command's first."""
    sources: list[str] = field(default_factory=list)
    """The references in the current command, for messages."""
    all_sources: list[str] = field(default_factory=list)
    """The references in all commands up to the current one."""

    def add(self, text: str) -> None:
        """Add to the word under way."""
        self.word = (self.word or "") + text

    @property
    def arithmetic_may_start(self) -> bool:
        """Whether `((` is arithmetic here."""
        return self.word is None and (self.start or self.command.words[-1:] == ["for"])

    def end_keyword(self) -> None:
        """End the word under way if a parenthesis may follow it without a blank: `for((`."""
        if self.start and self.word in _KEYWORDS | {"for"}:
            self.end_word()

    def open_parenthesis(self) -> None:
        """Take a `(`: the list of an array, a subshell, or a function's."""
        if (self.word or "").endswith("="):
            self.nesting.append("array")
            self.end_word()
        else:
            self.end_command(";" if self.word is not None or not self.piping else "")
            self.nesting.append("(")
            self._open_compound()

    def close_parenthesis(self) -> None:
        """Take a `)`, which may also end a pattern of `case`."""
        innermost = self.nesting[-1:]
        if innermost == ["array"]:
            self.end_word()
        else:
            self.end_command(";")
        if innermost and innermost != ["case"]:
            self.nesting.pop()
        if innermost == ["("]:
            self._close_compound()

    def _open_compound(self) -> None:
        self.compounds.append((self.pipeline, Command()))
        # What is in it reads what the compound command does.
        self.pipeline, self.piping = [*self.pipeline], False

    def _close_compound(self) -> None:
        if self.compounds:
            self.pipeline, self.command = self.compounds.pop()

    def end_word(self) -> None:
        """End the word under way, if there is one."""
        word, self.word = self.word, None
        if word is None:
            return
        if self.redirection:
            self._redirect(word)
        elif word == "{":
            self.end_command("" if self.start else ";")  # also in `function f { ...; }`
            self._open_compound()
        elif self.start and word in _KEYWORDS:
            self._keyword(word)
        else:
            self._take(word)

    def _redirect(self, word: str) -> None:
        operator, self.redirection = self.redirection, ""
        if VALUE in word and operator in _DUPLICATES:
            file = _DUPLICATES[operator]
            problem = f"bash evaluates what follows {operator}; for a file write {file}"
            raise ExpressionError(self._source, f"a value cannot stand here: {problem}; {ADVICE}")
        if operator == "<<<" or word.startswith(FILE):
            self.command.inputs.append(word)

    @property
    def _source(self) -> str:
        return next(iter(self.sources), "")

    def _keyword(self, word: str) -> None:
        if word in _OPENERS:
            self._open_compound()
        if word in _CLOSERS:
            if word == "esac" and self.nesting[-1:] == ["case"]:
                self.nesting.pop()
            self.end_command(";")
            self._close_compound()

    def _take(self, word: str) -> None:
        if self.nesting[-1:] == ["array"]:
            # `a=([key]=value)`: its key is a subscript as much as in `a[key]=value`.
            self.command.elements.append("array" + word if word.startswith("[") else word)
            return
        if self.start and word in _OPENERS:
            self._open_compound()
        if self.start and word == "case":
            self.nesting.append("case")
        self.command.words.append(word)
        self.start = self.start and bool(_ASSIGNMENT.fullmatch(word))

    def end_command(self, separator: str) -> None:
        """End the command under way.

        Args:
            separator: `|` if the next command reads from it; nothing if that is not decided yet.

        Raises:
            ExpressionError: a value stands where it would be read as code.
        """
        self.end_word()
        problem = self.command.problem() if self.sources else ""
        if problem:
            raise ExpressionError(self._source, f"a value cannot stand here: {problem}; {ADVICE}")
        if not self.command.is_empty:
            self._join(self.command)
        if separator == "|":
            self.piping = True
        elif separator and not (separator == "\n" and self.piping):
            self._end_pipeline()
        self.all_sources.extend(self.sources)
        self.command, self.sources, self.start, self.redirection = Command(), [], True, ""

    def _join(self, command: Command) -> None:
        _check_pipe(self.pipeline, command)
        self.pipeline.append(command)
        self.piping = False
        for _, around in self.compounds[-1:]:
            around.inner.append(command)

    def _end_pipeline(self) -> None:
        outside = self.compounds[-1][0] if self.compounds else []
        self.pipeline, self.piping = [*outside], False


def _check_pipe(before: Sequence[Command], last: Command) -> None:
    """Refuse `echo ${value} | sh`."""
    if last.reads_code and any(command.prints_value for command in before):
        name = last.words[0].replace(VALUE, "a command") if last.words else "a shell"
        raise ExpressionError("", f"a value cannot be piped into {name}, which reads it as code; {ADVICE}")
