"""A run as it moves, line by line: what happens in it, and in the runs that its blocks have started."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic

from tidegate.cli.console import say
from tidegate.cli.wiring import Session
from tidegate.history.history import History
from tidegate.history.narrate import narrate
from tidegate.history.parts import SHOWN, parts_of
from tidegate.model.events import (
    AttemptFailed,
    BlockExpanded,
    BlockPaused,
    ChildStarted,
    JournalEvent,
    LoopTurned,
    Record,
    RunFinished,
    RunStarted,
)
from tidegate.model.ids import BlockId, RunId, Seq, block_of, is_part
from tidegate.model.listing import RunFilter, RunRow
from tidegate.safe_text import safe_line

__all__ = ["Heads", "Teller", "heads_of"]

_LINE = 200
"""Characters of one line of progress: enough for what happened; the whole text is in `logs` and `show`."""
_EVERY = 1.0
"""Seconds between two lines that count the parts of a block with many."""
_LOOK_AGAIN = 1.0
"""Seconds after which counts are told even though nothing more happened."""
_START = Seq(0)

Heads = Mapping[RunId, Seq]
"""Up to where the journals of a run and of those around it are known already."""


async def heads_of(history: History, run_id: RunId) -> Heads:
    """Return where the journals of all runs stand that belong together with one.

    Raises:
        RunNotFound: there is no such run.
    """
    row = (await history.run_view(run_id)).row
    tree = await history.tree(row.root or run_id)
    return {view.row.run_id: view.row.head for view in tree.views}


@dataclass(slots=True)
class _Crowd:
    """A block with so many parts that they are counted, and not told one by one."""

    told_at: float = float("-inf")
    """Monotonic seconds."""
    moved: bool = False
    """Whether something happened that was not counted yet."""
    named: int = 0
    """How many failures and questions were told."""


_Block = tuple[RunId, BlockId]


@dataclass(slots=True)
class Teller:
    """Tells each event of a run, and of everything around it, once."""

    session: Session
    run_id: RunId
    """The run at the top."""
    since: Heads
    """What is not told: events up to here."""
    _ended: bool = False
    _read: dict[RunId, Seq] = field(default_factory=dict)
    _untold: list[Record] = field(default_factory=list)
    """What was read and is still to be told."""
    _paths: dict[RunId, tuple[BlockId, ...]] = field(default_factory=dict)
    """The runs that are followed, with the places from the top down to them."""
    _sizes: dict[_Block, int] = field(default_factory=dict)
    """How many items a block has."""
    _crowds: dict[_Block, _Crowd] = field(default_factory=dict)

    async def follow(self) -> None:
        """Tell what is there and what comes, until ended."""
        feed = self.session.executor.feed
        while not self._ended:
            cursor = await feed.now()
            await self.tell()
            await feed.wait(cursor, within=_LOOK_AGAIN)

    def end(self) -> None:
        """Let `follow` return, even where a cancellation goes unnoticed because news come with it."""
        self._ended = True

    async def tell(self, *, last: bool = False) -> None:
        """Tell what was not told yet; at the *last* time, how many parts of each block have ended, too."""
        if not self._paths:
            await self._meet_all()
        await self._read_news()
        while self._untold:
            # Taken out only once it was told: following may be cancelled at any await.
            await self._tell_one(self._untold[0])
            del self._untold[0]
        for block, crowd in self._crowds.items():
            if crowd.moved and (last or monotonic() - crowd.told_at >= _EVERY):
                await self._count(block, crowd, datetime.now(UTC).timestamp())

    # -- which runs ---------------------------------------------------------------------------

    async def _meet_all(self) -> None:
        """Begin to follow the runs that are there already."""
        self._paths[self.run_id] = ()
        for branch in (await self.session.history.tree(self.run_id)).below():
            row, place = branch.view.row, branch.place
            if row.parent in self._paths and not await self._is_crowded(row.parent, place):
                self._paths[row.run_id] = (*self._paths[row.parent], place)

    async def _read_news(self) -> None:
        """Read what was added to the runs that are followed, and to those that they have started."""
        ids = tuple(self._paths)
        while ids:
            met = len(self._paths)
            for view in await self.session.history.runs(RunFilter(ids=ids, limit=len(ids))):
                await self._read_added(view.row)
            ids = tuple(self._paths)[met:]
        self._untold.sort(key=lambda record: record.at)

    async def _read_added(self, row: RunRow) -> None:
        run_id = row.run_id
        # What a fork goes on from has happened to another run, and is not told as if it happened now.
        begun = row.origin.seq if row.origin is not None else _START
        read = self._read.get(run_id, max(begun, self.since.get(run_id, _START)))
        if row.head <= read:
            return
        for record in await self.session.history.events(run_id, after=read):
            event = record.event
            if isinstance(event, BlockExpanded):
                self._sizes[run_id, event.block] = len(event.keys)
            elif isinstance(event, ChildStarted) and not await self._is_crowded(run_id, event.block):
                self._paths.setdefault(event.child, (*self._paths[run_id], event.block))
            self._read[run_id] = record.seq
            self._untold.append(record)

    # -- lines --------------------------------------------------------------------------------

    async def _tell_one(self, record: Record) -> None:
        if not await self._is_only_counted(record) and (words := self._words(record)) is not None:
            self._say(record.run_id, record.at, words)

    async def _is_only_counted(self, record: Record) -> bool:
        """Whether an event happened to one of many parts, and needs nobody."""
        run_id, event = record.run_id, record.event
        place: BlockId | None = getattr(event, "block", None)
        if place is None:
            return False
        if await self._is_crowded(run_id, place):
            crowd = self._crowds.setdefault((run_id, block_of(place)), _Crowd())
            crowd.moved = True
            crowd.named += _is_worth_a_line(event)
            return not _is_worth_a_line(event) or crowd.named > SHOWN
        if (run_id, place) not in self._crowds:
            return False
        if isinstance(event, LoopTurned):
            return True
        await self._count((run_id, place), self._crowds[run_id, place], record.at)
        del self._crowds[run_id, place]
        return False

    async def _is_crowded(self, run_id: RunId, place: BlockId) -> bool:
        """Whether a place is one of so many that they are counted."""
        if not is_part(place):
            return False
        block = block_of(place)
        if place[len(block)] == "#":
            return int(place.rpartition("#")[2]) > SHOWN
        if (run_id, block) not in self._sizes:
            fan = (await self.session.history.state(run_id)).block(block).fan
            self._sizes[run_id, block] = len(fan.keys) if fan is not None else 0
        return self._sizes[run_id, block] > SHOWN

    async def _count(self, block: _Block, crowd: _Crowd, at: float) -> None:
        run_id, block_id = block
        parts = parts_of(await self.session.history.state(run_id), block_id, limit=0)
        crowd.told_at, crowd.moved = monotonic(), False
        if parts is not None:
            self._say(run_id, at, f"● {block_id}: {parts.text}")

    def _words(self, record: Record) -> str | None:
        match record.event:
            case RunStarted(workflow=workflow, by=by):
                is_top = record.run_id == self.run_id
                words = f"○ run {record.run_id} of {workflow} started" + (f" by {by}" if by else "")
                return words if is_top else None  # The block that started it has said so.
            case RunFinished():
                return None  # The last line says it, with the outputs.
            case event:
                return narrate(event, record.at)

    def _say(self, run_id: RunId, at: float, words: str) -> None:
        time = datetime.fromtimestamp(at, UTC).astimezone()
        path = self._paths.get(run_id, ())
        nested = "  " * len(path) + (f"{'/'.join(path)}: " if path else "")
        say(f"{time:%H:%M:%S}  {nested}{safe_line(words, limit=_LINE)}")


def _is_worth_a_line(event: JournalEvent) -> bool:
    """Whether something that happened to one of many parts is told by itself: it needs somebody."""
    return isinstance(event, BlockPaused) or (isinstance(event, AttemptFailed) and event.retry_at is None)
