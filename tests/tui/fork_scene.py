"""A run that failed, and what was made of it: a fork, and a fork of that, told event by event."""

from tidegate.model.events import (
    AttemptFailed,
    CheckpointMarked,
    Failure,
    Origin,
    Record,
    RunFinished,
    RunForked,
    RunStatus,
    WaveStarted,
)
from tidegate.model.fold import apply
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.model.policy import CheckpointKind, FailureKind
from tidegate.model.workflow import definition_hash
from tidegate.store.protocol import NewRun, Store
from tidegate.store.replay import replay
from tui.scene import CLEANUP, ELSEWHERE, NOW, Told, begin, fill, started, succeeded

__all__ = ["fill_forks", "forked"]


async def forked(store: Store, origin: Origin, run_id: str, ago: float, *again: str, by: str = "ana") -> Told:
    """Create a run that goes on from a point of another one, *ago* seconds before now."""
    before = await replay(store, origin.run_id, upto=origin.seq)
    definition, at = before.graph.definition, NOW - ago
    event = RunForked(
        origin=origin,
        definition=definition_hash(definition),
        by=by,
        again=tuple(map(BlockId, again)),
        given={BlockId("remove"): {"command": "rm -rf old"}},
    )
    record = Record(run_id=RunId(run_id), seq=Seq(before.head + 1), at=at, event=event)
    state = apply(before.evolve(run_id=RunId(run_id)), record)
    await store.create_run(
        NewRun(
            run_id=state.run_id,
            definition=definition,
            definition_hash=event.definition,
            at=at,
            events=(event,),
            summary=state.summarise(),
            owner=ELSEWHERE,
            lease_until=NOW + 86_400,
        )
    )
    return Told(store, state, at)


async def fill_forks(store: Store) -> None:
    """Tell what the other scenes tell, and two forks of one more run."""
    await fill(store)
    run = await begin(store, CLEANUP, "rp5c2h7k9m4x", 60)
    await run.wave(0, 4.0, "list_files")
    await run.end_wave(0)
    point = Origin(run_id=run.state.run_id, seq=run.state.head)
    why = Failure(kind=FailureKind.EXIT, message="the command ended with exit code 3", exit_code=3)
    failed = AttemptFailed(block=BlockId("remove"), attempt=1, failure=why, duration=2.5)
    mark = CheckpointMarked(
        checkpoint_id=CheckpointId("chk_rp5c2hremove"), kind=CheckpointKind.FAILURE, block=BlockId("remove")
    )
    await run.tell(0.0, WaveStarted(wave=1), started("remove"))
    await run.tell(2.5, failed, mark)
    await run.tell(0.1, RunFinished(status=RunStatus.FAILED))
    first = await forked(store, point, "sq6d3j8m5n4y", 40)
    await first.tell(0.0, WaveStarted(wave=1), started("remove", "rm -rf old"))
    await first.tell(1.0, succeeded("remove", 1.0))
    await first.end_wave(1)
    other = Origin(run_id=first.state.run_id, seq=first.state.head)
    await first.wave(2, 3.0, "report")
    await first.tell(0.0, RunFinished(status=RunStatus.SUCCEEDED))
    second = await forked(store, other, "tr7f4k9n6p5z", 20, by="ben")
    await second.tell(0.0, WaveStarted(wave=2), started("report"))
