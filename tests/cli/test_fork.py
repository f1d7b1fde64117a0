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


GATED = """
    name: gated
    blocks:
      - {id: ask, type: GetInput, inputs: {prompt: "Name?", validation_pattern: "[a-z]+"}}
      - {id: ok, type: ConfirmOperation, depends_on: [ask], inputs: {message: "Ship it?", operation: ship}}
      - {id: ship, type: Shell, depends_on: [ok], inputs: {command: "echo ${ask.input_value} >> log"}}
"""


def gated(tidegate: Tidegate, ok: str) -> str:
    """Run the gated workflow to its end; return the run's id."""
    tidegate.file("gated.yaml", GATED)
    run_id = str(tidegate.call("run", "gated.yaml", "--json").document["run_id"])
    tidegate.call("answer", run_id, "ana")
    tidegate.call("answer", run_id, ok)
    return run_id


def test_another_answer_leads_elsewhere(tidegate: Tidegate) -> None:
    """What follows the question runs by it; it is told before, and the history says who gave it."""
    run_id = gated(tidegate, "no")
    edit = ("--set", "blocks.ok.answer=yes")
    told = tidegate.call("checkpoints", "fork", run_id, *edit, "--dry-run")
    assert "asks: Ship it? (the answer yes counts if it is the very same)" in told.out
    assert "changed: blocks.ok.answer: no becomes yes" in told.out
    assert "stays  ask" in told.out
    document = tidegate.call("checkpoints", "fork", run_id, *edit, "--dry-run", "--json").document
    assert document["edits"] == [{"path": ["blocks", "ok", "answer"], "before": "no", "after": "yes"}]

    done = tidegate.call("checkpoints", "fork", run_id, *edit, "--by", "bea")
    assert done.code == 0
    assert log_of(tidegate) == ["ana"]
    newest = tidegate.call("runs", "list", "--json").document["runs"][0]["run_id"]
    shown = tidegate.call("runs", "show", newest).out
    assert "answered  'ok' no, by " in shown
    assert "answered  'ok' yes, by bea (fork)" in shown


def test_changes_that_mean_nothing_are_refused(tidegate: Tidegate) -> None:
    """What breaks a question's rule, what nobody would read, and what a block cannot see; each with what to do."""
    run_id = gated(tidegate, "yes")
    for path, problem in (
        ("blocks.ask.answer=Y9", "must match [a-z]+ as a whole"),
        ("blocks.ok.answer=perhaps", "answer yes or no"),
        (
            "blocks.ok.outputs.confirmed=false",
            "write blocks.ok.answer=VALUE, or let it ask again (--from ok)",
        ),
        ("blocks.ship.answer=x", "block 'ship' asks nobody"),
        ("blocks.ok.inputs.message=${ship.stdout}", "which block 'ok' does not depend on: it may read ask"),
    ):
        done = tidegate.call("checkpoints", "fork", run_id, "--from", "ship", "--set", path)
        assert done.code == 2, path
        assert problem in done.err, path
    tidegate.file("items.yaml", ITEMS)
    items = tidegate.call("run", "items.yaml", "--json").document["run_id"]
    edit = "blocks.each[q].outputs.stdout=NEW"
    refused = tidegate.call("checkpoints", "fork", items, "--from", "post", "--set", edit)
    assert (refused.code, "change blocks.each.outputs.results.1.outputs.stdout" in refused.err) == (2, True)
    mended = "blocks.each.outputs.results.1.outputs.stdout=NEW"
    assert tidegate.call("checkpoints", "fork", items, "--from", "post", "--set", mended).code == 0
    assert log_of(tidegate) == ["ana", "got-q", "NEW"]


ITEMS = """
    name: items
    blocks:
      - {id: each, type: Shell, for_each: [p, q], inputs: {command: "echo got-${item}"}}
      - {id: post, type: Shell, depends_on: [each], inputs: {command: "echo '${each.results[1].outputs.stdout}' >> log"}}
"""


def test_a_name_with_an_equals_sign_is_set_in_quotes(tidegate: Tidegate) -> None:
    """The value begins where the path ends."""
    tidegate.file(
        "keys.yaml",
        """
        name: keys
        inputs: {m: {type: map, default: {"x=y": 1, z: 2}}}
        blocks:
          - {id: a, type: Shell, inputs: {command: "echo ${inputs.m} >> log"}}
        """,
    )
    run_id = tidegate.call("run", "keys.yaml", "--json").document["run_id"]

    edit = ("--set", 'inputs.m."x=y"=9', "--from", "a", "--dry-run", "--json")
    (told,) = tidegate.call("checkpoints", "fork", run_id, *edit).document["edits"]

    assert (told["path"], told["after"]) == (["inputs", "m"], {"x=y": 9, "z": 2})
