"""What a fork will do, for people and programs: what stays, what runs, what has effects, what is asked."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from tidegate.engine.forks.edits import EditedValue
from tidegate.engine.forks.questions import ForkedQuestion
from tidegate.model.base import JsonObject
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, block_of
from tidegate.model.state import BlockStatus

__all__ = ["Below", "Fate", "ForkPreview", "ForkedBlock", "name_below"]


def name_below(above: str, place: str) -> str:
    """Return a place of a run below, as it is named in the one above; *above* is empty for that one itself."""
    return f"{above}/{place}" if above else place


class Fate(StrEnum):
    """What becomes of a block in a fork."""

    STAYS = "stays"
    """It had ended, and is not run again."""
    AGAIN = "again"
    """It had begun, or even ended, and runs again."""
    GOES_ON = "goes on"
    """Some of its parts stay and others run, its question was answered before the point, or the run that does
    its work goes on as a fork."""
    AHEAD = "ahead"
    """It had not begun, and runs if its condition and what it depends on let it."""
    NOT_RUN = "not run"
    """It had not ended, and is left out: what is decided as the fork begins says so."""

    @property
    def runs(self) -> bool:
        """Whether something of the block may run."""
        return self not in (Fate.STAYS, Fate.NOT_RUN)


@dataclass(frozen=True, slots=True)
class ForkedBlock:
    """One block in a fork."""

    block: BlockId
    type: str
    fate: Fate
    then: BlockStatus
    """Where it stood at the point."""
    why: str = ""
    """For people; empty where the fate says it."""
    has_effect: bool = False
    """Whether running it may change something outside of the run; never said of one that does not run."""
    reversible: bool = True
    """Whether what it does outside can be undone, as far as its author knows."""
    asks: bool = False
    """Whether it, or a run that it starts, may put a question to somebody; never said of one that does not run."""
    asks_if_it_fails: bool = False
    """Whether somebody is asked what to do if it fails, or something of what it calls."""
    questions: tuple[ForkedQuestion, ...] = ()
    """What it asks, as far as that is known; of a block that asks in parts one for each of them."""
    parts: tuple[tuple[BlockId, Fate], ...] = ()
    """Of one that goes on with its parts, those that run."""
    only_below: bool = False
    """Whether all of it that runs is in runs below that go on."""
    above: str = ""
    """The places above that it is below of, such as ``regions[red]``; empty for a block of the run itself."""

    @property
    def name(self) -> str:
        """Its id, with the places above."""
        return name_below(self.above, self.block)

    @property
    def runs(self) -> bool:
        """Whether something of it may run."""
        return self.fate.runs


@dataclass(frozen=True, slots=True)
class Below:
    """What the fork of a run below will do."""

    place: BlockId
    """Whose work it does."""
    preview: "ForkPreview"


@dataclass(frozen=True, slots=True)
class ForkPreview:
    """What a fork will do."""

    origin: Origin
    head: int
    """The newest event of the other run."""
    at: float
    """When it stood at the point. Seconds since 1970 UTC."""
    workflow: str
    blocks: tuple[ForkedBlock, ...]
    """In the order of the file."""
    edits: tuple[EditedValue, ...] = ()
    warnings: tuple[str, ...] = ()
    below: tuple[Below, ...] = ()
    """Runs below that go on as forks of their own, by the places whose work they do."""

    @property
    def stays(self) -> tuple[ForkedBlock, ...]:
        """What had ended, and is not run again."""
        return tuple(block for block in self.blocks if block.fate is Fate.STAYS)

    @property
    def runs(self) -> tuple[ForkedBlock, ...]:
        """What may run."""
        return tuple(block for block in self.blocks if block.runs)

    @property
    def left_out(self) -> tuple[ForkedBlock, ...]:
        """What had not ended, and does not run."""
        return tuple(block for block in self.blocks if block.fate is Fate.NOT_RUN)

    @property
    def effects(self) -> tuple[ForkedBlock, ...]:
        """What may run, here or below, and then changes something outside; first what cannot be undone."""
        return tuple(sorted((it for it in self.leaves() if it.has_effect), key=lambda it: it.reversible))

    @property
    def questions(self) -> tuple[ForkedBlock, ...]:
        """What may ask somebody, here or below."""
        return tuple(block for block in self.leaves() if block.asks)

    def leaves(self) -> Iterator[ForkedBlock]:
        """Yield the blocks of the run, in the place of those whose run goes on the blocks of that one."""
        below: dict[BlockId, list[Below]] = defaultdict(list)
        for it in self.below:
            below[block_of(it.place)].append(it)
        for block in self.blocks:
            if not block.only_below:
                yield block
            for it in below[block.block]:
                for leaf in it.preview.leaves():
                    above = name_below(it.place, leaf.above) if leaf.above else it.place
                    yield replace(leaf, above=above)

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {
            "forked_from": {"run_id": self.origin.run_id, "seq": self.origin.seq, "head": self.head},
            "workflow": self.workflow,
            "blocks": [_block_json(block) for block in self.blocks],
            "edits": [
                {"path": list(edit.path), "before": edit.before, "after": edit.after} for edit in self.edits
            ],
            "warnings": list(self.warnings),
            "below": [{"place": it.place, **it.preview.as_json()} for it in self.below],
        }


def _block_json(block: ForkedBlock) -> JsonObject:
    return {
        "block": block.block,
        "type": block.type,
        "fate": block.fate.value,
        "status_then": block.then.value,
        "why": block.why,
        "parts": [{"place": place, "fate": fate.value} for place, fate in block.parts],
        "has_effect": block.has_effect,
        "reversible": block.reversible,
        "asks": block.asks,
        "asks_if_it_fails": block.asks_if_it_fails,
        "questions": [question.as_json() for question in block.questions],
    }
