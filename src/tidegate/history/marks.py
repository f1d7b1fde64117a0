"""All checkpoints of a run, however many, and of the runs that a fork comes from."""

from tidegate.history.views import checkpoint_metadata
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.ids import CheckpointId, RunId, Seq
from tidegate.model.listing import CheckpointFilter, CheckpointRow
from tidegate.store.protocol import Store

__all__ = ["marks_of"]

_PAGE = 1_000


async def marks_of(store: Store, run_id: RunId) -> tuple[CheckpointMetadata, ...]:
    """Return the checkpoints of a run, oldest first.

    Those of a fork begin with those of the run that it goes on from, up to that point, and so on.

    Raises:
        RunNotFound: there is no such run.
    """
    found: list[CheckpointRow] = []
    at: RunId | None = run_id
    upto: Seq | None = None
    while at is not None:
        found += [row for row in await _rows(store, at) if upto is None or row.seq <= upto]
        origin = (await store.run(at)).origin
        at, upto = (origin.run_id, _lower(upto, origin.seq)) if origin is not None else (None, None)
    return tuple(checkpoint_metadata(row) for row in sorted(found, key=lambda row: row.seq))


def _lower(one: Seq | None, other: Seq) -> Seq:
    return other if one is None else min(one, other)


async def _rows(store: Store, run_id: RunId) -> list[CheckpointRow]:
    found: list[CheckpointRow] = []
    last: CheckpointId | None = None
    while True:
        page = await store.checkpoints(CheckpointFilter(run_id=run_id, older_than=last, limit=_PAGE))
        found += page
        if len(page) < _PAGE:
            return found
        last = page[-1].checkpoint_id
