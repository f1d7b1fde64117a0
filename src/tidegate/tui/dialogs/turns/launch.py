"""Asks with what a run is to be started, shows what it would do, and starts it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content

from tidegate.errors import TidegateError
from tidegate.model.base import Json
from tidegate.model.ids import RunId
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import Send
from tidegate.tui.dialogs.frame.base import Dialog, Key, Say
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.styled import content_of
from tidegate.tui.dialogs.frame.words import WRITING
from tidegate.tui.dialogs.turns.launch_body import LaunchBody
from tidegate.tui.nouns.launch import Launch
from tidegate.tui.present.launch import launch_lines, launch_title

__all__ = ["LaunchDialog", "LaunchOutcome"]

Start: TypeAlias = Callable[[Mapping[str, Json]], Awaitable[RunId | None]]
"""Starts the run with what was typed; None: the file says something else by now."""


@dataclass(frozen=True, slots=True)
class LaunchOutcome:
    """What came of the form."""

    run_id: RunId | None = None
    """The run that was started."""
    draft: str = ""
    """What was typed, if none was."""
    has_changed: bool = False
    """Whether none was because the file says something else than the form."""


class LaunchDialog(Dialog[LaunchOutcome]):
    """Dismisses with what came of it.

    Args:
        launch: What is to be started.
        start: Starts it.
        draft: What was typed the last time.
        notice: What happened since then.
        pace: How long keys are inert.
    """

    def __init__(
        self, launch: Launch, start: Start, *, draft: str = "", notice: str = "", pace: Pace = PACE
    ) -> None:
        self._launch = launch
        self._start = start
        self._notice = notice
        super().__init__(pace=pace)
        self._body = LaunchBody(launch, self.gate, draft)
        self.add_class("-launch")
        self.set_class(bool(launch.definition.inputs), "-form")

    @property
    def is_unsent(self) -> bool:
        """Whether something was typed that is not sent yet."""
        return bool(self._body.draft)

    def prompt_content(self) -> Content:
        """Return what the run would do."""
        return content_of(launch_lines(self._launch))

    def header_text(self) -> str:
        """Return what is started."""
        return launch_title(self._launch)

    def compose_body(self) -> ComposeResult:
        """Show the fields."""
        yield self._body

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [
            *self._body.keys(),
            ("ctrl+↓", "read on"),
            ("esc", "not now: the draft stays" if self._launch.definition.inputs else "not now"),
        ]

    def armed(self) -> None:
        """Take text."""
        self._body.begin()
        if self._notice:
            self.say(safe_line(self._notice, 400), "error")
        else:
            self._body.remind()

    def action_commit(self) -> None:
        """Start it, if every field is right."""
        self._body.commit()

    def action_back(self) -> None:
        """Take back what is armed, or leave; what was typed stays."""
        if not self._body.step_back():
            self.dismiss(LaunchOutcome(draft=self._body.draft))

    def strayed(self) -> None:
        """Take back what is armed, and what the first letter of a text has chosen."""
        self._body.strayed()
        # By the same way as what disarming says, so that it comes after it.
        self._body.post_message(Say(WRITING, "error"))

    def looked_away(self) -> None:
        """Take back what is armed."""
        self._body.disarm()

    def came_back(self) -> None:
        """Take back what is armed, and say so."""
        self._body.came_back()

    @on(Send)
    def _begin(self) -> None:
        if self.begin_sending("Starting…"):
            self._send()

    @work(group="launch")
    async def _send(self) -> None:
        given, draft = self._body.given, self._body.draft
        try:
            run_id = await self._start(given)
        except TidegateError as error:
            self.gate.busy = False
            self._body.fail(safe_line(str(error), 600))
        else:
            self.dismiss(LaunchOutcome(run_id, "" if run_id else draft, has_changed=run_id is None))
