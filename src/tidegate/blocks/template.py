"""The block that makes text out of values; what it refers to was filled in before it is called."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec

from tidegate.blocks.base import BlockContext, Completed, Failed, Result, WorkBlock
from tidegate.blocks.checks import Inputs, describe, input_check, parse_inputs, word_of, written
from tidegate.blocks.input_docs import Kind
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, InputProblem, ValueType
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect

__all__ = ["Template"]

_SUMMARY = 200
"""Characters."""


class Format(StrEnum):
    """What the text is."""

    TEXT = "text"
    JSON = "json"


class TemplateInputs(Inputs):
    """What the text is made of."""

    template: Annotated[Json, Kind("text; any value with format: json")]
    """The text, with its references; nothing of it is trimmed. With `format: json` also a mapping or a list."""
    format: Annotated[Format, word_of(Format)] = Format.TEXT
    """With `json`, a text must be a JSON document, anything else is written as one; `result` is its value."""

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        if self.format is Format.TEXT and not isinstance(self.template, str | bool | int | float):
            yield InputProblem(
                ("template",),
                f"'template' must be text, not {describe(self.template)}: `format: json` takes any value",
            )


class Template(WorkBlock):
    """Makes text out of values."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="Template",
        check=input_check(TemplateInputs),
        outputs={"text": ValueType.STRING, "result": ValueType.ANY},
        effect=Effect.PURE,
        description=(
            "Makes text out of values.\n"
            "`text` is the template with its references filled in; with `format: json`, `result` is what "
            "the text says."
        ),
        example=(
            "id: report\n"
            "type: Template\n"
            "inputs:\n"
            "  template: |\n"
            "    Release notes\n"
            "    All checks are green.\n"
        ),
    )

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Return the text."""
        try:
            wanted = parse_inputs(TemplateInputs, inputs)
        except InputsError as error:
            return Failed(Failure(kind=FailureKind.INPUTS, message="; ".join(error.problems)))
        if wanted.format is Format.TEXT:
            return Completed({"text": written(wanted.template)})
        return _document(wanted.template)

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return the first line of the template, bounded."""
        line = str(inputs.get("template", "")).strip().partition("\n")[0]
        return line if len(line) <= _SUMMARY else line[: _SUMMARY - 3] + "..."


def _document(template: Json) -> Result:
    if not isinstance(template, str):
        text = msgspec.json.format(msgspec.json.encode(template), indent=2).decode()
        return Completed({"text": text, "result": template})
    try:
        return Completed({"text": template, "result": msgspec.json.decode(template)})
    except (msgspec.DecodeError, RecursionError) as error:
        message = f"the text is no JSON document: {error}"
        return Failed(Failure(kind=FailureKind.OUTPUTS, message=message))
