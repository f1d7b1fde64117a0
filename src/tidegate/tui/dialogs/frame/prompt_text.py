"""A prompt as text that is safe to draw: as much of it as a person reads in place, and all of it as a page.

What is laid out before a dialog opens is bounded; a question that is a file is counted, not laid out. What is
left out is said where it is missing, with where it stands.
"""

from collections.abc import Iterator, Sequence

import msgspec
from rich.cells import cell_len
from textual.content import Content

from tidegate.model.base import Json
from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, FormField, FormPrompt, Prompt, RecoveryPrompt
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.pages import Page
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.dialogs.frame.words import moment
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.present.pauses import sent_back_words
from tidegate.tui.present.shared import counted, cut_text

__all__ = ["Asked", "WholePage", "choice_label", "field_label", "prompt_content"]

Field = tuple[str, list[str]]
"""A name, and the lines of its value; none: there was no room for it."""

_KEY_CELLS = 24
"""A longer key gets a line of its own, or one key would push all values to the right."""
_KEY = 200
"""Characters of a key."""
_PLACE = (800, 60_000)
"""Lines and characters of a question that are laid out in a dialog: about a tenth of a second."""
_PAGE = (50_000, 500_000)
"""Lines and characters of a page, which lays out only what is seen."""
_CHOICE, _CHOICES = (60, 1_000), 40_000
"""Characters of a choice in its list, at least and at most, and of all of them together."""
_LABEL = (12, 1_000)
"""Lines and characters of the label of a field."""
_STYLES = {Tone.DIM: "dim", Tone.STRONG: "bold", Tone.WAITING: "$text-warning", Tone.ACCENT: "$text-accent"}


class Asked:
    """What is asked, as much of it as there is room for in a dialog.

    Args:
        prompt: The question.
        rest: Where the rest of a long one is to be read, such as ``f2 shows it``.
    """

    def __init__(self, prompt: Prompt, rest: str = "") -> None:
        room = _Room(*_PLACE)
        lines = list(_asked(prompt, room))
        self.left = room.left
        """Lines that it leaves out."""
        self.content = _content([*lines, *_more(room, rest)])


def prompt_content(prompt: Prompt) -> Content:
    """Return what a person reads before answering *prompt*, bounded."""
    return Asked(prompt).content


class WholePage(Page):
    """All of a question of which the dialog shows only the beginning. Reads it when it is first shown."""

    def __init__(self, pause: AskedPause, left: int, command: str) -> None:
        """Make it; *left* lines of the question stand only here, and *command* answers it elsewhere."""
        super().__init__("All of it")
        self.only_here = left
        self._pause = pause
        self._command = command

    @classmethod
    def beside(cls, others: Sequence[Page], pause: AskedPause, left: int, command: str) -> Sequence[Page]:
        """Return *others*, and the page if anything is shown shortened: before them if that is the question itself."""
        if left:
            return (cls(pause, left, command), *others)
        return (*others, cls(pause, 0, command)) if _is_offer_cut(pause.prompt) else others

    def on_show(self) -> None:
        """Read it now."""
        if not self.was_shown:
            room = _Room(*_PAGE)
            prompt = self._pause.prompt
            rest = f"`{self._command}` prints all of it"
            self._text = [*_asked(prompt, room), *_offered(prompt, room), *_more(room, rest)]
        super().on_show()


def choice_label(choice: str, among: int) -> str:
    """Return a choice as text; blanks at its ends and emptiness would be invisible otherwise, a tab would be a blank.

    Args:
        choice: Its text.
        among: How many there are: the more, the less of each is laid out.
    """
    shown = safe_line(choice.replace("\t", "⇥"), _choice_room(among))
    return shown if shown and shown == shown.strip() else f"'{shown}'"


def _choice_room(among: int) -> int:
    least, most = _CHOICE
    return max(least, min(most, _CHOICES // max(1, among)))


def field_label(field: FormField) -> str:
    """Return what a field of a form is called, bounded and safe to draw; it may have several lines."""
    cut = cut_text(field.label, *_LABEL)
    lines = [*cut.lines, cut.words] if cut.words else cut.lines
    return "\n".join(lines) or safe_line(field.id)


def _is_offer_cut(prompt: Prompt) -> bool:
    """Whether a choice or a label is too long for its place."""
    match prompt:
        case ChoicePrompt():
            return any(len(choice) > _choice_room(len(prompt.choices)) for choice in prompt.choices)
        case FormPrompt():
            labels = (cut_text(field.label, *_LABEL) for field in prompt.fields)
            return any(cut.left for cut in labels) or any(map(_is_offer_cut, _choices_of(prompt)))
        case _:
            return False


def _choices_of(form: FormPrompt) -> list[ChoicePrompt]:
    return [field.prompt for field in form.fields if isinstance(field.prompt, ChoicePrompt)]


class _Room:
    """How much may still be laid out, and what was left out for the lack of it."""

    def __init__(self, lines: int, characters: int) -> None:
        self.lines = lines
        self.characters = characters
        self.left = 0
        """Lines."""

    def take(self, text: str) -> list[str]:
        """Return the lines of *text* there is room for; of an empty one, where there is any, an empty line."""
        is_full = not (self.lines and self.characters)
        cut = cut_text(text, 0 if is_full else self.lines, self.characters)
        if is_full:
            self.left += max(1, cut.left)
            return []
        self.left += cut.left
        lines = cut.lines or [""]
        self.lines -= len(lines)
        self.characters = max(0, self.characters - len(text))
        return lines


def _more(room: _Room, rest: str) -> Iterator[Line]:
    if room.left:
        said = f"… {counted(room.left, 'more line')}"
        yield text_line("")
        yield text_line(f"{said}: {rest}" if rest else said, Tone.WAITING)


def _content(lines: list[Line]) -> Content:
    """Return lines as one text, literally: brackets are brackets."""
    return Content("\n").join(
        Content.assemble(*((piece.text, _STYLES.get(piece.tone, "")) for piece in line.pieces))
        for line in lines
    )


def _asked(prompt: Prompt, room: _Room) -> Iterator[Line]:
    match prompt:
        case ConfirmPrompt():
            yield from _confirm(prompt, room)
        case RecoveryPrompt():
            yield from _recovery(prompt, room)
        case _:
            yield from _plain(prompt.text, room)
            yield from _sent_back(prompt)


def _sent_back(prompt: Prompt) -> Iterator[Line]:
    """Yield why it is asked anew; below the question, of which the smallest screens have room for one line."""
    if prompt.sent_back is not None:
        yield text_line("")
        yield text_line(sent_back_words(prompt.sent_back), Tone.ACCENT)


def _plain(text: str, room: _Room) -> Iterator[Line]:
    for line in room.take(text):
        yield text_line(line)


def _confirm(prompt: ConfirmPrompt, room: _Room) -> Iterator[Line]:
    # Its room is taken first: no message is long enough to leave out what is to be done.
    fields = [("operation", room.take(prompt.operation))] if prompt.operation else []
    yield from _plain(prompt.message, room)
    yield from _sent_back(prompt)
    fields += [(key, room.take(_value_text(value))) for key, value in prompt.details.items()]
    if any(lines for _, lines in fields):
        yield text_line("")
        yield from _fields(fields)


def _recovery(prompt: RecoveryPrompt, room: _Room) -> Iterator[Line]:
    evidence = prompt.evidence
    known = [("started", moment(evidence.started_at)), ("attempt", str(prompt.attempt))]
    if prompt.command:
        known.insert(0, ("ran", prompt.command))
    yield from _plain(prompt.text, room)
    yield text_line("")
    yield from _fields([(key, room.take(value)) for key, value in known])
    yield text_line("")
    yield text_line("last output", Tone.STRONG)
    yield from _plain(evidence.last_output or "(it printed nothing)", room)


def _offered(prompt: Prompt, room: _Room) -> Iterator[Line]:
    """Yield what may be chosen or is to be filled in: its own list may show only the beginning of each."""
    match prompt:
        case ChoicePrompt():
            texts = [f"{number}. {choice}" for number, choice in enumerate(prompt.choices, 1)]
        case FormPrompt():
            texts = [text for field in prompt.fields for text in _field_texts(field)]
        case _:
            texts = []
    if texts:
        yield text_line("")
    for text in texts:
        yield from _plain(text, room)


def _field_texts(field: FormField) -> list[str]:
    choices = field.prompt.choices if isinstance(field.prompt, ChoicePrompt) else ()
    return [field.label, *(f"  {number}. {choice}" for number, choice in enumerate(choices, 1))]


def _value_text(value: Json) -> str:
    """Return a detail's value: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _fields(fields: Sequence[Field]) -> Iterator[Line]:
    """Yield keys and values in two columns, those for which there was room."""
    named = [(safe_line(key, _KEY), lines) for key, lines in fields if lines]
    width = max((cell_len(key) for key, _ in named if cell_len(key) <= _KEY_CELLS), default=0)
    for key, (first, *others) in named:
        indent = " " * (width + 2)
        if cell_len(key) > width:
            yield text_line(key, Tone.DIM)
            yield text_line(indent + first)
        else:
            gap = " " * (width + 2 - cell_len(key))
            yield Line("", (Piece(key, Tone.DIM), Piece(gap + first)), selectable=False)
        for line in others:
            yield text_line(indent + line)
