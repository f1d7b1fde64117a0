"""The block that runs a command. Owns what a command is given, and how its end is told.

What a command inherits: the environment of the process that runs the engine, without every variable
whose name starts with `TIDEGATE_` or `WORKFLOW_CHECKPOINT_` (the engine's own settings, and with them
the address of its store). Then come, each over the one before: `TIDEGATE_RUN_ID`, `TIDEGATE_BLOCK`,
`TIDEGATE_ATTEMPT` and `TIDEGATE_IDEMPOTENCY_KEY`; the variables that carry the values of references
in the command's text; and the block's own `env`. No open file is inherited, standard input is
/dev/null or the declared text, and there is no controlling terminal.

What a command leaves running in the background is stopped when it ends, after half a second: a block
that has ended leaves nothing behind. What is meant to stay has to leave the session (`setsid`).
"""

import errno
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from tidegate.blocks.base import BlockContext, Failed, Result, WorkBlock
from tidegate.blocks.capture import Capture
from tidegate.blocks.checks import input_check, parse_inputs
from tidegate.blocks.process import GRACE, ProcessGroup, Program
from tidegate.blocks.shell_inputs import ShellInputs
from tidegate.blocks.shell_outputs import Ending, result_of
from tidegate.clock import Clock, SystemClock
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure, FailureKind
from tidegate.model.workflow import Effect

__all__ = ["Shell"]

_ENGINES_OWN = ("TIDEGATE_", "WORKFLOW_CHECKPOINT_")
_SUMMARY = 200
"""Characters."""
_PARSED = 4 * 1024 * 1024
"""Bytes of standard output that are kept when they are to be parsed: half a document is none."""


class Shell(WorkBlock):
    """Runs shell text, or a program without a shell."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="Shell",
        check=input_check(ShellInputs),
        outputs={
            "exit_code": ValueType.INTEGER,
            "stdout": ValueType.STRING,
            "stderr": ValueType.STRING,
            "success": ValueType.BOOLEAN,
            "duration_s": ValueType.NUMBER,
            "result": ValueType.ANY,
        },
        effect=Effect.ONCE,
        shell_inputs=frozenset({"command"}),
    )

    def __init__(self, *, grace: float = GRACE, clock: Clock | None = None) -> None:
        """Make the block; *grace* is how many seconds a command has between TERM and KILL."""
        self._grace = grace
        self._clock = clock or SystemClock()

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Run the command to its end, and stop whatever it leaves running."""
        try:
            wanted = parse_inputs(ShellInputs, inputs)
        except InputsError as error:
            return Failed(Failure(kind=FailureKind.INPUTS, message="; ".join(error.problems)))
        began = self._clock.monotonic()
        group = _started(_program(wanted, context), wanted, self._grace)
        if isinstance(group, Failed):
            return group
        captures = {1: Capture(*((_PARSED, 0) if wanted.parse else ())), 2: Capture()}
        code = await group.run(_Tee(captures, context).emit)
        ending = Ending(code, captures[1], captures[2], self._clock.monotonic() - began)
        return result_of(ending, wanted)

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return the first line of the command, bounded."""
        command = inputs.get("command", "")
        words = command if isinstance(command, list) else [command]
        lines = " ".join(str(word) for word in words).strip().splitlines() or [""]
        first = lines[0].rstrip() + (" ..." if len(lines) > 1 else "")
        return first if len(first) <= _SUMMARY else first[: _SUMMARY - 3] + "..."

    def presumed(self) -> JsonObject:
        """Return the outputs of a command that worked and said nothing."""
        return {"exit_code": 0, "stdout": "", "stderr": "", "success": True, "duration_s": 0.0}


class _Tee:
    """Hands bytes to the context and keeps some for the outputs."""

    def __init__(self, captures: Mapping[int, Capture], context: BlockContext) -> None:
        self._captures = captures
        self._context = context

    async def emit(self, stream: int, data: bytes) -> None:
        self._captures[stream].add(data)
        await self._context.emit(stream, data)


# -- starting ---------------------------------------------------------------------------------


def _program(wanted: ShellInputs, context: BlockContext) -> Program:
    return Program(
        arguments=_arguments(wanted),
        environment=_environment(wanted, context),
        working_dir=str(Path(context.working_dir) / (wanted.working_dir or ".")),
        stdin=(wanted.stdin or "").encode(errors="surrogateescape"),
    )


def _arguments(wanted: ShellInputs) -> tuple[str, ...]:
    if not isinstance(wanted.command, str):
        return wanted.command
    # A text that starts with a sign would be taken for options of the shell.
    guard = " " if wanted.command[:1] in ("-", "+") else ""
    return (wanted.shell, "-c", guard + wanted.command)


def _environment(wanted: ShellInputs, context: BlockContext) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_ENGINES_OWN)}
    of_run = {
        "TIDEGATE_RUN_ID": context.run_id,
        "TIDEGATE_BLOCK": context.block_id,
        "TIDEGATE_ATTEMPT": str(context.attempt),
        "TIDEGATE_IDEMPOTENCY_KEY": context.idempotency_key,
    }
    return {**inherited, **of_run, **context.bindings, **wanted.env}


def _started(program: Program, wanted: ShellInputs, grace: float) -> ProcessGroup | Failed:
    if not Path(program.working_dir).is_dir():
        return _no_such_directory(program.working_dir, wanted.working_dir)
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        # Inherited from whoever started us. The system then keeps no exit codes, and Python makes a 0
        # of each: every command would seem to have worked.
        return _start_failure("this process ignores SIGCHLD, so no command's exit code could be known")
    try:
        return ProcessGroup(program, grace=grace)
    except (OSError, ValueError) as error:
        return _not_started(program, error)


def _no_such_directory(path: str, written: str | None) -> Failed:
    what = "is no directory" if Path(path).exists() else "does not exist: it is not created for you"
    tilde = " (`~` is not expanded here)" if (written or "").startswith("~") else ""
    return _start_failure(f"working_dir {path} {what}{tilde}")


def _not_started(program: Program, error: OSError | ValueError) -> Failed:
    name = program.arguments[0]
    if isinstance(error, UnicodeError):
        return _start_failure(f"{name} was not started: a value holds a character the system does not take")
    if isinstance(error, ValueError):
        return _start_failure(f"{name} was not started: a value cannot be passed to it ({error})")
    return _start_failure(_start_sentence(name, program.working_dir, error))


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


def _start_failure(message: str) -> Failed:
    return Failed(Failure(kind=FailureKind.START, message=message))
