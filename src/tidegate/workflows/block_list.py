"""The `blocks` of a file: each read by itself, then tied together by who depends on whom."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tidegate.model.ids import BlockId
from tidegate.model.workflow import Dependency
from tidegate.workflows.document import BlockDocument
from tidegate.workflows.fault_list import FaultList
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.shape import read_shape
from tidegate.workflows.waves import ancestors, ends_before, order_of
from tidegate.workflows.yaml_nodes import Path, place_at

__all__ = ["MAX_BLOCKS", "Block", "BlockGraph", "read_blocks", "tie"]

MAX_BLOCKS = 10_000
MAX_LAST = 100
"""Each depends on every end of the rest: more of them would be millions of edges."""
_KEYS = frozenset(BlockDocument.model_fields)
_UNRELATED = _KEYS - {"depends_on", "always"}
"""Keys that say nothing of the order."""


@dataclass(slots=True)
class Block:
    """One entry of `blocks`, as far as it could be read."""

    index: int
    document: BlockDocument
    broken: frozenset[str] = frozenset()
    """Keys that are wrong: what hangs on them is not judged."""

    @property
    def id(self) -> str:
        """Its id."""
        return self.document.id

    @property
    def may_depend_on_more(self) -> bool:
        """Whether `depends_on` is wrong, or may be what an unknown key was meant to be."""
        return bool(self.broken - _UNRELATED)

    def may_have(self, key: str) -> bool:
        """Return whether it has *key*, or was perhaps meant to: the key is wrong, or another one is unknown."""
        written = getattr(self.document, key)
        return bool(written) or key in self.broken or bool(self.broken - _KEYS)

    @property
    def is_last(self) -> bool:
        """Whether it runs at the very end, whatever happened."""
        document = self.document
        return document.always and not document.depends_on and "depends_on" not in self.broken

    @property
    def path(self) -> Path:
        """Where it stands."""
        return ("blocks", self.index)


@dataclass(slots=True)
class BlockGraph:
    """Blocks by id, and their order."""

    blocks: tuple[Block, ...]
    by_id: dict[str, Block]
    dependencies: list[tuple[Dependency, ...]]
    waves: tuple[tuple[int, ...], ...] = ()
    before: list[int] = field(default_factory=list)
    """For each block the blocks before it, as bits."""
    unsure: int = 0
    """Blocks whose dependencies could not all be read, as bits."""

    def is_before(self, first: Block, then: Block) -> bool:
        """Return whether *first* is an ancestor of *then*, or may be one once other faults are mended."""
        before = self.before[then.index]
        return bool(before >> first.index & 1) or bool((before | 1 << then.index) & self.unsure)

    def wave_ids(self) -> tuple[tuple[BlockId, ...], ...]:
        """Return the waves by id."""
        return tuple(tuple(BlockId(self.blocks[index].id) for index in wave) for wave in self.waves)


def read_blocks(entries: Sequence[object], faults: FaultList) -> tuple[Block, ...]:
    """Read each entry; one that is wrong is reported and kept as far as it could be read."""
    if len(entries) > MAX_BLOCKS:
        faults.add(("blocks",), f"there are {len(entries):,} blocks; at most {MAX_BLOCKS:,} are taken")
        return ()
    return tuple(_read_block(index, data, faults) for index, data in enumerate(entries))


def _read_block(index: int, data: object, faults: FaultList) -> Block:
    written = data.get("id") if isinstance(data, dict) else None
    block_id = written if isinstance(written, str) else f"#{index + 1}"
    faults.blocks[index] = block_id
    read = read_shape(BlockDocument, data, ("blocks", index))
    faults.add_problems(read.problems)
    if read.shape is not None:
        faults.blocks[index] = read.shape.id
        return Block(index, read.shape, read.broken)
    stand_in = {"id": "unnamed", "type": "unknown"}
    kept = (
        {key: value for key, value in data.items() if key not in read.broken}
        if isinstance(data, dict)
        else {}
    )
    document = BlockDocument.model_validate(stand_in | kept).model_copy(update={"id": block_id})
    missing = frozenset({"type"} - set(kept))
    return Block(index, document, read.broken | missing)


def tie(blocks: tuple[Block, ...], faults: FaultList) -> BlockGraph:
    """Return the graph of *blocks*; reports ids that stand twice, dependencies that do not fit, and cycles."""
    by_id = _by_id(blocks, faults)
    dependencies = [_dependencies(block, by_id, faults) for block in blocks]
    needs = [[by_id[dependency.block].index for dependency in found] for found in dependencies]
    _put_last(blocks, dependencies, needs, faults)
    graph = BlockGraph(blocks, by_id, dependencies)
    order = order_of(needs)
    for cycle in order.cycles:
        _report_cycle([blocks[index] for index in cycle], faults)
    graph.waves, graph.before = order.waves, ancestors(needs, order)
    unsure = {index for cycle in order.cycles for index in cycle}
    unsure |= {block.index for block in blocks if block.may_depend_on_more}
    unsure |= {block.index for block, found in zip(blocks, dependencies, strict=True) if _lost(block, found)}
    graph.unsure = sum(1 << index for index in unsure)
    return graph


def _put_last(
    blocks: tuple[Block, ...],
    dependencies: list[tuple[Dependency, ...]],
    needs: list[list[int]],
    faults: FaultList,
) -> None:
    """Let the blocks that run always, and say no more of when, depend on the ends of all others."""
    last = [block for block in blocks if block.is_last]
    for block in last[MAX_LAST:]:
        problem = (
            f"more than {MAX_LAST} blocks run always at the very end: write a depends_on for some of them"
        )
        faults.add((*block.path, "always"), problem, key=True)
    ends = ends_before([block.index for block in last], needs) if last else ()
    found = tuple(Dependency(block=BlockId(blocks[index].id)) for index in ends)
    for block in last[:MAX_LAST]:
        dependencies[block.index], needs[block.index] = found, list(ends)


def _lost(block: Block, found: tuple[Dependency, ...]) -> bool:
    return not block.is_last and len(found) != len(block.document.depends_on)


def _by_id(blocks: tuple[Block, ...], faults: FaultList) -> dict[str, Block]:
    by_id: dict[str, Block] = {}
    for block in blocks:
        first = by_id.setdefault(block.id, block)
        if first is not block:
            line = place_at(faults.root, (*first.path, "id")).line
            again = place_at(faults.root, (*block.path, "id")).line
            message = f"the block id '{block.id}' stands twice: first in line {line}, again in line {again}"
            faults.add((*block.path, "id"), message)
    return by_id


def _dependencies(block: Block, by_id: dict[str, Block], faults: FaultList) -> tuple[Dependency, ...]:
    found: dict[str, Dependency] = {}
    for position, written in enumerate(block.document.depends_on):
        problem = _dependency_problem(block, written.block, by_id, found)
        if problem:
            faults.add((*block.path, "depends_on", position), problem)
        else:
            found[written.block] = Dependency(block=BlockId(written.block), when=tuple(written.when))
    return tuple(found.values())


def _dependency_problem(
    block: Block, needed: str, by_id: dict[str, Block], found: dict[str, Dependency]
) -> str:
    if needed == block.id:
        return "depends on itself: remove it from depends_on"
    if needed in found:
        return f"'{needed}' stands twice in depends_on: remove one"
    if needed not in by_id:
        return f"depends on '{needed}', which does not exist{did_you_mean(needed, set(by_id) - {block.id})}"
    return ""


_NO_CYCLES = "; what is to be repeated is written with loop: {until: ..., max_iterations: ...}"


def _report_cycle(cycle: list[Block], faults: FaultList) -> None:
    ids = [block.id for block in cycle]
    shown = ids if len(ids) <= 20 else [*ids[:10], "...", *ids[-9:]]  # noqa: PLR2004
    path = " -> ".join([*shown, ids[0]])
    faults.add(
        (*cycle[0].path, "depends_on"),
        f"a cycle, in which each block depends on the next: {path}{_NO_CYCLES}",
    )
