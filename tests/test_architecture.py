"""Habits that hold by themselves."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tidegate

SOURCE = Path(tidegate.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE = 400
LONGEST_FUNCTION = 50


def functions_of(module: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a module."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_and_functions_stay_small(module: Path) -> None:
    """A module that outgrows its limit is two modules; a function that does is two ideas."""
    lines = len(module.read_text(encoding="utf-8").splitlines())
    long_ones = [
        f"{function.name}: {function.end_lineno - function.lineno} lines"
        for function in functions_of(module)
        if function.end_lineno is not None and function.end_lineno - function.lineno > LONGEST_FUNCTION
    ]

    assert lines <= LONGEST_MODULE
    assert not long_ones


@pytest.mark.parametrize(
    "statement",
    [
        "import tidegate.engine.executor, tidegate.history.history",
        "import tidegate.cli.main",
        "import tidegate; tidegate.open, tidegate.Tidegate, tidegate.Loaded",
        "import tidegate.blocks.registry, tidegate.workflows.loader",
    ],
)
def test_nothing_but_the_monitor_loads_the_terminal_toolkit(statement: str) -> None:
    """It costs several tenths of a second, which no command line has to give away."""
    code = f"{statement}; import sys; print(sorted(m for m in sys.modules if m.split('.')[0] == 'textual'))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout.strip() == "[]"
