"""What the beginning of an id means: a run, a pause or a checkpoint."""

from tidegate.errors import AmbiguousId, CheckpointNotFound, RunNotFound
from tidegate.model.ids import CheckpointId, PauseId, RunId
from tidegate.store.protocol import Store

__all__ = ["find_checkpoint", "find_id", "find_run", "kind_of", "run_of"]

_SHORTEST_PREFIX = 4
"""Characters of an id. What a slip of the finger may name must not be answered or cancelled."""


async def find_id(store: Store, prefix: str, kinds: tuple[str, ...]) -> str | None:
    """Return the one id that starts with *prefix* and is of one of *kinds* (`run`, `pause`, `chk`).

    Raises:
        AmbiguousId: more than one does, or the prefix is too short to be no slip.
    """
    if not prefix:  # It would name everything: `runs cancel "$UNSET"` must not find the only run.
        return None
    found = [name for name in await store.matching(prefix, limit=12) if kind_of(name) in kinds]
    if prefix in found:
        return prefix
    if found and len(prefix.rpartition("_")[2]) < _SHORTEST_PREFIX:
        raise AmbiguousId(prefix, tuple(found))
    if len(found) > 1:
        raise AmbiguousId(prefix, tuple(found))
    return found[0] if found else None


async def find_run(store: Store, prefix: str) -> RunId:
    """Return the run that *prefix* names; also by the id of one of its pauses or checkpoints.

    Raises:
        RunNotFound: none.
        AmbiguousId: more than one.
    """
    found = await find_id(store, prefix, ("run", "pause", "chk"))
    if found is None:
        raise RunNotFound(prefix)
    return await run_of(store, found)


async def run_of(store: Store, name: str) -> RunId:
    """Return the run that a whole id names: itself, or the one that a pause or a checkpoint is of."""
    if kind_of(name) == "run":
        return RunId(name)
    if kind_of(name) == "pause":
        return (await store.pause(PauseId(name))).run_id
    return (await store.checkpoint(CheckpointId(name))).run_id


async def find_checkpoint(store: Store, prefix: str) -> CheckpointId:
    """Return the checkpoint that *prefix* names.

    Raises:
        CheckpointNotFound: none.
        AmbiguousId: more than one.
    """
    found = await find_id(store, prefix, ("chk", "pause"))
    if found is None:
        raise CheckpointNotFound(prefix)
    return CheckpointId(found)


def kind_of(name: str) -> str:
    """Return what an id is of: `run`, `pause` or `chk`."""
    head, underscore, _ = name.partition("_")
    return head if underscore else "run"
