"""What was typed into an answer dialog and not sent: one text that its owner keeps and need not read."""

__all__ = ["draft_of", "parts_of"]

_SEAM = "\0"
"""No answer and no comment may hold it."""


def draft_of(answer: str, comment: str) -> str:
    """Return both as one text; empty if nothing was typed."""
    return f"{answer}{_SEAM}{comment}" if comment else answer


def parts_of(draft: str) -> tuple[str, str]:
    """Return the answer and the comment of a draft."""
    answer, _, comment = draft.partition(_SEAM)
    return answer, comment
