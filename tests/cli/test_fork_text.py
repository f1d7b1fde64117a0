"""What `tidegate checkpoints fork` tells: before it does it, while it goes on, and as JSON."""

import pytest

from cli.calling import Tidegate

STORY = """
    name: story
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo a"}}
      - {id: gate, type: GetInput, depends_on: [a], inputs: {prompt: "Value?"}}
      - {id: c, type: Shell, depends_on: [gate], inputs: {command: "echo c"}}
"""
OTHER = """
    name: other
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo a"}}
      - {id: gate, type: GetInput, depends_on: [a], inputs: {prompt: "Which?"}}
"""


def waiting(tidegate: Tidegate, text: str = STORY) -> str:
    """Run a workflow until it asks; return the run's id."""
    tidegate.file("story.yaml", text)
    return str(tidegate.call("run", "story.yaml", "--json").document["run_id"])


# -- another file -----------------------------------------------------------------------------


def test_the_file_that_is_named_is_compared_and_not_that_of_the_run(tidegate: Tidegate) -> None:
    """Whatever has become of the run's own file meanwhile; that it is another workflow is said."""
    run_id = waiting(tidegate)
    tidegate.file("other.yaml", OTHER)
    tidegate.file("story.yaml", STORY.replace("echo a", "echo edited"))

    text, document, own = tidegate.together(
        ["checkpoints", "fork", run_id, "--with", "other.yaml", "--dry-run"],
        ["checkpoints", "fork", run_id, "--with", "other.yaml", "--dry-run", "--json"],
        ["checkpoints", "fork", run_id, "--dry-run", "--json"],
    )

    assert f"goes on with other.yaml, which is other than what run {run_id} was started with:\n" in text.out
    assert "  ~ blocks.gate.inputs.prompt\n" in text.out
    assert "  - blocks.c\n" in text.out
    assert "blocks.a.inputs.command" not in text.out
    assert "note: it is another workflow: 'other', and the run is one of 'story'\n" in text.out
    found = document.document
    assert found["definition"] == "changed"
    assert found["with"] == {"workflow": "other", "file": "other.yaml"}
    assert {"blocks.gate.inputs.prompt", "blocks.c"} <= {it["path"] for it in found["definition_changes"]}
    assert [it["path"] for it in own.document["definition_changes"]] == ["blocks.a.inputs.command"]
    assert own.document["with"] is None


def test_a_file_that_says_the_same_is_no_difference(tidegate: Tidegate) -> None:
    """Also where the run is a fork that was started with another file than the one it came from."""
    run_id = waiting(tidegate)
    tidegate.file("other.yaml", OTHER)
    forked = tidegate.call("checkpoints", "fork", run_id, "--with", "other.yaml", "--json").document["run_id"]

    same, before, after = tidegate.together(
        ["checkpoints", "fork", run_id, "--with", "story.yaml", "--dry-run"],
        ["checkpoints", "fork", f"{forked}@3", "--with", "story.yaml", "--dry-run", "--json"],
        ["checkpoints", "fork", forked, "--with", "story.yaml", "--dry-run", "--json"],
    )

    assert f"story.yaml says what run {run_id} was started with\n" in same.out
    assert before.document["definition"] == "same"
    assert after.document["definition"] == "changed"


# -- blocks -----------------------------------------------------------------------------------


def test_a_block_that_had_not_begun_is_not_let_run_again_without_a_word(tidegate: Tidegate) -> None:
    """It runs in any case; who names it may have another point in mind."""
    run_id = waiting(tidegate)

    text, document, fine = tidegate.together(
        ["checkpoints", "fork", run_id, "--from", "c", "--dry-run"],
        ["checkpoints", "fork", run_id, "--from", "c", "--from", "a", "--dry-run", "--json"],
        ["checkpoints", "fork", run_id, "--from", "a", "--dry-run", "--json"],
    )

    note = "had not begun there, and --from changes nothing for it: c"
    goes_on = f"run {run_id} itself has not ended: what it still does outside, it does there, too"
    assert f"note: {note}\n" in text.out
    assert document.document["warnings"] == [goes_on, note]
    assert fine.document["warnings"] == [goes_on]


def _many(count: int) -> str:
    blocks = "".join(
        f'  - {{id: b{number:03}, type: Shell, inputs: {{command: "true"}}}}\n' for number in range(count)
    )
    names = ", ".join(f"b{number:03}" for number in range(count))
    later = "".join(
        f'  - {{id: c{number:03}, type: Shell, depends_on: [gate], inputs: {{command: "true"}}}}\n'
        for number in range(count)
    )
    gate = f"  - {{id: gate, type: GetInput, depends_on: [{names}], inputs: {{prompt: Value?}}}}\n"
    return f"name: many\nblocks:\n{blocks}{gate}{later}"


@pytest.mark.parametrize(("count", "stays", "ahead"), [(40, 40, 40), (60, 0, 40)])
def test_of_many_blocks_the_table_has_those_that_run(
    tidegate: Tidegate, count: int, stays: int, ahead: int
) -> None:
    """What stays is named in a line beyond some dozens, and so is the rest of what runs; JSON has all."""
    run_id = waiting(tidegate, _many(count))

    text, document = tidegate.together(
        ["checkpoints", "fork", run_id, "--dry-run"],
        ["checkpoints", "fork", run_id, "--dry-run", "--json"],
    )

    words = [line.split() for line in text.out.splitlines()]
    rows = [line[0] for line in words if line[1:2] and line[1][1:4].isdigit() and len(line) > 3]
    assert (rows.count("stays"), rows.count("ahead")) == (stays, ahead)
    assert len(document.document["blocks"]) == 2 * count + 1
    assert "again  gate" in text.out
    lines = text.out.splitlines()
    if count > 40:
        named = ", ".join(f"b{number:03}" for number in range(40))
        assert f"stays: {count} blocks: {named}, … and 20 more" in lines
        rest = ", ".join(f"c{number:03}" for number in range(40, count))
        assert f"ahead: 20 more: {rest}" in lines
        effects = ", ".join(f"c{number:03}" for number in range(40))
        assert f"effects outside are real: {effects}, … and 20 more" in lines
    else:
        assert not any(line.startswith(("stays:", "ahead:")) for line in lines)


# -- while it goes on -------------------------------------------------------------------------

PARENT = """
    name: parent
    blocks:
      - {id: before, type: Shell, inputs: {command: "echo before"}}
      - {id: sub, type: ExecuteWorkflow, depends_on: [before], inputs: {workflow: child}}
"""
CHILD = """
    name: child
    blocks:
      - {id: c1, type: Shell, inputs: {command: "echo c1"}}
      - {id: c2, type: Shell, depends_on: [c1], inputs: {command: "test -e fixed"}}
"""


def test_the_past_of_a_fork_below_is_not_told_as_if_it_happened_now(tidegate: Tidegate) -> None:
    """What it goes on from has happened to another run; what happens is told with the place above."""
    tidegate.file("child.yaml", CHILD)
    tidegate.file("parent.yaml", PARENT)
    run_id = tidegate.call("run", "parent.yaml", "--json").document["run_id"]
    (tidegate.folder / "fixed").touch()

    done = tidegate.call("checkpoints", "fork", run_id)

    assert done.code == 0
    told = [line for line in done.out.splitlines() if line[2:3] == ":"]
    assert not [line for line in told if "c1" in line or "before" in line]
    assert [line for line in told if "sub: " in line and "forked from run" in line]
    assert [line for line in told if "sub: ✓ c2" in line]
    assert len([line for line in told if "✓ c2" in line]) == 1


def test_results_say_what_a_run_was_forked_from(tidegate: Tidegate) -> None:
    """As `runs show` does; null for one that was not."""
    run_id = waiting(tidegate)
    head = tidegate.call("runs", "show", run_id, "--json").document

    forked = tidegate.call("checkpoints", "fork", run_id, "--json").document
    answered = tidegate.call("answer", forked["run_id"], "x", "--json").document
    plain = tidegate.call("run", "story.yaml", "--json").document

    shown = tidegate.call("runs", "show", forked["run_id"], "--json").document["forked_from"]
    assert forked["forked_from"] == answered["forked_from"] == shown
    assert shown["run_id"] == run_id
    assert head["forked_from"] is None
    assert plain["forked_from"] is None


# -- secrets ----------------------------------------------------------------------------------

DEPLOY = """
    name: deploy
    inputs: {word: {type: string, default: x}}
    secrets: {TOK: {env: TOK}, FIL: {file: secret.txt}}
    blocks:
      - {id: gate, type: GetInput, inputs: {prompt: "Value?"}}
      - {id: c, type: Shell, depends_on: [gate], inputs: {command: "echo $T ${word}", env: {T: "${secrets.TOK}"}}}
"""
TOKEN = "hunter2-hunter2"  # noqa: S105  # it is looked for


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (f"inputs.word={TOKEN}", "TOK"),
        (f"inputs.word=Bearer {TOKEN}!", "TOK"),
        ("inputs.word=aHVudGVyMi1odW50ZXIy", "TOK"),
        ("state.word=of the file", "FIL"),
        (f"blocks.c.inputs.command=login {TOKEN}", "TOK"),
        (f'blocks.c.inputs.env={{"T": "{TOKEN}"}}', "TOK"),
        (f'blocks.c.inputs.env={{"{TOKEN}": "x"}}', "TOK"),
        (r'blocks.c.inputs.env={"T": "\u0068unter2-hunter2"}', "TOK"),
    ],
)
def test_what_a_secret_is_comes_into_no_journal_by_an_edit(
    tidegate: Tidegate, change: str, name: str
) -> None:
    """It is refused, by a dry run too, with the name and nothing of what it is; its name may be written."""
    tidegate.file("secret.txt", "of the file\n")
    run_id = waiting(tidegate, DEPLOY)

    for how in ([], ["--dry-run"]):
        refused = tidegate.call("checkpoints", "fork", run_id, "--set", change, *how, TOK=TOKEN)
        assert refused.code == 2
        assert f"it holds what secret '{name}' is" in refused.err
        assert f"write ${{secrets.{name}}}" in refused.err
        assert TOKEN not in refused.err
    unknown = tidegate.call("checkpoints", "fork", run_id, "--set", "inputs.word=[secret TOK]", TOK=TOKEN)
    named = tidegate.call(
        *("checkpoints", "fork", run_id, "--set", 'blocks.c.inputs.env={"U": "${secrets.TOK}"}'), TOK=TOKEN
    )
    assert (unknown.code, named.code) == (3, 3)
    left = b"".join(path.read_bytes() for path in tidegate.folder.glob("tidegate.db*"))
    assert TOKEN.encode() not in left
    assert b"of the file" not in left
