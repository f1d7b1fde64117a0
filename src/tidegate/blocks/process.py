"""A program in a session of its own, from its start to the proof that nothing of it is left.

Owns the pipes, the process group and its end. It starts the program itself instead of asking
asyncio to, because then nothing can be cancelled between the program's start and the moment when
somebody is responsible for its end; because the pipes are read only as fast as the bytes are taken;
and because it works the same from a loop in any thread, with no child watcher to agree with.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass

from tidegate.blocks.pipes import Emit, Pump, feed, ready
from tidegate.blocks.session import groups_of_session, has_living_member

__all__ = ["GRACE", "ProcessGroup", "Program"]

GRACE = 2.0
"""Seconds between TERM and KILL."""
_LINGER = 0.5
"""Seconds that what a command left behind may still take to end by itself and to write."""
_DRAIN = 0.5
"""Seconds for what is still in the pipes to be taken, once a cancelled group is dead."""
_PROOF = 5.0
"""Seconds to wait for the death of a group that got KILL; only a process stuck in the kernel needs more."""
_POLL = 0.01


@dataclass(frozen=True, slots=True)
class Program:
    """What to start."""

    arguments: tuple[str, ...]
    """The program, looked up on the PATH of *environment*, and its arguments."""
    environment: Mapping[str, str]
    working_dir: str
    stdin: bytes = b""
    """Empty: it reads from /dev/null."""
    inherited: tuple[int, ...] = ()
    """Descriptors that it gets, under their own numbers."""


class ProcessGroup:
    """A running program and everything it started that did not leave its session.

    Whoever makes one must `run` it. A process that made itself a session of its own (`setsid`, a
    daemon) is out of reach; it cannot hold anybody up either, since the pipes are left once they are
    empty.
    """

    def __init__(self, program: Program, *, grace: float = GRACE) -> None:
        """Start *program*.

        Raises:
            OSError: it cannot be started.
            ValueError: an argument or a variable holds what the system does not take (a NUL).
        """
        self._grace = grace
        self._stdin = program.stdin
        self._process = subprocess.Popen(
            [_raw(argument) for argument in program.arguments],
            bufsize=0,
            cwd=_raw(program.working_dir),
            env={_raw(name): _raw(value) for name, value in program.environment.items()},
            stdin=subprocess.PIPE if program.stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=program.inherited,
        )

    async def run(self, emit: Emit, beside: Coroutine[None, None, None] | None = None) -> int:
        """Pass its output on until it ends; return its exit code, or minus the signal's number.

        Args:
            emit: Takes its output.
            beside: What else is to be done while it lives: what this raises, ends the program too.

        When this returns or raises, nothing of the group is left: a command that ended by itself
        gets what it left behind stopped (after `_LINGER` seconds), and a cancelled call stops
        everything at once: TERM, grace, KILL. A second cancellation waits for that, too.
        """
        pipes = _Pipes(self._process, self._stdin, emit)
        if beside is not None:
            pipes.tasks.add(asyncio.create_task(beside))
        has_ended = False
        try:
            await self._until_exit(pipes.tasks)
            has_ended = True
        finally:
            await _undisturbed(self._end(pipes, has_ended=has_ended))
        pipes.raise_failure()
        return self._process.returncode

    async def _until_exit(self, pumps: set[asyncio.Task[None]]) -> None:
        exit_ = asyncio.create_task(_exited(self._process))
        waiting = {exit_, *pumps}
        try:
            while not exit_.done():
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    # A pump that raised reads no more: the program would block on a full pipe for ever.
                    task.result()
        finally:
            exit_.cancel()
            await _undisturbed(_settled({exit_}))

    # -- the end ------------------------------------------------------------------------------

    async def _end(self, pipes: "_Pipes", *, has_ended: bool) -> None:
        try:
            await self._stop(_LINGER if has_ended else 0)
            # What a command wrote before it ended is waited for as long as it takes to be taken.
            await pipes.emptied(None if has_ended else _DRAIN)
        finally:
            await pipes.close()

    async def _stop(self, linger: float) -> None:
        try:
            await self._stop_in_steps(linger)
        except asyncio.CancelledError:
            # A closing loop cancels all of its tasks, this one too. Blocking is no matter any more.
            self._signal(signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PROOF)
            raise

    async def _stop_in_steps(self, linger: float) -> None:
        if linger and await self._gone(linger):
            return
        for number, patience in ((signal.SIGTERM, self._grace), (signal.SIGKILL, _PROOF)):
            self._signal(number)
            # A stopped process acts on TERM only once it goes on.
            self._signal(signal.SIGCONT)
            if await self._gone(patience):
                return

    async def _gone(self, patience: float) -> bool:
        """Return whether the whole group is dead, as soon as it is or *patience* seconds are over."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        while self._is_alive():
            if loop.time() >= deadline:
                return False
            await asyncio.sleep(_POLL)
        return True

    def _is_alive(self) -> bool:
        if self._process.poll() is None:
            return True
        self._bury_orphans()
        return self._signal(0) and has_living_member(self._process.pid)

    def _bury_orphans(self) -> None:
        # As process 1 of a container, Tidegate inherits orphans; unburied they count as members.
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-self._process.pid, os.WNOHANG)[0]:
                pass

    def _signal(self, number: int) -> bool:
        """Signal every group of the session; return whether there was one."""
        reached = [_signal_group(group, number) for group in groups_of_session(self._process.pid)]
        return any(reached)


def _signal_group(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        # It lives under another user (sudo): alive, and out of reach.
        return True
    return True


class _Pipes:
    """The tasks that read and write a program's pipes."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, emit: Emit) -> None:
        self._files = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None]
        outputs = ((1, process.stdout), (2, process.stderr))
        self._pumps = [Pump(pipe, stream, emit) for stream, pipe in outputs if pipe is not None]
        self._reading = {asyncio.create_task(pump.run()) for pump in self._pumps}
        self.tasks = set(self._reading)
        if process.stdin is not None:
            self.tasks.add(asyncio.create_task(feed(process.stdin, stdin)))

    async def emptied(self, patience: float | None) -> None:
        """Pass on what is still in the pipes, for at most *patience* seconds; None: for as long as it takes."""
        for pump in self._pumps:
            pump.end()
        await asyncio.wait(self._reading, timeout=patience)

    async def close(self) -> None:
        """Stop reading and writing."""
        for task in self.tasks:
            task.cancel()
        await _settled(self.tasks)
        for file in self._files:
            file.close()

    def raise_failure(self) -> None:
        """Raise what taking the output raised, if it did."""
        for task in self.tasks:
            if not task.cancelled():
                task.result()


def _raw(text: str) -> bytes:
    # UTF-8 whatever the locale says: under LANG=C Python itself would refuse a workflow's "ö". What
    # came from the environment as odd bytes goes back as those bytes.
    return text.encode("utf-8", "surrogateescape")


# -- waiting ----------------------------------------------------------------------------------


async def _exited(process: subprocess.Popen[bytes]) -> None:
    """Return when *process* has ended."""
    try:
        pidfd = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        # No such thing on macOS and on old kernels, or no descriptor left.
        await _exited_by_asking(process)
        return
    try:
        await ready(pidfd)
    finally:
        os.close(pidfd)


async def _exited_by_asking(process: subprocess.Popen[bytes]) -> None:
    # Nothing tells, so it has to be asked.
    while process.poll() is None:  # noqa: ASYNC110
        await asyncio.sleep(_POLL)


async def _settled(tasks: set[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


async def _undisturbed(work: Coroutine[None, None, None]) -> None:
    """Do *work* to its end, however often this is cancelled meanwhile; then be cancelled."""
    task = asyncio.create_task(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError
