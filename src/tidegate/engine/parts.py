"""What every driver of an executor works with."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tidegate.blocks.base import Block
from tidegate.clock import Clock
from tidegate.model.ids import RunId, new_run_id
from tidegate.store.protocol import Store
from tidegate.store.replay import States

__all__ = ["Parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The store, the time, the block types, and who we are."""

    store: Store
    states: States
    """Of its runs."""
    clock: Clock
    blocks: Mapping[str, Block]
    """Every block type, by its name."""
    owner: str
    lease_seconds: float = 30.0
    """How long a lease holds without being renewed. Longer than any stall of the event loop."""
    max_bytes: int = 10 * 1024 * 1024
    """Of JSON, that one block may leave in one checkpoint: outputs together, state together, each step."""
    chance: Callable[[], float] = random.random
    """Random, 0 to 1: the jitter of retries."""
    run_id: Callable[[str], RunId] = lambda _: new_run_id()
    """Mints the id of a run by the path of the place that starts it, from the top down; empty: nobody's block."""
