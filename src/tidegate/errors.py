"""Every error Tidegate raises on purpose, as one tree.

    TidegateError
    ├─ SettingsError              a variable, or a settings file, says what nobody can mean
    ├─ DefinitionError            a workflow file has faults (all of them, each with its place)
    ├─ InputsError                a run was given inputs its workflow does not take
    ├─ ExpressionError            a reference or an expression could not be evaluated
    ├─ StoreError                 the journal could not be read or written
    │  ├─ JournalConflict         somebody else appended first: read on and decide again
    │  ├─ StaleEpoch              the run has a newer driver: this one must stop writing
    │  ├─ LeaseHeld               a living process drives this run
    │  ├─ StoreUnavailable        locked for too long, full, or read-only
    │  │  └─ StoreNotFound        nothing is there, and looking does not make one
    │  ├─ CorruptStore            the file is damaged, or is no Tidegate store
    │  └─ SchemaTooNew            the store was written by a newer Tidegate
    ├─ RunError
    │  ├─ RunNotFound
    │  ├─ BlockNotFound
    │  ├─ CheckpointNotFound
    │  ├─ CheckpointInUse         it is that of an open pause, and cannot be deleted
    │  │  └─ CheckpointPinned     somebody wants it kept
    │  ├─ RunInUse                it cannot be removed: it has not ended, or something of it is needed
    │  ├─ AmbiguousId             a prefix names more than one thing
    │  ├─ RunFinished             nothing can change this run any more
    │  └─ NotResumable            this run or checkpoint cannot be resumed, and what to do instead
    └─ AnswerError
       ├─ InvalidAnswer           the answer breaks a rule of its prompt; the pause stays open
       ├─ AlreadyAnswered         somebody else was faster, with something else
       ├─ PauseNotFound
       ├─ PauseClosed             the pause was cancelled or has expired
       └─ WhichPause              the run has several open pauses, and the answer names none

The text of an error says what happened, to which thing, and what to do. This module imports
nothing, so every room may raise and catch what is in it.
"""

from dataclasses import dataclass

__all__ = [
    "AlreadyAnswered",
    "AmbiguousId",
    "AnswerError",
    "BlockNotFound",
    "CheckpointInUse",
    "CheckpointNotFound",
    "CheckpointPinned",
    "CorruptStore",
    "DefinitionError",
    "ExpressionError",
    "Fault",
    "InputsError",
    "InvalidAnswer",
    "JournalConflict",
    "LeaseHeld",
    "NotResumable",
    "PauseClosed",
    "PauseNotFound",
    "RunError",
    "RunFinished",
    "RunInUse",
    "RunNotFound",
    "SchemaTooNew",
    "SettingsError",
    "StaleEpoch",
    "StoreError",
    "StoreNotFound",
    "StoreUnavailable",
    "TidegateError",
    "WhichPause",
]


class TidegateError(Exception):
    """Base of every error that Tidegate raises on purpose; its arguments are what it says, one for each thing wrong."""

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """What it says, an entry for each thing wrong; a line break within one is of others, and begins no line."""
        return tuple(map(str, self.args))


class SettingsError(TidegateError):
    """A variable of the environment, or a settings file, says what nobody can mean. Nothing was begun."""

    def __init__(self, variable: str, value: str, expected: str) -> None:
        self.variable = variable
        super().__init__(f"{variable} is {value[:60]!r}, expected {expected}")


# -- workflow files ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a workflow file."""

    message: str
    """What is wrong, and what would be right."""
    line: int = 1
    """1-based."""
    column: int = 1
    """1-based, in characters."""
    block: str = ""
    """The id of the block it is in; empty outside of blocks."""

    def describe(self, file: str) -> str:
        """Return ``file:line:column: [block 'x': ]message``."""
        where = f"block '{self.block}': " if self.block else ""
        return f"{file}:{self.line}:{self.column}: {where}{self.message}"


class DefinitionError(TidegateError):
    """A workflow file has faults. Nothing was run and no run was created."""

    def __init__(self, file: str, faults: tuple[Fault, ...]) -> None:
        self.file = file
        self.faults = faults
        super().__init__(*(fault.describe(file) for fault in faults))


class InputsError(TidegateError):
    """A run was given inputs that its workflow does not take, or lacks some that it needs."""

    def __init__(self, workflow: str, problems: tuple[str, ...]) -> None:
        self.workflow = workflow
        self.problems = problems
        super().__init__(*(f"workflow '{workflow}': {problem}" for problem in problems))

    @property
    def problem(self) -> str:
        """What is wrong, without the name of the workflow (or block type) in front."""
        return "; ".join(self.problems)


class ExpressionError(TidegateError):
    """A reference or an expression could not be parsed or evaluated."""

    def __init__(self, source: str, problem: str) -> None:
        self.source = source
        self.problem = problem
        super().__init__(f"{problem} (in {source!r})")


# -- the store --------------------------------------------------------------------------------


class StoreError(TidegateError):
    """The journal could not be read or written."""


class JournalConflict(StoreError):
    """The run's head is not where the writer thought: somebody else appended first."""

    def __init__(self, run_id: str, expected: int, head: int) -> None:
        self.run_id = run_id
        self.expected = expected
        self.head = head
        super().__init__(f"run {run_id}: expected to append after event {expected}, but the head is {head}")


class StaleEpoch(StoreError):
    """The run has a newer driver; whoever gets this must stop writing at once."""

    def __init__(self, run_id: str, epoch: int, current: int) -> None:
        self.run_id = run_id
        self.epoch = epoch
        self.current = current
        super().__init__(f"run {run_id}: epoch {epoch} is over, the run is driven under epoch {current}")


class LeaseHeld(StoreError):
    """A living process drives this run."""

    def __init__(self, run_id: str, owner: str, until: float) -> None:
        self.run_id = run_id
        self.owner = owner
        self.until = until
        super().__init__(f"run {run_id} is driven by {owner}")


class StoreUnavailable(StoreError):
    """The store cannot be opened or written now; what was acknowledged is safe."""

    def __init__(self, url: str, problem: str, advice: str = "") -> None:
        self.url = url
        self.problem = problem
        super().__init__(f"store {url}: {problem}" + (f". {advice}" if advice else ""))


class StoreNotFound(StoreUnavailable):
    """There is no store where one was looked for."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "there is no store", "`tidegate run` makes one when it is first used")


_RESCUE = "The file was left as it is; `tidegate doctor --repair` makes a sound copy of what can be read"
_RESCUE_OF_RUN = (
    "The file was left as it is; `tidegate checkpoints verify {run}` says what can be relied on, "
    "`tidegate doctor --repair` makes a sound copy"
)
_RESCUE_OF_FILES = "Nothing was changed; put back what is named here from a copy or from version control"


class CorruptStore(StoreError):
    """The file is damaged or is no Tidegate store. It is left exactly as it was found."""

    def __init__(
        self,
        url: str,
        problem: str,
        *,
        run_id: str = "",
        last_good: int | None = None,
        checkpoint_id: str | None = None,
    ) -> None:
        """Say what is damaged.

        Args:
            url: Of the store.
            problem: What is damaged, as a sentence without its end.
            run_id: The run whose journal it is, if it is one run's.
            last_good: The last event of that run which is as it was written; 0: none is. None: not known.
            checkpoint_id: The run's newest checkpoint at or before that event; None: none, or not known.
        """
        self.url = url
        self.problem = problem
        self.run_id = run_id
        self.last_good = last_good
        self.checkpoint_id = checkpoint_id
        super().__init__(f"store {url}: {problem}{self._good_point()}. {self._rescue()}.")

    def _good_point(self) -> str:
        if self.last_good is None:
            return ""
        mark = f", and checkpoint {self.checkpoint_id} with it" if self.checkpoint_id else ""
        good = f"it is good up to event {self.last_good}{mark}" if self.last_good else "nothing of it is good"
        return f"; {good}"

    def _rescue(self) -> str:
        if self.url.startswith("file://"):
            return f"{_RESCUE_OF_FILES}, or choose another store with --store"
        if self.run_id:
            return _RESCUE_OF_RUN.format(run=self.run_id)
        return f"{_RESCUE}, or choose another store with --store"


class SchemaTooNew(StoreError):
    """The store was written by a newer Tidegate."""

    def __init__(self, url: str, found: int, known: int) -> None:
        self.found = found
        self.known = known
        advice = "use the newer Tidegate, or another store with --store"
        super().__init__(f"store {url} has schema {found}, this Tidegate knows up to {known}: {advice}")


# -- runs -------------------------------------------------------------------------------------


class RunError(TidegateError):
    """Something about a run is not as the caller thought."""


class RunNotFound(RunError):
    """No run has this id, nor one that starts with it."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        super().__init__(f"no run '{run_id}': `tidegate runs list` shows what there is")


class BlockNotFound(RunError):
    """The run's workflow has no such block."""

    def __init__(self, run_id: str, block: str, known: tuple[str, ...]) -> None:
        self.run_id = run_id
        self.block = block
        shown = ", ".join(known[:20]) + (", ..." if known[20:] else "")
        super().__init__(f"run {run_id} has no block '{block}': it has {shown}")


class CheckpointNotFound(RunError):
    """No checkpoint has this id, nor one that starts with it."""

    def __init__(self, checkpoint_id: str) -> None:
        self.checkpoint_id = checkpoint_id
        super().__init__(
            f"no checkpoint '{checkpoint_id}': it may have been deleted; "
            "`tidegate checkpoints list` shows what there is"
        )


class CheckpointInUse(RunError):
    """The checkpoint is that of an open pause: it goes when the pause is answered, or its run cancelled."""

    def __init__(self, checkpoint_id: str, run_id: str, problem: str = "") -> None:
        self.checkpoint_id = checkpoint_id
        self.run_id = run_id
        why = f"is that of an open question and cannot be deleted: answer it, or cancel run {run_id}, first"
        self.problem = problem or why
        super().__init__(f"checkpoint '{checkpoint_id}' {self.problem}")


class CheckpointPinned(CheckpointInUse):
    """Somebody has pinned the checkpoint: it stays, with its run, until it is unpinned."""

    def __init__(self, checkpoint_id: str, run_id: str) -> None:
        advice = f"`tidegate checkpoints unpin {checkpoint_id}` first"
        super().__init__(checkpoint_id, run_id, f"is pinned and cannot be deleted: {advice}")


class RunInUse(RunError):
    """The run cannot be removed: it has not ended, or something of it is needed."""

    def __init__(self, run_id: str, problem: str, advice: str = "") -> None:
        self.run_id = run_id
        self.problem = problem
        super().__init__(f"run {run_id} cannot be removed: {problem}" + (f". {advice}" if advice else ""))


class AmbiguousId(RunError):
    """A prefix names more than one thing."""

    def __init__(self, prefix: str, candidates: tuple[str, ...]) -> None:
        self.prefix = prefix
        self.candidates = candidates
        shown, more = ", ".join(candidates[:5]), ", ..." if candidates[5:] else ""
        few = " (4 at least behind pause_ or chk_)" if len(candidates) == 1 else ""
        super().__init__(f"'{prefix}' could be {shown}{more}: type a few more characters{few}")


class RunFinished(RunError):
    """The run has ended; nothing can change it any more."""

    def __init__(self, run_id: str, status: str) -> None:
        self.run_id = run_id
        self.status = status
        super().__init__(f"run {run_id} has already ended: {status}")


class NotResumable(RunError):
    """This run, block or checkpoint cannot go on in the way that somebody asked for."""

    def __init__(self, what: str, problem: str, advice: str) -> None:
        self.what = what
        super().__init__(f"{what}: {problem}. {advice}")


# -- answers ----------------------------------------------------------------------------------


class AnswerError(TidegateError):
    """An answer was not taken."""


class InvalidAnswer(AnswerError):
    """The answer breaks a rule of its prompt. The pause stays open."""

    def __init__(self, rule: str) -> None:
        self.rule = rule
        super().__init__(rule)


class AlreadyAnswered(AnswerError):
    """The pause has been answered with something else."""

    def __init__(self, pause_id: str, by: str, at: str, answer: str) -> None:
        self.pause_id = pause_id
        self.by = by
        self.at = at
        self.answer = answer
        super().__init__(f"{pause_id} was already answered by {by} at {at}: {answer}")


class PauseNotFound(AnswerError):
    """No pause has this id, nor is there an open one in the run that was named."""

    def __init__(self, what: str, problem: str = "") -> None:
        self.what = what
        super().__init__(problem or f"no pause '{what}': `tidegate inbox` shows what is open")


class PauseClosed(AnswerError):
    """The pause is no longer open, and nobody answered it."""

    def __init__(self, pause_id: str, problem: str) -> None:
        self.pause_id = pause_id
        super().__init__(f"{pause_id} takes no answer any more: {problem}")


class WhichPause(AnswerError):
    """The run has several open pauses; the answer must name one."""

    def __init__(self, run_id: str, pauses: tuple[str, ...]) -> None:
        self.pauses = pauses
        super().__init__(f"run {run_id} has {len(pauses)} open pauses, name one of: " + ", ".join(pauses))
