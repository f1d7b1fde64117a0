"""Two clients of `tidegate mcp` and an open monitor, on one store at once."""

from pathlib import Path

from running import until
from server.clients import connected, fields, lay_out
from tidegate.clock import SystemClock
from tidegate.tui.app import MonitorApp
from tui.monitoring import Monitor, opener


async def test_the_monitor_answers_what_a_client_started_and_both_clients_see_it(tmp_path: Path) -> None:
    """The client that comes later with another answer is told who was faster, and the effect happens once."""
    lay_out(tmp_path)
    clock = SystemClock()
    app = MonitorApp(opener(clock=clock, url=f"sqlite:///{tmp_path}/store.db"), clock)
    app.animation_level = "none"
    async with (
        connected(tmp_path) as one,
        connected(tmp_path) as other,
        app.run_test(size=(100, 30)) as pilot,
    ):
        seen = Monitor(app, pilot, tmp_path)
        await seen.until(lambda: app.overview.is_read)
        paused = fields(await one.call_tool("execute_workflow", {"workflow": "gate"}))
        await seen.see("Go, you?")
        await seen.press("a")
        await seen.dialog("Go, you?")
        await seen.approve()

        async def is_over() -> bool:
            run = fields(await other.call_tool("get_run", {"run_id": paused["run_id"]}))
            return bool(run["status"] == "success")

        await until(is_over)
        late = fields(
            await one.call_tool("answer_pause", {"pause_id": paused["checkpoint_id"], "value": "no"})
        )

    assert paused["status"] == "paused"
    assert (late["code"], late["answered_by"], late["answer"]) == ("already_answered", "ana", "yes")
    assert (tmp_path / "log").read_text() == "gone\n"
