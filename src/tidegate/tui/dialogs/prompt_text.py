"""A prompt as text that is safe to draw: the whole of it, nothing shortened."""

import msgspec
from rich.cells import cell_len
from textual.content import Content

from tidegate.model.base import Json, JsonObject
from tidegate.model.prompt import ConfirmPrompt, Prompt, RecoveryPrompt
from tidegate.safe_text import safe_line, safe_lines
from tidegate.tui.dialogs.words import moment

__all__ = ["plain_content", "prompt_content"]

_KEY_CELLS = 24
"""A longer key gets a line of its own, or one key would push all values to the right."""

Field = tuple[str, str]


def prompt_content(prompt: Prompt) -> Content:
    """Return everything that a person reads before answering *prompt*."""
    match prompt:
        case ConfirmPrompt():
            return _confirm(prompt)
        case RecoveryPrompt():
            return _recovery(prompt)
        case _:
            return plain_content(prompt.text)


def plain_content(text: str) -> Content:
    """Return foreign text, literally: brackets are brackets."""
    return Content("\n".join(safe_lines(text)))


def _confirm(prompt: ConfirmPrompt) -> Content:
    parts = [plain_content(prompt.message)]
    fields = [(key, _value_text(value)) for key, value in prompt.details.items()]
    if prompt.operation:
        fields.insert(0, ("operation", prompt.operation))
    if fields:
        parts.append(_fields(fields))
    return Content("\n\n").join(parts)


def _recovery(prompt: RecoveryPrompt) -> Content:
    evidence = prompt.evidence
    known = [("started", moment(evidence.started_at)), ("attempt", str(prompt.attempt))]
    if prompt.command:
        known.insert(0, ("ran", prompt.command))
    output = plain_content(evidence.last_output) if evidence.last_output else Content("(it printed nothing)")
    return Content("\n").join(
        [
            plain_content(prompt.text),
            Content(""),
            _fields(known),
            Content(""),
            Content.styled("last output", "bold"),
            output,
        ]
    )


def _value_text(value: Json) -> str:
    """Return a detail's value: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    plain: JsonObject | Json = value
    return msgspec.json.encode(plain).decode()


def _fields(fields: list[Field]) -> Content:
    """Return keys and values in two columns."""
    named = [(safe_line(key), safe_lines(value) or [""]) for key, value in fields]
    width = max((cell_len(key) for key, _ in named if cell_len(key) <= _KEY_CELLS), default=0)
    return Content("\n").join([_field(key, lines, width) for key, lines in named])


def _field(key: str, lines: list[str], width: int) -> Content:
    indent = "\n" + " " * (width + 2)
    gap = indent if cell_len(key) > width else " " * (width + 2 - cell_len(key))
    return Content.assemble((key, "dim"), gap, indent.join(lines))
