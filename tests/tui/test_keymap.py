"""Other keys for the monitor's commands, from a settings file."""

import re
from pathlib import Path

import pytest

from tidegate.settings import MonitorSettings, SettingsFileError, load_settings
from tidegate.tui.app import MonitorApp
from tidegate.tui.commands import Scope
from tidegate.tui.commands.places import PLACES
from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.keymap import Keymap, read_keymap
from tidegate.tui.screens.base import MonitorScreen
from tui.monitoring import FixedClock, Monitor, opener
from tui.scene import NOW, fill
from tui.test_commands import SCREENS

PAPER = Path(__file__).parents[2] / "docs/monitor.md"


def settings_of(folder: Path, text: str) -> MonitorSettings:
    """Return what a settings file of *text* says about the monitor."""
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return load_settings({"TIDEGATE_CONFIG": str(file)}).monitor


def keymap_of(folder: Path, text: str) -> Keymap:
    """Return the keymap of a settings file."""
    return read_keymap(settings_of(folder, text).keys)


def test_keys_are_written_as_people_write_them(tmp_path: Path) -> None:
    """In quotes or as a table, one or several, with the names that the help has."""
    keymap = keymap_of(
        tmp_path,
        """
        store = "memory://"
        [keys]
        "inbox.answer" = ["W", "f6", "_"]
        global.theme = "ctrl+t"
        global.help = ["F1", "alt+pgup", ","]
        """,
    )

    assert keymap.keys == {
        "inbox.answer": ("W", "f6", "underscore"),
        "global.theme": ("ctrl+t",),
        "global.help": ("f1", "alt+pageup", "comma"),
    }
    answer = next(command for command in keymap.commands_of(Scope.INBOX) if command.id == "inbox.answer")
    assert answer.shown_keys == "W F6 _"


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ('"inbox.anser" = "b"', 2, "there is no command 'inbox.anser' (did you mean 'inbox.answer'?)"),
        ('\n"zzz" = "b"', 3, "there is no command 'zzz' (`tidegate keys` lists them all)"),
        ('"inbox.answer" = "bb"', 2, "'inbox.answer': there is no key 'bb'"),
        ('"inbox.answer" = "ctrl+"', 2, "there is no key 'ctrl+'"),
        ('"inbox.answer" = "tab"', 2, "'inbox.answer': tab goes to the next pane, and nothing else"),
        (
            '"inbox.answer" = "q"',
            2,
            "'inbox.answer' and 'global.quit' (Quit) would both be on q in the inbox",
        ),
        ('"turns.pause" = "g"', 2, "'turns.pause' and 'list.first' (First) would both be on g in the runs"),
        ('\n"inbox.answer" = "x"\n"inbox.open_run" = "x"', 4, "'inbox.open_run' and 'inbox.answer'"),
    ],
)
def test_a_slip_is_told_with_its_line(tmp_path: Path, lines: str, line: int, words: str) -> None:
    """Nothing opens with keys that mean two things, or nothing."""
    with pytest.raises(SettingsFileError) as caught:
        keymap_of(tmp_path, f"[keys]\n{lines}\n")

    assert str(caught.value).splitlines()[0].startswith(f"{tmp_path}/config.toml:{line}:1: ")
    assert words in str(caught.value)


def test_keys_may_be_exchanged(tmp_path: Path) -> None:
    """Neither is taken, as each gives its own away."""
    keymap = keymap_of(tmp_path, '[keys]\n"inbox.answer" = "o"\n"inbox.open_run" = "a"\n')

    keys = {command.id: command.keys for command in keymap.commands_of(Scope.INBOX)}
    assert (keys["inbox.answer"], keys["inbox.open_run"]) == (("o",), ("a",))


@pytest.mark.skipif(
    not PAPER.exists(), reason="the tests run against a wheel, beside which there are no papers"
)
def test_the_example_in_the_paper_has_no_fault(tmp_path: Path) -> None:
    """Whoever copies it gets these keys."""
    (example,) = re.findall(r"```toml\n(.*?)```", PAPER.read_text(encoding="utf-8"), re.DOTALL)

    assert len(keymap_of(tmp_path, example).keys) == 3


@pytest.mark.parametrize("screen", SCREENS)
def test_collisions_are_looked_for_in_every_place(screen: type[MonitorScreen]) -> None:
    """A screen that is not among the places would be forgotten."""
    assert any(set(screen.SCOPES) <= set(scopes) for scopes in PLACES.values())


async def test_other_keys_do_the_same_and_are_shown(tmp_path: Path) -> None:
    """Two are exchanged, one is moved; key bar and help say so, and the old key does nothing."""
    text = '[keys]\n"inbox.answer" = "o"\n"inbox.open_run" = "a"\nglobal.help = "f7"\n'
    clock = FixedClock(NOW)
    app = MonitorApp(opener(clock=clock, prepare=fill), clock, settings_of(tmp_path, text))
    async with app.run_test(size=(80, 24)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.see(" o Answer", " a Run", "F7 Help")
        await seen.press("question_mark")
        await seen.press("f7")
        await seen.see("o             Open the question")
        await seen.press("escape", "o")
        await seen.dialog("Enter the EUR")
        await seen.press("escape")
        await seen.until(lambda: not isinstance(app.screen, Dialog))
        await seen.press("a")
        await seen.see("Waves")
