"""A run in which nothing can go on, though it has not ended: whoever takes it up says so, once."""

import asyncio
from pathlib import Path

from running import World, until, world
from tidegate.model.events import Origin, Record, RunForked
from tidegate.model.fold import apply
from tidegate.model.ids import BlockId, RunId, Seq, new_run_id
from tidegate.model.workflow import definition_hash
from tidegate.store.protocol import NewRun

ITEMS = """
name: items
blocks:
  - {id: ask, type: ConfirmOperation, for_each: [p, q], inputs: {message: "ok ${item}?", operation: go}}
"""


async def stuck_run(ground: World) -> RunId:
    """Return a fork that says of one of two items that wait that it begins again, and nothing of the other."""
    run_id = await ground.start(ITEMS)
    await ground.rest(run_id)
    before = await ground.history.state(run_id)
    event = RunForked(
        origin=Origin(run_id=run_id, seq=before.head),
        definition=definition_hash(before.graph.definition),
        again=(BlockId("ask[p]"), BlockId("ask")),
    )
    forked, now = new_run_id(), before.updated_at
    record = Record(run_id=forked, seq=Seq(before.head + 1), at=now, event=event)
    after = apply(before.evolve(run_id=forked), record)
    await ground.store.create_run(
        NewRun(
            run_id=forked,
            definition=before.graph.definition,
            definition_hash=event.definition,
            at=now,
            events=(event,),
            summary=after.summarise(),
        )
    )
    return forked


async def test_a_run_in_which_nothing_can_go_on_is_given_up(tmp_path: Path) -> None:
    """It is not taken up again and again, and whoever looks is told what to do; it can still be cancelled."""
    async with world(tmp_path, f"sqlite://{tmp_path}/t.db", adopts=True) as ground:
        run_id = await stuck_run(ground)
        await ground.executor.adopt()
        await ground.answer_and_rest(run_id, "ask[p]", "yes")

        async def is_given_up() -> bool:
            return run_id in ground.executor.troubles

        await until(is_given_up)
        head = (await ground.store.run(run_id)).head
        await asyncio.sleep(1.5)
        assert (await ground.store.run(run_id)).head == head
        assert "nothing in it can go on" in ground.executor.troubles[run_id]
        await ground.executor.cancel(run_id, by="ana", reason="enough")
        await ground.rest(run_id)
        assert (await ground.history.state(run_id)).status.is_terminal
