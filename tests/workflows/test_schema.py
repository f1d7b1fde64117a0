"""The JSON Schema of workflow files: what loads passes, and typical mistakes do not."""

import copy
import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.errors import DefinitionError
from tidegate.model.base import JsonObject
from tidegate.workflows.loader import load_workflow, parse_workflow
from tidegate.workflows.schema import workflow_schema
from tidegate.workflows.schema_words import DESCRIPTIONS
from tidegate.workflows.shape import Document

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "sample_workflows").rglob("*.yaml"))
PAPERS = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if path.exists()]


class _Loader(yaml.SafeLoader):
    """Reads YAML as editors do: `on` and `no` are texts."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, rule) for tag, rule in found if not (tag.endswith(":bool") and letter in "yYnNoO")]
    for letter, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@pytest.fixture(scope="module")
def schema() -> JsonObject:
    """Return the schema with the types that come along, as a file of it would give it."""
    plain: JsonObject = json.loads(json.dumps(workflow_schema({name: catalog()[name] for name in BUILTIN})))
    Draft7Validator.check_schema(plain)
    return plain


def faults(schema: JsonObject, text: str) -> list[str]:
    """Return what the schema has against a file."""
    document: Any = yaml.load(textwrap.dedent(text), _Loader)  # noqa: S506  # as safe as the one it is made from
    return [error.message for error in Draft7Validator(schema).iter_errors(document)]


@pytest.mark.parametrize("file", SAMPLES, ids=lambda path: path.stem)
def test_every_sample_passes(schema: JsonObject, file: Path) -> None:
    """And it loads: the schema and the loader agree."""
    assert load_workflow(file, catalog()).definition.blocks
    assert faults(schema, file.read_text(encoding="utf-8")) == []


def test_every_workflow_in_the_papers_passes(schema: JsonObject) -> None:
    """An editor has nothing against what a reader copies."""
    texts = [
        text
        for path in PAPERS
        for text in re.findall(r"```yaml\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    ]

    assert [(text, found) for text in texts if (found := faults(schema, text))] == []


WORKFLOW = """
    name: deploy
    inputs:
      who: string
      size: {type: integer, default: 3, choices: [1, 2, 3]}
    secrets: {TOKEN: {env: TOKEN}, KEY: {file: ~/key.pem}, VAULT_KEY: {command: [pass, show, 7]}}
    max_parallel: 4
    timeout: 2h
    checkpoint: {on: [wave, pause], on_failure: continue, retention: {max_age_days: 7}}
    blocks:
      - id: build
        type: Shell
        retry: {max: 3, delay: 2s, on: [timeout, 75]}
        inputs: {command: "make ${who}", continue_on_error: true}
      - id: ask
        type: ConfirmOperation
        depends_on: {block: build, when: [succeeded, failed]}
        timeout: 90
        inputs: {message: "Go?"}
      - id: each
        type: Shell
        depends_on: [ask, {block: build}]
        for_each: {a: 1, b: 2}
        condition: "${ask.confirmed}"
        checkpoint: done
        inputs: {command: [echo, "${item.value}"], env: "${{ {} }}"}
      - id: poll
        type: HttpCall
        depends_on: each
        loop: {until: "${poll.status_code} == 200", max_iterations: 5}
        inputs: {url: "http://localhost/", timeout: "${who}", method: GET}
    outputs: {built: "${build.stdout}", fixed: [1, true]}
"""


def test_short_and_long_forms_pass(schema: JsonObject) -> None:
    """Whatever the loader takes in more than one way."""
    assert parse_workflow(textwrap.dedent(WORKFLOW), catalog(), file="w.yaml").definition.blocks
    assert faults(schema, WORKFLOW) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("name: deploy", "name: my workflow"),
        ("name: deploy", "naem: deploy"),
        ("TOKEN: {env: TOKEN}", "TOKEN: s3cret"),
        ("TOKEN: {env: TOKEN}", "TOKEN: {}"),
        ("TOKEN: {env: TOKEN}", "TOKEN: {env: TOKEN, file: x}"),
        ("TOKEN: {env: TOKEN}", "TOKEN: {env: '${who}'}"),
        ("TOKEN: {env: TOKEN}", "TOKEN: {command: pass show x}"),
        ("secrets: {TOKEN: {env: TOKEN}, KEY", "secrets: {run: {env: TOKEN}, KEY"),
        ("who: string", "who: strnig"),
        ("who: string", "run: string"),
        ("{type: integer, default", "{type: integer, defualt"),
        ("max_parallel: 4", "max_parallel: many"),
        ("max_parallel: 4", "max_parallel: 0"),
        ("timeout: 2h", "timeout: 2 hours"),
        ("timeout: 2h", "schedule: wave"),
        ("timeout: 2h", "timeout:"),
        ("on: [wave, pause]", "on: [waves]"),
        ("on_failure: continue", "on_failure: ignore"),
        ("max_age_days: 7", "max_days: 7"),
        ("id: build", "id: 1build"),
        ("id: build", "id: inputs"),
        ("- id: build\n        type: Shell", "- type: Shell"),
        ("type: Shell\n        retry", "type: shell\n        retry"),
        ("retry: {max: 3, delay", "retry: {delay"),
        ("retry: {max: 3", "retry: {max: 1"),
        ("retry: {max: 3", "retries: {max: 3"),
        ("[timeout, 75]", "[timeouts]"),
        ("[timeout, 75]", "[0]"),
        ("command: \"make", "comand: \"make"),
        ("continue_on_error: true", "continue_on_error: yes please"),
        ("when: [succeeded, failed]", "when: [success]"),
        ("depends_on: {block", "depends_on: {blok"),
        ("depends_on: {block", "dependson: {block"),
        ("inputs: {message: \"Go?\"}", "inputs: {}"),
        ("inputs: {message: \"Go?\"}", "description: nothing to ask"),
        ("inputs: {message: \"Go?\"}", "inputs: {message: \"Go?\", on_reject: halt}"),
        ("for_each: {a: 1, b: 2}", "for_each: {items: [1], parallel: 2}"),
        ("for_each: {a: 1, b: 2}", "for_each: 5"),
        ("checkpoint: done", "checkpoint: {metadata: {}}"),
        ("max_iterations: 5", "max_iterations: 0"),
        ("method: GET", "method: FETCH"),
        ("blocks:", "steps:"),
    ],
)  # fmt: skip
def test_a_typical_mistake_is_refused(schema: JsonObject, right: str, wrong: str) -> None:
    """Slips in keys and words, and values of another kind: an editor underlines what would not load."""
    assert right in WORKFLOW
    text = WORKFLOW.replace(right, wrong, 1)

    assert faults(schema, text)
    with pytest.raises(DefinitionError):
        parse_workflow(textwrap.dedent(text), catalog(), file="w.yaml")


def test_every_key_is_told(schema: JsonObject) -> None:
    """Of each section, each key; and of each block type, each input."""
    parts = {**schema["$defs"], "WorkflowDocument": schema}  # type: ignore[dict-item]  # a schema has such a part
    for name, told in DESCRIPTIONS.items():
        properties: Any = parts[name]["properties"]  # type: ignore[index, call-overload]  # and it has keys
        assert set(told) <= set(properties)
        assert all("description" in properties[key] for key in properties), name
    sections = {model.__name__ for model in Document.__subclasses__()}
    assert sections == set(DESCRIPTIONS)
    assert all(f"inputs.{name}" in parts for name in BUILTIN)


def test_a_type_that_tells_nothing_of_its_inputs_may_have_any(schema: JsonObject) -> None:
    """An installed package need not describe them; its name is known all the same."""
    from dataclasses import replace

    silent = replace(catalog()["Wait"], type="Silent", check=lambda _inputs, _has_reference: ())
    known = json.loads(json.dumps(workflow_schema({"Silent": silent})))

    assert faults(known, "{name: w, blocks: [{id: a, type: Silent, inputs: {x: 1}}]}") == []
    assert faults(known, "{name: w, blocks: [{id: a, type: Wait}]}")


def test_making_it_changes_nothing(schema: JsonObject) -> None:
    """The words are shared by all schemas that are made: the second is like the first."""
    first = copy.deepcopy(workflow_schema(catalog()))

    assert workflow_schema(catalog()) == first
