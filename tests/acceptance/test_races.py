"""Many processes at one store at once (I1, I2); at full size with the numbers of these cases."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from aftermath import check_books, lines, tree
from lives import answer_each, begin, carry_on, life, living, poll, start_many, told, url_of
from rivals import hold_cursor
from running import world
from sizes import FULL
from store_invariants import check_at_rest
from tidegate.clock import SystemClock
from tidegate.model.events import PauseAnswered, RunStatus
from tidegate.model.listing import RunFilter

QUESTIONS = 300 if FULL else 40
CONTACTS = 20 if FULL else 6
SHARED = [(8, 50, 4, 10.0), (1, 100, 2, 10.0)] if FULL else [(4, 10, 2, 2.0)]
"""How many engines drive how many runs each, how many others list them all the time, and how long one reads."""

WAL_LIMIT = 64 << 20
"""Bytes. Far above what is written while a reader keeps the log from being begun anew."""

Record = Callable[[str, object], None]

ASKED = f"""
name: asked
blocks:
  - id: ask
    type: ConfirmOperation
    for_each: {json.dumps([f"q{number}" for number in range(QUESTIONS)])}
    inputs: {{message: "Ship ${{item}}?", on_reject: continue}}
  - id: go
    type: Shell
    effect: once
    depends_on: [ask]
    for_each: {{items: "${{ask.results}}"}}
    condition: "index < 40"
    inputs: {{command: "echo ${{item.key}} ${{item.outputs.confirmed}} >> log"}}
"""
SHORT = """
name: short
blocks:
  - {id: a, type: Shell, inputs: {command: "echo ${run.id} >> log"}}
  - {id: b, type: Template, depends_on: [a], inputs: {template: "${a.success}"}}
"""


@pytest.mark.timeout(600)
async def test_each_of_many_racing_answers_has_one_winner(tmp_path: Path, record_property: Record) -> None:
    """I1: two processes answer all questions at once, yes and no; each loser is told who won, what follows runs once."""
    record_property("size", f"{QUESTIONS} questions, 2 processes")
    (tmp_path / "asked.yaml").write_text(ASKED)
    assert life(tmp_path, partial(begin, file="asked.yaml"))
    with (
        living(tmp_path, partial(answer_each, raw="yes")) as yes,
        living(tmp_path, partial(answer_each, raw="no")) as no,
    ):
        said = {"yes": told(tmp_path, yes), "no": told(tmp_path, no)}
    assert life(tmp_path, carry_on)

    won = Counter((said["yes"].get(f"ask[q{n}]"), said["no"].get(f"ask[q{n}]")) for n in range(QUESTIONS))
    # A question that had been answered before one of them listed it was not even asked any more.
    assert set(won) <= {("won", "yes"), ("no", "won"), ("won", None), (None, "won")}
    async with world(tmp_path, url_of(tmp_path)) as ground:
        [row] = await tree(ground)
        await check_books(ground)
        answers = [
            record.event.answer
            for record in await ground.events(row.run_id)
            if isinstance(record.event, PauseAnswered)
        ]
    assert row.summary.status is RunStatus.SUCCEEDED
    assert len(answers) == QUESTIONS
    assert Counter(answer.by for answer in answers) == Counter(
        {raw: sum(word == "won" for word in told_.values()) for raw, told_ in said.items()}
    )
    assert len(lines(tmp_path / "log")) == 40
    assert {line.split()[0]: line.split()[1] for line in lines(tmp_path / "log")} == {
        f"q{n}": "true" if said["yes"].get(f"ask[q{n}]") == "won" else "false" for n in range(40)
    }


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("engines", "runs", "pollers", "seconds"), SHARED)
async def test_engines_pollers_and_a_slow_reader_share_a_store(
    tmp_path: Path, engines: int, runs: int, pollers: int, seconds: float, record_property: Record
) -> None:
    """I2: every run completes with a whole journal, nobody is told of a locked database, and the log stays small."""
    (tmp_path / "short.yaml").write_text(SHORT)
    assert life(tmp_path, partial(begin, file="short.yaml"))
    everything = engines * runs + 1
    with ExitStack() as stack:
        drivers = [
            stack.enter_context(living(tmp_path, partial(start_many, file="short.yaml", count=runs)))
            for _ in range(engines)
        ]
        listing = [
            stack.enter_context(living(tmp_path, partial(poll, count=everything))) for _ in range(pollers)
        ]
        reader = stack.enter_context(living(tmp_path, partial(hold_cursor, seconds=seconds)))
        wal = 0
        while any(process.is_alive() for process in (*drivers, *listing, reader)):
            wal = max(wal, wal_of(tmp_path))
            await asyncio.sleep(0.05)
        for process in (*drivers, *listing):
            told(tmp_path, process)
        view = told(tmp_path, reader)

    record_property(
        "size", f"{engines} x {runs} runs, {pollers} pollers, {seconds:g} s reader, WAL {wal >> 10:,} KiB"
    )
    assert 0 < wal < WAL_LIMIT
    assert view["heads"] == view["seen"] == view["heads_after"] > 0, "the reader sees one moment"
    assert len(set(lines(tmp_path / "log"))) == len(lines(tmp_path / "log")) == everything
    assert (tmp_path / "engine.log").read_text() == ""
    await all_is_sound(tmp_path, everything)


@pytest.mark.timeout(300)
async def test_many_processes_may_make_first_contact_at_once(tmp_path: Path, record_property: Record) -> None:
    """I2: on a folder with nothing in it, each makes its run and drives it; there is one store, whole and sound."""
    (tmp_path / "short.yaml").write_text(SHORT)
    with ExitStack() as stack:
        for process in [
            stack.enter_context(living(tmp_path, partial(begin, file="short.yaml"))) for _ in range(CONTACTS)
        ]:
            told(tmp_path, process)

    record_property("size", f"{CONTACTS} processes")
    assert (tmp_path / "engine.log").read_text() == ""
    await all_is_sound(tmp_path, CONTACTS)


def wal_of(folder: Path) -> int:
    """Return how many bytes the store's log has; the last process that closes the store removes it."""
    try:
        return (folder / "store.db-wal").stat().st_size
    except FileNotFoundError:
        return 0


async def all_is_sound(folder: Path, runs: int) -> None:
    """Fail unless so many runs have succeeded, nobody holds one, and every law of the store is kept."""
    async with world(folder, url_of(folder)) as ground:
        rows = await ground.store.runs(RunFilter(limit=10_000))
        assert [row.summary.status for row in rows] == [RunStatus.SUCCEEDED] * runs
        assert not any(row.owner for row in rows)
        await check_books(ground)
        await check_at_rest(ground.store, SystemClock().now())
