"""The wheel holds everything, and works where there is no checkout."""

import json
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import distribution, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    not (ROOT / "src").is_dir(), reason="there is no checkout to build from: the tests run against a wheel"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A freshly built wheel."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_every_module_style_sample_and_statement(wheel: Path) -> None:
    """A missing folder makes a wheel without it, silently; so the names are compared."""
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        *(f"tidegate/{p.relative_to(ROOT / 'src/tidegate')}" for p in (ROOT / "src/tidegate").rglob("*.py")),
        *(f"tidegate/{p.relative_to(ROOT / 'src/tidegate')}" for p in (ROOT / "src/tidegate").rglob("*.sql")),
        *(f"tidegate/{p.relative_to(ROOT)}" for p in (ROOT / "styles").glob("*.tcss")),
        *(f"tidegate/{p.relative_to(ROOT)}" for p in (ROOT / "sample_workflows").rglob("*.yaml")),
        "tidegate/py.typed",
    }

    assert expected <= names
    assert any(name.endswith(".tcss") for name in expected)
    assert any(name.endswith(".sql") for name in expected)
    assert not any(name.startswith("tests/") for name in names)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in an environment of its own that holds the wheel and what it says it needs, and nothing else.

    As `pipx install` makes one, but for the downloads: what is needed is linked from here, so that a package which only
    the tests have is missing there.
    """
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    for name in needed_by("tidegate"):
        for part in {
            file.parts[0]
            for file in distribution(name).files or ()
            if file.parts[0] not in ("..", "__pycache__")
        }:
            (site / part).symlink_to(Path(str(distribution(name).locate_file(part))))
    return folder


def needed_by(name: str) -> set[str]:
    """Return the packages that one needs, and those that they need, without any extra."""
    found: set[str] = set()
    left = [name]
    while left:
        for line in requires(left.pop()) or ():
            requirement = Requirement(line)
            is_wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if is_wanted and (known := canonicalize_name(requirement.name)) not in found:
                found.add(known)
                left.append(known)
    return found


def test_in_an_empty_environment_it_runs_asks_and_goes_on(installed: Path, tmp_path: Path) -> None:
    """Far from the checkout it finds its samples and styles, runs to a question, and after the answer to its end."""

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        program = [
            str(installed / "bin/python"),
            "-I",
            "-m",
            "tidegate",
            "--store",
            f"sqlite:///{tmp_path}/s.db",
        ]
        return subprocess.run([*program, *words], cwd=tmp_path, capture_output=True, text=True, check=False)

    inputs = ("-i", "project=shop", "-i", "environment=staging")
    asked = call("run", "interactive-approval", *inputs, "--json")
    assert asked.returncode == 3, asked.stderr
    (pause,) = json.loads(asked.stdout)["pauses"]
    assert pause["prompt"] == "Tests passed. Deploy shop to staging?"
    answered, doctor, other = call("answer", pause["pause_id"], "yes"), call("doctor", "--json"), call("mcp")
    monitor = subprocess.run(
        [str(installed / "bin/python"), "-I", "-c", "import tidegate.tui.app as app; print(app.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert answered.returncode == 0, answered.stderr
    assert json.loads(doctor.stdout)["styles"].startswith(str(installed))
    assert monitor.stdout.startswith(str(installed))
    assert "pip install 'tidegate[mcp]'" in other.stderr


def test_the_command_is_called_tidegate(wheel: Path) -> None:
    """And is the one that `python -m tidegate` starts."""
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]

    assert "tidegate = tidegate.__main__:main" in archive.read(name).decode()
