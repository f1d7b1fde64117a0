"""A checkpoint as people and tools see it: a view of a run's state at one position.

Nothing here is stored. A checkpoint is a pointer (run, seq); its state is folded from the
journal when somebody asks. The field names are those that existing tools know.
"""

from collections.abc import Mapping

from tidegate.clock import iso
from tidegate.model.base import Json, JsonObject, Noun
from tidegate.model.ids import BlockId
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import Pause, RunState, RunSummary

__all__ = ["SCHEMA_VERSION", "CheckpointMetadata", "CheckpointState", "PointState", "asked"]

SCHEMA_VERSION = 1


class CheckpointMetadata(Noun):
    """A checkpoint in a list."""

    checkpoint_id: str
    run_id: str
    workflow: str
    created_at: float
    """Seconds since 1970 UTC."""
    kind: CheckpointKind
    seq: int
    summary: RunSummary
    block: str | None = None
    label: str = ""
    is_paused: bool = False
    """It is the checkpoint of a pause that is still open."""
    pause_prompt: str | None = None
    metadata: JsonObject = {}
    """What its block, or the workflow, gave it."""
    pinned: bool = False
    """Somebody wants it kept, with its run."""

    @property
    def type(self) -> str:
        """`pause`, `explicit`, or `automatic` for everything that was marked by itself."""
        return (
            self.kind.value if self.kind in (CheckpointKind.PAUSE, CheckpointKind.EXPLICIT) else "automatic"
        )

    def as_json(self) -> JsonObject:
        """Return it with the field names that listings have."""
        return {
            "checkpoint_id": self.checkpoint_id,
            "run_id": self.run_id,
            "workflow": self.workflow,
            "created_at": self.created_at,
            "created_at_iso": iso(self.created_at),
            "type": self.type,
            "kind": self.kind.value,
            "block": self.block,
            "label": self.label,
            "metadata": self.metadata,
            "seq": self.seq,
            "is_paused": self.is_paused,
            "pinned": self.pinned,
            "pause_prompt": self.pause_prompt,
            "status": self.summary.status.value,
            "completed_blocks": self.summary.completed,
            "total_blocks": self.summary.blocks,
            "current_wave": self.summary.wave,
            "total_waves": self.summary.total_waves,
            "progress_percentage": self.summary.progress_percentage,
        }


class PointState(Noun):
    """Everything a run was right after one of its events."""

    state: RunState
    context: Mapping[str, JsonObject]
    """The outputs of the blocks that had ended, by block; of one that had not, those of its ended parts."""
    variables: JsonObject = {}
    """The run's own state, as its blocks had set it."""

    @property
    def completed_blocks(self) -> tuple[str, ...]:
        """The blocks that had ended, in the order of the file."""
        return tuple(block for block in self.state.graph.blocks if self.state.block(block).status.has_ended)

    @property
    def heading(self) -> JsonObject:
        """What there is to say of the point, with the field names that listings of checkpoints have."""
        state = self.state
        summary, pause = state.summarise(), self._first_pause
        return {
            "checkpoint_id": None,
            "run_id": state.run_id,
            "workflow": state.graph.definition.name,
            "created_at": state.updated_at,
            "created_at_iso": iso(state.updated_at),
            "type": "event",
            "kind": None,
            "block": None,
            "label": "",
            "metadata": {},
            "seq": state.head,
            "is_paused": pause is not None,
            "pinned": False,
            "pause_prompt": pause.prompt.text if pause is not None else None,
            "status": summary.status.value,
            "completed_blocks": summary.completed,
            "total_blocks": summary.blocks,
            "current_wave": summary.wave,
            "total_waves": summary.total_waves,
            "progress_percentage": summary.progress_percentage,
        }

    @property
    def _first_pause(self) -> Pause | None:
        state = self.state
        return state.pauses[state.open_pauses.first] if state.open_pauses else None

    def as_json(self) -> JsonObject:
        """Return it with the field names that existing tools know."""
        state, definition, pause = self.state, self.state.graph.definition, self._first_pause
        return {
            **self.heading,
            "schema_version": SCHEMA_VERSION,
            "workflow_name": definition.name,
            "runtime_inputs": state.inputs,
            "state": self.variables,
            "context": dict(self.context),
            "completed_blocks": list(self.completed_blocks),
            "current_wave_index": max(state.wave, 0),
            "execution_waves": [list(wave) for wave in definition.waves],
            "block_definitions": {
                block.id: {"type": block.type, "inputs": block.inputs} for block in definition.blocks
            },
            "blocks": {block: _block_json(state, block) for block in state.graph.blocks},
            "pauses": [_pause_json(pause) for pause in asked(state)],
            "paused_block_id": pause.block if pause else None,
            "pause_prompt": pause.prompt.text if pause else None,
            "pause_metadata": {"pause_id": pause.pause_id, "kind": pause.prompt.kind} if pause else {},
        }


class CheckpointState(PointState):
    """Everything a run was at a checkpoint."""

    metadata: CheckpointMetadata

    @property
    def heading(self) -> JsonObject:
        """What there is to say of the checkpoint, with the field names that listings have."""
        return self.metadata.as_json()


def asked(state: RunState) -> list[Pause]:
    """Return all questions of a run, in the order in which they were asked."""
    return sorted(state.pauses.values(), key=lambda pause: pause.opened_seq)


def _pause_json(pause: Pause) -> JsonObject:
    answer = pause.answer
    return {
        "pause_id": pause.pause_id,
        "block": pause.block,
        "kind": pause.prompt.kind,
        "prompt": pause.prompt.text,
        "state": pause.state.name.lower(),
        "answer": answer.value if answer is not None else None,
        "by": answer.by if answer is not None else None,
        "comment": answer.comment if answer is not None else "",
        "opened_at": pause.opened_at,
        "closed_at": pause.closed_at,
    }


def _block_json(state: RunState, block_id: BlockId) -> Json:
    block = state.block(block_id)
    parts = [(part, state.block(part)) for part in state.parts_of(block_id)]
    return {
        "status": block.status.value,
        "attempt": block.attempt,
        "reason": block.failure.message if block.failure else block.reason,
        # What had not begun is left out.
        "parts": {place: part.status.value for place, part in parts if part.attempt},
    }
