"""The faults of one file while it is being read, each at its place."""

from dataclasses import dataclass, field

from tidegate.errors import DefinitionError, ExpressionError, Fault
from tidegate.workflows.shape import Problem
from tidegate.workflows.yaml_nodes import MapNode, Path, Place, TextNode, node_at, place_at

__all__ = ["MOST_FAULTS", "EnoughFaults", "FaultInChild", "FaultList"]

MOST_FAULTS = 200
"""Nobody reads more, and looking for what was meant costs some milliseconds each."""
_LONGEST = 2_000
"""Characters of one message: it may quote a value as long as the file."""


class EnoughFaults(Exception):
    """There are so many that a file is read no further."""


@dataclass(frozen=True, slots=True)
class FaultInChild(Fault):
    """A fault of another file, which the one that was read calls."""

    file: str = ""

    def describe(self, file: str) -> str:  # it has a file of its own
        """Return the fault with its own file."""
        return Fault.describe(self, self.file)


@dataclass(slots=True)
class FaultList:
    """Collects faults by path and gives them lines."""

    source: str
    root: MapNode
    blocks: dict[int, str] = field(default_factory=dict)
    """The ids of blocks by position, for messages."""
    faults: list[Fault] = field(default_factory=list)
    in_children: list[Fault] = field(default_factory=list)
    """Of files that this one calls, in their order."""
    _lines: list[int] = field(default_factory=list)

    def add(self, path: Path, message: str, *, key: bool = False) -> None:
        """Add a fault of the value at *path*, or with *key* of its last key.

        Raises:
            EnoughFaults: no more are looked for.
        """
        self._add(place_at(self.root, path, key=key), path, message)

    def add_problems(self, problems: tuple[Problem, ...]) -> None:
        """Add what a shape found."""
        for problem in problems:
            self.add(problem.path, problem.message, key=problem.key)

    def add_error(self, path: Path, error: ExpressionError) -> None:
        """Add what is wrong in the text at *path*, at the very reference if it can be found."""
        node, _ = node_at(self.root, path)
        place = self._inside(node, error.source) if isinstance(node, TextNode) else node.place
        self._add(place, path, _sentence(error))

    def add_of_child(self, error: DefinitionError) -> None:
        """Add the faults of a file that this one calls."""
        for fault in error.faults:
            known = fault if isinstance(fault, FaultInChild) else None
            self.in_children.append(
                known or FaultInChild(fault.message, fault.line, fault.column, fault.block, error.file)
            )

    def _add(self, place: Place, path: Path, message: str) -> None:
        index = path[1] if len(path) > 1 and path[0] == "blocks" else None
        block = self.blocks.get(index, "") if isinstance(index, int) else ""
        shown = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"
        self.faults.append(Fault(shown, place.line, place.column, block))
        if len(self.faults) >= MOST_FAULTS:
            message = f"there are {MOST_FAULTS} faults or more: the file was read no further"
            last = max(self.faults, key=lambda fault: (fault.line, fault.column))
            self.faults.append(Fault(message, last.line, last.column + 1))
            raise EnoughFaults

    def _inside(self, node: TextNode, part: str) -> Place:
        """Find *part* in the file from the start of *node* on: a long text is one place too coarse."""
        if not part or part not in node.text:
            return node.place
        start = self._line_starts()[node.place.line - 1] + node.place.column - 1
        found = self.source.find(part.split("\n", 1)[0], start)
        if found < 0:
            return node.place
        line = self.source.count("\n", 0, found) + 1
        return Place(line, found - self._line_starts()[line - 1] + 1)

    def _line_starts(self) -> list[int]:
        if not self._lines:
            self._lines.append(0)
            position = self.source.find("\n")
            while position >= 0:
                self._lines.append(position + 1)
                position = self.source.find("\n", position + 1)
        return self._lines

    def stop_if_any(self, file: str) -> None:
        """Raise everything that was found, in the order of the file.

        Raises:
            DefinitionError: there are faults.
        """
        if self.faults:
            unique = dict.fromkeys(self.faults)
            ordered = sorted(unique, key=lambda fault: (fault.line, fault.column, fault.message))
            raise DefinitionError(file, (*ordered, *dict.fromkeys(self.in_children)))


def _sentence(error: ExpressionError) -> str:
    shown = error.source if len(error.source) <= 80 else error.source[:77] + "..."  # noqa: PLR2004
    return f"{shown}: {error.problem}"
