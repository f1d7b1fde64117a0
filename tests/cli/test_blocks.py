"""`tidegate blocks`, and types of packages that are really installed: a folder, a dist-info, entry points."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.calling import Done, Tidegate
from tidegate.blocks.registry import BUILTIN

GUIDE = Path(__file__).parents[2] / "docs/custom-blocks.md"


@dataclass
class Site:
    """A folder of installed packages, and the command with it on its path."""

    tidegate: Tidegate
    folder: Path

    def install(self, package: str, version: str, types: dict[str, str], modules: dict[str, str]) -> None:
        """Put a package there, as an installer leaves it."""
        for name, text in modules.items():
            (self.folder / f"{name}.py").write_text(text)
        info = self.folder / f"{package.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        lines = "\n".join(f"{name} = {target}" for name, target in types.items())
        (info / "entry_points.txt").write_text(f"[tidegate.blocks]\n{lines}\n")

    def run(self, *words: str) -> Done:
        """Call the command."""
        done = subprocess.run(
            [sys.executable, "-m", "tidegate", *words],
            cwd=self.tidegate.folder,
            env=self.tidegate.environ | {"PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def site(tidegate: Tidegate, tmp_path: Path) -> Site:
    """Nothing is installed there yet."""
    folder = tmp_path / "site"
    folder.mkdir()
    return Site(tidegate, folder)


def guide(fence: str) -> str:
    """Return the one sample of the guide that starts like this."""
    if not GUIDE.exists():
        pytest.skip("the tests run against a wheel, beside which there are no papers")
    mark = fence[:3]
    (found,) = re.findall(rf"^{re.escape(fence)}\n(.*?)^{mark}$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    return str(found)


def test_every_type_is_listed_with_one_line(tidegate: Tidegate) -> None:
    """And described as text and as JSON."""
    listed, document, one, one_document = tidegate.together(
        ["blocks"], ["blocks", "--json"], ["blocks", "HttpCall"], ["blocks", "HttpCall", "--json"]
    )

    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == list(BUILTIN)
    assert [row["type"] for row in document.document["types"]] == list(BUILTIN)
    assert all(row["summary"] and row["usable"] for row in document.document["types"])
    assert "  url  (text; required)\n      Where: http or https. " in one.out
    assert "timeout  (duration; default 30.0)" in one.out
    assert one.out.endswith("      expect_status: [201]\n")
    url = one_document.document["inputs"][0]
    assert (url["name"], url["required"]) == ("url", True)
    assert one_document.document["outputs"]["status_code"] == "integer"


def test_an_unknown_type_is_a_usage_error(tidegate: Tidegate) -> None:
    """With the name that was probably meant."""
    near, far = tidegate.together(["blocks", "http-call"], ["blocks", "xyz"])

    assert near.code == far.code == 2
    assert "there is no block type 'http-call' (did you mean 'HttpCall'?)" in near.err
    assert "there is no block type 'xyz'; `tidegate blocks` lists them" in far.err


def test_the_guides_package_is_what_the_guide_says(site: Site) -> None:
    """Its type is described, checked before the run, and works."""
    types = dict(re.findall(r'^(\w+) = "(acme\S+)"$', guide("```toml"), re.MULTILINE))
    site.install("acme-blocks", "1.0", types, {"acme_blocks": guide("```python title=acme_blocks.py")})
    file = site.tidegate.folder / "publish.yaml"
    file.write_text(guide("~~~yaml"))
    wrong = site.tidegate.folder / "wrong.yaml"
    wrong.write_text(
        guide("~~~yaml").replace("sha256: ", "sha265: ").replace("${intact.sha256}", "${intact.x}")
    )

    described = site.run("blocks", "Checksum")
    listed = site.run("blocks")
    valid = site.run("validate", str(file))
    invalid = site.run("validate", str(wrong))

    assert described.out.strip() == guide("```console").partition("\n")[2].strip()
    assert "Checksum          acme-blocks 1.0  Fails unless a file has the digest" in listed.out
    assert valid.code == 0, valid.err
    assert invalid.code == 2
    assert "unknown input 'sha265' (did you mean 'sha256'?)" in invalid.err
    assert "block 'intact' (Checksum) has no output 'x'" in invalid.err


def test_the_guides_type_runs(site: Site) -> None:
    """With the registry's own instance of it, as the engine calls it."""
    site.install(
        "acme-blocks",
        "1.0",
        {"Checksum": "acme_blocks:Checksum"},
        {"acme_blocks": guide("```python title=acme_blocks.py")},
    )
    (site.tidegate.folder / "f").write_text("test")
    code = """
import asyncio, json, sys
from pathlib import Path
from blocks.running import KeptContext
from tidegate.blocks.registry import all_blocks
block = all_blocks()["Checksum"]
for digest in ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "0", None):
    result = asyncio.run(block.run({"path": "f", "sha256": digest}, KeptContext(Path.cwd())))
    print(json.dumps([type(result).__name__, getattr(getattr(result, "failure", None), "message", "")]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=site.tidegate.folder,
        env=site.tidegate.environ | {"PYTHONPATH": f"{site.folder}:{Path(__file__).parents[1]}"},
        capture_output=True,
        text=True,
        check=True,
    )

    matched, other, empty = [json.loads(line) for line in done.stdout.splitlines()]
    assert matched == ["Completed", ""]
    assert other[0] == "Failed"
    assert other[1].endswith("b0f00a08, not 0")
    assert empty == ["Failed", "'sha256' must be text, not empty"]


def test_the_guides_function_runs(site: Site) -> None:
    """In a process of its own, with durable steps, progress and a checkpoint."""
    (site.tidegate.folder / "shop").mkdir()
    (site.tidegate.folder / "shop/prices.py").write_text(guide("```python title=shop/prices.py"))
    code = """
import asyncio, json
from pathlib import Path
from blocks.running import KeptContext
from tidegate.blocks.python import Python
context = KeptContext(Path.cwd())
result = asyncio.run(Python().run({"callable": "shop.prices:update", "args": {"currency": "EUR"}}, context))
print(json.dumps([result.outputs["result"], sorted(context.steps), context.marks[0].label, context.progress]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=site.tidegate.folder,
        env=site.tidegate.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )

    result, steps, label, progress = json.loads(done.stdout)
    assert result == {"charged": 2}
    assert steps == ["charge C-1", "charge C-2"]
    assert label == "all charged"
    assert progress == [[0.5, "C-1"], [1.0, "C-2"]]


BROKEN = """
import nosuchthing
"""
UNFIT = """
from tidegate.blocks.base import WorkBlock
from tidegate.blocks.shell import Shell
class NoBlock: pass
class Unfinished(WorkBlock): pass
class Stolen(Shell): pass
"""


@pytest.mark.parametrize(
    ("name", "target", "problem"),
    [
        ("Broken", "broken:Block", "broken:Block: ModuleNotFoundError: No module named 'nosuchthing'"),
        ("NoBlock", "unfit:NoBlock", "unfit:NoBlock is no subclass of WorkBlock, InteractiveBlock"),
        ("Gone", "unfit:Gone", "unfit:Gone: AttributeError: module 'unfit' has no attribute 'Gone'"),
        ("Unfinished", "unfit:Unfinished", "unfit:Unfinished: TypeError: Can't instantiate abstract class"),
        ("Renamed", "unfit:Stolen", "unfit:Stolen needs a `spec`, a BlockSpec whose type is 'Renamed'"),
    ],
)
def test_a_type_that_cannot_be_used_harms_no_other(site: Site, name: str, target: str, problem: str) -> None:
    """It says why when it is asked for, and a workflow that uses it does not load."""
    site.install("bad-blocks", "0.1", {name: target}, {"broken": BROKEN, "unfit": UNFIT})
    site.tidegate.file("w.yaml", f"name: w\nblocks:\n  - {{id: a, type: {name}, inputs: {{x: 1}}}}\n")
    site.tidegate.file(
        "good.yaml", "name: good\nblocks:\n  - {id: a, type: Shell, inputs: {command: 'true'}}\n"
    )

    asked = site.run("blocks", name)
    document = site.run("blocks", "--json").document
    workflow = site.run("validate", "w.yaml")
    other = site.run("validate", "good.yaml")

    told = f"'{name}' of bad-blocks 0.1 cannot be used: {problem}"
    assert asked.code == 1
    assert told in asked.out
    assert {row["type"]: row["usable"] for row in document["types"]} == dict.fromkeys(BUILTIN, True) | {
        name: False
    }
    assert workflow.code == 2
    assert "block 'a': " in workflow.err
    assert told in workflow.err
    assert other.code == 0


def test_no_package_replaces_a_type_of_tidegate(site: Site) -> None:
    """It is refused by name, and the built-in one goes on."""
    site.install("bad-blocks", "0.1", {"Shell": "unfit:Stolen"}, {"unfit": UNFIT})

    listed = site.run("blocks")
    document = site.run("blocks", "--json").document
    shell = site.run("blocks", "Shell")

    sentence = "bad-blocks 0.1: 'Shell' is Tidegate's own type, and unfit:Stolen does not replace it"
    assert f"refused: {sentence}" in listed.out
    assert document["refused"] == [sentence]
    assert "Shell (tidegate)" in shell.out


def test_two_packages_with_one_name_are_both_named(site: Site) -> None:
    """Which of them was meant is nobody's to guess."""
    site.install("a-blocks", "1", {"Mine": "unfit:Stolen"}, {"unfit": UNFIT})
    site.install("b-blocks", "2", {"Mine": "unfit:Stolen"}, {})

    asked = site.run("blocks", "Mine")

    assert asked.code == 1
    assert (
        "'Mine' of a-blocks 1 and b-blocks 2 cannot be used: several packages have a type of this name"
        in asked.out
    )
