"""The wheel holds everything, and works where there is no checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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


def test_the_wheel_runs_a_sample_far_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """Installed elsewhere, it finds its samples and styles, and runs to a pause."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    program = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); import tidegate; "
        "assert 'site' in tidegate.__file__, tidegate.__file__; "
        "from tidegate.assets import asset_dir; assert 'site' in str(asset_dir('styles')); "
        "from tidegate.__main__ import main; main()"
    )
    command = [
        *(sys.executable, "-c", program, str(site), "--store", f"sqlite:///{tmp_path}/store.db"),
        *("run", "interactive-approval", "-i", "project=shop", "-i", "environment=staging", "--json"),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 3, done.stderr
    assert '"prompt": "Tests passed. Deploy shop to staging?"' in done.stdout
