"""What a run was at one position, as the tree that people look at and comparisons go through.

The tree is lazy: what nobody opens costs nothing, so that a run of ten thousand blocks opens at once. Large
values stand in it by their hash. Two trees of one run know without a look at them which branches are the
same, because states share what has not changed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeGuard

from tidegate.history.definition_tree import definition_tree
from tidegate.history.paths import Path
from tidegate.model.base import Json, JsonObject
from tidegate.model.checkpoint import asked
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.state import BlockState, Pause, PauseState, RunState
from tidegate.model.value import Inline, Stored, Value

__all__ = [
    "MISSING",
    "Branch",
    "Missing",
    "Node",
    "document",
    "is_branch",
    "pick",
    "plain_json",
    "questions",
    "shares_path",
    "stored_below",
]

Node: TypeAlias = Json | Value | Mapping[str, Any]
"""A branch by name, a value that may be large, or plain JSON."""


_NOTHING: Mapping[str, Json] = {}


class Missing:
    """What is at a path where nothing is."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


class Branch(Mapping[str, Node]):
    """Names and what is behind them, made when somebody looks."""

    __slots__ = ("_find", "_keys", "_make", "_source")

    def __init__(
        self,
        find: Callable[[], Iterable[str]],
        make: Callable[[str], Node],
        source: Callable[[str], tuple[object, ...]],
    ) -> None:
        """Make it.

        Args:
            find: Returns the names, in their order.
            make: Returns what is behind a name; raises KeyError for one that is none.
            source: Returns what that is made from: made from the same objects, it is the same.
        """
        self._find = find
        self._make = make
        self._source = source
        self._keys: dict[str, None] | None = None

    def __getitem__(self, key: str) -> Node:
        return self._make(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, key: object) -> bool:
        return key in self._names()

    def _names(self) -> dict[str, None]:
        if self._keys is None:
            self._keys = dict.fromkeys(self._find())
        return self._keys

    def source(self, key: str) -> tuple[object, ...]:
        """Return what the node behind *key* is made from."""
        return self._source(key)

    def shares(self, other: "Branch", key: str) -> bool:
        """Whether the node behind *key* is the same in both, told without a look at it; False: perhaps not."""
        ours, theirs = self._source(key), other.source(key)
        return len(ours) == len(theirs) and all(
            one is another for one, another in zip(ours, theirs, strict=True)
        )


def is_branch(node: object) -> TypeGuard[Mapping[str, Node]]:
    """Whether a node has others behind names."""
    return isinstance(node, Mapping)


def pick(node: Node, path: Path) -> Node | Missing:
    """Return what is at a path below *node*; `MISSING` if nothing is."""
    for part in path:
        found = _step(node, part)
        if isinstance(found, Missing):
            return MISSING
        node = found
    return node


def _step(node: Node, part: str | int) -> Node | Missing:
    if isinstance(node, list):
        # A person writes positions as digits.
        number = int(part) if str(part).isdecimal() and str(part).isascii() else -1
        return node[number] if 0 <= number < len(node) else MISSING
    if not is_branch(node):
        return MISSING
    try:
        return node[str(part)]
    except KeyError:
        return MISSING


def plain_json(node: Node, loaded: Mapping[str, Json] = _NOTHING) -> Json:
    """Return a node with everything below it as plain JSON.

    Args:
        node: Which.
        loaded: Large values by their hash; one that is not among them becomes ``{sha256, size}``.
    """
    if isinstance(node, Inline):
        return node.value
    if isinstance(node, Stored):
        return loaded.get(node.sha256, {"sha256": node.sha256, "size": node.size})
    if is_branch(node):
        return {name: plain_json(below, loaded) for name, below in node.items()}
    return node  # type: ignore[return-value]  # what is left is JSON


def stored_below(node: Node) -> Iterator[Stored]:
    """Yield the large values that a node is, or has below it."""
    if isinstance(node, Stored):
        yield node
    elif is_branch(node):
        for below in node.values():
            yield from stored_below(below)


def shares_path(left: Node, right: Node, path: Path) -> bool:
    """Whether what is at a path is made from the very same objects in both trees of a run.

    Then it is the same, and was so in every state in between. False: perhaps it is not. That two leaves are
    equal proves nothing: a status may have changed and come back.
    """
    one: Node | Missing = left
    other: Node | Missing = right
    for part in path:
        if not isinstance(one, Branch) or not isinstance(other, Branch):
            return False
        if one.shares(other, str(part)):
            return True
        one, other = _step(one, part), _step(other, part)
    return False


# -- a run ------------------------------------------------------------------------------------


def document(state: RunState) -> Branch:
    """Return the tree of a state, in the order in which people read it.

    `status reason wave total_waves by started_at updated_at held cancel`, and the branches `inputs`, `state`
    (its variables), `blocks` by place, `pauses` by place, `outputs` and `definition`. What is empty is left
    out. Times are seconds since 1970 UTC; waves are counted from 1.
    """
    branches: dict[str, Callable[[], Node]] = {
        "inputs": lambda: state.inputs,
        "state": lambda: state.variables,
        "blocks": lambda: _blocks(state),
        "pauses": lambda: _pauses(state),
        "outputs": lambda: state.finished.outputs if state.finished is not None else {},
        "definition": lambda: definition_tree(state.graph.definition),
    }

    def make(name: str) -> Node:
        return branches[name]() if name in branches else _head(state)[name]

    return Branch(lambda: (*_head(state), *branches), make, lambda name: _made_of(state, name))


def _made_of(state: RunState, name: str) -> tuple[object, ...]:
    """Return what a branch of the tree is made from."""
    made_of: dict[str, tuple[object, ...]] = {
        "inputs": (state.inputs,),
        "state": (state.variables,),
        "blocks": (state.touched, state.graph, state.given),
        "pauses": (state.pauses,),
        "outputs": (state.finished,),
        "definition": (state.graph.definition,),
    }
    return made_of.get(name, (state,))


def _head(state: RunState) -> dict[str, Node]:
    summary = state.summarise()
    held, cancel = state.held, state.cancel
    return _said(
        status=summary.status.value,
        reason=summary.reason,
        wave=min(state.wave + 1, state.total_waves) if state.wave >= 0 else None,
        total_waves=state.total_waves,
        by=state.by,
        started_at=state.started_at,
        updated_at=state.updated_at,
        held=None if held is None else _said(by=held.by, reason=held.reason),
        cancel=None
        if cancel is None
        else _said(by=cancel.by, reason=cancel.reason, force=cancel.force or None),
    )


def _said(**fields: Node) -> dict[str, Node]:
    """Return what there is to say: without what is not known, and without what is empty."""
    return {name: value for name, value in fields.items() if not _is_nothing(value)}


def _is_nothing(value: Node) -> bool:
    return value is None or (isinstance(value, str | Mapping) and not value)


# -- its blocks -------------------------------------------------------------------------------


def _blocks(state: RunState) -> Branch:
    """Return every block in the order of the file, the parts of one right behind it."""

    def places() -> Iterator[BlockId]:
        for block in state.graph.blocks:
            yield block
            yield from state.parts_of(block)

    return Branch(places, lambda place: _block(state, BlockId(place)), lambda place: _made_from(state, place))


def _made_from(state: RunState, name: str) -> tuple[object, ...]:
    place = BlockId(name)
    fan = state.fan_of(place) if is_part(place) else None
    return state.touched.get(place), fan.items if fan is not None else None, state.given.get(place)


def _has(state: RunState, place: BlockId) -> bool:
    if not is_part(place):
        return place in state.graph.blocks
    fan, block = state.fan_of(place), block_of(place)
    if fan is None:
        return False
    if fan.iterations:
        number = place.removeprefix(f"{block}#")
        return number.isdecimal() and 1 <= int(number) <= fan.iterations
    return _key_of(place) in fan.positions


def _key_of(place: BlockId) -> str:
    """Return the key of an item."""
    return place.partition("[")[2][:-1]


def _block(state: RunState, place: BlockId) -> dict[str, Node]:
    if not _has(state, place):
        raise KeyError(place)
    block = state.block(place)
    return _said(
        status=block.status.value,
        attempt=block.attempt or None,
        failures=block.failures or None,
        summary=block.summary,
        item=_item(state, place),
        given=state.given.get(place),
        outputs=block.outputs,
        failure=_failure(block),
        reason=block.reason,
        started_at=block.started_at,
        ended_at=block.ended_at,
        duration=_duration(block),
        wake_at=block.wake_at,
        parts=_parts(block),
        child=_child(block),
        progress=None
        if block.progress is None
        else _said(fraction=block.progress.fraction, message=block.progress.message),
        steps=block.steps,
    )


def _item(state: RunState, place: BlockId) -> Node:
    fan = state.fan_of(place) if is_part(place) else None
    if fan is None or fan.iterations:
        return None
    return fan.items[fan.positions[_key_of(place)]]


def _failure(block: BlockState) -> Node:
    failure = block.failure
    if failure is None:
        return None
    return _said(kind=failure.kind.value, message=failure.message, exit_code=failure.exit_code)


def _duration(block: BlockState) -> float | None:
    """Return how long the newest attempt took, in seconds."""
    if block.started_at is None or block.ended_at is None:
        return None
    return round(max(0.0, block.ended_at - block.started_at), 3)


def _parts(block: BlockState) -> Node:
    fan = block.fan
    if fan is None:
        return None
    total: JsonObject = {"iterations": fan.iterations} if fan.iterations else {"items": len(fan.keys)}
    return {**total, "left": fan.left, "lost": fan.lost}


def _child(block: BlockState) -> Node:
    child = block.child
    if child is None:
        return None
    return _said(run_id=child.run_id, workflow=child.workflow, inputs=child.inputs)


# -- its questions ----------------------------------------------------------------------------


def _pauses(state: RunState) -> Branch:
    """Return the questions in the order they were asked, each by its place; a second one there is `gate:2`.

    One that was closed and asked anew, as in a fork, counts as no first one: it is `gate:closed`.
    """
    named: dict[str, Pause] = {}

    def pauses() -> dict[str, Pause]:
        if not named:
            named.update(questions(state))
        return named

    return Branch(pauses, lambda name: _pause(pauses()[name]), lambda name: (pauses().get(name),))


def questions(state: RunState) -> dict[str, Pause]:
    """Return the questions of a state by the names that its document has for them."""
    pauses = asked(state)
    last = {pause.block: pause for pause in pauses}
    counts: Counter[str] = Counter()
    named: dict[str, Pause] = {}
    for pause in pauses:
        is_closed = pause.state is PauseState.CLOSED and last[pause.block] is not pause
        name = f"{pause.block}:closed" if is_closed else pause.block
        counts[name] += 1
        named[name if counts[name] == 1 else f"{name}:{counts[name]}"] = pause
    return named


def _pause(pause: Pause) -> dict[str, Node]:
    answer = pause.answer
    told: dict[str, Node] = {"answer": answer.value} if answer is not None else {}
    return {
        **_said(id=pause.pause_id, kind=pause.prompt.kind, question=pause.prompt.text),
        "state": pause.state.name.lower(),
        **told,
        **_said(
            by=answer.by if answer is not None else None,
            via=answer.via if answer is not None else None,
            comment=answer.comment if answer is not None else None,
            refusals=pause.refusals or None,
            opened_at=pause.opened_at,
            closed_at=pause.closed_at,
            deadline=pause.deadline,
        ),
    }
