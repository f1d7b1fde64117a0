"""What a dialog needs to know of a pause. The rows that history lists have all of it."""

from typing import Protocol

from tidegate.model.ids import BlockId, PauseId, RunId
from tidegate.model.prompt import Answer, Assignment, Prompt
from tidegate.model.state import PauseState

__all__ = ["AskedPause"]


class AskedPause(Protocol):
    """A pause as a list shows it. The monitor asks history for one, and never the store."""

    @property
    def pause_id(self) -> PauseId:
        """Its name."""
        ...

    @property
    def run_id(self) -> RunId:
        """Whose run it is."""
        ...

    @property
    def workflow(self) -> str:
        """The name of the run's workflow."""
        ...

    @property
    def block(self) -> BlockId:
        """The block that asks."""
        ...

    @property
    def path(self) -> str:
        """Where that block's run stands, seen from the run at the top; empty: it is at the top."""
        ...

    @property
    def attempt(self) -> int:
        """The block's attempt, from 1."""
        ...

    @property
    def prompt(self) -> Prompt:
        """What it asks."""
        ...

    @property
    def opened_at(self) -> float:
        """Seconds since 1970 UTC."""
        ...

    @property
    def deadline(self) -> float | None:
        """Seconds since 1970 UTC; None: it may stay open for ever."""
        ...

    @property
    def state(self) -> PauseState:
        """Where it stands."""
        ...

    @property
    def closed_at(self) -> float | None:
        """Seconds since 1970 UTC; None while it is open."""
        ...

    @property
    def assignee(self) -> str:
        """Whose business it is; empty: anybody's."""
        ...

    @property
    def assignment(self) -> Assignment | None:
        """What a person has said of whose it is."""
        ...

    @property
    def because(self) -> str:
        """Why it is closed, where more is known than that."""
        ...

    @property
    def answer(self) -> Answer | None:
        """What was said, once somebody has."""
        ...
