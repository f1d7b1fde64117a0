"""What a store promises of secrets that people have typed. Part of `tidegate.store.protocol.Store`."""

from typing import Protocol

from tidegate.model.ids import PauseId

__all__ = ["TypedSecrets"]


class TypedSecrets(Protocol):
    """Answers that no history shows, kept until their runs have ended."""

    @property
    def keeps_secrets(self) -> bool:
        """Whether nobody who only has its files can read what is kept in it."""
        ...

    async def secret(self, pause_id: PauseId) -> str | None:
        """Return what was answered to a question; None: it is no secret, or is kept no longer."""
        ...
