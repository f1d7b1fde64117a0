"""A process that stands still past its lease, and goes on when another has taken its runs over.

At full size it stands still at every commit, otherwise at some.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from aftermath import answer_open, check_books, lines, to_the_end, tree
from lives import Fate, begin, carry_on, hold_on, living, told, url_of
from running import until, world
from sizes import some_of
from tidegate.clock import SystemClock
from tidegate.model.events import RunStatus
from tidegate.model.listing import PauseRow

LEASE = 1.0

PARENT = """
name: parent
blocks:
  - {id: call, type: ExecuteWorkflow, inputs: {workflow: child}}
  - {id: last, type: Shell, depends_on: [call], inputs: {command: "echo last >> log"}}
"""
CHILD = """
name: child
blocks:
  - {id: work, type: Shell, effect: EFFECT, inputs: {command: COMMAND}}
  - {id: after, type: Shell, depends_on: [work], inputs: {command: "echo after >> log"}}
"""
COMMAND = "echo begun-$TIDEGATE_ATTEMPT >> log; while [ ! -e go ]; do sleep 0.05; done; echo done-$TIDEGATE_ATTEMPT >> log"


@contextmanager
def stood_still(folder: Path, effect: str) -> Iterator[ForkServerProcess]:
    """Lay out the workflows, and give a process that drives them; it can be stopped and continued."""
    (folder / "parent.yaml").write_text(PARENT)
    (folder / "child.yaml").write_text(CHILD.replace("EFFECT", effect).replace("COMMAND", f"'{COMMAND}'"))
    with living(folder, partial(hold_on, file="parent.yaml"), lease=LEASE) as process:
        yield process


def send(process: ForkServerProcess, number: signal.Signals) -> None:
    """Send a signal."""
    assert process.pid is not None
    os.kill(process.pid, number)


async def written(file: Path, line: str) -> None:
    """Return once a line is in a file."""

    async def is_there() -> bool:
        return line in lines(file)

    await until(is_there)


async def heads(folder: Path, *, expired: bool = False) -> dict[str, tuple[int, int]]:
    """Return each run's head and epoch; first wait, if wanted, until nobody's lease holds any more."""
    async with world(folder, url_of(folder)) as ground:

        async def has_run_out() -> bool:
            rows = await tree(ground)
            return all(row.lease_until < SystemClock().now() for row in rows)

        if expired:
            await until(has_run_out)
        return {row.path: (row.head, row.epoch) for row in await tree(ground)}


async def check_end(folder: Path, log: list[str]) -> None:
    """Fail unless both runs succeeded, with just these effects and clean books."""
    async with world(folder, url_of(folder)) as ground:
        await check_books(ground)
        assert [row.summary.status for row in await tree(ground)] == [RunStatus.SUCCEEDED] * 2
    assert lines(folder / "log") == log


async def test_a_zombie_writes_nothing_and_starts_nothing(tmp_path: Path) -> None:
    """Its command was ended by whoever ran the block again; it drops its runs, and the other's go on undisturbed."""
    with stood_still(tmp_path, "idempotent") as zombie:
        await written(tmp_path / "log", "begun-1")
        send(zombie, signal.SIGSTOP)
        await heads(tmp_path, expired=True)
        with living(tmp_path, carry_on) as other:
            await written(tmp_path / "log", "begun-2")
            taken_over = await heads(tmp_path)
            send(zombie, signal.SIGCONT)

            async def has_given_up() -> bool:
                return (tmp_path / "gave-up").exists()

            await until(has_given_up)
            assert await heads(tmp_path) == taken_over
            (tmp_path / "go").touch()
            told(tmp_path, other)
        told(tmp_path, zombie)

    await check_end(tmp_path, ["begun-1", "begun-2", "done-2", "after", "last"])


@pytest.mark.parametrize("answered_first", [False, True])
async def test_a_zombies_outcome_comes_too_late(tmp_path: Path, *, answered_first: bool) -> None:
    """Its command ended while it stood still: the outcome is refused, and what follows is started by the other only."""
    with stood_still(tmp_path, "once") as zombie:
        await written(tmp_path / "log", "begun-1")
        send(zombie, signal.SIGSTOP)
        (tmp_path / "go").touch()
        await written(tmp_path / "log", "done-1")
        await heads(tmp_path, expired=True)
        with living(tmp_path, carry_on) as other:
            told(tmp_path, other)
        if not answered_first:
            send(zombie, signal.SIGCONT)
        async with world(tmp_path, url_of(tmp_path)) as ground:
            assert await answer_open(ground, lambda _: "done") == 1
        with living(tmp_path, carry_on) as other:
            told(tmp_path, other)
        if answered_first:
            send(zombie, signal.SIGCONT)
        told(tmp_path, zombie)

    await check_end(tmp_path, ["begun-1", "done-1", "after", "last"])


# -- at every commit --------------------------------------------------------------------------

ONCE = ["first", "work", "after", "last"]
TOP = """
name: parent
blocks:
  - {id: first, type: Shell, inputs: {command: "echo first >> log"}}
  - {id: call, type: ExecuteWorkflow, depends_on: [first], inputs: {workflow: child}}
  - {id: last, type: Shell, depends_on: [call], inputs: {command: "echo last >> log"}}
"""
COMMITS = 16
INSTANTS = [(commit, after) for commit in range(1, COMMITS + 1) for after in (False, True)][1:]


def looks(folder: Path, pause: PauseRow) -> str:
    """Answer as a person does who looks at what a cut-off block has left behind."""
    return "done" if pause.block in lines(folder / "log") else "rerun"


async def stands_still(process: ForkServerProcess) -> bool:
    """Return, once a process has either stopped or ended, whether it has stopped."""
    stat = Path(f"/proc/{process.pid}/stat")

    def state() -> str:
        # It may end between any two looks.
        with suppress(FileNotFoundError, ProcessLookupError):
            return stat.read_text().rpartition(")")[2].split()[0]
        return ""

    async def is_decided() -> bool:
        return not process.is_alive() or state() == "T"

    await until(is_decided)
    return process.is_alive()


@pytest.mark.skipif(sys.platform != "linux", reason="only there is it told whether a process stands still")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("late", [False, True])
async def test_a_process_that_stands_still_at_any_commit_does_no_harm(
    tmp_path: Path, *, late: bool, record_property: Callable[[str, object], None]
) -> None:
    """Whether it goes on while another takes over, or when all is done: every effect happens once."""
    instants = some_of(INSTANTS, 4, of=int(late))
    record_property("size", f"{len(instants)} standstills")
    for commit, after in instants:
        folder = tmp_path / f"{commit}-{after}"
        folder.mkdir()
        (folder / "parent.yaml").write_text(TOP)
        (folder / "child.yaml").write_text(
            CHILD.replace("EFFECT", "once").replace("COMMAND", "echo work >> log")
        )
        fate = Fate(commit, after=after, sends=signal.SIGSTOP)
        with living(folder, partial(begin, file="parent.yaml"), fate=fate, lease=LEASE) as zombie:
            if not await stands_still(zombie):
                continue
            await heads(folder, expired=True)
            if late:
                await to_the_end(folder, partial(looks, folder))
                send(zombie, signal.SIGCONT)
            else:
                with living(folder, carry_on) as other:
                    send(zombie, signal.SIGCONT)
                    told(folder, other)
            told(folder, zombie)
        await to_the_end(folder, partial(looks, folder))
        await check_end(folder, ONCE)
