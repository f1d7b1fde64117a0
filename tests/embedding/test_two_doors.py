"""Several programs, and the command line, on one store at once."""

import asyncio
from pathlib import Path

import tidegate
from cli.calling import Tidegate as CommandLine
from embedding.gates import BUSY, GATE, TWO
from running import until
from tidegate.errors import AlreadyAnswered, LeaseHeld


async def call(command: CommandLine, *words: str) -> int:
    """Call the command line in a process of its own; return its exit code."""
    done = await asyncio.to_thread(command.call, *words)
    assert done.code in (0, 4, 6), done.err
    return done.code


async def test_two_programs_and_the_command_line_drive_one_run(tmp_path: Path) -> None:
    """Each question is answered through another door; whoever waits sees the end."""
    command = CommandLine(tmp_path)
    async with tidegate.open(command.store) as one, tidegate.open(command.store) as other:
        run = await one.execute_workflow(one.workflow(TWO, working_dir=tmp_path))
        by_block = {str(pause.block): pause.pause_id for pause in run.pauses}
        following = asyncio.create_task(_until_ended(other))
        await call(command, "answer", by_block["one"], "yes", "--no-wait")
        ended = await other.resume_workflow(run.run_id, "blue")
        seen = await asyncio.wait_for(following, 20)
        here = await one.wait(run.run_id)

    assert ended.outputs == {"one": True, "other": "blue"}
    assert here == ended
    assert seen == run.run_id


async def _until_ended(gate: tidegate.Tidegate) -> str:
    async for run in gate.changes(backlog=True):
        if run.status.is_terminal:
            return run.run_id
    raise AssertionError("it was closed before")


async def test_a_question_is_answered_by_the_command_line_while_a_program_waits(tmp_path: Path) -> None:
    """The program's follower sees the end, whoever drove it there."""
    command = CommandLine(tmp_path)
    async with tidegate.open(command.store) as gate:
        run = await gate.execute_workflow(gate.workflow(GATE, working_dir=tmp_path))
        following = asyncio.create_task(_until_ended(gate))
        code = await call(command, "answer", run.pauses[0].pause_id, "yes")
        ended = await asyncio.wait_for(following, 20)
        result = await gate.get_run(ended)

    assert code == 0
    assert (result.status, result.outputs) == (tidegate.RunStatus.SUCCEEDED, {"said": "gone"})


async def test_of_several_doors_one_wins_and_each_other_is_told(tmp_path: Path) -> None:
    """A yes here, a yes there and a no on the command line: one answer is kept."""
    command = CommandLine(tmp_path)
    async with tidegate.open(command.store) as one, tidegate.open(command.store) as other:
        run = await one.execute_workflow(one.workflow(GATE, working_dir=tmp_path))
        pause = run.pauses[0].pause_id
        said = await asyncio.gather(
            one.answer(pause, True, by="one"),
            other.answer(pause, False, by="other"),
            call(command, "answer", pause, "no", "--by", "cli"),
            return_exceptions=True,
        )
        result = await one.wait(run.run_id)

    lost = [answer for answer in said if isinstance(answer, AlreadyAnswered) or answer == 6]
    was_yes = result.status is tidegate.RunStatus.SUCCEEDED
    assert len(lost) == (2 if was_yes else 1)
    assert (tmp_path / "log").exists() == was_yes


async def test_a_run_that_somebody_drives_is_not_driven_twice(tmp_path: Path) -> None:
    """The other one is told who drives it, and may wait for it."""
    url = f"sqlite:///{tmp_path}/store.db"
    async with tidegate.open(url) as one, tidegate.open(url, adopts=True) as other:
        run_id = await one.start(one.workflow(BUSY, working_dir=tmp_path))

        async def is_there() -> bool:
            return (tmp_path / "begun").exists()

        await until(is_there)
        try:
            await other.resume_workflow(run_id)
        except LeaseHeld as error:
            refused = str(error)
        (tmp_path / "go").touch()
        ended = await other.wait(run_id)

    assert f"run {run_id} is driven by" in refused
    assert ended.status is tidegate.RunStatus.SUCCEEDED
    assert (tmp_path / "log").read_text() == "worked\n"


async def test_a_program_that_stays_takes_over_what_was_left_behind(tmp_path: Path) -> None:
    """A run whose process was killed goes on where somebody adopts."""
    command = CommandLine(tmp_path)
    command.file("busy.yaml", BUSY)
    process = command.start("run", "busy.yaml")

    async def is_there() -> bool:
        return (tmp_path / "begun").exists()

    await until(is_there)
    process.kill()
    await asyncio.to_thread(process.communicate)
    (tmp_path / "go").touch()
    async with tidegate.open(command.store, adopts=True) as gate:
        [run] = await gate.list_runs()

        async def has_ended() -> bool:
            return (await gate.get_run(run.run_id)).status is tidegate.RunStatus.SUCCEEDED

        await until(has_ended)
