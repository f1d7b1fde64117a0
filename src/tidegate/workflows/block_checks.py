"""Whether what a block says fits the rest of its workflow: its type, inputs, references, condition."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Protocol, TypeAlias

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.model.catalog import BlockSpec, Catalog, ValueType
from tidegate.model.workflow import InputDefinition
from tidegate.workflows.block_list import Block, BlockGraph
from tidegate.workflows.comparisons import comparison_problem
from tidegate.workflows.expressions import (
    CelExpression,
    Condition,
    Names,
    Reference,
    bind_shell,
    compile_condition,
    compile_text,
    has_reference,
)
from tidegate.workflows.fault_list import FaultList
from tidegate.workflows.foreign_braces import foreign_references
from tidegate.workflows.nearest import did_you_mean, listed
from tidegate.workflows.references import Root
from tidegate.workflows.render import texts_in
from tidegate.workflows.shell_arguments import argument_fault
from tidegate.workflows.shell_names import ForeignNames
from tidegate.workflows.yaml_nodes import Path

__all__ = ["Checker"]


class _Compiled(Protocol):
    @property
    def references(self) -> tuple[Reference, ...]: ...
    @property
    def expressions(self) -> tuple[CelExpression, ...]: ...


_Compiler: TypeAlias = Callable[[str, Names], _Compiled]


def _shell_compiler(command: str, env: Json, names: Names) -> _Compiler:
    if env is not None and not isinstance(env, dict):
        return bind_shell  # a reference: which variables it declares only a run shows
    foreign = ForeignNames(command, names, frozenset(env or {}))
    return partial(bind_shell, foreign=foreign.check)


@dataclass(slots=True)
class Checker:
    """Checks blocks and outputs, and notes every fault."""

    graph: BlockGraph
    catalog: Catalog
    inputs: dict[str, InputDefinition]
    """By name, those whose declarations are sound."""
    names: Names
    faults: FaultList

    def check_block(self, block: Block) -> None:
        """Check one block; what could not be read of it is not judged again."""
        spec = self._spec(block)
        if spec is not None:
            self._check_inputs(block, spec)
        if block.document.condition is not None:
            self._check_condition(block, block.document.condition)
        for name, text in block.document.outputs.items():
            self._check_text((*block.path, "outputs", name), text, compile_text, block, own=True)

    def check_outputs(self, outputs: dict[str, Json]) -> None:
        """Check the outputs of the workflow, which may read every block."""
        for path, text in texts_in(outputs, ("outputs",)):
            self._check_text(path, text, compile_text, None)

    def _spec(self, block: Block) -> BlockSpec | None:
        kind = block.document.type
        spec = self.catalog.get(kind)
        if spec is None and "type" not in block.broken:
            hint = did_you_mean(kind, self.catalog) or f"; there is {listed(sorted(self.catalog))}"
            self.faults.add((*block.path, "type"), f"there is no block type '{kind}'{hint}")
        return spec if "type" not in block.broken else None

    def _check_inputs(self, block: Block, spec: BlockSpec) -> None:
        inputs = block.document.inputs
        # With one input left out, a check would only say that it is missing.
        for problem in spec.check(inputs, has_reference) if "inputs" not in block.broken else ():
            self.faults.add((*block.path, "inputs", *problem.path), problem.message)
        for path, text in texts_in(inputs):
            # Only a text that is the whole input is shell text; the items of a list are arguments.
            is_shell = path[0] in spec.shell_inputs and len(path) == 1
            compiler = _shell_compiler(text, inputs.get("env"), self.names) if is_shell else compile_text
            full = (*block.path, "inputs", *path)
            self._check_text(full, text, compiler, block)
        for name in spec.shell_inputs & inputs.keys():
            self._check_arguments((*block.path, "inputs", name), inputs[name])

    def _check_arguments(self, path: Path, value: Json) -> None:
        """Check a program and its arguments: no shell reads them, but the program may be one."""
        found = argument_fault(value)
        if found is not None:
            index, error = found
            self.faults.add_error((*path, index), error)

    def _check_text(
        self, path: Path, text: str, compiler: _Compiler, block: Block | None, *, own: bool = False
    ) -> None:
        foreign = list(foreign_references(text, self.names))
        for error in foreign:
            self.faults.add_error(path, error)
        try:
            compiled = compiler(text, self.names)
        except ExpressionError as error:
            if not foreign:  # in a condition `{{ n }}` is no expression either: once is enough
                self.faults.add_error(path, error)
            return
        unlike = (problem for expression in compiled.expressions for problem in self._unlike(expression))
        for reference, problem in chain(self._problems(compiled.references, block, own=own), unlike):
            self.faults.add_error(path, ExpressionError(reference.source, problem))

    def _unlike(self, expression: CelExpression) -> Iterator[tuple[Reference, str]]:
        """Yield what is compared with a constant that it can never be equal to."""
        for comparison, reference in expression.comparisons:
            kind = self._type_of(reference)
            problem = comparison_problem(comparison, reference, kind) if kind else ""
            if problem:
                yield reference, problem

    def _problems(
        self, references: tuple[Reference, ...], block: Block | None, *, own: bool
    ) -> Iterator[tuple[Reference, str]]:
        for reference in references:
            read = self.graph.by_id.get(reference.block) if reference.block is not None else None
            if read is None:
                continue
            problem = self._order_problem(read, block, own=own) or self._output_problem(read, reference)
            if problem:
                yield reference, problem

    def _order_problem(self, read: Block, block: Block | None, *, own: bool) -> str:
        if block is None or (own and read is block):
            return ""
        if read is block:
            return f"block '{block.id}' reads itself: only its outputs may"
        if not self.graph.is_before(read, block):
            return (
                f"block '{block.id}' reads '{read.id}', which it does not depend on: "
                f"add {read.id} to depends_on"
            )
        return ""

    def _output_problem(self, read: Block, reference: Reference) -> str:
        spec = self.catalog.get(read.document.type)
        if spec is None or spec.open_outputs or reference.output is None or read.broken & {"outputs", "type"}:
            return ""
        known = [*spec.outputs, *read.document.outputs, "status"]
        if reference.output in known:
            return ""
        hint = did_you_mean(reference.output, known) or f"; it has {listed(known)}"
        return f"block '{read.id}' ({spec.type}) has no output '{reference.output}'{hint}"

    def _check_condition(self, block: Block, text: str) -> None:
        self._check_text((*block.path, "condition"), text, self._typed_condition, block)

    def _typed_condition(self, text: str, names: Names) -> Condition:
        condition = compile_condition(text, names)
        sole = condition.sole_reference
        kind = self._type_of(sole) if sole else None
        if sole is None or kind in {None, "boolean"}:
            return condition
        article = "an" if kind == "integer" else "a"
        value = "'true'" if kind == "string" else "[]" if kind == "list" else "0"
        raise ExpressionError(
            condition.text,
            f"the condition is {article} {kind}, expected a boolean: compare it, like {sole.source} == {value}",
        )

    def _type_of(self, reference: Reference) -> str | None:
        match reference.root:
            case Root.RUN_ID | Root.WORKFLOW_NAME:
                return "string"
            case Root.INPUTS:
                return "map"
            case Root.INPUT if not reference.steps:
                declared = self.inputs.get(reference.name)
                return str(declared.type) if declared else None
            case Root.BLOCK:
                return self._output_type(reference)
            case _:
                return None

    def _output_type(self, reference: Reference) -> str | None:
        read = self.graph.by_id[reference.name]
        output = reference.output
        if output == "status" and len(reference.steps) == 1:
            return "string"
        spec = self.catalog.get(read.document.type)
        if spec is None or output in read.document.outputs or len(reference.steps) != 1:
            return None
        kind = spec.outputs.get(str(output), ValueType.ANY)
        return None if kind is ValueType.ANY else str(kind)
