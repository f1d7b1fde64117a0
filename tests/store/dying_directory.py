"""Writers that die: ``python dying_directory.py FOLDER WHAT`` has processes write, each into a directory of its own.

The first is killed right before it changes anything in its directory for the first time (of a removal: once
there is a run to be removed), the second right before the second time, and so on: a file that is opened to be written, linked, renamed or removed, a folder
made or removed. The last one, which has no such time left, is whole. Each says what it was told is done.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from store.builders import BLOCK, NOW, RUN, adding, chunk, hashed, new_run, paused, wave
from tidegate.clock import SystemClock
from tidegate.engine.cleaning import Cleaner
from tidegate.engine.retention import EVERYTHING
from tidegate.model.events import Origin, RunFinished, RunForked, RunStatus
from tidegate.model.ids import RunId, Seq
from tidegate.model.state import RunSummary
from tidegate.settings import Cleaning
from tidegate.store import open_store
from tidegate.store.protocol import Store

_MOST = 500
_CHANGES = frozenset({"os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir"})
Say = Callable[[str], None]


async def write(store: Store, say: Say) -> None:
    """Everything that a run leaves in a directory."""
    await store.create_run(new_run())
    say("created")
    await store.append(adding(wave(), paused(), values=dict([hashed("kept " * 9)])))
    say("appended")
    await store.write_output(RUN, BLOCK, 1, [chunk(0), chunk(1)])
    await store.write_output(RUN, BLOCK, 1, [chunk(2)], drop=range(1, 2))
    say("printed")


async def remove(store: Store, say: Say) -> None:
    """A run of three is removed: it shares a value with one that stays, and a record with the other."""
    shared, own = hashed("shared " * 9), hashed("own " * 9)
    await asyncio.gather(*(store.create_run(new_run(run_id)) for run_id in (RUN, "kept", "other")))
    for run_id in (RUN, RunId("kept")):
        values = dict([shared, own] if run_id == RUN else [shared])
        await store.append(adding(wave(), run_id=run_id, values=values))
        await store.write_output(run_id, BLOCK, 1, [chunk(0, run_id.encode())])
    for after in range(2, 5):
        await store.append(adding(wave(), after=after))
    finish = RunFinished(status=RunStatus.FAILED)
    await store.append(adding(finish, after=5, summary=RunSummary(status=RunStatus.FAILED)))
    say("ended")
    await store.remove_run(RUN, at=NOW + 9)
    say("removed")
    while await store.empty_graves():
        pass
    say("emptied")


async def clean(store: Store, say: Say) -> None:
    """A run, a fork of it, and a fork of that: all of them go in one clean-up."""
    chain = [RUN, RunId("fork2345fork"), RunId("second345678")]
    for number, run_id in enumerate(chain):
        run = new_run(run_id)
        if number:
            origin = Origin(run_id=chain[number - 1], seq=Seq(number))
            forked = RunForked(origin=origin, definition=run.definition_hash, by="ada")
            run = run.evolve(events=(forked,))
        await store.create_run(run)
        summary = RunSummary(status=RunStatus.FAILED)
        finish = RunFinished(status=RunStatus.FAILED)
        await store.append(adding(finish, run_id=run_id, after=number + 1, summary=summary))
    say("ended")
    await Cleaner(store, SystemClock(), Cleaning()).clean_up(limits=EVERYTHING)
    say("cleaned")


async def _work(what: str, place: Path, say: Say) -> None:
    store = await open_store(f"file://{place}", clock=SystemClock())
    await {"write": write, "remove": remove, "clean": clean}[what](store, say)
    await store.close()
    say("closed")


def main(folder: Path, what: str) -> None:
    """Kill at the first change, at the second, and so on, until nothing is left to be killed at."""
    for number in range(1, _MOST):
        place = folder / f"{number:03}"
        said, saying = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(said)
            asyncio.run(_work(what, place, _Death(number, str(place), saying, is_near=what == "write").say))
            os._exit(0)
        os.close(saying)
        with os.fdopen(said) as words:
            print(place.name, *words.read().split(), flush=True)  # noqa: T201
        if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
            return


class _Death:
    """Waits for the change of a directory before which this process is to be killed."""

    def __init__(self, number: int, place: str, saying: int, *, is_near: bool) -> None:
        self._left = number
        self._place = place
        self._saying = saying
        self._is_near = is_near
        sys.addaudithook(self._hear)

    def say(self, word: str) -> None:
        """Tell that something is done."""
        os.write(self._saying, f"{word}\n".encode())
        self._is_near |= word == "ended"

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._is_near and _is_change(event, arguments, self._place):
            self._left -= 1
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)


def _is_change(event: str, arguments: tuple[object, ...], place: str) -> bool:
    if not arguments or not str(arguments[0]).startswith(place):
        return False
    if event == "open":
        flags = arguments[2]
        return isinstance(flags, int) and bool(flags & os.O_CREAT)
    return event in _CHANGES


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
