"""The point of a run's past that a screen shows: read step by step, and kept still while the run goes on."""

from typing import TYPE_CHECKING

from tidegate.errors import RunNotFound, TidegateError
from tidegate.history.comparing import Rules, names_of_questions
from tidegate.history.points import Point
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.tui.nouns.travel import Base, Difference, Written
from tidegate.tui.present.differences import changed_of
from tidegate.tui.present.state_tree import Changed
from tidegate.tui.present.timeline import News, Timeline
from tidegate.tui.reads.lineage import read_lineage
from tidegate.tui.reads.output_tail import OutputTail
from tidegate.tui.reads.travel import (
    Against,
    prepare,
    read_difference,
    read_line,
    read_news,
    read_output,
    read_point,
)
from tidegate.tui.session import Call

if TYPE_CHECKING:
    from tidegate.history.views import RunView
    from tidegate.model.events import Record
    from tidegate.model.state import RunState
    from tidegate.tui.present.lineage import Branch

__all__ = ["Past"]


class Past:
    """One point of one run, with what was read of it so far."""

    other = ""
    """Another run, or a point of one, as somebody has named it to compare with."""
    rules = Rules()
    """What counts as a difference."""

    def __init__(
        self, call: Call, run_id: RunId, seq: Seq | None = None, block: BlockId | None = None
    ) -> None:
        """Begin with nothing read.

        Args:
            call: Asks the session.
            run_id: Which run.
            seq: The event right after which it is seen; None: the newest when it is read.
            block: What of it deserves attention.
        """
        self._call = call
        self.run_id = run_id
        self.wanted = seq
        """None: where the run is when it is read."""
        self.timeline: Timeline | None = None
        self.view: RunView | None = None
        """The run as it is now; None: nothing was read yet."""
        self.news = News()
        self.is_gone = False
        """Whether the run was removed since."""
        self.problem = ""
        """Why the point one wants to see cannot be read."""
        self.state: RunState | None = None
        self.record: Record | None = None
        self.base = Base.BEFORE
        self.marked: Point | None = None
        self.difference: Difference | None = None
        """None: not compared yet."""
        self.changed = Changed()
        self.written: Written | None = None
        self.tail = OutputTail()
        self.lineage: Branch | None = None
        self.version = 0
        """Another one whenever something else was read of the point."""
        self._block = block
        self._written_at: tuple[BlockId, int] | None = None
        self._is_prepared = False

    @property
    def here(self) -> Point | None:
        """The point that was read; None: none was yet."""
        return Point(self.run_id, self.state.head) if self.state is not None else None

    @property
    def at(self) -> int:
        """The event one is at, or on the way to."""
        if self.wanted is not None:
            return self.wanted
        return self.timeline.head if self.timeline is not None else 0

    @property
    def is_there(self) -> bool:
        """Whether what was read is what one wants to see."""
        return self.state is not None and self.state.head == self.at

    @property
    def mark_here(self) -> int | None:
        """The event of this run that was marked."""
        return self.marked.seq if self.marked is not None and self.marked.run_id == self.run_id else None

    @property
    def block(self) -> BlockId | None:
        """The block that the event one is at is about, or the one before it; else the one that one came for."""
        events = [self.record] if self.record is not None else []
        if self.difference is not None:
            events += reversed([record for record in self.difference.events if record.seq <= self.at])
        found = (getattr(record.event, "block", None) for record in events)
        return next((BlockId(block) for block in found if block), self._block)

    # -- where to be --------------------------------------------------------------------------

    def go(self, seq: int) -> None:
        """Want to see another point."""
        if self.timeline is not None:
            self.wanted = Seq(max(1, min(seq, self.timeline.head)))

    def compare(self, base: Base) -> None:
        """Want to see what differs from something else."""
        self.base, self.difference = base, None
        self.version += 1

    def compare_with(self, other: str) -> None:
        """Want to see what differs from another run, or from a point of one."""
        self.other = other
        self.compare(Base.OTHER)

    def count_by(self, rules: Rules) -> None:
        """Want to see what differs by other rules."""
        self.rules = rules
        self.compare(self.base)

    def toggle_mark(self) -> None:
        """Mark the point that was read, or take its mark off."""
        self.marked = None if self.marked == self.here else self.here
        if self.base is Base.MARKED:
            self.compare(Base.BEFORE if self.marked is None else Base.MARKED)

    def bases(self) -> list[Base]:
        """Return what there is to compare with."""
        is_fork = self.view is not None and self.view.row.origin is not None
        missing = {Base.MARKED: self.marked is None, Base.FORK_POINT: not is_fork, Base.OTHER: not self.other}
        return [base for base in Base if not missing.get(base)]

    # -- reading ------------------------------------------------------------------------------

    async def read_line(self, *, anew: bool = False) -> None:
        """Read the run's line for the first time, or *anew*; else only what has happened since.

        Raises:
            RunNotFound: it was gone before anything was read of it.
        """
        try:
            if self.timeline is None or anew:
                self.view, self.timeline = await self._call(lambda session: read_line(session, self.run_id))
                self.news = News()
            else:
                head = self.timeline.head
                self.view, self.news = await self._call(lambda session: read_news(session, self.run_id, head))
        except RunNotFound:
            if self.timeline is None:
                raise
            self.is_gone = True

    async def read_point(self) -> bool:
        """Read the point one wants to see; return whether it is still that one, and can be read."""
        wanted = Point(self.run_id, Seq(self.at))
        if self.here == wanted:
            self.problem = ""
            return True
        try:
            state, record = await self._call(lambda session: read_point(session, wanted))
        except TidegateError as error:
            # What somebody has left meanwhile is no trouble any more.
            if self.at == wanted.seq:
                self.problem = str(error)
            return False
        if self.at != wanted.seq:
            return False
        self.state, self.record, self.problem = state, record, ""
        self.difference, self.changed = None, Changed()
        self.version += 1
        return True

    @property
    def _against(self) -> Against | None:
        if self.timeline is None or self.here is None:
            return None
        before = self.timeline.before(self.here.seq)
        return Against(self.here, self.base, before, self.marked, self.other, self.rules)

    async def read_difference(self) -> bool:
        """Read what differs, unless that is known; return whether it is still what one wants to see."""
        asked = self._against
        if self.difference is not None or asked is None:
            return True
        difference = await self._call(lambda session: read_difference(session, asked))
        if asked != self._against or self.state is None:
            return False
        self.difference = difference
        self.changed = changed_of(difference.comparison, asked.here, names_of_questions(self.state))
        self.version += 1
        return True

    async def read_output(self, place: BlockId | None) -> None:
        """Read what a place had written by this point, unless that is known."""
        state = self.state
        if place is None or state is None or self._written_at == (place, state.head):
            return
        written = await self._call(lambda session: read_output(session, state, place))
        self.written, self._written_at, self.tail = written, (place, state.head), OutputTail()
        self.version += 1
        self.tail.feed(written.chunks if written is not None else ())

    async def read_lineage(self) -> None:
        """Read the tree of forks that the run is in."""
        self.lineage = await self._call(lambda session: read_lineage(session, self.run_id))

    async def prepare(self) -> None:
        """Make later steps quick; once, and while nobody waits for it."""
        if not self._is_prepared:
            self._is_prepared = True
            await self._call(lambda session: prepare(session, self.run_id))
