"""The parts of a workflow file: the file itself, its inputs, its blocks and what they depend on."""

from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field

from tidegate.model.workflow import OnInterrupt, Schedule
from tidegate.workflows.declared_secrets import long_form
from tidegate.workflows.fields import (
    Boolean,
    EffectField,
    Expression,
    Identifier,
    NameField,
    OnFailureField,
    OnInterruptField,
    OutcomeList,
    OutputName,
    Parallel,
    Raw,
    ScheduleField,
    Seconds,
    Text,
    ValueMap,
)
from tidegate.workflows.policy_documents import (
    CheckpointDocument,
    ForEachSection,
    LoopDocument,
    MarkSection,
    RetrySection,
)
from tidegate.workflows.shape import Document
from tidegate.workflows.yaml_nodes import Plain

__all__ = ["BlockDocument", "DependencyDocument", "InputDocument", "WorkflowDocument"]


def _dependency(data: object) -> object:
    return {"block": data} if isinstance(data, str | Plain) else data


def _dependencies(data: object) -> object:
    return [data] if isinstance(data, str | dict) else data


class DependencyDocument(Document):
    """One entry of `depends_on`."""

    block: Text
    when: OutcomeList = Field(default_factory=list)


class BlockDocument(Document):
    """One entry of `blocks`."""

    id: Identifier
    type: Text
    description: Text = ""
    depends_on: Annotated[
        list[Annotated[DependencyDocument, BeforeValidator(_dependency)]], BeforeValidator(_dependencies)
    ] = Field(default_factory=list)
    always: Boolean = False
    condition: Expression | None = None
    inputs: ValueMap = Field(default_factory=dict)
    outputs: dict[OutputName, Text] = Field(default_factory=dict)
    timeout: Seconds | None = None
    retry: RetrySection | None = None
    on_failure: OnFailureField | None = None
    for_each: ForEachSection | None = None
    loop: LoopDocument | None = None
    checkpoint: MarkSection | None = None
    effect: EffectField | None = None
    reversible: Boolean = True
    on_interrupt: OnInterruptField = OnInterrupt.AUTO


class InputDocument(Document):
    """One entry of a workflow's `inputs`, in its long form."""

    type: Text = "string"
    required: Boolean | None = None
    default: Raw = None
    choices: list[Raw] | None = Field(None, validation_alias=AliasChoices("choices", "options"))
    description: Text = ""


class WorkflowDocument(Document):
    """A whole file; its inputs and blocks are read one by one."""

    name: NameField
    description: Text = ""
    version: Text = ""
    schedule: ScheduleField = Schedule.WAVES
    max_parallel: Parallel = 8
    timeout: Seconds | None = None
    checkpoint: CheckpointDocument = CheckpointDocument()
    inputs: dict[str, Raw] | None = None
    secrets: Annotated[dict[str, Raw], BeforeValidator(long_form)] = Field(default_factory=dict)
    blocks: list[Raw]
    outputs: ValueMap = Field(default_factory=dict)
