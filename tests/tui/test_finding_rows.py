"""How rows of a list are found, ordered, marked and taken out, on the real engine with real keys."""

import asyncio
import csv
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
import pytest

from running import PATIENCE
from tidegate.model.events import RunFinished, RunStatus, WaveStarted
from tidegate.model.ids import RunId
from tidegate.store.protocol import Store
from tidegate.tui.lines import Column, Line
from tidegate.tui.query.saved import SavedFilters
from tidegate.tui.screens.lists.runs import RunsScreen
from tidegate.tui.session import Session
from tidegate.tui.widgets.one_line import in_one_line
from tui.dialogs.host import paste
from tui.monitoring import FixedClock, Monitor, monitor
from tui.scene import CLEANUP, ETL, NOW, begin, fill

MANY = 620


async def fill_many(store: Store) -> None:
    """Tell more runs than are read at once; the oldest has failed."""
    for number in range(MANY):
        run = await begin(store, ETL if number else CLEANUP, f"r{number:04}7k9m4x", (MANY - number) * 60)
        if not number:
            await run.tell(1.0, WaveStarted(wave=0), RunFinished(status=RunStatus.FAILED))


def runs_of(seen: Monitor) -> RunsScreen:
    """Return the screen of the runs."""
    assert isinstance(seen.app.screen, RunsScreen)
    return seen.app.screen


async def test_a_filter_tests_fields_and_a_fault_leaves_the_last_good_one(tmp_path: Path) -> None:
    """What is wrong is said beside it with its column; enter keeps no fault, tab writes what is certain."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("deploy-api")
        await seen.press("slash")
        await seen.see("fields status, workflow")
        await seen.press(*"stat", "tab")
        await seen.see("where it stands", "deploy-api")
        await seen.press("enter")
        await seen.see("column 8: 'status' of what?")

        await seen.press(*"f")
        await seen.see("Runs · 1 found", "cleanup")
        await seen.press(*"xx", "enter")
        await seen.see("column 8: 'fxx' is none of queued", "still shown: status:f", "Runs · 1 found")
        assert seen.app.screen.has_class("-filtering")
        await seen.press("backspace", "backspace")
        paste(seen.app, ",s\r\n  -etl\n")
        await seen.see("status:f,s -etl")
        assert seen.app.screen.has_class("-filtering")
        await seen.press("enter")
        await seen.see("/ status:f,s -etl", "Runs · 1 found")
        await seen.unsee("column")
        await seen.press("escape")
        await seen.see("6 runs")
        # The beginning of what is wrong was a word that nobody has looked for.
        await seen.press("slash", *"done:1")
        await seen.see("'done' takes no ':'", "still shown: all rows", "backup-all", "cleanup")


def test_what_is_pasted_into_a_line_of_words_is_one_line() -> None:
    """Nothing of it is lost, and nothing in it is drawn as anything but itself."""
    assert in_one_line("one\r\n\n two\rthree\n") == "one two three"
    assert in_one_line("a  b") == "a  b"
    assert in_one_line("\x1b[2J\tx") == "␛[2J x"
    assert in_one_line("\n") == ""


async def test_a_list_is_read_to_its_end_and_a_filter_looks_at_all_of_it(tmp_path: Path) -> None:
    """The end of what was read reads on; what a filter leaves out, the store does not even read."""
    async with monitor(tmp_path, prepare=fill_many, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("500+ runs", "1/500")

        runs_of(seen).look_for("status:failed")
        await seen.see("Runs · 1 found", "r00007")
        runs_of(seen).look_for("cleanup")
        await seen.see(f"Runs · 1 of {MANY}", "r00007")
        runs_of(seen).look_for("")
        await seen.see("500+ runs")

        await seen.press("G")
        await seen.see(f"{MANY} runs", "cleanup", f"{MANY}/{MANY}")
        await seen.unsee("reading on")


async def test_any_key_ends_the_way_to_the_end(tmp_path: Path) -> None:
    """The border says that it is being read; whoever presses another key stays where that leads."""
    async with monitor(tmp_path, prepare=fill_many, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("500+ runs", "1/500")
        go_on = threading.Event()
        # Whatever is read waits for this, as it would for a slow disk.
        waiting = asyncio.create_task(seen.ask(partial(_stand_still, go_on)))
        try:
            await seen.press("G")
            await seen.see("500/500+ · reading on, any key stops")
            await seen.press("g")
            await seen.see("1/500")
            await seen.unsee("reading on")
        finally:
            go_on.set()
            await waiting

        screen = runs_of(seen)
        await seen.ask(_nothing)
        await seen.until(lambda: all(it.is_finished for it in seen.app.workers if it.group == "pulse"))
        assert (len(screen.pager.rows), screen.rows_view.position) == (500, (1, 500))
        await seen.press("G")
        await seen.see(f"{MANY}/{MANY}")


async def _stand_still(go_on: threading.Event, session: Session) -> None:
    del session
    go_on.wait(PATIENCE)


async def _nothing(session: Session) -> None:
    del session


async def test_filters_are_saved_chosen_and_thrown_away(tmp_path: Path) -> None:
    """By a name; throwing away takes two presses, and what is always there stays."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        saved = SavedFilters(seen.app.desk.state)
        await seen.press("2", "slash", *"workflow:etl", "enter")
        await seen.see("Runs · 2 of 6")
        await seen.press("f2")
        await seen.see("failed today", "n saves 'workflow:etl'")
        await seen.press("n")
        await seen.see("enter takes it")
        await seen.press("enter")
        await seen.see("A filter needs a name")
        await seen.press(*"mine too", "enter")
        await seen.until(lambda: saved.of("runs").filters == {"mine too": "workflow:etl"})

        await seen.press("escape")
        await seen.see("6 runs")
        await seen.press("f2")
        await seen.see("mine too")
        await seen.press("G", "enter")
        await seen.see("/ workflow:etl", "Runs · 2 of 6")
        await seen.press("f2")
        await seen.see("● mine too")
        await seen.press("delete")
        await seen.see("This one is always there")
        await seen.press("G", "delete")
        await seen.see("Press delete again")
        await seen.press("delete")
        await seen.until(lambda: not saved.of("runs").filters)


async def test_a_list_keeps_its_order_and_its_columns(tmp_path: Path) -> None:
    """Both are chosen by a key, said on the border, and kept for the next start."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("backup-all")
        screen = runs_of(seen)
        await seen.press("s", "s")
        await seen.see("Runs · by workflow ↑")
        names = [run.row.workflow for run in screen.shown]
        assert names == sorted(names)
        await seen.press("S")
        await seen.see("Runs · by workflow ↓")
        assert [run.row.workflow for run in screen.shown] == names[::-1]

        await seen.press("c")
        await seen.see("[x] PROGRESS")
        await seen.press("j", "j", "j", "space", "escape")
        await seen.unsee("PROGRESS")
        kept = SavedFilters(seen.app.desk.state).of("runs")
        assert (kept.sort, kept.is_reversed, kept.hidden) == ("workflow", True, ("PROGRESS",))
        assert RunsScreen(seen.app.desk).heading() == "Runs · by workflow ↓"


async def test_rows_are_copied_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one under the cursor, or those that are marked; a file is never replaced."""
    monkeypatch.chdir(tmp_path)
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("backup-all")
        await seen.press("y")
        await seen.see("copied jb3c6k8p9rty")
        assert seen.app.clipboard == "jb3c6k8p9rty"
        await seen.press("v", "j", "j", "v")
        await seen.see("3 marked")
        await seen.press("Y")
        await seen.see("copied 3 rows as JSON")
        documents = [msgspec.json.decode(line) for line in seen.app.clipboard.splitlines()]
        assert [document["workflow"] for document in documents] == ["backup-all", "deploy-api", "invoice-run"]

        await seen.press("E")
        await seen.see("Export 3 rows")
        await seen.press(*(["backspace"] * len("jsonl")), *"csv", "enter")
        await seen.see("3 rows written to")
        with (tmp_path / "runs.csv").open(newline="") as file:
            assert [row["status"] for row in csv.DictReader(file)] == ["running", "paused", "paused"]
        await seen.press("u", "E")
        await seen.see("Export 6 rows")
        await seen.press(*(["backspace"] * len("jsonl")), *"csv", "enter")
        await seen.see("is not replaced")


async def test_a_mark_out_of_sight_is_said_and_not_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A filter hides it: what is done says so, and takes no other row in its place. A removed row has no mark."""
    stores: list[Store] = []

    async def prepare(store: Store) -> None:
        stores.append(store)
        await fill(store)

    monkeypatch.chdir(tmp_path)
    async with monitor(tmp_path, prepare=prepare, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("backup-all")
        await seen.press("G", "space")
        runs_of(seen).rows_view.mark_also(["jb3c6k8p9rty"])
        runs_of(seen).look_for("cleanup")
        await seen.see("2 marked", "1 hidden by the filter", "1 of 6")
        await seen.press("y")
        await seen.see("copied cqt2h7k9m4xw · 1 marked row not shown, left out")
        await seen.press("E")
        await seen.see("Export 1 row · 1 marked row not shown, left out")
        await seen.press("escape")

        runs_of(seen).look_for("deploy-api")
        await seen.until(lambda: not runs_of(seen).rows_view.marked_shown)
        copied = seen.app.clipboard
        for key in ("y", "Y", "E"):
            await seen.press(key)
            await seen.see("2 marked rows not shown, left out: esc shows")
        assert seen.app.clipboard == copied
        assert isinstance(seen.app.screen, RunsScreen)

        await seen.ask(lambda _: stores[0].remove_run(RunId("cqt2h7k9m4xw"), at=NOW))
        seen.app.screen.wake()
        await seen.until(lambda: runs_of(seen).rows_view.marked == ("jb3c6k8p9rty",))


async def test_columns_fit_as_soon_as_a_filter_is_gone(tmp_path: Path) -> None:
    """A scroll bar that came with its line takes its cells from them; that is seen at once, not at the next tick."""
    async with monitor(tmp_path, prepare=fill_forty, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("40 runs")
        screen = runs_of(seen)
        # Nothing looks again by itself, however slow this machine is.
        screen.on_mount = screen._tick = lambda: None  # type: ignore[method-assign]  # noqa: SLF001
        fits: list[int] = []
        columns = screen.columns

        def noting(lines: Sequence[Line], room: int) -> tuple[Column, ...]:
            fits.append(room)
            return columns(lines, room)

        screen.columns = noting  # type: ignore[method-assign]
        await seen.press("slash", *"r0003", "enter")
        await seen.see("1 of 40")
        room = screen.rows_view.room
        await seen.press("escape")
        await seen.see("40 runs")

        await seen.until(lambda: screen.rows_view.room < room)
        await seen.until(lambda: fits[-1] == screen.rows_view.room)


async def test_what_comes_while_one_looks_elsewhere_is_announced(tmp_path: Path) -> None:
    """Rows do not move under the cursor; one key goes to what is new."""
    async with monitor(tmp_path, prepare=fill_forty) as seen:
        await seen.press("2")
        await seen.see("40 runs")
        await seen.press("G")
        await seen.see("40/40")
        here = runs_of(seen).rows_view.cursor_key

        run_id = await seen.start(
            "name: newcomer\nblocks:\n  - {id: one, type: Shell, inputs: {command: 'true'}}\n"
        )
        await seen.see("1 new, press .", "41/41")
        assert runs_of(seen).rows_view.cursor_key == here
        assert "newcomer" not in seen.text
        await seen.press("full_stop")
        await seen.see("newcomer")
        assert runs_of(seen).rows_view.cursor_key == run_id
        await seen.unsee("1 new")


async def fill_forty(store: Store) -> None:
    """Tell more runs than fit on the screen."""
    for number in range(40):
        await begin(store, ETL, f"r{number:04}7k9m4x", (40 - number) * 60)
