"""What is left after crashes: going on to the end as a careful person would, and looking at the books."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from lives import carry_on, life, url_of
from running import World, until, world
from store_invariants import check_store
from tidegate.engine.leftovers import leftovers
from tidegate.model.answer import Reply
from tidegate.model.base import Json
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import PauseRow, RunRow
from tidegate.model.prompt import RecoveryPrompt
from tidegate.model.value import Inline

__all__ = ["Answering", "answer_open", "check_books", "lines", "result_of", "to_the_end", "tree"]

Answering = Callable[[PauseRow], str]
"""What a person answers to a question."""
_ROUNDS = 12
"""Of answering and going on until a run that has not ended is stuck."""

_VOLATILE = frozenset({"duration_s", "path", "run_id", "until", "waited_s", "changed", "headers", "url"})


def lines(file: Path) -> list[str]:
    """Return the lines of a file that commands append to; none if it is not there."""
    return file.read_text().splitlines() if file.exists() else []


async def answer_open(ground: World, answering: Answering) -> int:
    """Answer every open question, and leave it to others to go on; return how many there were.

    Whoever is asked what became of a cut-off block looks first, once nothing of it runs any more.
    """
    pauses = await ground.history.inbox()
    for pause in pauses:
        if isinstance(pause.prompt, RecoveryPrompt):

            async def is_quiet(pause: PauseRow = pause) -> bool:
                return not await leftovers(pause.run_id, pause.block, pause.attempt)

            await until(is_quiet)
        reply = Reply(raw=answering(pause), by="ana", via="test")
        await ground.executor.answer(pause.pause_id, reply, drive=False)
    return len(pauses)


async def to_the_end(folder: Path, answering: Answering) -> None:
    """Let one process after the other go on, and answer what they ask, until every run has ended."""
    for _ in range(_ROUNDS):
        assert life(folder, carry_on)
        async with world(folder, url_of(folder)) as ground:
            asked = await answer_open(ground, answering)
            rows = await tree(ground)
            if all(row.summary.status.is_terminal for row in rows):
                return
            assert asked, [(row.path, row.summary, row.owner) for row in rows]
    raise AssertionError("the run does not come to its end")


async def tree(ground: World) -> tuple[RunRow, ...]:
    """Return every run of the store, the first one first."""
    return tuple(view.row for view in await ground.history.runs())[::-1]


async def check_books(ground: World) -> None:
    """Fail unless the store keeps every law, and each block called its run once: for trees of which nothing was rerun."""
    await check_store(ground.store)
    rows = await tree(ground)
    assert all(row.summary.status is not RunStatus.RUNNING or row.owner for row in rows)
    parents = Counter((row.parent, row.path) for row in rows if row.parent is not None)
    assert all(count == 1 for count in parents.values()), parents


async def result_of(ground: World, run_id: RunId) -> dict[str, object]:
    """Return what must be the same however often a run was cut off: its end, and that of every place of it."""
    state = await ground.history.state(run_id)
    assert state.finished is not None
    blocks = list(state.graph.blocks)
    parts = [part for block in blocks for part in state.parts_of(block)]
    found: dict[str, object] = {"": (state.finished.status.value, _steady(state.finished.outputs))}
    for place in (*blocks, *parts):
        block = state.block(place)
        outputs = {
            name: value.value if isinstance(value, Inline) else value.sha256
            for name, value in block.outputs.items()
        }
        found[place] = (block.status.value, _steady(outputs))
    return found


def _steady(value: Json) -> Json:
    """Return *value* without what is another each time."""
    if isinstance(value, dict):
        return {name: _steady(part) for name, part in value.items() if name not in _VOLATILE}
    return [_steady(part) for part in value] if isinstance(value, list) else value
