"""The expression language itself, without the command line that comes with it.

`import cel` runs the package's `__init__`, which imports its own command line, a prompt toolkit
and a highlighter: a second on a cold start, for a module of which one function and two classes are
needed. The compiled extension beside it does not need them, so it is loaded by its file. Where
that does not work (another layout, a frozen program) the package is imported as usual.

Nothing here is loaded before the first expression is compiled: a workflow without any pays nothing.
"""

import importlib.util
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

__all__ = ["Program", "compile_program", "new_context"]

_NAME = "cel.cel"


class Program(Protocol):
    """A compiled expression."""

    def execute(self, context: Any) -> Any:
        """Return its value, as a Python object."""
        ...


def _extension_file() -> Path | None:
    package = importlib.util.find_spec("cel")
    folders = (package.submodule_search_locations or []) if package else []
    candidates = (Path(folder) / f"cel{suffix}" for folder in folders for suffix in EXTENSION_SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


@cache
def _extension() -> ModuleType:
    # A second copy of an extension module may not be loaded into one process.
    loaded = sys.modules.get(_NAME)
    if loaded is not None:
        return loaded
    path = _extension_file()
    spec = importlib.util.spec_from_file_location(_NAME, path) if path else None
    if spec is None or spec.loader is None:
        return importlib.import_module(_NAME)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # So that somebody who imports the whole package later gets this very copy.
    sys.modules[_NAME] = module
    return module


def compile_program(source: str) -> Program:
    """Compile *source*; ValueError if it is no expression."""
    program: Program = _extension().compile(source)
    return program


def new_context(variables: dict[str, Any]) -> Any:
    """Return what a program is executed with."""
    return _extension().Context(variables)
