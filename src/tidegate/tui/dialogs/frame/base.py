"""The one base of all dialogs: what a question looks like, and when a key counts.

Owns the frame (header, prompt, status bar, keys) and the safety rules that all dialogs share: nothing
counts in the first moments, nothing is focused then, escape never answers, and a click beside the
dialog does nothing. What is asked, and what sends it, is the business of each dialog.
"""

import math
from typing import ClassVar, Literal, TypeAlias, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tidegate.tui.dialogs.frame.field_keys import FieldSaid
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.gated import GatedScreen
from tidegate.tui.dialogs.frame.parts import PasteRefused, PromptPane, Readable
from tidegate.tui.dialogs.frame.words import (
    COMMON_KEYS,
    KEY_SENTENCES,
    copied_words,
    cut_to_rows,
    fit_keys,
    unread_words,
)
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.room import LEAST

__all__ = ["BRIEF", "Dialog", "Key", "Say", "Tone"]

ResultT = TypeVar("ResultT")

Key: TypeAlias = tuple[str, str]
"""A key as a person calls it, and what it does."""

Tone: TypeAlias = Literal["hint", "armed", "go", "stop", "error", "busy", "done"]
"""How a sentence in the status bar is meant; the style sheet knows what each looks like."""

_ROOMY = (100, 30)
"""Columns and rows from which a dialog is a box in front of the screen, not all of it."""
_SHORT = 24
"""Rows below which each one counts."""
_WORD = 10
"""Cells at the end of a line that a long word may leave free."""
_BOX_TEXT = 92
"""Cells of the prompt's lines in a box."""
_FRAME = 8
"""Cells that are beside it."""
BRIEF = 9
"""Lines up to which a box is only as high as what is in it."""
_INERT = "Keys arm in a moment ..."


class Say(Message):
    """A sentence for the status bar. The text is safe to draw."""

    def __init__(self, text: str, tone: Tone = "hint") -> None:
        super().__init__()
        self.text = text
        self.tone: Tone = tone


class Dialog(GatedScreen[ResultT]):
    """A question in front of everything else."""

    AUTO_FOCUS = ""
    CSS_PATH = style_sheet("dialogs")
    SMALL_ACTIONS: ClassVar[frozenset[str]] = frozenset({"back"})
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (LEAST[0], "-narrow"), (60, "-medium"), (_ROOMY[0], "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (_SHORT, "-normal"), (_ROOMY[1], "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        # Priority: fields scroll or move by some of these keys themselves.
        Binding("ctrl+up", "read(-1)", "Read back", show=False, priority=True),
        Binding("ctrl+down", "read(1)", "Read on", show=False, priority=True),
        Binding("ctrl+pageup", "read_page(-1)", "Page back", show=False, priority=True),
        Binding("ctrl+pagedown", "read_page(1)", "Page on", show=False, priority=True),
        Binding("ctrl+s", "commit", "Send"),
        Binding("escape", "back", "Later"),
        Binding("f1,question_mark", "keys", "Keys", show=False),
    ]

    def __init__(self, *, pace: Pace = PACE) -> None:
        super().__init__(pace)
        self.question = PromptPane(self.prompt_content())
        self.pane: Readable = self.question
        """What the reading keys scroll."""
        self._header = Static(id="dialog-header", markup=False)
        self._due = Static(id="dialog-due", markup=False)
        self._unread = Static(id="dialog-unread", markup=False)
        self._bar = Static(id="dialog-bar", markup=False)
        self._keys = Static(id="dialog-keys", markup=False)
        self._small = Static(id="dialog-small", markup=False)
        self._sentence = ""

    # -- what each dialog says ----------------------------------------------------------------

    def prompt_content(self) -> Content:
        """Return what is asked, all of it."""
        raise NotImplementedError

    def header_text(self) -> str:
        """Return what the question is about, safe to draw."""
        raise NotImplementedError

    def compose_reading(self) -> ComposeResult:
        """Yield what is read before it is answered."""
        yield self.question

    def compose_body(self) -> ComposeResult:
        """Yield what the question is answered with."""
        raise NotImplementedError

    def keys(self) -> list[Key]:
        """Return the keys that work now, the way out last."""
        raise NotImplementedError

    def all_keys(self) -> list[Key]:
        """Return every key that works now, also those that no bar has room for, the way out last."""
        *own, out = self.keys()
        named = {key for key, _ in own}
        others = [key for key in COMMON_KEYS if key[0] not in named]
        return [(key, KEY_SENTENCES.get((key, what), what)) for key, what in (*own, *others, out)]

    def armed(self) -> None:
        """Begin: keys count from now on. Focus what may be focused, and say what to do."""
        raise NotImplementedError

    def due(self) -> tuple[str, str]:
        """Return the deadline in words, and how urgent it is as a class; empty if there is none."""
        return "", ""

    def action_commit(self) -> None:
        """Send what is chosen or typed."""
        raise NotImplementedError

    def action_back(self) -> None:
        """Go one step back, or leave without an answer."""
        raise NotImplementedError

    # -- the frame ----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Lay the dialog out from top to bottom."""
        with Vertical(id="dialog"):
            yield self._header
            yield self._due
            yield from self.compose_reading()
            yield self._unread
            yield from self.compose_body()
            yield self._bar
            yield self._keys
        yield self._small

    def on_mount(self) -> None:
        """Show everything, and let nothing count yet."""
        self._show_header()
        self.say(_INERT)
        self.show_due()
        self.set_interval(1, self.show_due)
        # The inert time begins when the question can be read, not when it was asked for.
        self.call_after_refresh(self._drawn)

    def _drawn(self) -> None:
        # The toolkit stamps its events with a clock of its own; a new event tells what it says.
        self.gate.open(events.Event().time)
        if self.gate.pace.inert:
            self.set_timer(self.gate.pace.inert, self._arm)
        else:
            self._arm()

    def _arm(self) -> None:
        # Out of sight nothing begins: it does once there is room.
        if not self.is_cramped and not self.has_class("-ready"):
            self.begin()
            self.add_class("-ready")

    def begin(self) -> None:
        """Let keys count."""
        self.armed()

    def on_resize(self, event: events.Resize) -> None:
        """Take the room there is."""
        roomy = event.size.width >= _ROOMY[0] and event.size.height >= _ROOMY[1]
        self.fit_box(roomy=roomy, brief=self.prompt_lines <= BRIEF)
        self._show_header()
        self.call_after_refresh(self._fit_words)

    def room_changed(self) -> None:
        """Say that there is no room; once there is, let a moment pass as when it opened."""
        self.show_small()
        if not self.is_cramped:
            self.call_after_refresh(self._drawn)

    def show_small(self) -> None:
        """Say what there is to say where there is no room."""
        if self.is_cramped:
            self._small.update(Content(f"{self.header_text()}\n\n{self.small_words()}"))

    def small_words(self) -> str:
        """Return what is said where there is no room to answer, safe to draw."""
        return f"Too small to answer here: it takes {self.LEAST[0]} columns and {self.LEAST[1]} rows. esc leaves."

    def _fit_words(self) -> None:
        self.show_keys()
        self._show_header()
        self.show_due()
        self._fit_sentence()

    @property
    def prompt_lines(self) -> int:
        """How many lines the prompt takes, about."""
        width = max(1, min(_BOX_TEXT, self.size.width - _FRAME))
        return sum(max(1, math.ceil(line.cell_length / width)) for line in self.prompt_content().split("\n"))

    @property
    def header_room(self) -> int:
        """Cells that the header has for certain; at the end of each line a word may not fit."""
        lines = 2 if self.size.height < _SHORT else 3
        return lines * max(0, min(self.size.width, _ROOMY[0]) - _WORD)

    def _show_header(self) -> None:
        self._put(self._header, self.header_text())

    def fit_box(self, *, roomy: bool, brief: bool) -> None:
        """Be a box where there is room, no higher than a brief question needs."""
        self.set_class(roomy, "-box")
        self.set_class(roomy and brief, "-compact-box")

    def say(self, text: str, tone: Tone = "hint") -> None:
        """Put a sentence into the status bar. The text is safe to draw."""
        self._sentence = text
        self._bar.set_classes(f"-{tone}")
        self._fit_sentence()

    def _fit_sentence(self) -> None:
        self._put(self._bar, self._sentence)

    def says(self, text: str) -> bool:
        """Return whether this is what is said: what is offered there stands as long as it is read there."""
        return self._sentence == text

    def remark(self, words: str) -> None:
        """Say something by the way, in front of what is being said, which still holds. The text is safe to draw."""
        self._put(self._bar, f"{words} {self._sentence}".rstrip())

    @staticmethod
    def _put(place: Static, text: str) -> None:
        """Show a text, as much of it as the place has rows for."""
        most = place.styles.max_height
        rows = int(most.value) if most is not None and most.is_cells else 0
        shown = cut_to_rows(text, place.content_size.width, rows)
        # Each change lays the dialog out again.
        if str(place.content) != shown:
            place.update(Content(shown))

    @on(Say)
    def _hear(self, event: Say) -> None:
        self.show_sentence(event)

    def show_sentence(self, event: Say) -> None:
        """Show what a part of the dialog says."""
        self.say(event.text, event.tone)

    def begin_sending(self, words: str) -> bool:
        """Let no key count until it is sent, and say so; return whether nothing was being sent already.

        Called where the wish arrives, not in the worker that sends: a second press may be on its way by then.
        """
        if self.gate.busy:
            return False
        self.gate.busy = True
        self.say(words, "busy")
        return True

    def show_due(self) -> None:
        """Show how much time is left."""
        text, urgency = self.due()
        self._put(self._due, text)
        self._due.set_classes(urgency if text else "-none")

    def show_keys(self) -> None:
        """Show the keys that work now, as many as fit."""
        shown = fit_keys(self.keys(), self._keys.content_size.width)
        pieces = [Content.assemble((key, "bold"), f" {what}") for key, what in shown]
        self._keys.update(Content("   ").join(pieces))

    def on_readable_moved(self) -> None:
        """Show how much is left to read."""
        text = unread_words(self.pane.above, self.pane.below)
        self._unread.update(Content(text))
        self._unread.set_class(bool(self.pane.below), "-more")
        self._unread.set_class(not text, "-nothing")

    # -- what its parts have to say -----------------------------------------------------------

    def on_paste_refused(self, event: PasteRefused) -> None:
        """Say why a paste was not taken."""
        event.stop()
        self.say(event.problem, "error")

    def on_field_said(self, event: FieldSaid) -> None:
        """Say what a field has done, or why it has not."""
        event.stop()
        if event.is_problem:
            self.say(event.words, "error")
        else:
            self.remark(event.words)

    def action_copy_text(self) -> None:
        """Copy what is selected with the mouse, and say so: the toolkit would do it without a word."""
        if text := self.get_selected_text():
            self.app.copy_to_clipboard(text)
            self.remark(copied_words(text))
        else:
            self.remark("ctrl+c copies what is selected.")

    def action_keys(self) -> None:
        """Show every key that works here."""
        from tidegate.tui.dialogs.frame.keys import KeysDialog

        if not isinstance(self, KeysDialog):
            self.app.push_screen(KeysDialog(self.all_keys()))

    def action_read(self, lines: int) -> None:
        """Scroll the prompt by *lines*."""
        # Immediate: a held key would otherwise move once per frame, however often it repeats.
        self.pane.scroll_relative(y=lines, animate=False, immediate=True)

    def action_read_page(self, pages: int) -> None:
        """Scroll the prompt by *pages*, keeping one line in sight."""
        self.pane.scroll_relative(y=pages * max(1, self.pane.size.height - 1), animate=False, immediate=True)
