"""How a store learns that something was committed, here or in another process.

Our own commits are told by the writer. Those of others are seen in a number that grows with them,
which is looked at when the directory reports a write. The report comes at write(2), before the
commit is visible (with an fsync in between), so one report means several looks. A slow poll
stands behind it all, for file systems that report nothing.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from tidegate.store.inotify import open_inotify

__all__ = ["ChangeSignal", "FilesWatch", "Probe", "Watch", "watch_on"]

_LOOKS = (0.0, 0.002, 0.008, 0.02, 0.07, 0.2)
"""Seconds from one look to the next after a report: the first three suit a fast disk, the rest a slow one."""
_POLL = 1.0
"""Seconds."""


class Watch(Protocol):
    """Something that reports writes in a directory."""

    def start(self, notify: Callable[[], None]) -> None:
        """Report from now on, on the running loop."""
        ...

    def stop(self) -> None:
        """Report no more, until started again."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...


class Probe(Protocol):
    """Something to look at."""

    def version(self) -> int:
        """Return a number that is another one after each commit, whoever made it; never waits."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class FilesWatch:
    """Reports through watchfiles, where inotify is not to be had."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._notify: Callable[[], None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    def start(self, notify: Callable[[], None]) -> None:
        """Report from now on."""
        self._notify = notify
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._follow())

    def stop(self) -> None:
        """Report no more. The watcher goes on: starting one costs more than having one."""
        self._notify = None

    async def close(self) -> None:
        """End the watcher."""
        self._stopping.set()
        if self._task is not None:
            await self._task

    async def _follow(self) -> None:
        # Here: on Linux it is never needed, and takes 30 ms to import.
        from watchfiles import awatch

        # Its defaults wait 50 ms for more; 5 and 20 are what keeps a change under 50 ms in all.
        with suppress(OSError):
            async for _ in awatch(
                self._directory,
                watch_filter=None,
                step=5,
                debounce=20,
                stop_event=self._stopping,
                recursive=False,
            ):
                if self._notify is not None:
                    self._notify()


class ChangeSignal:
    """Counts commits, as far as they were noticed, and wakes who waits for the next one.

    Idle while nobody waits: no timer, no reader, no look.
    """

    def __init__(self, probe: Probe | None = None, watch: Watch | None = None) -> None:
        """Belong to the running loop.

        Args:
            probe: What to look at; owned from now on. None where all commits are our own.
            watch: Says when to look; owned from now on.
        """
        self._probe = probe
        self._watch = watch
        self._count = 0
        self._changed = asyncio.Event()
        self._waiting = 0
        self._version = self._look_up()
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def committed(self) -> None:
        """Count a commit of our own.

        It may be counted once more when the directory reports it: whoever waits looks once for nothing. To
        look here, at each of a thousand commits a second, would cost more.
        """
        self._count_one()

    def look(self) -> int:
        """Return the count of commits, those that are visible now included."""
        version = self._look_up()
        if version != self._version:
            self._version = version
            self._count_one()
        return self._count

    async def after(self, count: int) -> None:
        """Return once the count is no longer *count*."""
        self._waiting += 1
        if self._waiting == 1:
            self._listen()
        try:
            while self.look() == count:
                await self._changed.wait()
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._rest()

    async def close(self) -> None:
        """Wake everybody and let go of everything."""
        self._count_one()
        self._rest()
        if self._watch is not None:
            await self._watch.close()
            self._watch = None
        if self._probe is not None:
            self._probe.close()
            self._probe = None

    def _count_one(self) -> None:
        self._count += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def _look_up(self) -> int:
        return 0 if self._probe is None else self._probe.version()

    # -- listening ----------------------------------------------------------------------------

    def _listen(self) -> None:
        if self._watch is not None:
            self._watch.start(self._reported)
        if self._probe is not None:
            self._poll()

    def _rest(self) -> None:
        if self._watch is not None:
            self._watch.stop()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _poll(self) -> None:
        self.look()
        self._later("poll", _POLL, self._poll)

    def _reported(self) -> None:
        self._look_again(self._count, iter(_LOOKS))

    def _look_again(self, count: int, delays: Iterator[float]) -> None:
        delay = next(delays, None)
        if delay is not None and self.look() == count:
            self._later("look", delay, lambda: self._look_again(count, delays))

    def _later(self, name: str, delay: float, callback: Callable[[], None]) -> None:
        if name in self._timers:
            self._timers[name].cancel()
        self._timers[name] = asyncio.get_running_loop().call_later(delay, callback)


def watch_on(directory: Path) -> Watch:
    """Return the quickest watch on *directory* that can be had here."""
    return open_inotify(directory) or FilesWatch(directory)
