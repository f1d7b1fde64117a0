"""From Python values to what a prompt reads.

An answer becomes the text that a person would have typed, so that there is one way to read an answer.
What no text stands for is refused here: nothing is guessed, and 1 is no yes.
"""

from typing import assert_never

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.codec import NotJson, encode
from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    FieldPrompt,
    FormPrompt,
    InputKind,
    InputPrompt,
    Prompt,
    RecoveryPrompt,
)
from tidegate.model.typed_text import as_json

__all__ = ["typed_answer"]


def typed_answer(prompt: Prompt, value: Json) -> str:
    """Return the text that stands for *value* as an answer to *prompt*.

    Args:
        prompt: What is asked.
        value: The answer as what it is. A text is taken as typed, except where JSON is asked for:
            there it is the value itself.

    Raises:
        InvalidAnswer: it is of a type that the prompt does not take, or no JSON.
    """
    try:
        value, data = encode(value, "answer")
    except NotJson as error:
        raise InvalidAnswer(str(error)) from error
    if isinstance(value, str) and not _asks_for_json(prompt):
        return value
    text = data.decode()
    typed = _typed(prompt, value, text)
    if typed is None:
        raise InvalidAnswer(f"{prompt.rule}; {text[:80]} is a value of another type")
    return typed


def _typed(prompt: Prompt, value: Json, text: str) -> str | None:
    match prompt:
        case ConfirmPrompt():
            return prompt.spell(value) if isinstance(value, bool) else None
        case ChoicePrompt():
            return prompt.spell(value) if prompt.multiple and _are_texts(value) else None
        case InputPrompt():
            return _typed_input(prompt, value, text)
        case FormPrompt():
            return as_json(_fields(prompt, value)) if isinstance(value, dict) else None
        case RecoveryPrompt():
            is_action = (
                isinstance(value, dict) and "action" in value and value.keys() <= {"action", "outputs"}
            )
            return prompt.spell(value) if is_action else None
        case _:
            assert_never(prompt)


def _typed_input(prompt: InputPrompt, value: Json, text: str) -> str | None:
    if _asks_for_json(prompt):
        return text
    if value is None:
        return ""
    is_text = prompt.input_type is InputKind.STRING
    return None if is_text or isinstance(value, list | dict) else text


def _fields(prompt: FormPrompt, value: dict[str, Json]) -> dict[str, Json]:
    """Return a form's values as its fields read them; what is no field is left to the form to refuse."""
    prompts = {field.id: field.prompt for field in prompt.fields}
    return {name: _field(prompts.get(name), given) for name, given in value.items()}


def _field(prompt: FieldPrompt | None, given: Json) -> Json:
    if prompt is not None and _asks_for_json(prompt):
        return as_json(given)
    # A list as JSON may itself be one of the choices: only the prompt knows how to spell it.
    is_several = isinstance(prompt, ChoicePrompt) and prompt.multiple and _are_texts(given)
    return prompt.spell(given) if is_several and prompt is not None else given


def _asks_for_json(prompt: Prompt) -> bool:
    return isinstance(prompt, InputPrompt) and prompt.input_type is InputKind.JSON


def _are_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
