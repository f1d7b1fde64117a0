"""The text of a record: one batch of orders that were carried out together.

Each record carries a checksum over itself and the one before. It is taken over the digests of
the orders, not over the orders: those of a removed run can then be taken out, with their digests
left in their places, and the chain of everybody else's stays as it was.
"""

import hashlib
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, Final, cast

import msgspec

from tidegate.model.base import Json, JsonObject, Noun
from tidegate.model.ids import RunId
from tidegate.model.listing import OutputChunk
from tidegate.model.vitals import KEPT_REMOVALS, Removal
from tidegate.store.orders import (
    Append,
    ClaimCleanUp,
    EmptyGraves,
    NewRun,
    Order,
    RemoveRun,
    RenewLeases,
    WriteOutput,
)
from tidegate.store.sqlite.perform import ORDERS

__all__ = [
    "RECORDED",
    "Batch",
    "BrokenRecord",
    "RunsRemoved",
    "encode_order",
    "first_checksum",
    "is_recorded",
    "merged",
    "order_of",
    "parse_batch",
    "read_batch",
    "removed",
    "text_of",
]

_SIZE: Final = 16
"""Bytes of a checksum."""
_REMOVED: Final = "removed"
_RUNS_REMOVED: Final = "runs removed"
_NOT_LOADED: Final[JsonObject] = {"name": ""}


class RunsRemoved(Order[tuple[RunId, ...]], tag=_RUNS_REMOVED):
    """Runs that went for good: what became of a `RemoveRun`, which says only where to begin."""

    runs: tuple[RunId, ...]
    """The one on top first."""
    at: float
    told: tuple[Removal, ...] = ()
    """What is still to be known of them, the newest last; those that an earlier version removed have nothing."""


_UNRECORDED = (RemoveRun, EmptyGraves, ClaimCleanUp, RenewLeases)
"""What is written down as something else, or is no history."""
_KINDS: Final[tuple[Any, ...]] = tuple(kind for kind in (*ORDERS, RunsRemoved) if kind not in _UNRECORDED)
_ANY_ORDER: Final[Any] = reduce(or_, _KINDS)
RECORDED: Final = tuple(str(kind.__struct_config__.tag) for kind in _KINDS)
"""What a record calls the orders that it has."""


class BrokenRecord(Exception):
    """A record is not what was written; the text says why, as the end of a sentence."""


class Batch(Noun, forbid_unknown_fields=True):
    """What a record holds."""

    number: int
    """From 1, without gaps."""
    at: str
    """When it was written, ISO 8601, UTC; for people."""
    orders: tuple[JsonObject, ...]
    """As `encode_order` gives them; a removed one is its digest alone."""
    previous: str = ""
    """Checksum of the record before; of the first: what `first_checksum` says."""
    checksum: str = ""
    upto: int = 0
    """Not 0: nothing is left of this record and of those up to that number, and it stands for all of them."""
    seal: str = ""
    """Of a record that stands for several: its own checksum. `checksum` is then that of the last of them."""

    @property
    def last(self) -> int:
        """The number of the last record that it stands for."""
        return self.upto or self.number

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left of it but that runs were removed."""
        return all(order.get("type") in {_REMOVED, _RUNS_REMOVED} for order in self.orders)

    def sealed(self) -> "Batch":
        """Return it with its checksum."""
        return self.evolve(checksum=self.expected_checksum())

    def expected_checksum(self) -> str:
        """Return the checksum that it must have."""
        said = [self.number, self.at, self.previous, [_digest(order) for order in self.orders]]
        return _hash(msgspec.json.encode(said))

    def is_as_written(self) -> bool:
        """Whether it is what its checksum, or its seal, says."""
        if not self.upto:
            return self.checksum == self.expected_checksum()
        return self.upto > self.number and self.is_empty and self.seal == self._expected_seal()

    def _expected_seal(self) -> str:
        return _hash(msgspec.json.encode([self.expected_checksum(), self.upto, self.checksum]))


def merged(batches: Sequence[Batch]) -> Batch:
    """Return one record that stands for several, all of them empty, that follow each other."""
    first, last = batches[0], batches[-1]
    found = [
        order for batch in batches for order in map(order_of, batch.orders) if isinstance(order, RunsRemoved)
    ]
    runs = tuple(dict.fromkeys(run_id for order in found for run_id in order.runs))
    # Who stands in the middle, or before, has to hear of all: removing what is not there does no harm.
    told = tuple(removal for order in found for removal in order.told)[-KEPT_REMOVALS:]
    at = max((order.at for order in found), default=0.0)
    orders = (encode_order(RunsRemoved(runs=runs, at=at, told=told)),) if runs else ()
    batch = last.evolve(number=first.number, orders=orders, previous=first.previous, upto=last.last)
    return batch.evolve(seal=batch._expected_seal())  # noqa: SLF001  # of this module


def first_checksum(store_id: str) -> str:
    """Return what stands before a store's first record."""
    return _hash(store_id.encode())


def text_of(batch: Batch) -> bytes:
    """Return a record as it is written: the same text for the same batch, one fact per line."""
    return msgspec.json.format(msgspec.json.encode(batch), indent=2) + b"\n"


def read_batch(text: bytes, number: int, previous: str) -> Batch:
    """Return what a record holds.

    Args:
        text: Of the file.
        number: That it must have.
        previous: Checksum of the record before.

    Raises:
        BrokenRecord: it is not what was written, or does not follow that one.
    """
    batch = parse_batch(text, number)
    if batch.previous != previous:
        raise BrokenRecord("does not follow the one before: it is of another history")
    return batch


def parse_batch(text: bytes, number: int) -> Batch:
    """Return what a record holds, whatever was before it.

    Raises:
        BrokenRecord: it is not what was written.
    """
    try:
        batch = msgspec.json.decode(text, type=Batch)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BrokenRecord(f"cannot be read ({error})") from error
    if batch.number != number:
        raise BrokenRecord(f"says that it is number {batch.number}")
    if not batch.is_as_written():
        raise BrokenRecord("was changed: it is not what its checksum says")
    return batch


def is_recorded(order: Order[Any]) -> bool:
    """Whether *order* is written down as it is."""
    return not isinstance(order, _UNRECORDED)


# -- orders -----------------------------------------------------------------------------------


def encode_order(order: Order[Any]) -> JsonObject:
    """Return *order* as a record has it: without what is kept in files of its own.

    Args:
        order: As `kept.Kept.reduced` gives it.
    """
    said = cast("JsonObject", msgspec.to_builtins(order, builtin_types=(bytes,)))
    match order:
        case NewRun():
            del said["definition"]
            said.pop("source", None)
        case Append(values=values) if values:
            said["values"] = [*sorted(values)]
        case WriteOutput(chunks=chunks) if chunks:
            said["chunks"] = [_named(chunk) for chunk in chunks]
        case _:
            pass
    return said


def _named(chunk: OutputChunk) -> Json:
    at = {"at": chunk.at} if chunk.at else {}
    return {
        "n": chunk.n,
        "stream": int(chunk.stream),
        "offset": chunk.offset,
        **at,
        "file": chunk.data.decode(),
    }


def order_of(said: JsonObject) -> Order[Any] | None:
    """Return the order that a record has, reduced; None for one that was removed.

    A new run comes with an empty definition: see `kept.Kept.restored`.

    Raises:
        BrokenRecord: it is no order that this version knows.
    """
    kind = said.get("type")
    if kind == _REMOVED:
        return None
    try:
        return cast("Order[Any]", msgspec.convert(_completed(said), _ANY_ORDER, builtin_types=(bytes,)))
    except (msgspec.MsgspecError, TypeError, KeyError, AttributeError) as error:
        raise BrokenRecord(f"holds a '{kind}' that cannot be read ({error})") from error


def _completed(said: JsonObject) -> dict[str, Any]:
    match said:
        case {"type": "new run"}:
            return said | {"definition": _NOT_LOADED}
        case {"type": "append", "values": list(names)}:
            return said | {"values": {str(name): b"" for name in names}}
        case {"type": "output", "chunks": list(chunks)}:
            return said | {"chunks": [_with_data(chunk) for chunk in chunks]}
        case _:
            return said


def _with_data(chunk: Any) -> dict[str, Any]:
    return {
        **{name: value for name, value in chunk.items() if name != "file"},
        "data": chunk["file"].encode(),
    }


def removed(said: JsonObject) -> JsonObject:
    """Return what is left in the place of an order that is taken out."""
    return said if said.get("type") == _REMOVED else {"type": _REMOVED, "digest": _digest(said)}


def _digest(said: JsonObject) -> str:
    return str(said["digest"]) if said.get("type") == _REMOVED else _hash(msgspec.json.encode(said))


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=_SIZE).hexdigest()
