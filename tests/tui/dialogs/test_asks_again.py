"""A block that asks again: what the monitor does after each answer, with the engine and real keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

from textual.widgets import Input

from tidegate.blocks.base import Asked, Completed, InteractiveBlock, InteractiveResult, Rejected, Result
from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.history.history import History
from tidegate.model.base import JsonObject
from tidegate.model.catalog import BlockSpec, ValueType
from tidegate.model.prompt import Answer, CommentRule, InputPrompt, Prompt
from tidegate.store.opening import open_store
from tidegate.tui.app import MonitorApp
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.session import Session
from tidegate.workflows.loader import parse_workflow
from tui.monitoring import Monitor, OpenedSession

TWICE = """
name: twice
blocks:
  - {id: name, type: AskTwice, inputs: {}}
"""
OTHER = """
name: other
blocks:
  - {id: other, type: ConfirmOperation, inputs: {message: "And this?"}}
"""


class AskTwice(InteractiveBlock):
    """Asks for a name, then for the same name again."""

    spec: ClassVar[BlockSpec] = BlockSpec(
        type="AskTwice",
        check=lambda _inputs, _unknown: (),
        outputs={"name": ValueType.STRING},
        interactive=True,
    )

    def ask(self, inputs: JsonObject) -> Prompt:
        """Ask for the name."""
        del inputs
        return InputPrompt(prompt="Which name?", comment_rule=CommentRule.REQUIRED)

    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Ask again until the same name was given twice."""
        if isinstance(prompt, InputPrompt) and prompt.validation_pattern is None:
            return Asked(InputPrompt(prompt="Once more?", validation_pattern=str(answer.value)))
        return Completed({"name": answer.value})

    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Give up."""
        del prompt
        return Rejected()


@asynccontextmanager
async def open_session() -> AsyncIterator[Session]:
    """Open an empty store, and an engine that knows the block."""
    clock = SystemClock()
    store = await open_store("memory://", clock=clock)
    executor = Executor(store, clock, {**BUILTIN, "AskTwice": AskTwice()})
    try:
        await executor.open()
        yield OpenedSession(executor, History(store, clock), "memory://", "ana")
    finally:
        await executor.close()
        await store.close()


async def start(seen: Monitor, text: str) -> None:
    """Start a run, as another terminal would."""
    specs = {**catalog(), "AskTwice": AskTwice.spec}
    loaded = parse_workflow(text, specs, file="test.yaml", working_dir=str(seen.folder))
    await seen.ask(lambda session: session.executor.start(loaded.definition, {}, by="ben"))


async def test_the_cursor_goes_to_what_the_same_block_asks_next(tmp_path: Path) -> None:
    """Not to another run's question, and with an empty field: the first answer is no draft of the second."""
    app = MonitorApp(open_session, SystemClock())
    app.animation_level = "none"
    async with app.run_test(size=(100, 30)) as pilot:
        seen = Monitor(app, pilot, tmp_path)
        await seen.until(lambda: app.overview.is_read)
        await start(seen, TWICE)
        await seen.see("Which name?")
        await start(seen, OTHER)
        await seen.see("◆2")
        screen = app.screen
        assert isinstance(screen, InboxScreen)

        await seen.press("a")
        await seen.dialog("Enter sends it")
        await seen.press(*"ada", "enter", *"as agreed", "enter", "ctrl+s")
        await seen.see("Once more?")
        await seen.until(lambda: app.screen is screen)
        await seen.until(lambda: "Once more?" in _row(screen))

        await seen.press("a")
        await seen.dialog("matching ada")
        assert app.screen.query_one("#answer", Input).value == ""
        await seen.press(*"ada", "ctrl+s")
        await seen.until(lambda: "And this?" in _row(screen))
        [answered, first] = await seen.ask(lambda session: session.history.answered(10))
        assert first.answer is not None
        assert answered.answer is not None
        assert (first.answer.value, first.answer.comment) == ("ada", "as agreed")
        assert answered.answer.value == "ada"


def _row(screen: InboxScreen) -> str:
    """Return the row that the cursor is on."""
    key = screen.rows_view.cursor_key
    return next((line.text for line in screen.rows_view.lines if line.key == key), "")
