"""What differs between two trees. Pure: large values are compared by their hash, and named, not loaded."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from tidegate.history.align import align
from tidegate.history.changes import Change, missing_on_left, missing_on_right
from tidegate.history.document import Branch, Missing, Node, is_branch
from tidegate.history.paths import Path
from tidegate.model.value import Inline, Stored

__all__ = ["changes_between", "differs", "same"]

_DEEPEST = 64
"""Names in a path; what is nested deeper counts as one value."""


def changes_between(
    left: Node | Missing, right: Node | Missing, left_path: Path = (), right_path: Path = ()
) -> Iterator[Change]:
    """Yield what differs, in the order of the left tree, what is new at the end of its branch.

    Mappings are compared name by name, lists element by element, aligned so that one that was put in is one
    change; numbers of two types, and a number and a truth value, are never the same. Two large values with
    different hashes are one change: see `Change.stored`.

    Args:
        left: A tree, or a part of one.
        right: The other one.
        left_path: Where *left* stands, as the changes shall say it.
        right_path: Where *right* stands.
    """
    left = left.value if isinstance(left, Inline) and not isinstance(right, Stored) else left
    right = right.value if isinstance(right, Inline) and not isinstance(left, Stored) else right
    if left is right:
        return
    if len(left_path) < _DEEPEST and is_branch(left) and is_branch(right):
        yield from _in_branches(left, right, left_path, right_path)
    elif len(left_path) < _DEEPEST and isinstance(left, list) and isinstance(right, list):
        yield from _in_lists(left, right, left_path, right_path)
    elif not same(left, right):
        yield Change(left_path, right_path, left, right)


def differs(left: Node | Missing, right: Node | Missing) -> bool:
    """Whether there is any difference, as far as that can be told without loading large values."""
    return next(changes_between(left, right), None) is not None


def same(left: Node | Missing, right: Node | Missing) -> bool:
    """Whether two nodes are the same. To Python 1, 1.0 and true are equal; here they are not."""
    if is_branch(left) and is_branch(right):
        return _encoded(left) == _encoded(right)
    if type(left) is not type(right):
        return False
    if isinstance(left, list | float | Inline):  # NaN is not equal to itself, and -0.0 is equal to 0.0.
        return _encoded(left) == _encoded(right)
    return left == right


def _encoded(node: Node | Missing) -> bytes:
    return msgspec.json.encode(node, order="sorted", enc_hook=dict)


def _in_branches(
    left: Mapping[str, Node], right: Mapping[str, Node], left_path: Path, right_path: Path
) -> Iterator[Change]:
    lazy = (left, right) if isinstance(left, Branch) and isinstance(right, Branch) else None
    for name in left:
        if name not in right:
            yield missing_on_right((*left_path, name), left[name])
        elif lazy is None or not lazy[0].shares(lazy[1], name):
            yield from changes_between(left[name], right[name], (*left_path, name), (*right_path, name))
    for name in right:
        if name not in left:
            yield missing_on_left((*right_path, name), right[name])


def _in_lists(
    left: Sequence[Node], right: Sequence[Node], left_path: Path, right_path: Path
) -> Iterator[Change]:
    for one, other in align([_encoded(node) for node in left], [_encoded(node) for node in right]):
        if one is None and other is not None:
            yield missing_on_left((*right_path, other), right[other])
        elif other is None and one is not None:
            yield missing_on_right((*left_path, one), left[one])
        elif one is not None and other is not None:
            yield from changes_between(left[one], right[other], (*left_path, one), (*right_path, other))
