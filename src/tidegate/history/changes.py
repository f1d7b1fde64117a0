"""What a difference is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tidegate.history.align import shared
from tidegate.history.document import MISSING, Missing, Node, plain_json
from tidegate.history.paths import Path, path_text
from tidegate.model.base import JsonObject
from tidegate.model.value import Inline, Stored

__all__ = ["GROUPS", "Change", "ChangeKind", "line_diff", "missing_on_left", "missing_on_right", "plain"]

_MOST_LINES = 2_000
"""Of each side: comparing takes up to the square of it."""
_CONTEXT = 3
_SHORT = 80
"""Characters of a text in one line that is told as a whole."""

_GROUP_OF = {
    "inputs": "inputs",
    "state": "state",
    "blocks": "blocks",
    "pauses": "answers",
    "outputs": "outputs",
    "definition": "definition",
}
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
GROUPS = ("run", *_GROUP_OF.values())
"""In the order in which they are shown."""


class ChangeKind(StrEnum):
    """What became of something."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"

    @property
    def sign(self) -> str:
        """The letter in front of it, in lists for people."""
        return _SIGNS[self.value]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two trees, as deep in them as it can be named."""

    left_path: Path | None
    """None: it is not there on the left."""
    right_path: Path | None
    """None: it is not there on the right. Positions in a list may be others than on the left."""
    left: Node | Missing
    right: Node | Missing

    @property
    def kind(self) -> ChangeKind:
        """Whether it was added, removed or changed, seen from the left."""
        if self.left_path is None:
            return ChangeKind.ADDED
        return ChangeKind.REMOVED if self.right_path is None else ChangeKind.CHANGED

    @property
    def path(self) -> Path:
        """Where it is on the right; of what was removed, where it was on the left."""
        return self.right_path if self.right_path is not None else self.left_path or ()

    @property
    def group(self) -> str:
        """Which part of a run it belongs to, one of `GROUPS`."""
        return _GROUP_OF.get(str(self.path[0]), "run") if self.path else "run"

    @property
    def stored(self) -> tuple[Stored, ...]:
        """The large values that have to be loaded before more can be said of it."""
        sides = (self.left, self.right)
        if any(not isinstance(side, Inline | Stored) for side in sides):
            return ()
        return tuple(side for side in sides if isinstance(side, Stored))

    def as_json(self) -> JsonObject:
        """Return it with the field names that `checkpoints diff --json` has; no `left` of what was added."""
        found: JsonObject = {"path": path_text(self.path), "kind": self.kind.value}
        if self.left_path not in (None, self.path):
            found["left_path"] = path_text(self.left_path or ())
        if not isinstance(self.left, Missing):
            found["left"] = plain_json(self.left)
        if not isinstance(self.right, Missing):
            found["right"] = plain_json(self.right)
        return found


def plain(node: Node | Missing) -> Node | Missing:
    """Return a value that stands in the journal itself as what it is, and everything else as it stands."""
    return node.value if isinstance(node, Inline) else node


def line_diff(change: Change) -> tuple[str, ...]:
    """Return the lines of a text that differ, with a few around them, as `diff -u` shows them.

    Returns:
        Lines that begin with `@@`, a blank, `-` or `+`; none if the change is not one of two texts, if both
        are short and of one line, or if they are too long to be compared line by line.
    """
    left, right = plain(change.left), plain(change.right)
    if not isinstance(left, str) or not isinstance(right, str):
        return ()
    before, after = left.splitlines(), right.splitlines()
    if len(before) <= 1 and len(after) <= 1 and len(left) <= _SHORT and len(right) <= _SHORT:
        return ()
    return _compared(before, after)


def _compared(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Compare what is between the lines that both begin and end with, less a few of those."""
    # Here: a list of runs starts without it.
    from difflib import SequenceMatcher

    ahead = max(0, shared(before, after) - _CONTEXT)
    behind = max(0, shared(before[ahead:][::-1], after[ahead:][::-1]) - _CONTEXT)
    old, new = before[ahead : len(before) - behind], after[ahead : len(after) - behind]
    if max(len(old), len(new)) > _MOST_LINES:
        return ()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    lines: list[str] = []
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        _, first, _, other, _ = group[0]
        _, _, last, _, end = group[-1]
        lines.append(f"@@ -{_span(ahead + first, last - first)} +{_span(ahead + other, end - other)} @@")
        for word, at, upto, to, until in group:
            if word == "equal":
                lines += [f" {line}" for line in old[at:upto]]
                continue
            lines += [f"-{line}" for line in old[at:upto]]
            lines += [f"+{line}" for line in new[to:until]]
    return tuple(lines)


def _span(at: int, length: int) -> str:
    return f"{at + 1 if length else at}" if length == 1 else f"{at + (length > 0)},{length}"


def missing_on_left(path: Path, right: Node) -> Change:
    """Return that something is there on the right only."""
    return Change(None, path, MISSING, right)


def missing_on_right(path: Path, left: Node) -> Change:
    """Return that something is there on the left only."""
    return Change(path, None, left, MISSING)
