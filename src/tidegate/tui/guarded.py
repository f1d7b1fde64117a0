"""An app that always gives the terminal back, and never shows a traceback.

Its terminal may go away (a dropped connection, a closed pane), signals may end it, and its own code
may fail. In each case it ends in order, with an exit code and, for a fault, a sentence and a log.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import RenderableType
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

from tidegate.tui.faults import DEBUG_VARIABLE, FaultLog
from tidegate.tui.host.terminal import MonitorDriver

__all__ = ["GuardedApp"]

_FORGET = 0.2
"""Seconds after which an interrupt that was meant for another program was seen by the loop."""
_LOOK = 1.0
"""Seconds between two looks whether the terminal is still there."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class GuardedApp(App[None]):
    """Ends in order whatever happens; `watch_over` begins that, `stop_watching` ends it."""

    def __init__(self, *, css_path: list[Path]) -> None:
        super().__init__(css_path=list(css_path))
        self.problem = ""
        """Why it ended, for whoever started it; empty when the operator ended it."""
        self._faults = FaultLog()

    def watch_over(self) -> None:
        """Take signals, look after the terminal, and open the log for what nobody expects."""
        self._faults.open()
        self._take_signals()
        self.set_interval(_LOOK, self._look_for_terminal)

    def stop_watching(self) -> None:
        """Give the signals back, and close the log."""
        self._leave_signals()
        self._faults.close()

    def _take_signals(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                asyncio.get_running_loop().add_signal_handler(number, self._end, number)

    def _leave_signals(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                asyncio.get_running_loop().remove_signal_handler(number)
            if self.return_code == 128 + signal.SIGHUP:
                # What is left to do, such as deleting a scratch store, needs no terminal either.
                signal.signal(signal.SIGHUP, signal.SIG_IGN)

    @contextmanager
    def lend_terminal(self) -> Iterator[None]:
        """Lend the terminal to another program, which is waited for where this is used.

        Raises:
            SuspendNotSupported: it cannot be lent.
        """
        with self.suspend(), self._without_interrupts():
            yield

    @contextmanager
    def _without_interrupts(self) -> Iterator[None]:
        """Leave the key that means an interrupt to the program that has the terminal."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        loop.remove_signal_handler(signal.SIGINT)
        # Handled, not ignored: what is ignored here would be ignored in the other program, too.
        signal.signal(signal.SIGINT, lambda *_: None)
        try:
            yield
        finally:
            # Later: the loop still has to see, and to forget, what came meanwhile.
            loop.call_later(_FORGET, lambda: loop.add_signal_handler(signal.SIGINT, self._end, signal.SIGINT))

    def _end(self, number: signal.Signals) -> None:
        self.exit(return_code=128 + number)

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that survives its terminal, unless another one is asked for."""
        chosen = super().get_driver_class()
        return MonitorDriver if chosen is LinuxDriver else chosen

    def _look_for_terminal(self) -> None:
        """End when the terminal is gone, even where no signal says so."""
        if isinstance(self._driver, MonitorDriver) and self._driver.is_gone:
            self._end(signal.SIGHUP)

    @property
    def log_file(self) -> Path:
        """Where what nobody expected is written."""
        return self._faults.path

    def say_to_terminal(self, sequence: str) -> None:
        """Write a control sequence, while there is a terminal."""
        if self._driver is not None:
            self._driver.write(sequence)

    # -- what nobody expected -----------------------------------------------------------------

    def _handle_exception(self, error: Exception) -> None:
        """Keep what went wrong, then end; the toolkit's own way begins here."""
        self.problem = self.problem or self._faults.keep(error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """End without the traceback that the toolkit shows."""
        if os.environ.get(DEBUG_VARIABLE):
            super()._fatal_error()
        else:
            self._close_messages_no_wait()

    def panic(self, *renderables: RenderableType) -> None:
        """End; what the toolkit has to show about it is in the log."""
        super().panic(*(renderables if os.environ.get(DEBUG_VARIABLE) else ()))
