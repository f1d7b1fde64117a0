"""Options that several commands have."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from tidegate.settings import Settings

__all__ = ["AsJson", "By", "Globals", "settings_of"]


@dataclass(frozen=True, slots=True)
class Globals:
    """What was said before the command."""

    settings: Settings


def settings_of(context: typer.Context) -> Settings:
    """Return the settings that a command works with."""
    found = context.find_object(Globals)
    assert found is not None  # noqa: S101 - the callback of `tidegate` sets it before any command
    return found.settings


AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
By: TypeAlias = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Who does this, for the journal. Default: you.")
]
