"""Processes of the command that find the program already read.

Reading it is nine tenths of a short call. So one process reads it once and waits; for each call it forks: a process
of its own, with its own environment, folder and standard files, and with nothing of an earlier call. What a fork
cannot show, a real start does: the first call of each command is one (`calling.py`).
"""

import atexit
import gc
import importlib
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import NoReturn

import msgspec

__all__ = ["Call", "is_possible", "warm_call"]

_LARGEST = 100_000
"""Bytes of a call that fit into one message."""
_READ_AT_START = (b"PYTHON", b"LANG", b"LC_")
"""Beginnings of variables that an interpreter reads once: with others than ours, one must be started."""
_NOT_READ = ("tidegate.__main__", "tidegate.tui", "tidegate.cli.demo", "tidegate.cli.monitor")
"""Of no call without a terminal; the toolkit is large, and a fork copies the tables of all that was read."""


class Call(msgspec.Struct, frozen=True):
    """What is called, where, with which environment, and for how many seconds at most."""

    words: list[bytes]
    folder: str
    environ: dict[bytes, bytes]
    patience: float


def is_possible(call: Call) -> bool:
    """Whether a process that was started with our environment can go on with that of the call."""
    return _at_start(call.environ) == _at_start(os.environb) and len(msgspec.msgpack.encode(call)) < _LARGEST


def _at_start(environ: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """Return what an interpreter read of *environ*; whether it keeps what it compiled changes nothing."""
    read = {name: value for name, value in environ.items() if name.startswith(_READ_AT_START)}
    read.pop(b"PYTHONDONTWRITEBYTECODE", None)
    return read


def warm_call(call: Call, stdin: bytes) -> tuple[int, bytes, bytes]:
    """Call to the end.

    Returns:
        Its exit code (below 0: the signal that ended it), and what it wrote to its two outputs.

    Raises:
        TimeoutError: What it left behind holds its outputs open for longer than its patience.
    """
    (given, to_write), *outputs = (os.pipe() for _ in range(4))
    theirs = [given, *(end for _, end in outputs)]
    socket.send_fds(_waiting(), [msgspec.msgpack.encode(call)], theirs)
    for end in theirs:
        os.close(end)
    readers = [_Reader(end) for end, _ in outputs]
    _write_all(to_write, stdin)
    deadline = time.monotonic() + call.patience + 5
    out, err, code = (reader.result(deadline) for reader in readers)
    return int(code), out, err


class _Reader(threading.Thread):
    """Reads to the end, beside others."""

    def __init__(self, end: int) -> None:
        super().__init__(daemon=True)
        self.end = end
        self.read = b""
        self.start()

    def run(self) -> None:
        """Read."""
        with os.fdopen(self.end, "rb") as file:
            self.read = file.read()

    def result(self, deadline: float) -> bytes:
        """Return what was read."""
        self.join(max(0.0, deadline - time.monotonic()))
        if self.is_alive():
            raise TimeoutError("an output of the call is still open")
        return self.read


def _write_all(end: int, data: bytes) -> None:
    # It may end without reading all.
    with suppress(BrokenPipeError), os.fdopen(end, "wb") as file:
        file.write(data)


@cache
def _waiting() -> socket.socket:
    """Start the process that waits, and return the way to it. It ends when this way is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", __file__, str(theirs.fileno())],
            env=environ,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


# From here on: the process that waits.


def _read_the_program() -> None:
    import tidegate

    for module in pkgutil.walk_packages(tidegate.__path__, "tidegate."):
        if not module.name.startswith(_NOT_READ):
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


def _next_call(way: socket.socket) -> tuple[Call, list[int]]:
    """Wait for calls; return in a process of its own for each, which watches over the one that makes it."""
    watching: set[int] = set()
    while True:
        message, files, _, _ = socket.recv_fds(way, _LARGEST, 4)
        if not message:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            return msgspec.msgpack.decode(message, type=Call), files
        for file in files:
            os.close(file)
        watching.add(pid)
        # Those that ended since the last call are no zombies any longer.
        watching = {pid for pid in watching if os.waitpid(pid, os.WNOHANG) == (0, 0)}


def _watch(pid: int, told: int, patience: float) -> NoReturn:
    """Tell how a process ended; end it when it takes too long."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, patience)
    _, status = os.waitpid(pid, 0)
    os.write(told, str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(call: Call, files: list[int]) -> None:
    """Be what `python -m tidegate` is when the program begins."""
    for own, given in enumerate(files[:3]):
        os.dup2(given, own)
    os.closerange(3, max(files) + 1)
    os.chdir(call.folder)
    os.environb.clear()
    os.environb.update(call.environ)
    time.tzset()
    sys.path[0] = call.folder
    sys.argv[1:] = [os.fsdecode(word) for word in call.words]
    sys.orig_argv[:] = [sys.executable, "-W", "error", "-m", "tidegate", *sys.argv[1:]]
    importlib.invalidate_caches()


def _serve(way: socket.socket) -> None:
    """Wait for calls; return in the process of each."""
    call, files = _next_call(way)
    pid = os.fork()
    if pid:
        for file in files[:3]:
            os.close(file)
        _watch(pid, files[3], call.patience)
    way.close()
    _become(call, files)


if __name__ == "__main__":
    _read_the_program()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_module("tidegate", run_name="__main__", alter_sys=True)
