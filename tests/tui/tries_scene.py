"""A store with one run that has tried, waited and been late, and with what it wrote."""

from tidegate.model.events import AttemptFailed, Failure, RunHeld, RunReleased, WaveStarted
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import OutputChunk, Stream
from tidegate.model.policy import FailureKind, RetryPolicy
from tidegate.model.workflow import Schedule
from tidegate.store.protocol import Store
from tui.parts_scene import block, workflow
from tui.scene import NOW, PROMOTE, begin, started, succeeded

__all__ = ["RELEASE", "fill_tries"]

RUN = RunId("rw4t8k2m6pzn")
RELEASE = workflow(
    "release",
    block("build"),
    block("e2e", after=("build",), retry=RetryPolicy(max_attempts=3, delay=60.0)),
    block("docs", after=("build",)),
    block("approve", kind="ConfirmOperation", after=("docs",), interactive=True),
    block("deploy", after=("approve", "e2e")),
    waves=(("build",), ("e2e", "docs"), ("approve",), ("deploy",)),
).evolve(schedule=Schedule.EAGER)


async def fill_tries(store: Store) -> None:
    """Tell a run of ten minutes: two attempts that failed, one at work, a question that is late, a pause."""
    run = await begin(store, RELEASE, RUN, 600)
    failure = Failure(kind=FailureKind.TIMEOUT, message="add_to_cart took longer than 5 s")
    await run.tell(0.0, WaveStarted(wave=0), started("build"))
    await run.tell(60.0, succeeded("build", 60.0))
    await run.tell(0.0, WaveStarted(wave=1), started("e2e"), started("docs"))
    await run.tell(30.0, succeeded("docs", 30.0))
    await run.ask("approve", PROMOTE, limit=290.0)
    await run.tell(60.0, AttemptFailed(block=BlockId("e2e"), attempt=1, failure=failure, retry_at=NOW - 390))
    await run.tell(20.0, RunHeld(by="ana"))
    await run.tell(40.0, RunReleased(by="ana"))
    await run.tell(0.0, started("e2e").evolve(attempt=2))
    await run.tell(150.0, AttemptFailed(block=BlockId("e2e"), attempt=2, failure=failure, retry_at=NOW - 180))
    await run.tell(60.0, started("e2e").evolve(attempt=3))
    await _write(
        store, 1, ["INFO suite checkout: 40 passed", "ERROR add_to_cart: timeout", "  at cart.py:41"]
    )
    await _write(store, 2, ["INFO suite checkout: 41 passed", "ERROR add_to_cart: timeout"])
    await _write(
        store, 3, [f"INFO case {n} passed" for n in range(1, 31)] + ["WARN slow step add_to_cart 4.8 s"]
    )


async def _write(store: Store, attempt: int, lines: list[str]) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    chunk = OutputChunk(n=0, stream=Stream.STDOUT, offset=0, data=data)
    more = OutputChunk(n=1, stream=Stream.STDERR, offset=0, data=b"DeprecationWarning: shards\n")
    await store.write_output(RUN, BlockId("e2e"), attempt, [chunk, more])
