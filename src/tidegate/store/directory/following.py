"""Reading the index so that it never shows less than the directory has."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import aiosqlite

from tidegate.store.directory.place import Place
from tidegate.store.sqlite.readers import Query, Readers
from tidegate.store.sqlite.rows import Row

__all__ = ["FollowingReaders", "NewestRecord"]


class FollowingReaders(Readers):
    """Readers of the index that first have it follow the directory, if there is something new."""

    def __init__(
        self,
        connections: Sequence[aiosqlite.Connection],
        url: str,
        *,
        is_behind: Callable[[], Awaitable[bool]],
        follow: Callable[[], Awaitable[None]],
    ) -> None:
        """Own *connections* from now on.

        Args:
            connections: To the index.
            url: For messages.
            is_behind: Whether there is something new.
            follow: Has the index follow.
        """
        super().__init__(connections, url)
        self._is_behind = is_behind
        self._follow = follow

    async def _fetch(self, query: Query) -> Sequence[Row]:
        if not self._closed and await self._is_behind():
            await self._follow()
        return await super()._fetch(query)


class NewestRecord:
    """Tells that there is a new record: the number of the newest."""

    def __init__(self, place: Place, known: Callable[[], int]) -> None:
        """Begin.

        Args:
            place: Where the records are.
            known: Returns the number of the newest record that the index has. From there on there are no gaps;
                before, one record may stand for several.
        """
        self._place = place
        self._known = known
        self._number = 0

    def version(self) -> int:
        """Return that number as it is now.

        The only look at the directory from the loop: as a rule one `stat`, of a file that is not there.
        """
        # Whoever reads next hears of what is wrong with the directory.
        self._number = max(self._number, self._known())
        with suppress(OSError):
            while self._place.record(self._number + 1).exists():
                self._number += 1
        return self._number

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
