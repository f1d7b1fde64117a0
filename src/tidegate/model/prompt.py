"""What a pause asks, and what counts as an answer.

Owns the one rule for reading an answer: the dialog, the command line and the engine all call
`parse`. The engine calls it again because the journal, not the dialog, decides what was asked.
A prompt is frozen, its references resolved, when the pause opens.

What every prompt has: `kind text rule show comment_rule`, `parse(raw) -> value`, and `spell(value)`, a
text that parses to that value again.
"""

from typing import TypeAlias

import msgspec

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json, Noun
from tidegate.model.choice_prompt import ChoicePrompt
from tidegate.model.confirm_prompt import ConfirmPrompt
from tidegate.model.exhibit import Exhibit, ExhibitKind, Source
from tidegate.model.form_prompt import FieldPrompt, FormField, FormPrompt
from tidegate.model.input_prompt import InputKind, InputPrompt
from tidegate.model.question import Assignment, CommentRule, OnReject, OnTimeout, SentBack
from tidegate.model.raw_answer import MAX_COMMENT_CHARACTERS, checked_comment, checked_name
from tidegate.model.recovery import Evidence, RecoveryAction, RecoveryPrompt
from tidegate.model.typed_text import as_json

__all__ = [
    "MAX_COMMENT_CHARACTERS",
    "Answer",
    "Assignment",
    "ChoicePrompt",
    "CommentRule",
    "ConfirmPrompt",
    "Evidence",
    "Exhibit",
    "ExhibitKind",
    "FieldPrompt",
    "FormField",
    "FormPrompt",
    "InputKind",
    "InputPrompt",
    "OnReject",
    "OnTimeout",
    "Prompt",
    "RecoveryAction",
    "RecoveryPrompt",
    "SentBack",
    "Source",
    "check_comment",
    "checked_comment",
    "checked_name",
    "describe_value",
    "is_secret",
    "same_value",
]

Prompt: TypeAlias = ConfirmPrompt | ChoicePrompt | InputPrompt | FormPrompt | RecoveryPrompt


class Answer(Noun):
    """What was said, by whom and how. When is the time of its event."""

    value: Json
    """Canonical: equal values are the same answer, however they were typed."""
    raw: str = ""
    """As typed or clicked."""
    by: str = ""
    via: str = ""
    """`tui`, `cli`, `api` or `deadline`; `fork`: it was given in the run that this one goes on from."""
    comment: str = ""


def check_comment(prompt: Prompt, value: Json, comment: str) -> str:
    """Return *comment* as it is kept with the answer *value*: without blanks and empty lines around it.

    Raises:
        InvalidAnswer: the prompt asks for a comment and this has none; or it is too long, or no text.
    """
    kept = checked_comment(comment)
    if kept or prompt.comment_rule is CommentRule.OPTIONAL:
        return kept
    if prompt.comment_rule is CommentRule.REQUIRED:
        raise InvalidAnswer("a comment is required with this answer")
    if value is False:
        raise InvalidAnswer("a comment is required with a no: say why")
    return kept


def same_value(one: Json, other: Json) -> bool:
    """Return whether two values are the same answer. To Python 1, 1.0 and true are equal; here they are not."""
    return msgspec.json.encode(one, order="sorted") == msgspec.json.encode(other, order="sorted")


def is_secret(prompt: Prompt) -> bool:
    """Whether no history shows what is answered to *prompt*."""
    return isinstance(prompt, InputPrompt) and prompt.is_secret


def describe_value(value: Json) -> str:
    """Return an answer's value as a person would say it."""
    match value:
        case dict() if value.get("action") in set(RecoveryAction) and value.keys() <= {"action", "outputs"}:
            outputs = value.get("outputs")
            return f"{value['action']} with {describe_value(outputs)}" if outputs else str(value["action"])
        case dict():
            return ", ".join(f"{name}: {_inside(item)}" for name, item in value.items()) or "nothing"
        case list():
            return ", ".join(map(_inside, value)) or "none"
        case _:
            return _plain(value)


def _inside(value: Json) -> str:
    """Return a part of a value; one that has parts itself, in brackets."""
    match value:
        case dict() if value:
            return f"({describe_value(value)})"
        case list() if len(value) != 1:
            return f"[{', '.join(map(_inside, value))}]"
        case _:
            return describe_value(value)


def _plain(value: Json) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "nothing"
        case str():
            return value
        case _:
            return as_json(value)
