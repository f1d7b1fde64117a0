"""What the monitor keeps between two starts."""

import stat
from pathlib import Path

import pytest

from tidegate.settings import MonitorSettings
from tidegate.tui.app import MonitorApp
from tidegate.tui.state import State, state_file
from tui.monitoring import FixedClock, Monitor, Prepare, opener
from tui.scene import NOW, begin, fill
from tui.test_monitor import LEFT


def test_values_outlive_the_monitor_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    """They are written only when they were changed; forgotten ones are gone."""
    file = tmp_path / "deep" / "monitor.json"
    state = State(file)
    state.save()
    assert not file.exists()

    state.put("theme", "light")
    state.put("old", 1)
    state.put("list.inbox", {"sort": ["age"]})
    state.put("old", None)
    state.save()

    again = State(file)
    assert (again.text("theme"), again.get("old"), again.get("list.inbox")) == (
        "light",
        None,
        {"sort": ["age"]},
    )
    assert again.text("list.inbox") == ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["monitor.json"]


def test_of_two_monitors_the_last_one_wins_key_by_key(tmp_path: Path) -> None:
    """Neither undoes what the other one has kept under another name."""
    file = tmp_path / "monitor.json"
    one, other = State(file), State(file)
    one.put("theme", "light")
    one.put("mode", "runs")
    one.save()
    other.put("mode", "inbox")
    other.save()

    assert (State(file).text("theme"), State(file).text("mode")) == ("light", "inbox")


@pytest.mark.parametrize("text", ["", "{", "[1]", "[" * 100_000, '{"theme": "\xff'])
def test_a_broken_file_is_ignored_and_said_once(tmp_path: Path, text: str) -> None:
    """And the next thing that is kept replaces it."""
    file = tmp_path / "monitor.json"
    file.write_bytes(text.encode("latin-1"))
    state = State(file)

    assert state.take_problem() == f"{file} is damaged, and ignored: the monitor begins as new"
    assert state.take_problem() == ""
    state.put("mode", "runs")
    state.save()
    assert State(file).text("mode") == "runs"


def test_where_nothing_can_be_written_it_does_without(tmp_path: Path) -> None:
    """The reason is said, and nothing is in the way."""
    (tmp_path / "file").write_text("")
    state = State(tmp_path / "file" / "monitor.json")
    state.take_problem()
    state.put("mode", "runs")
    state.save()

    assert "cannot be kept in" in state.take_problem()


def test_the_file_is_where_others_keep_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As platformdirs has it."""
    import platformdirs

    monkeypatch.setenv("XDG_STATE_HOME", "/var/state")
    assert state_file() == platformdirs.user_state_path("tidegate", appauthor=False) / "monitor.json"


@pytest.mark.parametrize(("prepare", "words"), [(fill, "waiting"), (None, "1 run")])
async def test_one_comes_back_to_theme_and_mode_unless_something_waits(
    tmp_path: Path, prepare: Prepare | None, words: str
) -> None:
    """What waits for a person comes first, wherever one was."""

    async def only_running(store: object) -> None:
        await begin(store, LEFT, "jb3c6k8p9rty", 95)  # type: ignore[arg-type]

    clock, file = FixedClock(NOW), tmp_path / "monitor.json"

    def opened() -> MonitorApp:
        session = opener(clock=clock, prepare=prepare or only_running)
        return MonitorApp(session, clock, MonitorSettings(), state=State(file))

    app = opened()
    async with app.run_test(size=(80, 24)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.until(lambda: app.overview.is_read)
        await seen.press("2", "T")
        await seen.see("theme: light")
        await seen.until(file.exists)

    app = opened()
    async with app.run_test(size=(80, 24)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see(words)
        assert app.theme_name == "light"
        assert app.current_mode == ("inbox" if prepare else "runs")
