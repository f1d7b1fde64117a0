"""An answer as it was typed, before any prompt reads it: what no prompt takes."""

from tidegate.errors import InvalidAnswer

__all__ = ["MAX_ANSWER_CHARACTERS", "checked"]

MAX_ANSWER_CHARACTERS = 64 * 1024
"""A longer answer is refused whatever its prompt allows: it would be a file, not an answer."""


def checked(raw: str) -> str:
    """Return *raw*.

    Raises:
        InvalidAnswer: it is too long, or holds what is no text.
    """
    if len(raw) > MAX_ANSWER_CHARACTERS:
        raise InvalidAnswer(
            f"the answer has {len(raw):,} characters; at most {MAX_ANSWER_CHARACTERS:,} are taken"
        )
    if "\0" in raw:
        raise InvalidAnswer("the answer contains a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in raw):
        raise InvalidAnswer("the answer contains a character that is no valid text (a lone surrogate)")
    return raw
