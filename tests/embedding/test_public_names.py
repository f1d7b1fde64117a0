"""What `import tidegate` gives, and what it costs."""

import logging
import subprocess
import sys

import pytest

import tidegate
from embedding import example


def python(code: str) -> str:
    """Return what an interpreter of its own prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_the_public_names_are_these() -> None:
    """One that goes is a break, one that comes is a promise."""
    assert sorted(tidegate.__all__) == [
        "Answered",
        "BlockFailure",
        "BlockOutput",
        "CheckpointMetadata",
        "CheckpointState",
        "CleanUp",
        "Loaded",
        "PauseRow",
        "Replayed",
        "RunInfo",
        "RunResult",
        "RunStatus",
        "Tidegate",
        "TidegateError",
        "__version__",
        "errors",
        "open",
        "replay",
        "replay_async",
    ]
    assert set(tidegate.__all__) <= set(dir(tidegate))


@pytest.mark.parametrize("name", tidegate.__all__)
def test_every_public_name_leads_to_something(name: str) -> None:
    """In an interpreter where nothing of it was imported before."""
    assert python(f"import tidegate; print(tidegate.{name} is not None)") == "True"


def test_a_misspelt_name_is_no_name() -> None:
    """As of any module."""
    with pytest.raises(AttributeError, match="module 'tidegate' has no attribute 'Tidgate'"):
        getattr(tidegate, "Tidgate")  # noqa: B009  # a type checker knows that it is not there


def test_importing_tidegate_loads_nothing_else() -> None:
    """Neither a module of its own nor one of somebody else's."""
    code = (
        "import sys; before = set(sys.modules); import tidegate; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before if name != 'tidegate'}; "
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )

    assert python(code) == "[]"


def test_opening_a_store_loads_no_terminal_toolkit_and_no_file_reader() -> None:
    """A program that only answers pays for neither."""
    code = (
        "import asyncio, sys, tidegate\n"
        "async def main():\n"
        "    async with tidegate.open('memory://') as gate:\n"
        "        await gate.list_pauses()\n"
        "asyncio.run(main())\n"
        "print({'textual', 'rich', 'click', 'yaml', 'httpx', 'watchfiles'} & set(sys.modules))"
    )

    assert python(code) == "set()"


def test_a_typed_program_runs() -> None:
    """The types of this file are checked with everything else; that it works is checked here."""
    result = example.main()

    assert (result.status, result.outputs) == (tidegate.RunStatus.SUCCEEDED, {"given": True, "percent": 5})


def test_the_programs_logging_is_left_as_it_is() -> None:
    """A library configures nothing."""
    names = (None, "tidegate", "tidegate.engine.driver", "asyncio")
    before = [(log.level, list(log.handlers), log.propagate) for log in map(logging.getLogger, names)]

    example.main()

    assert [(log.level, list(log.handlers), log.propagate) for log in map(logging.getLogger, names)] == before
