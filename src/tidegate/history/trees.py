"""Which runs a run has started, and they in turn: a run of a workflow that calls others is a tree."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId

__all__ = ["Branch", "Tree", "tree_of"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A run below another one."""

    depth: int
    """Runs between it and the top one, and one more."""
    place: BlockId
    """What started it, in the run right above."""
    view: RunView


@dataclass(frozen=True)
class Tree:
    """A run and everything below it."""

    top: RunView
    children: Mapping[RunId, tuple[RunView, ...]]
    """Of each run that has some, in the order in which they were started."""

    def below(self) -> Iterator[Branch]:
        """Yield the runs below the top one, each before those that it started."""
        left = self._started_by(self.top, 1)
        while left:
            branch = left.pop()
            yield branch
            left += self._started_by(branch.view, branch.depth + 1)

    def _started_by(self, view: RunView, depth: int) -> list[Branch]:
        """Return the runs that one has started, the first one last."""
        above, children = view.row.path, self.children.get(view.row.run_id, ())
        return [
            Branch(depth, BlockId(child.row.path.removeprefix(f"{above}/" if above else "")), child)
            for child in reversed(children)
        ]

    @cached_property
    def views(self) -> tuple[RunView, ...]:
        """Every run of it, the top one first."""
        return (self.top, *(branch.view for branch in self.below()))

    @cached_property
    def ids(self) -> frozenset[RunId]:
        """The ids of every run of it."""
        return frozenset(view.row.run_id for view in self.views)

    @property
    def in_flight(self) -> int:
        """How many attempts are at work; one whose work is another run counts as what that run does."""
        # What has no living process is not at work, whatever its journal says.
        moving = [view for view in self.views if view.status is RunStatus.RUNNING]
        called = sum(view is not self.top for view in moving)
        return max(0, sum(view.row.summary.running for view in moving) - called)


def tree_of(top: RunView, views: Iterable[RunView]) -> Tree:
    """Return the tree below *top*, made of *views*, which may hold runs of other branches."""
    children: dict[RunId, list[RunView]] = {}
    for view in sorted(views, key=lambda view: (view.row.created_at, view.row.path)):
        if view.row.parent is not None:
            children.setdefault(view.row.parent, []).append(view)
    return Tree(top, {parent: tuple(rows) for parent, rows in children.items()})
