"""A run as it was: points, forks, the state at one point, and what there is to say of it."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import ScreenResume

from tidegate.errors import TidegateError
from tidegate.history.document import MISSING, document, pick
from tidegate.history.paths import Path, path_text
from tidegate.history.views import RunView
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.state import RunState
from tidegate.safe_text import safe_line
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Line, Piece, Tone
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.messages import Noted
from tidegate.tui.pane_sizes import LEAST, Along
from tidegate.tui.present.differences import change_hint
from tidegate.tui.present.lineage import tree_lines
from tidegate.tui.present.shared import json_lines_of, matching, short_id
from tidegate.tui.present.sight import difference_pane, difference_title, output_pane
from tidegate.tui.present.state_find import Haystack, find, found_lines
from tidegate.tui.present.state_tree import Opened, TreeRow, searchable, tree_rows
from tidegate.tui.present.timeline import (
    NOW_KEY,
    POINT_COLUMNS,
    Timeline,
    live_pieces,
    point_lines,
    scrubber,
    where_pieces,
)
from tidegate.tui.pulse import Pulse
from tidegate.tui.reads.past import Past
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.screens.filter_screen import filter_field
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.line_view import LineView
from tidegate.tui.widgets.text_pane import TextPane
from tidegate.tui.working import begin

__all__ = ["PastScreen"]

_GONE = "this run was removed: what stands here is what was read of it last"
_BESIDE = 140
"""Columns from which on both halves of the head stand in one line."""
_TALL = 30
"""Rows from which on the waves are named."""
_FORKS_REST = 2.0
"""Seconds between two looks at the tree of forks, which has up to some hundred runs."""
_LEAST_FORKS = 8
"""Rows that the tree of forks may have in any terminal; in a tall one a third of it."""


class PastScreen(MonitorScreen):
    """Shows one point of a run's past. Which one, and how, is decided by keys: see `TimeTravelScreen`."""

    CSS_PATH = style_sheet("time_travel")
    AUTO_FOCUS: ClassVar[str | None] = "#points"
    IS_PAST: ClassVar[bool] = True
    HORIZONTAL_BREAKPOINTS = [
        *MonitorScreen.HORIZONTAL_BREAKPOINTS,
        (160, "-vast"),
    ]

    def __init__(
        self, desk: Desk, run_id: RunId, seq: Seq | None = None, block: BlockId | None = None
    ) -> None:
        """Make it; see `Past`."""
        super().__init__(desk)
        self.run_id = run_id
        self._past = Past(desk.engine.call, run_id, seq, block)
        self._came_for: BlockId | None = None
        self._opened = Opened()
        self._rows: dict[str, TreeRow] = {}
        self._tree_of: tuple[int, int, str] | None = None
        """What the rows were made from."""
        self._sight_of: tuple[object, ...] = ()
        """What is said beside them was made from."""
        self._side = "difference"
        self._is_split = False
        self._words = {"points": "", "state": ""}
        self._hits: dict[str, int] = {}
        """Rows of the state at which the words were found that somebody looks for, numbered from 1."""
        self._hay: tuple[tuple[int, int], Haystack] | None = None
        self._forks = Pulse(self, self._read_forks, may_run=lambda: self.is_active, seconds=_FORKS_REST)
        self._placed = ""
        """The row that the cursor of the list was put on last."""
        self._seen = "points"
        """The pane that is seen where only one has room."""

    def compose_head(self) -> ComposeResult:
        """Yield what is typed into, and the line of the run's past."""
        yield filter_field("rows")
        yield LineView(id="past")

    def compose_body(self) -> ComposeResult:
        """Yield the panes."""
        with Container(id="points-side"):
            yield LineList(POINT_COLUMNS, id="points", classes="pane", empty="Reading the run…")
            yield LineList(id="forks", classes="pane")
        yield LineList(id="state", classes="pane", empty="Reading what it was…")
        with Container(id="sight"):
            yield TextPane(id="preview", classes="pane", hint="ctrl+↓ scrolls")
            yield TextPane(id="output", classes="pane")

    def on_mount(self) -> None:
        """Name the panes; the toolkit calls that of the base, too."""
        self.points.name_pane("Checkpoints")
        self.state_list.name_pane("State")

    def on_resize(self) -> None:
        """Fit everything, once the panes have their new width."""
        self.lay_out(self._seen)
        self.call_after_refresh(self.show_now)

    @property
    def is_single(self) -> bool:
        """Whether there is too little room for two panes beside each other."""
        return self.size.width < 2 * LEAST[Along.ACROSS]

    def lay_out(self, name: str) -> None:
        """Give a pane all the room, where two have none."""
        self._seen, is_single = name, self.is_single
        for pane, names in (
            ("points-side", ("points", "forks")),
            ("state", ("state",)),
            ("sight", ("sight",)),
        ):
            seen = "block" if name in names else "none"
            self.query_one(f"#{pane}").styles.display = seen if is_single else None
        self.query_one("#points-side").styles.width = "100%" if is_single else None

    @property
    def points(self) -> LineList:
        """The list of points."""
        return self.query_one("#points", LineList)

    @property
    def state_list(self) -> LineList:
        """The state."""
        return self.query_one("#state", LineList)

    @property
    def sight(self) -> TextPane:
        """What there is to say of it."""
        return self.query_one("#preview", TextPane)

    @property
    def row(self) -> TreeRow | None:
        """The row of the state that the cursor is on."""
        return self._rows.get(self.state_list.cursor_key)

    @property
    def place(self) -> BlockId | None:
        """The block that the cursor of the state is in, else that of the event one is at."""
        row = self.row
        match row.path if row is not None else ():
            case ("blocks", str(place), *_):
                return BlockId(place)
            case _:
                return self._past.block

    # -- reading ------------------------------------------------------------------------------

    async def load(self) -> None:
        """Read what is not read yet of the point one wants to see; what was read stays as it is."""
        past = self._past
        await past.read_line()
        self.show_now()
        if past.is_gone:
            return
        # Also made elsewhere, in another monitor or by a command; and where they stand changes.
        self._forks.wake()
        if not await past.read_point():
            if past.problem:
                self.show_now()
            else:
                self.wake()
            return
        self.show_now()
        if not await past.read_difference():
            self.wake()
            return
        await past.read_output(self.place)
        self.show_now()
        begin(self, "prepare", self._prepare)

    async def _prepare(self) -> None:
        try:
            await self._past.prepare()
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))

    @on(ScreenResume)
    def _look_at_forks(self) -> None:
        self._forks.wake()

    async def _read_forks(self) -> None:
        await self._past.read_lineage()
        self.show_now()

    # -- showing ------------------------------------------------------------------------------

    def show_now(self) -> None:
        """Show what was read so far."""
        self.show(self._desk.clock.now())

    def show(self, now: float) -> None:
        """Show what was read so far."""
        timeline, view = self._past.timeline, self._past.view
        if timeline is None or view is None or not self.is_mounted:
            return
        self._show_head(timeline, view, now)
        self._show_points(timeline, now)
        self._show_forks()
        self._show_state(timeline, now)
        self._show_sight(now)
        self.show_keys()

    def _show_head(self, timeline: Timeline, view: RunView, now: float) -> None:
        row, past = view.row, self._past
        which = short_id(row.run_id) if self.is_single else f"run {safe_line(row.run_id, 40)}"
        place = (
            Piece("" if self.is_single else "Time travel ", Tone.PAST),
            Piece(f" {safe_line(row.workflow, 100)}", Tone.STRONG),
            Piece(f"  {which}", Tone.DIM),
        )
        self.query_one(StatusLine).say(
            *place, *((Piece(f" · {_GONE}", Tone.FAILED),) if past.is_gone else ())
        )
        where, live = self._where(timeline, now), live_pieces(view, past.news)
        if self.size.width >= _BESIDE:
            lines = [Line("where", (*where, Piece("   "), *live), selectable=False)]
        else:
            lines = [Line("where", where, selectable=False), Line("live", live, selectable=False)]
        track = scrubber(timeline, past.at, past.mark_here, self.size.width - 2)
        lines += track if self.size.height >= _TALL else track[:1]
        head = self.query_one("#past", LineView)
        head.styles.height = len(lines)
        head.show(lines)

    def _where(self, timeline: Timeline, now: float) -> tuple[Piece, ...]:
        past = self._past
        if past.problem:
            return (
                Piece(" PAST ", Tone.PAST),
                Piece(f" event {past.at}: ", Tone.DIM),
                Piece(past.problem, Tone.FAILED),
            )
        if past.state is None or not past.is_there:
            reading = f" reading event {past.at} of {timeline.head}…"
            return (Piece(" PAST ", Tone.PAST), Piece(reading, Tone.DIM))
        percent = past.state.summarise().progress_percentage
        return where_pieces(timeline, past.state.head, past.state.updated_at, percent, now)

    def _show_points(self, timeline: Timeline, now: float) -> None:
        past, words = self._past, self._words["points"]
        lines = point_lines(timeline, past.at, past.mark_here, now)
        shown = [line for line in lines if line.key == NOW_KEY or matching(line, words)] if words else lines
        self.points.set_columns(POINT_COLUMNS)
        self.points.show(shown)
        has_row = any(line.key == str(past.wanted) for line in lines)
        key = str(past.wanted) if past.wanted is not None and has_row else NOW_KEY
        # Of several checkpoints at one event the cursor stays on the one that it was put on.
        if self._placed.partition(":")[0] != key:
            self._placed = key
            self.points.move_to(key)
        title = f"Checkpoints · / {words}" if words else "Checkpoints"
        self.points.name_pane(title, f"{timeline.number(past.at)}/{len(timeline.checkpoints)}")

    def _show_forks(self) -> None:
        forks = self.query_one("#forks", LineList)
        room = forks.room if forks.display else self.points.room
        lines = tree_lines(self._past.lineage, self.run_id, room)
        if lines and not forks.display:
            forks.show(lines)
            forks.move_to(self.run_id)
            # Once it is laid out: it may have a bar that the list of points has not, and less room.
            self.call_after_refresh(self.show_now)
        forks.display = bool(lines)
        if lines:
            forks.styles.max_height = most = max(_LEAST_FORKS, self.size.height // 3)
            forks.styles.height = min(most, len(lines) + 2)
            forks.show(lines)
            forks.name_pane("Forks", "enter opens one")

    def _show_state(self, timeline: Timeline, now: float) -> None:
        past, words = self._past, self._words["state"]
        if past.problem:
            self.state_list.empty = past.problem
        if past.state is None:
            return
        shown = (past.version, self._opened.version, words)
        if self._tree_of != shown:
            # Only what has changed: a branch of a large run takes a while.
            self._tree_of = shown
            found = find(self._searchable(past.state), words) if words else None
            rows = tree_rows(past.state, self._opened, past.changed, found, now)
            self._rows = {row.line.key: row for row in rows}
            hits = (row.line.key for row in rows if found is not None and row.path in found.hits)
            self._hits = {key: number for number, key in enumerate(hits, 1)}
            rest = list(found_lines(found)) if found is not None else []
            said = " ".join(
                [f"Nothing in the state has '{words}'. esc shows all.", *(line.text for line in rest)]
            )
            self.state_list.empty = said
            self.state_list.show([row.line for row in rows] + (rest if rows else []))
            self._come_to_block(past.state)
        seq = past.state.head
        title = f"State at {timeline.numbers(seq)}" if timeline.mark_at(seq) else f"State at @{seq}"
        hint = change_hint(past.changed.signs)
        self.state_list.name_pane(
            f"{title} · / {words}" if words else title, self._hits_words if words else hint
        )

    def put_cursor(self, path: Path) -> None:
        """Put the cursor of the state on a row that is there, also if it is on a page that is not shown yet."""
        if path_text(path) not in self._rows:
            self._opened.show_all(path)
            self.show_now()
        self.state_list.move_to(path_text(path))

    def come_for(self, block: BlockId) -> None:
        """Put the cursor of the state on a block, once it is there."""
        self._came_for = block
        if self._past.state is not None:
            self._come_to_block(self._past.state)

    def _come_to_block(self, state: RunState) -> None:
        """Put the cursor on the block that one came for, once."""
        block, self._came_for = self._came_for, None
        if block is not None and pick(document(state), path := ("blocks", block)) is not MISSING:
            self.put_cursor(path)

    @property
    def _hits_words(self) -> str:
        """Where among what was found the cursor is."""
        number = self._hits.get(self.state_list.cursor_key, "-")
        return f"{number}/{len(self._hits)} found, n N" if self._hits else "none found"

    def _searchable(self, state: RunState) -> Haystack:
        """Return what is looked into: made once, because of a large run it takes a while."""
        of = (self._past.version, self._opened.version)
        if self._hay is None or self._hay[0] != of:
            self._hay = (of, searchable(state, self._opened))
        return self._hay[1]

    def _show_sight(self, now: float) -> None:
        past, here, place = self._past, self._past.here, self.place
        if here is None:
            return
        room = self.sight.room - 1
        key = self.row.line.key if self.row is not None else ""
        bases = past.bases()
        shown = (past.version, self._opened.version, self._side, room, self._is_split, place, key, *bases)
        if self._sight_of == shown:
            return
        self._sight_of = shown
        written = output_pane(past.written, place, past.tail.lines())
        of_output = f"Output of {safe_line(place, 60)}" if place is not None else "Output"
        self.query_one("#output", TextPane).read(written, subject=f"{here}:{place}", title=of_output)
        match self._side:
            case "output":
                self.sight.read(written, subject=f"output:{here}:{place}", title=of_output)
            case "value":
                lines = json_lines_of(self.value_of(self.row)) if self.row is not None else []
                self.sight.read(lines, subject=f"value:{here}:{key}", title=safe_line(key, 100))
            case _:
                inside = place if self.has_inside else None
                lines = difference_pane(
                    past.difference,
                    here,
                    past.base,
                    bases,
                    room=room,
                    width=room if self._is_split else None,
                    now=now,
                    inside=inside,
                )
                title = difference_title(past.difference, past.base, here)
                self.sight.read(lines, subject=f"{here}:{past.base}", title=title)

    @property
    def has_inside(self) -> bool:
        """Whether another run does the work of the block under the cursor."""
        raise NotImplementedError

    def value_of(self, row: TreeRow) -> object:
        """Return what a row stands for, as JSON has it."""
        raise NotImplementedError
