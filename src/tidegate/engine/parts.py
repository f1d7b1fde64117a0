"""What every driver of an executor works with."""

from dataclasses import dataclass

from tidegate.clock import Clock
from tidegate.model.catalog import Catalog
from tidegate.store.protocol import Store

__all__ = ["Parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The store, the time, the block types, and who we are."""

    store: Store
    clock: Clock
    catalog: Catalog
    owner: str
    lease_seconds: float = 30.0
    """How long a lease holds without being renewed. Longer than any stall of the event loop."""
