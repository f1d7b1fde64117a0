"""Looking for names and values in the state of a point: what is found, what is marked, what was not looked into."""

from pathlib import Path

from tidegate.model.block_state import BlockStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.state import RunState, new_state
from tidegate.model.value import Inline, Stored
from tidegate.model.workflow import BlockDefinition, Graph, WorkflowDefinition
from tidegate.tui.lines import Tone
from tidegate.tui.present.state_find import find, found_lines
from tidegate.tui.present.state_tree import Changed, Opened, TreeRow, searchable, tree_rows
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tui.monitoring import Monitor, monitor
from tui.scene import NOW

LARGE = Stored(sha256="ab" * 32, size=5_000_000)


def ended(*names: str, **outputs: object) -> RunState:
    """Return a run whose blocks have all given the same."""
    blocks = tuple(BlockDefinition(id=BlockId(name), type="Shell") for name in names)
    definition = WorkflowDefinition(name="w", blocks=blocks, waves=(tuple(block.id for block in blocks),))
    state = new_state(RunId("r"), Graph(definition))
    values = {
        name: it if isinstance(it, Stored) else Inline(value=it)  # type: ignore[arg-type]
        for name, it in outputs.items()
    }
    for block in blocks:
        given = state.block(block.id).evolve(status=BlockStatus.SUCCEEDED, attempt=1, outputs=values)
        state = state.with_block(block.id, given)
    return state


def rows_with(state: RunState, words: str, opened: Opened) -> list[TreeRow]:
    """Return the rows of a tree in which somebody looks for *words*."""
    return tree_rows(state, opened, Changed(), find(searchable(state, opened), words), NOW)


def test_a_value_is_found_with_the_way_that_leads_to_it() -> None:
    """Also deep in a closed branch; its words are pieces of their own, and a sign stands before it."""
    state = ended("build", "ship", stdout="Made for ANA\nall well", sizes={"img": [1, {"name": "ana"}]})

    rows = rows_with(state, "ana", Opened())

    keys = [row.line.key for row in rows if "ship" not in row.line.key]
    inner = "blocks.build.outputs.sizes.img.1"
    assert keys == [
        "blocks",
        "blocks.build",
        "blocks.build.outputs",
        "blocks.build.outputs.stdout",
        "blocks.build.outputs.sizes",
        "blocks.build.outputs.sizes.img",
        inner,
        f"{inner}.name",
    ]
    hits = [row.line for row in rows if row.line.mark == "*"]
    assert [line.key.rpartition(".")[2] for line in hits] == ["stdout", "name"] * 2
    assert [piece.text for line in hits for piece in line.pieces if piece.tone is Tone.CHOSEN] == [
        "ANA",
        "ana",
    ] * 2
    assert [row.path for row in rows_with(state, "build all", Opened())][-1][-1] == "stdout"


def test_what_only_the_way_has_is_no_hit_until_somebody_opens_it() -> None:
    """A block that is called so is one hit, and not everything in it."""
    state, opened = ended("build", "ship", stdout="x"), Opened()

    assert [row.path for row in rows_with(state, "build", opened)] == [("blocks",), ("blocks", "build")]
    opened.flip(("blocks", "build"))
    paths = [row.path for row in rows_with(state, "build", opened)]
    assert ("blocks", "build", "status") in paths
    assert ("blocks", "ship") not in paths


def test_a_large_value_is_looked_into_once_it_is_loaded() -> None:
    """Until then it is said that it was not: what one looks for may be there."""
    state, opened = ended("build", log=LARGE), Opened()

    found = find(searchable(state, opened), "needle")
    assert not found.hits
    [line] = found_lines(found)
    assert line.text == "1 large value not looked into: one is, once enter has loaded it"
    opened.load(LARGE, "hay needle hay")
    found = find(searchable(state, opened), "needle")
    assert found.hits == {("blocks", "build", "outputs", "log")}
    assert list(found_lines(found)) == []


def test_of_a_very_large_run_all_names_and_so_many_values_are_looked_into() -> None:
    """What was left out is said."""
    state = ended(*[f"block_{number:05}" for number in range(10_000)], stdout="x", code=7)
    found = find(searchable(state, Opened()), "block_09999")

    assert found.hits == {("blocks", "block_09999")}
    assert not found.is_whole
    assert "the first 20,000 values" in "".join(line.text for line in found_lines(found))


TALE = """
name: tale
blocks:
  - {id: build, type: Shell, inputs: {command: "echo '[b]nee''dle one[/b]'"}}
  - {id: pack, type: Shell, depends_on: [build], inputs: {command: "echo hay"}}
  - {id: ship, type: Shell, depends_on: [pack], inputs: {command: "echo nee''dle two"}}
"""


LONG = """
name: long
blocks:
  - {id: list, type: Shell, inputs: {command: "seq 300 700", parse: lines}}
"""


async def looking(seen: Monitor, text: str = TALE, words: str = "needle") -> TimeTravelScreen:
    """Return the past of a run that has ended, in which *words* were looked for."""
    run_id = await seen.start(text)
    await seen.ask(lambda session: session.executor.settle(run_id))
    await seen.press("3")
    await seen.see("shown")
    await seen.press("g", "enter")
    await seen.see("viewing")
    await seen.press("full_stop")
    await seen.see(" AS OF ")
    await seen.press("tab", "slash", *words, "enter")
    screen = seen.app.screen
    assert isinstance(screen, TimeTravelScreen)
    return screen


async def test_n_goes_from_one_place_that_was_found_to_the_next(tmp_path: Path) -> None:
    """Round the ends; without words it goes through the changes of a value again."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        screen = await looking(seen)
        first, second = (f"blocks.{name}.outputs.stdout" for name in ("build", "ship"))
        await seen.see("/2 found", "[b]needle o", "needle two")
        assert "pack" not in [line.key for line in screen.state_list.lines]

        await seen.see("1/2 found")
        assert screen.state_list.cursor_key == first
        await seen.press("n")
        assert screen.state_list.cursor_key == second
        await seen.press("n")
        assert screen.state_list.cursor_key == first
        await seen.press("N")
        await seen.see("2/2 found")
        await seen.press("escape")
        await seen.see("+ ~ changed")
        assert screen.state_list.cursor_key == second
        assert "blocks.ship.status" in [line.key for line in screen.state_list.lines]
        screen.state_list.move_to("blocks.ship")
        await seen.press("n")
        await seen.see("blocks.ship does not change after this")


async def test_what_is_nowhere_is_said_to_be(tmp_path: Path) -> None:
    """With the key that shows all again."""
    async with monitor(tmp_path) as seen:
        await looking(seen)
        await seen.press("slash", *"xyz", "enter")
        await seen.see("Nothing in the state has 'xyz'", "none found")
        await seen.press("n")
        await seen.see("nothing in the state has 'xyz'")


async def test_what_was_found_stays_open_also_on_another_page(tmp_path: Path) -> None:
    """Once all is shown again the cursor stands on it, though its branch is longer than what is shown at once."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        screen = await looking(seen, LONG, "678")
        await seen.see("found, n N")
        found = screen.state_list.cursor_key
        await seen.press("escape")
        await seen.unsee("found, n N")
        assert screen.state_list.cursor_key == found
