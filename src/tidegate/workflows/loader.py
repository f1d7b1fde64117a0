"""A workflow file to its definition, or to every fault that can be seen in it.

Knows block types only through their `BlockSpec`. Nothing is run, and nothing is guessed: what is
wrong is reported with its place, and what hangs on it is not judged a second time.
"""

from dataclasses import dataclass, field
from pathlib import Path

from tidegate.errors import DefinitionError, Fault
from tidegate.model.catalog import Catalog
from tidegate.model.ids import BlockId
from tidegate.model.policy import OnFailure, OnRunFailure
from tidegate.model.secret import SecretDefinition
from tidegate.model.workflow import BlockDefinition, InputDefinition, WorkflowDefinition
from tidegate.workflows.asked_secrets import check_questions, check_users
from tidegate.workflows.block_checks import Checker
from tidegate.workflows.block_list import Block, BlockGraph, read_blocks, tie
from tidegate.workflows.calls import Children, read_calls
from tidegate.workflows.children import Files
from tidegate.workflows.declared_inputs import read_inputs
from tidegate.workflows.declared_secrets import read_secrets
from tidegate.workflows.document import WorkflowDocument
from tidegate.workflows.fault_list import MOST_FAULTS, EnoughFaults, FaultList
from tidegate.workflows.implied_inputs import implied_inputs
from tidegate.workflows.output_types import OutputTypes
from tidegate.workflows.scope import Names, NameVariants, remember_names
from tidegate.workflows.shape import read_shape
from tidegate.workflows.text_checks import TextChecker
from tidegate.workflows.yaml_nodes import MapNode, Node, place_at, to_data
from tidegate.workflows.yaml_text import MAX_BYTES, read_yaml

__all__ = ["Loaded", "load_workflow", "parse_workflow"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A sound workflow and the text it was read from."""

    definition: WorkflowDefinition
    source: str


def load_workflow(path: Path, catalog: Catalog) -> Loaded:
    """Read the workflow file at *path*, and those that it calls. Its folder is where its commands run.

    Raises:
        DefinitionError: it cannot be read, or has faults.
    """

    def read(path: Path, children: Children) -> Loaded:
        folder = str(path.absolute().parent)
        return parse_workflow(
            _read_file(path), catalog, file=str(path), working_dir=folder, children=children
        )

    files = Files(lambda called, children: read(called, children).definition)
    return read(path, files.called_from(path))


def _read_file(path: Path) -> str:
    try:
        # Asked first: reading a pipe would wait for ever.
        if path.is_dir():
            raise _unreadable(path, "this is a folder, not a workflow file")
        if path.exists() and not path.is_file():
            raise _unreadable(path, "this is no regular file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise _unreadable(path, f"the file cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise _unreadable(path, f"the file is larger than {MAX_BYTES:,} bytes, the most a workflow may have")
    return _decoded(path, data)


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        shown = f"byte 0x{data[error.start]:02X}"
        message = f"the file is not UTF-8 ({shown}): save it as UTF-8 (it may be Latin-1 or UTF-16)"
        raise DefinitionError(str(path), (Fault(message, line, column),)) from None


def _unreadable(path: Path, message: str) -> DefinitionError:
    return DefinitionError(str(path), (Fault(message),))


def parse_workflow(
    text: str, catalog: Catalog, *, file: str, working_dir: str = "", children: Children | None = None
) -> Loaded:
    """Read a workflow from *text*.

    Args:
        text: YAML.
        catalog: The block types there are.
        file: What to call it in messages.
        working_dir: Absolute; where its commands run.
        children: Finds the workflows that it calls; without it, it can call none.

    Raises:
        DefinitionError: with all faults that can be seen, in the order of the file.
    """
    root, yaml_faults = read_yaml(text)
    if root is None:
        unique = dict.fromkeys(yaml_faults)
        raise DefinitionError(file, tuple(sorted(unique, key=lambda fault: (fault.line, fault.column))))
    faults = FaultList(
        text.removeprefix("\ufeff"), _mapping(root, file), faults=list(yaml_faults[:MOST_FAULTS])
    )
    reading = _Reading(faults, catalog, children)
    try:
        definition = reading.read().evolve(source_path=file, working_dir=working_dir)
    except EnoughFaults:
        faults.stop_if_any(file)
        raise
    faults.stop_if_any(file)
    if reading.names is not None:
        remember_names(definition, reading.names)
    return Loaded(definition, text)


def _mapping(root: Node, file: str) -> MapNode:
    if isinstance(root, MapNode):
        return root
    message = "a workflow is a mapping: it starts with keys like name: and blocks:"
    raise DefinitionError(file, (Fault(message, root.place.line, root.place.column),))


@dataclass(slots=True)
class _Reading:
    """One pass over one file."""

    faults: FaultList
    catalog: Catalog
    children: Children | None
    unsure: set[object] = field(default_factory=set)
    """Inputs whose declarations are wrong: their types are not known."""
    names: NameVariants | None = None
    """What its texts may use, once that is known."""

    def read(self) -> WorkflowDefinition:
        """Return the definition; it is sound only if no fault was noted."""
        document = self._document()
        blocks = read_blocks(document.blocks, self.faults)
        graph = tie(blocks, self.faults)
        inputs = self._inputs(document, blocks)
        secrets = self._secrets(document)
        self._check_names(inputs, graph)
        called = read_calls(blocks, self.catalog, self.children, self.faults)
        checker = self._checker(inputs, graph, called, secrets)
        for block in blocks:
            checker.check_block(block)
        checker.check_outputs(document.outputs)
        check_questions(secrets, graph, self.catalog, self.faults)
        definition = self._definition(document, inputs, graph).evolve(children=called, secrets=secrets)
        if not self.faults.faults and self.names is not None:
            check_users(definition, graph, self.catalog, self.names, self.faults)
        return definition

    def _checker(
        self,
        inputs: tuple[InputDefinition, ...],
        graph: BlockGraph,
        called: dict[str, WorkflowDefinition],
        secrets: tuple[SecretDefinition, ...],
    ) -> Checker:
        names = Names(
            frozenset(declared.name for declared in inputs),
            frozenset(graph.by_id),
            secrets=frozenset(secret.name for secret in secrets),
        )
        self.names = NameVariants(names)
        by_name = {declared.name: declared for declared in inputs if declared.name not in self.unsure}
        types = OutputTypes(graph, self.catalog, by_name, called)
        texts = TextChecker(graph, types, self.faults)
        return Checker(self.catalog, self.names, texts, self.faults)

    def _document(self) -> WorkflowDocument:
        data = to_data(self.faults.root)
        read = read_shape(WorkflowDocument, data, ())
        self.faults.add_problems(read.problems)
        if read.shape is not None:
            self._check_not_empty(read.shape.blocks)
            return read.shape
        kept = (
            {key: value for key, value in data.items() if key not in read.broken}
            if isinstance(data, dict)
            else {}
        )
        return WorkflowDocument.model_validate({"name": "unnamed", "blocks": []} | kept)

    def _check_not_empty(self, blocks: list[object]) -> None:
        if not blocks:
            self.faults.add(("blocks",), "there are no blocks: a workflow has at least one")

    def _inputs(self, document: WorkflowDocument, blocks: tuple[Block, ...]) -> tuple[InputDefinition, ...]:
        if "inputs" not in self.faults.root.entries:
            return implied_inputs(blocks, self.catalog, document.outputs)
        inputs, problems = read_inputs(document.inputs or {})
        self.faults.add_problems(problems)
        self.unsure.update(problem.path[1] for problem in problems if len(problem.path) > 1)
        return inputs

    def _secrets(self, document: WorkflowDocument) -> tuple[SecretDefinition, ...]:
        secrets, problems = read_secrets(document.secrets)
        self.faults.add_problems(problems)
        return secrets

    def _check_names(self, inputs: tuple[InputDefinition, ...], graph: BlockGraph) -> None:
        for declared in inputs:
            block = graph.by_id.get(declared.name)
            if block is not None:
                line = place_at(self.faults.root, ("inputs", declared.name), key=True).line
                message = f"'{block.id}' is the name of an input, too (line {line}): rename one of the two"
                self.faults.add((*block.path, "id"), message)

    def _definition(
        self, document: WorkflowDocument, inputs: tuple[InputDefinition, ...], graph: BlockGraph
    ) -> WorkflowDefinition:
        return WorkflowDefinition(
            name=document.name,
            description=document.description,
            version=document.version,
            schedule=document.schedule,
            max_parallel=document.max_parallel,
            inputs=inputs,
            blocks=self._blocks(document, graph) if not self.faults.faults else (),
            waves=graph.wave_ids(),
            outputs=document.outputs,
            timeout=document.timeout,
            checkpoint=document.checkpoint.noun(),
        )

    def _blocks(self, document: WorkflowDocument, graph: BlockGraph) -> tuple[BlockDefinition, ...]:
        tolerates = document.checkpoint.on_failure is OnRunFailure.CONTINUE
        usual = OnFailure.CONTINUE if tolerates else OnFailure.FAIL
        return tuple(self._block(block, graph, usual) for block in graph.blocks)

    def _block(self, block: Block, graph: BlockGraph, on_failure: OnFailure) -> BlockDefinition:
        document, spec = block.document, self.catalog[block.document.type]
        return BlockDefinition(
            id=BlockId(block.id),
            type=document.type,
            description=document.description,
            inputs=document.inputs,
            depends_on=graph.dependencies[block.index],
            condition=document.condition,
            outputs=dict(document.outputs),
            timeout=document.timeout,
            retry=document.retry.noun() if document.retry else None,
            on_failure=document.on_failure or on_failure,
            always=document.always,
            for_each=document.for_each.noun() if document.for_each else None,
            loop=document.loop.noun() if document.loop else None,
            checkpoint=document.checkpoint.noun() if document.checkpoint else None,
            interactive=spec.interactive,
            effect=document.effect or spec.effect_with(document.inputs),
            reversible=document.reversible,
            on_interrupt=document.on_interrupt,
            line=place_at(self.faults.root, block.path).line,
        )
