"""What answering one question and answering several have in common: the body, the comment, the way back."""

from typing import ClassVar, TypeVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widgets import Button, Input

from tidegate.errors import InvalidAnswer
from tidegate.model.prompt import Prompt, check_comment
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import ArmedBody, Body
from tidegate.tui.dialogs.frame.base import Dialog, Key, Say
from tidegate.tui.dialogs.frame.certainty import CertaintyField, Proof
from tidegate.tui.dialogs.frame.comment import CommentField
from tidegate.tui.dialogs.frame.words import RUNS_ON, WRITING

__all__ = ["AnsweringDialog"]

ResultT = TypeVar("ResultT")


class AnsweringDialog(Dialog[ResultT]):
    """A dialog with an answer and a comment to it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f4", "write", "Editor")]

    _body: Body
    _comment: CommentField
    _certainty: CertaintyField
    _is_over = False
    """Whether nothing can be answered here any more."""
    _wants_comment = False
    """Whether somebody asked for the comment before keys counted."""
    _early_words = ""
    """What was typed for it before keys counted."""

    def leave(self) -> None:
        """End the dialog without another answer."""
        raise NotImplementedError

    def begin(self) -> None:
        """Let keys count; a comment that was asked for before comes first."""
        super().begin()
        if self._wants_comment:
            self.action_comment()
        self._put_early_words()

    @property
    def begins_with_comment(self) -> bool:
        """Whether text is what is typed first: then no letter of it is lost, however early it comes."""
        return self._wants_comment

    def pressed_early(self, event: events.Key) -> None:
        """Keep in mind that a comment is to be written, and what is typed next: it is meant for it."""
        self._wants_comment = self._wants_comment or event.key == "ctrl+t"
        if self.begins_with_comment and event.is_printable and not self.gate.busy:
            self._early_words += event.character or ""

    def _put_early_words(self) -> None:
        # One character, or always the same one, is the key that led here, held or pressed again.
        if self._comment.display and len(set(self._early_words)) > 1:
            self._comment.put_text(self._comment.value + self._early_words)
            self.gate.runs_on = True
        self._early_words = ""

    def strayed(self) -> None:
        """Take back what is armed and chosen: whoever writes a text answers nothing with its letters."""
        self._body.strayed()
        if not self._is_over:
            # By the same way as what disarming says, so that it comes after it.
            self._body.post_message(Say(f"{WRITING} ctrl+t begins a comment.", "error"))

    def looked_away(self) -> None:
        """Take back what is armed."""
        if isinstance(self._body, ArmedBody):
            self._body.disarm()

    def came_back(self) -> None:
        """Take back what is armed, and say so."""
        if isinstance(self._body, ArmedBody) and not self._is_over:
            self._body.came_back()

    def step_back(self) -> bool:
        """Take back one step of the answer; return whether there was one."""
        return self._body.step_back()

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _show_what_keys_do(self, event: events.DescendantFocus | events.DescendantBlur) -> None:
        if event.widget is self._comment:
            self.show_keys()

    def comment_keys(self) -> list[Key]:
        """Return the keys that work while the comment is typed, where letters answer nothing; elsewhere none."""
        if self._is_over or not self._comment.has_focus:
            return []
        return [("ctrl+s", "send"), ("enter", "to the answer"), ("f4", "editor"), ("esc", "back")]

    def action_comment(self) -> None:
        """Go to the comment, or back from it once something is typed."""
        if self._is_over:
            return
        self.add_class("-crowded")
        if self._comment.has_focus and self._comment.value:
            self.leave_comment()
        else:
            self._comment.ask()
            # Once the cursor is there: other keys send from there.
            self.call_later(self._body.remind)

    @property
    def asked_prompt(self) -> Prompt:
        """What is asked."""
        raise NotImplementedError

    def final_of(self, raw: str) -> str:
        """Return what an answer leads to and cannot be undone, as far as it is known, safe to draw; empty: nothing."""
        raise NotImplementedError

    @property
    def proof(self) -> Proof:
        """What has to be typed before such an answer is sent."""
        raise NotImplementedError

    def wishes(self, raw: str) -> list[str]:
        """Return what an armed answer still needs, before it is refused for the lack of it."""
        return [self._comment_wish(raw), self._certainty.wish(self.final_of(raw), self.proof)]

    def _comment_wish(self, raw: str) -> str:
        prompt = self.asked_prompt
        try:
            value = prompt.parse(raw)
        except InvalidAnswer:
            return ""
        try:
            check_comment(prompt, value, self._comment.value)
        except InvalidAnswer as error:
            where = "" if self._comment.has_focus else " (ctrl+t)"
            return f"First{where}: {safe_line(error.rule, 200)}."
        return ""

    def want_comment(self, error: InvalidAnswer) -> None:
        """Ask for the comment that the answer needs."""
        self.add_class("-crowded")
        self._comment.refuse()
        self.say(f"Not sent: {safe_line(error.rule, 300)}. Enter goes back to the answer.", "error")

    def is_certain_of(self, final: str) -> bool:
        """Return whether an answer may be sent that leads to *final*, safe to draw; if not, ask for what is still to be typed."""
        refusal = self._certainty.refusal(
            final, self.proof, undone="Not sent", then="enter then goes back to the answer"
        )
        if refusal:
            self.add_class("-crowded")
            self.say(refusal, "error")
        return not refusal

    @on(Input.Submitted, "#comment,#certainty")
    def leave_comment_by_enter(self, event: Input.Submitted) -> None:
        """Go back to the answer; enter beside it sends nothing, nor does what follows it in a paste, or in a text."""
        if self.gate.is_pasted:
            self.remark("That enter came out of a paste.")
        elif event.input is not self._comment:
            # Nobody types the id that is asked for by accident.
            self.leave_comment()
        elif self.gate.runs_on:
            self.remark(f"{RUNS_ON}: ctrl+s goes on, esc goes back.")
        else:
            self.gate.left_field()
            self.leave_comment()

    def leave_comment(self) -> None:
        """Go back to the answer."""
        self._body.begin_again()

    def action_write(self) -> None:
        """Say where an editor can be opened: in a field, which takes this key itself."""
        if not self._is_over:
            self.remark("f4 opens your editor where text is typed; ctrl+t begins a comment.")

    def action_commit(self) -> None:
        """Send, or arm what is chosen."""
        if not self._is_over:
            self._body.commit()

    def action_back(self) -> None:
        """Take back one step, or leave without an answer."""
        if self._is_over:
            self.leave()
        elif self._certainty.has_focus:
            self.leave_comment()
        elif self._comment.has_focus:
            self.set_class(self._comment.put_away(), "-crowded")
            self.leave_comment()
        elif not self.step_back():
            self.leave()

    @on(Button.Pressed, "#close")
    def close_by_button(self) -> None:
        """Leave what is over."""
        self.leave()
