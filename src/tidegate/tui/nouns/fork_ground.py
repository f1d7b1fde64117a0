"""What a fork goes on from: what stands where, what of it can be changed, and why something cannot."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import msgspec

from tidegate.engine.forks.edit_rules import (
    place_of,
    put_together,
    runs_again,
    stays,
    why_no_output,
    why_no_outputs,
    why_not_given,
    why_unknown,
)
from tidegate.engine.forks.preview import Fate, ForkPreview
from tidegate.history.block_types import spec_of
from tidegate.history.changes import Change
from tidegate.history.document import MISSING, Missing, Node, document, is_branch, pick
from tidegate.history.paths import Path, path_text
from tidegate.model.base import Json
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.prompt import is_secret
from tidegate.model.state import RunState
from tidegate.model.value import Inline, Stored
from tidegate.model.workflow import Graph, WorkflowDefinition

__all__ = ["Ground", "Present", "inner_problem", "inside", "shown_inside"]

_NAMED = 8
"""Names that are told; of more it is said how many there are."""
_MOST = 20_000
"""Characters of a text that a field shows."""
_WHAT = "inputs.NAME, state.NAME, blocks.BLOCK.outputs.NAME, blocks.BLOCK.inputs.NAME or blocks.BLOCK.answer"
_SECTIONS = ("inputs", "state", "blocks")


@dataclass(frozen=True, slots=True)
class Present:
    """What stands at a path."""

    value: Json | Missing = MISSING
    """`MISSING`: nothing stands there, or it is not known yet."""
    large: Stored | None = None
    """The large value that is there, or that it is inside of: it is not read by itself."""
    inner: Path = ()
    """Where in the large value."""
    hidden: int = 0
    """Bytes that are too many to be shown; *value* is not there then."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The state that a fork goes on from."""

    state: RunState
    paths: tuple[str, ...]
    """What can be changed, as one types it; of a large run only the first ones."""
    places: tuple[str, ...]
    """What can run again, as one types it; of a large run only the first ones."""
    has_other_file: bool = False
    """Whether the workflow's file is another one by now."""
    differences: tuple[Change, ...] = ()
    """In what: on the left what the run is pinned to. None if the file has faults."""

    def with_definition(self, workflow: WorkflowDefinition | None) -> "Ground":
        """Return it as it is for a fork that goes on with another definition; None: with that of the run."""
        if workflow is None:
            return self
        inputs = workflow.inputs_of(self.state.inputs)
        return replace(self, state=self.state.evolve(graph=Graph(workflow), inputs=inputs))

    # -- what stands there --------------------------------------------------------------------

    def present_at(self, path: Path) -> Present:
        """Return what stands at a path that can be changed."""
        node, rest = self._found_at(path)
        if isinstance(node, Stored):
            hidden = 0 if rest else node.size
            return Present(large=node, inner=rest, hidden=hidden)
        return _shown(MISSING if rest else node)

    def _found_at(self, path: Path) -> tuple[Node | Missing, Path]:
        """Return what stands at a path; of what is inside of a large value that one, and the rest of the path."""
        node: Node | Missing
        match path:
            case ("blocks", str(block), "inputs", str(name), *inner):
                if not self.knows(block):
                    return MISSING, ()
                given = self.state.given.get(BlockId(block), {})
                written = self.state.definition_of(BlockId(block)).inputs
                return pick(given.get(name, written.get(name, MISSING)), tuple(inner)), ()  # type: ignore[arg-type]  # nothing is inside of nothing
            case ("blocks", str(place), "answer"):
                return self._answer_of(place), ()
            case _:
                node = document(self.state)
        for at, part in enumerate(path):
            node = node.value if isinstance(node, Inline) else node
            if isinstance(node, Stored):
                return node, path[at:]
            node = pick(node, (part,))
            if isinstance(node, Missing):
                return MISSING, ()
        return node, ()

    def _answer_of(self, place: str) -> str | Missing:
        """Return what was answered last to the question of a block; a secret is not kept in the history."""
        answered = [
            pause
            for pause in self.state.pauses.values()
            if pause.block == place and pause.answer is not None and not is_secret(pause.prompt)
        ]
        newest = max(answered, key=lambda pause: pause.opened_seq, default=None)
        if newest is None or newest.answer is None:
            return MISSING
        return newest.prompt.spell(newest.answer.value)

    def knows(self, place: str) -> bool:
        """Whether there is a block, or a part of one, of that name."""
        return place in self.state.graph.blocks or BlockId(place) in self.state.touched

    def leads_below(self, path: Path) -> bool:
        """Whether a path is one of a run below, as the run above names it."""
        return self.above(path) is not None

    def above(self, path: Path) -> BlockId | None:
        """Return the place whose run a path leads into; None: into none."""
        match path:
            case ("blocks", str(name), *_):
                place = place_of(self.state, BlockId(name))
                return place if place != name else None
            case _:
                return None

    # -- what can be changed ------------------------------------------------------------------

    def problem_at(self, path: Path, preview: ForkPreview | None) -> str:
        """Return why nothing can be changed at a path, as a sentence without its end; empty: as far as is known, it can.

        Args:
            path: Where.
            preview: What the fork does so far; None: that is not known.
        """
        match path:
            case ("inputs", str(name), *inner):
                problem = self._input(name)
            case ("state", str(_), *inner):
                problem = ""
            case ("blocks", str(place), *_) if why := why_unknown(self.state, BlockId(place)):
                return why
            case ("blocks", *_) if self.leads_below(path):
                return ""
            case ("blocks", str(place), "outputs", str(name), *inner):
                problem = self._output(BlockId(place), name, preview)
            case ("blocks", str(place), "inputs", str(name), *inner):
                problem = self._given(BlockId(place), name, preview)
            case ("blocks", str(place), "answer") if self._asks(place):
                return ""
            case _:
                return self._incomplete(path)
        return problem or self._inner(path, len(inner))

    def start_at(self, path: Path) -> str:
        """Return the beginning of what can be changed nearest to a path, as one goes on typing it."""
        match path:
            case ("blocks", str(place), "inputs" | "outputs" as side, *_) if self.knows(place):
                return path_text(("blocks", place, side)) + "."
            case ("blocks", str(place), *_) if self.knows(place):
                return path_text(("blocks", place)) + "."
            case (str(section), *_) if section in _SECTIONS:
                return f"{section}."
            case _:
                return ""

    def _incomplete(self, path: Path) -> str:
        match path:
            case ("inputs",):
                names = [declared.name for declared in self.state.graph.definition.inputs]
                return f"say which input{_of(names)}" if names else "the workflow takes no inputs"
            case ("state",):
                return f"say which value{_of(self.state.variables)}"
            case ("blocks",):
                return f"say which block{_of(self.state.graph.blocks)}"
            case ("blocks", str(place), *_):
                return f"of a block what it is given or gave is changed: {self._sides(place)}"
            case ("definition", *_):
                return f"the definition is not changed value by value: w takes the file as it is now, or change {_WHAT}"
            case _:
                return f"that cannot be changed in a fork: change {_WHAT}"

    def _asks(self, place: str) -> bool:
        return self.state.definition_of(BlockId(place)).interactive

    def _sides(self, place: str) -> str:
        given = self.state.definition_of(BlockId(place)).inputs
        paths: list[Path] = [("blocks", block_of(BlockId(place)), "inputs", name) for name in given]
        if self._asks(place):
            paths.append(("blocks", place, "answer"))
        else:
            paths += [("blocks", place, "outputs", name) for name in self.state.block(BlockId(place)).outputs]
        return _listed(map(path_text, paths)) or "it has neither"

    def _input(self, name: str) -> str:
        names = [declared.name for declared in self.state.graph.definition.inputs]
        return "" if name in names else f"the workflow takes no input '{name}'{_of(names)}"

    def _output(self, place: BlockId, name: str, preview: ForkPreview | None) -> str:
        if why := why_no_outputs(self.state, place):
            return why
        if (fate := _fate(preview, place)) is not None and fate not in (Fate.STAYS, Fate.GOES_ON):
            return runs_again(place)
        if is_part(place) and fate is Fate.STAYS:
            return put_together(self.state, place, name)
        spec = spec_of(self.state.definition_of(place).type)
        return why_no_output(self.state, spec, place, name) if spec is not None else ""

    def _given(self, place: BlockId, name: str, preview: ForkPreview | None) -> str:
        if why := why_not_given(place):
            return why
        if _fate(preview, place) is Fate.STAYS:
            return f"{stays(place)}: b lets it run again first"
        definition = self.state.definition_of(place)
        spec = spec_of(definition.type)
        taken = [declared.name for declared in spec.inputs()] if spec is not None else []
        if not taken or name in taken or name in definition.inputs:
            return ""
        return f"a block of type {definition.type} takes no '{name}'{_of(sorted(taken))}"

    def _inner(self, path: Path, deep: int) -> str:
        """Return why there is nothing inside of a value; of a large one it is not known before it is read."""
        if not deep:
            return ""
        node, rest = self._found_at(path[:-deep])
        node = node.value if isinstance(node, Inline) else node
        return "" if isinstance(node, Stored) or rest else inner_problem(node, path[-deep:])


def inner_problem(node: Node | Missing, inner: Path) -> str:
    """Return why nothing can be put at a path inside of a value; empty: it can."""
    for part, is_last in zip(inner, [*[False] * (len(inner) - 1), True], strict=True):
        if isinstance(node, list):
            if isinstance(pick(node, (part,)), Missing):
                return f"'{part}' is no position in a list of {len(node)}, counted from 0"
        elif not is_branch(node):
            return "there is nothing inside of it"
        elif not is_last and isinstance(pick(node, (part,)), Missing):
            return f"there is no '{part}'{_of(map(str, node))}"
        node = pick(node, (part,))
    return ""


def _shown(node: Node | Missing) -> Present:
    value = node.value if isinstance(node, Inline) else node
    if isinstance(value, Missing) or (isinstance(value, Mapping) and not isinstance(value, dict)):
        return Present()
    if isinstance(value, str | list | dict) and (size := _length(value)) > _MOST:
        return Present(hidden=size)
    return Present(value)  # type: ignore[arg-type]  # what is left is JSON


def _length(value: Json) -> int:
    return len(value) if isinstance(value, str) else len(msgspec.json.encode(value))


def inside(value: Json, inner: Path) -> Json | Missing:
    """Return what stands at a path inside of a value that is known whole."""
    return pick(value, inner)  # type: ignore[return-value]  # what is inside of JSON is JSON


def shown_inside(whole: Json, inner: Path) -> Present:
    """Return what stands at a path inside of a large value, once that is read."""
    return _shown(pick(whole, inner))


def _fate(preview: ForkPreview | None, place: BlockId) -> Fate | None:
    block = block_of(place)
    return (
        next((it.fate for it in preview.blocks if it.block == block), None) if preview is not None else None
    )


def _of(names: Iterable[str]) -> str:
    said = _listed(names)
    return f"; there is {said}" if said else ""


def _listed(names: Iterable[str]) -> str:
    everything = list(names)
    more = f" and {len(everything) - _NAMED:,} more" if len(everything) > _NAMED else ""
    return ", ".join(everything[:_NAMED]) + more
