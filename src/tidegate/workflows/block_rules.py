"""Which keys of a block cannot stand together."""

from collections.abc import Iterator

from tidegate.model.catalog import BlockSpec
from tidegate.model.policy import OnFailure
from tidegate.model.workflow import Effect
from tidegate.workflows.block_list import Block
from tidegate.workflows.yaml_nodes import Path

__all__ = ["broken_rules"]


def broken_rules(block: Block, spec: BlockSpec | None) -> Iterator[tuple[Path, str]]:
    """Yield each rule that a block breaks: the key in it, and what to do."""
    document = block.document
    if document.for_each is not None and document.loop is not None:
        problem = "for_each and loop cannot stand in one block: loop over the items in a workflow of its own"
        yield ("loop",), f"{problem}, and call it with ExecuteWorkflow"
    if document.always:
        for position, dependency in enumerate(document.depends_on):
            if dependency.when:
                problem = "always means whatever the outcome is: remove when, or always"
                yield ("depends_on", position, "when"), problem
    if spec is not None and spec.interactive:
        yield from _of_questions(block)
    elif spec is not None and not document.reversible and _is_pure(block, spec):
        yield ("reversible",), "a pure block changes nothing outside: remove reversible, or say effect: once"


def _is_pure(block: Block, spec: BlockSpec) -> bool:
    document = block.document
    return (document.effect or spec.effect_with(document.inputs)) is Effect.PURE


def _of_questions(block: Block) -> Iterator[tuple[Path, str]]:
    if not block.document.reversible:
        problem = (
            "a block that asks a person changes nothing outside: say it of the blocks that follow its answer"
        )
        yield ("reversible",), problem
    if block.document.retry is not None:
        problem = "a block that asks a person is not retried: asking again is no second attempt"
        yield (
            ("retry",),
            f"{problem}. Remove retry, or ask again with loop: {{until: ..., max_iterations: ...}}",
        )
    if block.document.on_failure is OnFailure.PAUSE:
        problem = "a block that asks a person cannot ask another one when it fails: choose fail or continue"
        yield ("on_failure",), problem
