"""The block that runs a command. Owns what a command is given, and how its end is told.

What it inherits is said in `starting`.

What a command leaves running in the background is stopped when it ends, after half a second: a block
that has ended leaves nothing behind. What is meant to stay has to leave the session (`setsid`).
"""

from collections.abc import Mapping
from typing import ClassVar

from tidegate.blocks.base import BlockContext, Failed, Result, WorkBlock
from tidegate.blocks.capture import Capture
from tidegate.blocks.checks import input_check, parse_inputs
from tidegate.blocks.process import GRACE, Program
from tidegate.blocks.shell_inputs import ShellInputs
from tidegate.blocks.shell_outputs import Ending, result_of
from tidegate.blocks.starting import Tee, directory_of, environment_of, start
from tidegate.clock import Clock, SystemClock
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect

__all__ = ["Shell"]

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
        secret_inputs=frozenset({"env", "stdin"}),
        streams=frozenset({"stdout", "stderr"}),
        description=(
            "Runs a command: shell text, or a program without a shell.\n"
            "`stdout` comes without its trailing newlines, as `$(...)` gives it. `result` is there with "
            "`parse` only. A reference in the text reaches the shell as data, never as syntax."
        ),
        example=(
            "id: tests\n"
            "type: Shell\n"
            "timeout: 10m\n"
            "inputs: {command: pytest -q, working_dir: service, env: {CI: true}}\n"
        ),
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
        group = start(_program(wanted, context), wanted.working_dir, self._grace)
        if isinstance(group, Failed):
            return group
        sizes = (_PARSED, 0) if wanted.parse else ()
        captures = {1: Capture(*sizes, masks=context.masks), 2: Capture(masks=context.masks)}
        code = await group.run(Tee(captures, context).emit)
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


def _program(wanted: ShellInputs, context: BlockContext) -> Program:
    return Program(
        arguments=_arguments(wanted),
        environment=environment_of(context, wanted.env),
        working_dir=directory_of(context, wanted.working_dir),
        stdin=(wanted.stdin or "").encode(errors="surrogateescape"),
    )


def _arguments(wanted: ShellInputs) -> tuple[str, ...]:
    if not isinstance(wanted.command, str):
        return wanted.command
    # A text that starts with a sign would be taken for options of the shell.
    guard = " " if wanted.command[:1] in ("-", "+") else ""
    return (wanted.shell, "-c", guard + wanted.command)
