"""Commands that read an argument, or their input, as code once more.

Quoting protects a value from the shell that reads the command, not from a second reading. So a
reference in such a place stops the load. This looks at plain words only: it is a net for what
people write, not a proof; a value in a variable is data for the first reading in any case.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["VALUE", "Command", "reads_input_as_code"]

VALUE = "\0"
"""Stands for a value in the text of a word."""

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "rbash", "su", "runuser"})
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_CODE_FLAGS = (
    (
        _SHELLS | {"script", "flock", "pwsh", "powershell", "expect"},
        re.compile(r"-[A-Za-z]*c[A-Za-z]*|--command|-Command"),
    ),
    (frozenset({"perl", "ruby", "lua", "osascript"}), re.compile(r"-[A-Za-z]*[eE]")),
    (frozenset({"node", "nodejs", "deno", "bun"}), re.compile(r"-[ep]|-pe|--eval|--print|eval")),
    (frozenset({"php"}), re.compile(r"-r")),
)
_PYTHON_FLAG = re.compile(r"-[A-Za-z]*c")
_OPERANDS_FIRST = frozenset({"su", "runuser", "script", "flock"})
"""They take their option also behind a user's or a file's name."""
_TAKES_VALUE = re.compile(r"[-+][A-Za-z]*[oO]|-[WX]|--rcfile|--init-file")
_REMOTE = frozenset({"ssh", "watch"})
"""They join their arguments and give them to a shell."""
_CODE_BUILTINS = frozenset({"eval", "trap", "alias", "let"})
_NAME_BUILTINS = frozenset({"unset", "read", "mapfile", "readarray", "getopts"})
_DECLARATIONS = frozenset({"declare", "typeset", "local", "export", "readonly"})
_TESTS = frozenset({"[", "test"})
_COMPARISONS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_PREFIXES = frozenset({"command", "builtin", "!", "time", "exec", "env", "sudo", "nohup"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_SUBSCRIPT = re.compile(rf"[A-Za-z_][A-Za-z0-9_]*\[[^\]]*{VALUE}")


def _program(word: str) -> str:
    return word.rpartition("/")[2]


def _is_interpreter(word: str) -> bool:
    name = _program(word)
    known = any(name in programs for programs, _ in _CODE_FLAGS)
    return known or bool(_PYTHON.fullmatch(name)) or name == "ssh"


def _code_flag(word: str) -> re.Pattern[str] | None:
    name = _program(word)
    if _PYTHON.fullmatch(name) or (word.startswith(("$", VALUE)) and len(word) > 1) or word == VALUE:
        return _PYTHON_FLAG
    return next((flag for programs, flag in _CODE_FLAGS if name in programs), None)


@dataclass(slots=True)
class Command:
    """One simple command: its words with their quotes removed, values as `VALUE`."""

    words: list[str] = field(default_factory=list)
    here_strings: list[str] = field(default_factory=list)

    def problem(self) -> str:
        """Return why a value may not stand where one stands, or an empty text."""
        words = self._without_prefixes()
        if not words:
            return self._subscript(self.words)
        if any(VALUE in text for text in self.here_strings) and reads_input_as_code(self.words):
            return f"it is the input of {_program(words[0])}, which reads it as code"
        return (
            self._builtin(words[0], words[1:])
            or self._subscript(self.words[: len(self.words) - len(words) + 1])
            or self._arithmetic(words)
            or self._reinterpreted(words)
        )

    def _without_prefixes(self) -> list[str]:
        words = list(self.words)
        while words and (words[0] in _PREFIXES or _ASSIGNMENT.match(words[0])):
            if words.pop(0) in _PREFIXES:
                while words and words[0].startswith("-"):
                    words.pop(0)
        return words

    @staticmethod
    def _subscript(words: Sequence[str]) -> str:
        found = any(_SUBSCRIPT.match(word) for word in words)
        return "it is an array subscript, which the shell evaluates" if found else ""

    def _builtin(self, name: str, arguments: Sequence[str]) -> str:
        has_value = any(VALUE in word for word in arguments)
        if not has_value:
            return ""
        if name in _CODE_BUILTINS:
            return f"{name} reads its arguments as code"
        if name in _NAME_BUILTINS or (name == "printf" and self._after("-v", arguments)):
            return f"{name} takes it for the name of a variable, which the shell evaluates"
        if name in _DECLARATIONS and not self._plain_declaration(arguments):
            return f"{name} would evaluate it"
        if name in {*_TESTS, "[["} and self._after("-v", arguments):
            return "it is the name of a variable, which the shell evaluates"
        return ""

    @staticmethod
    def _after(flag: str, words: Sequence[str]) -> bool:
        return any(VALUE in word for before, word in pairwise(words) if before == flag)

    @staticmethod
    def _plain_declaration(words: Sequence[str]) -> bool:
        flags = "".join(word for word in words if word.startswith("-"))
        names_only = all(VALUE not in word.partition("=")[0] for word in words)
        return names_only and not {"i", "n"} & set(flags)

    @staticmethod
    def _arithmetic(words: Sequence[str]) -> str:
        # `[` and `test` take numbers only; `[[` evaluates both sides as arithmetic, command substitutions included.
        if words[0] in _TESTS:
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
        programs = [*words[:1], *known]
        return self._reinterpreted(words, programs)

    @staticmethod
    def _reinterpreted(words: Sequence[str], programs: Sequence[str] = ()) -> str:
        """Look at each of *programs*, which are the words unless said otherwise: any may start another command."""
        for index, word in enumerate(programs or words):
            if _program(word) in _REMOTE and any(VALUE in argument for argument in words[index + 1 :]):
                return f"{_program(word)} gives its arguments to a shell, which reads them as code"
            flag = _code_flag(word)
            script_ends = _program(word) not in _OPERANDS_FIRST
            if flag and VALUE in _code_argument(words[index + 1 :], flag, script_ends=script_ends):
                return f"{_program(word).replace(VALUE, 'the command')} reads it as code"
        return ""


def _code_argument(words: Sequence[str], flag: re.Pattern[str], *, script_ends: bool) -> str:
    for index, word in enumerate(words):
        if flag.fullmatch(word):
            rest = words[index + 1 :]
            # `sh -c -e CODE name arguments`: the first word that is no option is the code, what follows is data.
            return next((candidate for candidate in rest if not candidate.startswith(("-", "+"))), "")
        is_value = index > 0 and bool(_TAKES_VALUE.fullmatch(words[index - 1]))
        if script_ends and not is_value and not word.startswith(("-", "+")):
            return ""  # a script: what follows are its own options
    return ""


def reads_input_as_code(words: Sequence[str]) -> bool:
    """Return whether a command reads its standard input as code: a shell or interpreter without a script."""
    if words[:1] in (["."], ["source"]):
        return "/dev/stdin" in words
    for index, word in enumerate(words):
        if _is_interpreter(word):
            rest = words[index + 1 :]
            has_script = any(not argument.startswith("-") for argument in rest)
            return _program(word) == "ssh" or not has_script or "-s" in rest
    return False
