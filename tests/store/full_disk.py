"""A disk that fills up under a real run: ``python full_disk.py FOLDER STEP``, a line of JSON for each try.

In each try the files of this process may grow a little further than in the one before, and not further. So
each write of the run fails in some try: its creation, an intent, an outcome, an answer. The last try is the
one in which nothing failed.
"""

import asyncio
import json
import os
import resource
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from running import World, statuses, until, world
from tidegate.errors import RunFinished, StoreUnavailable
from tidegate.history.verify import verify
from tidegate.model.answer import Reply
from tidegate.model.ids import RunId
from tidegate.model.listing import PauseFilter

WORKFLOW = """
    name: deploy
    blocks:
      - {id: one, type: Shell, effect: idempotent, inputs: {command: "echo one >> effects; echo done one"}}
      - {id: gate, type: ConfirmOperation, depends_on: [one], inputs: {message: "Go?", operation: deploy}}
      - {id: two, type: Shell, depends_on: [gate], effect: idempotent, inputs: {command: "echo two >> effects; echo done two"}}
      - {id: three, type: Shell, depends_on: [two], effect: idempotent, inputs: {command: "echo three >> effects; echo done three"}}
    outputs: {said: "${one.stdout}, ${two.stdout}, ${three.stdout}"}
"""
_LOG_HEADER, _FRAME = 32, 4096 + 24
_PATIENCE = 0.5
"""Seconds in which nothing may happen any more."""


@dataclass
class Try:
    """What happened in one try."""

    room: int
    """Bytes that the log could grow by."""
    failed: int = 0
    """How often something could not be written."""
    trouble: str = ""
    """Why the run was held, as far as anybody was told."""
    answer_refused: bool = False
    crept: bool = False
    """Whether anything outside happened while nothing could be written."""
    ends: dict[str, object] | None = None
    effects: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    was_closed: bool = False
    """Whether its process gave up, and another one went on."""


def allow(size: int) -> None:
    """Let no file of this process become longer; -1: whatever it wants."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


async def fill_up(folder: Path, told: Try, *, goes_on: bool) -> RunId | None:
    """Run the workflow where only so much room is left; and, if this process goes on, where there is enough again."""
    async with world(folder, f"sqlite://{folder}/tidegate.db") as made:
        log = folder / "tidegate.db-wal"
        allow(max(log.stat().st_size if log.exists() else 0, _LOG_HEADER) + told.room)
        run_id = await _until_it_fails(made, told)
        if goes_on:
            allow(-1)
            await _finish(made, told, run_id)
        return run_id


async def go_on(folder: Path, told: Try, run_id: RunId | None) -> None:
    """Go on with what another process has left."""
    async with world(folder, f"sqlite://{folder}/tidegate.db") as made:
        await _finish(made, told, run_id)


def attempt(folder: Path, told: Try) -> Try:
    """Run the workflow on a disk that fills up, to its end; in one process or in two."""
    if not told.was_closed:
        asyncio.run(fill_up(folder, told, goes_on=True))
        return told
    said, saying = os.pipe()
    if (child := os.fork()) == 0:
        run_id = asyncio.run(fill_up(folder, told, goes_on=False))
        os.write(saying, json.dumps([asdict(told), run_id]).encode())
        os._exit(0)
    os.close(saying)
    with os.fdopen(said) as lines:
        found, run_id = json.loads(lines.read())
    os.waitpid(child, 0)
    told = Try(**found)
    asyncio.run(go_on(folder, told, run_id))
    return told


async def _until_it_fails(made: World, told: Try) -> RunId | None:
    try:
        run_id = await made.start(WORKFLOW)
    except StoreUnavailable as error:
        told.failed, told.trouble = 1, str(error)
        return None
    for _ in range(2):
        if await _rests(made, run_id, told) or not await made.history.inbox(run_id):
            break
        try:
            await made.answer(run_id, "gate", "yes")
        except StoreUnavailable as error:
            told.failed, told.trouble, told.answer_refused = 1, str(error), True
            break
    return run_id


async def _rests(made: World, run_id: RunId, told: Try) -> bool:
    """Return once a run rests or is held; whether it is held."""
    settled = asyncio.ensure_future(made.executor.settle(run_id))

    async def is_over() -> bool:
        return settled.done() or bool(made.executor.troubles)

    await until(is_over)
    if not made.executor.troubles:
        await settled
        return False
    told.failed, told.trouble = 1, next(iter(made.executor.troubles.values()))
    before = _effects(made.folder)
    await asyncio.sleep(_PATIENCE)
    # What was at work when it failed may end; nothing after it may begin.
    told.crept = len(_effects(made.folder)) > len(before) + 1
    settled.cancel()
    await asyncio.gather(settled, return_exceptions=True)
    return True


async def _finish(made: World, told: Try, run_id: RunId | None) -> None:
    run_id = run_id or await made.start(WORKFLOW)
    if told.was_closed:
        with suppress(RunFinished):  # Only giving back its lease has failed.
            await made.executor.resume(run_id, by="ana")
    await made.rest(run_id)
    if told.answer_refused or await made.history.inbox(run_id):
        # Refused or not, it may have been kept, and only driving on have failed: the same answer twice is success.
        (pause,) = await made.store.pauses(PauseFilter(run_id=run_id, open_only=False))
        await made.executor.answer(pause.pause_id, Reply(raw="yes", by="ana", via="test"))
        await made.rest(run_id)
    state = await made.history.state(run_id)
    outputs = state.finished.outputs if state.finished is not None else None
    told.ends = {**statuses(state), "run": state.status.value, "outputs": outputs}
    told.effects = _effects(made.folder)
    told.findings = tuple([line async for verdict in verify(made.store) for line in verdict.findings])


def _effects(folder: Path) -> tuple[str, ...]:
    path = folder / "effects"
    return tuple(path.read_text(encoding="utf-8").split()) if path.exists() else ()


def main(folder: Path, step: int) -> None:
    """Try with a little more room each time, until nothing fails."""
    number, told = 0, Try(room=0, failed=1)
    while told.failed:
        place = folder / str(number)
        place.mkdir()
        told = attempt(place, Try(room=number * step * _FRAME, was_closed=number % 2 == 1))
        print(json.dumps(asdict(told)), flush=True)  # noqa: T201
        number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
