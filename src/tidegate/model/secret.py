"""What a workflow says of its secrets: their names, and where they are read when a block starts.

Never what they are: no noun holds the value of a secret.
"""

from typing import TypeAlias

from tidegate.model.base import Noun
from tidegate.model.ids import BlockId

__all__ = [
    "LEAST",
    "FromAnswer",
    "FromCommand",
    "FromEnvironment",
    "FromFile",
    "SecretDefinition",
    "SecretSource",
    "mask_of",
]

LEAST = 4
"""Characters of a secret, line breaks not counted: masking fewer would take half of all output away."""


class FromEnvironment(Noun, tag="env"):
    """A variable of the process that drives the run."""

    variable: str


class FromFile(Noun, tag="file"):
    """All of a file, without the line breaks at its end."""

    path: str
    """Relative to the workflow's folder; `~/` is the home of whoever drives the run."""


class FromCommand(Noun, tag="command"):
    """What a program prints, without the line breaks at its end."""

    words: tuple[str, ...]
    """The program and its arguments; no shell reads them."""


class FromAnswer(Noun, tag="answer"):
    """What a person typed at a question of this run."""

    block: BlockId
    """The one that asks."""


SecretSource: TypeAlias = FromEnvironment | FromFile | FromCommand | FromAnswer


class SecretDefinition(Noun):
    """One secret that a workflow uses."""

    name: str
    source: SecretSource


def mask_of(name: str) -> str:
    """Return what is kept and shown in the place of a secret."""
    return f"[secret {name}]"
