"""What may be done to what is kept: removing runs, and naming and keeping points of them."""

from collections.abc import Collection

from tidegate.engine.cleaning import Cleaner, CleanUp
from tidegate.engine.marking import mark_label, place_mark
from tidegate.engine.parts import Parts
from tidegate.engine.retention import Limits
from tidegate.model.ids import CheckpointId, RunId, Seq

__all__ = ["Upkeep"]


class Upkeep:
    """The part of the executor that moves no run."""

    _parts: Parts
    _cleaner: Cleaner

    async def remove_run(
        self, run_id: RunId, *, despite_pins: bool = False, by: str = ""
    ) -> tuple[RunId, ...]:
        """Remove a run that has ended, with everything below it; return what was removed, itself first.

        Args:
            run_id: Which run, on top.
            despite_pins: Whether it goes even if a checkpoint of it is pinned.
            by: Who removes it, as it is remembered.

        Raises:
            RunNotFound: there is no such run.
            RunInUse: it has not ended, is pinned or needed, or is a part of another run.
        """
        return await self._cleaner.remove_run(run_id, despite_pins=despite_pins, by=by)

    async def clean_up(
        self,
        *,
        dry_run: bool = False,
        workflow: str | None = None,
        only: Collection[RunId] = (),
        limits: Limits | None = None,
        despite_pins: bool = False,
        by: str = "",
    ) -> CleanUp:
        """Remove the runs that are kept no longer, and give their space back. Nothing that has not ended goes.

        Args:
            dry_run: Only say what would go, and how many bytes it takes.
            workflow: Only runs of this one; None: of all.
            only: Only these runs, and no checkpoints of others; empty: all.
            limits: What is kept, of every workflow; None: what its file, or else the settings, say.
            despite_pins: Whether pins keep nothing.
            by: Who removes them, as it is remembered.
        """
        return await self._cleaner.clean_up(
            dry_run=dry_run, workflow=workflow, only=only, limits=limits, despite_pins=despite_pins, by=by
        )

    async def pin(self, checkpoint_id: CheckpointId, *, pinned: bool = True) -> None:
        """Keep a checkpoint, and with it its run, until somebody says otherwise; or no longer.

        Raises:
            CheckpointNotFound: there is none.
        """
        await self._parts.store.pin(checkpoint_id, pinned=pinned)

    async def label(self, checkpoint_id: CheckpointId, label: str | None) -> None:
        """Call a checkpoint *label*; None: no longer anything but what its workflow calls it.

        Raises:
            CheckpointNotFound: there is none.
        """
        await self._parts.store.label_mark(checkpoint_id, None if label is None else mark_label(label))

    async def mark(self, run_id: RunId, seq: Seq | None = None, *, by: str, label: str = "") -> CheckpointId:
        """Place a checkpoint at a point of a run, whatever its status; return its id. Its journal does not change.

        Args:
            run_id: Which run.
            seq: The event right after which it stands; None: its newest.
            by: Who places it.
            label: What to call it.

        Raises:
            RunNotFound: there is no such run.
            CheckpointNotFound: it has no such event.
        """
        return await place_mark(self._parts, run_id, seq, by=by, label=label)
