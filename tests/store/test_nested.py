"""Runs that blocks of other runs started: what every store says of them, and how many of each there are."""

import asyncio
from collections import Counter

from store.builders import NOW, RUN, adding, below, marked, new_run, paused, wave
from tidegate.model.events import PauseAnswered, PauseAssigned, RunFinished, RunStatus
from tidegate.model.ids import PauseId, RunId
from tidegate.model.listing import Counts, Cursor, OpenPause, PauseFilter, RunFilter
from tidegate.model.prompt import Answer, ConfirmPrompt
from tidegate.model.state import RunSummary
from tidegate.store.protocol import Store

CHILD, GRANDCHILD, OTHER = RunId("child"), RunId("grandchild"), RunId("other")


async def _family(store: Store) -> None:
    """Create a run, one below it, one below that, and a stranger; each with an open pause."""
    await store.create_run(new_run())
    await store.create_run(new_run(CHILD, at=NOW + 1, parent=below("deploy[eu]")))
    deep = below("deploy[eu]/restart", parent=CHILD)
    await store.create_run(new_run(GRANDCHILD, at=NOW + 2, parent=deep))
    await store.create_run(new_run(OTHER, at=NOW + 3))
    for run_id in (RUN, CHILD, GRANDCHILD, OTHER):
        await store.append(adding(paused(f"of_{run_id}"), run_id=run_id))


async def _listed(store: Store, query: RunFilter) -> list[RunId]:
    return [row.run_id for row in await store.runs(query)]


async def _asked(store: Store, query: PauseFilter) -> set[str]:
    return {row.pause_id for row in await store.pauses(query)}


# -- where a run stands -----------------------------------------------------------------------


async def test_a_nested_run_says_where_it_was_started(store: Store) -> None:
    """Its row names the run above, the run at the top, and the places between."""
    await _family(store)

    top, child, grandchild = [await store.run(run_id) for run_id in (RUN, CHILD, GRANDCHILD)]
    assert (top.parent, top.root, top.path) == (None, None, "")
    assert (child.parent, child.root, child.path) == (RUN, RUN, "deploy[eu]")
    assert (grandchild.parent, grandchild.root, grandchild.path) == (CHILD, RUN, "deploy[eu]/restart")
    changed = (await store.changes(Cursor(0))).runs
    assert [row.path for row in changed] == ["", "deploy[eu]", "deploy[eu]/restart", ""]


async def test_a_pause_says_where_its_run_stands(store: Store) -> None:
    """So that a list of questions needs no look at the runs."""
    await _family(store)

    rows = {row.run_id: row for row in await store.pauses()}
    assert (rows[RUN].root, rows[RUN].path) == (None, "")
    assert (rows[GRANDCHILD].root, rows[GRANDCHILD].path) == (RUN, "deploy[eu]/restart")
    assert await store.pause(rows[GRANDCHILD].pause_id) == rows[GRANDCHILD]


async def test_runs_can_be_listed_by_where_they_stand(store: Store) -> None:
    """Below one, directly below one, or on top; newest first all the same."""
    await _family(store)

    assert await _listed(store, RunFilter()) == [OTHER, GRANDCHILD, CHILD, RUN]
    assert await _listed(store, RunFilter(top_only=True)) == [OTHER, RUN]
    assert await _listed(store, RunFilter(parent=RUN)) == [CHILD]
    assert await _listed(store, RunFilter(parent=GRANDCHILD)) == []
    assert await _listed(store, RunFilter(root=RUN)) == [GRANDCHILD, CHILD, RUN]
    assert await _listed(store, RunFilter(root=RUN, limit=1)) == [GRANDCHILD]
    assert await _listed(store, RunFilter(root=RUN, top_only=True)) == [RUN]
    assert await _listed(store, RunFilter(root=OTHER)) == [OTHER]
    assert await _listed(store, RunFilter(root=RunId("nothing"))) == []
    assert await _listed(store, RunFilter(top_only=True, older_than=OTHER)) == [RUN]


async def test_where_runs_stand_and_how_can_be_asked_together(store: Store) -> None:
    """Whether those asked for have ended, go on, or some of both."""
    await _family(store)
    for run_id, status in ((RUN, RunStatus.PAUSED), (CHILD, RunStatus.PAUSED), (OTHER, RunStatus.FAILED)):
        await store.append(adding(wave(), run_id=run_id, after=2, summary=RunSummary(status=status)))

    async def on_top(*statuses: RunStatus) -> list[RunId]:
        return await _listed(store, RunFilter(statuses=statuses, top_only=True))

    assert await on_top(RunStatus.PAUSED, RunStatus.RUNNING) == [RUN]
    assert await on_top(RunStatus.FAILED) == [OTHER]
    assert await on_top(RunStatus.PAUSED, RunStatus.FAILED) == [OTHER, RUN]
    paused_below = RunFilter(statuses=(RunStatus.PAUSED,), root=RUN)
    assert await _listed(store, paused_below) == [CHILD, RUN]


async def test_pauses_can_be_listed_with_everything_below_a_run(store: Store) -> None:
    """A run is answered in one place, whichever run of it asks."""
    await _family(store)
    answer = PauseAnswered(pause_id=PauseId("of_child"), answer=Answer(value=True, raw="y", by="ada"))
    await store.append(adding(answer, run_id=CHILD, after=2))

    below_it = PauseFilter(root=RUN)
    assert await _asked(store, below_it) == {f"of_{RUN}", "of_grandchild"}
    assert await _asked(store, below_it.evolve(open_only=False)) == {f"of_{RUN}", "of_child", "of_grandchild"}
    assert await _asked(store, below_it.evolve(run_id=GRANDCHILD)) == {"of_grandchild"}
    assert await _asked(store, PauseFilter(root=OTHER)) == {"of_other"}


async def test_the_end_of_a_run_leaves_those_below_alone(store: Store) -> None:
    """Each has a journal of its own, and ends by itself."""
    await _family(store)
    await store.append(adding(marked(), run_id=CHILD, after=2))

    await store.append(adding(RunFinished(status=RunStatus.CANCELLED, discarded=True), after=2))

    assert await _asked(store, PauseFilter(root=RUN)) == {"of_child", "of_grandchild"}
    assert [row.checkpoint_id for row in await store.checkpoints()] == ["chk_one"]


# -- how many ---------------------------------------------------------------------------------


async def test_an_empty_store_counts_nothing(store: Store) -> None:
    """Neither runs nor pauses."""
    assert await store.counts() == Counts()


async def test_counts_are_of_runs_on_top_and_of_all_open_pauses(store: Store) -> None:
    """A person looks for runs on top, but is asked by whichever run."""
    await _family(store)

    counts = await store.counts()
    assert (counts.open_pauses, counts.runs) == (4, {"running": 2})


async def test_what_is_counted_as_open_says_whom_it_calls_and_when(store: Store) -> None:
    """By whom the workflow names, unless a person has said otherwise, be it nobody in particular."""
    await store.create_run(new_run())
    kens = ConfirmPrompt(message="Go?", assignee="ken")
    opened = [paused("one", deadline=NOW + 60), paused("two").evolve(prompt=kens)]
    opened += [paused(name).evolve(prompt=kens) for name in ("three", "four")]
    told = [PauseAssigned(pause_id=PauseId("three"), to="ada", by="bo")]
    told.append(PauseAssigned(pause_id=PauseId("four"), to="", by="bo"))
    await store.append(adding(*opened, *told))

    assert set((await store.counts()).pauses) == {
        OpenPause(pause_id=PauseId("one"), deadline=NOW + 60),
        OpenPause(pause_id=PauseId("two"), assignee="ken"),
        OpenPause(pause_id=PauseId("three"), assignee="ada"),
        OpenPause(pause_id=PauseId("four")),
    }


async def test_counts_follow_every_change(store: Store) -> None:
    """As a run goes from one status to another; a status that none has left is not named."""
    await store.create_run(new_run())
    await store.create_run(new_run(CHILD, parent=below("deploy")))
    seen = [await store.counts()]
    for after, status in enumerate((RunStatus.PAUSED, RunStatus.PAUSED, RunStatus.RUNNING), 1):
        summary = RunSummary(status=status)
        for run_id in (RUN, CHILD):
            await store.append(adding(wave(), run_id=run_id, after=after, summary=summary))
        seen.append(await store.counts())

    assert [counts.runs for counts in seen] == [{"running": 1}, {"paused": 1}, {"paused": 1}, {"running": 1}]


async def test_a_refused_append_is_not_counted(store: Store) -> None:
    """Neither is one that is taken back after it was half written."""
    await store.create_run(new_run())
    failed = RunSummary(status=RunStatus.FAILED)

    refused = [
        adding(wave(), after=7, summary=failed),
        adding(paused(), paused(), summary=failed),
    ]
    outcomes = await asyncio.gather(*map(store.append, refused), return_exceptions=True)

    assert all(isinstance(outcome, Exception) for outcome in outcomes)
    assert await store.counts() == Counts(runs={"running": 1})


async def test_counts_are_what_the_list_says(store: Store) -> None:
    """After many changes at once, of runs on top and below."""
    statuses = list(RunStatus)

    async def live(number: int) -> None:
        run_id = f"run{number}"
        parent = below("deploy", parent="run0", root="run0") if number % 3 == 1 else None
        await store.create_run(new_run(run_id, parent=parent))
        for after in range(1, 1 + number % 5):
            summary = RunSummary(status=statuses[(number + after) % len(statuses)])
            await store.append(adding(wave(), run_id=run_id, after=after, summary=summary))

    await asyncio.gather(*map(live, range(60)))

    rows = await store.runs(RunFilter(top_only=True))
    assert (await store.counts()).runs == Counter(row.summary.status for row in rows)
