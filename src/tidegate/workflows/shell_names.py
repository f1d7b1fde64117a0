"""The shell's own `${...}` in a command that were probably meant for a reference.

A `${NAME}` of no known name belongs to the shell, and to a shell an unknown variable is an empty
text: `rm -rf ${databse}/` would run. So a near miss of a known name stops the load, and so does a
known name in an expansion that only a shell's variable can have.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from tidegate.errors import ExpressionError
from tidegate.workflows.nearest import nearest
from tidegate.workflows.scope import Names
from tidegate.workflows.text_parts import closing

__all__ = ["ForeignNames"]

_BARE = re.compile(r"\$\{\s*(([A-Za-z_][A-Za-z0-9_]*)(?:-[A-Za-z0-9_-]*)?)\s*\}")
_EXPANSION = re.compile(r"\$\{[#!]?([A-Za-z_][A-Za-z0-9_]*)(?![A-Za-z0-9_])")
_DEFAULT = re.compile(r"\$\{[A-Za-z0-9_]+:?[-=]([^'\"$`\\{}]*)\}")
_OR = ", or $${ for a literal ${"
_ENVIRONMENT = frozenset(
    {"HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ"}
    | {"HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "UID", "EUID", "PPID", "RANDOM", "SECONDS", "LINENO"}
    | {"EDITOR", "VISUAL", "PAGER", "MAIL", "DISPLAY", "IFS", "REPLY", "OPTARG", "OPTIND", "FUNCNAME", "CI"}
)
"""Variables that every shell or session has: an input `home` makes no mistake of `${HOME}`."""
_ELSEWHERE = {
    "item": "'item' is known in blocks with for_each only",
    "index": "'index' is known in blocks with for_each or loop only",
}
"""Words of ours that mean something in some blocks."""


@dataclass(frozen=True, slots=True)
class ForeignNames:
    """Looks at each `${` of one command that is none of Tidegate's."""

    command: str
    names: Names
    declared: frozenset[str]
    """Variables that the block gives to its command."""

    def check(self, text: str, position: int) -> None:
        """Look at the `${` at *position* of *text*.

        Raises:
            ExpressionError: it was probably meant for a reference.
        """
        expansion = _EXPANSION.match(text, position)
        if expansion is None:
            return
        name = expansion.group(1)
        end = closing(text, position + 1)
        source = text[position : end if end > 0 else position + 40]
        bare = _BARE.fullmatch(source)
        problem = self._near_problem(bare.group(1), name) if bare else ""
        if not problem and self.names.knows(name):
            problem = self._known_problem(name, source)
        if not problem and bare and bare.group(1) in _ELSEWHERE:
            problem = f"{_ELSEWHERE[name]}; for a variable of the shell named {name} write ${name}"
        if problem and not self._is_variable(name):
            raise ExpressionError(source, problem)

    def _near_problem(self, written: str, name: str) -> str:
        meant = _meant(written, self.names)
        if meant is None or meant == name or name in _ENVIRONMENT or _assigns_default(self.command, name):
            return ""
        reference = f"${{{meant}}}" if meant in self.names.inputs else f"${{{meant}.status}}"
        own = f"${name}" if written == name else f"${{{name}:{written.removeprefix(name)}}}"
        return (
            f"'{written}' is no known name: did you mean {reference}? "
            f"For a variable of the shell named {name} write {own}"
        )

    def _known_problem(self, name: str, source: str) -> str:
        kind = "an input of this workflow" if name in self.names.inputs else "a block of this workflow"
        kind = "of Tidegate" if self.names.is_own(name) else kind
        problem = f"'{name}' is {kind} and no variable of the shell"
        if name in self.names.blocks:
            return f"{problem}: assign one of its outputs first, like v=${{{name}.status}}"
        default = _DEFAULT.fullmatch(source)
        if default is not None:
            return f"{problem}: write ${{{name} ?? '{default.group(1)}'}}{_OR}"
        return f"{problem}: assign it first: v=${{{name}}}, and then use v in place of {name}{_OR}"

    def _is_variable(self, name: str) -> bool:
        """Return whether the block declares the variable *name*, or its command gives it a value."""
        return name in self.declared or _assigns(self.command, name)


_MANY = 500
"""So many blocks are generated and not typed; looking through them takes 7 ms for every new name."""


@lru_cache(maxsize=4096)
def _meant(written: str, names: Names) -> str | None:
    blocks = names.blocks if len(names.blocks) <= _MANY else ()
    return nearest(written, names.inputs) or nearest(written, blocks)


@lru_cache(maxsize=4096)
def _assigns_default(command: str, name: str) -> bool:
    return re.search(rf"\$\{{{name}:?=", command) is not None


@lru_cache(maxsize=4096)
def _assigns(command: str, name: str) -> bool:
    # `name=`, `name+=`, `name[1]=`, `name++`; but not `--name=`.
    value = rf"(?<![\w.$\{{/-]){name}(?:\[[^\]]{{0,200}}\])?(?:[-+*/%]?=(?!=)|\+\+|--)"
    words = r"(?:for|select|read|export|local|declare|typeset|readonly|mapfile|readarray|getopts|printf\s+-v)"
    # Not to the end of the line: a hundred thousand times `read` in it would take minutes.
    named = rf"(?<![\w-]){words}\b[^;|&\n]{{0,200}}?(?<![\w$\{{-]){name}(?![\w-])"
    return re.search(value, command) is not None or re.search(named, command) is not None
