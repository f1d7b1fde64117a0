"""One of a list: the options of a choice, and what may be done with a block that was interrupted."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option as Row

from tidegate.model.prompt import ChoicePrompt
from tidegate.tui.dialogs.bodies.body import ArmedBody, Option
from tidegate.tui.dialogs.frame.base import Key, Say
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import Choices, LineField
from tidegate.tui.dialogs.frame.prompt_text import choice_label
from tidegate.tui.numbers import choice_number, choice_row

__all__ = ["WITHOUT_FILTER", "ChoiceBody", "OptionsBody"]

WITHOUT_FILTER = 9
"""Up to this many options one digit names each."""


class OptionsBody(ArmedBody):
    """A numbered list. A number or the arrows stand on an option, enter arms it, enter sends it."""

    nothing_chosen = "Nothing is chosen yet: press a number or an arrow, then enter."

    def __init__(self, options: Sequence[Option], gate: Gate) -> None:
        super().__init__(gate)
        self.options = tuple(options)
        self.list = Choices(gate, id="choices")
        self._digits = ""

    def compose(self) -> ComposeResult:
        """Show the list."""
        yield self.list

    def on_mount(self) -> None:
        """Fill the list; nothing in it is highlighted."""
        self.show_rows("")

    def show_rows(self, wanted: str) -> None:
        """List the options that contain *wanted*, each with the number it always has."""
        self.disarm()
        self.list.clear_options()
        width = len(str(len(self.options)))
        self.list.add_options(
            Row(self.row(option, self.number_of(number).rjust(width)), id=str(number))
            for number, option in enumerate(self.options, start=1)
            # The label of a long choice is only its beginning.
            if wanted.casefold() in option.label.casefold() or wanted.casefold() in option.raw.casefold()
        )
        self.list.highlighted = None

    def number_of(self, row: int) -> str:
        """Return the number that means this row, counted from 1; empty if none does."""
        return str(row)

    def row_of(self, number: str) -> int | None:
        """Return the row that a number means, counted from 1."""
        return int(number) if 1 <= int(number) <= len(self.options) else None

    def row(self, option: Option, number: str) -> Content:
        """Return one line of the list."""
        return Content.assemble((number, "bold"), f"  {option.label}")

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return [(f"1-{len(self.options)}", "choose"), ("enter", "take, then send")]

    def begin(self) -> None:
        """Take keys; nothing is highlighted."""
        self.list.focus()

    def listed(self) -> Sequence[Option]:
        """Return all options."""
        return self.options

    def highlighted(self) -> Option | None:
        """Return what the arrows stand on."""
        row = self.list.highlighted_option
        return self.options[int(row.id) - 1] if row is not None and row.id else None

    def on_key(self, event: events.Key) -> None:
        """Collect digits to a number; any other key ends it."""
        digit = event.character or ""
        if not (digit.isascii() and digit.isdigit()) or not self.list.has_focus:
            self._digits = ""
        elif self.gate.admits(event.time) and not self.gate.is_writing(event.key, event.time):
            event.stop()
            self.gate.press(event.key, event.time)
            self.stand_on_number(digit)

    def strayed(self) -> None:
        """Stand on no option."""
        super().strayed()
        self._digits = ""
        self.list.highlighted = None

    def stand_on_number(self, digit: str) -> None:
        """Stand on the option with the number typed so far, or begin a new number."""
        ids = {row.id: index for index, row in enumerate(self.list.options)}
        for typed in (self._digits + digit, digit):
            row = self.row_of(typed)
            if row is not None and str(row) in ids:
                self._digits = typed
                self.list.highlighted = ids[str(row)]
                return
        self._digits = ""
        self.post_message(Say(f"There is no option {digit} here.", "error"))

    @on(OptionList.OptionHighlighted)
    def show_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the option under the cursor does; whatever else was armed is not any more."""
        event.stop()
        option = self.highlighted()
        if option is None or option == self.option:
            return
        self.disarm()
        self.post_message(Say(self.standing_on(option)))

    def standing_on(self, option: Option) -> str:
        """Return what can be done with the option under the cursor."""
        return f"{option.label}: enter takes it. {self.effect_of(option)}".rstrip()

    @on(Choices.Entered)
    def take_highlighted(self, event: Choices.Entered) -> None:
        """Arm an option by enter or click, or send it if it is armed."""
        event.stop()
        self.enter()

    def enter(self) -> None:
        """Do what enter in the list does."""
        self.commit()


class ChoiceBody(OptionsBody):
    """A choice of the workflow's author; with many options, a filter."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("slash", "filter", "Filter")]

    def __init__(self, prompt: ChoicePrompt, gate: Gate) -> None:
        count = len(prompt.choices)
        super().__init__([Option(choice, choice_label(choice, count)) for choice in prompt.choices], gate)
        self._prompt = prompt
        self.hint = "A number or an arrow chooses; enter takes it, a second enter sends it."
        self._filter = LineField(gate, id="filter")

    def compose(self) -> ComposeResult:
        """Show the list, and the filter above it once somebody asks for it."""
        self._filter.display = False
        self._filter.placeholder = "only options that contain ..."
        yield self._filter
        yield self.list

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return [*super().keys(), *([("/", "filter")] if self._has_filter else [])]

    def number_of(self, row: int) -> str:
        """Return the number of a row, unless it means another choice, whose text it is."""
        return choice_number(self._prompt, row)

    def row_of(self, number: str) -> int | None:
        """Return the row of the choice that a number means: what it would mean on the command line."""
        return choice_row(self._prompt, number)

    @property
    def _has_filter(self) -> bool:
        return len(self.options) > WITHOUT_FILTER

    def action_filter(self) -> None:
        """Type what the options must contain."""
        if self._has_filter:
            self._filter.display = True
            self.screen.add_class("-crowded")
            self._filter.focus()

    def step_back(self) -> bool:
        """Disarm, or put the filter away."""
        if super().step_back():
            return True
        if not self._filter.display:
            return False
        self._filter.value = ""
        self._filter.display = False
        self.screen.remove_class("-crowded")
        self.show_rows("")
        self.begin()
        return True

    def commit(self) -> None:
        """Go on from the filter to the list, or do what the list does."""
        if self.is_filtering:
            self.begin()
        else:
            super().commit()

    @property
    def is_filtering(self) -> bool:
        """Whether keys go into the filter."""
        return self._filter.has_focus

    @on(Input.Changed, "#filter")
    def apply_filter(self, event: Input.Changed) -> None:
        """List what contains the filter."""
        event.stop()
        self.show_rows(event.value)
        if not self.list.option_count:
            self.post_message(Say("No option contains that.", "error"))

    @on(Input.Submitted, "#filter")
    def leave_filter(self, event: Input.Submitted) -> None:
        """Go on to the list; enter in the filter takes nothing."""
        event.stop()
        self.begin()
