"""Workflows that call others: found beside them, pinned with them, given what they take."""

import time
from pathlib import Path

import pytest

from tidegate.errors import DefinitionError
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.workflows.from_python import workflow_from
from tidegate.workflows.loader import load_workflow
from workflows.small_catalog import CATALOG, faults_of, load

CHILD = """\
name: child
inputs:
  version: string
  count: {type: integer, default: 1}
  where: {type: string, default: eu, choices: [eu, us]}
blocks: [{id: a, type: Python}]
outputs: {result: "${a.x}", size: 3}
"""


def caller(call: str, *more: str) -> str:
    """Return a workflow whose block `c` calls another one with these inputs."""
    return "name: top\nblocks:\n" + "".join(
        f"  - {line}\n" for line in (f"{{id: c, type: ExecuteWorkflow, inputs: {{{call}}}}}", *more)
    )


def write(folder: Path, **files: str) -> None:
    """Write workflow files by stem."""
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)


def top(folder: Path) -> WorkflowDefinition:
    """Load the calling workflow."""
    return load_workflow(folder / "top.yaml", CATALOG).definition


def faults(folder: Path, name: str = "top") -> list[str]:
    """Return every fault of a file and of those that it calls, with file names only."""
    with pytest.raises(DefinitionError) as caught:
        load_workflow(folder / f"{name}.yaml", CATALOG)
    return str(caught.value).replace(f"{folder}/", "").splitlines()


@pytest.mark.parametrize("name", ["child", "other", "./other.yaml", "other.yaml", "sub/../other.yaml"])
def test_a_called_workflow_is_found_and_pinned(tmp_path: Path, name: str) -> None:
    """By its file's name, its own name, or a path from the calling file; under the name as written."""
    (tmp_path / "sub").mkdir()
    write(tmp_path, top=caller(f"workflow: {name}, inputs: {{version: v1}}"), other=CHILD)

    definition = top(tmp_path)

    child = definition.children[name]
    assert (child.name, child.working_dir) == ("child", str(tmp_path))
    assert definition_hash(definition) != definition_hash(definition.evolve(children={}))


def test_a_path_starts_at_the_calling_file(tmp_path: Path) -> None:
    """Also that of a child, whose own children lie beside it."""
    folder = tmp_path / "lib"
    folder.mkdir()
    write(folder, middle=caller("workflow: child, inputs: {version: x}"), child=CHILD)
    write(tmp_path, top=caller("workflow: lib/middle.yaml"))

    middle = top(tmp_path).children["lib/middle.yaml"]

    assert middle.working_dir == str(folder)
    assert middle.children["child"].name == "child"


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ("workflow: chld", "there is no workflow 'chld' in"),
        ("workflow: chld", "(did you mean 'child'?)"),
        (
            "workflow: ./chld.yaml",
            "there is no file './chld.yaml' (seen from this file's folder) (did you mean",
        ),
        ("workflow: /nowhere/x.yaml", "there is no file"),
        ('workflow: "a\\0b"', "there is no workflow"),
        ('workflow: "./a\\0b.yaml"', "there is no file"),
        ("workflow: '${which}'", "a workflow is called by a name that is known before the run"),
        ("workflow: child", "the workflow 'child' needs the input 'version': pass it in inputs"),
        ("workflow: child, inputs: {version: v, vrsion: x}", "no input 'vrsion' (did you mean 'version'?)"),
        ("workflow: child, inputs: {version: 1}", "the input 'version' is 1, expected text"),
        (
            "workflow: child, inputs: {version: v, count: many}",
            "'count' is \"many\", expected a whole number",
        ),
        ("workflow: child, inputs: {version: v, where: mars}", "expected one of eu, us"),
        ("workflow: child, inputs: {version: null}", "the input 'version' is missing"),
    ],
)
def test_a_call_that_cannot_be_is_a_fault(tmp_path: Path, call: str, fault: str) -> None:
    """At the call, before anything runs."""
    text = caller(call).replace("blocks:", "inputs: {which: string}\nblocks:", 1)
    write(tmp_path, top=text, child=CHILD)
    found = faults(tmp_path)

    assert len(found) == 1
    assert found[0].startswith("top.yaml:4:")
    assert fault in found[0]


@pytest.mark.parametrize(
    "call",
    [
        "workflow: child, inputs: {version: '${v}', count: '${n}', where: us}",
        "workflow: child, inputs: '${all}'",
        "workflow: child, inputs: {version: v, count: null}",
    ],
)
def test_what_only_a_run_shows_is_not_judged(tmp_path: Path, call: str) -> None:
    """References are values of that run."""
    text = caller(call).replace("blocks:", "inputs: {v: string, n: integer, all: map}\nblocks:", 1)
    write(tmp_path, top=text, child=CHILD)

    assert top(tmp_path).children["child"].name == "child"


def test_the_outputs_of_a_call_are_those_of_the_workflow(tmp_path: Path) -> None:
    """And its run, and the status; a wrong name is seen."""
    use = "{id: u, type: Python, depends_on: [c], inputs: {x: '${c.result} ${c.size} ${c.run_id} ${c.status} %s'}}"
    write(tmp_path, top=caller("workflow: child, inputs: {version: v}", use % ""), child=CHILD)
    assert top(tmp_path).blocks[1].inputs

    write(tmp_path, top=caller("workflow: child, inputs: {version: v}", use % "${c.reslt}"))
    (found,) = faults(tmp_path)
    assert "block 'c' (ExecuteWorkflow) has no output 'reslt' (did you mean 'result'?)" in found


def test_faults_of_a_child_are_told_with_their_own_file(tmp_path: Path) -> None:
    """After those of the caller; nothing else is said of what it would have given."""
    use = "{id: u, type: Python, depends_on: [c], inputs: {x: '${c.anything}'}}"
    write(tmp_path, top=caller("workflow: child", use), child="name: child\nbloks: []\n")

    found = faults(tmp_path)

    assert found[0].startswith(
        "top.yaml:3:55: block 'c': the workflow 'child' cannot be called: it has faults"
    )
    assert [line.split(": ")[0] for line in found[1:]] == ["child.yaml:1:1", "child.yaml:2:1"]


def test_a_workflow_cannot_call_itself(tmp_path: Path) -> None:
    """Neither directly nor through others; the path is shown, and what to do instead."""
    write(
        tmp_path,
        top=caller("workflow: top"),
        a=caller("workflow: b"),
        b=caller("workflow: ./c.yaml"),
        c=caller("workflow: a"),
    )

    assert (
        "a workflow cannot call itself: top -> top; what is to be repeated is written with loop"
        in faults(tmp_path)[0]
    )
    assert any("c.yaml:3:" in line and "a -> b -> c -> a" in line for line in faults(tmp_path, "a"))


def test_calls_are_at_most_ten_deep(tmp_path: Path) -> None:
    """Deeper is a fault of the file that goes too far."""
    files = {f"w{n}": caller(f"workflow: w{n + 1}") for n in range(10)}
    write(tmp_path, **files, w10="name: end\nblocks: [{id: a, type: Python}]\n")

    assert load_workflow(tmp_path / "w1.yaml", CATALOG).definition.name == "top"
    assert any("w9.yaml" in line and "more than 10 deep: w0 -> w1" in line for line in faults(tmp_path, "w0"))


def test_a_file_that_was_read_before_is_as_deep_wherever_it_is_called(tmp_path: Path) -> None:
    """The way there and what it calls itself count together."""
    files = {f"w{n}": caller(f"workflow: w{n + 1}") for n in range(6)}
    files |= {f"x{n}": caller(f"workflow: x{n + 1}") for n in range(5)}
    both = caller("workflow: w0", "{id: d, type: ExecuteWorkflow, inputs: {workflow: x0}}")
    write(tmp_path, **files, top=both, x5=caller("workflow: w0"))
    write(tmp_path, w6="name: end\nblocks: [{id: a, type: Python}]\n")

    assert any("x5.yaml:3:" in line and "more than 10 deep" in line for line in faults(tmp_path))


def test_a_tree_of_calls_that_doubles_at_each_level_is_bounded(tmp_path: Path) -> None:
    """Every caller holds what it calls: files are read once, and what would be pinned has a limit."""
    for level in range(9):
        for side in range(6):
            calls = "".join(
                f"  - {{id: c{n}, type: ExecuteWorkflow, inputs: {{workflow: l{level + 1}_{n}}}}}\n"
                for n in range(6)
            )
            end = "  - {id: a, type: Python}\n"
            write(tmp_path, **{f"l{level}_{side}": "name: w\nblocks:\n" + (calls if level < 8 else end)})
    before = time.monotonic()

    found = faults(tmp_path, "l0_0")

    assert any("that are called from here have more than 10,000 blocks in all" in line for line in found)
    assert time.monotonic() - before < 30


def test_two_files_of_one_name_are_not_chosen_from(tmp_path: Path) -> None:
    """Which one is meant is for the author to say."""
    write(tmp_path, top=caller("workflow: child"), one=CHILD, two=CHILD)

    assert (
        "two files are called 'child': one.yaml and two.yaml; name the one that is meant"
        in faults(tmp_path)[0]
    )


def test_a_text_that_is_no_file_can_call_nothing() -> None:
    """There is no folder to look in."""
    (found,) = faults_of(caller("workflow: child"))

    assert "'child' cannot be called: this workflow is no file" in found


def test_a_program_gives_the_workflows_that_its_own_calls() -> None:
    """With the same checks as in files."""
    data = {
        "name": "built",
        "blocks": [
            {
                "id": "c",
                "type": "ExecuteWorkflow",
                "inputs": {"workflow": "child", "inputs": {"version": "NO"}},
            }
        ],
        "outputs": {"r": "${c.result}"},
    }

    definition = workflow_from(data, CATALOG, working_dir="/srv", children={"child": load(CHILD)}).definition

    assert definition.children["child"].name == "child"
    assert definition.blocks[0].inputs["inputs"] == {"version": "NO"}
    assert (definition.source_path, definition.working_dir) == ("", "/srv")
    with pytest.raises(DefinitionError, match="no workflow 'child' was given with this one"):
        workflow_from(data, CATALOG, working_dir="/srv")
