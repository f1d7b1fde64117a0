"""One run: where it stands, its waves, and what each block says and writes."""

from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from tidegate.errors import RunNotFound
from tidegate.model.ids import BlockId, RunId, Seq, block_of
from tidegate.model.state import BlockStatus
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Tone, text_line
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.nouns.course import Course
from tidegate.tui.pane_sizes import LEAST, Along
from tidegate.tui.present.block import block_lines, silence
from tidegate.tui.present.board import Stacked, Wave, block_columns, waves
from tidegate.tui.present.gantt import chart_of, hint_of
from tidegate.tui.present.path import CriticalPath, time_left
from tidegate.tui.present.question import pause_preview
from tidegate.tui.present.run import (
    Form,
    form_named,
    form_shown,
    header_lines,
    is_beside,
    next_form,
    status_pieces,
)
from tidegate.tui.reads.ahead import LookAhead
from tidegate.tui.reads.output_tail import OutputTail
from tidegate.tui.reads.reading import Reading, read_course, read_run
from tidegate.tui.screens.filter_screen import filter_field
from tidegate.tui.screens.run.run_ways import RunWays
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.gantt import Gantt
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.line_view import LineView
from tidegate.tui.widgets.text_pane import TextPane
from tidegate.tui.widgets.wave_board import WaveBoard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tidegate.history.usual import Usual
    from tidegate.model.events import Record
    from tidegate.model.listing import PauseRow

__all__ = ["RunScreen"]

_FORM = "run-view"
"""Under which name the form is kept between two starts."""
_GONE = "this run was removed: what stands here is what was read of it last"


class RunScreen(RunWays):
    """Follows one run."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (
        Scope.RUN,
        Scope.TURNS,
        Scope.BACK,
        Scope.LIST,
        Scope.TEXT,
        Scope.PREVIEW,
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.RUN, Scope.TURNS, Scope.BACK)
    CSS_PATH = style_sheet("run")

    def __init__(self, desk: Desk, run_id: RunId, block: BlockId | None = None) -> None:
        super().__init__(desk, run_id, block)
        self._ahead = LookAhead(desk)
        self._head = Seq(0)
        """Of the run, as it was read last."""
        self._tail = OutputTail()
        self._tail_of: tuple[BlockId, int] | None = None
        self._notice: str | None = None
        """What is to be known of the workflow's file; None: not looked at yet."""
        self._placed: BlockId | None = None
        """The block that the cursor of the list was put on last."""
        self._form = form_named(desk.state.text(_FORM))
        """In which form somebody wants to see the blocks; None: as there is room."""
        self._course = Course()
        self._stacked = Stacked()
        self._path = CriticalPath()
        self._usual: Mapping[BlockId, Usual] = {}
        """How long the blocks usually work; empty until it was read."""

    def compose_head(self) -> ComposeResult:
        """Yield the filter of items, and what the status line has no room for."""
        yield filter_field("items")
        yield LineView(id="run-header")

    def compose_body(self) -> ComposeResult:
        """Yield the waves, in the form that the width allows, and the block."""
        yield WaveBoard(id="board", classes="pane")
        yield Gantt(id="gantt", classes="pane")
        yield LineList(block_columns((), 0), id="blocks", classes="pane", empty="Reading the run…")
        yield TextPane(id="block", classes="pane")
        yield TextPane(id="preview", classes="pane", follow=True)

    def on_mount(self) -> None:
        """Follow output, which the feed does not announce."""
        self.set_interval(0.5, self._poll_output)

    def _poll_output(self) -> None:
        if self.is_active and self._is_writing():
            self.wake()

    def _is_writing(self) -> bool:
        reading = self._reading
        return (
            reading is not None
            and reading.block is not None
            and reading.state.block(reading.block).status is BlockStatus.RUNNING
        )

    # -- reading and showing ------------------------------------------------------------------

    async def load(self) -> None:
        """Read the run and the block the cursor is on."""
        wanted = self._block
        known = (*self._tail_of, self._tail.position) if self._tail_of else None
        try:
            reading = await self._desk.engine.call(
                lambda session: read_run(session, self.run_id, wanted, known=known)
            )
        except RunNotFound:
            self._see_it_gone()
            return
        if self._block != wanted:
            self.wake()
            return
        self._take(reading)
        if not self._is_moved_by_keys:
            self._follow_run(reading)
        self.show(self._desk.clock.now())
        if self.form is not Form.BOARD:
            await self._read_course(reading.state.head)
        if self._notice is None:
            # Later than the run itself, which nobody should wait for: the file has to be read anew.
            self._notice = await self._desk.engine.call(
                lambda session: session.history.definition_notice(self.run_id)
            )
            workflow = reading.view.row.workflow
            self._usual = await self._desk.engine.call(lambda session: session.history.usual(workflow))
            self.show(self._desk.clock.now())

    async def _read_course(self, head: Seq) -> None:
        """Read what happened since, some of it at a time: keys are handled in between."""
        if self._course.head >= head:
            return
        while self._course.head < head and self.is_active:
            if not (records := await self._next_events(Seq(self._course.head))):
                break
            self._course.take(records)
        self.show(self._desk.clock.now())

    async def _next_events(self, after: Seq) -> "tuple[Record, ...]":
        return await self._desk.engine.call(lambda session: read_course(session, self.run_id, after))

    def _see_it_gone(self) -> None:
        """Say that the run was removed; what was read of it last stays on the screen.

        Raises:
            RunNotFound: nothing was ever read of it.
        """
        if self._reading is None:
            raise RunNotFound(self.run_id)
        self._is_gone, self._notice = True, _GONE
        self.show(self._desk.clock.now())

    def _take(self, reading: Reading) -> None:
        is_first = self._reading is None
        if is_first:
            self._begin_to_follow(reading)
        self._reading, self._block = reading, reading.block
        if is_first or reading.view.row.head != self._head:
            self._ahead.forget()
        self._head = reading.view.row.head
        tail_of = (reading.block, reading.attempt) if reading.block is not None else None
        if tail_of != self._tail_of:
            self._tail, self._tail_of = OutputTail(), tail_of
        self._tail.feed(reading.chunks)
        if is_first:
            self._focus_waves()

    def _focus_waves(self) -> None:
        panes = (self.query_one(name) for name in ("#board", "#blocks", "#gantt"))
        # None while it is being closed.
        if (pane := next((pane for pane in panes if pane.display), None)) is not None:
            pane.focus()

    def show(self, now: float) -> None:
        """Show what was read."""
        reading = self._reading
        if reading is None:
            return
        self._lay_out()
        self._show_header(reading, now)
        all_waves = waves(reading.state, now, self._folds, self._block)
        # Only what is seen: each costs as much as there are blocks.
        if (board := self.query_one("#board", WaveBoard)).display:
            board.show_waves(all_waves, self._block)
        if self.query_one("#blocks", LineList).display:
            self._show_stacked(all_waves)
        if self.form is not Form.BOARD:
            self._show_gantt(reading, all_waves, now)
        self._show_block(reading, now)
        self._show_output(now)
        self.show_keys()

    # -- the two forms ------------------------------------------------------------------------

    @property
    def form(self) -> Form:
        """In which form the blocks are shown."""
        return form_shown(self._form, *self.size)

    def _lay_out(self) -> None:
        self.set_class(self.form is Form.BOTH, "-both")
        self.set_class(self.form is Form.GANTT, "-gantt")
        self.set_class(is_beside(*self.size), "-beside")
        is_single = self.size.width < 2 * LEAST[Along.ACROSS] and self.form is not Form.GANTT
        self.set_class(is_single, "-single")
        leads = " · tab reads on" if is_single and self.has_class("-short") else ""
        self.query_one("#blocks", LineList).name_pane(f"Waves{leads}")

    @on(events.DescendantFocus, "#blocks, #preview")
    def _turn_to(self, event: events.DescendantFocus) -> None:
        """Show the pane that the keys go to, where only one has room."""
        self.set_class(event.widget.id == "preview", "-reading")

    def action_form(self) -> None:
        """Show the blocks in the next form."""
        self._form = next_form(self.form)
        self._desk.state.put(_FORM, self._form.name.lower())
        self._lay_out()
        self._see_anew()
        self.wake()

    def on_resize(self) -> None:
        """Show what there is room for now, once it is laid out."""
        self.call_after_refresh(self._see_anew)

    def _see_anew(self) -> None:
        """Fill panes that were not seen before, and leave those that are seen no more."""
        if self._reading is None:
            return
        if self.focused is None or not self.focused.display:
            self._focus_waves()
        self.show(self._desk.clock.now())

    def _show_gantt(self, reading: Reading, all_waves: tuple[Wave, ...], now: float) -> None:
        gantt, path = self.query_one("#gantt", Gantt), self._path.of(reading.state)
        chart = chart_of(reading.state, self._course, path, now)
        gantt.show_chart(chart, all_waves, self._block, hint_of(chart, path))
        gantt.styles.height = gantt.wanted_height

    def _show_stacked(self, all_waves: tuple[Wave, ...]) -> None:
        """Show the waves below each other, with the cursor where this screen has put it.

        Only once for each block: the list's own cursor may be further already, by keys whose news is on its way.
        """
        blocks = self.query_one("#blocks", LineList)
        lines = list(self._stacked.lines(all_waves, blocks.room))
        blocks.set_columns(block_columns(lines, blocks.room))
        blocks.show(lines)
        if self._placed != self._block:
            self._placed = self._block
            blocks.move_to(self._block or "")

    @property
    def _is_moved_by_keys(self) -> bool:
        """Whether the list's own cursor is further than this screen knows: the news of it is on its way."""
        blocks = self.query_one("#blocks", LineList)
        return blocks.display and self._placed == self._block and blocks.cursor_key not in ("", self._block)

    def _show_header(self, reading: Reading, now: float) -> None:
        left = time_left(reading.state, self._usual, now)
        lines = header_lines(
            reading.view,
            reading.root,
            now,
            forks=reading.forks,
            left=left.words if left is not None else "",
            notice=self._notice or "",
        )
        view = self.query_one("#run-header", LineView)
        view.styles.height = len(lines)
        view.show(lines)
        self.query_one(StatusLine).say(*status_pieces(reading.view, reading.state, self.size.width))

    def _show_block(self, reading: Reading, now: float) -> None:
        pane = self.query_one("#block", TextPane)
        block = self._block
        if block is None or reading.block != block:
            return
        usual = self._usual.get(block)
        lines = block_lines(reading.state, block, reading.outputs, now, item=reading.item, usual=usual)
        pane.read(lines, subject=block, title=safe_line(block, 60))

    def _show_output(self, now: float) -> None:
        pane = self.query_one("#preview", TextPane)
        reading = self._reading
        asked = reading.asked(self._block) if reading is not None else None
        if reading is not None and asked is not None:
            # A block that asks writes nothing: its place is for the whole question.
            pane.follows = False
            ahead = self._ahead.lines(asked.pause_id)
            question = pause_preview(asked, None, now, ahead, is_low=pane.is_low)
            if self._ahead.wants(asked.pause_id, reading.view.row.summary.blocks):
                self._look_ahead(asked)
            pane.read(question, subject=asked.pause_id, title="Question", hint="ctrl+↓ scrolls")
            return
        lines = [text_line(self._silence(), Tone.DIM)] if self._tail.is_empty else self._tail.lines()
        pane.read(
            lines,
            subject=str(self._tail_of),
            title="Output · l finds in it, wraps and saves",
            hint="f follows",
        )

    @work(group="ahead", exclusive=True)
    async def _look_ahead(self, asked: "PauseRow") -> None:
        """Look up what follows from the question; it is shown with the next look."""
        await self._ahead.look(asked)
        self.wake()

    def _silence(self) -> str:
        reading, place = self._reading, self._block
        return silence(reading.state, place) if reading is not None and place is not None else ""

    @on(LineList.Highlighted)
    def _chosen(self, event: LineList.Highlighted) -> None:
        # Old news is none: to follow it would send the cursor back and forth between two keys for ever.
        is_old = isinstance(event.view, LineList) and event.view.cursor_key != event.key
        if event.key and event.key != self._block and not is_old and self._reading is not None:
            if isinstance(event.view, LineList):
                self._placed = BlockId(event.key)
            self.action_block(event.key)

    def action_block(self, block: str) -> None:
        """Put the cursor on a block, where somebody wants it."""
        self._follows_run = False
        self._put_cursor(BlockId(block))

    def _put_cursor(self, block: BlockId) -> None:
        self._block = block
        self.query_one("#preview", TextPane).follows = True
        self.show(self._desk.clock.now())
        self.wake()

    # -- keys ---------------------------------------------------------------------------------

    def action_wave_left(self) -> None:
        """Go to the wave before."""
        self.query_one("#board", WaveBoard).move_waves(-1)

    def action_wave_right(self) -> None:
        """Go to the next wave."""
        self.query_one("#board", WaveBoard).move_waves(1)

    def action_follow(self) -> None:
        """Follow the output, or stop following it."""
        pane = self.query_one("#preview", TextPane)
        pane.follows = not pane.follows

    def action_back(self) -> None:
        """Show all items again if only some are shown; else go back to where one came from."""
        if not self._folds.words and not self.has_class("-filtering"):
            self.dismiss()
            return
        self.query_one("#filter", Input).value = ""
        self._leave_filter()

    # -- the filter of items ------------------------------------------------------------------

    def action_filter(self) -> None:
        """Type which items are shown, of the block the cursor is on if it has any."""
        if self._reading is not None and self._block is not None:
            self._folds.open(block_of(self._block))
        self.add_class("-filtering")
        self.query_one("#filter", Input).focus()

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        self._folds.words = event.value.strip()
        if self._block is not None:
            # The item the cursor is on may be none of those that are shown now; its block is.
            self.action_block(block_of(self._block))

    @on(Input.Submitted, "#filter")
    def _leave_filter(self) -> None:
        self.remove_class("-filtering")
        self._focus_waves()
