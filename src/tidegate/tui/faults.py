"""What nobody expected: kept in a file for whoever mends it, told to the operator in one sentence.

Owns the monitor's log. Nothing is written there as long as nothing goes wrong, and a log that cannot
be written costs nothing but the log.
"""

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from textual.worker import WorkerFailed

from tidegate.private import make_private_folder
from tidegate.safe_text import safe_line

__all__ = ["DEBUG_VARIABLE", "FaultLog"]

DEBUG_VARIABLE = "TIDEGATE_DEBUG"
"""Set, the monitor shows a traceback as the toolkit does."""

_logger = logging.getLogger("tidegate.tui")
_BYTES = 1_000_000
"""Of one file; the one before it is kept beside it."""
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class FaultLog:
    """Takes what goes wrong in this process, libraries included, while it is open."""

    def __init__(self, folder: Path | None = None) -> None:
        """Make it; nothing is created before there is something to write.

        Args:
            folder: Where; None: the folder of the user's logs.
        """
        self._handler = _PrivateFile((folder or _log_folder()) / "monitor.log")
        self._handler.setFormatter(logging.Formatter(_FORMAT))

    @property
    def path(self) -> Path:
        """The file, which is not there as long as nothing went wrong."""
        return self._handler.path

    def open(self) -> None:
        """Begin to take what is logged: it would be drawn over the screen otherwise."""
        logging.getLogger().addHandler(self._handler)

    def close(self) -> None:
        """Take no more."""
        logging.getLogger().removeHandler(self._handler)
        self._handler.close()

    def keep(self, error: Exception) -> str:
        """Write down an error that nobody expected; return what the operator reads about it."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        _logger.error("the monitor ended: %s", cause, exc_info=cause)
        what = safe_line(f"{type(cause).__name__}: {cause}".strip(), 300).rstrip(".: ")
        where = (
            f"Details: {self._handler.path}"
            if self._handler.is_written
            else f"{DEBUG_VARIABLE}=1 shows where"
        )
        return f"the monitor ended by a fault of its own ({what}). Nothing that was acknowledged is lost. {where}"


def _log_folder() -> Path:
    from platformdirs import user_log_path

    return user_log_path("tidegate", appauthor=False)


class _PrivateFile(RotatingFileHandler):
    """A file that only its owner reads; it holds what blocks and questions are about."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_BYTES, backupCount=1, encoding="utf-8", delay=True)
        self.setLevel(logging.WARNING)
        self.path = path
        self.is_written = False

    def _open(self) -> TextIOWrapper:
        make_private_folder(self.path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        file = os.open(self.path, flags, 0o600)
        os.fchmod(file, 0o600)
        stream = TextIOWrapper(os.fdopen(file, "ab"), encoding="utf-8")
        self.is_written = True
        return stream

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Do without: the library would draw a traceback over the screen."""
        del record
        self.is_written = False
