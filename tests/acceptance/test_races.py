"""Many processes at one store at once (I1, I2). `TIDEGATE_RACE_FULL=1` runs the full numbers of the cases."""

import json
import os
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from aftermath import check_books, lines, tree
from lives import answer_each, begin, carry_on, life, living, poll, start_many, told, url_of
from running import world
from tidegate.model.events import PauseAnswered, RunStatus

FULL = bool(os.environ.get("TIDEGATE_RACE_FULL"))
QUESTIONS = 300 if FULL else 40
ENGINES, RUNS, POLLERS = (8, 50, 4) if FULL else (4, 10, 2)

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
async def test_each_of_many_racing_answers_has_one_winner(tmp_path: Path) -> None:
    """I1: two processes answer all questions at once, yes and no; each loser is told who won, what follows runs once."""
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
def test_engines_and_pollers_share_a_store(tmp_path: Path) -> None:
    """I2: every run completes with a whole journal, nobody is told of a locked database, and the log stays small."""
    (tmp_path / "short.yaml").write_text(SHORT)
    everything = ENGINES * RUNS
    with ExitStack() as stack:
        engines = [
            stack.enter_context(living(tmp_path, partial(start_many, file="short.yaml", count=RUNS)))
            for _ in range(ENGINES)
        ]
        pollers = [
            stack.enter_context(living(tmp_path, partial(poll, count=everything))) for _ in range(POLLERS)
        ]
        for process in (*engines, *pollers):
            told(tmp_path, process)
        wal = (tmp_path / "store.db-wal").stat().st_size if (tmp_path / "store.db-wal").exists() else 0

    assert wal < 64 << 20
    assert len(set(lines(tmp_path / "log"))) == len(lines(tmp_path / "log")) == everything
    assert (tmp_path / "engine.log").read_text() == ""


async def test_a_shared_store_is_sound_afterwards(tmp_path: Path) -> None:
    """Every run of several engines ended, and its books are right."""
    (tmp_path / "short.yaml").write_text(SHORT)
    with ExitStack() as stack:
        for process in [
            stack.enter_context(living(tmp_path, partial(start_many, file="short.yaml", count=3)))
            for _ in range(3)
        ]:
            told(tmp_path, process)

    async with world(tmp_path, url_of(tmp_path)) as ground:
        rows = await tree(ground)
        assert [row.summary.status for row in rows] == [RunStatus.SUCCEEDED] * 9
        assert not any(row.owner for row in rows)
        await check_books(ground)
