"""`tidegate runs delete`, `tidegate checkpoints prune, clear, pin, unpin`: what goes, what stays, what is said."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.calling import Tidegate, until
from tidegate.clock import SystemClock
from tidegate.model.vitals import Removals
from tidegate.store.opening import open_store

GOOD = """
    name: good
    inputs: {word: {type: string}}
    blocks: [{id: a, type: Shell, inputs: {command: "echo ${word}; head -c 100000 /dev/urandom | base64"}}]
"""
BAD = "{name: bad, blocks: [{id: a, type: Shell, inputs: {command: 'exit 3'}}]}"
GATE = "{name: gate, blocks: [{id: ask, type: ConfirmOperation, inputs: {message: 'Go?', operation: x}}]}"


def good(tidegate: Tidegate, count: int) -> list[str]:
    """Run a workflow that succeeds, several times; return the runs, oldest first."""
    inputs: list[dict[str, object]] = [{"word": f"run {number}"} for number in range(count)]
    return list(map(str, tidegate.runs_of(GOOD, *inputs)))


def runs_in(tidegate: Tidegate) -> set[str]:
    """Return the runs that are listed."""
    return {run["run_id"] for run in tidegate.call("runs", "list", "--json").document["runs"]}


def orphans(tidegate: Tidegate) -> dict[str, int]:
    """Return what nothing owns."""

    async def look() -> dict[str, int]:
        store = await open_store(tidegate.store, clock=SystemClock())
        try:
            return {**await store.orphans(), "removing": (await store.statistics()).removing}
        finally:
            await store.close()

    return asyncio.run(look())


def aged(tidegate: Tidegate, days: float) -> None:
    """Let everything that is in the store have happened so many days ago."""
    with closing(sqlite3.connect(tidegate.folder / "tidegate.db")) as store, store:
        store.execute(
            "UPDATE runs SET created_at = created_at - ?1, updated_at = updated_at - ?1", (days * 86_400,)
        )


# -- prune ------------------------------------------------------------------------------------


def test_what_would_go_is_said_with_its_size_and_the_reason(tidegate: Tidegate) -> None:
    """A dry run changes nothing, and lists every run."""
    first, second, last = good(tidegate, 3)
    (waiting,) = tidegate.runs_of(GATE, {})

    text, document = tidegate.together(
        ["checkpoints", "prune", "--keep", "1", "--dry-run"],
        ["checkpoints", "prune", "--keep", "1", "--dry-run", "--json"],
    )

    lines = [line.split(maxsplit=3) for line in text.out.splitlines()[1:5]]
    assert [(line[0], line[1]) for line in lines] == [
        ("goes", second),
        ("goes", first),
        ("stays", waiting),
        ("stays", last),
    ]
    assert "it has not ended: paused" in text.out
    assert "it is the last success of good" in text.out
    assert "not one of the newest 1 that have ended" in text.out
    assert text.out.splitlines()[-1].startswith("2 run(s), 41")
    assert text.out.endswith("kB, would be removed.\n")
    found = document.document
    assert (found["dry_run"], found["removed"], found["kept"], found["given_back"]) == (True, 2, 2, 0)
    assert [run["goes"] for run in found["runs"]] == [False, False, True, True]
    assert found["bytes"] == sum(run["bytes"] for run in found["runs"] if run["goes"]) > 400_000
    assert runs_in(tidegate) == {first, second, last, waiting}


def test_pruning_removes_and_makes_the_file_smaller(tidegate: Tidegate) -> None:
    """What stays is as it was; a second time there is nothing to do."""
    first, second, last = good(tidegate, 3)
    file = tidegate.folder / "tidegate.db"
    before = file.stat().st_size

    done = tidegate.call("checkpoints", "prune", "--keep", "1")
    again = tidegate.call("checkpoints", "prune", "--keep", "1")

    assert (done.code, again.code) == (0, 0)
    assert "2 run(s), 41" in done.out
    assert "were removed, the store is 4" in done.out
    assert again.out.endswith("Nothing was removed.\n")
    assert runs_in(tidegate) == {last}
    assert before - file.stat().st_size > 400_000
    assert orphans(tidegate) == {"removing": 0}
    gone, shown, printed = tidegate.together(["runs", "show", first], ["runs", "show", last], ["logs", last])
    assert (gone.code, shown.code) == (7, 0)
    assert f"no run '{first}'" in gone.err
    assert "\nrun 2\n" in printed.out
    assert second not in shown.out


def test_age_is_that_since_the_end_and_a_workflow_can_be_named(tidegate: Tidegate) -> None:
    """Both limits can be said; the last success stays."""
    old = good(tidegate, 2)
    (failed,) = tidegate.runs_of(BAD, {})
    aged(tidegate, 8)
    (fresh,) = tidegate.runs_of(BAD, {})

    other = tidegate.call("checkpoints", "prune", "--older-than", "7d", "--workflow", "good", "--json")
    both = tidegate.call("checkpoints", "prune", "--older-than", "7d", "--json")

    assert [run["run_id"] for run in other.document["runs"] if run["goes"]] == [old[0]]
    assert [run["run_id"] for run in both.document["runs"] if run["goes"]] == [failed]
    assert runs_in(tidegate) == {old[1], fresh}


def test_the_environment_and_the_file_say_what_is_kept(tidegate: Tidegate) -> None:
    """Without an option; K1's day and ten among them."""
    good(tidegate, 2)
    runs = tidegate.runs_of(BAD, {}, {})
    aged(tidegate, 2)

    default = tidegate.call("checkpoints", "prune", "--json")
    limits = {"TIDEGATE_TTL_SECONDS": "86400", "TIDEGATE_MAX_PER_WORKFLOW": "10"}
    k1 = tidegate.call("checkpoints", "prune", "--dry-run", "--json", **limits)
    kept = BAD.replace("blocks:", "checkpoint: {retention: {max_checkpoints: 1}}, blocks:")
    (newest,) = tidegate.runs_of(kept, {})
    by_file = tidegate.call("checkpoints", "prune", "--json")

    assert default.document["removed"] == 0
    assert k1.document["removed"] == 3
    assert {run["run_id"] for run in by_file.document["runs"] if run["goes"]} == set(runs)
    assert newest in runs_in(tidegate)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--older-than", "soon"], "is no time"),
        (["--older-than", "-1d"], "is no time"),
        (["--keep", "-1"], "range"),
        (["--workflow", ""], "it is empty"),
    ],
)
def test_what_no_limit_can_be_is_refused(tidegate: Tidegate, words: list[str], said: str) -> None:
    """Nothing is removed."""
    refused = tidegate.call("checkpoints", "prune", *words)

    assert refused.code == 2
    assert said in refused.err


def test_a_variable_that_says_nothing_sensible_is_refused(tidegate: Tidegate) -> None:
    """Before anything is opened; on every command, because any of them may clean up."""
    refused = tidegate.call("checkpoints", "prune", TIDEGATE_TTL_SECONDS="7d")

    assert refused.code == 2
    assert "TIDEGATE_TTL_SECONDS" in refused.err


# -- by itself --------------------------------------------------------------------------------


def test_a_worker_cleans_up_by_itself_and_an_answer_does_not(tidegate: Tidegate) -> None:
    """Unless that is switched off; once in an interval, whoever asks."""
    old = good(tidegate, 3)
    (waiting,) = tidegate.runs_of(GATE, {})
    limits = {"TIDEGATE_MAX_PER_WORKFLOW": "1"}

    tidegate.call("answer", waiting, "yes", **limits)
    assert runs_in(tidegate) == {*old, waiting}
    off = tidegate.start("worker", **limits, TIDEGATE_AUTO_CLEANUP="false")
    assert off.stderr is not None
    assert b"worker on" in off.stderr.readline()
    on = tidegate.start("worker", **limits)
    try:
        until(lambda: runs_in(tidegate) == {old[2], waiting})
    finally:
        for process in (off, on):
            process.terminate()
        ends = [tidegate.end(process) for process in (off, on)]
    assert [ended.code for ended in ends] == [0, 0]
    assert orphans(tidegate) == {"removing": 0}


# -- delete -----------------------------------------------------------------------------------


def test_runs_are_deleted_by_name(tidegate: Tidegate) -> None:
    """Several at once, by the beginning of their ids; nothing without a yes, and nothing in a dry run."""
    first, second, last = good(tidegate, 3)

    unsaid, unnamed = tidegate.together(["runs", "delete", first], ["runs", "delete", "--yes"])
    dry = tidegate.call("runs", "delete", first, "--dry-run")
    # Without a name it is none of them, and not all.
    assert (unsaid.code, unnamed.code, dry.code) == (2, 2, 0)
    assert "nothing was removed: say --yes, or --dry-run" in unsaid.err
    assert len(runs_in(tidegate)) == 3

    done = tidegate.call("runs", "delete", first[:8], last, "--yes", "--json")
    assert done.code == 0
    assert {run["run_id"] for run in done.document["runs"] if run["goes"]} == {first, last}
    assert runs_in(tidegate) == {second}
    assert orphans(tidegate) == {"removing": 0}


def test_what_has_not_ended_is_not_deleted(tidegate: Tidegate) -> None:
    """It is said why, and the exit code tells; what can go, goes."""
    (waiting,) = tidegate.runs_of(GATE, {})
    (ended,) = good(tidegate, 1)

    done = tidegate.call("runs", "delete", waiting, ended, "--yes")
    unknown = tidegate.call("runs", "delete", waiting, "bcdfghjk2345", "--yes")

    assert done.code == 6
    assert "it has not ended: paused" in done.out
    assert unknown.code == 7
    assert runs_in(tidegate) == {waiting}
    assert tidegate.call("answer", waiting, "yes").code == 0
    assert tidegate.call("runs", "delete", waiting, "--yes").code == 0
    assert runs_in(tidegate) == set()


def test_a_person_is_asked_first(tidegate: Tidegate) -> None:
    """What goes is shown; anything but a yes removes nothing."""
    (first,) = good(tidegate, 1)

    no = tidegate.at_terminal("runs", "delete", first, typed=["n\n"], ready="[y/N]: ")
    assert no.code == 130
    assert runs_in(tidegate) == {first}
    yes = tidegate.at_terminal("runs", "delete", first, typed=["y\n"], ready="[y/N]: ")

    assert f"{first}  good  succeeded" in yes.out
    assert "Remove 1 run(s), 207" in yes.out
    assert "were removed" in yes.out
    assert yes.code == 0
    assert runs_in(tidegate) == set()


CHILDREN = """
    name: calls
    blocks:
      - {id: each, type: ExecuteWorkflow, for_each: {items: [x, y]}, inputs: {workflow: part, inputs: {}}}
"""


def test_a_run_goes_with_those_that_it_started(tidegate: Tidegate) -> None:
    """They are counted; one of them alone is refused, with the run to name instead."""
    tidegate.file("part.yaml", "{name: part, blocks: [{id: a, type: Shell, inputs: {command: echo hi}}]}")
    tidegate.file("calls.yaml", CHILDREN)
    assert tidegate.call("run", "calls.yaml").code == 0
    (top,) = runs_in(tidegate)
    below = tidegate.call("runs", "list", "--children", top, "--json").document["runs"]

    alone = tidegate.call("runs", "delete", below[0]["run_id"], "--yes")
    done = tidegate.call("runs", "delete", top, "--yes")

    assert alone.code == 6
    assert f"it is a part of run {top}. Remove that one, and it goes along" in alone.err
    assert "1 run(s) with 2 below" in done.out
    assert tidegate.call("runs", "list", "--all", "--json").document["runs"] == []


# -- clear, pin -------------------------------------------------------------------------------


def test_everything_of_a_workflow_that_has_ended_can_be_cleared(tidegate: Tidegate) -> None:
    """Its last success too; of all workflows only where that is said."""
    good(tidegate, 2)
    (failed,) = tidegate.runs_of(BAD, {})
    (waiting,) = tidegate.runs_of(GATE, {})

    for words in ([], ["good", "--all"]):
        refused = tidegate.call("checkpoints", "clear", *words, "--yes")
        assert refused.code == 2
        assert "name a workflow, or say --all" in refused.err
    unsaid = tidegate.call("checkpoints", "clear", "good")
    assert unsaid.code == 2
    done = tidegate.call("checkpoints", "clear", "good", "--yes", "--json")
    assert done.document["removed"] == 2
    assert runs_in(tidegate) == {failed, waiting}
    everything = tidegate.call("checkpoints", "clear", "--all", "--yes")
    assert everything.code == 0
    assert runs_in(tidegate) == {waiting}


def test_a_chain_of_forks_is_cleared_in_one_call(tidegate: Tidegate) -> None:
    """As the dry run says: every run that has ended. Killed in the middle, no fork is without its origin."""
    chain = good(tidegate, 1)
    for _ in range(6):
        forked = tidegate.call("checkpoints", "fork", chain[-1], "--from", "a", "--json")
        chain.append(forked.document["run_id"])

    planned = tidegate.call("checkpoints", "clear", "--all", "--dry-run", "--json").document
    assert [run["run_id"] for run in planned["runs"] if run["goes"]] == chain[::-1]
    process = tidegate.start("checkpoints", "clear", "--all", "-y")
    with closing(sqlite3.connect(tidegate.folder / "tidegate.db", isolation_level=None)) as store:
        until(lambda: store.execute("SELECT count(*) FROM runs").fetchone()[0] < 7)
        process.kill()
    process.communicate()
    assert "forks of none" not in orphans(tidegate)
    left = runs_in(tidegate)
    assert left == set(chain[: len(left)])
    done = tidegate.call("checkpoints", "clear", "--all", "-y", "--json").document
    assert (done["removed"], done["kept"]) == (len(left), 0)
    assert orphans(tidegate) == {"removing": 0}


def test_a_pinned_checkpoint_is_kept_until_it_is_unpinned(tidegate: Tidegate) -> None:
    """The list shows it; what is asked for on purpose goes."""
    first, _ = good(tidegate, 2)
    mark = tidegate.call("checkpoints", "list", "--run", first, "--json").document["checkpoints"][0]
    assert mark["pinned"] is False

    pinned = tidegate.call("checkpoints", "pin", mark["checkpoint_id"][:12])
    kept, listed, refused = tidegate.together(
        ["checkpoints", "prune", "--keep", "0"],
        ["checkpoints", "list", "--run", first],
        ["runs", "delete", first, "--yes"],
    )
    unknown = tidegate.call("checkpoints", "pin", "chk_bcdfghjk")
    unpinned = tidegate.call("checkpoints", "unpin", mark["checkpoint_id"], "--json")

    assert pinned.out == f"checkpoint {mark['checkpoint_id']} is pinned\n"
    assert "a checkpoint of it is pinned" in kept.out
    assert "(pinned)" in listed.out
    assert refused.code == 6
    assert unknown.code == 7
    assert unpinned.document == {"checkpoint_id": mark["checkpoint_id"], "pinned": False}
    tidegate.call("checkpoints", "pin", mark["checkpoint_id"])
    assert tidegate.call("runs", "delete", first, "--yes", "--pinned").code == 0
    assert first not in runs_in(tidegate)


def test_to_look_makes_no_store(tmp_path: Path) -> None:
    """Nothing is there, and nothing is made."""
    command = Tidegate(tmp_path)
    for words in (
        ["checkpoints", "prune"],
        ["checkpoints", "clear", "--all", "--yes"],
        ["runs", "delete", "abcd", "-y"],
    ):
        assert command.call(*words).code == 7
    assert not (tmp_path / "tidegate.db").exists()


# -- what is remembered -----------------------------------------------------------------------


def test_who_removed_what_is_remembered(tidegate: Tidegate) -> None:
    """By each of the commands: who called it, and what limit it was beyond, if one was."""
    runs = good(tidegate, 4)
    calls = (
        ("runs", "delete", runs[0], "--yes"),
        ("checkpoints", "prune", "--keep", "2"),
        ("checkpoints", "clear", "good", "--keep", "1", "--yes"),
        ("checkpoints", "clear", "--all", "--yes"),
    )
    for call in calls:
        assert tidegate.call(*call, TIDEGATE_OPERATOR="eva").code == 0

    async def look() -> Removals:
        store = await open_store(tidegate.store, clock=SystemClock())
        try:
            return await store.removals()
        finally:
            await store.close()

    found = asyncio.run(look())
    assert [it.run_id for it in found.newest] == runs[::-1]
    assert {it.by for it in found.newest} == {"eva"}
    assert [it.why for it in found.newest] == [
        "",
        "not one of the newest 1 that have ended",
        "not one of the newest 2 that have ended",
        "",
    ]
    told = tidegate.call("stats", "--json").document["removals"]
    assert (told["total"], told["last"]["run_id"], told["last"]["by"]) == (4, runs[3], "eva")
