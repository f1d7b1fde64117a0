"""Tidegate, through its public Python API: a workflow of blocks of a type of the program's own."""

import asyncio
import importlib
from collections.abc import Mapping
from typing import Any

from protocol import Meter, Task, task, text_of

import tidegate
from tidegate.blocks.base import BlockContext, Completed, WorkBlock
from tidegate.blocks.checks import Inputs, input_check
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.workflow import Effect


class StepInputs(Inputs):
    """What a step is given."""

    n: int | str
    """The number of the step before it, which may be a reference."""


class Step(WorkBlock):
    """Counts, and returns some text."""

    spec = BlockSpec(
        type="Step",
        check=input_check(StepInputs),
        outputs={"n": ValueType.INTEGER, "text": ValueType.STRING},
        effect=Effect.PURE,
    )

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._text = text_of(meter.task.workload)

    async def run(self, inputs: Mapping[str, Any], context: BlockContext) -> Completed:
        """Do the work: none."""
        number = inputs["n"] + 1
        self._meter.step(number)
        return Completed({"n": number, "text": self._text(number)})

    def summary(self, inputs: Mapping[str, Any]) -> str:
        """Say what it is."""
        return "step"


def workflow(steps: int, *, is_wide: bool) -> str:
    """Return the YAML of a workflow of steps in a row, each of which needs the one before; or of one wave."""
    lines = ["name: steps", "max_parallel: 256", f'outputs: {{n: "${{s{steps}.n}}"}}', "blocks:"]
    lines.append("- {id: s1, type: Step, inputs: {n: 0}}")
    for number in range(2, steps + 1):
        given = f"n: {number - 1}" if is_wide else f'n: "${{s{number - 1}.n}}"'
        needed = "" if is_wide else f" depends_on: [s{number - 1}],"
        lines.append(f"- {{id: s{number}, type: Step,{needed} inputs: {{{given}}}}}")
    return "\n".join(lines)


async def _run(gate: tidegate.Tidegate, loaded: Any, runs: int) -> list[Any]:
    ids = await asyncio.gather(*(gate.start(loaded) for _ in range(runs)))
    return list(await asyncio.gather(*(gate.wait(run_id) for run_id in ids)))


async def _measure(wanted: Task, meter: Meter) -> None:
    async with tidegate.open(wanted.folder / "tidegate.db", blocks={"Step": Step(meter)}) as gate:
        await _run(gate, gate.workflow(workflow(3, is_wide=False)), 2)
        loaded = gate.workflow(workflow(wanted.steps, is_wide=wanted.workload.is_wide))
        meter.begin()
        results = await _run(gate, loaded, wanted.workload.runs)
        meter.end()
    _check(results, wanted)


async def _resume(wanted: Task, meter: Meter) -> None:
    # Loaded when the first store is opened. Of nobody else are imports measured.
    importlib.import_module("tidegate.store.sqlite.store")
    meter.begin()
    async with tidegate.open(wanted.folder / "tidegate.db", blocks={"Step": Step(meter)}) as gate:
        (run,) = await gate.list_runs("steps", limit=1)
        results = [await gate.resume_workflow(run.run_id)]
        meter.end()
    _check(results, wanted)


def _check(results: list[Any], wanted: Task) -> None:
    for result in results:
        if result.outputs != {"n": wanted.steps}:
            raise RuntimeError(f"run {result.run_id} is {result.status}: {result.reason} {result.outputs}")


def main() -> None:
    """Do what the command line asks for."""
    wanted = task()
    meter = Meter(wanted)
    asyncio.run(_resume(wanted, meter) if wanted.phase == "resume" else _measure(wanted, meter))
    meter.tell()


if __name__ == "__main__":
    main()
