"""Starting a run from the monitor: the form, its rules, and what comes of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input, TextArea

from tidegate.model.ids import RunId
from tidegate.model.state import RunState
from tidegate.tui.dialogs.quit import QuitDialog
from tidegate.tui.dialogs.turns.launch import LaunchDialog
from tidegate.tui.dialogs.turns.launch_fields import InputBox
from tidegate.tui.screens.run.run_view import RunScreen
from tui.dialogs.host import hold, paste
from tui.monitoring import Monitor, monitor

SHIP = """
name: ship
description: Ship it, after somebody has looked.
inputs:
  project: {type: string, required: true, description: What to ship}
  environment: {type: string, default: staging, choices: [staging, production]}
  replicas: {type: integer, default: 3, description: How many copies}
  ratio: {type: number, default: 0.5}
  dry: {type: boolean, default: true}
  hosts: {type: list, default: [a, b]}
  labels: {type: map, required: false}
  note: {type: string, default: none}
  code: {type: integer, default: 2, choices: [1, 2, 3]}
blocks:
  - {id: look, type: Shell, effect: pure, inputs: {command: "true"}}
  - {id: gate, type: ConfirmOperation, depends_on: [look], inputs: {message: "Ship ${project}?"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "true"}}
"""
PLAIN = """
name: plain
blocks: [{id: gate, type: ConfirmOperation, inputs: {message: "Go on?"}}]
"""
BARE = """
name: bare
inputs: {count: {type: integer, default: 3}}
blocks: [{id: mail, type: Shell, inputs: {command: "true"}}]
"""
DEFAULTS = {
    "environment": "staging",
    "replicas": 3,
    "ratio": 0.5,
    "dry": True,
    "hosts": ["a", "b"],
    "labels": None,
    "note": "none",
    "code": 2,
}


@asynccontextmanager
async def over(folder: Path, text: str, size: tuple[int, int] = (120, 50)) -> AsyncIterator[Monitor]:
    """Run a monitor over a folder with one workflow, with mode 4 in sight."""
    (folder / "ship.yaml").write_text(text)
    async with monitor(folder, size=size, folders=(folder,)) as seen:
        await seen.press("4")
        await seen.see("✓ sound")
        yield seen


async def form(seen: Monitor, key: str = "n", words: str = "ctrl+s starts the run") -> None:
    """Open the form, and wait until it takes keys."""
    await seen.press(key)
    await seen.dialog(words)


def box(seen: Monitor, name: str) -> InputBox:
    """Return the field of an input."""
    return next(box for box in seen.app.screen.query(InputBox) if box.declared.name == name)


def fill_in(seen: Monitor, name: str, text: str) -> None:
    """Put a text into a field, in place of what is in it."""
    for control in box(seen, name).query("LineField, TextField"):
        if isinstance(control, Input):
            control.value = text
        elif isinstance(control, TextArea):
            control.load_text(text)


async def start_as_it_is(seen: Monitor) -> None:
    """Start what nobody has typed and has effects outside: by two presses, and not one long one."""
    await seen.press("ctrl+s")
    await seen.see("Ready: press ctrl+s again")
    await seen.pilot.pause(0.2)
    await seen.press("ctrl+s")


async def started(seen: Monitor) -> RunState:
    """Return the state of the run that is in sight once it was started."""
    await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
    screen = seen.app.screen
    assert isinstance(screen, RunScreen)
    run_id: RunId = screen.run_id
    return await seen.ask(lambda session: session.history.state(run_id))


async def test_a_run_is_started_with_what_was_typed_and_with_the_defaults(tmp_path: Path) -> None:
    """Every value has its declared type, and the run is what one looks at next."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop", "tab", "2", "tab", "backspace", "7", "ctrl+s")
        state = await started(seen)
        source = await seen.ask(lambda session: session.history.run_view(state.run_id))

        assert state.inputs == {**DEFAULTS, "project": "shop", "environment": "production", "replicas": 7}
        assert source.row.by == "ana"
        await seen.see("Ship shop?")


async def test_lists_mappings_numbers_and_marks_arrive_as_what_they_are(tmp_path: Path) -> None:
    """JSON is read; an emptied text is an empty text; a mark of a number is that number."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        for name, text in {
            "project": " shop ",
            "ratio": "1e-3",
            "hosts": '["x", 1]',
            "labels": '{"a": {"b": null}}',
            "note": "",
        }.items():
            fill_in(seen, name, text)
        box(seen, "dry").take_focus()
        await seen.press("2")
        box(seen, "code").take_focus()
        await seen.press("3", "ctrl+s")
        state = await started(seen)

        assert state.inputs == {
            "project": " shop ",
            "environment": "staging",
            "replicas": 3,
            "ratio": 0.001,
            "dry": False,
            "hosts": ["x", 1],
            "labels": {"a": {"b": None}},
            "note": "",
            "code": 3,
        }


async def test_the_form_says_what_the_run_would_do(tmp_path: Path) -> None:
    """Whom it asks, what it changes outside, and the waves, before anything is started."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen, "enter")

        await seen.see(
            "Start ship",
            "Ship it, after somebody has looked.",
            "◆ asks a person at  gate",
            "! changes things outside in  ship",
            "wave 1: look · wave 2: ◆ gate · wave 3: ship",
            "project *",
            "text · What to ship",
            "a whole number · default 3 · How many copies",
        )


async def test_the_first_wrong_field_gets_the_focus_and_says_why(tmp_path: Path) -> None:
    """Nothing is started; each wrong field is told by the rule of the run itself."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        fill_in(seen, "replicas", "many")
        fill_in(seen, "hosts", "[1,")
        await seen.press("ctrl+s")
        await seen.see("✗ missing (What to ship)", "3 fields are not right yet")
        focused = seen.app.focused
        assert focused is not None
        assert box(seen, "project") in focused.ancestors
        assert box(seen, "replicas").shown_problem == '"many", expected a whole number'
        assert box(seen, "hosts").shown_problem == '"[1,", expected a list'

        await seen.press(*"shop")
        await seen.unsee("✗ missing")
        await seen.see("2 fields are not right yet")
        assert await seen.ask(lambda session: session.history.runs()) == ()


async def test_a_field_is_checked_when_it_is_left(tmp_path: Path) -> None:
    """Not before: nobody is told off while typing; once it was wrong, with every key."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop", "tab", "tab", "x")
        assert "✗" not in seen.text
        await seen.press("tab")
        await seen.see('✗ "3x", expected a whole number', "1 field is not right yet")
        assert box(seen, "replicas").query_one(Input).has_class("-invalid")
        await seen.press("shift+tab", "backspace")

        await seen.unsee("expected a whole number")


async def test_what_was_typed_is_there_the_next_time(tmp_path: Path) -> None:
    """Escape starts nothing and keeps the draft, an emptied field included; a started one leaves none."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop", "tab", "2")
        fill_in(seen, "note", "")
        await seen.press("escape")
        await seen.see("nothing was started; the draft is kept")
        await form(seen, words="Your draft is back")
        assert box(seen, "project").given == "shop"
        assert box(seen, "environment").given == "production"
        assert box(seen, "note").given == ""
        await seen.press("ctrl+s")
        assert (await started(seen)).inputs["note"] == ""
        await seen.press("escape")
        await form(seen)

        assert box(seen, "project").given is None


async def test_keys_that_were_typed_ahead_start_nothing(tmp_path: Path) -> None:
    """Enter on the list and whatever follows it too soon: the form opens, and is as it was."""
    async with over(tmp_path, PLAIN) as seen:
        await seen.press("enter", "ctrl+s", "enter", "y", "enter")
        await seen.dialog("It takes no inputs.")

        assert await seen.ask(lambda session: session.history.runs()) == ()


async def test_a_harmless_workflow_without_inputs_is_started_by_ctrl_s_alone(tmp_path: Path) -> None:
    """No number of enters does it."""
    async with over(tmp_path, PLAIN) as seen:
        await form(seen)
        await seen.press("enter", "enter", "enter")
        assert isinstance(seen.app.screen, LaunchDialog)
        await seen.press("ctrl+s")

        assert (await started(seen)).graph.definition.name == "plain"


async def test_what_nobody_typed_and_has_effects_outside_is_armed_first(tmp_path: Path) -> None:
    """One press says what it changes, the next one starts it; escape, or another value, takes that back."""
    async with over(tmp_path, BARE) as seen:
        await form(seen)
        await seen.press("ctrl+s")
        await seen.see("▶ Ready: press ctrl+s again to start it", "count: 3 (left as it is). It")
        await seen.see("changes things outside in mail.")
        await seen.press("escape")
        await seen.unsee("Ready")
        await seen.press("ctrl+s")
        await seen.see("Ready")
        await seen.press("backspace", "7", "ctrl+s")

        assert (await started(seen)).inputs == {"count": 7}
        await seen.press("4")
        await form(seen)
        await start_as_it_is(seen)
        assert (await started(seen)).inputs == {"count": 3}


async def test_a_key_that_is_held_starts_one_run(tmp_path: Path) -> None:
    """However many presses are on their way when the first one counts."""
    async with over(tmp_path, PLAIN) as seen:
        await form(seen)
        await hold(seen.pilot, "ctrl+s", 5)
        first = await started(seen)
        await seen.see("Go on?")

        runs = await seen.ask(lambda session: session.history.runs())
        assert [run.row.run_id for run in runs] == [first.run_id]


async def test_a_paste_of_several_lines_is_refused_whole(tmp_path: Path) -> None:
    """As in every dialog; the form stays."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        paste(seen.app, "shop\nctrl")

        await seen.see("it has 2 lines")
        assert box(seen, "project").given is None


async def test_a_file_that_changes_meanwhile_is_looked_at_again(tmp_path: Path) -> None:
    """What was seen is not what would run: nothing is started, and the draft stays."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop")
        (tmp_path / "ship.yaml").write_text(SHIP.replace("default: 3", "default: 5"))
        await seen.press("ctrl+s")
        await seen.dialog("The file has changed while this was open")
        assert box(seen, "project").given == "shop"
        assert box(seen, "replicas").given == 5
        assert await seen.ask(lambda session: session.history.runs()) == ()
        await seen.press("ctrl+s")

        assert (await started(seen)).inputs["replicas"] == 5


async def test_a_file_with_faults_starts_nothing(tmp_path: Path) -> None:
    """Neither before the form opens nor from a form that is open."""
    broken = SHIP.replace("type: ConfirmOperation", "type: Confirm")
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop")
        (tmp_path / "ship.yaml").write_text(broken)
        await seen.press("ctrl+s")
        await seen.see("nothing can be started from it yet: ship.yaml:16:22")
        await seen.press("escape")
        await seen.see("✗ 1 fault")
        await seen.press("n")

        await seen.see("nothing can be started from it yet")
        assert not isinstance(seen.app.screen, LaunchDialog)
        assert await seen.ask(lambda session: session.history.runs()) == ()


async def test_what_could_not_be_started_is_armed_no_more(tmp_path: Path) -> None:
    """One more press says again what it changes, and starts nothing: the file may be another one by then."""
    async with over(tmp_path, BARE) as seen:
        await form(seen)
        sound = (tmp_path / "ship.yaml").read_text()
        await seen.press("ctrl+s")
        await seen.see("Ready: press ctrl+s again")
        (tmp_path / "ship.yaml").write_text("name: [")
        await seen.pilot.pause(0.2)
        await seen.press("ctrl+s")
        await seen.see("nothing can be started from it yet")
        (tmp_path / "ship.yaml").write_text(sound)
        await seen.pilot.pause(0.2)
        await seen.press("ctrl+s")
        await seen.see("Ready: press ctrl+s again")
        await seen.pilot.pause(0.5)

        assert isinstance(seen.app.screen, LaunchDialog)
        assert await seen.ask(lambda session: session.history.runs()) == ()


async def test_a_run_is_started_again_with_the_same_inputs(tmp_path: Path) -> None:
    """Each exactly as it was, an empty text and several lines included; any can be changed first."""
    inputs = {**DEFAULTS, "project": "one\ntwo", "note": "", "labels": {"z": [1, 2.5]}, "replicas": 9}
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        for name in ("project", "note"):
            fill_in(seen, name, str(inputs[name]))
        fill_in(seen, "labels", '{"z": [1, 2.5]}')
        fill_in(seen, "replicas", "9")
        await seen.press("ctrl+s")
        first = await started(seen)
        await form(seen)
        await seen.see("Start again ship", "with the inputs of run")
        await start_as_it_is(seen)
        await seen.until(
            lambda: isinstance(seen.app.screen, RunScreen) and seen.app.screen.run_id != first.run_id
        )
        again = await started(seen)

        assert again.inputs == {**first.inputs}
        assert again.run_id != first.run_id


async def test_starting_again_says_that_the_file_has_changed(tmp_path: Path) -> None:
    """What runs is what the file says now; an input that it takes no more is named."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop", "ctrl+s")
        first = await started(seen)
        changed = SHIP.replace("  note: {type: string, default: none}\n", "").replace(
            "default: 3", "default: 5"
        )
        (tmp_path / "ship.yaml").write_text(changed)
        await form(seen)
        await seen.see("The file has changed since that run started", "inputs of that run no more: note")
        assert box(seen, "replicas").given == 3
        await start_as_it_is(seen)
        await seen.until(
            lambda: isinstance(seen.app.screen, RunScreen) and seen.app.screen.run_id != first.run_id
        )

        assert "note" not in (await started(seen)).inputs


async def test_starting_again_without_the_file_takes_what_the_run_had(tmp_path: Path) -> None:
    """The run has its definition pinned; that the file is gone is said."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop", "ctrl+s")
        first = await started(seen)
        (tmp_path / "ship.yaml").unlink()
        await form(seen, words="ship.yaml is gone")
        await start_as_it_is(seen)
        await seen.until(
            lambda: isinstance(seen.app.screen, RunScreen) and seen.app.screen.run_id != first.run_id
        )

        assert (await started(seen)).inputs == first.inputs


async def test_quitting_over_a_form_asks_first(tmp_path: Path) -> None:
    """What was typed is not kept beyond the program."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop", "ctrl+q")
        await seen.dialog("What you have begun to type is not sent")
        assert isinstance(seen.app.screen, QuitDialog)
        await seen.press("escape")

        await seen.until(lambda: isinstance(seen.app.screen, LaunchDialog))


HOSTILE = r"""
name: evil
description: "[b]x[/b] [/] \e]2;title\a \u202E[link=http://x]y[/link]"
inputs:
  shade: {type: string, default: "\e[31mred\e[0m [b]", description: "[i]\e[2J about \u202E[/]"}
  lines: {type: string, default: "one\ntwo\e[1m"}
  pick: {type: string, default: "[red]a", choices: ["[red]a", "\e[31mb", ""]}
blocks: [{id: gate, type: ConfirmOperation, description: "[b]\e[3m", inputs: {message: "Go on?"}}]
"""


@pytest.mark.parametrize("size", [(80, 24), (120, 50)])
async def test_hostile_text_is_shown_and_never_obeyed(tmp_path: Path, size: tuple[int, int]) -> None:
    """Nothing that a file says reaches the terminal as anything but text; what nobody edits stays exact."""
    async with over(tmp_path, HOSTILE, size) as seen:
        await seen.see("evil", "[b]x[/b] [/] ␛]2;title␇")
        await form(seen)
        await seen.see("[b]x[/b] [/] ␛]2;title␇")
        drawn = seen.text
        assert "\x1b" not in drawn
        assert "\u202e" not in drawn
        assert box(seen, "shade").query_one(Input).value == "␛[31mred␛[0m [b]"
        await seen.press("ctrl+s")

        assert (await started(seen)).inputs == {
            "shade": "\x1b[31mred\x1b[0m [b]",
            "lines": "one\ntwo\x1b[1m",
            "pick": "[red]a",
        }


async def test_a_long_default_is_kept_as_it_is_unless_it_is_edited(tmp_path: Path) -> None:
    """A field shows its beginning only, and says so."""
    long = "x" * 5_000
    text = f"name: long\ninputs: {{note: {{type: string, default: {long}}}}}\n" + PLAIN.split("\n", 2)[2]
    async with over(tmp_path, text) as seen:
        await form(seen)
        await seen.see("only its first 2,000 characters are shown")
        await seen.press("ctrl+s")

        assert (await started(seen)).inputs == {"note": long}


async def test_y_and_n_choose_in_the_form_as_everywhere(tmp_path: Path) -> None:
    """So does an arrow; the cursor stands on what the field is filled in with."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        await seen.press(*"shop", "tab", "down")
        box(seen, "dry").take_focus()
        await seen.press("n")
        await seen.see("dry: no")
        await seen.press("ctrl+s")
        state = await started(seen)

        assert state.inputs == {**DEFAULTS, "project": "shop", "environment": "production", "dry": False}


async def test_a_text_in_a_list_of_the_form_chooses_nothing(tmp_path: Path) -> None:
    """And it is said why no letter counts."""
    async with over(tmp_path, SHIP) as seen:
        await form(seen)
        box(seen, "dry").take_focus()
        await seen.press("n", "o", "p", "e")
        await seen.see("You seem to be writing")

        assert box(seen, "dry").given is True
        assert not box(seen, "dry").is_touched
