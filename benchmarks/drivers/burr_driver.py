"""Apache Burr: one action that is repeated, with its SQLite persister, which keeps the whole state after each."""

import asyncio
from typing import Any

from burr.core import ApplicationBuilder, State, action, default, expr
from burr.integrations.persisters.b_aiosqlite import AsyncSQLitePersister
from protocol import Meter, Task, drive, text_of


def _actions(meter: Meter) -> dict[str, Any]:
    text = text_of(meter.task.workload)

    @action(reads=["n", "texts"], writes=["n", "texts"])
    async def step(state: State[Any]) -> State[Any]:
        number = state["n"] + 1
        meter.step(number)
        return state.update(n=number).append(texts=text(number))

    @action(reads=[], writes=[])
    async def end(state: State[Any]) -> State[Any]:
        return state

    return {"step": step, "end": end}


async def _run(persister: AsyncSQLitePersister, meter: Meter, name: str, steps: int) -> int:
    application = await (
        ApplicationBuilder()
        .with_actions(**_actions(meter))
        .with_transitions(("step", "step", expr(f"n < {steps}")), ("step", "end", default))
        .with_identifiers(app_id=name)
        .initialize_from(
            persister,
            resume_at_next_action=True,
            default_state={"n": 0, "texts": []},
            default_entrypoint="step",
        )
        .with_state_persister(persister)
        .abuild()
    )
    _, _, state = await application.arun(halt_before=["end"])
    return int(state["n"])


async def _measure(wanted: Task, meter: Meter) -> list[int]:
    async with AsyncSQLitePersister.from_values(str(wanted.folder / "burr.db")) as persister:
        await persister.initialize()
        await _run(persister, meter, "warm", 3)
        meter.begin()
        runs = [_run(persister, meter, f"run {n}", wanted.steps) for n in range(wanted.workload.runs)]
        found = list(await asyncio.gather(*runs))
        meter.end()
    return found


async def _resume(wanted: Task, meter: Meter) -> list[int]:
    meter.begin()
    async with AsyncSQLitePersister.from_values(str(wanted.folder / "burr.db")) as persister:
        await persister.initialize()
        found = [await _run(persister, meter, "run 0", wanted.steps)]
        meter.end()
    return found


if __name__ == "__main__":
    drive(_measure, _resume)
