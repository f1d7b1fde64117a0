"""A program and its arguments as a list: no shell reads them, unless the program is one."""

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.workflows.shell_commands import Command
from tidegate.workflows.shell_programs import VALUE
from tidegate.workflows.text_parts import split_text

__all__ = ["argument_fault"]

_ADVICE = (
    "pass it as its own argument, like [sh, -c, 'echo \"$1\"', sh, '${n}'], "
    'or give it to the block\'s env and use "$NAME" there'
)


def argument_fault(value: Json) -> tuple[int, ExpressionError] | None:
    """Return which item of a command is code with a value in it, or None.

    Args:
        value: A command as written; what is no list of texts has no such item.
    """
    words = _words(value)
    if not Command(words).argument_problem():
        return None
    # The first item with which there is a problem is the code: what follows it changes nothing.
    found = (index for index, word in enumerate(words) if VALUE in word)
    index = next(index for index in found if Command(words[: index + 1]).argument_problem())
    problem = Command(words[: index + 1]).argument_problem()
    source = _first_reference(value, index)
    return index, ExpressionError(source, f"the value would be run as code: {problem}; {_ADVICE}")


def _words(value: Json) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return []
    try:
        return [_word(str(item)) for item in value]
    except ExpressionError:
        return []  # reported where the text is checked


def _word(text: str) -> str:
    return "".join(part if isinstance(part, str) else VALUE for part in split_text(text))


def _first_reference(value: Json, index: int) -> str:
    text = str(value[index]) if isinstance(value, list) else ""
    return next(part.source for part in split_text(text) if not isinstance(part, str))
