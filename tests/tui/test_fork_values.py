"""Changing values in a fork with real keys: what is shown is what is there, and what is typed is what is taken."""

from pathlib import Path

import pytest

from tidegate.history.document import pick
from tidegate.history.points import Point
from tidegate.model.base import JsonObject
from tidegate.model.ids import BlockId, RunId
from tidegate.model.state import RunState
from tidegate.model.value import Inline
from tidegate.tui.dialogs.turns.fork import ForkDialog
from tidegate.tui.messages import ForkWanted
from tidegate.tui.nouns.fork_wish import ForkWish
from tidegate.tui.reads.fork_wishes import editable
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tui.monitoring import Monitor, monitor
from tui.test_forking import fork_of, look_back

SIZE = (120, 50)
ODD = "a\tb\x1b[31mred\u200b\u202e\r\x07 c"
ODD_JSON = '"a\\tb\\u001b[31mred\\u200b\\u202e\\r\\u0007 c"'
MAKES = """
name: makes
inputs:
  who: {type: string, default: ana}
  note: {type: string, default: plain}
  count: {type: integer, default: 3}
blocks:
  - {id: make, type: Shell, inputs: {command: "cat made"}}
  - {id: read, type: Shell, depends_on: [make], inputs: {command: "echo '${make.stdout}' > seen"}}
"""


async def made(seen: Monitor, text: str, **inputs: str) -> RunId:
    """Return a run whose first block gave *text*, and that has ended."""
    (seen.folder / "made").write_bytes(text.encode())
    run_id = await seen.start(MAKES, **inputs)
    await seen.ask(lambda session: session.executor.settle(run_id))
    return run_id


async def ask_for_fork(seen: Monitor, run_id: RunId, *blocks: str) -> ForkDialog:
    """Open the dialog of a fork of a run as it is now, in which some blocks run again."""
    state = await seen.ask(lambda session: session.history.state(run_id))
    wish = ForkWish(Point(run_id, state.head), blocks=tuple(map(BlockId, blocks)))
    seen.app.post_message(ForkWanted(wish))
    await seen.dialog("itself is never changed")
    dialog = seen.app.screen
    assert isinstance(dialog, ForkDialog)
    return dialog


async def type_in(seen: Monitor, text: str) -> None:
    """Type a text at the cursor, key by key."""
    for character in text:
        await seen.press(character if character.isalnum() else _NAMES[character])


_NAMES = {
    " ": "space",
    ".": "full_stop",
    "_": "underscore",
    '"': "quotation_mark",
    "\\": "backslash",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "-": "minus",
    "/": "slash",
}


async def edit(seen: Monitor, path: str, *, leave: str = "enter") -> ForkDialog:
    """Ask for another value of what stands at a path."""
    await seen.press("e")
    await seen.see("tab next field")
    await type_in(seen, path)
    await seen.press(leave)
    dialog = seen.app.screen
    assert isinstance(dialog, ForkDialog)
    return dialog


def field(seen: Monitor) -> str:
    """Return what is in the field of the value."""
    dialog = seen.app.screen
    assert isinstance(dialog, ForkDialog)
    return dialog._form.value.text  # noqa: SLF001 - the screen cannot show what a field holds exactly


async def stdout_of(state: RunState) -> object:
    """Return what the first block has given, by the state."""
    value = state.block(BlockId("make")).outputs["stdout"]
    assert isinstance(value, Inline)
    return value.value


async def test_what_a_field_cannot_show_is_edited_as_json_and_stays_exact(tmp_path: Path) -> None:
    """A tab, escape, invisible and bidirectional characters survive a change elsewhere in the text."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, ODD)
        await ask_for_fork(seen, run_id, "read")
        await edit(seen, "blocks.make.outputs.stdout")
        await seen.see("It holds what a field cannot show", "as JSON writes a text")
        await seen.until(lambda: field(seen) == ODD_JSON)
        await seen.press("left", "d", "enter")
        await seen.see("Changes  blocks.make.outputs.stdout", 'red\\u200b\\u202e\\r\\u0007 cd"', "--set")
        await seen.approve()

        await seen.see("fork of")
        assert await stdout_of(await fork_of(seen, run_id)) == f"{ODD}d"


async def test_a_text_in_quotes_that_is_none_is_refused(tmp_path: Path) -> None:
    """What was typed stays; without the quotes it is taken as it is."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "a\tb")
        await ask_for_fork(seen, run_id, "read")
        await edit(seen, "blocks.make.outputs.stdout")
        await seen.until(lambda: field(seen) == '"a\\tb"')
        await seen.press("backspace", "enter")
        await seen.see("it begins with a double quote, and is no text as JSON writes it")
        assert field(seen) == '"a\\tb'
        await seen.press("ctrl+u")
        await type_in(seen, "now plain")
        await seen.press("enter")
        await seen.see('"a\\tb" → "now plain"')


async def test_a_text_of_several_lines_stays_one(tmp_path: Path) -> None:
    """It is shown line by line, and what is left of it is exact."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "one\n  two\nthree")
        await ask_for_fork(seen, run_id, "read")
        await edit(seen, "blocks.make.outputs.stdout")
        await seen.until(lambda: field(seen) == "one\n  two\nthree")
        await seen.press("ctrl+j", "x", "enter")
        await seen.see('"one\\n  two\\nthree" → "one\\n  two\\nthree\\nx"')
        await seen.approve()

        await seen.see("fork of")
        assert await stdout_of(await fork_of(seen, run_id)) == "one\n  two\nthree\nx"


async def test_tabs_and_blanks_are_told_apart_in_the_preview(tmp_path: Path) -> None:
    """A tab in the place of blanks is a change that one sees."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "a\tb")
        await ask_for_fork(seen, run_id, "read")
        await edit(seen, "blocks.make.outputs.stdout")
        await seen.until(lambda: field(seen) == '"a\\tb"')
        await seen.press("ctrl+u")
        await type_in(seen, "a b")
        await seen.press("enter")
        await seen.see('"a\\tb" → "a b"')


@pytest.mark.parametrize("leave", ["enter", "tab"])
async def test_leaving_the_path_shows_the_value_that_stands_there(tmp_path: Path, leave: str) -> None:
    """Also where another one stood in the field before; what is typed next belongs to the new path."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x", who="ben", note="hello")
        await ask_for_fork(seen, run_id, "make")
        await edit(seen, "inputs.who")
        await seen.until(lambda: field(seen) == "ben")
        await seen.press("shift+tab", "ctrl+u")
        await type_in(seen, "inputs.note")
        await seen.press(leave, "x")
        await seen.until(lambda: field(seen) == "hellox")
        await seen.press("enter")
        await seen.see('Changes  inputs.note  "hello" → "hellox"')
        assert "inputs.who" not in seen.text


async def test_a_click_leaves_the_path_too(tmp_path: Path) -> None:
    """Whatever moves the focus to the value."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x", who="ben")
        dialog = await ask_for_fork(seen, run_id, "make")
        await seen.press("e")
        await seen.see("tab next field")
        await type_in(seen, "inputs.who")
        await seen.pilot.click(dialog._form.value)  # noqa: SLF001 - to be clicked
        await seen.until(lambda: field(seen) == "ben")


BIG = """
name: big
blocks:
  - {id: big, type: Shell, inputs: {command: "cat made"}, outputs: {rows: "${json(big.stdout).rows}"}}
  - {id: read, type: Shell, depends_on: [big], inputs: {command: "true"}}
"""
WIDE = """
name: wide
inputs: {hosts: {type: map, default: {}}}
blocks:
  - {id: read, type: Shell, inputs: {command: "true"}}
"""


async def test_what_was_changed_inside_of_a_value_is_shown_by_its_path(tmp_path: Path) -> None:
    """Not the beginning of the whole value, which is the same before and after."""
    hosts: JsonObject = {f"h{number}": {"name": "web" * 30} for number in range(9)}
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await seen.start(WIDE, hosts=hosts)
        await seen.ask(lambda session: session.executor.settle(run_id))
        await ask_for_fork(seen, run_id, "read")
        await edit(seen, "inputs.hosts.h7.name")
        await seen.until(lambda: field(seen) == "web" * 30)
        await seen.press("x", "enter")
        await seen.see("Changes  inputs.hosts.h7.name", 'web"', 'webx"')
        assert "h1" not in seen.text


async def test_of_a_long_text_the_other_end_is_shown(tmp_path: Path) -> None:
    """Two texts that begin the same are shown from where they differ."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "same " * 100 + "end")
        await ask_for_fork(seen, run_id, "read")
        await edit(seen, "blocks.make.outputs.stdout")
        await seen.until(lambda: field(seen).endswith("end"))
        await seen.press("s", "enter")
        await seen.see("Changes  blocks.make.outputs.stdout  …", 'same end" → …', 'same ends"')


async def test_what_stands_inside_of_a_large_value_is_read(tmp_path: Path) -> None:
    """The value itself is not shown, what is inside of it is."""
    rows = ",".join(f'{{"name": "row {number} {"x" * 80}"}}' for number in range(200))
    (tmp_path / "made").write_text(f"[{rows}]")
    text = BIG.replace('{rows: "${json(big.stdout).rows}"}', '{rows: "${big.stdout}"}')
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await seen.start(text.replace('"cat made"}', '"cat made", parse: json}'))
        await seen.ask(lambda session: session.executor.settle(run_id))
        await ask_for_fork(seen, run_id, "read")
        await edit(seen, "blocks.big.outputs.result.5.name")
        await seen.until(lambda: field(seen) == f"row 5 {'x' * 80}")
        await seen.press("y", "enter")
        await seen.see("Changes  blocks.big.outputs.result.5.name", 'xxy"')
        await seen.approve()
        await seen.see("fork of")
        fork = await fork_of(seen, run_id)
        found = await seen.ask(lambda session: session.history.outputs(fork.block(BlockId("big")).outputs))
        now = [pick(found, ("result", at, "name")) for at in (5, 6)]
        assert now == [f"row 5 {'x' * 80}y", f"row 6 {'x' * 80}"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nonsense", "that cannot be changed in a fork"),
        ("inputs", "say which input; there is who, note, count"),
        ("blocks.nope.outputs.x", "the run has no block 'nope'; there is make, read"),
        ("blocks.make.outputs.nope", "block 'make' has no output 'nope'"),
        ("blocks.make.inputs.command", "had ended there and stays as it is: b lets it run again first"),
        ("blocks.read.outputs.stdout", "block 'read' runs again in this fork"),
        ("blocks.read.inputs.nope", "takes no 'nope'"),
        ("inputs.who.x", "there is nothing inside of it"),
        ("inputs..x", "is no path"),
    ],
)
@pytest.mark.parametrize("leave", ["enter", "tab"])
async def test_an_impossible_path_is_refused_before_a_value_is_typed(
    tmp_path: Path, path: str, said: str, leave: str
) -> None:
    """It says why, and keeps what was typed of the path."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x")
        await ask_for_fork(seen, run_id, "read")
        dialog = await edit(seen, path, leave=leave)
        await seen.until(lambda: said.lower() in " ".join(seen.text.replace("│", " ").split()).lower())
        await seen.until(lambda: dialog.focused is dialog._form.path)  # noqa: SLF001 - which field has the focus
        assert dialog._form.path.value == path  # noqa: SLF001 - what is in it
        assert field(seen) == ""


@pytest.mark.parametrize(
    ("place", "start", "said"),
    [
        ("inputs", "inputs.", "Say which input; there is who, note, count"),
        ("run", "", "That cannot be changed in a fork"),
        ("definition", "", "w takes the file as it is now"),
    ],
)
async def test_e_on_what_cannot_be_changed_says_what_can(
    tmp_path: Path, place: str, start: str, said: str
) -> None:
    """The path is begun with what is nearest, and no value stands in the field."""
    async with monitor(tmp_path, size=SIZE) as seen:
        await made(seen, "x")
        screen = await look_back(seen, "1")
        assert isinstance(screen, TimeTravelScreen)
        screen.state_list.focus()
        screen.state_list.move_to(place if place != "run" else "~run")
        await seen.press("e")
        await seen.dialog(said)
        dialog = seen.app.screen
        assert isinstance(dialog, ForkDialog)
        await seen.until(lambda: dialog.focused is dialog._form.path)  # noqa: SLF001 - which field has the focus
        assert dialog._form.path.value == start  # noqa: SLF001 - what is in it
        assert field(seen) == ""


async def test_typed_text_is_not_lost_at_one_stroke(tmp_path: Path) -> None:
    """Escape says so and keeps it; any other key takes the warning back, so that escape warns again."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x", who="ben")
        dialog = await ask_for_fork(seen, run_id, "make")
        await edit(seen, "inputs.who")
        await seen.until(lambda: field(seen) == "ben")
        await seen.press("s", "escape")
        await seen.see("esc once more drops what you typed")
        assert field(seen) == "bens"
        await seen.press("t")
        await seen.unsee("esc once more")
        await seen.press("escape")
        await seen.see("esc once more drops what you typed")
        await seen.press("left")
        await seen.unsee("esc once more")
        await seen.press("escape")
        await seen.see("esc once more drops what you typed")
        assert field(seen) == "benst"
        await seen.press("escape")
        await seen.see("Nothing happens until you press y", "e change")
        await seen.press("escape")
        await seen.until(lambda: seen.app.screen is not dialog)


async def test_a_place_of_the_tree_leads_to_what_can_be_changed(tmp_path: Path) -> None:
    """A value to itself, a block to what it gave or is given, and all else to itself."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x")
        state = await seen.ask(lambda session: session.history.state(run_id))
        assert editable(state, ("inputs", "who")) == ("inputs", "who")
        assert editable(state, ("blocks", "make", "status"))[:3] == ("blocks", "make", "outputs")
        assert editable(state, ("inputs",)) == ("inputs",)
        assert editable(state, ("definition", "blocks")) == ("definition", "blocks")
