"""DBOS, with its steps in a workflow: its synchronous API for one run in a row, its asynchronous one otherwise.

``--wal`` after the folder sets the database to write-ahead logging before DBOS opens it, which DBOS
itself does not do.
"""

import asyncio
import sqlite3
import sys
from pathlib import Path
from typing import Any

from dbos import DBOS, DBOSConfig, SetWorkflowID
from protocol import Meter, Task, task, text_of

IS_WAL = "--wal" in sys.argv
if IS_WAL:
    sys.argv.remove("--wal")
TASK = task()
METER = Meter(TASK)
TEXT = text_of(TASK.workload)
RUN = "measured"


@DBOS.step()
def step(number: int) -> dict[str, Any]:
    """Count, and return some text."""
    METER.step(number + 1)
    return {"n": number + 1, "text": TEXT(number + 1)}


@DBOS.step()
async def step_async(number: int) -> dict[str, Any]:
    """Do the same."""
    METER.step(number + 1)
    return {"n": number + 1, "text": TEXT(number + 1)}


@DBOS.workflow()
def in_a_row(steps: int) -> int:
    """Run steps, each of which needs the one before."""
    number = 0
    for _ in range(steps):
        number = step(number)["n"]
    return number


@DBOS.workflow()
async def in_a_row_async(steps: int) -> int:
    """Do the same."""
    number = 0
    for _ in range(steps):
        number = (await step_async(number))["n"]
    return number


@DBOS.workflow()
async def wide(steps: int) -> int:
    """Run steps that need nothing of each other."""
    found = await asyncio.gather(*(step_async(number) for number in range(steps)))
    return int(found[-1]["n"])


def _open() -> None:
    file = TASK.folder / "dbos.sqlite"
    if IS_WAL and not file.exists():
        _set_wal(file)
    config: DBOSConfig = {
        "name": "durability",
        "system_database_url": f"sqlite:///{file}",
        "application_version": "1",
        "log_level": "ERROR",
    }
    DBOS(config=config)
    DBOS.launch()


def _set_wal(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


async def _many(wanted: Task) -> list[int]:
    workflow = wide if wanted.workload.is_wide else in_a_row_async
    await (await DBOS.start_workflow_async(in_a_row_async, 3)).get_result()
    METER.begin()
    handles = [await DBOS.start_workflow_async(workflow, wanted.steps) for _ in range(wanted.workload.runs)]
    found = list(await asyncio.gather(*(handle.get_result() for handle in handles)))
    METER.end()
    return found


def _one(wanted: Task) -> list[int]:
    in_a_row(3)
    METER.begin()
    with SetWorkflowID(RUN):
        found = [in_a_row(wanted.steps)]
    METER.end()
    return found


def _measure() -> list[int]:
    if TASK.phase == "resume":
        METER.begin()
        _open()  # It goes on with what was interrupted.
        found = [DBOS.retrieve_workflow(RUN).get_result()]
        METER.end()
        return found
    _open()
    if TASK.workload.is_wide or TASK.workload.runs > 1:
        return asyncio.run(_many(TASK))
    return _one(TASK)


def main() -> None:
    """Do what the command line asks for."""
    found = _measure()
    DBOS.destroy()
    if set(found) != {TASK.steps}:
        raise RuntimeError(f"the last steps have the numbers {found}")
    METER.tell()


if __name__ == "__main__":
    main()
