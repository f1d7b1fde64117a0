"""Lists in which rows are marked: which ones are, what that answers, and the list itself.

Where several may be marked, a mark is not the cursor: where the arrows stand says nothing about the answer. Where
one is chosen in a field among others, moving the cursor chooses it, so that no row looks chosen that is not.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets.option_list import Option as Row

from tidegate.model.prompt import ChoicePrompt
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import Choices
from tidegate.tui.dialogs.frame.prompt_text import choice_label
from tidegate.tui.numbers import choice_number, choice_row

__all__ = ["Begun", "CheckList", "MarkedList", "Marks", "marked_row"]

_ONE_DIGIT = 9
"""Up to this many rows a digit names one by itself, and marks it."""
_LETTERS = {"y": "yes", "n": "no"}
"""What chooses where nothing is asked but yes or no, as it does in the dialog that asks only that."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Which rows of a choice are marked, counted from 1. Where none may be chosen, row 0 says so."""

    prompt: ChoicePrompt
    rows: frozenset[int] = frozenset()

    @property
    def has_none(self) -> bool:
        """Whether choosing nothing is an answer, which has a row of its own then."""
        return self.prompt.multiple and self.prompt.min == 0

    def toggle(self, row: int) -> "Marks":
        """Return these with one row marked that was not, or the other way round; the only one there may be stays."""
        if row in self.rows:
            return self if not self.prompt.multiple else replace(self, rows=self.rows - {row})
        keeps = self.prompt.multiple and row != 0
        return replace(self, rows=(self.rows - {0} if keeps else frozenset()) | {row})

    def of(self, choices: Iterable[str]) -> "Marks":
        """Return these with only *choices* marked, as far as there are such."""
        known = self.prompt.choices
        return replace(self, rows=frozenset(known.index(choice) + 1 for choice in choices if choice in known))

    @property
    def chosen(self) -> list[str]:
        """What is marked, in the workflow's order."""
        return [self.prompt.choices[row - 1] for row in sorted(self.rows) if row]

    @property
    def raw(self) -> str:
        """The answer as the prompt reads it."""
        return self.prompt.spell(list(self.chosen) if self.prompt.multiple else "".join(self.chosen))

    @property
    def wanted(self) -> str:
        """How many are to be chosen."""
        fewest, most = max(self.prompt.min, 1), self.prompt.most
        if not self.prompt.multiple or fewest == most == 1:
            return "one"
        return f"{fewest}" if fewest == most else f"{fewest} to {most}"

    @property
    def count(self) -> str:
        """How many are chosen, of how many."""
        return f"{len(self.chosen)} of {self.wanted.replace(' to ', '-')} chosen"

    @property
    def problem(self) -> str:
        """Why this is no answer yet; empty: it is one."""
        number = len(self.chosen)
        if 0 in self.rows or (number and self.prompt.min <= number <= self.prompt.most):
            return ""
        said = f"{number} are chosen" if number > 1 else "one is chosen" if number else "none is chosen"
        none = ", or none of them" if self.has_none else ""
        return f"choose {self.wanted}{none}; {said}"

    @property
    def choices_words(self) -> str:
        """What is chosen, as a sentence fragment that is safe to draw; a comma of a choice divides none."""
        labels = [choice_label(choice, len(self.prompt.choices)) for choice in self.chosen]
        return ", ".join(f"'{label}'" if "," in label else label for label in labels) or "none of them"

    def number_of(self, row: int) -> str:
        """Return the number that means a row; empty if none does."""
        if row:
            return choice_number(self.prompt, row)
        return "" if "0" in self.prompt.choices else "0"

    def row_of(self, number: str) -> int | None:
        """Return the row that a number means."""
        if number == "0" and self.has_none and "0" not in self.prompt.choices:
            return 0
        return choice_row(self.prompt, number)

    def row_of_letter(self, letter: str) -> int | None:
        """Return the row that ``y`` or ``n`` means, where there are no other answers than yes and no."""
        choices = [choice.casefold() for choice in self.prompt.choices]
        is_meant = letter in _LETTERS and sorted(choices) == ["no", "yes"] and not self.prompt.multiple
        return choices.index(_LETTERS[letter]) + 1 if is_meant else None


class Begun:
    """The marks before the newest key that has set one: it may turn out to be the first of a text."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._before: Marks | None = None
        self._at = -math.inf

    def keyed(self, before: Marks) -> None:
        """Remember what was marked before a number or a letter came that marks."""
        self._before, self._at = before, events.Event().time

    def settle(self) -> None:
        """Forget it: something else has come since."""
        self._before = None

    def taken_back(self, marks: Marks) -> Marks:
        """Return what is marked once a letter follows that means nothing: whoever had paused was writing no text."""
        before, is_recent = self._before, events.Event().time - self._at < self._gate.pace.writing
        self.settle()
        return marks if before is None or not is_recent else before


def marked_row(marks: Marks, row: int, number: str, label: str) -> Content:
    """Return one line of a list: whether it is marked, its number, what it says."""
    sign = ("[x]" if marks.prompt.multiple else "(•)") if row in marks.rows else ""
    empty = "[ ]" if marks.prompt.multiple else "( )"
    return Content.assemble((sign or empty, "bold"), " ", (number, "bold"), f"  {label}")


class CheckList(Choices):
    """A list whose rows are marked by space or click."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "mark", "Mark", show=False)]

    class Toggled(Message):
        """The row under the cursor is to be marked, or not any more."""

    def action_mark(self) -> None:
        """Tell that somebody pressed space, even if there is nothing to mark."""
        self.post_message(self.Toggled())

    def on_click(self, event: events.Click) -> None:
        """Mark what was clicked, if the click counts; never take it."""
        event.prevent_default()
        row = event.style.meta.get("option")
        if self.gate.click(event.time, event.chain) and row is not None:
            self.highlighted = row
            self.action_mark()


class MarkedList(CheckList):
    """A choice as a field among others: it keeps its marks itself, and enter marks, too.

    Of one choice the cursor is the mark: arrows and numbers choose, ``y`` and ``n`` do where that is what is asked,
    and what may stay empty is emptied by backspace. Nothing is chosen by coming here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("backspace,delete", "clear", "Empty", show=False)]

    class Changed(Message):
        """Other rows are marked now."""

    def __init__(self, prompt: ChoicePrompt, gate: Gate, *, id: str | None = None) -> None:  # noqa: A002  # the toolkit's name
        super().__init__(gate, id=id)
        self.marks = Marks(prompt)
        self._digits = ""
        self._begun = Begun(gate)

    @property
    def _rows(self) -> list[int]:
        """The rows, as they stand in the list."""
        return [*range(1, len(self.marks.prompt.choices) + 1), *([0] if self.marks.has_none else [])]

    def on_mount(self) -> None:
        """Fill the list; the cursor is nowhere, but on the only one that may be chosen and is."""
        self.add_options(Row(self._row(row), id=str(row)) for row in self._rows)
        self._stand_on_marked()

    def _stand_on_marked(self) -> None:
        is_one = not self.marks.prompt.multiple and self.marks.rows
        self.highlighted = self._rows.index(min(self.marks.rows)) if is_one else None

    def _row(self, row: int) -> Content:
        choices = self.marks.prompt.choices
        width = len(str(len(choices)))
        label = choice_label(choices[row - 1], len(choices)) if row else "none of them"
        return marked_row(self.marks, row, self.marks.number_of(row).rjust(width), label)

    def on_key(self, event: events.Key) -> None:
        """Take a digit: of a short list it marks its row, in a long one it goes there. Take y and n of yes or no."""
        key = event.character or ""
        is_digit = key.isascii() and key.isdigit()
        if not is_digit:
            self._digits = ""
        if not is_digit and self.marks.row_of_letter(key) is None:
            return
        if self.gate.admits(event.time) and not self.gate.is_writing(event.key, event.time):
            event.stop()
            self.gate.press(event.key, event.time)
            before = self.marks
            self._go_to(key)
            self._begun.keyed(before)

    def _go_to(self, key: str) -> None:
        letter_row = self.marks.row_of_letter(key)
        if letter_row is not None:
            self.highlighted = self._rows.index(letter_row)
            return
        is_short = len(self.marks.prompt.choices) <= _ONE_DIGIT
        for typed in (key,) if is_short else (self._digits + key, key):
            row = self.marks.row_of(typed)
            if row is not None:
                self._digits = typed
                self.highlighted = self._rows.index(row)
                if is_short:
                    self.action_mark()
                return
        self._digits = ""

    def action_select(self) -> None:
        """Do as space does: among other fields enter takes nothing."""
        self.action_mark()

    def action_mark(self) -> None:
        """Mark the row under the cursor, or unmark it; of one choice it stays chosen."""
        if self.highlighted is not None:
            self._mark(self.marks.toggle(self._rows[self.highlighted]))

    def action_clear(self) -> None:
        """Empty a field in which one is chosen: there each other key chooses."""
        if not self.marks.prompt.multiple:
            self._mark(self.marks.of(()))
            self.highlighted = None

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Choose the row that the cursor has come to, where one is chosen."""
        super().watch_highlighted(highlighted)
        if highlighted is not None and not self.marks.prompt.multiple:
            self.action_mark()

    def take_back(self) -> bool:
        """Take back what the first letter of a text has marked; return whether it had. It tells nobody."""
        marks = self._begun.taken_back(self.marks)
        if marks == self.marks:
            return False
        self.marks = marks
        self._stand_on_marked()
        self._show()
        return True

    def _mark(self, marks: Marks) -> None:
        self._begun.settle()
        if marks != self.marks:
            self.marks = marks
            self._show()
            self.post_message(self.Changed())

    def _show(self) -> None:
        for index, row in enumerate(self._rows):
            self.replace_option_prompt_at_index(index, self._row(row))
