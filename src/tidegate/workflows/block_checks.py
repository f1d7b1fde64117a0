"""Whether what a block says fits the rest of its workflow: its type, inputs, texts, repetition."""

from dataclasses import dataclass, replace
from functools import partial

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.model.catalog import BlockSpec, Catalog
from tidegate.workflows.block_list import Block
from tidegate.workflows.block_rules import broken_rules
from tidegate.workflows.expressions import Names, Reference, bind_shell, compile_text, has_reference
from tidegate.workflows.fault_list import FaultList
from tidegate.workflows.items import MAX_ITEMS
from tidegate.workflows.nearest import did_you_mean, listed
from tidegate.workflows.references import Root
from tidegate.workflows.render import texts_in
from tidegate.workflows.scope import NameVariants
from tidegate.workflows.shell_arguments import argument_fault
from tidegate.workflows.shell_names import ForeignNames
from tidegate.workflows.text_checks import Compiler, Reader, TextChecker
from tidegate.workflows.text_parts import split_text
from tidegate.workflows.yaml_nodes import Path, node_at

__all__ = ["Checker"]


def _shell_compiler(command: str, env: Json, names: Names) -> Compiler:
    if env is not None and not isinstance(env, dict):
        return bind_shell  # a reference: which variables it declares only a run shows
    foreign = ForeignNames(command, names, frozenset(env or {}))
    return partial(bind_shell, foreign=foreign.check)


@dataclass(slots=True)
class Checker:
    """Checks blocks and outputs, and notes every fault."""

    catalog: Catalog
    names: NameVariants
    texts: TextChecker
    faults: FaultList

    def check_block(self, block: Block) -> None:
        """Check one block; what could not be read of it is not judged again."""
        document, spec = block.document, self._spec(block)
        for path, problem in broken_rules(block, spec):
            self.faults.add((*block.path, *path), problem)
        names, loops = self._names(block), block.may_have("loop")
        reader, after = Reader(block, names, own=loops), Reader(block, names, own=True)
        if spec is not None:
            first = document.loop is not None
            self._check_inputs(block, spec, Reader(block, names, own=loops, at_first=first))
        if document.condition is not None:
            self.texts.check_condition((*block.path, "condition"), document.condition, reader)
        self._check_items(block, reader)
        if document.loop is not None:
            self.texts.check_condition((*block.path, "loop", "until"), document.loop.until, after)
        self._check_mark(block, after)
        for name, text in document.outputs.items():
            self.texts.check((*block.path, "outputs", name), text, compile_text, after)

    def check_outputs(self, outputs: dict[str, Json]) -> None:
        """Check the outputs of the workflow, which may read every block."""
        reader = Reader(None, self.names.outputs)
        for path, text in texts_in(outputs, ("outputs",)):
            self.texts.check(path, text, compile_text, reader)

    def _names(self, block: Block) -> Names:
        return self.names.of(
            for_each=block.may_have("for_each"), loop=block.may_have("loop"), always=block.may_have("always")
        )

    def _spec(self, block: Block) -> BlockSpec | None:
        kind = block.document.type
        spec = self.catalog.get(kind)
        if spec is None and "type" not in block.broken:
            hint = did_you_mean(kind, self.catalog) or f"; there is {listed(sorted(self.catalog))}"
            self.faults.add((*block.path, "type"), f"there is no block type '{kind}'{hint}")
        return spec if "type" not in block.broken else None

    def _check_inputs(self, block: Block, spec: BlockSpec, reader: Reader) -> None:
        inputs = block.document.inputs
        # With one input left out, a check would only say that it is missing.
        for problem in spec.check(inputs, has_reference) if "inputs" not in block.broken else ():
            self.faults.add((*block.path, "inputs", *problem.path), problem.message)
        for path, text in texts_in(inputs):
            # Only a text that is the whole input is shell text; the items of a list are arguments.
            is_shell = path[0] in spec.shell_inputs and len(path) == 1
            compiler = _shell_compiler(text, inputs.get("env"), reader.names) if is_shell else compile_text
            here = replace(reader, names=reader.names.of_input(str(path[0]), spec.secret_inputs))
            self.texts.check((*block.path, "inputs", *path), text, compiler, here)
        for name in spec.shell_inputs & inputs.keys():
            self._check_arguments((*block.path, "inputs", name), inputs[name])

    def _check_arguments(self, path: Path, value: Json) -> None:
        """Check a program and its arguments: no shell reads them, but the program may be one."""
        found = argument_fault(value)
        if found is not None:
            index, error = found
            self.faults.add_error((*path, index), error)

    def _check_mark(self, block: Block, reader: Reader) -> None:
        mark = block.document.checkpoint
        if mark is None:
            return
        path = (*block.path, "checkpoint")
        self.texts.check(self._inner(path, "label"), mark.label, compile_text, reader)
        for inside, text in texts_in(mark.metadata, (*path, "metadata")):
            self.texts.check(inside, text, compile_text, reader)

    def _inner(self, path: Path, key: str) -> Path:
        """Return where the main value of a section stands, which may be written without its key."""
        inner = (*path, key)
        return inner if node_at(self.faults.root, inner)[1] else path

    def _check_items(self, block: Block, reader: Reader) -> None:
        each = block.document.for_each
        if each is None:
            return
        outside = replace(reader, names=reader.names.outside_items())
        path = self._inner((*block.path, "for_each"), "items")
        problem = _items_problem(each.items)
        if problem:
            self.faults.add(path, problem)
        for inside, text in texts_in(each.items) if not problem else ():
            self.texts.check((*path, *inside), text, compile_text, outside)
        if isinstance(each.items, str) and not problem:
            self._check_items_type(path, each.items, outside)
        if each.key is not None:
            self._check_key((*block.path, "for_each", "key"), each.key, reader)

    def _check_items_type(self, path: Path, text: str, reader: Reader) -> None:
        try:
            (part,) = compile_text(text, reader.names).parts
        except ExpressionError:
            return  # reported where the text is checked
        kind = self.texts.types.type_of(part, reader.block) if isinstance(part, Reference) else None
        if isinstance(part, Reference) and kind not in {None, "list", "map"}:
            article = "an" if kind == "integer" else "a"
            problem = f"for_each goes through a list or a mapping, and this is {article} {kind}"
            self.faults.add_error(path, ExpressionError(text, f"{problem}: {_items_advice(part, str(kind))}"))

    def _check_key(self, path: Path, text: str, reader: Reader) -> None:
        compiled = self.texts.check(path, text, compile_text, reader)
        if compiled and not any(found.root in {Root.ITEM, Root.INDEX} for found in compiled.references):
            problem = "the key would be the same for every item: write one with ${item}, like ${item.name}"
            self.faults.add(path, problem)


def _items_advice(reference: Reference, kind: str) -> str:
    if reference.block is not None and kind == "string":
        return "split it first, like a Shell block with parse: lines"
    return "declare the input as a list" if reference.root is Root.INPUT else "name an output that is one"


def _items_problem(items: Json) -> str:
    """Return why *items*, as written, can be no list and no mapping of items."""
    match items:
        case list() | dict():
            return (
                f"there are {len(items):,} items; at most {MAX_ITEMS:,} are taken"
                if len(items) > MAX_ITEMS
                else ""
            )
        case str() if not _is_text(items):
            return ""
        case None:
            return "for_each is empty: write a list, a mapping, or a reference to one, like ${block.results}"
        case _:
            return "expected a list, a mapping, or nothing but a reference to one, like ${block.results}"


def _is_text(text: str) -> bool:
    try:
        parts = split_text(text)
    except ExpressionError:
        return False  # reported where the text is checked
    return len(parts) != 1 or isinstance(parts[0], str)
