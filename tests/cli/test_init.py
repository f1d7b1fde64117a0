"""`tidegate init` and `tidegate schema`: a beginning, and help while writing."""

import json

from jsonschema import Draft7Validator

from cli.calling import Tidegate


def test_the_first_workflow_runs_as_it_is(tidegate: Tidegate) -> None:
    """It loads, asks, and ends well after a yes; nothing else is needed."""
    made = tidegate.call("init")
    checked = tidegate.call("validate", "first-workflow.yaml")
    run = tidegate.call("run", "first-workflow.yaml", "-i", "who=you", "--json")
    done = tidegate.call("answer", run.document["run_id"], "yes", "--json")

    assert made.code == checked.code == done.code == 0
    assert run.code == 3
    assert done.document["outputs"] == {"sent": True}
    text = (tidegate.folder / "first-workflow.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=./workflow.schema.json\n")


def test_the_schema_beside_it_is_the_one_that_is_printed(tidegate: Tidegate) -> None:
    """Where it was asked for, with the name that it was given, if it is as long as names may be."""
    made = tidegate.call("init", "flows/deploy", "--json")
    longest = tidegate.call("init", "x" * 200)
    printed = tidegate.call("schema")

    assert made.document == {"workflow": "flows/deploy.yaml", "schema": "flows/workflow.schema.json"}
    assert json.loads((tidegate.folder / "flows/workflow.schema.json").read_bytes()) == printed.document
    Draft7Validator.check_schema(printed.document)
    assert longest.code == tidegate.call("validate", f"{'x' * 200}.yaml").code == 0
    assert "name: deploy\n" in (tidegate.folder / "flows/deploy.yaml").read_text(encoding="utf-8")


def test_what_is_there_is_not_overwritten(tidegate: Tidegate) -> None:
    """Neither a workflow, nor a file of others that is called like the schema; our own schema is made anew."""
    tidegate.file("mine.yaml", "name: mine")
    (tidegate.folder / "theirs").mkdir()
    (tidegate.folder / "theirs/workflow.schema.json").write_text("{}")
    taken, foreign, bad, long = tidegate.together(
        ("init", "mine.yaml"), ("init", "theirs/w"), ("init", "my workflow"), ("init", "x" * 201)
    )
    first = tidegate.call("init", "one")
    (tidegate.folder / "one.yaml").unlink()
    again = tidegate.call("init", "one")

    assert taken.code == foreign.code == bad.code == long.code == 2
    assert "mine.yaml is there already, and stays as it is" in taken.err
    assert "is no schema of ours" in foreign.err
    assert "may have letters, digits, - and _ only" in bad.err
    assert "at most 200 of them" in long.err
    assert (tidegate.folder / "mine.yaml").read_text() == "name: mine"
    assert not (tidegate.folder / "theirs/w.yaml").exists()
    assert first.code == again.code == 0
