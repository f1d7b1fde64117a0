"""`tidegate checkpoints export --as-test`: a run as a small test that a person can read, and its recording."""

import os
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tidegate.history.export_files import write_whole
from tidegate.history.portable import NotExportable
from tidegate.history.recording import Recorded, told_questions
from tidegate.history.shelf import path_of
from tidegate.model.ids import BlockId, is_part
from tidegate.model.workflow import WorkflowDefinition
from tidegate.workflows.loader import Loaded

__all__ = ["Written", "try_out", "write_test"]

_MOST_LINES = 60
"""Of one assertion: a longer one says no more than the recording does."""
_MOST_TEXT = 400
"""Characters of a value in an assertion."""
_MOST_DIFFERENCES = 3
"""That are told of a run that can be no test."""

_KEPT = "A fork keeps what had ended before it, as it was with the inputs, and by the workflow, of then"

_TEST = '''"""A run of workflow '{workflow}' as a test: run {run_id}, which {ended}.

Nothing is done here: each block ends as it did in the recording, people answer as they did, and all else is
decided by the workflow as it is now. Written by `tidegate checkpoints export --as-test`.
"""

from pathlib import Path

import tidegate

HERE = Path(__file__).parent
WORKFLOW = HERE / {path}
RECORDING = HERE / {recording}


def test_{name}() -> None:
    """The same blocks run, are skipped and fail; the same is asked; it ends as it did."""
    replayed = tidegate.replay(WORKFLOW, RECORDING)

    assert not replayed.differences, str(replayed)
    assert replayed.status == "{status}"
{assertions}'''


@dataclass(frozen=True, slots=True)
class Written:
    """The files of a test."""

    test: Path
    recording: Path
    workflow: Path


async def try_out(recorded: Recorded) -> bool:
    """Let the workflow that a run had do again what was recorded: a test must hold when it is written.

    Args:
        recorded: The run.

    Returns:
        Whether it was tried: it cannot be where a block is of a type that only a program has.

    Raises:
        NotExportable: the workflow does something else, as where a fork has kept what came of other inputs.
    """
    # Here: only this takes the engine.
    from tidegate.embedding.block_types import types_with
    from tidegate.embedding.replaying import replay_async

    types = types_with({})
    if any(name not in types for name in _types_in(recorded.definition)):
        return False
    replayed = await replay_async(Loaded(recorded.definition, recorded.source), recorded.recording)
    if replayed.differences:
        run = f"run {recorded.recording.run_id} can be no test"
        why = "; ".join(replayed.differences[:_MOST_DIFFERENCES])
        kept = f". {_KEPT}" if recorded.is_fork else ""
        problem = f"done again from its beginning, its workflow does something else: {why}{kept}"
        raise NotExportable(f"{run}: {problem}")
    return True


def _types_in(definition: WorkflowDefinition) -> Iterator[str]:
    yield from (block.type for block in definition.blocks)
    for child in definition.children.values():
        yield from _types_in(child)


async def write_test(recorded: Recorded, test: Path, workflow: Path | None, *, replace: bool) -> Written:
    """Write a test of a run, and its recording beside it.

    Args:
        recorded: The run.
        test: The file of the test.
        workflow: The file of the workflow; None: the one that the run was started from. If that is gone, it is
            written beside the test as it was.
        replace: Whether files that are there are replaced.

    Raises:
        NotExportable: the workflow's file is gone, and calls others.
        FileThere: one of the files is there already, and is not to be replaced.
        OSError: they cannot be written.
    """
    recording = test.with_name(f"{test.stem}.recording.json")
    found = workflow or _file_of(recorded.definition)
    place = found or test.with_name(f"{recorded.definition.name}.yaml")
    if found is None:
        _must_stand_alone(recorded)
        await write_whole(_piece(recorded.source), place, replace=replace)
    tape = msgspec.json.format(msgspec.json.encode(recorded.recording), indent=1) + b"\n"
    await write_whole(_piece(tape.decode()), recording, replace=replace)
    text = _text(recorded, _relative(place, test), recording.name)
    await write_whole(_piece(text), test, replace=replace)
    return Written(test, recording, place)


async def _piece(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


def _relative(place: Path, test: Path) -> str:
    return os.path.relpath(place.absolute(), test.absolute().parent)


def _file_of(definition: WorkflowDefinition) -> Path | None:
    path = path_of(definition)
    if path is None or not path.is_file():
        return None
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _must_stand_alone(recorded: Recorded) -> None:
    definition = recorded.definition
    if definition.children or not recorded.source:
        problem = (
            f"the file of workflow '{definition.name}' is not there ({definition.source_path or 'none'})"
        )
        raise NotExportable(f"{problem}: name the one that is to be tested with --workflow")


def _text(recorded: Recorded, path: str, recording: str) -> str:
    it = recorded.recording
    blocks = {place: stands for place, stands in it.path.items() if not is_part(BlockId(place))}
    return _TEST.format(
        workflow=it.workflow,
        run_id=it.run_id,
        ended=_sentence(it.status.value, it.reason),
        path=_literal(path),
        recording=_literal(recording),
        name=re.sub(r"\W+", "_", f"{it.workflow}_{it.run_id}".lower(), flags=re.ASCII),
        status=it.status.value,
        assertions="".join(
            (
                *_mapping("blocks", blocks),
                *_tuple("questions", told_questions(it.questions)),
                *_mapping("outputs", it.outputs),
            )
        ),
    )


def _sentence(status: str, reason: str) -> str:
    plain = " ".join(reason.encode("ascii", "replace").decode().split())
    # It stands in a docstring.
    plain = re.sub(r'[\\"{}]', "'", plain)[:60]
    return f"{_ENDED.get(status, status)}{f' ({plain})' if plain else ''}"


_ENDED = {"paused": "waits for an answer", "cancelled": "was cancelled", "rejected": "was rejected"}


def _mapping(name: str, values: Mapping[str, object]) -> Iterable[str]:
    lines = [f"        {_literal(key)}: {_literal(value)},\n" for key, value in values.items()]
    if _is_readable(lines):
        yield (
            f"    assert replayed.{name} == {{\n{''.join(lines)}    }}\n"
            if lines
            else f"    assert replayed.{name} == {{}}\n"
        )


def _tuple(name: str, values: Iterable[str]) -> Iterable[str]:
    lines = [f"        {_literal(value)},\n" for value in values]
    if _is_readable(lines):
        yield (
            f"    assert replayed.{name} == (\n{''.join(lines)}    )\n"
            if lines
            else f"    assert replayed.{name} == ()\n"
        )


def _is_readable(lines: list[str]) -> bool:
    return len(lines) <= _MOST_LINES and all(len(line) <= _MOST_TEXT for line in lines)


def _literal(value: object) -> str:
    if not isinstance(value, str):
        return repr(value)
    text = ascii(value)
    return text if '"' in value or "\\" in text else f'"{text[1:-1]}"'
