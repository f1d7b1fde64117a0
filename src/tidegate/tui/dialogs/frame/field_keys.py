"""What every field for text does with keys that lead out of it: copying, cutting, and the operator's own editor.

What a field holds that is a secret goes nowhere: no clipboard and no file gets it.
"""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from tidegate.model.prompt import InputKind, InputPrompt
from tidegate.model.raw_answer import MAX_ANSWER_CHARACTERS
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.words import copied_words, paste_problem
from tidegate.tui.messages import TextWanted

__all__ = ["FieldKeys", "FieldSaid", "editor_suffix"]

_NO_COPY = "A secret is not copied."
_NO_FILE = "A secret is typed here only: an editor would keep it in a file."
_SHORT = "This field takes one short value: type it here."


def editor_suffix(prompt: InputPrompt) -> str:
    """Return how a file ends that holds an answer to *prompt*; empty: it is no text that one would write there."""
    match prompt.input_type:
        case InputKind.JSON:
            return ".json"
        case InputKind.STRING:
            return ".txt"
        case _:
            return ""


class FieldSaid(Message):
    """A field has done something, or has not, and is as it was."""

    def __init__(self, words: str, *, is_problem: bool) -> None:
        """Say it; *words* are safe to draw."""
        super().__init__()
        self.words = words
        self.is_problem = is_problem


class FieldKeys(Widget):
    """A field for text, of one line or several."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f4", "write", "Editor", show=False)]
    TAKES_LINES: ClassVar[bool] = False
    """Whether it takes several lines."""

    _gate: Gate
    is_unseen = False
    """Whether nobody may see what is in it."""
    suffix = ""
    """How a file that holds its text ends; empty: what it takes is too short for an editor."""

    @property
    def text_in_it(self) -> str:
        """All of its text."""
        raise NotImplementedError

    @property
    def text_marked(self) -> str:
        """What of it is selected."""
        raise NotImplementedError

    def put_text(self, text: str) -> None:
        """Replace all of its text, so that it can be undone, and stand behind it."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let a key go on to the dialog where it has nothing to do here: cutting nothing, selecting a line."""
        if action == "select_line" or (action == "cut" and not self.text_marked):
            return False
        return super().check_action(action, parameters)

    def refuses_copy(self) -> bool:
        """Whether what is selected goes nowhere; says so."""
        if self.is_unseen and self.text_marked:
            self.post_message(FieldSaid(_NO_COPY, is_problem=True))
        return self.is_unseen

    def tell_copied(self, text: str) -> None:
        """Say what was copied."""
        self.post_message(FieldSaid(copied_words(text), is_problem=False))

    def action_write(self) -> None:
        """Open the text in the operator's own editor."""
        if self.is_unseen or not self.suffix:
            self._refuse_editor(_NO_FILE if self.is_unseen else _SHORT)
        else:
            self.post_message(
                TextWanted(self.text_in_it, self.suffix, self._take_written, self._refuse_editor)
            )

    def _take_written(self, text: str) -> None:
        self._forget_keys()
        text = text.replace("\r\n", "\n")
        problem = paste_problem(text, multiline=self.TAKES_LINES, limit=MAX_ANSWER_CHARACTERS)
        if problem:
            said = problem.replace("Not pasted", "Not taken from the editor", 1)
            self.post_message(FieldSaid(said, is_problem=True))
        elif text != self.text_in_it:
            self.put_text(text)

    def _refuse_editor(self, why: str) -> None:
        self._forget_keys()
        self.post_message(FieldSaid(why, is_problem=True))

    def _forget_keys(self) -> None:
        """Let a moment pass as when the dialog opened: the last keys of the editor may still be on their way."""
        self._gate.open(events.Event().time)
