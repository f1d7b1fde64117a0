"""From an order to the statements that carry it out."""

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar, cast

from tidegate.store.orders import (
    Append,
    ClaimLease,
    DeleteMark,
    NewRun,
    Order,
    ReleaseLease,
    RenewLeases,
    WriteOutput,
)
from tidegate.store.sqlite.journals import append_events, create_run, delete_mark
from tidegate.store.sqlite.leases import claim, release, renew
from tidegate.store.sqlite.output import write_output

__all__ = ["perform"]

T = TypeVar("T")

_WAYS: Final[Mapping[type, Callable[[sqlite3.Connection, Any], object]]] = {
    NewRun: create_run,
    Append: append_events,
    WriteOutput: write_output,
    ClaimLease: claim,
    RenewLeases: renew,
    ReleaseLease: release,
    DeleteMark: delete_mark,
}


def perform(connection: sqlite3.Connection, order: Order[T]) -> T:
    """Carry out *order* inside the open transaction; return what it gives back.

    It checks everything that it may refuse before it writes anything.
    """
    return cast("T", _WAYS[type(order)](connection, order))
