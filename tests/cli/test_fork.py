"""`tidegate checkpoints fork`: a new run from a point of another one, as people and scripts ask for it."""

from cli.calling import Tidegate

STORY = """
    name: story
    inputs: {who: {type: string, default: ana}}
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo a >> log"}}
      - {id: gate, type: GetInput, depends_on: [a], inputs: {prompt: "Value for ${who}?"}}
      - {id: b, type: Shell, depends_on: [gate], inputs: {command: "echo b ${gate.input_value} >> log; exit 3"}}
      - {id: c, type: Shell, depends_on: [b], inputs: {command: "echo c >> log"}}
"""


def failed_story(tidegate: Tidegate) -> str:
    """Run the story until b fails; return the run's id."""
    tidegate.file("story.yaml", STORY)
    run_id = str(tidegate.call("run", "story.yaml", "--json").document["run_id"])
    assert tidegate.call("answer", run_id, "x").code == 1
    return run_id


def log_of(tidegate: Tidegate) -> list[str]:
    """Return what the commands have done."""
    return (tidegate.folder / "log").read_text().split("\n")[:-1]


def test_a_failed_block_runs_again_with_another_input(tidegate: Tidegate) -> None:
    """What had succeeded stays; it is said what stays and what runs; the other run is as it was."""
    run_id = failed_story(tidegate)
    before = tidegate.call("runs", "show", run_id, "--json").document
    done = tidegate.call("checkpoints", "fork", run_id, "--set", "blocks.b.inputs.command=echo mended >> log")
    assert done.code == 0
    assert "stays  a " in done.out
    assert "again  b " in done.out
    assert "effects outside are real: b, c" in done.out
    assert log_of(tidegate) == ["a", "b x", "mended", "c"]
    after = tidegate.call("runs", "show", run_id, "--json").document
    assert {**after, "updated_at": 0} == {**before, "updated_at": 0}
    newest = tidegate.call("runs", "list", "--json").document["runs"][0]
    assert newest["forked_from"]["run_id"] == run_id
    assert newest["status"] == "succeeded"
    shown = tidegate.call("runs", "show", newest["run_id"]).out
    assert f"fork of   run {run_id} from event {newest['forked_from']['seq']}" in shown
    assert f"forked    as run {newest['run_id']}" in tidegate.call("runs", "show", run_id).out


def test_a_dry_run_says_it_and_does_nothing(tidegate: Tidegate) -> None:
    """Also for machines: each block's fate, what changes, and whether the workflow's file has changed."""
    run_id = failed_story(tidegate)
    marks = tidegate.call("checkpoints", "list", "--run", run_id, "--json").document["checkpoints"]
    pause = next(mark["checkpoint_id"] for mark in marks if mark["type"] == "pause")
    document = tidegate.call(
        *("checkpoints", "fork", pause, "--dry-run", "--json", "--set", "inputs.who=bo", "--keep-answers")
    ).document
    fates = {block["block"]: block["fate"] for block in document["blocks"]}
    assert fates == {"a": "stays", "gate": "again", "b": "ahead", "c": "ahead"}
    told = tidegate.call("checkpoints", "fork", pause, "--dry-run").out
    assert [line.split()[:2] for line in told.splitlines()[2:6]] == [
        [fate, name] for name, fate in fates.items()
    ]
    assert document["edits"] == [{"path": ["inputs", "who"], "before": "ana", "after": "bo"}]
    assert document["definition"] == "same"
    assert len(tidegate.call("runs", "list", "--json").document["runs"]) == 1


def test_a_changed_file_is_told_with_what_differs(tidegate: Tidegate) -> None:
    """The fork keeps what the other run was started with."""
    run_id = failed_story(tidegate)
    tidegate.file("story.yaml", STORY.replace("exit 3", "exit 0"))
    done = tidegate.call("checkpoints", "fork", run_id, "--dry-run")
    assert "file has changed since" in done.out
    assert "blocks.b.inputs.command" in done.out
    document = tidegate.call("checkpoints", "fork", run_id, "--dry-run", "--json").document
    assert document["definition"] == "changed"
    assert [change["path"] for change in document["definition_changes"]] == ["blocks.b.inputs.command"]


def test_it_asks_again_and_goes_on(tidegate: Tidegate) -> None:
    """Exit code 3: somebody has to answer; the answer goes to the fork alone."""
    run_id = failed_story(tidegate)
    marks = tidegate.call("checkpoints", "list", "--run", run_id, "--json").document["checkpoints"]
    pause = next(mark["checkpoint_id"] for mark in marks if mark["type"] == "pause")
    forked = tidegate.call("checkpoints", "fork", pause, "--json", "--by", "bea")
    assert forked.code == 3
    new = forked.document
    assert new["pauses"][0]["prompt"] == "Value for ana?"
    assert tidegate.call("answer", new["run_id"], "y").code == 1
    assert log_of(tidegate) == ["a", "b x", "b y"]


def test_what_is_wrong_is_said_before_anything_is_made(tidegate: Tidegate) -> None:
    """Each with its exit code, and what would be right."""
    run_id = failed_story(tidegate)
    assert tidegate.call("checkpoints", "fork", "nobody").code == 7
    beyond = tidegate.call("checkpoints", "fork", f"{run_id}@999")
    assert (beyond.code, "it has those from 1 to" in beyond.err) == (7, True)
    assert tidegate.call("checkpoints", "fork", run_id, "--from", "nobody").code == 7
    for change, problem in (
        ("inputs.wo=x", "did you mean 'who'"),
        ("inputs.who", "PATH=VALUE"),
        ("gate=x", "nothing there can be changed"),
        ("blocks.a.inputs.command=x", "let it run again (--from a)"),
    ):
        done = tidegate.call("checkpoints", "fork", run_id, "--set", change)
        assert done.code == 2, change
        assert problem in done.err, change
    assert len(tidegate.call("runs", "list", "--json").document["runs"]) == 1


def test_a_mended_file_goes_on_where_the_former_failed(tidegate: Tidegate) -> None:
    """What had ended stays; the fork is pinned to the file as it is now; a file with faults is refused as ever."""
    run_id = failed_story(tidegate)
    tidegate.file("story.yaml", STORY.replace("; exit 3", "; echo mended >> log"))
    done = tidegate.call("checkpoints", "fork", run_id, "--with", "story.yaml")
    assert done.code == 0
    assert "the fork keeps" not in done.out
    assert "~ blocks.b.inputs.command" in done.out
    assert log_of(tidegate) == ["a", "b x", "b x", "mended", "c"]
    newest = tidegate.call("runs", "list", "--json").document["runs"][0]["run_id"]
    assert tidegate.call("runs", "show", newest, "--json").document["definition_changed"] == "same"
    assert tidegate.call("checkpoints", "verify").code == 0
    tidegate.file("broken.yaml", "name: story\nblocks: [{id: a, type: Shel}]\n")
    broken = tidegate.call("checkpoints", "fork", run_id, "--with", "broken.yaml")
    assert (broken.code, "did you mean 'Shell'" in broken.err) == (2, True)
