"""A question as lines to read: what is shown with it, what is asked, what is known. Not yet safe to print."""

from collections.abc import Iterator

from tidegate.cli.console import shown_value
from tidegate.clock import iso
from tidegate.model.exhibit import Exhibit
from tidegate.model.prompt import (
    ChoicePrompt,
    CommentRule,
    ConfirmPrompt,
    FormField,
    FormPrompt,
    InputPrompt,
    Prompt,
    RecoveryPrompt,
    describe_value,
)

__all__ = ["field_lines", "question_of", "rule_of"]

_LINES = 30
"""Lines of an exhibit before the question would leave the screen."""
_LINE = 400
"""Characters of one such line."""


def question_of(prompt: Prompt, call: str, *, full: bool = False) -> list[str]:
    """Return the lines of a question, and of the evidence that belongs to it.

    Args:
        prompt: The question.
        call: How to call us again for the same store.
        full: Exhibits are not shortened.
    """
    shown = [line for exhibit in prompt.show for line in _exhibit(exhibit, call, full=full)]
    if prompt.sent_back is not None:
        by = prompt.sent_back.by or "somebody"
        shown.insert(0, f"(sent back by {by}: {' '.join(prompt.sent_back.feedback.split())})")
    return [*shown, *prompt.text.rstrip().splitlines(), *_known(prompt)]


def rule_of(prompt: Prompt) -> str:
    """Return what may be said, a comment included."""
    match prompt.comment_rule:
        case CommentRule.OPTIONAL:
            return prompt.rule
        case CommentRule.REQUIRED:
            return f"{prompt.rule}; with a comment"
        case CommentRule.ON_REJECT:
            return f"{prompt.rule}; a no with a comment"


def _known(prompt: Prompt) -> list[str]:
    match prompt:
        case ConfirmPrompt():
            known = {"operation": prompt.operation, **prompt.details}
            return [f"{name}: {shown_value(value)}" for name, value in known.items() if value != ""]
        case ChoicePrompt():
            return _choices(prompt)
        case InputPrompt():
            return [] if prompt.default is None else [f"default: {prompt.default}"]
        case FormPrompt():
            return [
                f"{number}. {_heading(field)}: {field.rule}" for number, field in enumerate(prompt.fields, 1)
            ]
        case RecoveryPrompt():
            return _evidence(prompt)


def field_lines(number: int, count: int, field: FormField) -> list[str]:
    """Return what is asked for one field of a form."""
    lines = [f"Field {number} of {count}: {_heading(field)}"]
    if isinstance(field.prompt, ChoicePrompt):
        lines += _choices(field.prompt)
    return [*lines, f"({field.rule}{'' if field.required else '; empty leaves it out'})"]


def _heading(field: FormField) -> str:
    name = field.id if field.label == field.id else f"{field.id}: {field.label}"
    default = field.default_value
    if field.required:
        return name
    return name + (" (may be left out)" if default is None else f" (default: {describe_value(default)})")


def _choices(prompt: ChoicePrompt) -> list[str]:
    return [f"{number}. {choice}" for number, choice in enumerate(prompt.choices, 1)]


def _evidence(prompt: RecoveryPrompt) -> list[str]:
    lines = [f"started: {iso(prompt.evidence.started_at)}"]
    if prompt.command:
        lines.append(f"command: {prompt.command}")
    if prompt.evidence.last_output:
        lines += ["last output:", *(f"  {line}" for line in prompt.evidence.last_output.splitlines())]
    return lines


def _exhibit(exhibit: Exhibit, call: str, *, full: bool) -> Iterator[str]:
    facts = [exhibit.kind.value]
    if exhibit.size is not None:
        facts.append(f"{exhibit.size:,} bytes")
    if exhibit.sha256:
        facts.append(f"sha256 {exhibit.sha256 if full else exhibit.sha256[:12]}")
    yield f"-- {exhibit.title} ({', '.join(facts)})"
    lines = exhibit.text.splitlines()
    for line in lines if full else lines[:_LINES]:
        yield "  " + (line if full or len(line) <= _LINE else line[:_LINE] + "…")
    if not full and len(lines) > _LINES:
        yield f"  [... {len(lines) - _LINES:,} more lines: `{call} answer --full` shows them]"
    yield ""
