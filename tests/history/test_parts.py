"""Blocks with many parts, and runs below runs: bounded, and what needs somebody first."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import World, world
from tidegate.errors import BlockNotFound, PauseNotFound, WhichPause
from tidegate.history.narrate import narrate
from tidegate.history.parts import note_of, parts_of, place_json, places_of
from tidegate.history.spans import size, span
from tidegate.model.events import LoopTurned, RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.policy import ForEach
from tidegate.model.state import BlockStatus
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition

EACH = BlockId("each")


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world on an in-memory store."""
    async with world(tmp_path) as opened:
        yield opened


KID = """
    name: kid
    inputs: {who: {type: string, required: true}}
    blocks:
      - {id: gate, type: GetInput, inputs: {prompt: "For ${who}?"}}
      - {id: twin, type: GetInput, inputs: {prompt: "Twin of ${who}?"}}
"""

CALLS = """
    name: calls
    blocks:
      - id: deploy
        type: ExecuteWorkflow
        for_each: {items: [a/b, red]}
        inputs: {workflow: kid, inputs: {who: "${item}"}}
      - {id: own, type: GetInput, for_each: {items: [one, two]}, inputs: {prompt: "Own ${item}?"}}
      - {id: quiet, type: Shell, inputs: {command: "true"}}
"""

ITEMS = """
    name: items
    blocks:
      - id: each
        type: Shell
        for_each: {items: "${list.result}"}
        depends_on: [list]
        inputs: {command: "test ${item} != 28"}
      - {id: list, type: Shell, inputs: {command: "seq 30", parse: lines}}
"""

POLLS = """
    name: polls
    blocks:
      - id: poll
        type: Shell
        loop: {until: "${poll.stdout} == 'xxx'", max_iterations: 5}
        inputs: {command: "printf x >> seen; cat seen"}
"""


async def _calls(ground: World) -> str:
    from tidegate.blocks.registry import catalog
    from tidegate.workflows.loader import load_workflow

    (ground.folder / "kid.yaml").write_text(KID, encoding="utf-8")
    path = ground.folder / "calls.yaml"
    path.write_text(CALLS, encoding="utf-8")
    run_id = await ground.start(load_workflow(path, catalog()).definition)
    await ground.rest(run_id)
    return run_id


async def test_the_questions_of_a_run_are_those_of_everything_below_it(ground: World) -> None:
    """Seen from the top, and from a run in the middle; each is found by its place."""
    top = await ground.history.find_run(await _calls(ground))
    tree = await ground.history.tree(top)
    red = next(branch.view for branch in tree.below() if branch.place == "deploy[red]")

    assert len(await ground.history.inbox(top)) == 6
    assert {row.run_id for row in await ground.history.inbox(red.row.run_id)} == {red.row.run_id}
    assert {branch.place for branch in tree.below()} == {"deploy[a/b]", "deploy[red]"}
    for word, question in (
        ("own[one]", "Own one?"),
        ("deploy[red]/twin", "Twin of red?"),
        ("deploy[a/b]/gate", "For a/b?"),
    ):
        assert (await ground.history.find_pause(top, word)).prompt.text == question


async def test_an_answer_without_an_item_is_refused_listing_the_items(ground: World) -> None:
    """G2, R18: for a block with several open items, for a run that has several, and for a run of items."""
    top = await _calls(ground)

    with pytest.raises(WhichPause, match=r"2 open pauses.*\(own\[one\]\).*\(own\[two\]\)"):
        await ground.history.find_pause(top, "own")
    with pytest.raises(WhichPause, match=r"2 open pauses.*deploy\[red\]/gate.*deploy\[red\]/twin"):
        await ground.history.find_pause(top, "deploy[red]")
    with pytest.raises(WhichPause, match="6 open pauses"):
        await ground.history.find_pause(top)
    with pytest.raises(PauseNotFound, match="no open pause at block 'quiet'"):
        await ground.history.find_pause(top, "quiet")
    with pytest.raises(BlockNotFound, match="no block 'elsewhere'"):
        await ground.history.find_pause(top, "elsewhere")


async def test_failed_items_come_first_and_the_rest_is_counted(ground: World) -> None:
    """However many there are, no more are shown than asked for."""
    state = await ground.run(ITEMS)
    parts = parts_of(state, EACH, limit=3)

    assert parts is not None
    assert parts.shown == ("each[28]", "each[1]", "each[2]")
    assert (parts.total, parts.hidden, parts.ended) == (30, 27, 30)
    assert parts.counts == {BlockStatus.SUCCEEDED: 29, BlockStatus.FAILED: 1}
    assert parts.text == "30 of 30 items done: 29 succeeded, 1 failed"
    assert parts_of(state, BlockId("list")) is None
    assert places_of(state, "each[28]") == ("each[28]",)
    assert places_of(state, "each[99]") == ()
    assert len(places_of(state, "each")) == 31
    assert place_json(state, EACH, limit=1)["items"] == {
        "total": 30,
        "counts": {"succeeded": 29, "failed": 1},
        "shown": [place_json(state, BlockId("each[28]"))],
    }


async def test_of_a_loop_the_newest_iteration_comes_first(ground: World) -> None:
    """It has as many as have begun."""
    state = await ground.run(POLLS)
    parts = parts_of(state, BlockId("poll"))

    assert state.status is RunStatus.SUCCEEDED
    assert parts is not None
    assert parts.shown == ("poll#3", "poll#2", "poll#1")
    assert parts.text == "iteration 3"


async def test_a_run_with_ten_thousand_pending_items_is_told_in_twenty(ground: World) -> None:
    """Its document does not grow with them."""
    block = BlockDefinition(
        id=EACH,
        type="ConfirmOperation",
        interactive=True,
        for_each=ForEach(items=list(range(10_000)), max_parallel=1),
        inputs={"message": "go?", "operation": "deploy"},
    )
    definition = WorkflowDefinition(name="big", blocks=(block,), waves=((EACH,),), working_dir="/")
    state = await ground.run(definition)
    found = place_json(state, EACH)["items"]

    assert isinstance(found, dict)
    assert found["counts"] == {"pending": 9_999, "paused": 1}
    assert isinstance(found["shown"], list)
    assert len(found["shown"]) == 20
    assert note_of(state, EACH, 0.0) == "0 of 10,000 items done: 9,999 pending, 1 paused"


def test_times_to_come_are_told_from_when_they_were_set() -> None:
    """Or as an instant, where that is not known."""
    turned = LoopTurned(block=BlockId("poll"), at=1_000_004.0)

    assert narrate(turned, 1_000_000.0) == "↻ poll: once more in 4 s"
    assert narrate(turned, 1_000_004.0) == "↻ poll: once more"
    assert narrate(turned) == "↻ poll: once more at 1970-01-12T13:46:44+00:00"
    assert [span(seconds) for seconds in (-1, 3.2, 300, 7_500, 90_000)] == [
        "0 s",
        "4 s",
        "5 min",
        "2 h 5 min",
        "1 d 1 h",
    ]


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1_500, "1.5 kB"), (20_000_000_000, "20.0 GB"), (9**18, "150094.6 TB")],
)
def test_sizes_are_told_in_the_unit_that_fits(count: int, words: str) -> None:
    """There is none above the last one."""
    assert size(count) == words
