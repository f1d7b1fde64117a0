"""Asks before a run is forked: shows what the fork will do, and lets that be changed until it is made."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content

from tidegate.engine.edits import Edit
from tidegate.errors import TidegateError
from tidegate.history.paths import parse_path, path_text
from tidegate.history.spans import size
from tidegate.model.ids import BlockId, RunId
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.base import Dialog, Key
from tidegate.tui.dialogs.body import Send
from tidegate.tui.dialogs.fork_body import ForkBody
from tidegate.tui.dialogs.gate import PACE, Pace
from tidegate.tui.dialogs.styled import content_of
from tidegate.tui.present.fork import fork_command, fork_effect, fork_lines, fork_title
from tidegate.tui.reads.forking import ForkDraft, ForkWish, Ground, make_fork, read_fork, read_ground
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.engine.fork_preview import ForkPreview

__all__ = ["ForkDialog"]

Call: TypeAlias = Callable[[Callable[[Session], Awaitable[Any]]], Awaitable[Any]]
"""Asks the session; see `EngineThread.call`."""


class ForkDialog(Dialog[RunId | None]):
    """Dismisses with the run that was made, or None if none was.

    Args:
        wish: What was asked for with a key.
        call: Asks the session.
        pace: How long keys are inert.
    """

    def __init__(self, wish: ForkWish, call: Call, *, pace: Pace = PACE) -> None:
        self._wish = wish
        self._call = call
        self._draft = ForkDraft(wish.point, blocks=wish.blocks)
        self._preview: ForkPreview | None = None
        self._ground: Ground | None = None
        self._is_warned = self._is_armed = False
        super().__init__(pace=pace)
        self._body = ForkBody(self.gate)
        self.add_class("-fork")

    @property
    def is_unsent(self) -> bool:
        """Whether something was changed or typed in a fork that is not made yet."""
        return bool(self._draft.edits) or self._body.is_touched

    # -- what it says -------------------------------------------------------------------------

    def prompt_content(self) -> Content:
        """Return what the fork will do."""
        if self._preview is None or self._ground is None:
            return Content("Working out what it would do…")
        return content_of(fork_lines(self._draft, self._preview, self._ground))

    def header_text(self) -> str:
        """Return what is forked, and where."""
        return fork_title(self._draft, self._preview)

    def compose_body(self) -> ComposeResult:
        """Show what can be done."""
        yield self._body

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [*self._body.keys(), ("esc", "back" if self._body.is_typing else "no: make none")]

    def on_mount(self) -> None:
        """Begin to work out what it would do; the toolkit calls that of the base, too."""
        self.fit_box(roomy=self.has_class("-box"), brief=False)
        self._read(self._draft)

    def armed(self) -> None:
        """Take keys."""
        self._is_armed = True
        self._body.begin()
        if not self._wish.is_editing:
            self._body.remind()
        self._begin_editing()

    # -- working it out -----------------------------------------------------------------------

    @work(group="prospect", exclusive=True)
    async def _read(self, draft: ForkDraft, *, closes: bool = False) -> None:
        """Show what *draft* would do; what cannot be done is refused, and what was before it stays."""
        self._body.offer(None)
        try:
            if self._ground is None:
                self._ground = await self._call(lambda session: read_ground(session, draft.point))
                self._body.suggest(self._ground.paths, self._ground.blocks)
            preview = await self._call(lambda session: read_fork(session, draft))
        except TidegateError as error:
            self._offer()
            self.say(safe_line(str(error), 600), "error")
            return
        self._draft, self._preview = draft, preview
        self._offer()
        self._is_warned = False
        if closes:
            self._body.close_fields()
        self._show()
        self._begin_editing()

    def _offer(self) -> None:
        preview = self._preview
        if preview is None:
            return
        answers = "ask again" if self._draft.keeps_answers else "keep answers"
        self._body.allow(answers=answers if preview.questions else "", is_changed=bool(self._draft.edits))
        self._body.offer(fork_effect(preview), is_real=bool(preview.effects))

    def _show(self) -> None:
        self.question.update(self.prompt_content())
        self._show_header()
        self.show_keys()

    def _begin_editing(self) -> None:
        """Begin with what shall be changed, once that can be typed and what stands there is known."""
        if self._is_armed and self._ground is not None and self._wish.is_editing:
            self._wish = replace(self._wish, is_editing=False)
            self._edit(path_text(self._wish.edits))

    def _edit(self, path: str) -> None:
        self._body.open_edit(path, self._value_of(path))
        self.show_keys()
        if hidden := self._hidden_at(path):
            self.say(f"Its {size(hidden)} are not shown; what is typed replaces all of it.")
        else:
            self.say("Type the new value; enter takes it, and shows what the fork does then.")

    def _changed_to(self, path: str) -> str | None:
        return next((str(edit.value) for edit in self._draft.edits if path_text(edit.path) == path), None)

    def _value_of(self, path: str) -> str:
        changed = self._changed_to(path)
        if changed is not None or self._ground is None:
            return changed or ""
        return self._ground.value_at(path)

    def _hidden_at(self, path: str) -> int:
        if self._ground is None or self._changed_to(path) is not None:
            return 0
        return self._ground.hidden_at(path)

    # -- what is typed and pressed ------------------------------------------------------------

    @on(ForkBody.PathTyped)
    def _show_value(self, event: ForkBody.PathTyped) -> None:
        self._edit(event.path)

    @on(ForkBody.Typed)
    def _take(self, event: ForkBody.Typed) -> None:
        if event.path is None:
            blocks = (BlockId(event.text),) if event.text else ()
            self._read(replace(self._draft, blocks=blocks), closes=True)
            return
        try:
            edit = Edit(parse_path(event.path), event.text, as_text=True)
        except ValueError as error:
            self.say(safe_line(str(error), 600), "error")
            return
        self._read(self._draft.with_edit(edit), closes=True)

    @on(ForkBody.Wanted)
    def _change(self, event: ForkBody.Wanted) -> None:
        match event.what:
            case "answers":
                self._read(replace(self._draft, keeps_answers=not self._draft.keeps_answers))
            case "drop" if self._draft.edits:
                self._read(replace(self._draft, edits=self._draft.edits[:-1]))
            case "nothing":
                self._body.close_fields()
                self.show_keys()
                self.say(f"Nothing was changed. {self._body.hint}")
            case "copy":
                self.app.copy_to_clipboard(fork_command(self._draft))
                self.say("The command is copied.")

    def action_commit(self) -> None:
        """Go on as enter does."""
        self._body.commit()

    def action_back(self) -> None:
        """Take back one step; leave, but not with changes at one stroke."""
        if self._body.step_back():
            self.show_keys()
        elif self._draft.edits and not self._is_warned:
            self._is_warned = True
            self.say("Nothing was forked yet: esc once more leaves, and the changes are lost.", "error")
        else:
            self.dismiss(None)

    @on(Send)
    def _begin(self) -> None:
        if self.begin_sending("Forking…"):
            self._make()

    @work(group="fork")
    async def _make(self) -> None:
        draft = self._draft
        try:
            run_id = await self._call(lambda session: make_fork(session, draft))
        except TidegateError as error:
            self.gate.busy = False
            self._body.disarm()
            self.say(safe_line(str(error), 600), "error")
        else:
            self.dismiss(run_id)
