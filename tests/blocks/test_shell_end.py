"""Whatever ends a command, nothing of it is left: proven with real pids."""

import asyncio
import os
import shutil
import signal
import threading
from pathlib import Path

import pytest

from blocks.running import KeptContext, completed, is_running, pid_in, until
from tidegate.blocks.process import ProcessGroup, Program
from tidegate.blocks.shell import Shell

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


class _Started:
    """A Shell block under way, and the pids its command wrote to `p0` and `p1`."""

    def __init__(self, where: Path, command: str, *, grace: float = 0.2, under: str = "/bin/sh") -> None:
        self.context = KeptContext(where)
        self._files = (where / "p0", where / "p1")
        inputs = {"command": command, "shell": under}
        self.task = asyncio.create_task(Shell(grace=grace).run({**inputs}, self.context))

    @property
    def pids(self) -> tuple[int, ...]:
        """The recorded pids, once both are there."""
        return tuple(pid_in(file) for file in self._files)

    async def is_up(self) -> None:
        """Wait until both pids are known."""
        await until(lambda: all(self.pids))

    def survivors(self) -> list[int]:
        """Return the recorded pids that still run."""
        return [pid for pid in self.pids if is_running(pid)]


TWO_SLEEPERS = "sleep 300 & echo $! > p1; echo $$ > p0; echo working; sleep 300"


@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
async def test_a_cancelled_command_leaves_no_survivors(tmp_path: Path, trap: str) -> None:
    """TERM for all of them, and KILL for those who do not listen. What was written is kept."""
    started = _Started(tmp_path, trap + TWO_SLEEPERS)
    await started.is_up()
    await until(lambda: started.context.written(1) == b"working\n")

    started.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(started.task, timeout=3)

    assert started.survivors() == []
    assert started.context.written(1) == b"working\n"


async def test_a_timeout_ends_in_time(tmp_path: Path) -> None:
    """Not when a grandchild that holds the pipe feels like it."""
    loop = asyncio.get_running_loop()
    started = _Started(tmp_path, "trap '' TERM; " + TWO_SLEEPERS)
    await started.is_up()
    began = loop.time()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await started.task

    assert loop.time() - began < 3
    assert started.survivors() == []


async def test_a_pipeline_is_ended_as_a_whole(tmp_path: Path) -> None:
    """Every part of it is in the group."""
    started = _Started(tmp_path, "echo $$ > p0; yes | (sh -c 'echo $PPID' > p1; cat > /dev/null)")
    await started.is_up()

    started.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await started.task

    assert started.survivors() == []


async def test_a_second_cancellation_does_not_cut_the_end_short(tmp_path: Path) -> None:
    """The call still returns only when everything is dead."""
    started = _Started(tmp_path, "trap '' TERM; " + TWO_SLEEPERS, grace=0.4)
    await started.is_up()

    for _ in range(5):
        started.task.cancel()
        await asyncio.wait({started.task}, timeout=0.03)
    assert not started.task.done()
    with pytest.raises(asyncio.CancelledError):
        await started.task

    assert started.survivors() == []


async def test_a_stopped_command_is_ended_too(tmp_path: Path) -> None:
    """A stopped process keeps TERM for later; it is woken for it, and may clean up."""
    started = _Started(
        tmp_path,
        "sleep 300 & echo $! > p1; trap 'echo cleaned > f; exit 143' TERM; echo $$ > p0; while :; do sleep 0.01; done",
        grace=5,
    )
    await started.is_up()
    for pid in started.pids:
        os.kill(pid, signal.SIGSTOP)

    started.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(started.task, timeout=4)

    assert (tmp_path / "f").read_text() == "cleaned\n"
    assert started.survivors() == []


@needs_bash
async def test_a_trap_of_bash_runs_within_the_grace(tmp_path: Path) -> None:
    """Bash runs a trap only after its current child ends; the group's TERM ends that child."""
    command = "trap 'echo cleaned > f; exit 143' TERM; echo $$ > p0; echo $$ > p1; sleep 600"
    started = _Started(tmp_path, command, grace=5, under="bash")
    await started.is_up()

    started.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(started.task, timeout=4)

    assert (tmp_path / "f").read_text() == "cleaned\n"
    assert started.survivors() == []


@needs_bash
async def test_jobs_with_groups_of_their_own_are_ended(tmp_path: Path) -> None:
    """Job control takes a background job out of the shell's group, not out of its session."""
    started = _Started(tmp_path, "set -m; sleep 300 & echo $! > p1; echo $$ > p0; sleep 300", under="bash")
    await started.is_up()

    started.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await started.task

    assert started.survivors() == []


@pytest.mark.parametrize("redirect", ["", " >/dev/null 2>&1"])
async def test_what_a_command_leaves_behind_is_ended(tmp_path: Path, redirect: str) -> None:
    """A block that has ended leaves nothing running, whether it holds the pipe or not."""
    loop = asyncio.get_running_loop()
    began = loop.time()

    outputs = await completed(tmp_path, f"sleep 300{redirect} & echo $! > p1; echo done")

    assert outputs["stdout"] == "done"
    assert loop.time() - began < 3
    assert not is_running(pid_in(tmp_path / "p1"))


async def test_what_a_command_leaves_behind_may_finish_shortly(tmp_path: Path) -> None:
    """A `tee` behind the command writes its last lines after the command has ended."""
    outputs = await completed(tmp_path, "(sleep 0.1; echo late) & echo early")

    assert outputs["stdout"] == "early\nlate"


async def test_who_left_the_session_holds_nobody_up(tmp_path: Path) -> None:
    """A daemon may keep the pipe; the block ends without it."""
    if shutil.which("setsid") is None:
        pytest.skip("needs setsid")
    async with asyncio.timeout(5):
        outputs = await completed(
            tmp_path, "setsid sh -c 'echo $$ > p1; exec sleep 300' & echo hi; sleep 0.2"
        )
    await until(lambda: bool(pid_in(tmp_path / "p1")))
    os.kill(pid_in(tmp_path / "p1"), signal.SIGKILL)

    assert outputs["stdout"] == "hi"


async def test_an_emit_that_raises_ends_the_command(tmp_path: Path) -> None:
    """Nobody would read its pipe any more, and it would wait for ever."""
    with pytest.raises(RuntimeError, match="no room"):
        await completed(_Raising(tmp_path), "echo $$ > p0; echo hi; sleep 300")

    assert not is_running(pid_in(tmp_path / "p0"))


class _Raising(KeptContext):
    """Cannot take anything."""

    async def emit(self, stream: int, data: bytes) -> None:
        """Raise."""
        raise RuntimeError("no room")


async def test_an_emit_that_hangs_does_not_hold_up_a_cancel(tmp_path: Path) -> None:
    """A store that is stuck must not keep a command alive."""
    context = _Hanging(tmp_path)
    task = asyncio.create_task(Shell(grace=0.2).run({"command": "echo $$ > p0; yes"}, context))
    await until(context.is_stuck.is_set)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, timeout=4)

    assert not is_running(pid_in(tmp_path / "p0"))


class _Hanging(KeptContext):
    """Never comes back."""

    def __init__(self, working_dir: Path) -> None:
        super().__init__(working_dir)
        self.is_stuck = asyncio.Event()

    async def emit(self, stream: int, data: bytes) -> None:
        """Hang."""
        self.is_stuck.set()
        await asyncio.Event().wait()


async def test_it_works_where_nothing_tells_that_a_process_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without pidfd (macOS, old kernels) the process is asked."""
    monkeypatch.delattr(os, "pidfd_open", raising=False)

    outputs = await completed(tmp_path, "echo hi")

    assert outputs["stdout"] == "hi"


def test_a_loop_that_is_torn_down_takes_the_command_with_it(tmp_path: Path) -> None:
    """`asyncio.run` cancels every task when its main one ends, the cleaning ones too."""

    async def leave_it() -> None:
        started = _Started(tmp_path, "trap '' TERM; " + TWO_SLEEPERS, grace=30)
        await started.is_up()
        started.task.cancel()
        await asyncio.wait({started.task}, timeout=0.1)

    thread = threading.Thread(target=lambda: asyncio.run(leave_it()))
    thread.start()
    thread.join(timeout=20)

    async def gone() -> None:
        await until(
            lambda: not is_running(pid_in(tmp_path / "p0")) and not is_running(pid_in(tmp_path / "p1"))
        )

    asyncio.run(gone())
    assert not thread.is_alive()


async def test_nothing_stays_open(tmp_path: Path) -> None:
    """No descriptor and no child is left by many blocks, however they end."""
    before = _open_files()

    await asyncio.gather(*(completed(tmp_path, "cat; exit 0", stdin="x" * 100_000) for _ in range(20)))
    started = [_Started(tmp_path, "echo $$ > p0; echo $$ > p1; sleep 300") for _ in range(5)]
    await started[0].is_up()
    for block in started:
        block.task.cancel()
    await asyncio.gather(*(block.task for block in started), return_exceptions=True)

    assert _open_files() == before
    with pytest.raises(ProcessLookupError):
        os.kill(pid_in(tmp_path / "p0"), 0)


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_the_exit_code_is_the_programs(tmp_path: Path) -> None:
    """Minus the signal's number for one that was killed."""
    codes = []
    for text in ("exit 5", "kill -TERM $$"):
        program = Program(("/bin/sh", "-c", text), dict(os.environ), str(tmp_path))
        codes.append(await ProcessGroup(program).run(KeptContext(tmp_path).emit))

    assert codes == [5, -15]
