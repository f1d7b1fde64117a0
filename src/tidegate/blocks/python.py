"""The block that calls a Python function, in a process of its own.

A process, so that a callable which never ends, crashes or fills the memory harms nothing but itself,
and can be ended: TERM, grace, KILL, as any command. A callable's threads that are no daemons are
waited for, as at the end of every Python program; what it left running otherwise is stopped.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import msgspec

from tidegate.blocks.base import BlockContext, Completed, Failed, Mark, Result, WorkBlock
from tidegate.blocks.capture import Capture
from tidegate.blocks.checks import input_check, parse_inputs
from tidegate.blocks.process import GRACE, ProcessGroup, Program
from tidegate.blocks.python_inputs import PythonInputs, call_summary
from tidegate.blocks.python_link import Garbled, Link, Refused, Returned
from tidegate.blocks.shell_outputs import cause_of, last_line
from tidegate.blocks.starting import Tee, directory_of, environment_of, start
from tidegate.clock import Clock, SystemClock
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect

__all__ = ["Python"]

_SCRIPT = str(Path(__file__).parent / "child" / "python_child.py")
_TOLD = frozenset({FailureKind.START, FailureKind.INPUTS, FailureKind.OUTPUTS})
"""Kinds that the child itself may tell; everything else is an error of the callable."""


class Python(WorkBlock):
    """Calls a function by its name."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="Python",
        check=input_check(PythonInputs),
        outputs={
            "result": ValueType.ANY,
            "success": ValueType.BOOLEAN,
            "duration_s": ValueType.NUMBER,
            "stdout": ValueType.STRING,
        },
        effect=Effect.ONCE,
        streams=frozenset({"stdout"}),
        secret_inputs=frozenset({"env", "args"}),
        description=(
            "Calls a Python function, in a process of its own.\n"
            "`result` is what it returns, which must be JSON: None, true/false, numbers, text, lists and "
            "mappings. The function may be `async`. A parameter named `context` gets the run's state, "
            "durable steps, progress and checkpoints."
        ),
        example=(
            "id: price\n"
            "type: Python\n"
            "inputs:\n"
            "  callable: shop.prices:total\n"
            "  args: {customer: C-17, currency: EUR}\n"
        ),
    )

    def __init__(self, *, grace: float = GRACE, clock: Clock | None = None) -> None:
        """Make the block; *grace* is how many seconds a callable has between TERM and KILL."""
        self._grace = grace
        self._clock = clock or SystemClock()

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Call the function, and stop whatever it leaves running."""
        try:
            wanted = parse_inputs(PythonInputs, inputs)
        except InputsError as error:
            return Failed(Failure(kind=FailureKind.INPUTS, message="; ".join(error.problems)))
        link = Link(_request(wanted, context), context)
        try:
            return await self._run(wanted, context, link)
        finally:
            link.close()

    async def _run(self, wanted: PythonInputs, context: BlockContext, link: Link) -> Result:
        began = self._clock.monotonic()
        program = _program(wanted, context, link)
        group = start(program, wanted.working_dir, self._grace)
        link.release()
        if isinstance(group, Failed):
            return group
        captures = {stream: Capture(masks=context.masks) for stream in (1, 2)}
        try:
            code = await _finished(group, link, Tee(captures, context))
            failure = _failure(code, link, captures[2], program.arguments[0])
        except Garbled:
            failure = _error(
                "the callable wrote into the connection to Tidegate: it may use no descriptor that it did not open"
            )
        outputs: JsonObject = {
            "result": None,
            "success": failure is None,
            "duration_s": round(self._clock.monotonic() - began, 3),
            "stdout": captures[1].text(),
        }
        if failure is not None:
            return Failed(failure, outputs)
        return Completed(outputs | {"result": _kept(link, context)})

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return the call, bounded."""
        return call_summary(inputs)

    def presumed(self) -> JsonObject:
        """Return the outputs of a callable that returned nothing."""
        return {"result": None, "success": True, "duration_s": 0.0, "stdout": ""}


async def _finished(group: ProcessGroup, link: Link, tee: Tee) -> int:
    code = await group.run(tee.emit, link.serve())
    link.finish()
    return code


# -- starting ---------------------------------------------------------------------------------


def _program(wanted: PythonInputs, context: BlockContext, link: Link) -> Program:
    return Program(
        arguments=(_interpreter(wanted, context), _SCRIPT, str(link.number)),
        environment=environment_of(context, wanted.env),
        working_dir=directory_of(context, wanted.working_dir),
        inherited=(link.number,),
    )


def _interpreter(wanted: PythonInputs, context: BlockContext) -> str:
    name = wanted.python or sys.executable
    return str(Path(context.working_dir) / name) if "/" in name else name


def _request(wanted: PythonInputs, context: BlockContext) -> JsonObject:
    return {
        "callable": wanted.target,
        "args": wanted.args,
        "folder": context.working_dir,
        "run_id": context.run_id,
        "block_id": context.block_id,
        "attempt": context.attempt,
        "idempotency_key": context.idempotency_key,
        "state": dict(context.state),
        "steps": dict(context.steps),
    }


# -- the end ----------------------------------------------------------------------------------


def _failure(code: int, link: Link, stderr: Capture, python: str) -> Failure | None:
    """Return what went wrong; None when the callable returned, however its process ended after that."""
    match link.ending:
        case Returned():
            return None
        case Refused():
            kind = FailureKind(link.ending.failure) if link.ending.failure in _TOLD else FailureKind.ERROR
            return Failure(kind=kind, message=link.ending.message)
        case None:
            return _silent_end(code, last_line(stderr.text()), python, is_ready=link.is_ready)


def _silent_end(code: int, last: str, python: str, *, is_ready: bool) -> Failure:
    said = f": {last}" if last else ""
    if not is_ready:
        message = (
            f"{python} could not run the callable, {cause_of(code)}{said}; it must be Python 3.8 or newer"
        )
        return Failure(kind=FailureKind.START, message=message, exit_code=code)
    if code < 0:
        # Without its last line: after a crash that is the end of a list of Python's own frames.
        return Failure(kind=FailureKind.SIGNAL, message=cause_of(code), exit_code=code)
    kind = FailureKind.EXIT if code else FailureKind.ERROR
    return Failure(
        kind=kind, message=f"its process ended before it returned ({cause_of(code)}){said}", exit_code=code
    )


def _error(message: str) -> Failure:
    return Failure(kind=FailureKind.ERROR, message=message)


def _kept(link: Link, context: BlockContext) -> Json:
    """Pass the callable's changes on; return its result."""
    if not isinstance(link.ending, Returned):
        return None
    context.marks.extend(Mark(mark.label, mark.metadata) for mark in link.ending.marks)
    if link.ending.state is not None:
        _change(context, link.ending.state)
    return link.ending.result


def _change(context: BlockContext, state: JsonObject) -> None:
    """Set what the callable changed, and nothing else: other blocks change other keys meanwhile."""
    for key in set(context.state) - state.keys():
        del context.state[key]
    for key, value in state.items():
        if key not in context.state or _written(context.state[key]) != _written(value):
            context.state[key] = value


def _written(value: Json) -> bytes:
    # By their JSON: to Python, 1 is true.
    return msgspec.json.encode(value, order="sorted")
