"""What is typed before something happens that cannot be undone: no press alone does it."""

from collections.abc import Callable

from tidegate.model.ids import RunId
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.gate import Gate
from tidegate.tui.dialogs.parts import LineField

__all__ = ["CertaintyField", "names_run", "start_of"]

_ENOUGH = 4
"""Characters of a run's id that show which run is meant."""


def start_of(run_id: RunId) -> str:
    """Return what has to be typed of a run's id, safe to draw."""
    return safe_line(run_id[:_ENOUGH])


def names_run(typed: str, run_id: RunId) -> bool:
    """Return whether what was typed is the run's id, or enough of its start."""
    typed = typed.strip()
    return len(typed) >= min(_ENOUGH, len(run_id)) and run_id.startswith(typed)


class CertaintyField(LineField):
    """Shown once an answer needs it."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate, id="certainty")
        self._accepts: Callable[[str], bool] = lambda _: False
        self.display = False

    def expect(self, title: str, accepts: Callable[[str], bool]) -> None:
        """Show it.

        Args:
            title: What is to be typed, safe to draw.
            accepts: Whether this is it.
        """
        self._accepts, self.border_title = accepts, title
        self.display = True

    @property
    def is_given(self) -> bool:
        """Whether what was expected is typed."""
        return self.display and self._accepts(self.value)

    def refuse(self) -> None:
        """Mark it as what is missing, and take text."""
        self.add_class("-invalid")
        self.focus()

    def on_input_changed(self) -> None:
        """Take the mark away: somebody is at it."""
        self.remove_class("-invalid")
