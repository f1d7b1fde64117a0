"""Whether what a text refers to can be read where the text stands."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol, TypeAlias

from tidegate.errors import ExpressionError
from tidegate.workflows.block_list import Block, BlockGraph
from tidegate.workflows.comparisons import comparison_problem
from tidegate.workflows.expressions import CelExpression, Condition, Names, Reference, compile_condition
from tidegate.workflows.fault_list import FaultList
from tidegate.workflows.foreign_braces import foreign_references
from tidegate.workflows.output_types import OutputTypes
from tidegate.workflows.yaml_nodes import Path

__all__ = ["Compiled", "Compiler", "Reader", "TextChecker"]


class Compiled(Protocol):
    """A text whose references are known."""

    @property
    def references(self) -> tuple[Reference, ...]:
        """Everything it reads."""
        ...

    @property
    def expressions(self) -> tuple[CelExpression, ...]:
        """The expressions in it."""
        ...


Compiler: TypeAlias = Callable[[str, Names], Compiled]


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: a block, or with None the workflow's outputs."""

    block: Block | None
    names: Names
    own: bool = False
    """Whether the block's own outputs may be read."""
    at_first: bool = False
    """Whether that happens before it has any, too: in the inputs of a block with `loop`."""


@dataclass(frozen=True, slots=True)
class TextChecker:
    """Checks texts, and notes every fault."""

    graph: BlockGraph
    types: OutputTypes
    faults: FaultList

    def check(self, path: Path, text: str, compiler: Compiler, reader: Reader) -> Compiled | None:
        """Check the text at *path* and return it compiled; None if it cannot be."""
        foreign = list(foreign_references(text, reader.names))
        for error in foreign:
            self.faults.add_error(path, error)
        try:
            compiled = compiler(text, reader.names)
        except ExpressionError as error:
            if not foreign:  # in a condition `{{ n }}` is no expression either: once is enough
                self.faults.add_error(path, error)
            return None
        unlike = (problem for found in compiled.expressions for problem in self._unlike(found, reader))
        for reference, problem in chain(self._problems(compiled, reader), unlike):
            self.faults.add_error(path, ExpressionError(reference.source, problem))
        return compiled

    def check_condition(self, path: Path, text: str, reader: Reader) -> None:
        """Check an expression that is to give a boolean."""

        def typed(text: str, names: Names) -> Condition:
            return self._typed(compile_condition(text, names), reader)

        self.check(path, text, typed, reader)

    def _typed(self, condition: Condition, reader: Reader) -> Condition:
        sole = condition.sole_reference
        kind = self.types.type_of(sole, reader.block) if sole else None
        if sole is None or kind in {None, "boolean"}:
            return condition
        article = "an" if kind == "integer" else "a"
        value = "'true'" if kind == "string" else "[]" if kind == "list" else "0"
        raise ExpressionError(
            condition.text,
            f"the condition is {article} {kind}, expected a boolean: compare it, like {sole.source} == {value}",
        )

    def _unlike(self, expression: CelExpression, reader: Reader) -> Iterator[tuple[Reference, str]]:
        """Yield what is compared with a constant that it can never be equal to."""
        for comparison, reference in expression.comparisons:
            kind = self.types.type_of(reference, reader.block)
            problem = comparison_problem(comparison, reference, kind) if kind else ""
            if problem:
                yield reference, problem

    def _problems(self, compiled: Compiled, reader: Reader) -> Iterator[tuple[Reference, str]]:
        for reference in compiled.references:
            read = self.graph.by_id.get(reference.block) if reference.block is not None else None
            if read is None:
                continue
            problem = self._order_problem(read, reader) or self.types.output_problem(
                read, reference, reader.block
            )
            if not problem and read is reader.block and reader.at_first:
                problem = _first_problem(reference, compiled)
            if problem:
                yield reference, problem

    def _order_problem(self, read: Block, reader: Reader) -> str:
        block = reader.block
        if block is None or (reader.own and read is block):
            return ""
        if read is block:
            return f"block '{block.id}' reads itself: only its outputs may"
        if not self.graph.is_before(read, block):
            return (
                f"block '{block.id}' reads '{read.id}', which it does not depend on: "
                f"add {read.id} to depends_on"
            )
        return ""


def _first_problem(reference: Reference, compiled: Compiled) -> str:
    """Return that a block of a loop reads, surely, what it has not before its second iteration."""
    # An expression may ask first.
    asks = any(reference in expression.references for expression in compiled.expressions)
    if reference.has_default or reference.output == "status" or asks:
        return ""
    path = reference.source.removeprefix("${").removesuffix("}").strip()
    return f"in the first iteration it has no value: write a default, like ${{{path} ?? 'none'}}"
