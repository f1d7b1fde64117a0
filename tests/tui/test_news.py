"""What is said above a screen is about that screen, and about now."""

from dataclasses import dataclass
from pathlib import Path

from running import until
from store.builders import below, new_run
from tidegate.model.ids import RunId
from tidegate.store.owner import current_owner
from tidegate.store.protocol import Store
from tidegate.tui.lines import Tone
from tui.monitoring import monitor
from tui.scene import NOW, fill

GREET = "name: {}\nblocks:\n  - {{id: hi, type: Shell, inputs: {{command: echo hi}}}}\n"
OURS = str(current_owner())
GONE = OURS.rpartition(":")[0] + ":1"


@dataclass
class Hand:
    """A clock that is moved by hand."""

    at: float = NOW

    def now(self) -> float:
        """Return the instant."""
        return self.at

    def monotonic(self) -> float:
        """Return the same, as seconds."""
        return self.at


async def test_news_of_one_screen_do_not_follow_to_another(tmp_path: Path) -> None:
    """Read there, they would be news of what is there; what was said just now is not yet read, and goes along."""
    clock = Hand()
    async with monitor(tmp_path, prepare=fill, clock=clock) as seen:
        await seen.see("Promote build")
        seen.app.tell("run nvydx4 goes on", Tone.DONE)
        await seen.press("2")
        await seen.see("run nvydx4 goes on", "backup-all")
        clock.at += 3
        await seen.press("1")
        await seen.see("Promote build")
        await seen.until(lambda: not seen.app.note.text)
        assert "goes on" not in seen.text


async def test_workflow_files_are_counted_wherever_one_is(tmp_path: Path) -> None:
    """Also those that come after the start, and before anybody has looked at them."""
    (tmp_path / "one.yaml").write_text(GREET.format("one"))
    async with monitor(tmp_path, folders=(tmp_path,)) as seen:
        await seen.see("4 Wf 1")
        (tmp_path / "two.yaml").write_text(GREET.format("two"))
        await seen.see("4 Wf 2")
        (tmp_path / "one.yaml").unlink()
        await seen.see("4 Wf 1")


async def test_only_runs_that_somebody_drives_are_counted_as_running(tmp_path: Path) -> None:
    """Not those whose process is gone, whose lease has run out, and not the parts of others."""

    async def prepare(store: Store) -> None:
        await store.create_run(new_run("driven000000", owner=OURS, at=NOW))
        await store.create_run(new_run("gone00000000", owner=GONE, at=NOW))
        await store.create_run(new_run("late00000000", owner=OURS, at=NOW - 60))
        parent = below("gate", parent="driven000000", root="driven000000")
        await store.create_run(new_run("part00000000", owner=OURS, at=NOW, parent=parent))

    async with monitor(tmp_path, prepare=prepare, clock=Hand()) as seen:
        await seen.see("2 Runs ●1")
        assert await seen.ask(lambda session: session.history.running()) == 1
        await seen.press("5")
        await seen.see("● 1 running", "2 interrupted")
        await seen.press("2")
        await seen.see("driven", "gone00", "late00")
        counts = await seen.ask(lambda session: session.history.counts())
        assert counts.runs["running"] == 3, "as journalled"


async def test_a_process_that_dies_is_noticed_without_a_word_of_the_store(tmp_path: Path) -> None:
    """Its lease runs out, and nobody says so: the count looks again by itself."""
    clock = Hand()

    async def prepare(store: Store) -> None:
        await store.create_run(new_run(RunId("driven000000"), owner=OURS, at=NOW))

    async with monitor(tmp_path, prepare=prepare, clock=clock) as seen:
        await seen.see("2 Runs ●1")
        clock.at += 60

        async def is_counted() -> bool:
            return not seen.app.overview.running

        await until(is_counted)
