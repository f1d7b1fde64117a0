"""What is typed before something happens that cannot be undone: no press alone does it."""

from collections.abc import Callable
from typing import NamedTuple

from tidegate.model.ids import RunId
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import LineField

__all__ = ["CertaintyField", "Proof", "name_of_run", "names_run", "start_of"]

_ENOUGH = 4
"""Characters of a run's id that show which run is meant."""


def start_of(run_id: RunId) -> str:
    """Return what has to be typed of a run's id, safe to draw."""
    return safe_line(run_id[:_ENOUGH])


def names_run(typed: str, run_id: RunId) -> bool:
    """Return whether what was typed is the run's id, or enough of its start."""
    typed = typed.strip()
    return len(typed) >= min(_ENOUGH, len(run_id)) and run_id.startswith(typed)


class Proof(NamedTuple):
    """What has to be typed, by somebody who is certain."""

    title: str
    """As a wish, safe to draw."""
    accepts: Callable[[str], bool]
    """Whether this is it."""
    other: str = "that is something else"
    """That something else is typed, safe to draw."""


def name_of_run(run_id: RunId) -> Proof:
    """Return what is typed by somebody who knows which run is meant."""
    title = f"Type {start_of(run_id)}, the start of this run's id"
    return Proof(title, lambda typed: names_run(typed, run_id), "that is another id")


class CertaintyField(LineField):
    """Shown once something needs it."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate, id="certainty")
        self._accepts: Callable[[str], bool] = lambda _: False
        self.display = False

    def _expect(self, proof: Proof) -> None:
        self.border_title, self._accepts = proof.title, proof.accepts
        self.display = True

    def wish(self, final: str, proof: Proof) -> str:
        """Return what is still to be typed before something is done; empty: nothing.

        Args:
            final: What of it cannot be undone, safe to draw; empty: nothing.
            proof: What is typed before that.
        """
        if not final:
            return ""
        self._expect(proof)
        but = f"; {proof.other}" if self.value.strip() else ""
        return "" if self.is_given else f"First (tab): {proof.title}{but}."

    def refusal(self, final: str, proof: Proof, *, undone: str, then: str) -> str:
        """Return why something is not done yet, as a sentence, and ask for what is missing; empty: it may be done.

        Args:
            final: What of it cannot be undone, safe to draw; empty: nothing.
            proof: What is typed before that.
            undone: That it is not done.
            then: What does it, once that is typed.
        """
        if not final or self.is_given:
            return ""
        self._expect(proof)
        self.add_class("-invalid")
        self.focus()
        why = f"{proof.other.capitalize()}. " if self.value.strip() else ""
        return f"{undone}: {final} cannot be undone. {why}{proof.title}; {then}."

    @property
    def is_given(self) -> bool:
        """Whether what was expected is typed."""
        return self.display and self._accepts(self.value)

    def on_input_changed(self) -> None:
        """Take the mark away: somebody is at it."""
        self.remove_class("-invalid")
