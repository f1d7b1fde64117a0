"""What an answer would lead to, as far as it can be known before it is given."""

from enum import StrEnum

from tidegate.model.base import JsonObject, Noun
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, PauseId, RunId, Seq

__all__ = ["Ahead", "ForeseenBlock", "Outlook", "Supposed", "news"]


class Supposed(StrEnum):
    """What is supposed of a question where no answer is."""

    ANYTHING = "anything"
    """It is answered in some way, which is not known yet, and its block succeeds."""
    NOTHING = "nothing"
    """Nobody answers before its deadline, or ever."""


class Ahead(StrEnum):
    """When a block is reached."""

    AT_ONCE = "at once"
    """In the moment of the answer."""
    LATER = "later"
    """After what runs, or asks, before it; if that goes well."""
    WAITS = "waits"
    """Not by this answer alone: somebody else has to decide something as well."""
    SKIPPED = "skipped"
    """It will not run."""


class ForeseenBlock(Noun):
    """What becomes of a block."""

    block: BlockId
    type: str
    ahead: Ahead
    does: str = ""
    """What it runs, rendered; empty while that depends on what is not known yet."""
    condition: str = ""
    """Its condition as written, where it cannot be decided yet."""
    is_sure: bool = True
    """Whether it runs (or is skipped) for sure, if all before it goes well."""
    has_effect: bool = False
    """Whether running it may change something outside of the run."""
    reversible: bool = True
    """Whether what it does outside can be undone, as far as its author knows."""
    after_question: bool = False
    """Whether somebody is asked once more, for sure, before it begins."""
    asks: bool = False
    """Whether it, or a run that it starts, may put a question to somebody."""
    always: bool = False
    """Whether it runs whatever happens before it."""
    reason: str = ""
    """Why it is skipped."""
    by_wave: bool = False
    """Whether it depends on nothing that this answer decides: it only waits for the next wave to begin."""
    waits_for: tuple[str, ...] = ()
    """What it waits for that somebody else decides, the first few."""
    above: str = ""
    """The workflow it belongs to, if that is one that has called the workflow which asks."""

    @property
    def skipped(self) -> bool:
        """Whether it will not run."""
        return self.ahead is Ahead.SKIPPED


class Outlook(Noun):
    """What an answer would lead to."""

    pause_id: PauseId
    run_id: RunId
    head: Seq
    """The position of the journal that it was read from."""
    blocks: tuple[ForeseenBlock, ...] = ()
    """What hangs on the answer, in the order in which it is reached; blocks of workflows above last."""
    hidden: int = 0
    """How many more there are."""
    block_ends: str = ""
    """As what the block that asks ends: the word of its status; empty: it goes on, or asks again."""
    ends: RunStatus | None = None
    """As what the run ends at once; None: it goes on."""
    asks_again: str = ""
    """What the block asks next, if it does."""
    caller: str = ""
    """The workflow that waits for the run which asks; empty: none does."""
    is_held: bool = False
    """Whether nothing starts before a person lets the run go on."""

    def of(self, ahead: Ahead) -> tuple[ForeseenBlock, ...]:
        """Return the blocks that are reached then."""
        return tuple(block for block in self.blocks if block.ahead is ahead)

    @property
    def runs(self) -> tuple[ForeseenBlock, ...]:
        """The blocks that run, or may, by this answer alone."""
        return tuple(block for block in self.blocks if block.ahead in (Ahead.AT_ONCE, Ahead.LATER))

    @property
    def effects(self) -> tuple[ForeseenBlock, ...]:
        """The blocks that run, or may, and then change something outside."""
        return tuple(block for block in self.runs if block.has_effect)

    @property
    def irreversible(self) -> tuple[ForeseenBlock, ...]:
        """The blocks that run, or may, without another question before them, and do what cannot be undone."""
        return tuple(block for block in self.runs if not block.reversible and not block.after_question)

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {
            "pause_id": self.pause_id,
            "run_id": self.run_id,
            "seq": self.head,
            "blocks": [_as_json(block) for block in self.blocks],
            "hidden": self.hidden,
            "block_ends": self.block_ends or None,
            "run_ends": self.ends.value if self.ends is not None else None,
            "asks_again": self.asks_again or None,
            "caller": self.caller or None,
            "held": self.is_held,
        }


def _as_json(block: ForeseenBlock) -> JsonObject:
    return {
        "block": block.block,
        "type": block.type,
        "ahead": block.ahead.value,
        "does": block.does or None,
        "condition": block.condition or None,
        "is_sure": block.is_sure,
        "has_effect": block.has_effect,
        "reversible": block.reversible,
        "after_question": block.after_question,
        "asks": block.asks,
        "always": block.always,
        "reason": block.reason or None,
        "by_wave": block.by_wave,
        "waits_for": list(block.waits_for),
        "workflow": block.above or None,
    }


def news(seen: Outlook, now: Outlook) -> tuple[ForeseenBlock, ...]:
    """Return the blocks of *now* that somebody who has seen *seen* does not expect.

    What runs now though it was not to run, and what runs something else. That a block is reached earlier, or
    runs already, or will not run after all, surprises nobody into doing something by accident.
    """
    expected = {(it.above, it.block): it.does for it in seen.runs}
    return tuple(
        it
        for it in now.runs
        if (it.above, it.block) not in expected or _differs(expected[it.above, it.block], it.does)
    )


def _differs(seen: str, now: str) -> bool:
    return bool(seen) and bool(now) and seen != now
