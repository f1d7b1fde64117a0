"""What lists show: rows of the store, seen from now."""

from dataclasses import dataclass

import msgspec

from tidegate.clock import iso
from tidegate.model.base import JsonObject
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import RunStatus
from tidegate.model.listing import CheckpointRow, PauseRow, RunRow
from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, RecoveryPrompt

__all__ = ["RunView", "checkpoint_metadata", "pause_json"]


@dataclass(frozen=True, slots=True)
class RunView:
    """A run in a list, with where it stands now that we know who lives."""

    row: RunRow
    status: RunStatus
    """`interrupted` for a run whose journal says running and whose process is gone."""

    def as_json(self) -> JsonObject:
        """Return it with the field names that listings have."""
        row, summary = self.row, self.row.summary
        return {
            "run_id": row.run_id,
            "workflow": row.workflow,
            "status": self.status.value,
            "created_at": row.created_at,
            "created_at_iso": iso(row.created_at),
            "updated_at": row.updated_at,
            "completed_blocks": summary.completed,
            "total_blocks": summary.blocks,
            "failed_blocks": summary.failed,
            "open_pauses": summary.pauses,
            "current_wave": summary.wave,
            "total_waves": summary.total_waves,
            "progress_percentage": summary.progress_percentage,
            "reason": summary.reason,
        }


def checkpoint_metadata(row: CheckpointRow) -> CheckpointMetadata:
    """Return a checkpoint's row as listings show it."""
    return CheckpointMetadata(
        checkpoint_id=row.checkpoint_id,
        run_id=row.run_id,
        workflow=row.workflow,
        created_at=row.created_at,
        kind=row.kind,
        seq=row.seq,
        summary=row.summary,
        block=row.block,
        label=row.label,
        is_paused=row.pause_open,
        pause_prompt=row.pause_text or None,
    )


def pause_json(row: PauseRow) -> JsonObject:
    """Return a pause with the field names that `run --json` and `inbox --json` have."""
    document: JsonObject = {
        "pause_id": row.pause_id,
        "run_id": row.run_id,
        "workflow": row.workflow,
        "block": row.block,
        "path": f"{row.workflow}/{row.block}",
        "kind": row.prompt.kind,
        "prompt": row.prompt.text,
        "choices": None,
        "rule": row.prompt.rule,
        "opened_at": row.opened_at,
        "opened_at_iso": iso(row.opened_at),
        "deadline": row.deadline,
    }
    match row.prompt:
        case ChoicePrompt(choices=choices):
            return {**document, "choices": list(choices)}
        case ConfirmPrompt(details=details):
            return {**document, "details": details}
        case RecoveryPrompt(command=command, evidence=evidence):
            return {**document, "command": command, "evidence": msgspec.to_builtins(evidence)}
        case _:
            return document
