"""Commands that read an argument, or their input, as code once more.

Quoting protects a value from the shell that reads the command, not from a second reading. So a
reference in such a place stops the load. This looks at plain words only: it is a net for what
people write, not a proof; a value in a variable is data for the first reading in any case.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tidegate.workflows.shell_programs import FILE, VALUE, reads_input_as_code, reinterpreted

__all__ = ["Command"]

_CODE_BUILTINS = frozenset({"eval", "trap", "alias", "let", "compgen", "complete", "fc", "bind"})
_NAME_BUILTINS = frozenset({"unset", "read", "mapfile", "readarray", "getopts"})
_DECLARATIONS = frozenset({"declare", "typeset", "local", "export", "readonly"})
_EVALUATED = frozenset("iaAn")
"""Flags with which a declaration reads what it is given: a number, `(a list)`, a name."""
_TESTS = frozenset({"[", "test"})
_COMPARISONS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_PREFIXES = frozenset({"command", "builtin", "!", "time", "exec", "env", "sudo", "nohup"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_SUBSCRIPT = re.compile(rf"[A-Za-z_][A-Za-z0-9_]*\[[^\]]*{VALUE}")
_CODE_VARIABLE = re.compile(rf"(?:BASH_ENV|PROMPT_COMMAND|PS4)\+?=.*{VALUE}", re.DOTALL)
"""What bash runs before a command."""
_BRACES = re.compile(rf"\{{.*{VALUE}.*\}}", re.DOTALL)


@dataclass(slots=True)
class Command:
    """One command: its words with their quotes removed, values as `VALUE`; or several in parentheses or a loop."""

    words: list[str] = field(default_factory=list)
    elements: list[str] = field(default_factory=list)
    """The words in the parentheses of an array."""
    inputs: list[str] = field(default_factory=list)
    """What it reads: here-strings, and the names of what other commands print."""
    inner: "list[Command]" = field(default_factory=list)
    """The commands of a compound one."""
    is_fed: bool = False
    """Whether a here-document with a value in it is its input."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not self.words and not self.inner

    @property
    def prints_value(self) -> bool:
        """Whether it prints a value, or hands on one that it reads."""
        given = [*self.inputs, *(word for word in self.words if word.startswith(FILE))]
        if self.words[:1] in (["echo"], ["printf"]):
            given += self.words
        found = self.is_fed or any(VALUE in word for word in given)
        return found or any(command.prints_value for command in self.inner)

    @property
    def reads_code(self) -> bool:
        """Whether it reads its standard input as code."""
        return reads_input_as_code(self.words) or any(command.reads_code for command in self.inner)

    def problem(self) -> str:
        """Return why a value may not stand where one stands, or an empty text."""
        words = self._without_prefixes()
        before = self.words[: len(self.words) - len(words) + 1]
        return (
            self._input()
            or self._assignments(before)
            or self._subscript([*before, *self.elements])
            or self._builtin(words)
            or self._arithmetic(words)
            or reinterpreted(words)
        )

    def _without_prefixes(self) -> list[str]:
        words = list(self.words)
        while words and (words[0] in _PREFIXES or words[0].startswith("-") or _ASSIGNMENT.match(words[0])):
            if words[0] == "env" and any(word.startswith(("-S", "--split")) for word in words[1:]):
                break
            words.pop(0)
        return words

    def _input(self) -> str:
        files = [word for word in self.words if word.startswith(FILE)]
        if self.words[:1] in (["."], ["source"]):
            is_read = any(VALUE in word for word in files)
        else:
            # `bash <(echo ${x})`: a script like any other, but for what is in it.
            plain = [word for word in self.words if word not in files]
            is_read = any(VALUE in word for word in [*files, *self.inputs]) and reads_input_as_code(plain)
        is_read = is_read or (self.reads_code and any(VALUE in text for text in self.inputs))
        name = self.words[0].rpartition("/")[2] if self.words else "a command"
        return f"it is the input of {name}, which reads it as code" if is_read else ""

    @staticmethod
    def _assignments(words: Sequence[str]) -> str:
        if any(_CODE_VARIABLE.match(word) for word in words):
            return "bash runs what is in this variable"
        if words and _BRACES.fullmatch(words[-1]) and "," in words[-1]:
            return "the braces make a command of it"
        return ""

    @staticmethod
    def _subscript(words: Sequence[str]) -> str:
        found = any(_SUBSCRIPT.match(word) for word in words)
        return "it is an array subscript, which the shell evaluates" if found else ""

    def _builtin(self, words: Sequence[str]) -> str:
        name, arguments = next(iter(words), ""), words[1:]
        if not any(VALUE in word for word in [*arguments, *self.elements]):
            return ""
        if name in _CODE_BUILTINS:
            return f"{name} reads its arguments as code"
        if name in _NAME_BUILTINS or (name == "printf" and self._names_variable(arguments)):
            return f"{name} takes it for the name of a variable, which the shell evaluates"
        if name in _DECLARATIONS and not self._plain_declaration(arguments):
            return f"{name} would evaluate it"
        if name in {*_TESTS, "[["} and self._after({"-v", "-R"}, arguments):
            return "it is the name of a variable, which the shell evaluates"
        return ""

    @classmethod
    def _names_variable(cls, arguments: Sequence[str]) -> bool:
        attached = arguments[0].startswith("-v") and VALUE in arguments[0]
        return attached or cls._after({"-v"}, arguments)

    @staticmethod
    def _after(flags: set[str], words: Sequence[str]) -> bool:
        return any(VALUE in word for before, word in pairwise(words) if before in flags)

    def _plain_declaration(self, words: Sequence[str]) -> bool:
        given = [word for word in words if VALUE in word]
        flags = {*"".join(word for word in words if word.startswith("-"))}
        names, texts = [word.partition("=")[0] for word in given], [word.partition("=")[2] for word in given]
        if any(VALUE in name for name in names) or any(text.startswith("(") for text in texts):
            return False
        # An element of a list stays one word; a word of its own may say `(...)`.
        return not flags & (_EVALUATED if given else {"i", "n"})

    @staticmethod
    def _arithmetic(words: Sequence[str]) -> str:
        # `[` and `test` take numbers only; `[[` evaluates both sides as arithmetic, command substitutions included.
        if words and words[0] in _TESTS:
            return ""
        for index, word in enumerate(words):
            if word in _COMPARISONS and any(VALUE in side for side in words[max(index - 1, 0) : index + 2]):
                return f"[[ ... {word} ... ]] evaluates both sides as arithmetic; use [ ... ] instead"
        return ""

    def argument_problem(self) -> str:
        """Return why a value would be run as code although no shell reads these words, or an empty text."""
        words = self._without_prefixes()
        if words and words[0] in _CODE_BUILTINS and any(VALUE in word for word in words):
            return f"{words[0]} reads its arguments as code"
        # `kubectl exec ${pod} -c ${container}`: which program runs is known, so a value is none.
        known = ["-" if word.startswith(("$", VALUE)) else word for word in words[1:]]
        return reinterpreted(words, [*words[:1], *known])
