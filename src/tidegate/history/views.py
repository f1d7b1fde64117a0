"""What lists show: rows of the store, seen from now."""

from dataclasses import dataclass
from typing import Protocol

import msgspec

from tidegate.clock import iso
from tidegate.model.answer_schema import response_schema
from tidegate.model.base import Json, JsonObject
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import RunStatus
from tidegate.model.lineage import Origin
from tidegate.model.listing import CheckpointRow, PauseRow, RunRow
from tidegate.model.prompt import (
    Assignment,
    ChoicePrompt,
    ConfirmPrompt,
    Exhibit,
    FormField,
    FormPrompt,
    Prompt,
    RecoveryPrompt,
)

__all__ = ["Assignable", "RunView", "checkpoint_metadata", "origin_json", "pause_json", "where", "whose"]


@dataclass(frozen=True, slots=True)
class RunView:
    """A run in a list, with where it stands now that we know who lives."""

    row: RunRow
    status: RunStatus
    """`interrupted` for a run whose journal says running and whose process is gone."""

    @property
    def has_stopped(self) -> bool:
        """Whether nothing of it goes on: it has ended, or its process is gone."""
        return self.status.is_terminal or self.status is RunStatus.INTERRUPTED

    def took(self, now: float) -> float:
        """Return how many seconds it took, or has taken until *now*; those in which it had ended are left out."""
        until = self.row.updated_at if self.has_stopped else now
        return max(0.0, until - self.row.created_at - self.row.summary.idle_seconds)

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
            "running_blocks": summary.running,
            "open_pauses": summary.pauses,
            "held": summary.held,
            "cancelling": summary.cancelling,
            "current_wave": summary.wave,
            "total_waves": summary.total_waves,
            "progress_percentage": summary.progress_percentage,
            "reason": summary.reason,
            "parent_run_id": row.parent,
            "root_run_id": row.root,
            "path": row.path,
            "forked_from": origin_json(row.origin),
        }


def origin_json(origin: Origin | None) -> Json:
    """Return what a run was forked from for `--json`."""
    return None if origin is None else {"run_id": origin.run_id, "seq": origin.seq}


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
        metadata=row.metadata,
        pinned=row.pinned,
    )


def where(row: PauseRow, above: str = "") -> str:
    """Return the place of a pause as seen from a run: the places down to it, joined by `/`.

    Args:
        row: The pause.
        above: The path of that run; empty for one that stands on top.
    """
    path = f"{row.path}/{row.block}" if row.path else row.block
    return path.removeprefix(f"{above}/") if above else path


class Assignable(Protocol):
    """A question, wherever it comes from."""

    @property
    def assignee(self) -> str:
        """Whose business it is; empty: anybody's."""
        ...

    @property
    def assignment(self) -> Assignment | None:
        """What a person has said of that."""
        ...


def whose(pause: Assignable) -> str:
    """Return whose business a question is, and who said so; empty: anybody's. Not yet safe for a terminal."""
    said = pause.assignment
    if not pause.assignee:
        return ""
    by = f" by {said.by}" if said is not None and said.by and said.by != pause.assignee else ""
    note = f": {said.note}" if said is not None and said.note else ""
    return f"assigned to {pause.assignee}{by}{note}"


def pause_json(row: PauseRow) -> JsonObject:
    """Return a pause with the field names that `run --json` and `inbox --json` have; closed ones say so in `state`."""
    return {
        "pause_id": row.pause_id,
        "run_id": row.run_id,
        "workflow": row.workflow,
        "block": row.block,
        "path": where(row),
        "kind": row.prompt.kind,
        "prompt": row.prompt.text,
        "choices": None,
        "rule": row.prompt.rule,
        "expected_response_schema": response_schema(row.prompt),
        "comment": row.prompt.comment_rule.value,
        "show": [_exhibit_json(exhibit) for exhibit in row.prompt.show],
        "opened_at": row.opened_at,
        "opened_at_iso": iso(row.opened_at),
        "deadline": row.deadline,
        "assignee": row.assignee or None,
        "assignment": msgspec.to_builtins(row.assignment),
        "sent_back": msgspec.to_builtins(row.prompt.sent_back),
        "state": row.state.name.lower(),
        **_closing(row),
        **_of_kind(row.prompt),
    }


def _closing(row: PauseRow) -> JsonObject:
    """Return what became of a pause; nothing of it is known while it is open."""
    at, answer = row.closed_at, row.answer
    return {
        "closed_at": at,
        "closed_at_iso": iso(at) if at is not None else None,
        "answer": answer.value if answer is not None else None,
        "answer_comment": (answer.comment or None) if answer is not None else None,
        "by": (answer.by or None) if answer is not None else None,
        "via": (answer.via or None) if answer is not None else None,
    }


def _of_kind(prompt: Prompt) -> JsonObject:
    """Return what only one kind of pause has."""
    match prompt:
        case ChoicePrompt():
            bounds: JsonObject = {"min": prompt.min, "max": prompt.most} if prompt.multiple else {}
            return {"choices": list(prompt.choices), "multiple": prompt.multiple, **bounds}
        case ConfirmPrompt(details=details):
            return {"details": details}
        case FormPrompt():
            return {"fields": [_field_json(field) for field in prompt.fields]}
        case RecoveryPrompt(command=command, evidence=evidence, failure=failure):
            return {"command": command, "evidence": msgspec.to_builtins(evidence), "failure": failure}
        case _:
            return {}


def _field_json(field: FormField) -> JsonObject:
    return {
        "id": field.id,
        "label": field.label,
        "required": field.required,
        "default": field.default_value,
        "rule": field.rule,
        "choices": list(field.prompt.choices) if isinstance(field.prompt, ChoicePrompt) else None,
    }


def _exhibit_json(exhibit: Exhibit) -> JsonObject:
    return {
        "title": exhibit.title,
        "kind": exhibit.kind.value,
        "text": exhibit.text,
        "left_out": exhibit.left_out,
        "size": exhibit.size,
        "sha256": exhibit.sha256 or None,
        "problem": exhibit.problem or None,
    }
