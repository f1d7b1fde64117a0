"""Mode 2: the runs, newest first."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.binding import BindingType

from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseRow, RunFilter
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.looks.symbols import HELD, Sign, run_sign
from tidegate.tui.messages import AnswerWanted, Noted, RunWanted, TravelWanted
from tidegate.tui.paging import PAGE, Source
from tidegate.tui.present.runs import RUN_COLUMNS, run_line, run_preview, signed
from tidegate.tui.present.shared import counted, who
from tidegate.tui.present.turns import may_turn
from tidegate.tui.query.language import Query
from tidegate.tui.query.of_runs import RUNS, begins_at, run_filter
from tidegate.tui.screens.lists.paged_screen import PagedScreen
from tidegate.tui.session import Session
from tidegate.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from tidegate.model.base import JsonObject

__all__ = ["RunsScreen"]

_WORTH_COUNTING = (RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.FAILED, RunStatus.INTERRUPTED)


class RunsScreen(PagedScreen[RunView]):
    """All runs that nobody's block started, with where they stand."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (
        Scope.RUNS,
        Scope.TURNS,
        Scope.FILTER,
        Scope.ROWS,
        Scope.LIST,
        Scope.PREVIEW,
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.RUNS, Scope.TURNS)
    CSS_PATH = [style_sheet("run"), style_sheet("lists")]
    TITLE_OF_LIST = "Runs"
    COLUMNS: ClassVar[tuple[Column, ...]] = RUN_COLUMNS
    LISTING = RUNS
    EMPTY = "No run yet. Press 4 for what can be started, or type: tidegate run FILE"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._pauses: tuple[PauseRow, ...] = ()
        self._signs: Counter[Sign] = Counter()
        """How many runs stand where."""

    async def read(self) -> None:
        """Read runs, and what they ask."""
        query, now = cast("Query[RunView]", self._query), self._desk.clock.now()
        stands, asked = self.wanted(), run_filter(query, now, PAGE)

        async def page(older: RunView | None, limit: int) -> Sequence[RunView]:
            wanted = asked.evolve(limit=limit, older_than=older.row.run_id if older is not None else None)
            if older is not None:
                return await self._desk.engine.call(lambda session: session.history.runs(wanted))
            runs, self._pauses = await self._desk.engine.call(lambda session: _read(session, wanted))
            return runs

        await self.pager.update(
            Source(
                page,
                lambda run: query.holds(run, now, self._text),
                self.key_of,
                self.born,
                begins_at(query, now),
                lambda: self.wanted() == stands,
            ),
            self._desk.clock.monotonic,
        )

    def narrows(self) -> bool:
        """Whether the store leaves out some runs already."""
        query, now = cast("Query[RunView]", self._query), self._desk.clock.now()
        is_whole = run_filter(query, now, PAGE) == run_filter(Query(), now, PAGE)
        return not is_whole or begins_at(query, now) > 0

    def born(self, row: RunView) -> float:
        """Return when a run was started."""
        return row.row.created_at

    async def still_there(self, keys: Collection[str]) -> Collection[str]:
        """Return which of some runs there are still."""
        wanted = RunFilter(ids=tuple(map(RunId, keys)), limit=len(keys))
        runs = await self._desk.engine.call(lambda session: session.history.runs(wanted))
        return [self.key_of(run) for run in runs]

    def key_of(self, row: RunView) -> str:
        """Return the id of a run."""
        return row.row.run_id

    def line_of(self, row: RunView, now: float) -> Line:
        """Return a run as a row."""
        return run_line(row, now)

    def json_of(self, key: str) -> "JsonObject":
        """Return a run as `list --json` has it."""
        run = self.find(key)
        return run.as_json() if run is not None else {}

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return what the run is about."""
        run = self.find(key)
        return run_preview(run, self._pauses, now) if run else ()

    def title_of(self, key: str) -> str:
        """Return its name."""
        run = self.find(key)
        return who(run.row.workflow, run.row.run_id) if run else ""

    def fetched(self) -> None:
        """Count anew how many stand where: it is said every second."""
        super().fetched()
        self._signs = Counter(map(signed, self.listed()))

    def summary(self, now: float) -> Sequence[Piece]:
        """Return how many runs stand where."""
        del now
        pieces = [Piece(counted(len(self._found), "run", more=self.more), Tone.DIM)]
        counts = [(self._signs[sign], sign) for sign in (*map(run_sign, _WORTH_COUNTING), HELD)]
        return [*pieces, *(Piece(f" · {count} {sign.word}", sign.tone) for count, sign in counts if count)]

    # -- keys ---------------------------------------------------------------------------------

    def applies(self, action: str) -> bool:
        """Whether a key would do something to the run the cursor is on."""
        run = self.find(self.rows_view.cursor_key)
        if action == "answer":
            return bool(self._asked())
        if action in ("open_row", "travel"):
            return run is not None
        return run is not None and may_turn(action, run) if "turn" in action else super().applies(action)

    def _asked(self) -> list[PauseRow]:
        here = self.rows_view.cursor_key
        return [pause for pause in self._pauses if here in (pause.run_id, pause.root)]

    def target(self) -> tuple[RunId, BlockId | None] | None:
        """Return the run the cursor is on."""
        run = self.find(self.rows_view.cursor_key)
        return (run.row.run_id, None) if run is not None else None

    @on(LineList.Selected, "#list")
    def action_open_row(self) -> None:
        """Show the run."""
        run = self.find(self.rows_view.cursor_key)
        if run is not None:
            self.post_message(RunWanted(run.row.run_id))

    def action_travel(self) -> None:
        """Show the past of the run."""
        run = self.find(self.rows_view.cursor_key)
        if run is not None:
            self.post_message(TravelWanted(run.row.run_id))

    def action_answer(self) -> None:
        """Open the first question of the run."""
        if asked := self._asked():
            self.post_message(
                AnswerWanted(asked[0], f"1 of {len(asked)} in this run" if len(asked) > 1 else "")
            )
        elif self.rows_view.cursor_key:
            self.post_message(Noted("this run asks nothing", Tone.DIM))


async def _read(session: Session, wanted: RunFilter) -> tuple[tuple[RunView, ...], tuple[PauseRow, ...]]:
    return await session.history.runs(wanted), await session.history.inbox()
