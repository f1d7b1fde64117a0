"""Blocks that run whatever happened, and where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.model.workflow import WorkflowDefinition
from workflows.small_catalog import faults_of, load


def needs(definition: WorkflowDefinition) -> dict[str, list[str]]:
    """Return by block what it depends on."""
    return {block.id: [dependency.block for dependency in block.depends_on] for block in definition.blocks}


def test_one_that_says_no_more_stands_at_the_very_end() -> None:
    """It depends on the ends of all others, and may so read every one of them."""
    definition = load("""
name: w
blocks:
  - id: notify
    type: Shell
    always: true
    condition: "${run.status} != 'succeeded'"
    inputs: {command: "echo ${run.failures} ${a.status} ${b.x ?? ''} ${undo.status}"}
  - {id: a, type: Python}
  - {id: b, type: Python, depends_on: [a]}
  - {id: c, type: Python, depends_on: [a]}
  - {id: undo, type: Python, always: true, depends_on: [a]}
""")

    assert needs(definition)["notify"] == ["b", "c", "undo"]
    assert definition.waves == (("a",), ("b", "c", "undo"), ("notify",))
    assert [block.always for block in definition.blocks] == [True, False, False, False, True]


def test_what_depends_on_one_does_not_come_before_it() -> None:
    """So no cycle is made that nobody wrote, with two of them neither."""
    definition = load("""
name: w
blocks:
  - {id: first, type: Python, always: true}
  - {id: second, type: Python, always: true}
  - {id: after_first, type: Python, depends_on: [first]}
  - {id: after_second, type: Python, depends_on: [second]}
  - {id: work, type: Python}
""")

    assert needs(definition)["first"] == needs(definition)["second"] == ["work"]
    assert definition.waves == (("work",), ("first", "second"), ("after_first", "after_second"))


def test_a_workflow_of_nothing_else_runs_them_at_once() -> None:
    """There is nothing to wait for."""
    assert load("name: w\nblocks: [{id: a, type: Python, always: true}]").waves == (("a",),)


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        ("always: true, depends_on: [{block: a, when: failed}]", "always means whatever the outcome is"),
        ("always: maybe", "always: expected true or false"),
        ("always: true, depends_on: [aa]", "depends on 'aa', which does not exist"),
        ("always: true, depends_on: [a], inputs: {x: '${c.y}'}", "add c to depends_on"),
    ],
)
def test_what_does_not_fit_is_a_fault(block: str, fault: str) -> None:
    """One fault, one sentence."""
    found = faults_of(
        "name: w\nblocks:\n  - {id: a, type: Python}\n  - {id: c, type: Python}\n"
        f"  - {{id: b, type: Python, {block}}}\n"
    )

    assert len(found) == 1
    assert fault in found[0]


def test_so_many_of_them_that_edges_would_be_millions_are_refused() -> None:
    """Each would depend on every end of the rest."""
    blocks = [f"  - {{id: a{n}, type: Python, always: true}}\n" for n in range(101)]
    (found,) = faults_of("name: w\nblocks:\n" + "".join(blocks))

    assert "block 'a100': more than 100 blocks run always at the very end" in found


@given(st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 7), max_size=3)), min_size=1, max_size=8))
def test_waves_respect_every_edge_and_leave_always_blocks_last(blocks: list[tuple[bool, set[int]]]) -> None:
    """Whichever blocks run always, and whatever depends on them."""
    lines = []
    for number, (always, wanted) in enumerate(blocks):
        needed = ", ".join(f"b{other}" for other in sorted(wanted) if other < number)
        depends = f", depends_on: [{needed}]" if needed else ""
        lines.append(f"  - {{id: b{number}, type: Python, always: {str(always).lower()}{depends}}}")
    definition = load("name: w\nblocks:\n" + "\n".join(lines))
    wave_of = {block: index for index, wave in enumerate(definition.waves) for block in wave}
    written = {f"b{number}": wanted & set(range(number)) for number, (_, wanted) in enumerate(blocks)}

    assert len(wave_of) == len(blocks)
    for block in definition.blocks:
        assert all(wave_of[needed.block] < wave_of[block.id] for needed in block.depends_on)
    last = {block.id for block in definition.blocks if block.always and not written[block.id]}
    after = {str(block) for block in last}
    for number in range(len(blocks)):
        if any(f"b{other}" in after for other in written[f"b{number}"]):
            after.add(f"b{number}")
    for ending in last:
        assert all(
            wave_of[other.id] < wave_of[ending] for other in definition.blocks if other.id not in after
        )
