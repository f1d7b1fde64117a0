"""How near the store is: what the first line says of it, and the warning while nothing is heard of it."""

import asyncio
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.events import AppBlur, AppFocus

from store.test_mounts import network_at
from tidegate.blocks.registry import BUILTIN
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.history.history import History
from tidegate.store.opening import sameness_of
from tidegate.store.sqlite.store import open_file
from tidegate.tui.app import MonitorApp
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.link import Link, banner, link_of
from tidegate.tui.nouns.overview import Overview
from tidegate.tui.present.header import Stand, header_pieces, tab_forms
from tidegate.tui.pulse import Pulse
from tidegate.tui.session import OpenSession, Session
from tui.monitoring import Monitor, OpenedSession, monitor, opener

ASKS = """
name: asks
blocks:
  - {id: approve, type: ConfirmOperation, inputs: {message: Go on?}}
"""
FULL = Overview(is_read=True, waiting=7, running=12, checkpoints=184, workflows=9)

# -- what is said -----------------------------------------------------------------------------


def test_a_store_is_live_until_it_is_silent_for_longer_than_it_should_be() -> None:
    """Silence is told in seconds; a problem is one at once."""
    assert link_of("", 4.9) == Link()
    assert link_of("", 4.9).piece.text == "live"
    assert link_of("", 12.7).piece.text == "late 12 s"
    assert link_of("it is locked", 1).piece == Piece("lost", Tone.FAILED)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_warning_says_what_is_wrong_how_old_it_is_and_what_to_do(width: int) -> None:
    """In three lines at most, none of them too long; and nothing while all is well."""
    assert banner(Link(), width, "tidegate doctor") == []
    for link, words in (
        (Link("it is \x1b[31mlocked. Find out", 75), ("it is", "locked. Find out", "Trying again")),
        (Link("", 12), ("for 12 s", "may have changed since")),
    ):
        lines = banner(link, width, "tidegate doctor")
        assert 1 <= len(lines) <= 3
        assert all(cell_len(line.text) <= width for line in lines)
        text = " ".join(line.text.strip() for line in lines)
        assert all(word in text for word in words)
        assert "\x1b" not in text
    assert "was read 1m ago" in " ".join(
        banner(Link("it is locked", 75), 200, "tidegate doctor")[0].text.split()
    )


def _header(width: int, near: Piece, *, read_only: bool = False, place: str = "prod.db") -> str:
    left, right = header_pieces(tab_forms(FULL, "inbox"), Stand(place, read_only, near, "14:32"), width)
    texts = ["".join(piece.text for piece in pieces) for pieces in (left, right)]
    assert sum(map(cell_len, texts)) <= max(width, cell_len(texts[0]))
    return "|".join(texts)


def test_the_first_line_says_which_store_what_may_be_done_and_how_near_it_is() -> None:
    """As much of it as there is room for beside the tabs; which store it is before the whole names of tabs."""
    live, late = Link().piece, Link(silent=12).piece

    assert _header(130, live).startswith(" tidegate  ")
    assert _header(115, live).endswith("|prod.db rw live 14:32 ")
    assert "3 Checkpoints" in _header(115, live)
    assert "3 Ckpt 184   4 Wf 9" in _header(100, live)
    assert _header(80, live).endswith("|rw live 14:32 ")
    assert _header(76, live).endswith("|14:32 ")
    assert _header(70, live, read_only=True).endswith("|ro ")
    assert _header(80, late).endswith("|late 12 s ")
    assert _header(120, late, read_only=True).endswith("|prod.db ro late 12 s 14:32 ")


@pytest.mark.parametrize("width", range(40, 140))
def test_no_tab_is_ever_pushed_out(width: int) -> None:
    """Whatever else there is to say; and what is not as usual is said wherever there is room at all."""
    for near in (Link().piece, Link("x", 99).piece, Link(silent=3_600).piece):
        for read_only in (False, True):
            said = _header(width, near, read_only=read_only, place="a-store-of-a-long-name")
            assert all(f" {digit}" in said for digit in "123456")
            assert "1 Inbox" in said
            if width >= 72 and near.tone is not Tone.DIM:
                assert near.text in said


# -- a real store -----------------------------------------------------------------------------


async def test_a_store_that_is_moved_away_is_missed_until_it_is_back(tmp_path: Path) -> None:
    """With what to do about it; the warning goes by itself, and both stand in the activity."""
    file = tmp_path / "prod.db"
    async with monitor(tmp_path, url=f"sqlite:///{file}", size=(120, 36)) as seen:
        await seen.start(ASKS)
        await seen.see("Go on?", "prod.db rw live")

        file.rename(tmp_path / "elsewhere.db")
        await seen.see(
            "prod.db rw lost", "! store prod.db: it was moved, removed or replaced", "Put it back", "Trying"
        )
        assert "Go on?" in seen.text
        (tmp_path / "elsewhere.db").rename(file)

        await seen.see("prod.db rw live")
        await seen.unsee("Put it back")
        await seen.press("6")
        await seen.see("the store can be read again", "store prod.db: ")


LOCKS = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
connection.execute("ROLLBACK")
print("free", flush=True)
"""


def _rollback_opener(path: Path, mounts: Path) -> OpenSession:
    """Return what opens a store with a rollback journal, as one on a network drive: there a writer locks readers out."""

    @asynccontextmanager
    async def open_session() -> AsyncIterator[Session]:
        clock = SystemClock()
        store = await open_file(path, clock, mounts=mounts)
        executor = Executor(store, clock, BUILTIN)
        await executor.open()
        try:
            is_current = sameness_of(str(path))
            yield OpenedSession(
                executor, History(store, clock), f"sqlite:///{path}", "ana", is_current=is_current
            )
        finally:
            await executor.close()
            await store.close()

    return open_session


async def test_a_store_that_a_stopped_process_keeps_locked_is_late_and_then_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen stays usable meanwhile; once the lock is gone so is the warning."""
    monkeypatch.setenv("TIDEGATE_NETWORK_STORE", "rollback")
    path, mounts = network_at(tmp_path)
    app = MonitorApp(_rollback_opener(path, mounts), SystemClock())
    async with app.run_test(size=(120, 36)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see("rw live", "Nothing waits for you")
        holder = await asyncio.create_subprocess_exec(
            sys.executable, "-c", LOCKS, str(path), stdout=asyncio.subprocess.PIPE
        )
        try:
            assert holder.stdout is not None
            assert await holder.stdout.readline() == b"locked\n"
            await seen.see("rw late", "! nothing was heard of the store for")
            await seen.press("2")
            await seen.until(lambda: app.current_mode == "runs")
            # Each statement waits for ten seconds, and there may be two of them one behind the other.
            await seen.until(lambda: app.link.silent >= 12)
            await seen.see("rw lost", "another process has kept it locked")
            holder.send_signal(signal.SIGCONT)
            assert await holder.stdout.readline() == b"free\n"
            await seen.see("rw live")
            await seen.unsee("kept it locked")
        finally:
            if holder.returncode is None:
                holder.kill()
            await holder.wait()


async def test_an_engine_that_does_not_come_round_is_told_with_its_age(tmp_path: Path) -> None:
    """Its thread is held up by what a block does there; the terminal's is not."""
    released = threading.Event()

    async def hold(_: Session) -> None:
        released.wait(60)

    async with monitor(tmp_path, size=(80, 24)) as seen:
        await seen.see("rw live")
        held = asyncio.create_task(seen.ask(hold))
        await seen.see("late 5 s", "! nothing was heard of the store for 5 s")
        await seen.see("late 6 s")
        released.set()
        await held
        await seen.see("rw live")
        await seen.unsee("nothing was heard")


async def test_time_travel_says_that_it_is_past(tmp_path: Path) -> None:
    """In the place of how near the present is."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await seen.start(ASKS)
        await seen.see("Go on?", "rw live")
        await seen.press("o")
        await seen.see("Waves")
        await seen.press("t")
        await seen.see("rw PAST")
        await seen.press("escape")
        await seen.see("rw live")


# -- the pace ---------------------------------------------------------------------------------


async def test_while_another_window_has_the_focus_it_reads_once_a_second(tmp_path: Path) -> None:
    """Four times a second else, and where the terminal does not tell; at once again when somebody looks."""
    clock = SystemClock()
    app = MonitorApp(opener(clock=clock), clock)
    async with app.run_test() as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.until(lambda: app.overview.is_read)
        at: list[float] = []

        async def load() -> None:
            at.append(time.monotonic())
            pulse.wake()

        pulse = Pulse(app, load, may_run=lambda: len(at) < 40)
        pulse.wake()
        await seen.until(lambda: len(at) >= 6)
        first = list(at)
        app.post_message(AppBlur())
        await seen.until(lambda: not app.app_focus)
        away = len(at)
        await seen.until(lambda: len(at) >= away + 3)
        unseen = at[away : away + 3]
        app.post_message(AppFocus())
        await seen.until(lambda: app.app_focus)
        back = len(at)
        await seen.until(lambda: len(at) >= back + 6)
        again = at[back:]

    assert min(_apart(first)) < 1.0
    assert min(_apart(unseen)) >= 1.0
    assert min(_apart(again)) < 1.0


def _apart(at: list[float]) -> list[float]:
    """Return the seconds between one and the next."""
    return [later - sooner for sooner, later in pairwise(at)]
