"""Where in a journal a stored value is used: a value is known by its hash, which says nothing to people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tidegate.model.base import JsonObject, fields_of
from tidegate.model.events import Record
from tidegate.model.ids import Seq
from tidegate.model.state import RunState
from tidegate.model.value import Stored, Value

__all__ = ["Use", "place_at_point", "uses_in"]

_KINDS = {"outputs": "output", "state": "state", "items": "item", "value": "step"}
"""What a field of an event holds."""


@dataclass(frozen=True, slots=True)
class Use:
    """One place in a run where a stored value stands."""

    kind: str
    """`output`, `state`, `item` or `step`."""
    name: str
    """Of an item its number, counted from 1."""
    block: str
    """The block, item or iteration that brought it."""
    seq: Seq
    """The event with which it came."""

    def __str__(self) -> str:
        """Return it for people."""
        return f"{_place(self.kind, self.name, self.block)} (event {self.seq})"

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {"event": self.seq, "block": self.block or None, "kind": self.kind, "name": self.name}


def uses_in(record: Record) -> Iterator[tuple[str, Use]]:
    """Yield the hashes of the stored values that an event brings, each with where it stands."""
    event = record.event
    block = str(getattr(event, "block", ""))
    for field, held in fields_of(event):
        for name, value in _named(field, held, str(getattr(event, "key", ""))):
            if isinstance(value, Stored):
                yield value.sha256, Use(_KINDS.get(field, field), name, block, record.seq)


def _named(field: str, held: object, key: str) -> Iterator[tuple[str, object]]:
    if isinstance(held, dict):
        yield from ((str(name), value) for name, value in held.items())
    elif isinstance(held, tuple):
        yield from ((str(number), value) for number, value in enumerate(held, 1))
    else:
        yield key or field, held


def place_at_point(state: RunState, sha256: str) -> str:
    """Return where a stored value stands in a run at a point, for people; empty: nowhere in what is shown of it."""
    for place, block in state.touched.items():
        if name := _name_of(block.outputs, sha256):
            return _place("output", name, place)
    name = _name_of(state.variables, sha256)
    return _place("state", name, "") if name else ""


def _place(kind: str, name: str, block: str) -> str:
    return f"{kind} '{name}'" + (f" of block '{block}'" if block else "")


def _name_of(values: Mapping[str, Value], sha256: str) -> str:
    held = (name for name, value in values.items() if isinstance(value, Stored) and value.sha256 == sha256)
    return next(held, "")
