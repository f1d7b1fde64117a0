"""Where one types which rows are shown, and what there is to say about what was typed."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tidegate.tui.lines import Line, Piece, Tone, wrap
from tidegate.tui.query.completing import completed
from tidegate.tui.query.fields import Field, names_of
from tidegate.tui.widgets.line_view import LineView
from tidegate.tui.widgets.one_line import OneLine

__all__ = ["FilterField", "FilterNote"]

_NAME = re.compile(r"(?:^|\s)-?([a-z_]+)[:=<>]\S*$", re.IGNORECASE)
_MOST = 3
"""Lines that a note takes at most."""


class FilterField(OneLine):
    """One line of filter. Tab completes names of fields, and what they take."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete", show=False)]

    class Completing(Message):
        """What was begun may become one of several things."""

        def __init__(self, choices: tuple[str, ...]) -> None:
            super().__init__()
            self.choices = choices

    def __init__(self, fields: Sequence[Field[Any]]) -> None:
        words = "words to look for, such as " if not fields else f"words, or tests such as {fields[0].usage};"
        super().__init__(
            placeholder=f"{words} enter keeps them, esc shows all rows again",
            id="filter",
            select_on_focus=False,
        )
        # Nothing blinks: motion is for what needs a person.
        self.cursor_blink = False
        self._fields = fields

    def action_complete(self) -> None:
        """Write what is certain, and say what is not."""
        before, behind = self.value[: self.cursor_position], self.value[self.cursor_position :]
        done = completed(before, self._fields)
        if done.text != before:
            self.value = done.text + behind
            self.cursor_position = len(done.text)
        self.post_message(self.Completing(done.choices))


class FilterNote(LineView):
    """Below the field: what is wrong with the filter, or what it may be made of."""

    MARKED = False

    def __init__(self, fields: Sequence[Field[Any]]) -> None:
        super().__init__(id="filter-note")
        self._fields = fields
        self._pieces: tuple[Piece, ...] = ()

    def on_resize(self) -> None:
        """Wrap to the new width."""
        self._draw()

    def fault(self, problem: str, kept: str) -> None:
        """Say why the filter means nothing, and which one stays in force."""
        still = f" · still shown: {kept or 'all rows'}"
        self._put(Piece(f" ✗ {problem}", Tone.FAILED), Piece(still, Tone.DIM))

    def choices(self, words: Sequence[str]) -> None:
        """Say what the word under the cursor may become."""
        self._put(Piece(f" {'  '.join(words)}", Tone.ACCENT))

    def hint(self, before: str) -> None:
        """Say what can be written there, given what stands before the cursor."""
        match = _NAME.search(before)
        named = match[1].casefold() if match is not None else ""
        field = next((field for field in self._fields if named in field.names), None)
        if field is not None:
            takes = f" · {', '.join(field.choices)}" if field.choices else f" · such as {field.usage}"
            self._put(Piece(f" {field.name}", Tone.ACCENT), Piece(f": {field.help}{takes}", Tone.DIM))
        elif self._fields:
            self._put(
                Piece(" fields ", Tone.DIM),
                Piece(names_of(self._fields), Tone.ACCENT),
                Piece(' · tab completes · -x not x · "two words"', Tone.DIM),
            )
        else:
            self._put(Piece(' all the words · -x not x · "two words"', Tone.DIM))

    def _put(self, *pieces: Piece) -> None:
        self._pieces = pieces
        self._draw()

    def _draw(self) -> None:
        width = max(1, self.size.width - 1)
        lines = wrap(Line("note", self._pieces, selectable=False, indent=3), width)[:_MOST]
        self.styles.height = max(1, len(lines))
        self.show(lines)
