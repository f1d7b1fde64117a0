"""Several of a list: space or a number marks, enter arms what is marked, a second enter sends it."""

import json

from textual import on
from textual.content import Content

from tidegate.model.prompt import ChoicePrompt
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import Body, Option
from tidegate.tui.dialogs.bodies.foresight import Answers
from tidegate.tui.dialogs.bodies.options import WITHOUT_FILTER, ChoiceBody
from tidegate.tui.dialogs.frame.base import Key, Say
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.marks import Begun, CheckList, Marks, marked_row

__all__ = ["SeveralBody"]

_NONE = Option("", "none of them")
_SHOWN = 240
"""Characters of what is chosen, in the sentence that asks for the second press."""


class SeveralBody(ChoiceBody):
    """A choice of several."""

    nothing_chosen = "Nothing is chosen yet: space or a number chooses, then enter."

    def __init__(self, prompt: ChoicePrompt, gate: Gate, draft: str = "") -> None:
        super().__init__(prompt, gate)
        self._marks = Marks(prompt).of(_choices_in(draft))
        self._start = self._marks
        self._begun = Begun(gate)
        self._touched = False
        self.list = CheckList(gate, id="choices")
        if self._marks.has_none:
            self.options = (*self.options, _NONE)
        chooses = "Space or a number" if self._is_short else "Space"
        self.hint = f"{chooses} chooses {self._marks.wanted}; enter goes on, a second enter sends."
        if self._marks.rows:
            self.hint = f"Your draft is back: {self._marks.count}. {self.hint}"

    def on_mount(self) -> None:
        """Say how many are asked for."""
        self._show_count()

    def answers(self) -> Answers:
        """Return that any of them may be chosen: there are too many sets."""
        return Body.answers(self)

    @property
    def draft(self) -> str:
        """What is marked."""
        return json.dumps(self._marks.chosen) if self._marks.rows else ""

    @property
    def _is_short(self) -> bool:
        return len(self._marks.prompt.choices) <= WITHOUT_FILTER

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        digits = f"1-{len(self._marks.prompt.choices)}"
        chooses = f"space {digits}" if self._is_short else "space"
        return [(chooses, "choose"), ("enter", "go on, then send"), *super().keys()[2:]]

    # -- rows ---------------------------------------------------------------------------------

    def _mark_of(self, row: int) -> int:
        """Return the number in `Marks` of a row of the list, which counts from 1."""
        return row if row <= len(self._marks.prompt.choices) else 0

    def number_of(self, row: int) -> str:
        """Return the number that means a row."""
        return self._marks.number_of(self._mark_of(row))

    def row_of(self, number: str) -> int | None:
        """Return the row that a number means, counted from 1."""
        row = self._marks.row_of(number)
        return len(self.options) if row == 0 else row

    def row(self, option: Option, number: str) -> Content:
        """Return one line of the list."""
        place = self._mark_of(self.options.index(option) + 1)
        return marked_row(self._marks, place, number, option.label)

    def standing_on(self, option: Option) -> str:
        """Return what can be done with the row under the cursor."""
        place = self._mark_of(self.options.index(option) + 1)
        verb = "space takes it back" if place in self._marks.rows else "space chooses it"
        return f"{option.label}: {verb}. {self._state_words()}"

    def _state_words(self) -> str:
        """Return how many are chosen, and what enter does with them."""
        ready = "enter sends it" if len(self._marks.rows) == 1 else "enter sends them"
        return f"{self._marks.count}: {self._marks.problem or ready}."

    # -- marking ------------------------------------------------------------------------------

    @on(CheckList.Toggled)
    def toggle_highlighted(self, event: CheckList.Toggled) -> None:
        """Mark the row under the cursor, or unmark it."""
        event.stop()
        option = self.highlighted()
        if option is None:
            self.post_message(Say("The cursor is on no option yet: press an arrow or a number.", "error"))
        else:
            self._toggle(option)

    def stand_on_number(self, digit: str) -> None:
        """Stand on the option with that number; of a few options, mark it as well."""
        super().stand_on_number(digit)
        before = self._marks
        option = self.highlighted()
        if self._is_short and option is not None and self.row_of(digit) == self.options.index(option) + 1:
            self._toggle(option)
            self._begun.keyed(before)

    def strayed(self) -> None:
        """Take back the mark of a number with which a text began; one that was set before that stays."""
        super().strayed()
        marks = self._begun.taken_back(self._marks)
        if marks != self._marks:
            self._set_marks(marks)

    def _toggle(self, option: Option) -> None:
        self._touched = True
        self.disarm()
        self._set_marks(self._marks.toggle(self._mark_of(self.options.index(option) + 1)))
        self.post_message(Say(self.standing_on(option)))

    def _set_marks(self, marks: Marks) -> None:
        self._marks = marks
        self._begun.settle()
        self._refresh_rows()
        self._show_count()

    def _refresh_rows(self) -> None:
        width = len(str(len(self.options)))
        for index, shown in enumerate(self.list.options):
            row = int(shown.id or 0)
            line = self.row(self.options[row - 1], self.number_of(row).rjust(width))
            self.list.replace_option_prompt_at_index(index, line)

    def _show_count(self) -> None:
        self.list.border_title = self._marks.count

    # -- sending ------------------------------------------------------------------------------

    def enter(self) -> None:
        """Arm or send what somebody has marked here."""
        if self._touched or not self._start.rows or self.option is not None:
            self.commit()
        else:
            self.post_message(Say("Nothing was changed since this opened: ctrl+s sends the draft.", "error"))

    def commit(self) -> None:
        """Go on from the filter to the list; else arm what is marked, or send it."""
        if self.is_filtering:
            self.begin()
        elif not self._marks.rows:
            self.post_message(Say(self.nothing_chosen, "error"))
        elif self._marks.problem:
            self.post_message(Say(f"Not sent: {self._marks.problem}.", "error"))
        else:
            self.take(self._answer())

    def _answer(self) -> Option:
        number = len(self._marks.chosen)
        said = safe_line(self._marks.choices_words, _SHOWN)
        return Option(self._marks.raw, f"{number} chosen: {said}" if number else said)


def _choices_in(draft: str) -> list[str]:
    """Return the choices of a draft, which came from here."""
    return [str(choice) for choice in json.loads(draft)] if draft else []
