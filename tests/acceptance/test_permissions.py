"""Nobody else may read, or write, anything that the program makes of a run, whatever the umask says."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.calling import Tidegate

WORKFLOW = """
    name: private
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo seen"}}
      - {id: gate, type: ConfirmOperation, depends_on: [a], inputs: {message: "Go?"}}
"""


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Let every file be made for everybody, unless whoever makes it says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def _open_to_others(folder: Path) -> dict[str, str]:
    """Return what others than the owner may touch, with its mode."""
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in sorted(folder.rglob("*"))}
    return {str(path.relative_to(folder)): f"{mode:o}" for path, mode in modes.items() if mode & 0o077}


@pytest.mark.usefixtures("open_umask")
def test_what_is_made_of_a_run_is_its_owners(tmp_path: Path) -> None:
    """A store of each kind, backups, exports of each form and a recorded test, and the folders they are in."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (tmp_path / "flow.yaml").write_text(WORKFLOW)
    tidegate = Tidegate(tmp_path, {"TIDEGATE_STORE": f"sqlite:///{home}/store/tidegate.db"})
    run = tidegate.call("run", "flow.yaml", "--json").document["run_id"]
    made = [
        ["backup", f"{home}/backups/"],
        ["checkpoints", "export", run, f"{home}/exports/deep/run.json"],
        ["checkpoints", "export", run, f"{home}/exports/run.json.zst"],
        ["checkpoints", "export", run, "--parts", f"{home}/parts"],
        ["checkpoints", "export", run, "--as-test", f"{home}/tests/test_run.py"],
        ["--store", f"file:///{home}/directory", "checkpoints", "import", f"{home}/exports/run.json.zst"],
    ]
    for words in made:
        done = tidegate.end(tidegate.start(*words))
        assert done.code == 0, done.err

    assert len([path for path in home.rglob("*") if path.is_file()]) > 12
    assert _open_to_others(home) == {}
