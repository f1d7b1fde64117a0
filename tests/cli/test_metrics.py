"""`tidegate worker --metrics` and `tidegate stats --serve`: real processes, asked over HTTP."""

import signal
from pathlib import Path

import httpx
import pytest

from cli.calling import Process, Tidegate, until
from running import until as until_true
from tidegate.cli.metrics import with_metrics
from tidegate.cli.wiring import open_session
from tidegate.settings import load_settings

GATE = """
    name: gate
    blocks:
      - {id: ask, type: ConfirmOperation, inputs: {message: "Go?"}}
      - {id: last, type: Shell, depends_on: [ask], inputs: {command: "echo last"}}
"""


def address_of(process: Process) -> str:
    """Return where a process that has just been started serves its metrics."""
    assert process.stderr is not None
    line = next(line for line in iter(process.stderr.readline, b"") if b"metrics at" in line)
    return line.split()[-1].decode()


def page_at(url: str) -> set[str]:
    """Return the lines of a page."""
    return set(httpx.get(url).text.splitlines())


def test_a_worker_tells_how_its_store_behaves(tidegate: Tidegate) -> None:
    """It restores the run that somebody answered elsewhere, and saves what follows: both are measured."""
    (run_id,) = tidegate.runs_of(GATE, {})
    worker = tidegate.start("worker", "--metrics", "0")
    url = address_of(worker)
    before = page_at(url)
    tidegate.call("answer", run_id, "yes", "--no-wait")
    until(lambda: 'tidegate_runs{workflow="gate",status="succeeded"} 1' in page_at(url))
    after = page_at(url)
    worker.send_signal(signal.SIGTERM)
    done = tidegate.end(worker)

    assert url.startswith("http://127.0.0.1:")
    assert {"tidegate_store_readable 1", 'tidegate_open_pauses{workflow="gate"} 1'} <= before
    assert "tidegate_restore_seconds_count 0" in before
    assert "tidegate_restore_seconds_count 1" in after
    saves = next(line for line in after if line.startswith("tidegate_store_save_seconds_count"))
    assert int(saves.split()[-1]) >= 2  # That it begins, and that it has ended.
    assert done.code == 0


def test_a_store_is_served_without_being_driven(tidegate: Tidegate) -> None:
    """What is there is told as `--prometheus` does; it ends in order."""
    tidegate.runs_of(GATE, {})
    serving = tidegate.start("stats", "--serve", "0")
    page = page_at(address_of(serving))
    serving.send_signal(signal.SIGINT)
    done = tidegate.end(serving)

    assert 'tidegate_runs{workflow="gate",status="paused"} 1' in page
    assert not any(line.startswith("tidegate_store_save") for line in page)
    assert done.code == 0


async def test_a_store_that_cannot_be_read_leaves_what_the_process_knows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That is worth most just then: the page comes, and says so."""
    settings = load_settings({}, store=f"sqlite:///{tmp_path}/s.db")
    async with open_session(settings) as session, with_metrics(session, ("127.0.0.1", 0)):
        url = capsys.readouterr().err.split()[-1]
        async with httpx.AsyncClient() as client:
            before = (await client.get(url)).text.splitlines()
            await session.store.close()
            after: list[str] = []

            async def is_seen() -> bool:
                after[:] = (await client.get(url)).text.splitlines()
                return "tidegate_store_readable 0" in after

            # What was just counted is good for a moment.
            await until_true(is_seen)

    assert {"tidegate_store_readable 1", "tidegate_events 0"} <= set(before)
    assert "tidegate_running_blocks 0" in after
    assert "tidegate_events 0" not in after


@pytest.mark.parametrize("where", ["here", "127.0.0.1:70000", "127.0.0.1:1/x"])
def test_where_to_serve_is_not_guessed(tidegate: Tidegate, where: str) -> None:
    """A port, or a host and a port; anything else is refused before anything listens."""
    done = tidegate.call("stats", "--serve", where)

    assert done.code == 2
    assert "neither PORT nor HOST:PORT" in done.err
