"""What is written uses the room there is: further lines hang below their beginning, names are cut where they must be."""

from pathlib import Path

from rich.cells import cell_len

from tidegate.model.ids import BlockId
from tidegate.tui.lines import Tone, wrap
from tidegate.tui.present.board import BlockItem, Wave
from tidegate.tui.present.shared import json_lines
from tidegate.tui.widgets.wave_board import board_lines
from tui.monitoring import Monitor, monitor

LONG = "verify_that_the_restored_copy_is_complete"
LETTER = """
name: letter
blocks:
  - id: write
    type: Shell
    inputs:
      command: |
        echo a line that is so long that there is no room for all of it in one line of this pane, whatever it says &&
        echo and another one, which is as long as that, so that it has to be wrapped in the same way as the first one
  - {id: short, type: Shell, depends_on: [write], inputs: {command: "true"}}
  - {id: %s, type: Shell, depends_on: [short], inputs: {command: "true"}}
"""


def item(name: str) -> BlockItem:
    """Return a block that took a second."""
    return BlockItem(BlockId(name), name, "✓", "succeeded", Tone.DONE, "", "0:01")


def wave(*names: str) -> Wave:
    """Return a wave of some blocks."""
    return Wave(f"Wave  {len(names)}/{len(names)}", Tone.STRONG, tuple(map(item, names)))


def test_further_lines_of_a_value_hang_below_it_however_narrow() -> None:
    """Each of them, and what has no room in one of them."""
    lines = json_lines({"command": "first words of it\nsecond line, which is long\n    indented"})
    shown = [part.text.rstrip() for line in lines for part in wrap(line, 28)]

    assert shown == [
        "command   first words of it",
        "          second line, which",
        "          is long",
        "              indented",
    ]


def test_a_long_name_has_what_other_waves_do_not_need() -> None:
    """Where all is shown, they are alike; where it is not, nobody is cut for the room of others."""
    alike = board_lines((wave("a", "b"), wave("c")), None, 200)
    assert [cell_len(line.text) for line in alike] == [72, 72, 72]

    title, row = board_lines((wave("a"), wave(LONG), wave("c")), None, 200)
    assert LONG in row.text
    assert cell_len(title.text) == cell_len(row.text) <= 200
    narrow = board_lines((wave("a"), wave(LONG), wave("c")), None, 80)[1].text
    assert LONG not in narrow
    assert f"✓ {LONG[:20]}" in narrow
    assert cell_len(narrow) <= 80
    both = board_lines((wave(LONG), wave(LONG)), None, 90)[1].text
    assert [part.strip() for part in both.split("✓")[1:]] == [f"{LONG[:35]}… 0:01"] * 2


async def seen_run(seen: Monitor) -> None:
    """Go to the only run, and to its first block."""
    await seen.start(LETTER % LONG)
    await seen.press("2")
    await seen.see("succeeded", "letter")
    await seen.press("enter", "g")
    await seen.see("command   echo a line")


async def test_the_run_view_shows_both(tmp_path: Path) -> None:
    """The block pane, and the waves above it, also where they have half of a wide terminal."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await seen_run(seen)
        inputs = seen.text[seen.text.index("Inputs, as written") :].splitlines()[1:8]
        assert inputs[0].startswith("│ command   echo")
        assert all(line.startswith("│           ") for line in inputs[1:6])

        assert f"✓ {LONG} " in seen.text
        await seen.pilot.resize_terminal(200, 50)
        await seen.see(f"✓ {LONG} ")
