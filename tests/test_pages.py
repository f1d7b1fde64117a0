"""What the pages show can be typed, what is made of them is up to date, and what must be in them is."""

import ast
import json
import re
import runpy
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import click
import pytest
import yaml

from tidegate import open as opened
from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.cli.main import tidegate
from tidegate.embedding.replaying import Replayed
from tidegate.history.exposition import exposition, process_exposition
from tidegate.history.health import Health
from tidegate.history.latencies import Latencies
from tidegate.history.statistics import Tally
from tidegate.model.base import JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.listing import Statistics
from tidegate.workflows import cel_source
from tidegate.workflows.document import BlockDocument
from tidegate.workflows.schema import workflow_schema

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [path for path in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))) if path.exists()]
FENCED = re.compile(r"^```([a-z]*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(
    not DOCS.exists(), reason="the tests run against a wheel, beside which there are no papers"
)


def page(name: str) -> str:
    """Return the text of a page."""
    return (DOCS / name).read_text(encoding="utf-8")


# -- every block of code ----------------------------------------------------------------------

CHECKED = {
    "yaml": "each is loaded: test_docs.py and test_schema.py",
    "yml": "parts of a file, whose keys are checked here",
    "console": "tutorial.md is typed by test_docs.py, custom-blocks.md by test_blocks.py; all are parsed here",
    "": "commands are parsed here; the rest is what commands print",
    "custom-blocks.md python": "executed by tests/cli/test_blocks.py",
    "custom-blocks.md toml": "executed by tests/cli/test_blocks.py",
    "embedding.md python": "executed by tests/embedding/test_papers.py",
    "README.md python": "executed by tests/embedding/test_papers.py",
    "moving-runs.md python": "checked here against what a replay gives",
    "settings.md toml": "read by tests/test_settings.py",
    "monitor.md toml": "read by tests/tui/test_keymap.py",
    "stores.md json": "compared by tests/store/test_directory.py",
    "mcp.md json": "its command is parsed here",
    "README.md json": "its command is parsed here",
}
"""Who sees to it that a block of code is true, by its language, or by page and language."""


def test_every_block_of_code_is_checked_by_somebody() -> None:
    """A block in a language that nobody reads would rot."""
    found = {(path.name, language) for path in PAGES for language, _ in FENCED.findall(path.read_text())}
    unchecked = [pair for pair in found if pair[1] not in CHECKED and " ".join(pair) not in CHECKED]
    needed = {key for key in CHECKED if " " in key} - {" ".join(pair) for pair in found}

    assert unchecked == []
    assert needed == set()


def commands_in(path: Path) -> Iterator[list[str]]:
    """Yield the words of each command of ours that a page shows, in a block of code or in the text."""
    text = path.read_text(encoding="utf-8")
    blocks = [block for language, block in FENCED.findall(text) if language in ("", "console")]
    lines = [line.removeprefix("$ ") for block in blocks for line in block.replace("\\\n", " ").split("\n")]
    inline = re.findall(r"`(tidegate [^`]+)`", FENCED.sub("", text).replace("\n", " "))
    for line in (*lines, *inline):
        for part in re.split(r"\s[|>;&]+\s", re.sub(r"^(?:uv run|\S*/)\s?(?=tidegate )", "", line)):
            # What stands behind several spaces explains.
            command = re.split(r"\s{2,}", part.strip())[0].replace("…", "...")
            if command.startswith("tidegate ") and not command.endswith(":"):
                yield shlex.split(command, comments=True)[1:]


def refused(words: list[str]) -> str:
    """Return what the command line has against some words; empty: nothing. Values are not looked at."""
    command: click.Command = tidegate
    context = click.Context(command, info_name="tidegate")
    try:
        while isinstance(command, click.Group):
            _, words, _ = command.make_parser(context).parse_args(words)
            if not words:
                return ""
            found = command.get_command(context, words[0])
            if found is None:
                return f"there is no command {words[0]}"
            command, words = found, words[1:]
            context = click.Context(command, info_name=words[0] if words else "", parent=context)
        _, left, _ = command.make_parser(context).parse_args(words)
    except click.UsageError as error:
        return error.format_message()
    return f"left over: {left}" if left else ""


@pytest.mark.parametrize(
    "path", [path for path in PAGES if path.name != "commands.md"], ids=lambda path: path.name
)
def test_every_command_of_a_page_is_one_with_its_options(path: Path) -> None:
    """As the command line itself reads it: names of commands and options, and how many words they take."""
    shown = list(commands_in(path))
    # `...`, `A|B` and `[X]` stand for what a reader puts there.
    wrong = {
        " ".join(words): why for words in shown if (why := refused([word for word in words if word != "..."]))
    }

    assert wrong == {}


def test_commands_are_found_in_the_pages() -> None:
    """Otherwise the test above would show nothing."""
    found = [words for path in PAGES for words in commands_in(path)]

    assert len(found) > 150
    assert ["checkpoints", "fork", "58kj", "--from", "deploy", "--dry-run"] in found
    assert refused(["runs", "list", "--nosuch"])
    assert refused(["inbox", "too", "many"])


def test_parts_of_files_have_keys_that_exist() -> None:
    """Blocks that are shown without the file around them."""
    parts = [
        text for path in PAGES for language, text in FENCED.findall(path.read_text()) if language == "yml"
    ]
    blocks = [block for text in parts for block in yaml.load(text, yaml.CSafeLoader)]

    assert len(blocks) > 10
    assert [block for block in blocks if set(block) - set(BlockDocument.model_fields)] == []
    assert {block["type"] for block in blocks} == set(BUILTIN)


@pytest.mark.parametrize("path", [ROOT / "README.md", DOCS / "mcp.md"], ids=lambda path: path.name)
def test_the_clients_command_starts_a_server(path: Path) -> None:
    """As it stands in a client's settings."""
    (text,) = [text for language, text in FENCED.findall(path.read_text()) if language == "json"]
    server = json.loads(text)["mcpServers"]["tidegate"]

    assert server["command"] == "tidegate"
    assert refused(server["args"]) == ""


def test_a_replay_has_what_the_page_asserts() -> None:
    """The names that the example asserts on."""
    (text,) = [text for language, text in FENCED.findall(page("moving-runs.md")) if language == "python"]
    tree = ast.parse(text)
    used = {
        it.attr
        for it in ast.walk(tree)
        if isinstance(it, ast.Attribute) and ast.unparse(it.value) == "replayed"
    }

    assert used == {"differences", "status", "blocks"}
    assert all(hasattr(Replayed, name) or name in Replayed.__annotations__ for name in used)


# -- what is made -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["commands.md", "blocks.md"])
def test_the_reference_says_what_the_program_says(name: str) -> None:
    """Every command, option, block type, input and output; `python docs/make.py` writes it."""
    made = runpy.run_path(str(DOCS / "make.py"))["PAGES_MADE"][name]()

    assert page(name) == made, "out of date: run `python docs/make.py`"


def test_the_picture_is_one_of_the_monitor() -> None:
    """With the samples in it; `python docs/make.py picture` draws it, and nothing in it is loaded from elsewhere."""
    picture = re.sub(r"<[^>]*>", " ", page("monitor.svg")).replace("&#160;", " ")

    assert "docs/monitor.svg" in (ROOT / "README.md").read_text()
    assert re.search(r"1\s+Inbox", picture)
    assert "config-wizard" in picture
    assert "Reading" not in picture
    assert "url(http" not in page("monitor.svg").replace('"', "")


# -- what must be told ------------------------------------------------------------------------


def said_in_code(text: str) -> set[str]:
    """Return the words that stand in code, in a block or within a line."""
    fenced = " ".join(block for _, block in FENCED.findall(text))
    inline = " ".join(re.findall(r"`([^`\n]+)`", FENCED.sub("", text)))
    return set(re.findall(r"[\w-]+", f"{fenced} {inline}"))


def keys_and_words(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys that a schema knows, and the words that it lists."""
    yield from schema.get("properties", {})
    yield from (str(word) for word in schema.get("enum", ()) if isinstance(word, str))
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), schema.get("items")]
    for part in below:
        if isinstance(part, dict):
            yield from keys_and_words(part)


def test_the_author_guide_has_every_key_and_every_word() -> None:
    """All that a workflow file may hold, but for what block types take: that is in blocks.md."""
    schema = cast("dict[str, Any]", workflow_schema({name: catalog()[name] for name in BUILTIN}))
    parts = [schema, *(part for name, part in schema["$defs"].items() if not name.startswith("inputs."))]
    wanted = {word for part in parts for word in keys_and_words(part)}

    assert len(wanted) > 60
    assert sorted(wanted - said_in_code(page("workflow-files.md"))) == []


EXPRESSION_INPUTS: JsonObject = {"names": ["a", "b"], "title": "hello", "count": 5, "sizes": {"small": 1}}


async def test_every_expression_gives_what_the_page_says(tmp_path: Path) -> None:
    """All of the table, in one run; and no function or method is missing from it, or from the text below."""
    section = page("workflow-files.md").partition("\n## What an expression can do\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(.+)` \| `(.+)` \|$", section, re.MULTILINE)
    shown = [(expression.replace("\\|", "|"), json.loads(result)) for expression, result in rows]
    types = {str: "string", int: "integer", list: "list", dict: "map"}
    workflow: JsonObject = {
        "name": "expressions",
        "inputs": {name: {"type": types[type(it)], "default": it} for name, it in EXPRESSION_INPUTS.items()},
        "blocks": [
            {
                "id": "all",
                "type": "Template",
                "inputs": {
                    "format": "json",
                    "template": {f"n{at}": f"${{{{ {it} }}}}" for at, (it, _) in enumerate(shown)},
                },
            }
        ],
        "outputs": {"all": "${all.text}"},
    }
    async with opened("memory://") as gate:
        run = await gate.execute_workflow(gate.workflow(workflow), {})
    assert run.failures == ()
    given = json.loads(str(run.outputs["all"]))

    assert len(shown) > 25
    assert [(it, given[f"n{at}"]) for at, (it, _) in enumerate(shown)] == shown
    known = cel_source._FUNCTIONS | cel_source._METHODS  # noqa: SLF001 - what is known has no other door
    assert known - {"dyn", "uint", "bytes"} <= said_in_code(section)


def test_the_operators_guide_has_every_metric() -> None:
    """And none that does not exist; a rule for an alert on a name that is not there never fires."""
    numbers = dict.fromkeys(("schema", "bytes", "free_bytes", "runs", "events", "pauses", "checkpoints"), 1)
    numbers |= dict.fromkeys(("pinned", "definitions", "values", "value_bytes", "output_bytes"), 1)
    totals = Tally(0.0).totals(Statistics(**numbers, cleaned_up_at=1.0), {})
    totals = totals.evolve(health=Health(log_bytes=1, changed_at=1.0))
    served = exposition(totals) + "\n" + process_exposition(Latencies(), running=0, held=0, readable=True)
    names = set(re.findall(r"^# TYPE (\w+)", served, re.MULTILINE))
    section = page("operating.md").partition("\n## Metrics\n")[2].partition("\n## ")[0]
    told = set(re.findall(r"\btidegate_\w+", section))

    assert {name.removesuffix("_bucket") for name in told} == names


def test_every_sample_is_in_the_patterns() -> None:
    """Each shows something; a reader finds it by what it shows."""
    samples = {path.stem for path in (ROOT / "sample_workflows").glob("*.yaml")}

    assert samples - said_in_code(page("patterns.md")) == set()


def test_the_glossary_is_in_order_and_complete() -> None:
    """Every word that is used for one thing, and every status."""
    terms, statuses = (
        re.findall(r"^\| `?([^|`]+?)`? \|", part, re.MULTILINE)[1:]
        for part in page("glossary.md").split("\n## ")
    )
    words = {word.strip() for term in terms for word in term.split(",")}
    needed = (
        "workflow block wave run attempt journal event seq intent outcome checkpoint pause prompt answer resume"
        " fork lease epoch value operator"
    )

    assert terms == sorted(terms)
    assert set(needed.split()) <= words
    assert {it for it in statuses if "-" not in it} >= {str(status) for status in RunStatus}
