"""A log as a file: all of it, or what one wants to see of it."""

import asyncio
import re
from pathlib import Path

from tidegate.clock import iso_precise
from tidegate.errors import TidegateError
from tidegate.model.ids import RunId
from tidegate.tui.log.reader import LogReader, LogScope
from tidegate.tui.log.rows import Row
from tidegate.tui.log.sight import Wanted

__all__ = ["file_name", "row_text", "save"]

_UNSUITABLE = re.compile(r"[^A-Za-z0-9_.-]+")


def file_name(run_id: RunId, scope: LogScope) -> str:
    """Return how a file may be called."""
    of = f"wave-{scope + 1}" if isinstance(scope, int) else scope or ""
    return f"{_UNSUITABLE.sub('-', f'{run_id}-{of}').strip('-')[:100]}.log"


async def save(reader: LogReader, name: str, wanted: Wanted, *, timed: bool = False) -> int:
    """Write lines to a new file, safe to be shown; return how many.

    Args:
        reader: Of what was written; it has read nothing yet.
        name: Of the file.
        wanted: Which lines.
        timed: Whether each begins with when it came.

    Raises:
        TidegateError: there is such a file, or it cannot be written, or the log cannot be read.
    """
    path = _path(name)
    try:
        file = await asyncio.to_thread(path.open, "x", encoding="utf-8")
    except FileExistsError:
        raise TidegateError(f"{path} is there already, and stays as it is: choose another name") from None
    except OSError as error:
        raise TidegateError(f"{path} cannot be written: {error.strerror}") from error
    lines = 0
    with file:
        await reader.read_start()
        while True:
            rows = [row for row in _taken(reader) if wanted.shows(row)]
            lines += len(rows)
            text = "".join(f"{row_text(row, named=reader.has_many, timed=timed)}\n" for row in rows)
            try:
                await asyncio.to_thread(file.write, text)
            except OSError as error:
                raise TidegateError(f"{path} holds only the beginning: {error.strerror}") from error
            if reader.window.is_at_end:
                return lines
            await reader.read_later()


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # Of a user that there is none of.
        return Path(name)


def _taken(reader: LogReader) -> list[Row]:
    """Return the rows that a window has, and let go of them; the unfinished ones once nothing follows."""
    window = reader.window
    rows = [*window.rows, *window.rest()]
    window.let_go()
    return rows


def row_text(row: Row, *, named: bool, timed: bool) -> str:
    """Return a row as it stands in a file, or goes to the clipboard: with who wrote it, and when, where that is said."""
    if row.stream is None:
        return row.text
    at = f"{iso_precise(row.at) if row.at else '-'} " if timed else ""
    return f"{at}{row.segment.place}: {row.text}" if named else f"{at}{row.text}"
