"""The palette, read-only mode, and one pane over everything."""

import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from running import definition_of
from tidegate.history.shelf import WorkflowFile
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunSummary
from tidegate.settings import MonitorSettings
from tidegate.tui.app import MonitorApp
from tidegate.tui.commands import COMMANDS, Scope, commands_of
from tidegate.tui.commands.changing import CHANGING, changes
from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.dialogs.palette import Palette
from tidegate.tui.lines import Piece
from tidegate.tui.present.palette import command_entries, fitting
from tidegate.tui.query.listings import LISTINGS
from tidegate.tui.query.saved import SavedFilters
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.screens.lists.runs import RunsScreen
from tidegate.tui.screens.run.run_view import RunScreen
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tidegate.tui.state import State
from tidegate.tui.wishes.supplied import Supplier, Supply, named_filters
from tui.monitoring import FixedClock, Monitor, monitor, opener
from tui.ptys import on_pty
from tui.scene import NOW, PROMOTE, fill
from tui.test_present import asked

SHOWN = """
name: ship
blocks:
  - id: ok
    type: ConfirmOperation
    inputs:
      message: Ship it?
      operation: ship
      show:
        - {title: Tests, text: all 214 tests passed}
"""
GREET = "name: greet\nblocks:\n  - {id: hi, type: Shell, inputs: {command: echo hi}}\n"


async def silent() -> None:
    """Do nothing."""


def mark(checkpoint_id: str) -> CheckpointMetadata:
    """Return a checkpoint in a list."""
    return CheckpointMetadata(
        checkpoint_id=CheckpointId(checkpoint_id),
        run_id=RunId("hw7j5v9t2qcp"),
        workflow="deploy-api",
        created_at=NOW,
        kind=CheckpointKind.PAUSE,
        seq=Seq(9),
        summary=RunSummary(status=RunStatus.PAUSED),
        block=BlockId("approve_prod"),
    )


async def nothing(_: object) -> None:
    """Do nothing."""


def test_what_fits_best_comes_first_and_what_cannot_be_done_last() -> None:
    """All words count, wherever they stand."""
    entries = command_entries(
        commands_of(Scope.INBOX, Scope.GLOBAL),
        lambda action: "not here" if action == "answer" else "",
        nothing,
    )

    assert [entry.key for entry in fitting(entries, "the")][-1] == "inbox.answer"
    assert fitting(entries, "QUES open")[-1].key == "inbox.answer"
    assert fitting(entries, "qui")[0].key == "global.quit"
    assert fitting(entries, "zzz") == []


def test_words_are_found_in_any_order_written_short_or_by_another_name() -> None:
    """What is called so comes before what only tells of it."""
    entries = [
        *command_entries(commands_of(Scope.INBOX, Scope.GLOBAL), lambda _: "", nothing),
        *Supplier(lambda _: silent, lambda _: "").entries(
            Supply(
                urgent=asked(PROMOTE),
                files=(WorkflowFile(Path("greet.yaml"), "greet", definition_of(GREET), GREET, ()),),
                checkpoints=(mark("chk_4f2a"),),
            )
        ),
        *named_filters(LISTINGS, SavedFilters(State()), "runs", lambda *_: silent),
    ]

    def first(words: str) -> str:
        return fitting(entries, words)[0].title.partition(" (")[0]

    assert (
        first("answer oldest")
        == f"Answer the most urgent question: deploy-api · {PROMOTE.text.splitlines()[0]}"
    )
    assert first("urgent question") == first("oldest")
    assert first("start") == first("greet launch") == first("lnch grt") == "Launch greet"
    assert first("4f2a") == "Go to checkpoint chk_4f2a: deploy-api · hw7j5v · approve_prod"
    assert first("checkpoint fork") == "Fork from checkpoint chk_4f2a: deploy-api · hw7j5v · approve_prod"
    assert (
        first("approve all")
        == "Bulk: Review the marked questions and answer them together, each by its id; without marks, those equal to this one"
    )
    assert first("mine") == "Filter: mine"
    assert [entry.key for entry in fitting(entries, "filter mine")] == [
        "filter.runs.mine",
        "filter.inbox.mine",
        "filter.activity.mine",
    ]
    assert fitting(entries, "xlnch") == []


def test_every_command_that_changes_something_is_known() -> None:
    """A key that read-only mode forgot would be found by its victim."""
    ids = {command.id for command in COMMANDS}
    asking = {
        c.id for c in COMMANDS if "asks" in c.help and c.id != "global.quit" and "asks nothing" not in c.help
    }

    assert ids >= CHANGING
    assert {command.id for command in commands_of(Scope.TURNS)} <= CHANGING
    reads = {"inbox.answer", "runs.answer", "run.answer"}
    assert {name for name in asking - reads if "the run that asks" not in _help(name)} <= CHANGING
    assert changes("screen.turn('pause')")
    assert not changes("open_run")


def _help(command_id: str) -> str:
    return next(command.help for command in COMMANDS if command.id == command_id)


async def test_the_palette_does_what_its_name_says(tmp_path: Path) -> None:
    """It answers, goes to runs, starts workflows, and says which key does the same."""
    (tmp_path / "greet.yaml").write_text(GREET)
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW), folders=(tmp_path,)) as seen:
        await seen.see("Promote build", "4 Wf 1")

        await seen.press("colon")
        await seen.see("Answer the most urgent question: invoice-run")
        await seen.press("escape")
        assert isinstance(seen.app.screen, InboxScreen)

        await seen.press("ctrl+p", *"hw7j5v")
        await seen.see("Go to run deploy-api")
        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))

        await seen.press("colon", *"launch", "space", *"greet")
        await seen.see("Launch greet")
        await seen.press("enter")
        await seen.dialog("greet")
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))

        await seen.press("colon", *"copy", "space", *"command", "enter")
        await seen.until(lambda: seen.app.clipboard == "tidegate runs show hw7j5v9t2qcp")
        await seen.press("colon", *"diagnos", "enter")
        await seen.see("Diagnostics", "Textual", "store")


async def test_the_palette_filters_saves_compares_and_exports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has no key of its own is found by its name, from any list."""
    monkeypatch.chdir(tmp_path)
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW), size=(120, 36)) as seen:
        await seen.see("Promote build")
        await seen.press("colon", *"filter wants", "enter")
        await seen.until(lambda: isinstance(seen.app.screen, RunsScreen))
        await seen.see("/ is:asking", "3 of 6")
        await seen.press("colon", *"save filter", "enter")
        await seen.see("Save is:asking as")
        await seen.press(*"asks", "enter")
        await seen.see("saved as 'asks'")

        await seen.press("colon", *"bundle", "enter")
        await seen.see("Export run", ".json.zst")
        await seen.press("enter")
        await seen.see("run hw7j5v written to")
        [file] = tmp_path.glob("*.json")
        assert msgspec.json.decode(file.read_bytes())["run_id"] == file.stem
        await seen.press("colon", *"bundle", "enter")
        await seen.see("Export run")
        await seen.press("enter")
        await seen.see("is not replaced")
        await seen.press("escape")

        await seen.press("colon", *"compare success", "enter")
        await seen.until(lambda: isinstance(seen.app.screen, TimeTravelScreen))
        await seen.see("success")
        await seen.press("colon", *"fork chk", "enter")
        await seen.dialog("Fork")


async def test_what_changes_something_is_grey_and_says_why_while_one_only_looks(tmp_path: Path) -> None:
    """Keys, clicks, enter and the palette alike; and it can be switched off again where it was switched on."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.see("Promote build")
        await seen.press("colon", *"only", "space", *"look", "enter")
        await seen.until(lambda: seen.app.read_only)
        await seen.see(" ro live")
        for mode, words, keys in (
            ("1", "Promote build", ("r", "A")),
            ("2", "backup-all", ("X", "p", "r")),
            ("4", "No workflow file here", ("n", "e")),
        ):
            await seen.press(mode)
            await seen.see(words)
            for key in keys:
                seen.app.note = Piece("")
                await seen.unsee("read-only: nothing")
                await seen.press(key)
                await seen.see("read-only: nothing is changed from here")
        assert not isinstance(seen.app.screen, Dialog)

        await seen.press("1", "colon", *"fork chk")
        await seen.see("read-only: nothing")
        await seen.press("enter")
        assert isinstance(seen.app.screen, Palette)
        await seen.press("escape", "colon", *"read-only", "enter")
        await seen.until(lambda: not seen.app.read_only)
        await seen.press("a")
        await seen.dialog("Enter the EUR")


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (100, 30)])
@pytest.mark.parametrize("key", ["a", "enter"])
async def test_a_question_is_read_whole_where_nothing_may_be_answered(
    tmp_path: Path, size: tuple[int, int], key: str
) -> None:
    """What is laid before a person is nowhere else: it opens, says why it takes no answer, and takes none."""
    async with monitor(tmp_path, size=size) as seen:
        run_id = await seen.start(SHOWN)
        await seen.see("Ship")
        seen.app.toggle_read_only()
        await seen.press(key)
        await seen.dialog("read-only: nothing is changed")
        if "all 214 tests passed" not in seen.text:
            await seen.press("f2")
        await seen.dialog("all 214 tests passed")
        await seen.press("y", "y", "ctrl+s", "ctrl+x", "ctrl+r", "f6")
        await seen.dialog("read-only: nothing is changed")
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))

        assert (await seen.app.engine.call(lambda s: s.history.run_view(run_id))).row.summary.pauses == 1


async def test_opened_for_looking_it_stays_so(tmp_path: Path) -> None:
    """The palette says who decided that."""
    clock = FixedClock(NOW)
    app = MonitorApp(opener(clock=clock, prepare=fill), clock, MonitorSettings(read_only=True))
    async with app.run_test(size=(80, 24)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see("Promote build", " ro live")
        await seen.press("colon", *"read-only")
        await seen.see("it was opened with --read-only")


def test_looking_touches_nothing(tmp_path: Path) -> None:
    """A store that nobody may write is shown all the same, and its folder stays as it is."""
    (tmp_path / "ask.yaml").write_text(
        "name: ask\nblocks:\n  - {id: ok, type: ConfirmOperation, inputs: {message: Go on?}}\n"
    )
    store = tmp_path / "store.db"
    command = ["-m", "tidegate", "--store", f"sqlite:///{store}"]
    subprocess.run(
        [sys.executable, *command, "run", "ask.yaml"], cwd=tmp_path, capture_output=True, check=False
    )
    before = store.read_bytes()
    store.chmod(stat.S_IRUSR)

    with on_pty([*command, "--read-only"], tmp_path) as seen:
        seen.wait_for("Go on?", "mro \x1b")
        seen.press("r")
        seen.wait_for("nothing is changed from here")
        seen.press("q")
        assert seen.wait_for_end(20) == 0
    assert store.read_bytes() == before


async def test_one_pane_takes_all_the_room_and_gives_it_back(tmp_path: Path) -> None:
    """With the same key."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW), size=(120, 36)) as seen:
        await seen.see("Promote build", "Any answer: Then recalc.", "deadline  14:10:20")
        # The columns take their room once the rows have been drawn.
        await seen.pilot.pause(0.5)
        before = seen.text
        await seen.press("z")
        await seen.unsee("deadline  14:10:20")
        assert seen.app.screen.query_one("#list").size.width == 118
        await seen.press("z")
        await seen.see("deadline  14:10:20")
        await seen.until(lambda: seen.text == before)

        await seen.press("p")
        await seen.unsee("Waiting for you")
        assert seen.app.screen.query_one("#preview").size.width == 118
        await seen.press("escape")
        await seen.until(lambda: seen.text == before)
        await seen.press("z", "p")
        await seen.unsee("Waiting for you")
        await seen.press("p")
        await seen.until(lambda: seen.text == before)
