"""What a number means to a question that has a list of choices: what `ChoicePrompt.parse` takes it for.

A choice may itself be a number. Its text comes before the number of another row.
"""

from tidegate.model.prompt import ChoicePrompt

__all__ = ["choice_number", "choice_row"]


def choice_row(prompt: ChoicePrompt, number: str) -> int | None:
    """Return the row, from 1, of the choice that *number* means; None if it means none."""
    index = prompt.index_of(number)
    return None if index is None else index + 1


def choice_number(prompt: ChoicePrompt, row: int) -> str:
    """Return the number that stands before a row; empty if that number means another one."""
    return str(row) if choice_row(prompt, str(row)) == row else ""
