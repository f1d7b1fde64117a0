"""What answering one question and answering several have in common: the body, the comment, the way back."""

from typing import TypeVar

from textual import on
from textual.widgets import Button, Input

from tidegate.tui.dialogs.base import Dialog
from tidegate.tui.dialogs.body import Body
from tidegate.tui.dialogs.comment import CommentField

__all__ = ["AnsweringDialog"]

ResultT = TypeVar("ResultT")


class AnsweringDialog(Dialog[ResultT]):
    """A dialog with an answer and a comment to it."""

    _body: Body
    _comment: CommentField
    _is_over = False
    """Whether nothing can be answered here any more."""

    def leave(self) -> None:
        """End the dialog without another answer."""
        raise NotImplementedError

    def step_back(self) -> bool:
        """Take back one step of the answer; return whether there was one."""
        return self._body.step_back()

    def action_comment(self) -> None:
        """Go to the comment, or back from it."""
        if self._is_over:
            return
        self.add_class("-crowded")
        if self._comment.has_focus:
            self.leave_comment()
        else:
            self._comment.ask()

    @on(Input.Submitted, "#comment")
    def leave_comment(self) -> None:
        """Go back to the answer; enter in a comment sends nothing."""
        self._body.begin()
        self._body.remind()

    def action_commit(self) -> None:
        """Send, or arm what is chosen."""
        if not self._is_over:
            self._body.commit()

    def action_back(self) -> None:
        """Take back one step, or leave without an answer."""
        if self._is_over:
            self.leave()
        elif self._comment.has_focus:
            self.set_class(self._comment.put_away(), "-crowded")
            self.leave_comment()
        elif not self.step_back():
            self.leave()

    @on(Button.Pressed, "#close")
    def close_by_button(self) -> None:
        """Leave what is over."""
        self.leave()
