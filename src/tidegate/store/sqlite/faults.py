"""What SQLite says went wrong, as one of Tidegate's errors with a sentence that helps."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import zstandard

from tidegate.errors import CorruptStore, StoreError, StoreUnavailable

__all__ = ["BUSY_SECONDS", "NOT_AS_WRITTEN", "Damaged", "fault_told", "faults_of", "is_damage", "translated"]

BUSY_SECONDS = 10.0
"""How long anybody waits for another process's transaction."""

_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: (
        f"another process has kept it locked for more than {BUSY_SECONDS:.0f} s",
        "Find out which one, then try again",
    ),
    sqlite3.SQLITE_LOCKED: ("it is locked", "Try again"),
    sqlite3.SQLITE_FULL: ("database or disk is full", "Free some space, then resume"),
    sqlite3.SQLITE_READONLY: ("it cannot be written", "Check the permissions of the file and its directory"),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", "Check the permissions of the file and its directory"),
    sqlite3.SQLITE_PERM: ("access was denied", "Check the permissions of the file and its directory"),
    sqlite3.SQLITE_IOERR: ("the disk reported an error", "Check the disk and the free space, then resume"),
    sqlite3.SQLITE_NOMEM: ("there is not enough memory", "Free some, then resume"),
    sqlite3.SQLITE_TOOBIG: ("a value is too large to be stored", "Keep large data in a file of its own"),
}
_DAMAGED = {
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is no SQLite database, or its beginning is damaged",
}


NOT_AS_WRITTEN = "a row is not what was written"


class Damaged(Exception):
    """Something was read that cannot be what was written; the text says what."""

    def __init__(self, problem: str, run_id: str = "", last_good: int | None = None) -> None:
        """Say what is damaged; of a journal also whose it is, and its last good event if that is known."""
        self.run_id = run_id
        self.last_good = last_good
        super().__init__(problem)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite says that the file is damaged."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _DAMAGED


def translated(error: Exception, url: str) -> StoreError:
    """Return *error* as an error about the store at *url*."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, Damaged):
        return CorruptStore(url, str(error), run_id=error.run_id, last_good=error.last_good)
    if not isinstance(error, sqlite3.Error):
        # What the decoder says of it is of no use to anybody who has not written the decoder.
        return CorruptStore(url, "what it holds cannot be read")
    return _translated(error, url)


def _translated(error: sqlite3.Error, url: str) -> StoreError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _DAMAGED:
        return CorruptStore(url, _DAMAGED[code])
    # The driver raises these itself, without a code, when a text's bytes are no text: of a row, and on the way
    # into a function of ours.
    if "UTF-8" in str(error) or "user-defined function" in str(error):
        return CorruptStore(url, f"{NOT_AS_WRITTEN}: a text in it is none")
    if code == sqlite3.SQLITE_CONSTRAINT:
        return StoreError(f"store {url}: an id that must be new is already taken ({error})")
    problem, advice = _UNAVAILABLE.get(code, (str(error), ""))
    return StoreUnavailable(url, problem, advice)


_KIND = re.compile(r"\w+ value in (\w+)\.(\w+)")
_INDEX = re.compile(r"(?:missing from|entries in|unique entry in) index (\w+)")


def fault_told(line: str) -> str:
    """Return what a line of SQLite's own check means, for people; it may be that of other lines, too."""
    if found := _KIND.search(line):
        return f"'{found[2]}' of a row in '{found[1]}' is of another kind than what was written"
    if found := _INDEX.search(line):
        return f"the file is damaged: its index '{found[1]}' does not fit what it leads to"
    return "the structure of the file is damaged"


@contextmanager
def faults_of(url: str) -> Iterator[None]:
    """Let nothing out but Tidegate's errors while the store at *url* is read."""
    try:
        yield
    except (sqlite3.Error, msgspec.MsgspecError, zstandard.ZstdError, Damaged) as error:
        raise translated(error, url) from error
