"""The names of things, and how each is minted.

Ids are random, not counted: two terminals may start runs at the same moment, and a short
prefix is then already unique. They never derive from a prompt's text or a wave, so two blocks
that ask the same question still have two pauses.
"""

import os
import random
from typing import NewType

__all__ = [
    "BlockId",
    "CheckpointId",
    "PauseId",
    "RunId",
    "Seq",
    "block_of",
    "is_part",
    "item_place",
    "iteration_place",
    "new_checkpoint_id",
    "new_idempotency_key",
    "new_pause_id",
    "new_run_id",
]

RunId = NewType("RunId", str)
BlockId = NewType("BlockId", str)
"""A place in a run where an attempt can be made: a block (`deploy`), one item of it (`deploy[red]`) or
one iteration (`deploy#2`). The id of a block itself has neither bracket nor hash."""
CheckpointId = NewType("CheckpointId", str)
"""`chk_...` for an automatic or explicit one; a pause's checkpoint has the pause's id."""
PauseId = NewType("PauseId", str)
Seq = NewType("Seq", int)
"""A position in one run's journal, counted from 1; 0 is before the first event."""

# Without vowels and look-alikes: nobody reads a word or mistakes 0 for o while typing a prefix.
_ALPHABET = "23456789bcdfghjkmnpqrstvwxyz"


# One of its own, which nobody else can seed. Ids must be unique, not secret: a driver mints two per block,
# and asking the system for each would cost as much as planning it.
_random = random.Random()  # noqa: S311
# A forked process would otherwise go on with the ids of its parent.
os.register_at_fork(after_in_child=_random.seed)


# From a random byte to a character; that four of them come up a little more often costs no bit.
_CHARACTERS = bytes(ord(_ALPHABET[byte % len(_ALPHABET)]) for byte in range(256))


def _token(length: int) -> str:
    return _random.randbytes(length).translate(_CHARACTERS).decode()


def new_run_id() -> RunId:
    """Return a run id of 12 characters (57 bits)."""
    return RunId(_token(12))


def new_pause_id() -> PauseId:
    """Return ``pause_`` and 12 characters."""
    return PauseId(f"pause_{_token(12)}")


def new_checkpoint_id() -> CheckpointId:
    """Return ``chk_`` and 12 characters."""
    return CheckpointId(f"chk_{_token(12)}")


def new_idempotency_key() -> str:
    """Return a key that a block's attempts share until it is run again on purpose."""
    return f"key_{_token(20)}"


def item_place(block: BlockId, key: str) -> BlockId:
    """Return the place of one item of a block."""
    return BlockId(f"{block}[{key}]")


def iteration_place(block: BlockId, number: int) -> BlockId:
    """Return the place of one iteration of a block, counted from 1."""
    return BlockId(f"{block}#{number}")


def block_of(place: BlockId) -> BlockId:
    """Return the block that a place belongs to: itself, unless it is an item or an iteration."""
    return BlockId(place.partition("[")[0].partition("#")[0])


def is_part(place: BlockId) -> bool:
    """Return whether a place is an item or an iteration."""
    return "[" in place or "#" in place
