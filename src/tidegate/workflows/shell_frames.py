"""Which command of a shell text is being read, and which of its words.

Knows as much of the shell's grammar as decides what a word is: a command's first, an argument, the
target of a redirection, a pattern of `case`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tidegate.errors import ExpressionError
from tidegate.workflows.shell_commands import VALUE, Command, reads_input_as_code

__all__ = ["ADVICE", "Frame"]

ADVICE = 'give the value to the block\'s env and use "$NAME" there, or write $${ for a literal ${'

_KEYWORDS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "time", "coproc"})
"""After these words a command starts."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)


@dataclass(slots=True)
class Frame:
    """A list of commands: the whole text, or what stands in `$( )`."""

    command: Command = field(default_factory=Command)
    pipeline: list[Command] = field(default_factory=list)
    """The commands that read from each other, up to the one before the current."""
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

    def open_parenthesis(self) -> None:
        """Take a `(`: the list of an array, a subshell, or a function's."""
        if (self.word or "").endswith("="):
            self.nesting.append("array")
            self.end_word()
        else:
            self.end_command(";")
            self.nesting.append("(")

    def close_parenthesis(self) -> None:
        """Take a `)`, which may also end a pattern of `case`."""
        innermost = self.nesting[-1:]
        if innermost == ["array"]:
            self.end_word()
        else:
            self.end_command(";")
        if innermost and innermost != ["case"]:
            self.nesting.pop()

    def end_word(self) -> None:
        """End the word under way, if there is one."""
        word, self.word = self.word, None
        if word is None:
            return
        if self.redirection:
            if self.redirection == "<<<":
                self.command.here_strings.append(word)
            self.redirection = ""
        elif word == "{":
            self.end_command(";")  # also in `function f { ...; }`
        elif not (self.start and word in _KEYWORDS):
            self._take(word)

    def _take(self, word: str) -> None:
        if self.start and word == "case":
            self.nesting.append("case")
        if self.start and word == "esac" and self.nesting[-1:] == ["case"]:
            self.nesting.pop()
        if self.nesting[-1:] == ["array"] and word.startswith("["):
            # `a=([key]=value)`: its key is a subscript as much as in `a[key]=value`.
            word = "array" + word
        self.command.words.append(word)
        self.start = self.start and bool(_ASSIGNMENT.fullmatch(word))

    def end_command(self, separator: str) -> None:
        """End the command under way.

        Args:
            separator: `|` if the next command reads from it.

        Raises:
            ExpressionError: a value stands where it would be read as code.
        """
        self.end_word()
        problem = self.command.problem() if self.sources else ""
        if problem:
            raise ExpressionError(self.sources[0], f"a value cannot stand here: {problem}; {ADVICE}")
        if self.command.words:
            self.pipeline.append(self.command)
            _check_pipe(self.pipeline)
        if separator != "|" and (self.command.words or separator != "\n"):
            self.pipeline = []
        self.all_sources.extend(self.sources)
        self.command, self.sources, self.start, self.redirection = Command(), [], True, ""


def _check_pipe(pipeline: Sequence[Command]) -> None:
    """Refuse `echo ${value} | sh`."""
    *before, last = pipeline
    if any(_prints_value(command) for command in before) and reads_input_as_code(last.words):
        name = last.words[0].replace(VALUE, "a command")
        raise ExpressionError("", f"a value cannot be piped into {name}, which reads it as code; {ADVICE}")


def _prints_value(command: Command) -> bool:
    return command.words[0] in {"echo", "printf"} and any(VALUE in word for word in command.words)
