"""A story that has been told to its end, and forks of it."""

from collections.abc import Callable

from running import World
from tidegate.engine.forks.fork import ForkRequest
from tidegate.model.events import AttemptSucceeded, JournalEvent, Origin, Record
from tidegate.model.ids import RunId, Seq

Which = Callable[[JournalEvent], bool]

STORY = """
    name: story
    inputs:
      who: {type: string, default: ana}
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo a >> log"}}
      - {id: gate, type: GetInput, depends_on: [a], inputs: {prompt: "Value for ${who}?"}}
      - {id: b, type: Shell, depends_on: [gate], inputs: {command: "echo b ${gate.input_value} >> log"}}
      - {id: c, type: Shell, depends_on: [b], inputs: {command: "echo c >> log; echo ${who}"}}
    outputs: {value: "${gate.input_value}", who: "${c.stdout}"}
"""


def seq_of(records: tuple[Record, ...], which: Which) -> Seq:
    """Return the position of the first event that is meant."""
    return next(record.seq for record in records if which(record.event))


def ended(block: str) -> Which:
    """Return what recognises the success of a block."""
    return lambda event: isinstance(event, AttemptSucceeded) and event.block == block


async def fork(ground: World, run_id: RunId, seq: int, **how: object) -> RunId:
    """Fork a run, and return the new one once nothing of it moves."""
    request = ForkRequest(Origin(run_id=run_id, seq=Seq(seq)), **how)  # type: ignore[arg-type]
    forked = await ground.executor.fork(request, by="bea")
    await ground.rest(forked)
    return forked


async def finished_story(ground: World) -> tuple[RunId, tuple[Record, ...]]:
    """Run the story to its end, with the answer x."""
    run_id = await ground.start(STORY, who="ana")
    await ground.answer_and_rest(run_id, "gate", "x")
    return run_id, await ground.events(run_id)


def log_of(ground: World) -> list[str]:
    """Return what the commands have done."""
    return (ground.folder / "log").read_text().split("\n")[:-1]
