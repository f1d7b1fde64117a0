"""What the checkpoints can be searched and ordered by, and what of that the store can do."""

import math
from collections.abc import Sequence

from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.tui.query.fields import Choice, Flags, Moment, Number, Since, Words
from tidegate.tui.query.language import Query
from tidegate.tui.query.listing import Listing, Sort

__all__ = ["CHECKPOINTS", "checkpoint_filter"]

CHECKPOINTS: Listing[CheckpointMetadata] = Listing(
    "checkpoints",
    (
        Choice(
            ("type", "kind"),
            "why it was marked",
            lambda checkpoint: checkpoint.kind.value,
            tuple(kind.value for kind in CheckpointKind),
        ),
        Words(("workflow",), "its workflow; with = all of the name", lambda checkpoint: checkpoint.workflow),
        Words(("run",), "the id of its run", lambda checkpoint: checkpoint.run_id, "4f2a"),
        Words(("block",), "the block that it was marked at", lambda checkpoint: checkpoint.block or ""),
        Words(("label",), "what it is called", lambda checkpoint: checkpoint.label, "release"),
        Choice(
            ("status",),
            "where the run stood then",
            lambda checkpoint: checkpoint.summary.status.value,
            tuple(status.value for status in RunStatus),
        ),
        Moment(("age",), "how long ago it was marked", lambda checkpoint: checkpoint.created_at),
        Since(("since",), "marked then or later", lambda checkpoint: checkpoint.created_at),
        Since(("before",), "marked before then", lambda checkpoint: checkpoint.created_at, is_end=True),
        Number(
            ("done",),
            "how much of the run was done, in percent",
            lambda checkpoint: checkpoint.summary.progress_percentage,
        ),
        Words(("asks",), "what it asks", lambda checkpoint: checkpoint.pause_prompt or "", "prod"),
        Flags(
            ("is",),
            "how it is",
            {
                "open": lambda checkpoint, _: checkpoint.is_paused,
                "pinned": lambda checkpoint, _: checkpoint.pinned,
            },
        ),
    ),
    (
        Sort("marked", falls=True),
        Sort("workflow", lambda checkpoint, _: checkpoint.workflow.casefold()),
        Sort("block", lambda checkpoint, _: (checkpoint.block or "").casefold()),
        Sort("done", lambda checkpoint, _: checkpoint.summary.progress_percentage),
        Sort("type", lambda checkpoint, _: checkpoint.kind.value),
    ),
    {"open questions": "is:open", "pinned": "is:pinned", "failures today": "type:failure since:today"},
)
"""Newest first, as the store lists them."""


def checkpoint_filter(
    query: Query[CheckpointMetadata], kinds: Sequence[CheckpointKind], now: float, limit: int
) -> CheckpointFilter | None:
    """Return what the store leaves out of what a filter leaves out; None: nothing is left.

    Args:
        query: The filter. No checkpoint that it shows is left out.
        kinds: Those that are listed at all; empty: all.
        now: Seconds since 1970 UTC.
        limit: How many at most.
    """
    wanted = query.words("type")
    meant = [kind for kind in kinds or CheckpointKind if wanted is None or kind.value in wanted]
    if not meant:
        return None
    low, high = query.span(now, "age", "since", "before")
    block = query.exact("block")
    return CheckpointFilter(
        kinds=() if len(meant) == len(CheckpointKind) else tuple(meant),
        workflow=query.exact("workflow"),
        block=BlockId(block) if block else None,
        open_pauses_only=query.words("is") == frozenset({"open"}),
        statuses=tuple(RunStatus(word) for word in sorted(query.words("status") or ())),
        since=low if low > -math.inf else None,
        before=high if high < math.inf else None,
        limit=limit,
    )
