"""A fork of a tree of runs, cut off wherever it hurts: it ends as if nothing had happened, and the other tree is as it was."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from aftermath import check_books, lines, result_of, to_the_end, tree
from lives import Fate, branch, life, living, told, turn, url_of
from running import world
from sizes import some_of
from test_kill_nested import EFFECTS, START, answer_in, prepare
from tidegate.model.events import Record, RunStatus
from tidegate.model.ids import Seq
from tidegate.model.listing import RunRow


async def waiting_and_given_up(folder: Path) -> tuple[RunRow, tuple[Record, ...]]:
    """Let a tree come to where it waits, and cancel it then; return its top as it waited, with its journal."""
    assert life(prepare(folder), START)
    async with world(folder, url_of(folder)) as ground:
        top, *_ = await tree(ground)
    assert life(folder, partial(turn, what="cancel", run_id=top.run_id))
    async with world(folder, url_of(folder)) as ground:
        return top, await ground.events(top.run_id)


async def finish(folder: Path, top: RunRow, journal: tuple[Record, ...]) -> dict[str, object]:
    """Bring the fork to its end; return what it came to, once all else is found as it was."""
    await to_the_end(folder, partial(answer_in, folder))
    async with world(folder, url_of(folder)) as ground:
        await check_books(ground)
        assert await ground.events(top.run_id) == journal
        rows = await tree(ground)
        (forked,) = [row for row in rows if row.origin is not None and row.origin.run_id == top.run_id]
        mine = [row for row in rows if forked.run_id in (row.run_id, row.root)]
        assert all(row.origin is not None for row in mine)
        assert {row.summary.status for row in rows if row not in mine} == {RunStatus.CANCELLED}
        results: dict[str, object] = {row.path: await result_of(ground, row.run_id) for row in mine}
    # Each once, though the two trees together have run five times three blocks: what had ended stayed.
    assert sorted(lines(folder / "log")) == EFFECTS
    return results


@pytest.mark.timeout(900)
async def test_a_fork_of_a_tree_ends_the_same_wherever_its_process_is_killed(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Children and grandchildren go on from where they waited, not from where they are now; each is forked once."""
    whole = tmp_path / "undisturbed"
    top, journal = await waiting_and_given_up(whole)
    errand = partial(branch, run_id=top.run_id, seq=Seq(top.head), answers={"ask": "go"})
    with living(whole, errand) as process:
        commits = told(whole, process)
    expected = await finish(whole, top, journal)
    assert len(expected) == 5

    instants = some_of(
        [(commit, after) for commit in range(1, commits + 1) for after in (False, True)][1:], 4
    )
    record_property("size", f"{len(instants)} kills in {commits} commits of a forked tree of 5 runs")
    for commit, after in instants:
        folder = tmp_path / f"{commit}-{after}"
        top, journal = await waiting_and_given_up(folder)
        errand = partial(branch, run_id=top.run_id, seq=Seq(top.head), answers={"ask": "go"})
        life(folder, errand, fate=Fate(commit, after=after))
        assert await finish(folder, top, journal) == expected, (commit, after)
