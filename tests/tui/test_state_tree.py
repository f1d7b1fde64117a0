"""The state of a point as a tree: large branches in pages, and every row for what is there."""

import time

from tidegate.history.document import document
from tidegate.model.block_state import BlockStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.state import RunState, new_state
from tidegate.model.workflow import BlockDefinition, Graph, WorkflowDefinition
from tidegate.tui.present.state_find import find
from tidegate.tui.present.state_tree import PAGE, Changed, Opened, searchable, tree_rows
from tui.scene import NOW


def large(blocks: int) -> RunState:
    """Return a run of so many blocks of which one is at work."""
    names = [BlockId(f"block_{number:05}") for number in range(blocks)]
    found = tuple(BlockDefinition(id=name, type="Shell") for name in names)
    definition = WorkflowDefinition(name="large", blocks=found, waves=(tuple(names),))
    state = new_state(RunId("large"), Graph(definition))
    last = names[-1]
    return state.with_block(last, state.block(last).evolve(status=BlockStatus.RUNNING, attempt=1))


def test_a_large_branch_is_shown_in_pages_with_what_matters_first() -> None:
    """Ten thousand blocks cost no more than a page of them."""
    state, opened = large(10_000), Opened()
    begun = time.process_time()
    rows = tree_rows(state, opened, Changed(), None, NOW)
    took = time.process_time() - begun

    keys = [row.line.key for row in rows]
    assert keys[3] == "blocks.block_09999"
    assert len(rows) < PAGE + 20
    assert "9,800 more" in rows[keys.index("more:blocks")].line.text
    assert took < 1.0
    opened.show_more(("blocks",))
    assert len(tree_rows(state, opened, Changed(), None, NOW)) == len(rows) + PAGE
    found = tree_rows(state, opened, Changed(), find(searchable(state, opened), "block_07123"), NOW)
    assert [row.path for row in found] == [("blocks",), ("blocks", "block_07123")]


def test_every_row_stands_for_what_the_document_has_there() -> None:
    """A path of the tree is a path of everything else: of the diff, of a fork, of the command line."""
    state = large(3)
    opened = Opened()
    for path in (("blocks", "block_00000"), ("blocks", "block_00002"), ("definition",), ("~run",)):
        opened.toggle(path, Changed())
    tree = document(state)

    rows = tree_rows(state, opened, Changed(), None, NOW)

    leaves = [row for row in rows if row.path[0] != "~run" and len(row.path) > 1]
    assert len({row.line.key for row in rows}) == len(rows)
    for row in leaves:
        node: object = tree
        for part in row.path:
            node = node[part]  # type: ignore[index]
        assert row.node == node
