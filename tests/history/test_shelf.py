"""The workflow files that a run can be started from."""

import asyncio
from pathlib import Path

import pytest

from running import PATIENCE
from tidegate.errors import InputsError
from tidegate.history.shelf import Shelf, input_problem, path_of, read_file, read_inputs

GOOD = "name: good\ninputs: {n: integer}\nblocks: [{id: a, type: Shell, inputs: {command: ls}}]\n"
BAD = "name: bad\nblocks: [{id: a, type: Shel}]\n"


async def test_the_files_of_all_folders_in_their_order(tmp_path: Path) -> None:
    """A folder that is named twice counts once; one that is not there has none."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "w.yaml").write_text(GOOD)
    shelf = Shelf([tmp_path / "two", tmp_path / "none", tmp_path / "one", tmp_path / "one/../two"])
    before = shelf.files

    files = await shelf.refresh()

    assert before == ()
    assert [file.path for file in files] == [tmp_path / "two/w.yaml", tmp_path / "one/w.yaml"]
    assert shelf.files == files
    assert all(file.is_sound and file.source == GOOD for file in files)


async def test_a_file_with_faults_is_there_and_not_sound(tmp_path: Path) -> None:
    """With what it said when it was last sound, if that was seen."""
    path = tmp_path / "w.yaml"
    path.write_text(BAD)
    shelf = Shelf([tmp_path])
    [bad] = await shelf.refresh()
    assert (bad.name, bad.definition, bad.is_sound, len(bad.faults)) == ("w.yaml", None, False, 1)
    path.write_text(GOOD)
    [good] = await shelf.refresh()
    assert (good.name, good.is_sound) == ("good", True)
    path.write_text(BAD + "\n")

    [stale] = await shelf.refresh()

    assert (stale.name, stale.definition, stale.is_sound) == ("good", good.definition, False)
    assert not (await read_file(path)).is_sound


async def test_the_working_directory_may_hold_any_yaml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There a file with faults is a workflow only if it has blocks; in every other folder it is one."""
    for name, text in {"compose": "services: {}\n", "bad": BAD, "json": '{"blocks" : 1}\n'}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)

    assert [file.name for file in await Shelf([Path()]).refresh()] == ["bad.yaml", "json.yaml"]
    assert len(await Shelf([tmp_path]).refresh()) == 3


async def test_changes_are_told_until_nobody_listens(tmp_path: Path) -> None:
    """Also of a folder that came later."""
    shelf = Shelf([tmp_path / "later"])
    told = asyncio.Event()
    watching = asyncio.create_task(shelf.watch(told.set))
    try:
        await asyncio.wait_for(told.wait(), PATIENCE)
        assert len(shelf.files) == 0
        (tmp_path / "later").mkdir()
        (tmp_path / "later/w.yaml").write_text(GOOD)

        async with asyncio.timeout(PATIENCE):
            while not shelf.files:
                told.clear()
                await told.wait()
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def test_the_inputs_of_a_run_are_read_by_the_one_rule(tmp_path: Path) -> None:
    """All together before it starts, and one by one while they are typed."""
    path = tmp_path / "w.yaml"
    path.write_text(GOOD)
    definition = (await read_file(path)).definition
    assert definition is not None
    [declared] = definition.inputs

    assert read_inputs(definition, {"n": "7"}) == {"n": 7}
    with pytest.raises(InputsError, match="there is no input 'm'"):
        read_inputs(definition, {"n": "7", "m": 1})
    assert input_problem(definition, declared, "7") == ""
    assert input_problem(definition, declared, "x") == "the input 'n' is \"x\", expected a whole number"
    assert input_problem(definition, declared, None) == "the input 'n' is missing"
    assert path_of(definition) == path
    assert path_of(definition.evolve(source_path="")) is None
