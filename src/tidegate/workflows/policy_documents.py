"""The shapes of what a file says on repetition, failure and marks; each becomes its noun."""

from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from tidegate.model.policy import (
    CheckpointPolicy,
    ExplicitCheckpoint,
    ForEach,
    Loop,
    OnRunFailure,
    Retention,
    RetryPolicy,
)
from tidegate.workflows.fields import (
    Boolean,
    Delay,
    Expression,
    Parallel,
    Raw,
    RunFailureField,
    Seconds,
    Text,
    Value,
    ValueMap,
    mark_list,
    retry_causes,
)
from tidegate.workflows.quantities import fraction, number, whole
from tidegate.workflows.shape import Document
from tidegate.workflows.yaml_nodes import BadValue, Plain

__all__ = ["CheckpointDocument", "ForEachSection", "LoopDocument", "MarkSection", "RetrySection"]

_MOST_TIMES = 10_000


class RetryDocument(Document):
    """`retry` of a block."""

    max_attempts: Annotated[int, BeforeValidator(whole(2, 1000))] = Field(
        validation_alias=AliasChoices("max_attempts", "max")
    )
    delay: Delay = 0.0
    backoff: Annotated[float, BeforeValidator(number(1, 1000))] = 1.0
    max_delay: Seconds | None = None
    jitter: Annotated[float, BeforeValidator(fraction)] = 0.0
    on: Annotated[list[Any], BeforeValidator(retry_causes)] = Field(default_factory=list)

    def noun(self) -> RetryPolicy:
        """Return what it says."""
        return RetryPolicy(
            max_attempts=self.max_attempts,
            delay=self.delay,
            backoff=self.backoff,
            max_delay=self.max_delay,
            jitter=self.jitter,
            on=tuple(self.on),
        )


def _retry(data: object) -> object:
    if isinstance(data, Plain) and isinstance(data.value, int) and not isinstance(data.value, bool):
        raise BadValue(f"expected a mapping, like {{max_attempts: {data.text}, delay: 10s}}")
    if isinstance(data, dict) and "delay" not in data:
        useless = next((key for key in ("backoff", "max_delay", "jitter") if key in data), None)
        if useless is not None:
            raise BadValue("changes nothing without a delay: write one, like delay: 10s", (useless,))
    return data


class ForEachDocument(Document):
    """`for_each` of a block, in its long form."""

    items: Value
    key: Text | None = None
    max_parallel: Parallel | None = None
    fail_fast: Boolean = False

    def noun(self) -> ForEach:
        """Return what it says."""
        return ForEach(
            items=self.items, key=self.key, max_parallel=self.max_parallel, fail_fast=self.fail_fast
        )


def _for_each(data: object) -> object:
    """Return the long form; a mapping is one if it has a key of it."""
    is_long = isinstance(data, dict) and not data.keys().isdisjoint(ForEachDocument.model_fields)
    return data if is_long else {"items": data}


class LoopDocument(Document):
    """`loop` of a block."""

    until: Expression
    max_iterations: Annotated[int, BeforeValidator(whole(1, _MOST_TIMES))]
    delay: Delay = 0.0

    def noun(self) -> Loop:
        """Return what it says."""
        return Loop(until=self.until, max_iterations=self.max_iterations, delay=self.delay)


class MarkDocument(Document):
    """`checkpoint` of a block, in its long form."""

    label: Text
    metadata: ValueMap = Field(default_factory=dict)

    def noun(self) -> ExplicitCheckpoint:
        """Return what it says."""
        return ExplicitCheckpoint(label=self.label, metadata=self.metadata)


def _mark(data: object) -> object:
    return data if isinstance(data, dict) else {"label": data}


class RetentionDocument(Document):
    """`retention` in a workflow's `checkpoint`."""

    max_checkpoints: Annotated[int, BeforeValidator(whole(1, 1_000_000))] | None = None
    max_age_days: Annotated[float, BeforeValidator(number(0, 36_500))] | None = None
    keep_successful: Boolean = True


class CheckpointDocument(Document):
    """`checkpoint` of a workflow."""

    on: Annotated[list[Raw], BeforeValidator(mark_list)] | None = None
    on_failure: RunFailureField = OnRunFailure.PAUSE
    retention: RetentionDocument = RetentionDocument()

    def noun(self) -> CheckpointPolicy:
        """Return what it says."""
        kept = self.retention
        retention = Retention(
            max_checkpoints=kept.max_checkpoints,
            max_age_days=kept.max_age_days,
            keep_successful=kept.keep_successful,
        )
        policy = CheckpointPolicy(on_failure=self.on_failure, retention=retention)
        return policy if self.on is None else policy.evolve(on=tuple(self.on))


RetrySection = Annotated[RetryDocument, BeforeValidator(_retry)]
ForEachSection = Annotated[ForEachDocument, BeforeValidator(_for_each)]
MarkSection = Annotated[MarkDocument, BeforeValidator(_mark)]
