"""A terminal that may go away: a dropped connection, a closed window, a killed pane.

The toolkit's own driver takes a terminal for immortal. Its output thread dies of the first failed
write, and with nobody left to empty the queue the next few writes hold up the event loop for ever:
no signal is handled any more, and nothing is closed. Here a failed write is only remembered.
"""

import select
from collections.abc import Callable
from typing import Any, TextIO, cast

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

__all__ = ["MonitorDriver"]


class _Output:
    """Standard error, where the screen is drawn; what cannot be written is dropped."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.is_gone = False

    def write(self, text: str) -> None:
        """Write, or remember that nobody reads any more."""
        self._attempt(lambda: self._file.write(text))

    def flush(self) -> None:
        """Flush likewise."""
        self._attempt(self._file.flush)

    def fileno(self) -> int:
        """Return the file's number."""
        return self._file.fileno()

    def _attempt(self, act: Callable[[], object]) -> None:
        if self.is_gone:
            return
        try:
            act()
        except (OSError, ValueError):
            self.is_gone = True


class MonitorDriver(LinuxDriver):
    """Draws and reads until the terminal goes away, and can tell that it has."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._output = _Output(cast("TextIO", self._file))
        self._file = cast("Any", self._output)
        self._is_deaf = False

    @property
    def is_gone(self) -> bool:
        """Whether there is no terminal any more."""
        return self._output.is_gone or self._is_deaf or self._has_hung_up()

    def _has_hung_up(self) -> bool:
        # Asked of the system, as reading does not tell: a terminal that hung up reads as empty for ever.
        waiting = select.poll()
        waiting.register(self.fileno, 0)
        return any(flags & select.POLLHUP for _, flags in waiting.poll(0))

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except OSError:
            self._is_deaf = True
        except Exception as error:  # noqa: BLE001 - the app tells it as it tells every fault of its own
            self._app.call_later(self._app._handle_exception, error)  # noqa: SLF001 - there is no other door
