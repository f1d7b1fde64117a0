"""What parts of the monitor tell each other. Wishes go up to the app; facts come up from the engine."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import PauseRow
from tidegate.tui.lines import Tone

if TYPE_CHECKING:
    from tidegate.tui.nouns.fork_wish import ForkWish
    from tidegate.tui.nouns.launch import LaunchWish
    from tidegate.tui.nouns.travel import Base
    from tidegate.tui.nouns.turns import TurnRequest

__all__ = [
    "AnswerWanted",
    "EditWanted",
    "EngineLost",
    "ForkWanted",
    "LaunchWanted",
    "LogWanted",
    "Noted",
    "OverviewStale",
    "RunWanted",
    "ScreenShown",
    "StoreChanged",
    "StoreHeard",
    "StoreTroubled",
    "TextWanted",
    "TravelWanted",
    "TurnWanted",
]


class StoreChanged(Message):
    """Something was committed, here or elsewhere."""

    def can_replace(self, message: Message) -> bool:
        """Whether one of two is enough: it says only that there is something to read."""
        return isinstance(message, StoreChanged)


class StoreHeard(Message):
    """The store was looked at; nothing of it has changed."""

    def can_replace(self, message: Message) -> bool:
        """Whether one of two is enough: the last one says when that was."""
        return isinstance(message, StoreHeard)


class StoreTroubled(Message):
    """The store could not be read; it is being tried again."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem
        """What is wrong, and what would help, without the name of the store."""


class EngineLost(Message):
    """The store could not be opened, or the engine has ended."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem


class Noted(Message):
    """Something the operator should read once."""

    def __init__(self, text: str, tone: Tone = Tone.PLAIN) -> None:
        super().__init__()
        self.text = text
        self.tone = tone


class ScreenShown(Message):
    """Another screen of the monitor is in sight now, or the same one again."""


class OverviewStale(Message):
    """What is counted on every screen is another number now, though nothing was committed."""


class RunWanted(Message):
    """The operator wants to see a run."""

    def __init__(self, run_id: RunId, block: BlockId | None = None) -> None:
        super().__init__()
        self.run_id = run_id
        self.block = block


class LogWanted(Message):
    """The operator wants to read what a place of a run has written, or all of them."""

    def __init__(self, run_id: RunId, place: BlockId | None = None) -> None:
        super().__init__()
        self.run_id = run_id
        self.place = place


class AnswerWanted(Message):
    """The operator wants to answer a pause."""

    def __init__(self, pause: PauseRow, position: str = "", *, rejects: bool = False) -> None:
        super().__init__()
        self.pause = pause
        self.position = position
        """Such as ``2 of 7``; empty for the only one."""
        self.rejects = rejects
        """Whether the answer that rejects is to be armed, once keys count."""


class TurnWanted(Message):
    """The operator wants to turn the course of a run; which run and place is decided when the key is pressed."""

    def __init__(self, request: "TurnRequest") -> None:
        super().__init__()
        self.request = request


class TravelWanted(Message):
    """The operator wants to see a run as it was."""

    def __init__(
        self,
        run_id: RunId,
        seq: Seq | None = None,
        block: BlockId | None = None,
        base: "Base | None" = None,
        *,
        is_about_block: bool = False,
    ) -> None:
        """Say where.

        Args:
            run_id: Which run.
            seq: The event right after which; None: when the block ended or began last, else now.
            block: What of it deserves attention.
            base: What to compare it with; None: with the checkpoint before.
            is_about_block: Whether the block is what the operator was looking at, and the cursor goes to it.
        """
        super().__init__()
        self.run_id = run_id
        self.seq = seq
        self.block = block
        self.base = base
        self.is_about_block = is_about_block


class ForkWanted(Message):
    """The operator wants a run that goes on from a point of another one; which one is decided when the key is pressed."""

    def __init__(self, wish: "ForkWish") -> None:
        super().__init__()
        self.wish = wish


class LaunchWanted(Message):
    """The operator wants to start a workflow."""

    def __init__(self, wish: "LaunchWish") -> None:
        super().__init__()
        self.wish = wish


class EditWanted(Message):
    """The operator wants to change a file."""

    def __init__(self, path: Path, line: int, text: str | None = None) -> None:
        super().__init__()
        self.path = path
        self.line = line
        """1-based."""
        self.text = text
        """What the file held, of one that is gone: a copy of that can be read. None: it is there."""


class TextWanted(Message):
    """The operator wants to write what a field takes in an editor."""

    def __init__(
        self, text: str, suffix: str, take: Callable[[str], None], refuse: Callable[[str], None]
    ) -> None:
        """Say what.

        Args:
            text: What is in the field now.
            suffix: How the name of the file ends that holds it meanwhile, such as ``.json``.
            take: Takes what was saved.
            refuse: Takes why there is nothing to take, as a sentence that is safe to draw.
        """
        super().__init__()
        self.text = text
        self.suffix = suffix
        self.take = take
        self.refuse = refuse
