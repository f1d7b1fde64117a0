"""A folder of workflow files."""

from pathlib import Path

from tidegate.errors import DefinitionError
from tidegate.workflows.library import find_workflows, load_folder
from tidegate.workflows.loader import Loaded
from workflows.small_catalog import CATALOG


def test_a_good_file_is_listed_beside_bad_ones(tmp_path: Path) -> None:
    """Each bad one says what is wrong with it."""
    (tmp_path / "good.yaml").write_text("name: good\nblocks: [{id: a, type: Python}]\n")
    (tmp_path / "also.yml").write_bytes(b"\xef\xbb\xbfname: also\r\nblocks: [{id: a, type: Python}]\r\n")
    (tmp_path / "bad.yaml").write_text("name: bad\n")
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "link.yaml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "notes.txt").write_text("no workflow")
    (tmp_path / ".hidden.yaml").write_text("")

    found = load_folder(tmp_path, CATALOG)

    assert [path.name for path in find_workflows(tmp_path)] == [
        "also.yml",
        "bad.yaml",
        "empty.yaml",
        "folder.yaml",
        "good.yaml",
        "link.yaml",
    ]
    assert [item.definition.name for item in found if isinstance(item, Loaded)] == ["also", "good"]
    assert len([item for item in found if isinstance(item, DefinitionError)]) == 4


def test_a_folder_that_is_not_there_has_no_workflows(tmp_path: Path) -> None:
    """Nor has one that is a file."""
    (tmp_path / "file").write_text("")

    assert find_workflows(tmp_path / "none") == ()
    assert find_workflows(tmp_path / "file") == ()
