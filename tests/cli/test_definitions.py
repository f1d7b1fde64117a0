"""A run keeps what it was started with, whatever happens to the file (H4, R21, R22)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.calling import Tidegate

FILE = """
    # Deploys.
    name: release
    description: Deploys the shop
    blocks:
      - id: gate
        type: ConfirmOperation
        inputs: {message: "Deploy?"}
      - {id: deploy, type: Shell, depends_on: [gate], inputs: {command: "echo old >> log"}}
"""


def described(path: Path) -> None:
    """Change what is for people only."""
    path.write_text(path.read_text().replace("Deploys the shop", "Deploys everything").replace("# D", "# d"))


def inserted(path: Path) -> None:
    """Put a block above the gate."""
    first = 'blocks:\n  - {id: check, type: Shell, inputs: {command: "echo check >> log"}}'
    path.write_text(
        path.read_text()
        .replace("blocks:", first)
        .replace("id: gate\n", "id: gate\n    depends_on: [check]\n")
    )


def renamed(path: Path) -> None:
    """Give the block behind the gate another name."""
    path.write_text(path.read_text().replace("id: deploy", "id: roll_out").replace("old", "new"))


def edited(path: Path) -> None:
    """Change the command."""
    path.write_text(path.read_text().replace("echo old", "echo new"))


def broken(path: Path) -> None:
    """Make it no workflow any more."""
    path.write_text(path.read_text().replace("depends_on: [gate]", "depends_on: [gaet]"))


VARIANTS = [
    (described, "", ["old", "old"]),
    (inserted, "has changed since", ["old", "check", "old"]),
    (renamed, "has changed since", ["old", "new"]),
    (edited, "has changed since", ["old", "new"]),
    (Path.unlink, "is gone", ["old"]),
    (broken, "has faults by now", ["old"]),
]


@pytest.mark.parametrize(
    ("change", "notice", "log"), VARIANTS, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_waiting_run_keeps_its_definition(
    tidegate: Tidegate, change: Callable[[Path], None], notice: str, log: list[str]
) -> None:
    """Somebody who asks is told of the change; a new run has the new file, or none."""
    path = tidegate.file("release.yaml", FILE)
    run_id = tidegate.call("run", path, "--json").document["run_id"]
    change(path)
    shown = tidegate.call("runs", "show", run_id).out
    answered = tidegate.call("answer", run_id, "yes")
    again = tidegate.call("run", path, "--json")

    assert (notice in shown) if notice else ("since the run started" not in shown)
    assert answered.code == 0
    if len(log) > 1:
        tidegate.call("answer", again.document["run_id"], "yes")
    else:
        assert again.code == 2
    assert (tidegate.folder / "log").read_text().split() == log
