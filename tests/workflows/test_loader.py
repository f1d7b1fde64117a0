"""From a file to a definition, or to all its faults."""

import json
import os
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.errors import DefinitionError
from tidegate.model.ids import BlockId
from tidegate.model.workflow import Effect, InputType, OnInterrupt, Outcome, Schedule
from tidegate.workflows.loader import Loaded, load_workflow, parse_workflow
from workflows.small_catalog import CATALOG, faults_of, load

ORIGINALS = Path(__file__).parent / "originals"


def doc(text: str) -> str:
    """Return an indented text as the file it shows."""
    return textwrap.dedent(text).lstrip("\n")


def with_block(lines: str, *, inputs: str = "inputs: {v: string, flag: boolean, n: integer}") -> str:
    """Return a workflow with a block `first`, and a block `b` that depends on it and has *lines*."""
    return (
        f"name: w\n{inputs}\nblocks:\n  - {{id: first, type: Shell, inputs: {{command: ls}}}}\n"
        "  - {id: other, type: Shell, inputs: {command: ls}}\n"
        "  - id: b\n    type: Shell\n    depends_on: [first]\n" + textwrap.indent(doc(lines), "    ")
    )


def test_the_interactive_approval_example_loads_as_written() -> None:
    """Its two bare names are what a run of it takes."""
    definition = load_workflow(ORIGINALS / "interactive-approval.yaml", CATALOG).definition

    assert definition.waves == (("run_tests",), ("confirm_deploy",), ("deploy",))
    assert [(i.name, i.type, i.required) for i in definition.inputs] == [
        ("project", InputType.STRING, True),
        ("environment", InputType.STRING, True),
    ]
    assert [block.interactive for block in definition.blocks] == [False, True, False]
    assert definition.blocks[0].inputs["continue-on-error"] is True
    assert definition.working_dir == str(ORIGINALS.absolute())


def test_the_config_wizard_example_loads_as_written() -> None:
    """It takes nothing; each of its questions follows from the one before."""
    definition = load_workflow(ORIGINALS / "config-wizard.yaml", CATALOG).definition

    assert definition.inputs == ()
    assert len(definition.waves) == 5
    assert set(definition.outputs) == {"project_name", "project_type", "project_created"}


def test_everything_that_a_file_may_say_is_in_the_definition() -> None:
    """Types' defaults are resolved, and what the file says comes first."""
    definition = load(
        doc("""
        name: full
        description: All of it
        version: 1.10
        schedule: eager
        max_parallel: 3
        inputs:
          a: string
          b: {type: int, default: 4, description: How many}
          c: {type: choice, options: [yes, no, on]}
          d: {type: map, required: false}
        blocks:
          - id: one
            type: Shell
            description: First
            inputs: {command: "echo ${a} ${HOME}"}
            timeout: 1h30m
            effect: idempotent
            on_interrupt: skip
            reversible: false
            outputs: {upper: "${{ one.stdout + '!' }}"}
          - id: two
            type: Python
            depends_on: one
          - id: three
            type: ConfirmOperation
            depends_on:
              - {block: one, when: [failed, skipped]}
              - two
            condition: true
            timeout: 90
            inputs: {message: "${one.upper}", list: [1, 2.5, true, null, NO]}
        outputs:
          x: {deep: ["${three.confirmed}"]}
        """)
    )
    one, two, three = definition.blocks

    assert (definition.name, definition.version, definition.schedule) == ("full", "1.10", Schedule.EAGER)
    assert definition.max_parallel == 3
    assert [i.required for i in definition.inputs] == [True, False, True, False]
    assert definition.inputs[1].default == 4
    assert definition.inputs[2].choices == ("yes", "no", "on")
    assert (one.timeout, one.effect, one.on_interrupt, one.line) == (
        5400.0,
        Effect.IDEMPOTENT,
        OnInterrupt.SKIP,
        12,
    )
    assert (one.reversible, two.reversible) == (False, True)
    assert (two.effect, two.depends_on[0].block, two.interactive) == (Effect.ONCE, BlockId("one"), False)
    assert three.depends_on[0].when == (Outcome.FAILED, Outcome.SKIPPED)
    assert (three.condition, three.timeout, three.effect) == ("true", 90.0, Effect.PURE)
    assert three.inputs["list"] == [1, 2.5, True, None, "NO"]
    assert definition.waves == (("one",), ("two",), ("three",))


def test_all_faults_of_a_file_are_found_in_one_pass() -> None:
    """Each with its place, its block, and what was probably meant."""
    found = faults_of(
        doc("""
        name: bad
        inputs:
          go: {type: choice, options: [yes, no], default: maybe}
          go: string
        blocks:
          - {id: build, type: Shell, inputs: {command: ls}}
          - {id: build, type: Shel, inputs: {command: ls}}
          - {id: c, type: Shell, dependson: [build], inputs: {command: ls}}
          - {id: d, type: Shell, depends_on: [buld], inputs: {command: ls}}
          - {id: p, type: Shell, depends_on: [q], inputs: {command: ls}}
          - {id: q, type: Shell, depends_on: [r], inputs: {command: ls}}
          - {id: r, type: Shell, depends_on: [p], inputs: {command: ls}}
          - {id: s, type: Shell, depends_on: [s], inputs: {command: ls}}
          - {id: t, type: Shell, retry: 3, depends_on: [c, c], inputs: {}}
        secrets: [X, Y-Z]
        """)
    )

    assert [fault.split(": ", 1) for fault in found] == [
        ["3:51", "input 'go': the default 'maybe' is not among its choices: yes, no"],
        ["4:3", "the key 'go' stands twice: first in line 3, again in line 4"],
        ["7:10", "block 'build': the block id 'build' stands twice: first in line 6, again in line 7"],
        ["7:23", "block 'build': there is no block type 'Shel' (did you mean 'Shell'?)"],
        ["8:26", "block 'c': unknown key 'dependson' (did you mean 'depends_on'?)"],
        ["9:39", "block 'd': depends on 'buld', which does not exist (did you mean 'build'?)"],
        [
            "10:38",
            "block 'p': a cycle, in which each block depends on the next: p -> q -> r -> p; "
            "what is to be repeated is written with loop: {until: ..., max_iterations: ...}",
        ],
        ["13:39", "block 's': depends on itself: remove it from depends_on"],
        ["14:33", "block 't': retry: expected a mapping, like {max_attempts: 3, delay: 10s}"],
        ["14:52", "block 't': 'c' stands twice in depends_on: remove one"],
        ["14:64", "block 't': 'command' is missing"],
        [
            "15:14",
            "secrets.1: 'Y-Z' is no name of a variable: letters, digits and _; to say where a secret is, "
            "write NAME: {env: VARIABLE}, {file: PATH}, {command: [PROGRAM, ARGUMENT]} or {answer: BLOCK}",
        ],
    ]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("inputs: {command: 'echo ${first.stdot}'}", "has no output 'stdot' (did you mean 'stdout'?)"),
        (
            "inputs: {command: 'echo ${frst.stdout}'}",
            "neither a block nor an input of this workflow (did you mean 'first'?)",
        ),
        (
            "inputs: {command: 'echo ${other.stdout}'}",
            "block 'b' reads 'other', which it does not depend on: add other to depends_on",
        ),
        ("inputs: {command: 'echo ${b.stdout}'}", "block 'b' reads itself"),
        ("inputs: {command: 'rm -rf /srv/${inputs.typo}/x'}", "'typo' is no input of this workflow"),
        ("inputs: {command: ls, other: '${typo}'}", "'typo' is no input of this workflow"),
        ("inputs: {command: ls, other: {deep: ['${first.stdot}']}}", "did you mean 'stdout'"),
        ("inputs: {command: [ls, '${first.stdot}']}", "did you mean 'stdout'"),
        ("inputs: {command: [ls, 5]}", "expected text"),
        ("inputs: {command: 'eval ${v}'}", "eval reads its arguments as code"),
        ("inputs: {command: 1.10}", "quote it, like '1.10'"),
        (
            "inputs: {command: ls}\ncondition: ${v}",
            "the condition is a string, expected a boolean: compare it, like ${v} == 'true'",
        ),
        ("inputs: {command: ls}\ncondition: ${{ n }}", "the condition is an integer"),
        ("inputs: {command: ls}\ncondition: ${first.stdout}", "the condition is a string"),
        ("inputs: {command: ls}\ncondition: ${first.status}", "the condition is a string"),
        ("inputs: {command: ls}\ncondition: NO", "'NO' is no input"),
        ("inputs: {command: ls}\ncondition: \"'no'\"", "condition gave string 'no'"),
        ("inputs: {command: ls}\ncondition: 1", "condition gave number 1"),
        ("inputs: {command: ls}\ncondition: ''", "the condition is empty"),
        ("inputs: {command: ls}\ncondition:", "condition: is empty"),
        ("inputs: {command: ls}\ncondition: ${other.success}", "does not depend on"),
        ("inputs: {command: ls}\ntimeout: 0", "more than 0"),
        ("inputs: {command: ls}\ntimeout: 5 minutes", "is no time"),
        ("inputs: {command: ls}\ntimeout: nan", "is no time"),
        ("inputs: {command: ls}\neffect: twice", "'twice' is not one of pure, idempotent, once"),
        ("inputs: {command: ls}\neffect: pure\nreversible: false", "a pure block changes nothing outside"),
        ("inputs: {command: ls}\nreversible: perhaps", "reversible: expected true or false"),
        ("inputs: {command: ls}\non_interrupt: auto", "'auto' is not one of ask, rerun, skip, fail"),
        ("inputs: {command: ls}\noutputs: {status: x}", "'status' is what every block has already"),
        ("inputs: {command: ls}\noutputs: {x: '${other.stdout}'}", "does not depend on"),
        ("inputs: {command: ls}\noutputs: {x: true}", "unquoted true is no text in YAML: quote it"),
        ("inputs: [a]", "expected a mapping"),
        ("inputs: {command: ls}\ndepends-on: [first]", "the key"),
    ],
)
def test_what_does_not_fit_is_a_fault_of_its_block(lines: str, fault: str) -> None:
    """One fault, one sentence."""
    text = with_block(lines).replace("    depends-on", "    dependsOn")
    found = faults_of(text)

    expected = "unknown key 'dependsOn' (did you mean 'depends_on'?)" if fault == "the key" else fault
    assert len(found) == 1
    assert "block 'b': " in found[0]
    assert expected in found[0]


@pytest.mark.parametrize(
    "lines",
    [
        "inputs: {command: 'echo ${first.stdout} ${v} ${X} ${X:-y}'}",
        "inputs: {command: ls}\ncondition: ${flag}",
        "inputs: {command: ls}\ncondition: ${first.success} && ${v} == 'x'",
        "inputs: {command: ls}\ncondition: true",
        "inputs: {command: ls}\noutputs: {x: '${b.stdout}', y: '${b.x}', z: '${first.status}'}",
        "inputs: {command: [echo, '${v}', '${first.exit_code}']}",
    ],
)
def test_what_fits_loads(lines: str) -> None:
    """References to ancestors, and to what the shell knows."""
    assert faults_of(with_block(lines)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("blocks: [{id: a, type: Python}]", "1:1: 'name' is missing"),
        (
            "name: a b\nblocks: [{id: a, type: Python}]",
            "1:7: name: 'a b' may have letters, digits, - and _ only",
        ),
        ("name: w", "'blocks' is missing"),
        ("name: w\nblocks: []", "2:9: there are no blocks"),
        ("name: w\nblocks:\n", "'blocks': is empty, expected a list"),
        ("name: w\nblocks: {a: b}", "'blocks': expected a list"),
        ("name: w\nblocks: [x]", "expected a mapping"),
        ("name: w\nblocks: [{type: Python}]", "block '#1': 'id' is missing"),
        ("name: w\nblocks: [{id: a}]", "block 'a': 'type' is missing"),
        ("name: w\nblocks: [{id: a.b, type: Python}]", "a dot separates a block from its output"),
        ("name: w\nblocks: [{id: 1a, type: Python}]", "must start with a letter or _"),
        ("name: w\nblocks: [{id: inputs, type: Python}]", "'inputs' is reserved"),
        ("name: w\nblocks: [{id: true, type: Python}]", "quote it"),
        ("name: w\nmax_parallel: 0\nblocks: [{id: a, type: Python}]", "from 1 to 1000"),
        ("name: w\nschedule: wave\nblocks: [{id: a, type: Python}]", "did you mean 'waves'"),
        ("name: w\noutput: {}\nblocks: [{id: a, type: Python}]", "did you mean 'outputs'"),
        ("name: w\noutputs: {x: '${b.y}'}\nblocks: [{id: a, type: Python}]", "neither a block nor an input"),
        ("name: w\noutputs: {x: 1.10}\nblocks: [{id: a, type: Python}]", "quote it"),
        (
            "name: w\ninputs: {a: string}\nblocks: [{id: a, type: Python}]",
            "is the name of an input, too (line 2)",
        ),
        ("- a\n- b\n", "1:1: a workflow is a mapping"),
        ("just text", "a workflow is a mapping"),
    ],
)
def test_what_is_wrong_with_the_whole_file_is_said(text: str, fault: str) -> None:
    """In one sentence with its place."""
    (found,) = faults_of(text)

    assert fault in found


@pytest.mark.parametrize("block_id", ["a", "a1", "a-1", "a_b", "class", "items", "_x", "A"])
def test_ids_may_have_letters_digits_hyphens_and_underscores(block_id: str) -> None:
    """And a reference with a hyphen is no subtraction."""
    text = (
        f"name: w\nblocks:\n  - {{id: {block_id}, type: Shell, inputs: {{command: ls}}}}\n"
        f"  - {{id: z, type: Shell, depends_on: [{block_id}], inputs: {{command: 'echo ${{{block_id}.stdout}}'}},\n"
        f'     condition: "${{{block_id}.exit_code}} == 0"}}\n'
    )

    assert faults_of(text) == []


def test_a_fault_in_a_long_text_is_at_its_line() -> None:
    """A command of forty lines is too coarse a place."""
    found = faults_of(with_block("inputs:\n  command: |\n    echo a\n    echo b ${first.nothing}\n"))

    assert found[0].startswith("12:16: block 'b': ${first.nothing}: ")


def test_one_fault_makes_no_others() -> None:
    """What hangs on something that could not be read is not judged."""
    text = with_block("inputs: {command: 'echo ${other.stdout}'}").replace("[first]", "[first, othr]")
    (found,) = faults_of(text)

    assert "depends on 'othr', which does not exist (did you mean 'other'?)" in found


def test_a_file_without_inputs_takes_the_names_it_uses() -> None:
    """Outside of commands; and once they are known they are known in commands, too."""
    definition = load(
        doc("""
        name: w
        blocks:
          - id: a
            type: Shell
            inputs: {command: "echo ${project} ${HOME}", note: "${project} ${size ?? 'small'}"}
            condition: "${region} != 'eu' && inputs.zone == 'z'"
        outputs: {o: "${{ extra + a.stdout }}"}
        """)
    )

    assert [(i.name, i.required) for i in definition.inputs] == [
        ("project", True),
        ("size", False),
        ("region", True),
        ("zone", True),
        ("extra", True),
    ]


def test_an_empty_inputs_section_takes_nothing() -> None:
    """Writing the section means that every name is declared in it."""
    (found,) = faults_of("name: w\ninputs: {}\nblocks: [{id: a, type: Python, inputs: {x: '${y}'}}]")

    assert "'y' is no input of this workflow" in found


def test_ten_thousand_blocks_load_and_one_more_does_not() -> None:
    """The limit is said, not met."""
    lines = [f"  - {{id: b{n}, type: Python, depends_on: [b{n - 1}]}}" for n in range(1, 10_000)]
    text = "name: w\nblocks:\n  - {id: b0, type: Python}\n" + "\n".join(lines)

    assert len(load(text).waves) == 10_000
    (found,) = faults_of(text + "\n  - {id: more, type: Python}")
    assert "there are 10,001 blocks; at most 10,000 are taken" in found


def test_a_file_that_cannot_be_read_is_one_fault(tmp_path: Path) -> None:
    """A folder, a pipe, nothing at all, the wrong encoding, too much: no traceback."""
    folder, pipe, latin, large = (tmp_path / name for name in ("folder", "pipe", "latin", "large"))
    folder.mkdir()
    os.mkfifo(pipe)
    latin.write_bytes("name: w\ndescription: für\n".encode("latin-1"))
    large.write_bytes(b"#" * (1024 * 1024 + 1))

    for path, message in (
        (folder, "1:1: this is a folder"),
        (pipe, "no regular file"),
        (latin, "2:15: the file is not UTF-8 (byte 0xFC)"),
        (large, "larger than 1,048,576 bytes"),
        (tmp_path / "none", "No such file"),
        (tmp_path / "a\0b", "cannot be read"),
    ):
        with pytest.raises(DefinitionError) as caught:
            load_workflow(path, CATALOG)
        assert message in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_one_fault(tmp_path: Path) -> None:
    """It says so."""
    path = tmp_path / "w.yaml"
    path.write_text("name: w\n")
    path.chmod(0)

    with pytest.raises(DefinitionError, match="Permission denied"):
        load_workflow(path, CATALOG)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.sampled_from(["a", "${a.b}", "${x}", "1", "Shell", ""]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["id", "type", "inputs", "depends_on", "condition", "outputs", "block", "when", "x"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from(["blocks", "inputs", "outputs", "name", "x", "max_parallel"]),
)
def test_any_content_is_a_definition_or_faults(value: object, key: str) -> None:
    """Whatever stands anywhere; JSON is YAML, too."""
    content = {"name": "w", "blocks": [{"id": "a", "type": "Python"}], key: value}
    if key == "blocks":
        content["blocks"] = [value, *([value] if isinstance(value, dict) else [])]
    loaded = _loaded(json.dumps(content))

    assert isinstance(loaded, Loaded) or loaded.faults


def _loaded(text: str) -> Loaded | DefinitionError:
    try:
        return parse_workflow(text, CATALOG, file="w")
    except DefinitionError as error:
        return error


def test_a_file_that_is_wrong_everywhere_is_not_read_to_its_end() -> None:
    """Nobody reads ten thousand faults, and looking for what each should have been took minutes."""
    blocks = "".join(
        f"  - {{id: block{number}, type: Shell, depends_on: [blokk{number}]}}\n" for number in range(3000)
    )
    with pytest.raises(DefinitionError) as caught:
        parse_workflow(f"name: w\nblocks:\n{blocks}", CATALOG, file="w.yaml")

    assert len(caught.value.faults) == 201
    assert caught.value.faults[-1].message == "there are 200 faults or more: the file was read no further"
