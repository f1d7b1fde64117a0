"""An answer as it was typed, before any prompt reads it: what no prompt takes."""

from tidegate.errors import InvalidAnswer

__all__ = [
    "MAX_ANSWER_CHARACTERS",
    "MAX_COMMENT_CHARACTERS",
    "MAX_NAME_CHARACTERS",
    "checked",
    "checked_comment",
    "checked_name",
]

MAX_ANSWER_CHARACTERS = 64 * 1024
"""A longer answer is refused whatever its prompt allows: it would be a file, not an answer."""
MAX_COMMENT_CHARACTERS = 4_000
"""A longer comment is refused: it would be a report."""
MAX_NAME_CHARACTERS = 100
"""A longer name of a person is refused: it would be no name."""


def checked(raw: str) -> str:
    """Return *raw*.

    Raises:
        InvalidAnswer: it is too long, or holds what is no text.
    """
    return _text("answer", raw, MAX_ANSWER_CHARACTERS)


def checked_comment(comment: str, noun: str = "comment") -> str:
    """Return *comment* without the blanks and empty lines around it; several lines are fine.

    Args:
        comment: It.
        noun: What it is called in errors.

    Raises:
        InvalidAnswer: it is too long, or holds what is no text.
    """
    return _text(noun, comment.strip(), MAX_COMMENT_CHARACTERS)


def checked_name(name: str) -> str:
    """Return the name of a person without the blanks around it; empty: nobody's.

    Raises:
        InvalidAnswer: it is too long, has several lines, or holds what is no text.
    """
    checked = _text("name", name.strip(), MAX_NAME_CHARACTERS)
    if not checked.isprintable():
        raise InvalidAnswer("the name is more than one line of plain text")
    return checked


def _text(noun: str, text: str, limit: int) -> str:
    if len(text) > limit:
        raise InvalidAnswer(f"the {noun} has {len(text):,} characters; at most {limit:,} are taken")
    if "\0" in text:
        raise InvalidAnswer(f"the {noun} contains a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidAnswer(f"the {noun} contains a character that is no valid text (a lone surrogate)")
    return text
