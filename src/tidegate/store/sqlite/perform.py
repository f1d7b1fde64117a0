"""From an order to the statements that carry it out."""

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeVar, cast

from tidegate.store.orders import (
    Append,
    ClaimCleanUp,
    ClaimLease,
    DeleteMark,
    EmptyGraves,
    LabelMark,
    NewRun,
    Order,
    PinMark,
    PlaceMark,
    ReleaseLease,
    RemoveRun,
    RenewLeases,
    TrimMarks,
    WriteOutput,
)
from tidegate.store.sqlite.journals import append_events, create_run
from tidegate.store.sqlite.leases import claim, release, renew
from tidegate.store.sqlite.marks import delete_mark, label_mark, pin_mark, place_mark, trim_marks
from tidegate.store.sqlite.output import write_output
from tidegate.store.sqlite.removal import claim_clean_up, empty_graves, remove_run

__all__ = ["ORDERS", "Performing", "perform"]

T = TypeVar("T")

_WAYS: Final[Mapping[type, Callable[[sqlite3.Connection, Any], object]]] = {
    NewRun: create_run,
    Append: append_events,
    WriteOutput: write_output,
    ClaimLease: claim,
    RenewLeases: renew,
    ReleaseLease: release,
    DeleteMark: delete_mark,
    PinMark: pin_mark,
    LabelMark: label_mark,
    PlaceMark: place_mark,
    TrimMarks: trim_marks,
    RemoveRun: remove_run,
    EmptyGraves: empty_graves,
    ClaimCleanUp: claim_clean_up,
}


ORDERS: Final = tuple(_WAYS)
"""Every kind of order there is."""


def perform(connection: sqlite3.Connection, order: Order[T]) -> T:
    """Carry out *order* inside the open transaction; return what it gives back.

    It checks everything that it may refuse before it writes anything.
    """
    return cast("T", _WAYS[type(order)](connection, order))


class Performing(Generic[T]):
    """The job of carrying out an order; who has to write the order down finds it here."""

    __slots__ = ("order",)

    def __init__(self, order: Order[T]) -> None:
        self.order = order

    def __call__(self, connection: sqlite3.Connection) -> T:
        """Carry it out."""
        return perform(connection, self.order)
