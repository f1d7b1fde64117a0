"""What was found out about a run, or a value of it, when it was verified."""

from dataclasses import dataclass

from tidegate.clock import iso
from tidegate.history.uses import Use
from tidegate.model.base import Json, JsonObject
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import CheckpointRow

__all__ = ["DamagedValue", "Verdict"]

_NOWHERE = Seq(0)
_USES = 5
"""Of a damaged value that are told."""


@dataclass(frozen=True, slots=True)
class DamagedValue:
    """A stored value that is not what was written, or not there."""

    sha256: str
    problem: str
    """What is wrong with it, a sentence without its end."""
    uses: tuple[Use, ...]
    """Where the run uses it, in order; at least once."""

    def __str__(self) -> str:
        """Return it for people."""
        told = ", ".join(map(str, self.uses[:_USES]))
        more = f" and {len(self.uses) - _USES:,} more" if len(self.uses) > _USES else ""
        return f"{told}{more}: {self.problem}"

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        uses: list[Json] = [use.as_json() for use in self.uses]
        return {"sha256": self.sha256, "problem": self.problem, "uses": uses}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found out about one run."""

    run_id: RunId
    workflow: str
    head: Seq
    """How many events there should be, as the run's row says."""
    good: Seq
    """How many are as they were written, from the first on without a gap."""
    good_at: float | None = None
    """When the last of these was written. Seconds since 1970 UTC."""
    checkpoint: CheckpointRow | None = None
    """The newest one up to `usable`, if something is damaged there or after it."""
    findings: tuple[str, ...] = ()
    """What is damaged, a sentence each; empty when all is well."""
    values: tuple[DamagedValue, ...] = ()
    """The stored values that are damaged, or missing; each is one of the findings, too."""
    usable: Seq = _NOWHERE
    """Up to which event the journal is good and needs none of these: there it can be shown, and forked."""

    unverified: int = 0
    """How many parts of its output are from before there were checksums: nothing tells whether they are damaged."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {
            "run_id": self.run_id,
            "workflow": self.workflow,
            "ok": self.is_sound,
            "events": self.head,
            "findings": list(self.findings),
            "last_good": {
                "seq": self.good,
                "at": self.good_at,
                "at_iso": None if self.good_at is None else iso(self.good_at),
                "checkpoint_id": None if self.checkpoint is None else self.checkpoint.checkpoint_id,
            },
            "values": [value.as_json() for value in self.values],
            "output_without_checksum": self.unverified,
            "usable": f"{self.run_id}@{self.usable}" if self.usable else None,
        }
