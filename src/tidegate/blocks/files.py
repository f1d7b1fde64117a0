"""The blocks that read and write files."""

import codecs
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, assert_never

import msgspec

from tidegate.blocks.base import BlockContext, Completed, Failed, Result, WorkBlock
from tidegate.blocks.checks import input_check, parse_inputs
from tidegate.blocks.file_inputs import FileParse, ReadFileInputs, WriteFileInputs, WriteMode, effect_of_mode
from tidegate.blocks.file_io import FileFault, Written, append, create, in_thread, overwrite, read
from tidegate.blocks.file_yaml import YamlFault, parse_yaml
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect

__all__ = ["ReadFile", "WriteFile"]

_SUMMARY = 200
"""Characters."""


class _Unusable(Exception):
    """What is in a file is not what was expected."""


class ReadFile(WorkBlock):
    """Reads a file."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="ReadFile",
        check=input_check(ReadFileInputs),
        outputs={
            "content": ValueType.STRING,
            "result": ValueType.ANY,
            "exists": ValueType.BOOLEAN,
            "size": ValueType.INTEGER,
            "sha256": ValueType.STRING,
            "path": ValueType.STRING,
        },
        effect=Effect.PURE,
        description=(
            "Reads a file.\n"
            "`content` is its text, `result` what `parse` makes of it, `size` and `sha256` are those of its "
            "bytes. Only regular files are read, never a directory, a pipe or a device."
        ),
        example=(
            "id: settings\ntype: ReadFile\ninputs: {path: settings.yaml, parse: yaml, if_missing: {}}\n"
        ),
    )

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Read the file."""
        try:
            wanted = parse_inputs(ReadFileInputs, inputs)
            return Completed(await in_thread(_read, wanted, Path(context.working_dir) / wanted.path))
        except InputsError as error:
            return _failed(FailureKind.INPUTS, "; ".join(error.problems))
        except FileFault as error:
            return _failed(FailureKind.ERROR, str(error))
        except _Unusable as error:
            return _failed(FailureKind.OUTPUTS, str(error))

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return the path, bounded."""
        return _bounded(f"read {inputs.get('path', '')}")


class WriteFile(WorkBlock):
    """Writes a file."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="WriteFile",
        check=input_check(WriteFileInputs),
        outputs={
            "path": ValueType.STRING,
            "bytes": ValueType.INTEGER,
            "sha256": ValueType.STRING,
            "changed": ValueType.BOOLEAN,
        },
        effect=Effect.ONCE,
        effect_of=effect_of_mode,
        description=(
            "Writes a file.\n"
            "Whole or not at all: nobody ever reads half of it, and once the block has succeeded it survives "
            "a power loss; only `append` adds in place. `bytes` and `sha256` are those of `content`; `changed` "
            "is false when the file held just that already."
        ),
        example=(
            "id: note\n"
            "type: WriteFile\n"
            'inputs: {path: out/note.txt, content: "all is well\\n", permissions: "0640", make_parents: true}\n'
        ),
    )

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Write the file."""
        try:
            wanted = parse_inputs(WriteFileInputs, inputs)
            path = Path(context.working_dir) / wanted.path
            done = await in_thread(_write, wanted, path, context.idempotency_key)
        except InputsError as error:
            return _failed(FailureKind.INPUTS, "; ".join(error.problems))
        except UnicodeEncodeError:
            return _failed(
                FailureKind.INPUTS, "'content' holds half of a surrogate pair, which is no character"
            )
        except FileFault as error:
            return _failed(FailureKind.ERROR, str(error))
        outputs: JsonObject = {"bytes": done.size, "sha256": done.sha256, "changed": done.changed}
        return Completed({"path": str(path), **outputs})

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return the path and what is done to it, bounded."""
        return _bounded(f"{inputs.get('mode', WriteMode.OVERWRITE)} {inputs.get('path', '')}")

    def presumed(self) -> JsonObject:
        """Return the outputs of a write that worked."""
        return {"path": "", "bytes": 0, "sha256": "", "changed": True}


def _failed(kind: FailureKind, message: str) -> Failed:
    return Failed(Failure(kind=kind, message=message))


def _bounded(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SUMMARY else line[: _SUMMARY - 3] + "..."


# -- in a thread ------------------------------------------------------------------------------


def _read(wanted: ReadFileInputs, path: Path) -> JsonObject:
    data = read(path, wanted.max_bytes)
    if data is None:
        if "if_missing" not in wanted.model_fields_set:
            tilde = " (`~` is not expanded here)" if "~" in path.parts else ""
            raise FileFault(f"{path} does not exist{tilde}: `if_missing` says what to go on with")
        return _outputs(path, "", wanted.if_missing, b"") | {"exists": False, "sha256": ""}
    text = _text(path, data, wanted.encoding)
    return _outputs(path, text, _parsed(path, text, wanted.parse), data)


def _outputs(path: Path, text: str, result: Json, data: bytes) -> JsonObject:
    digest = hashlib.sha256(data).hexdigest()
    return {
        "content": text,
        "result": result,
        "exists": True,
        "size": len(data),
        "sha256": digest,
        "path": str(path),
    }


def _text(path: Path, data: bytes, encoding: str) -> str:
    try:
        # A byte order mark is no part of the text.
        return (data.removeprefix(codecs.BOM_UTF8) if encoding == "utf-8" else data).decode(encoding)
    except UnicodeDecodeError as error:
        raise _Unusable(f"{path} is no {encoding}: byte {error.start} does not belong there") from None


def _parsed(path: Path, text: str, how: FileParse) -> Json:
    match how:
        case FileParse.TEXT:
            return text
        case FileParse.LINES:
            return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
        case FileParse.JSON:
            return _json(path, text)
        case FileParse.YAML:
            try:
                return parse_yaml(text)
            except YamlFault as error:
                raise _Unusable(f"{path} is no YAML that can be used: {error}") from None
        case _:
            assert_never(how)


def _json(path: Path, text: str) -> Json:
    try:
        value: Json = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _Unusable(f"{path} is no JSON: {error}") from None
    return value


def _write(wanted: WriteFileInputs, path: Path, key: str) -> Written:
    data = wanted.content.encode()
    if wanted.make_parents:
        _make_parents(path)
    match wanted.mode:
        case WriteMode.OVERWRITE:
            return overwrite(path, data, wanted.permissions, key)
        case WriteMode.CREATE:
            return create(path, data, wanted.permissions, key)
        case WriteMode.APPEND:
            return append(path, data, wanted.permissions)
        case _:
            assert_never(wanted.mode)


def _make_parents(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileFault(f"the folder {path.parent} could not be made: {error.strerror}") from None
