"""Programs that read an argument, or their input, as code.

A net for what people write, not a proof: it knows shells, common interpreters, and what hands its
arguments to a shell. What `make`, a database or `jq` makes of a value is theirs.
"""

import re
from collections.abc import Iterator, Sequence

__all__ = ["FILE", "VALUE", "reads_input_as_code", "reinterpreted"]

VALUE = "\0"
"""Stands for a value in the text of a word."""
FILE = "<("
"""Begins a word that is the name of what a command prints."""

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "rbash", "su", "runuser"})
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_CODE_FLAGS = (
    (
        _SHELLS | {"script", "flock", "pwsh", "powershell", "expect"},
        re.compile(r"-[A-Za-z]*c[A-Za-z]*|--command|-Command"),
    ),
    (frozenset({"perl", "ruby", "lua", "osascript"}), re.compile(r"-[A-Za-z0-9.]*[eE]")),
    (frozenset({"node", "nodejs", "deno", "bun"}), re.compile(r"-[ep]|-pe|--eval|--print|eval")),
    (frozenset({"php"}), re.compile(r"-r")),
)
_PYTHON_FLAG = re.compile(r"-[A-Za-z]*c")
_OPERANDS_FIRST = frozenset({"su", "runuser", "script", "flock"})
"""They take their option also behind a user's or a file's name."""
_TAKES_VALUE = re.compile(r"[-+][A-Za-z]*[oO]|-[WX]|--rcfile|--init-file")
_REMOTE = frozenset({"ssh", "watch"})
"""They join their arguments and give them to a shell."""
_REMOTE_FIRST = _REMOTE | {"parallel", "tmux", "screen"}
"""The same as the first word; further on they are names of packages."""
_READ_INPUT = frozenset({"ssh", "at", "batch", "crontab", "parallel"})
"""They read their input as code, whatever their arguments are."""
_RUNNERS = frozenset({"xargs", "find", "timeout", "nice", "ionice", "setsid", "stdbuf", "busybox", "doas"})
"""They run the command in their arguments."""
_NO_RUNNERS = frozenset(
    {"grep", "egrep", "fgrep", "rg", "echo", "printf", "for", "case", "select", "test", "["}
)
"""To these the name of a shell is a text."""
_SCRIPTS = {
    "sed": (re.compile(r"-[nErsuz]*e|--expression"), re.compile(r"-[nErsuz]*[fl]|--file|--line-length")),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk"),
        (re.compile(r"-e|--source"), re.compile(r"-[vFfi]|--assign|--file|--field-separator|--include")),
    ),
}
"""Programs whose first operand is code unless an option says it: that option, and those that take a value."""
_SCRIPT_FILE = re.compile(r"-[nErsuz]*f.*|--file(?:=.*)?", re.DOTALL)
_REPLACES = re.compile(r"-[iIJ](.*)|--replace(?:=(.*))?", re.DOTALL)


def _program(word: str) -> str:
    return word.rpartition("/")[2]


def _code_flag(word: str) -> re.Pattern[str] | None:
    name = _program(word)
    # A program that a variable, a value or a command names may be any.
    if _PYTHON.fullmatch(name) or word.startswith(("$", VALUE)):
        return _PYTHON_FLAG
    return next((flag for programs, flag in _CODE_FLAGS if name in programs), None)


def _is_interpreter(word: str) -> bool:
    name = _program(word)
    known = any(name in programs for programs, _ in _CODE_FLAGS)
    return known or bool(_PYTHON.fullmatch(name)) or name == "ssh"


def reinterpreted(words: Sequence[str], programs: Sequence[str] = ()) -> str:
    """Return why a value in a command's words would be read as code, or an empty text.

    Args:
        words: With `VALUE` for values.
        programs: What to look at, in place of the words: any of them may start another command.
    """
    return next((problem for problem in _problems(words, programs or words) if problem), "")


def _problems(words: Sequence[str], programs: Sequence[str]) -> Iterator[str]:
    for index, word in enumerate(programs):
        name, rest = _program(word), words[index + 1 :]
        first = index == 0
        if name in (_REMOTE_FIRST if first else _REMOTE) and any(VALUE in argument for argument in rest):
            yield f"{name} gives its arguments to a shell, which reads them as code"
        if name == "env" and any(VALUE in part for part in _split_by_env(rest)):
            yield "env -S splits it into a command"
        if (
            name in _SCRIPTS
            and (first or words[0] in _RUNNERS)
            and any(VALUE in code for code in _scripts(name, rest))
        ):
            yield f"{name} reads it as code"
        # What a command prints names a program only where one is expected.
        if (first or word != "$") and any(VALUE in code for code in _codes(word, rest)):
            yield f"{name.replace(VALUE, 'the command')} reads it as code"


def _split_by_env(words: Sequence[str]) -> Iterator[str]:
    for index, word in enumerate(words):
        if re.fullmatch(r"-[iv]*S|--split-string", word):
            yield from words[index + 1 : index + 2]
        elif re.match(r"-[iv]*S|--split-string=", word):
            yield word
        elif not word.startswith("-"):
            return


def _scripts(name: str, words: Sequence[str]) -> Iterator[str]:
    """Yield what `sed` or `awk` runs: both can start a program."""
    flag, takes_value = _SCRIPTS[name]
    operand, is_said, skip = "", False, False
    for index, word in enumerate(words):
        if skip:
            skip = False
        elif code := flag.match(word) if word.startswith("-") else None:
            is_said = True
            skip = code.end() == len(word)
            yield words[index + 1] if skip and index + 1 < len(words) else word
        elif word.startswith("-") and word != "-":
            is_said = is_said or bool(_SCRIPT_FILE.fullmatch(word))
            skip = bool(takes_value.fullmatch(word))
        else:
            operand = operand or word or " "
    if not is_said:
        yield operand


def _codes(program: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the arguments that *program* would run."""
    flag = _code_flag(program)
    if flag is None:
        return
    shell = _program(program) in _SHELLS
    for index, word in enumerate(words):
        if flag.fullmatch(word):
            # `sh -c -e CODE name arguments`: the first word that is no option is the code, what follows is data.
            found = [at for at, later in enumerate(words[index + 1 :]) if not later.startswith(("-", "+"))]
            yield from words[index + 1 + found[0] : index + 2 + found[0]] if found else ()
            # `perl -e A -e B` runs both.
            if shell or not found or not flag.fullmatch("-e"):
                return
        elif not shell and VALUE in word and word.startswith("-") and flag.match(word):
            yield word  # `python3 -c"print(1)"`
        elif _is_operand(program, words, index):
            return  # a script: what follows are its own options


def _is_operand(program: str, words: Sequence[str], index: int) -> bool:
    after = words[index - 1] if index else ""
    is_value = bool(_TAKES_VALUE.fullmatch(after)) or bool(re.fullmatch(r"-[A-Za-z0-9.]*[eE]", after))
    is_option = words[index].startswith(("-", "+"))
    return _program(program) not in _OPERANDS_FIRST and not is_value and not is_option


def reads_input_as_code(words: Sequence[str]) -> bool:
    """Return whether a command reads its standard input as code: a shell or interpreter without a script."""
    if words[:1] in (["."], ["source"]):
        return "/dev/stdin" in words
    if words[:1] == ["eval"]:  # what it runs was read by the command before
        return any("$" in word for word in words)
    if words and _program(words[0]) == "xargs" and _replaced_in_code(words[1:]):
        return True
    if words and _program(words[0]) in _READ_INPUT:
        return True
    looked = words[:1] if words and words[0] in _NO_RUNNERS else words
    return any(_runs_input(word, words[index + 1 :]) for index, word in enumerate(looked))


def _runs_input(program: str, words: Sequence[str]) -> bool:
    if not _is_interpreter(program):
        return False
    if _program(program) == "ssh" or "-s" in words:
        return True
    operands = (
        word
        for index, word in enumerate(words)
        if not word.startswith("-") and not (index and _TAKES_VALUE.fullmatch(words[index - 1]))
    )
    return next(operands, "-") in {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}


def _replaced_in_code(words: Sequence[str]) -> bool:
    """Return whether `xargs -I{} sh -c 'ls {}'` pastes its input into code."""
    for index, word in enumerate(words):
        found = _REPLACES.fullmatch(word)
        if found:
            following = next(iter(words[index + 1 :]), "")
            mark = found[1] or found[2] or (following if word in {"-I", "-J"} else "{}")
            return bool(reinterpreted([later.replace(mark, VALUE) for later in words[index + 1 :]]))
    return False
