"""A folder of workflow files, and how a file differs from what a run has pinned."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tidegate.workflows.library import DefinitionChange, Library, definition_changed, find_workflows
from tidegate.workflows.loader import load_workflow
from workflows.small_catalog import CATALOG

GOOD = "name: {name}\nblocks: [{{id: a, type: Python}}]\n"


def good(name: str) -> str:
    """Return a sound workflow."""
    return GOOD.format(name=name)


def library(folder: Path, **files: str) -> Library:
    """Return the library of a folder with these files, read once."""
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    found = Library(folder, CATALOG)
    found.refresh()
    return found


def test_a_good_file_is_listed_beside_bad_ones(tmp_path: Path) -> None:
    """Each bad one says what is wrong with it."""
    (tmp_path / "good.yaml").write_text(good("good"))
    (tmp_path / "also.yml").write_bytes(b"\xef\xbb\xbfname: also\r\nblocks: [{id: a, type: Python}]\r\n")
    (tmp_path / "bad.yaml").write_text("name: bad\n")
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "link.yaml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "notes.txt").write_text("no workflow")
    (tmp_path / ".hidden.yaml").write_text("")

    entries = library(tmp_path).entries()

    assert [entry.path.name for entry in entries] == [
        "also.yml",
        "bad.yaml",
        "empty.yaml",
        "folder.yaml",
        "good.yaml",
        "link.yaml",
    ]
    assert [entry.name for entry in entries if entry.loaded] == ["also", "good"]
    assert len([entry for entry in entries if entry.error]) == 4


def test_a_folder_that_is_not_there_has_no_workflows(tmp_path: Path) -> None:
    """Nor has one that is a file."""
    (tmp_path / "file").write_text("")

    assert find_workflows(tmp_path / "none") == ()
    assert find_workflows(tmp_path / "file") == ()
    assert Library(tmp_path / "none", CATALOG).refresh() == ()


def test_a_broken_edit_leaves_the_last_good_definition(tmp_path: Path) -> None:
    """It is there and called stale, with the faults of the newest text; a mended text replaces it."""
    found = library(tmp_path, w=good("w"))
    (before,) = found.entries()

    (tmp_path / "w.yaml").write_text("name: w\nbloks: []\n")
    assert found.refresh() == (tmp_path / "w.yaml",)
    (broken,) = found.entries()
    assert broken.stale
    assert broken.loaded is before.loaded
    assert "did you mean 'blocks'" in str(broken.error)

    (tmp_path / "w.yaml").write_text(good("mended"))
    found.refresh()
    (mended,) = found.entries()
    assert (mended.name, mended.stale, mended.error) == ("mended", False, None)


def test_a_file_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    """Nor is it told as a change."""
    found = library(tmp_path, one=good("one"), two=good("two"))
    before = [entry.loaded for entry in found.entries()]

    (tmp_path / "two.yaml").rename(tmp_path / "three.yaml")

    assert found.refresh() == (tmp_path / "three.yaml", tmp_path / "two.yaml")
    assert found.entries()[0].loaded is before[0]
    assert found.refresh() == ()


def test_two_workflows_of_one_name_are_a_fault_of_both(tmp_path: Path) -> None:
    """Neither may be started by accident; what was good before stays, and is called stale."""
    found = library(tmp_path, a=good("same"))
    (tmp_path / "b.yaml").write_text("# copied\n" + good("same"))
    found.refresh()
    first, second = found.entries()

    assert "a.yaml:1:7: 'same' is the name of another workflow of this folder, too (b.yaml)" in str(
        first.error
    )
    assert "b.yaml:2:7: " in str(second.error)
    assert (first.stale, second.loaded) == (True, None)

    (tmp_path / "b.yaml").unlink()
    found.refresh()
    assert [(entry.stale, entry.error) for entry in found.entries()] == [(False, None)]


def test_an_edit_of_a_called_file_is_seen_in_the_caller(tmp_path: Path) -> None:
    """Its definition holds that of the file it calls."""
    (tmp_path / "parts").mkdir()
    child = tmp_path / "parts" / "child.yaml"
    child.write_text(good("child"))
    call = "name: w\nblocks: [{id: c, type: ExecuteWorkflow, inputs: {workflow: parts/child.yaml}}]\n"
    found = library(tmp_path, w=call)
    assert found.refresh() == ()

    child.write_text(good("child").replace("id: a", "id: other"))

    assert found.refresh() == (tmp_path / "w.yaml",)
    (entry,) = found.entries()
    assert entry.loaded
    assert entry.loaded.definition.children["parts/child.yaml"].blocks[0].id == "other"


class Watching:
    """What a watched library has told."""

    def __init__(self) -> None:
        self.told: list[tuple[Path, ...]] = []
        self._news = asyncio.Event()

    def note(self, paths: tuple[Path, ...]) -> None:
        """Take a change."""
        self.told.append(paths)
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for changes until *condition* holds."""
        async with asyncio.timeout(15):
            while not condition():
                await self._news.wait()
                self._news.clear()


@contextmanager
def watched(found: Library) -> Iterator[Watching]:
    """Watch a library in the running loop."""
    watching = Watching()
    task = asyncio.ensure_future(found.watch(watching.note))
    yield watching
    task.cancel()


async def test_a_watched_folder_tells_of_edits_deletions_and_new_files(tmp_path: Path) -> None:
    """As they happen, until it is cancelled."""
    found = library(tmp_path, one=good("one"))

    with watched(found) as watching:
        await watching.until(lambda: watching.told == [()])
        (tmp_path / "two.yaml").write_text(good("two"))
        await watching.until(lambda: len(found.entries()) == 2)
        (tmp_path / "one.yaml").write_text("broken")
        await watching.until(lambda: found.entries()[0].stale)
        (tmp_path / "one.yaml").unlink()
        await watching.until(lambda: [entry.name for entry in found.entries()] == ["two"])

    assert {path.name for paths in watching.told for path in paths} == {"one.yaml", "two.yaml"}


async def test_a_folder_that_comes_later_is_watched_then(tmp_path: Path) -> None:
    """And one that goes away has no workflows until it is back."""
    folder = tmp_path / "later"
    found = Library(folder, CATALOG)

    with watched(found) as watching:
        await watching.until(lambda: watching.told == [()])
        folder.mkdir()
        (folder / "w.yaml").write_text(good("w"))
        await watching.until(lambda: len(found.entries()) == 1)
        (folder / "w.yaml").unlink()
        folder.rmdir()
        await watching.until(lambda: not found.entries())
        folder.mkdir()
        (folder / "x.yaml").write_text(good("x"))
        await watching.until(lambda: [entry.name for entry in found.entries()] == ["x"])


PINNED = """\
name: deploy
description: To production
blocks:
  - {id: gate, type: ConfirmOperation}
  - {id: deploy, type: Shell, depends_on: [gate], inputs: {command: ./deploy.sh}}
"""


@pytest.mark.parametrize(
    ("edit", "change"),
    [
        (lambda text: text, DefinitionChange.SAME),
        (lambda text: "# why\n" + text.replace("To production", "Everywhere"), DefinitionChange.SAME),
        (
            lambda text: text.replace("blocks:\n", "blocks:\n  - {id: new, type: Python}\n"),
            DefinitionChange.CHANGED,
        ),
        (lambda text: text.replace("id: deploy", "id: ship"), DefinitionChange.CHANGED),
        (lambda text: text.replace("./deploy.sh", "./deploy.sh -f"), DefinitionChange.CHANGED),
        (lambda text: text.replace("blocks", "bloks"), DefinitionChange.BROKEN),
        (None, DefinitionChange.MISSING),
    ],
)
def test_a_run_can_tell_whether_its_file_has_changed(
    tmp_path: Path, edit: Callable[[str], str] | None, change: DefinitionChange
) -> None:
    """By what it would do: words for people do not count."""
    path = tmp_path / "deploy.yaml"
    path.write_text(PINNED)
    pinned = load_workflow(path, CATALOG).definition

    if edit is None:
        path.unlink()
    else:
        path.write_text(edit(PINNED))

    assert definition_changed(pinned, CATALOG) is change


def test_a_file_that_was_named_from_another_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path of a definition is as it was given; its folder is absolute."""
    (tmp_path / "deploy.yaml").write_text(PINNED)
    monkeypatch.chdir(tmp_path)
    pinned = load_workflow(Path("deploy.yaml"), CATALOG).definition
    monkeypatch.chdir("/")

    assert definition_changed(pinned, CATALOG) is DefinitionChange.SAME
    assert definition_changed(pinned.evolve(source_path=""), CATALOG) is DefinitionChange.SAME


def test_a_file_with_faults_is_not_read_again_until_it_changes(tmp_path: Path) -> None:
    """A folder of other people's YAML costs nothing while it lies there; what may call others is read again."""
    (tmp_path / "bad.yaml").write_text("name: bad\n")
    (tmp_path / "calls.yaml").write_text(
        "name: calls\nblocks: [{id: a, type: ExecuteWorkflow, inputs: {workflow: gone}}]\n"
    )
    found = library(tmp_path)
    before = {entry.path.stem: entry.error for entry in found.entries()}

    found.refresh()
    again = {entry.path.stem: entry.error for entry in found.entries()}
    assert again["bad"] is before["bad"]
    assert again["calls"] is not before["calls"]
    (tmp_path / "bad.yaml").write_text("name: worse\n")
    found.refresh()

    assert {entry.path.stem: entry.error for entry in found.entries()}["bad"] is not before["bad"]
