"""Calls one callable and tells what became of it: the process of a Python block.

A script, run by its path, so that it works with any interpreter from 3.8 on that knows nothing of
Tidegate. It talks with the engine through the socket whose descriptor is its only argument, never
through stdout. A frame is its length (4 bytes, big-endian) and JSON:

    engine: what to call, once; then {} for each step that is recorded
    child:  {"type": "ready"}, then any number of "step" and "progress", then "returned" or "refused"
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import difflib
import faulthandler
import importlib
import inspect
import json
import math
import os
import re
import signal
import socket
import struct
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, Awaitable, Callable, Mapping  # noqa: UP035  # 3.8 cannot subscript the others

__all__ = ["AsyncPythonContext", "NotJson", "PythonContext"]

_LIMIT = 16 * 1024 * 1024
_DEEP = 200
_BITS = 1024
_MESSAGE = 1000
_KEY = 200
_CONTEXT = re.compile(r"\b(?:Async)?PythonContext\b")
_ADVICE = {
    **dict.fromkeys(("set", "frozenset"), "use sorted(...)"),
    **dict.fromkeys(("datetime", "date", "time"), "use .isoformat()"),
    **dict.fromkeys(("bytes", "bytearray"), "use .decode(), or base64"),
    **dict.fromkeys(("UUID", "PosixPath"), "use str(...)"),
    "tuple": "use list(...)",
    "Decimal": "use str or float",
    "ndarray": "use .tolist()",
}
_GENERAL = "use None, true/false, numbers, text, lists and mappings"


class NotJson(TypeError):
    """A value that no journal can hold."""


class _Refused(Exception):
    """The callable cannot be called."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


# -- values -----------------------------------------------------------------------------------


def _plain(value: Any, where: str, depth: int = 0) -> Any:
    """Return *value* as JSON holds it; *where* is its path, for the message."""
    if depth > _DEEP:
        raise NotJson(f"{where}: nested more than {_DEEP} deep, or it contains itself")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, dict):
        return {_name(key, where): _plain(item, f"{where}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value)]
    return _scalar(value, where)


def _scalar(value: Any, where: str) -> Any:
    if isinstance(value, str):
        if _printable(value) != value:
            raise NotJson(f"{where}: the text holds half of a surrogate pair, which is no character")
        return str.__str__(value)
    if isinstance(value, int):
        if value.bit_length() > _BITS:
            raise NotJson(f"{where}: a number of {value.bit_length()} bits: use str(...)")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJson(f"{where}: {float(value)} is no JSON: use None")
        return float(value)
    name = type(value).__name__
    general = "use dataclasses.asdict(...)" if dataclasses.is_dataclass(value) else _GENERAL
    raise NotJson(f"{where}: {name} is no JSON: {_ADVICE.get(name, general)}")


def _name(key: Any, where: str) -> str:
    if not isinstance(key, str):
        raise NotJson(f"{where}: the key {key!r:.50} is {type(key).__name__}, and keys of JSON are text")
    return str(_scalar(key, f"{where}: the key {key!a:.50}"))


def _checked(value: Any, where: str) -> Any:
    """Return *value* as JSON holds it, if it is no more than a journal takes."""
    value = _plain(value, where)
    size = len(_encoded(value))
    if size > _LIMIT:
        raise NotJson(
            f"{where}: {size} bytes of JSON, at most {_LIMIT} are taken: write it to a file, and return its path"
        )
    return value


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _described(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # an error that cannot even be told is still an error
        text = "(no text)"
    name = type(error).__name__
    return _printable(f"{name}: {text}" if text else name)[:_MESSAGE]


# -- the connection ---------------------------------------------------------------------------


class _Link:
    """The child's end of the connection."""

    def __init__(self, number: int) -> None:
        os.set_inheritable(number, False)
        self._socket = socket.socket(fileno=number)
        self._identity = os.fstat(number)
        self._pid = os.getpid()
        self._lock = threading.RLock()

    def receive(self) -> Any:
        (size,) = struct.unpack(">I", self._exactly(4))
        return json.loads(self._exactly(size))

    def send(self, message: Mapping[str, Any]) -> None:
        data = _encoded(message)
        with self._lock:
            self._check()
            self._socket.sendall(struct.pack(">I", len(data)) + data)

    def ask(self, message: Mapping[str, Any]) -> None:
        """Send, and wait until the engine says that it is done."""
        with self._lock:
            self.send(message)
            self.receive()

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = self._socket.recv(min(size - len(data), 1 << 20))
            if not part:
                raise ConnectionResetError("the engine has gone")
            data += part
        return bytes(data)

    def _check(self) -> None:
        # Whoever closed every descriptor may have opened a file since, and it has our number now.
        now = os.fstat(self._socket.fileno())
        if (now.st_dev, now.st_ino) != (self._identity.st_dev, self._identity.st_ino):
            raise ConnectionResetError("the descriptor of the connection was closed")

    def leave_if_forked(self) -> None:
        """End this process if the callable made it: only the first one has something to tell."""
        if os.getpid() != self._pid:
            os._exit(0)


# -- what a callable may use ------------------------------------------------------------------


class _Shared:
    """What both kinds of context have."""

    def __init__(self, request: Mapping[str, Any], link: _Link) -> None:
        self.run_id: str = request["run_id"]
        self.block_id: str = request["block_id"]
        self.attempt: int = request["attempt"]
        self.idempotency_key: str = request["idempotency_key"]
        self.state: dict[str, Any] = request["state"]
        """The run's own; what is set here becomes the run's if the callable returns."""
        self.cancelled = False
        """Whether the block is to end: return soon, or be killed."""
        self._steps: dict[str, Any] = request["steps"]
        self._link = link
        self._marks: list[dict[str, Any]] = []

    def checkpoint(self, label_or_metadata: str | Mapping[str, Any] = "", /, **metadata: Any) -> None:
        """Ask for a checkpoint, which is marked when the callable has returned."""
        if isinstance(label_or_metadata, str):
            label, given = label_or_metadata, metadata
        else:
            label, given = "", {**label_or_metadata, **metadata}
        self._marks.append({"label": label or self.block_id, "metadata": _checked(given, "checkpoint")})

    def progress(self, fraction: float, message: str = "") -> None:
        """Say how far the work has come, 0 to 1."""
        part = float(fraction)
        if not math.isfinite(part):
            raise ValueError(f"progress is a number from 0 to 1, not {fraction}")
        told = _printable(str(message))[:_MESSAGE]
        self._link.send({"type": "progress", "fraction": min(max(part, 0.0), 1.0), "message": told})

    def _known(self, key: Any) -> bool:
        if not isinstance(key, str) or not 0 < len(key) <= _KEY or _printable(key) != key:
            raise ValueError(f"the key of a step is a text of 1 to {_KEY} characters, not {key!r:.50}")
        return key in self._steps

    def _record(self, key: str, value: Any) -> Any:
        plain = _checked(value, f"step '{key}'")
        self._link.ask({"type": "step", "key": key, "value": plain})
        self._steps[key] = plain
        return plain


class PythonContext(_Shared):
    """What a callable gets as `context`."""

    def step(self, key: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return the recorded result of a step; if there is none, call *function* and record its result."""
        return self._steps[key] if self._known(key) else self._record(key, function(*args, **kwargs))


class AsyncPythonContext(_Shared):
    """What an `async def` gets as `context`: its `step` is awaited, whatever it calls."""

    async def step(self, key: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return the recorded result of a step; if there is none, call *function* and record its result."""
        if self._known(key):
            return self._steps[key]
        value = function(*args, **kwargs)
        if inspect.isawaitable(value):
            value = await value
        return await asyncio.get_running_loop().run_in_executor(None, self._record, key, value)


# -- finding and calling ----------------------------------------------------------------------


def _find(name: str, folder: str) -> Callable[..., Any]:
    module_name, colon, path = name.partition(":")
    if not colon:
        module_name, _, path = name.rpartition(".")
    found: Any = _imported(module_name, folder)
    where = getattr(found, "__file__", None) or "built in"
    for part in path.split("."):
        if not hasattr(found, part):
            near = difflib.get_close_matches(part, dir(found), n=1)
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            raise _Refused("start", f"module {module_name} ({where}) has no '{path}'{hint}")
        found = getattr(found, part)
    if not callable(found):
        raise _Refused("start", f"{name} ({where}) is {type(found).__name__}, which cannot be called")
    return found  # type: ignore[no-any-return]  # whatever a module holds


def _imported(name: str, folder: str) -> Any:
    try:
        return importlib.import_module(name)
    except BaseException as error:  # noqa: BLE001  # a module may do anything, sys.exit included
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{name}.".startswith(f"{missing}."):
            looked = f"looked in {folder}, and in what {sys.executable} has installed"
            raise _Refused("start", f"there is no module '{missing}': {looked}") from None
        _print_traceback(error)
        raise _Refused("start", f"module {name} could not be imported: {_described(error)}") from None


def _is_async(function: Callable[..., Any]) -> bool:
    function = inspect.unwrap(function)
    while hasattr(function, "func") and hasattr(function, "keywords"):  # a partial
        function = function.func
    call = getattr(function, "__call__", None)  # noqa: B004  # it is what is looked at
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _context_parameter(signature: inspect.Signature | None, args: Mapping[str, Any]) -> str | None:
    """Return the name of the parameter that takes the context, unless the file gives it a value."""
    for name, parameter in signature.parameters.items() if signature else ():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            continue
        noted = getattr(parameter.annotation, "__name__", None) or str(parameter.annotation)
        if (name == "context" or _CONTEXT.search(noted)) and name not in args:
            return name
    return None


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _bind(name: str, signature: inspect.Signature | None, args: Mapping[str, Any]) -> None:
    try:
        if signature is not None:
            signature.bind(**args)
    except TypeError as error:
        raise _Refused("inputs", f"{name}: {error}; it is {name}{signature}"[:_MESSAGE]) from None


def _work(request: Mapping[str, Any], link: _Link) -> dict[str, Any]:
    name, args = request["callable"], request["args"]
    function = _find(name, request["folder"])
    is_async, signature = _is_async(function), _signature(function)
    context = (AsyncPythonContext if is_async else PythonContext)(request, link)
    takes = _context_parameter(signature, args)
    args = {**args, takes: context} if takes else args
    _bind(name, signature, args)
    if takes:
        signal.signal(signal.SIGTERM, lambda *_: setattr(context, "cancelled", True))
    value = function(**args)
    if inspect.isawaitable(value):
        value = asyncio.run(_awaited(value, context))
    answer = {"type": "returned", "result": _checked(value, "result"), "marks": context._marks}  # noqa: SLF001
    return {**answer, "state": _checked(context.state, "state")} if takes else answer


async def _awaited(value: Awaitable[Any], context: _Shared) -> Any:
    task = asyncio.ensure_future(value)

    def stop() -> None:
        context.cancelled = True
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    return await task


def _outcome(request: Mapping[str, Any], link: _Link) -> dict[str, Any]:
    try:
        return _work(request, link)
    except _Refused as error:
        kind, message = error.kind, _printable(str(error))
    except NotJson as error:
        _print_traceback(error)
        kind, message = "outputs", _printable(str(error))[:_MESSAGE]
    except SystemExit as error:
        _print_traceback(error)
        kind, message = "error", f"it called sys.exit({error.code!a:.200}) instead of returning"
    except asyncio.CancelledError:
        kind, message = "error", "it was cancelled (SIGTERM)"
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is told
        _print_traceback(error)
        kind, message = "error", _described(error)
    return {"type": "refused", "failure": kind, "message": message}


def _print_traceback(error: BaseException) -> None:
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    # Its stderr may be closed by now.
    with contextlib.suppress(Exception):
        traceback.print_exception(type(error), error, trace)
        sys.stderr.flush()


def _prepare(request: Mapping[str, Any]) -> None:
    own = str(Path(__file__).parent)
    sys.path[:] = [request["folder"], *(path for path in sys.path if path != own)]
    sys.argv[:] = [request["callable"]]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    faulthandler.enable()


def _main(number: int) -> int:
    link = _Link(number)
    request = link.receive()
    _prepare(request)
    link.send({"type": "ready"})
    outcome = _outcome(request, link)
    link.leave_if_forked()
    try:
        link.send(outcome)
    except OSError as error:
        with contextlib.suppress(Exception):
            sys.stderr.write(f"the outcome could not be told: {error}\n")
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1])))
