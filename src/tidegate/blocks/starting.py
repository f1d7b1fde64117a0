"""How a block's program is started: what it inherits, and why it could not be.

What a program inherits: the environment of the process that runs the engine, without every variable
whose name starts with `TIDEGATE_` or `WORKFLOW_CHECKPOINT_` (the engine's own settings, and with them
the address of its store), and without those from which its workflow's secrets are read. Then come, each over the one before: `TIDEGATE_RUN_ID`, `TIDEGATE_BLOCK`,
`TIDEGATE_ATTEMPT` and `TIDEGATE_IDEMPOTENCY_KEY`; the variables that carry the values of references
in the command's text; and the block's own `env`. No open file is inherited, standard input is
/dev/null or the declared text, and there is no controlling terminal.
"""

import errno
import os
import signal
from collections.abc import Collection, Mapping
from pathlib import Path

from tidegate.blocks.base import BlockContext, Failed
from tidegate.blocks.capture import Capture
from tidegate.blocks.process import ProcessGroup, Program
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind

__all__ = ["Tee", "directory_of", "environment_of", "inherited", "not_startable", "start"]

_LONGEST = 200
"""Characters of a path in a message."""
_ENGINES_OWN = ("TIDEGATE_", "WORKFLOW_CHECKPOINT_")


class Tee:
    """Hands bytes to the context and keeps some for the outputs."""

    def __init__(self, captures: Mapping[int, Capture], context: BlockContext) -> None:
        self._captures = captures
        self._context = context

    async def emit(self, stream: int, data: bytes) -> None:
        """Take the next bytes of a stream."""
        self._captures[stream].add(data)
        await self._context.emit(stream, data)


def directory_of(context: BlockContext, written: str | None) -> str:
    """Return where a program runs, as its block says it."""
    return str(Path(context.working_dir) / (written or "."))


def inherited(withheld: Collection[str] = ()) -> dict[str, str]:
    """Return what a program gets of the environment of this process; nothing that is *withheld*."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_ENGINES_OWN) and name not in withheld
    }


def environment_of(context: BlockContext, declared: Mapping[str, str]) -> dict[str, str]:
    """Return the variables a program gets; *declared* are the block's own."""
    of_run = {
        "TIDEGATE_RUN_ID": context.run_id,
        "TIDEGATE_BLOCK": context.block_id,
        "TIDEGATE_ATTEMPT": str(context.attempt),
        "TIDEGATE_IDEMPOTENCY_KEY": context.idempotency_key,
    }
    return {**inherited(context.withheld), **of_run, **context.bindings, **declared}


def start(program: Program, written: str | None, grace: float) -> ProcessGroup | Failed:
    """Start *program*, or say why it cannot be.

    Args:
        program: What to start.
        written: Its working directory as the file says it, for the message.
        grace: Seconds between TERM and KILL.
    """
    if problem := _directory_problem(program.working_dir, written):
        return not_startable(problem)
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        # Inherited from whoever started us. The system then keeps no exit codes, and Python makes a 0
        # of each: every command would seem to have worked.
        return not_startable("this process ignores SIGCHLD, so no command's exit code could be known")
    try:
        return ProcessGroup(program, grace=grace)
    except (OSError, ValueError) as error:
        return _not_started(program, error)


def not_startable(message: str) -> Failed:
    """Return the failure of a block that could not be started."""
    return Failed(Failure(kind=FailureKind.START, message=message))


def _directory_problem(path: str, written: str | None) -> str:
    """Return why nothing can be started in a directory; empty: nothing is known against it."""
    try:
        if not Path(path).is_dir():
            what = "is no directory" if Path(path).exists() else "does not exist: it is not created for you"
            tilde = " (`~` is not expanded here)" if (written or "").startswith("~") else ""
            return f"working_dir {path} {what}{tilde}"
    except OSError as error:
        shown = path if len(path) <= _LONGEST else f"{path[:_LONGEST]}..."
        return f"working_dir {shown} cannot be used: {(error.strerror or str(error)).lower()}"
    return "" if os.access(path, os.X_OK) else f"working_dir {path} may not be entered: check its permissions"


def _not_started(program: Program, error: OSError | ValueError) -> Failed:
    name = program.arguments[0]
    if isinstance(error, UnicodeError):
        return not_startable(f"{name} was not started: a value holds a character the system does not take")
    if isinstance(error, ValueError):
        return not_startable(f"{name} was not started: a value cannot be passed to it ({error})")
    return not_startable(_start_sentence(name, program.working_dir, error))


def _start_sentence(name: str, working_dir: str, error: OSError) -> str:
    match error.errno:
        case errno.ENOENT if "/" in name:
            return f"{name} does not exist (looked up from {working_dir})"
        case errno.ENOENT:
            return f"there is no program {name} on the PATH: install it, or write where it is"
        case errno.EACCES | errno.EPERM:
            return f"{name} may not be executed: check its permissions (chmod +x), and those of {working_dir}"
        case errno.E2BIG:
            return f"the command and its variables are too large for the system: pass large values to {name} through stdin or a file"
        case errno.ENOEXEC:
            return f"{name} is no program and has no #! line: run it through its interpreter"
        case _:
            return f"{name} could not be started: {error.strerror or error}"
