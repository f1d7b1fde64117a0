"""The tree of forks says what was edited for each, and the line of a fork what of it is inherited."""

from pathlib import Path

import pytest

from tidegate.engine.forks.edits import Edit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.history.views import RunView
from tidegate.model.answer import Reply
from tidegate.model.base import Json
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import Origin, RunForked, RunStatus
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import RunRow
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunSummary
from tidegate.tui.messages import TravelWanted
from tidegate.tui.present.lineage import Branch, edits_of, tree_lines
from tidegate.tui.present.timeline import Timeline, point_lines, scrubber
from tidegate.tui.reads.fork_wishes import editable
from tidegate.tui.reads.lineage import read_lineage
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tui.monitoring import Monitor, monitor
from tui.scene import NOW

SIZE = (120, 36)
ASKING = """
name: asking
inputs:
  who: {type: string, default: ana}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo 'for ${who}'"}, outputs: {made: "${blocks.build.outputs.stdout}"}}
  - {id: plain, type: Shell, inputs: {command: "echo plain"}}
  - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Ship it?"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "true"}}
"""


async def waiting(seen: Monitor) -> RunId:
    """Return a run that asks."""
    run_id = await seen.start(ASKING, who="ana")
    await seen.see("1 Inbox ◆1")
    return run_id


async def say_yes(seen: Monitor, run_id: RunId) -> None:
    """Answer its question, and wait until it has ended."""
    pause = await seen.ask(lambda session: session.history.find_pause(run_id))
    await seen.ask(lambda session: session.executor.answer(pause.pause_id, Reply("yes", by="ben", via="cli")))
    await seen.ask(lambda session: session.executor.settle(run_id))


async def forked(
    seen: Monitor, run_id: RunId, *edits: tuple[tuple[str, ...], Json], keep_answers: bool = False
) -> RunId:
    """Return a fork of a run as it is now, at rest."""
    head = (await seen.ask(lambda session: session.history.state(run_id))).head
    wanted = tuple(Edit(path, value) for path, value in edits)
    request = ForkRequest(Origin(run_id=run_id, seq=head), wanted, keep_answers=keep_answers)
    fork: RunId = await seen.ask(lambda session: session.executor.fork(request, by="ana"))
    await seen.ask(lambda session: session.executor.settle(fork))
    return fork


async def lines(seen: Monitor, run_id: RunId) -> dict[str, str]:
    """Return the lines of the tree of forks, by their keys."""
    tree = await seen.ask(lambda session: read_lineage(session, run_id))
    return {line.key: line.text for line in tree_lines(tree, run_id, 400)}


async def test_each_fork_says_what_was_edited_for_it(tmp_path: Path) -> None:
    """As one types it; of a question its other answer. What is kept only is no edit, in a fork of a fork either."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await waiting(seen)
        await say_yes(seen, run_id)
        no = await forked(
            seen, run_id, (("inputs", "who"), "[b]bob[/b]\x1b[31m"), (("blocks", "gate", "answer"), "no")
        )
        kept = await forked(seen, no, keep_answers=True)

        told = await lines(seen, run_id)
        assert told[f"edits:{no}"].lstrip("│ ") == (
            'edited: inputs.who="[b]bob[/b]\\u001b[31m", blocks.gate.answer=no'
        )
        assert f"edits:{kept}" not in told
        assert f"edits:{run_id}" not in told
        await seen.press("2")
        await seen.see(run_id[:6])
        await seen.press("g", "enter", "t")
        await seen.see("Forks", "edited: ")


def branch(run: str, **given: Json) -> Branch:
    """Return a fork that was given inputs."""
    event = RunForked(origin=Origin(run_id=RunId("above"), seq=Seq(3)), definition="d", inputs=dict(given))
    row = RunRow(
        run_id=RunId(run), workflow="w", definition="d", created_at=NOW, updated_at=NOW, head=Seq(9),
        summary=RunSummary(status=RunStatus.SUCCEEDED), origin=event.origin,
    )  # fmt: skip
    return Branch(RunView(row, RunStatus.SUCCEEDED), (), edits=edits_of(event, {}))


def test_what_is_told_of_edits_is_bounded() -> None:
    """A few of many, the beginning of a long one, and how many more there are."""
    [line, edits] = tree_lines(branch("fork", a="x" * 5_000, b=[1, 2], c=None, d=4, e=5), "", 400)

    assert not edits.selectable
    assert edits.text.startswith('   edited: inputs.a="xxx')
    assert edits.text.endswith("inputs.b=[1,2], inputs.c=null … 2 more")
    assert len(edits.text) < 150
    assert line.key == "fork"


def test_where_there_is_little_room_edits_are_brief_and_wrapped() -> None:
    """All of it can be read; the names that are the same in all paths are left out."""
    made = branch("fork")
    event = RunForked(
        origin=Origin(run_id=RunId("above"), seq=Seq(3)),
        definition="d",
        given={BlockId("remove"): {"command": "rm -rf old"}},
    )
    found = tree_lines(Branch(made.view, (), edits=edits_of(event, {})), "", 28)

    assert "".join(line.text.strip() for line in found[1:]).replace(" ", "") == (
        'edited:remove.command="rm-rfold"'
    )
    assert all(len(line.text) <= 28 for line in found)
    assert len({line.key for line in found}) == len(found)


@pytest.mark.parametrize(
    ("room", "end"), [(60, "◆ waits · started by root"), (32, "◆ waits · by root"), (24, "◆ waits")]
)
def test_who_started_a_fork_has_not_paused_it(room: int, end: str) -> None:
    """It waits for an answer; what a person has paused says so. Where there is no room for the name, nothing is begun."""
    made = branch("fork").view
    row = made.row.evolve(by="root", summary=RunSummary(status=RunStatus.PAUSED, pauses=1))
    [line] = tree_lines(Branch(RunView(row, RunStatus.PAUSED), ()), "", room)
    assert line.text.endswith(end)

    held = row.evolve(summary=RunSummary(status=RunStatus.PAUSED, held=True))
    [line] = tree_lines(Branch(RunView(held, RunStatus.PAUSED), ()), "", 60)
    assert line.text.endswith("‖ paused · started by root")
    [line] = tree_lines(Branch(RunView(held, RunStatus.PAUSED), ()), "", 32)
    assert line.text.endswith("‖ paused")


def mark(seq: int) -> CheckpointMetadata:
    """Return a checkpoint at an event."""
    summary = RunSummary(status=RunStatus.RUNNING, blocks=3, wave=0, total_waves=3)
    return CheckpointMetadata(
        checkpoint_id=f"c{seq}", run_id="r", workflow="w", created_at=NOW, kind=CheckpointKind.WAVE, seq=seq,
        summary=summary,
    )  # fmt: skip


@pytest.mark.parametrize("width", [78, 118])
def test_the_line_of_a_fork_says_what_of_it_is_inherited(width: int) -> None:
    """By another rule and by words; the list by a line between both. A run that is no fork has neither."""
    origin = Origin(run_id=RunId("abcdef123456"), seq=Seq(20))
    marks = (mark(5), mark(20), mark(30))
    fork, alone = Timeline(40, NOW, marks, origin), Timeline(40, NOW, marks)

    track = scrubber(fork, 40, None, width)[0].text
    assert len(track) == width
    assert track.index(" inherited ") < track.index(" own ")
    assert track.rindex("═") < track.index("─") < track.index(" own ")
    shown = [line.key for line in point_lines(fork, 40, None, NOW)]
    assert shown == ["1", "5", "20", "fork", "30", "now"]
    plain = scrubber(alone, 40, None, width)[0].text
    assert "═" not in plain
    assert "own" not in plain
    assert "fork" not in [line.key for line in point_lines(alone, 40, None, NOW)]


async def test_a_block_leads_to_the_output_that_one_wants_to_change(tmp_path: Path) -> None:
    """One that the workflow names, else what the command wrote; not its exit code."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await waiting(seen)
        state = await seen.ask(lambda session: session.history.state(run_id))
        for place, output in (("build", "made"), ("plain", "stdout")):
            wanted = ("blocks", place, "outputs", output)
            assert editable(state, ("blocks", place)) == wanted
            assert editable(state, ("blocks", place, "outputs")) == wanted
            assert editable(state, ("blocks", place, "duration")) == wanted
        exit_code = ("blocks", "plain", "outputs", "exit_code")
        assert editable(state, exit_code) == exit_code
        assert editable(state, ("blocks", "ship")) == ("blocks", "ship", "inputs", "command")


async def test_a_question_that_waits_leads_to_its_answer(tmp_path: Path) -> None:
    """From its block as from itself; and the fork takes what is answered there."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await waiting(seen)
        state = await seen.ask(lambda session: session.history.state(run_id))
        for place in (("blocks", "gate"), ("blocks", "gate", "status"), ("pauses", "gate", "question")):
            assert editable(state, place) == ("blocks", "gate", "answer")
        fork = await forked(seen, run_id, (("blocks", "gate", "answer"), "no"))
        found = await seen.ask(lambda session: session.history.state(fork))
        assert found.status is RunStatus.REJECTED
        assert BlockId("gate") in found.touched


async def travel(seen: Monitor, run_id: RunId) -> TimeTravelScreen:
    """Return the past of a run."""
    seen.app.post_message(TravelWanted(run_id))
    await seen.until(lambda: isinstance(seen.app.screen, TimeTravelScreen))
    await seen.see("viewing")
    screen = seen.app.screen
    assert isinstance(screen, TimeTravelScreen)
    return screen


async def test_a_fork_that_was_made_elsewhere_comes_into_the_open_tree(tmp_path: Path) -> None:
    """Nobody has to leave and come back; so does where it stands. What it is compared with is its fork point."""
    async with monitor(tmp_path, size=(200, 50)) as seen:
        run_id = await waiting(seen)
        await travel(seen, run_id)
        assert "Forks" not in seen.text
        first = await forked(seen, run_id)
        await seen.see("Forks", f"{first[:6]} @")
        second = await forked(seen, run_id)
        await seen.see(f"{second[:6]} @")
        assert "fork point" not in seen.text
        await travel(seen, first)
        await seen.see("before  now  fork point  success")


@pytest.mark.parametrize(
    ("room", "told"),
    [
        (60, "above @3 this run  ✓ succeeded"),
        (25, "above @3 here ✓ succeeded"),
        (20, "above @3 ✓ succeeded"),
        (15, "above @3 here ✓"),
        (10, "above @3 ✓"),
    ],
)
def test_where_a_fork_stands_gives_way_last(room: int, told: str) -> None:
    """Its sign is there in any width; that it is this run is said as long as there is room."""
    view = branch("above").view
    row = view.row.evolve(summary=RunSummary(status=RunStatus.SUCCEEDED), by="")
    [line] = tree_lines(Branch(RunView(row, RunStatus.SUCCEEDED), ()), "above", room)
    assert line.text.strip() == told


async def test_in_a_narrow_terminal_the_tree_says_where_each_stands(tmp_path: Path) -> None:
    """And what was edited: names give way, and lines are wrapped."""
    async with monitor(tmp_path) as seen:
        run_id = await waiting(seen)
        await say_yes(seen, run_id)
        fork = await forked(seen, run_id, (("blocks", "gate", "answer"), "no"), (("inputs", "who"), "ben"))
        again = await forked(seen, fork, (("blocks", "gate", "answer"), "yes"))
        await travel(seen, again)
        await seen.see("Forks", f"{fork[:6]} @", "⊗ rejected")
        await seen.see(f"{again[:6]} @", "✓", 'edited: who="ben",', "gate.answer=no")
        assert f"{again[:6]} @35 this run" not in seen.text
