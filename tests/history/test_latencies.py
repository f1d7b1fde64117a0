"""How long the store took, as one process has seen it."""

import asyncio
import logging
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from running import world
from tidegate.clock import SystemClock
from tidegate.errors import JournalConflict
from tidegate.history.exposition import process_exposition
from tidegate.history.latencies import BOUNDS, SLOW, Histogram, Latencies
from tidegate.history.timed import timed
from tidegate.model.ids import Seq
from tidegate.store.orders import Append

GATE = """
    name: gate
    blocks:
      - id: ask
        type: ConfirmOperation
        inputs: {message: "Go?"}
"""


@settings(max_examples=30)
@given(st.lists(st.floats(0, 20)))
def test_each_time_is_counted_where_it_belongs(times: list[float]) -> None:
    """A bucket has what is no longer than its bound; the last one has all."""
    histogram = Histogram()
    for seconds in times:
        histogram.add(seconds)

    expected = [sum(seconds <= bound for seconds in times) for bound in BOUNDS]
    assert histogram.up_to() == (*expected, len(times))
    assert histogram.total == pytest.approx(sum(times))


def test_saves_loads_and_conflicts_are_counted(tmp_path: Path) -> None:
    """What is asked of the store itself stays as it is; what it refuses is counted by its name, and refused."""
    latencies = Latencies()

    async def work() -> None:
        async with world(tmp_path) as here:
            run_id = await here.start(GATE)
            row = (await here.rest(run_id)).row
            store = timed(here.store, SystemClock(), latencies)
            assert store.url == here.store.url
            assert len(await store.read(run_id)) == row.head
            late = Append(
                run_id=run_id, after=Seq(1), epoch=None, at=row.updated_at, events=(), summary=row.summary
            )
            with pytest.raises(JournalConflict):
                await store.append(late)

    asyncio.run(work())
    assert latencies.loads["read"].count == 1
    assert latencies.saves == {}
    assert list(latencies.failures()) == [("append", "JournalConflict", 1)]


def test_what_takes_long_is_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """What was asked of the store, and how long it took; what is quick is only counted."""
    latencies = Latencies()
    with caplog.at_level(logging.INFO, "tidegate"):
        latencies.saved("append", SLOW - 0.001)
        latencies.loaded("read", 0.34)

    assert caplog.messages == ["the store took 340 ms for one read"]


def test_the_page_of_a_process_has_buckets_that_add_up() -> None:
    """As Prometheus wants them: cumulative, `+Inf` last, and equal to the count."""
    latencies = Latencies()
    for seconds in (0.002, 0.02, 30.0):
        latencies.saved("append", seconds)
    latencies.restores.add(0.2)
    latencies.failed("append", "StoreUnavailable")
    lines = process_exposition(latencies, running=2, held=1, readable=False).splitlines()

    name = 'tidegate_store_save_seconds_bucket{operation="append",le='
    assert [line.split()[-1] for line in lines if line.startswith(name)] == [*"0111222222222", "3"]
    assert 'tidegate_store_save_seconds_bucket{operation="append",le="+Inf"} 3' in lines
    assert 'tidegate_store_save_seconds_count{operation="append"} 3' in lines
    assert "tidegate_restore_seconds_count 1" in lines
    assert 'tidegate_store_errors_total{operation="append",error="StoreUnavailable"} 1' in lines
    assert {"tidegate_store_readable 0", "tidegate_running_blocks 2", "tidegate_held_runs 1"} <= set(lines)
