"""Asks before a run is forked: shows what the fork will do, and lets that be changed until it is made."""

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content

from tidegate.engine.forks.edits import Edit
from tidegate.errors import TidegateError
from tidegate.history.paths import parse_path, path_text
from tidegate.model.ids import BlockId, RunId
from tidegate.model.workflow import definition_hash
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import Send
from tidegate.tui.dialogs.frame.base import Key, Tone
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.styled import content_of
from tidegate.tui.dialogs.turns.certain import CertainDialog
from tidegate.tui.dialogs.turns.fork_body import ForkBody, ForkKey
from tidegate.tui.dialogs.turns.fork_fields import Looked
from tidegate.tui.dialogs.turns.fork_looking import looked_at
from tidegate.tui.nouns.fork_draft import ForkDraft
from tidegate.tui.nouns.fork_wish import ForkWish
from tidegate.tui.present.exact import typed_value
from tidegate.tui.present.fork import (
    final_blocks,
    fork_effect,
    fork_lines,
    fork_title,
    fork_words,
    sentence,
    unknown_lines,
)
from tidegate.tui.program import PROGRAM, command_line
from tidegate.tui.reads.forking import make_fork, read_file_now, read_fork, read_further, read_ground
from tidegate.tui.session import Call

if TYPE_CHECKING:
    from tidegate.engine.forks.preview import ForkPreview
    from tidegate.tui.nouns.fork_ground import Ground

__all__ = ["ForkDialog"]

_PROBLEM = 600
"""Characters of an error."""


class ForkDialog(CertainDialog[RunId | None]):
    """Dismisses with the run that was made, or None if none was.

    Args:
        wish: What was asked for with a key.
        call: Asks the session.
        program: How to call us again for the same store.
        pace: How long keys are inert.
    """

    def __init__(self, wish: ForkWish, call: Call, *, program: str = PROGRAM, pace: Pace = PACE) -> None:
        self._wish = wish
        self._call = call
        self._program = program
        self._draft = self._asked = ForkDraft(wish.point, blocks=wish.blocks)
        """What is shown; and what was asked for last, which may still be being read: keys change that."""
        self._awaits_file = False
        """Whether the file as it is now was asked for, and is not read yet."""
        self._preview: ForkPreview | None = None
        self._problem = ""
        """Why it is not known what it does; empty: that is still to be worked out."""
        self._ground: Ground | None = None
        self._is_warned = self._is_armed = False
        self._unwarned = ""
        """What was said before it was warned that something would be lost."""
        super().__init__(wish.point.run_id, pace=pace)
        self._body = self._form = ForkBody(self.gate)
        self._form.look = self._look
        self._form.hear(self._forget_warning)
        self.add_class("-fork")

    @property
    def is_unsent(self) -> bool:
        """Whether something was changed or typed in a fork that is not made yet."""
        return bool(self._asked.edits) or self._form.is_touched

    # -- what it says -------------------------------------------------------------------------

    def prompt_content(self) -> Content:
        """Return what the fork will do."""
        ground = self._ground
        if ground is None or (self._preview is None and not self._problem):
            return Content("Working out what it would do…")
        if self._preview is None:
            return content_of(unknown_lines(self._draft, ground, self._problem, self._command))
        return content_of(fork_lines(self._draft, self._preview, ground, self._command))

    @property
    def _command(self) -> str:
        return command_line(self._program, *fork_words(self._draft))

    def header_text(self) -> str:
        """Return what is forked, and where."""
        return fork_title(self._draft, self._preview)

    def compose_body(self) -> ComposeResult:
        """Show what can be done, and what is typed before what cannot be undone."""
        yield self._form
        yield self.certainty

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        if self._wish.is_editing:
            return [("esc", "no: make none")]
        return [*self._form.keys(), ("esc", "back" if self._form.is_typing else "no: make none")]

    def on_mount(self) -> None:
        """Begin to work out what it would do; the toolkit calls that of the base, too."""
        self.fit_box(roomy=self.has_class("-box"), brief=False)
        self._want(self._asked)

    def armed(self) -> None:
        """Take keys."""
        self._is_armed = True
        self._form.begin()
        if self._wish.is_editing:
            # The field is still to come: no key is meant for what is under it.
            self.gate.close()
        else:
            self._form.remind()
        self._begin_editing()

    # -- working it out -----------------------------------------------------------------------

    def _want(self, draft: ForkDraft, *, closes: bool = False) -> None:
        """Show what *draft* would do; what cannot be done is refused, and what was before it stays."""
        # At once: a key that comes before it is read changes this one.
        self._asked = draft
        self._form.offer(None)
        self._read(closes=closes)

    @work(group="prospect", exclusive=True)
    async def _read(self, *, closes: bool) -> None:
        try:
            if self._ground is None:
                point = self._asked.point
                self._ground = await self._call(lambda session: read_ground(session, point))
            without = await self._add_file(self._ground) if self._awaits_file else None
            draft = self._asked
            preview = await self._call(lambda session: read_fork(session, draft))
        except TidegateError as error:
            self._refuse(safe_line(str(error), _PROBLEM), closes=closes)
            return
        self._take_in(draft, preview)
        if closes:
            self._form.close_fields()
        self._show()
        self._begin_editing()
        if without is not None:
            self._form.tell(*without)

    async def _add_file(self, ground: "Ground") -> tuple[str, Tone] | None:
        """Ask for the workflow's file as it is at this moment; return why that cannot be, to be said, or None."""
        state = ground.state
        try:
            file = await self._call(lambda _: read_file_now(state))
        except TidegateError as error:
            self._awaits_file = False
            return safe_line(sentence(str(error)), _PROBLEM), "error"
        self._awaits_file = False
        if definition_hash(file.definition) == definition_hash(state.graph.definition):
            return "The workflow's file says what the run has: nothing would be other.", "hint"
        self._asked = replace(self._asked, file=file)
        return None

    def _suggest(self) -> None:
        """Offer what stands there, and the blocks of runs below that the fork would go on with, however deep."""
        if (ground := self._ground) is not None:
            leaves = self._preview.leaves() if self._preview is not None else ()
            self._form.suggest(
                ground.paths, tuple(dict.fromkeys([*ground.places, *(it.name for it in leaves)]))
            )

    def _take_in(self, draft: ForkDraft, preview: "ForkPreview | None", problem: str = "") -> None:
        self._draft, self._preview, self._problem = draft, preview, problem
        self._suggest()
        self._is_warned = False
        if not self.final_of(""):
            self.certainty.display = False
        self._offer()

    def _refuse(self, problem: str, *, closes: bool) -> None:
        """Say why something cannot be done. A file that takes other inputs is kept, so that these can be given."""
        draft = self._asked
        is_kept = draft.file is not None and (self._preview is None or self._draft.file is None)
        if is_kept or self._preview is None:
            self._take_in(draft, None, problem)
            if closes and is_kept:
                self._form.close_fields()
            self._show()
        self._asked, self._awaits_file = self._draft, False
        self._offer()
        self._form.fail(problem)
        if self._ground is None:
            # There is no field to come: whoever wants to leave must not wait for it.
            self._take_keys()
        else:
            self._begin_editing()

    def _take_keys(self) -> None:
        self._wish = replace(self._wish, is_editing=False)
        self.gate.open(events.Event().time)
        self.show_keys()

    def _offer(self) -> None:
        preview, draft = self._preview, self._draft
        # It works always, and is named where it makes a difference.
        has_other = self._ground is not None and self._ground.has_other_file
        file = "former file" if draft.file is not None else "file as it is now" if has_other else ""
        answers = "ask again" if draft.keeps_answers else "keep answers"
        asks = preview is not None and bool(preview.questions)
        self._form.allow(answers=answers if asks else "", file=file, is_changed=bool(draft.edits))
        if preview is not None:
            self._form.offer(fork_effect(preview), is_real=bool(preview.effects))

    def _show(self) -> None:
        self.question.update(self.prompt_content())
        self._show_header()
        self.show_keys()

    # -- what is changed ----------------------------------------------------------------------

    def _begin_editing(self) -> None:
        """Begin with what shall be changed, once that can be typed and what stands there is known."""
        if not self._is_armed or self._ground is None or not self._wish.is_editing:
            return
        path, ground = self._wish.edits, self._now(self._ground)
        if problem := ground.problem_at(path, self._preview) if path else "":
            self._form.open_edit(ground.start_at(path))
            self._form.tell(sentence(problem))
        else:
            self._form.open_edit(path_text(path), is_whole=bool(path))
        self._take_keys()

    def _now(self, ground: "Ground") -> "Ground":
        return ground.with_definition(self._draft.workflow)

    def _look(self, typed: str) -> Looked:
        """Return what stands at a path that was typed, as far as that is known at once."""
        try:
            path = parse_path(typed)
        except ValueError as error:
            return Looked(problem=safe_line(str(error), _PROBLEM))
        if self._ground is None:
            return Looked(problem="What stands there is not known yet.")
        return looked_at(self._now(self._ground), self._preview, path)

    @on(ForkBody.Settled)
    @work(group="inside", exclusive=True)
    async def _look_inside(self, event: ForkBody.Settled) -> None:
        """Show what stands in a large value, or in a run below, once that is read."""
        path = parse_path(event.path)
        if self._ground is None:
            return
        ground = self._now(self._ground)
        if not ground.leads_below(path) and not ground.present_at(path).inner:
            return
        try:
            found = await self._call(lambda session: read_further(session, self._draft.point, ground, path))
        except TidegateError as error:
            self._form.fail(safe_line(str(error), _PROBLEM))
            return
        self._form.show_value(event.path, looked_at(ground, self._preview, path, found))

    @on(ForkBody.Typed)
    def _take(self, event: ForkBody.Typed) -> None:
        if event.path is None:
            blocks = (BlockId(event.text),) if event.text else ()
            self._want(replace(self._asked, blocks=blocks), closes=True)
            return
        try:
            value, as_text = typed_value(event.text, is_quoted=event.is_quoted)
            edit = Edit(parse_path(event.path), value, as_text=as_text)
        except ValueError as error:
            self._form.fail(safe_line(str(error), _PROBLEM))
            return
        self._want(self._asked.with_edit(edit), closes=True)

    @on(ForkBody.Wanted)
    def _change(self, event: ForkBody.Wanted) -> None:
        asked = self._asked
        match event.key:
            case ForkKey.ANSWERS:
                self._want(replace(asked, keeps_answers=not asked.keeps_answers))
            case ForkKey.DROP if asked.edits:
                self._want(replace(asked, edits=asked.edits[:-1]))
            case ForkKey.FILE:
                self._awaits_file = asked.file is None and not self._awaits_file
                self._want(replace(asked, file=None))
            case ForkKey.FIELDS:
                self.show_keys()
            case ForkKey.NOTHING:
                self._form.close_fields()
                self.show_keys()
                self._form.tell(f"Nothing was changed. {self._form.hint}")
            case ForkKey.COPY:
                self.app.copy_to_clipboard(self._command)
                self.say("The command is copied.")

    # -- leaving ------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Take a warning back with any key but the one that it is about."""
        if event.key != "escape":
            self._forget_warning()

    def action_commit(self) -> None:
        """Go on as enter does."""
        self._form.commit()

    def action_back(self) -> None:
        """Take back one step; but nothing that was typed or changed is lost at one stroke."""
        if self.leave_certainty():
            return
        if not self._is_warned and (loss := self._loss):
            self._is_warned, self._unwarned = True, self._sentence
            self.say(loss, "error")
            return
        self._is_warned = False
        if self._form.step_back():
            self.show_keys()
        else:
            self.dismiss(None)

    @property
    def _loss(self) -> str:
        """What escape would lose, as a sentence; empty: nothing."""
        if self._form.is_typing:
            return "It is not taken yet: esc once more drops what you typed." if self._form.is_touched else ""
        if self._form.option is None and self._asked.edits:
            return "Nothing was forked yet: esc once more leaves, and the changes are lost."
        return ""

    def _forget_warning(self) -> None:
        if self._is_warned:
            self._is_warned = False
            self.say(self._unwarned)

    # -- making it ----------------------------------------------------------------------------

    def final_of(self, raw: str) -> str:
        """Return what the fork does and cannot be undone."""
        del raw
        return final_blocks(self._preview) if self._preview is not None else ""

    @on(Send)
    def _begin(self, event: Send) -> None:
        if self.is_certain(event.raw) and self.begin_sending("Forking…"):
            self._make()

    @work(group="fork")
    async def _make(self) -> None:
        draft = self._draft
        try:
            run_id = await self._call(lambda session: make_fork(session, draft))
        except TidegateError as error:
            self.gate.busy = False
            self._form.fail(f"Not forked: {safe_line(str(error), _PROBLEM)}")
        else:
            self.dismiss(run_id)
