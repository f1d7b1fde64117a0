"""What a client is told when something is refused: a word for programs, and a sentence."""

from collections.abc import Iterator

from tidegate.errors import (
    AlreadyAnswered,
    AmbiguousId,
    BlockNotFound,
    CheckpointInUse,
    CheckpointNotFound,
    CorruptStore,
    DefinitionError,
    InputsError,
    InvalidAnswer,
    LeaseHeld,
    NotResumable,
    PauseClosed,
    PauseNotFound,
    RunFinished,
    RunNotFound,
    SchemaTooNew,
    StoreUnavailable,
    TidegateError,
    WhichPause,
)
from tidegate.history.points import PointNotFound
from tidegate.model.base import Json, JsonObject
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import is_secret

__all__ = [
    "CODES",
    "OTHER",
    "AnswerMissing",
    "NotInteractive",
    "WorkflowNotFound",
    "faults_json",
    "refusal",
    "refuse_secret",
]


class WorkflowNotFound(TidegateError):
    """No workflow of the folders that are looked in has this name."""

    def __init__(self, workflow: str, available: tuple[str, ...]) -> None:
        self.workflow = workflow
        self.available = available
        names = ", ".join(available) or "none"
        super().__init__(f"Workflow '{workflow}' is not loaded in executor. Available workflows: {names}")


class AnswerMissing(TidegateError):
    """Something waits for a person, and no answer was given."""

    def __init__(self, pause_id: str, prompt: str, parameter: str) -> None:
        self.pause_id = pause_id
        self.prompt = prompt
        super().__init__(
            f"Checkpoint {pause_id} is paused - {parameter} parameter required. Pause prompt: {prompt}"
        )


class NotInteractive(TidegateError):
    """An answer was given where nothing is asked."""

    def __init__(self, target: str) -> None:
        super().__init__(f"{target} has no open question - cannot resume with llm_response. Leave it out")


CODES: dict[type[TidegateError], str] = {
    AlreadyAnswered: "already_answered",
    AmbiguousId: "ambiguous",
    AnswerMissing: "missing_llm_response",
    BlockNotFound: "not_found",
    CheckpointInUse: "in_use",
    CheckpointNotFound: "not_found",
    CorruptStore: "corrupted",
    DefinitionError: "invalid_workflow",
    InputsError: "invalid_inputs",
    InvalidAnswer: "invalid_response",
    LeaseHeld: "invalid_resume",
    NotInteractive: "not_interactive",
    NotResumable: "invalid_resume",
    PauseClosed: "invalid_resume",
    PauseNotFound: "not_found",
    RunFinished: "invalid_resume",
    RunNotFound: "not_found",
    SchemaTooNew: "schema_version",
    StoreUnavailable: "store_unavailable",
    WhichPause: "which_pause",
    WorkflowNotFound: "workflow_not_found",
}
"""The word for each kind of error, the kinds below it included; for all others it is `OTHER`."""
OTHER = "error"


def refuse_secret(pause: PauseRow) -> None:
    """Refuse an answer that would pass through a model, and whatever keeps its words.

    Raises:
        InvalidAnswer: a secret is asked for.
    """
    if is_secret(pause.prompt):
        raise InvalidAnswer(
            f"{pause.pause_id} asks for a secret: a person types it, at a terminal or in the monitor"
        )


def refusal(error: TidegateError, what: str = "") -> JsonObject:
    """Return what a client is told of *error*: `code`, `error`, and what a program may want to know.

    Args:
        error: Why it was refused.
        what: The checkpoint, pause or run that the call was about; may be empty.
    """
    codes = (CODES[kind] for kind in type(error).__mro__ if kind in CODES)
    code = next(codes, OTHER)
    return {"code": code, "error": _sentence(error, code, what), **dict(_details(error))}


def _sentence(error: TidegateError, code: str, what: str) -> str:
    match error:
        # One that is only a point knows more: which run it is, and which events that has.
        case CheckpointNotFound(checkpoint_id=missing) | PauseNotFound(what=missing) if not isinstance(
            error, PointNotFound
        ):
            return f"Checkpoint {missing} not found. It may have expired or been deleted."
        case CorruptStore():
            which = f"Checkpoint {what}" if what else "The store"
            return f"{which} is corrupted or uses an incompatible schema version. {error}"
        case SchemaTooNew(found=found, known=known):
            return (
                f"Checkpoint schema version {found} is incompatible with current version {known}. "
                f"Migration required. {error}"
            )
        case InvalidAnswer():
            return f"The answer was not taken, and the question stays open: {error}"
    if code == "invalid_resume" and what:
        return f"Cannot resume checkpoint {what}: {error}"
    return str(error)


def _details(error: TidegateError) -> Iterator[tuple[str, Json]]:
    match error:
        case DefinitionError():
            yield "faults", faults_json(error)
        case InputsError(problems=problems):
            yield "problems", list(problems)
        case AlreadyAnswered(by=by, at=at, answer=answer):
            yield from {"answered_by": by, "answered_at": at, "answer": answer}.items()
        case WhichPause(pauses=pauses):
            yield "pauses", list(pauses)
        case AmbiguousId(candidates=candidates):
            yield "candidates", list(candidates)
        case WorkflowNotFound(available=available):
            yield "available", list(available)
        case AnswerMissing(pause_id=pause_id, prompt=prompt):
            yield from {"checkpoint_id": pause_id, "prompt": prompt}.items()


def faults_json(error: DefinitionError) -> list[Json]:
    """Return every fault of a workflow file with its place."""
    return [
        {
            "line": fault.line,
            "column": fault.column,
            "block": fault.block or None,
            "message": fault.message,
        }
        for fault in error.faults
    ]
