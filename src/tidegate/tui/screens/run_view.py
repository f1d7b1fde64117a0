"""One run: where it stands, its waves, and what each block says and writes."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widgets import Input

from tidegate.errors import RunNotFound, TidegateError
from tidegate.history.views import where
from tidegate.model.ids import BlockId, RunId, block_of, is_part
from tidegate.model.listing import PauseRow
from tidegate.model.state import BlockStatus
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.forking import before_block
from tidegate.tui.launching import LaunchWish
from tidegate.tui.lines import Tone, text_line
from tidegate.tui.messages import AnswerWanted, ForkWanted, LaunchWanted, Noted, RunWanted, TravelWanted
from tidegate.tui.output_tail import OutputTail
from tidegate.tui.present.block import block_lines, silence
from tidegate.tui.present.board import Folds, Wave, block_columns, stacked, waves
from tidegate.tui.present.lineage import lineage_line
from tidegate.tui.present.pauses import pause_preview
from tidegate.tui.present.run import part_of, progress_of, reason_line, status_pieces
from tidegate.tui.present.turns import may_turn
from tidegate.tui.reading import Reading, read_run
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.screens.list_screen import filter_field
from tidegate.tui.style_sheets import style_sheet
from tidegate.tui.travel import read_turning_point
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.line_view import LineView
from tidegate.tui.widgets.text_pane import TextPane
from tidegate.tui.widgets.wave_board import WaveBoard

__all__ = ["RunScreen"]

_GONE = "this run was removed: what stands here is what was read of it last"


class RunScreen(MonitorScreen):
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
        super().__init__(desk)
        self.run_id = run_id
        self._block = block
        self._reading: Reading | None = None
        self._tail = OutputTail()
        self._tail_of: tuple[BlockId, int] | None = None
        self._folds = Folds()
        if block is not None and is_part(block):
            self._folds.open(block_of(block))
        self._notice: str | None = None
        """What is to be known of the workflow's file; None: not looked at yet."""
        self._is_gone = False
        """Whether the run was removed since."""
        self._placed: BlockId | None = None
        """The block that the cursor of the list was put on last."""

    def compose_head(self) -> ComposeResult:
        """Yield the filter of items, and what the status line has no room for."""
        yield filter_field("items")
        yield LineView(id="run-header")

    def compose_body(self) -> ComposeResult:
        """Yield the waves, in the form that the width allows, and the block."""
        yield WaveBoard(id="board", classes="pane")
        with Container(id="below"):
            yield LineList(block_columns((), 0), id="blocks", classes="pane", empty="Reading the run…")
            with Container(id="block-side"):
                yield TextPane(id="block", classes="pane")
                yield TextPane(id="preview", classes="pane", follow=True)

    def on_mount(self) -> None:
        """Name the panes, and follow output, which the feed does not announce."""
        self.query_one("#blocks", LineList).name_pane("Waves")
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
        self.show(self._desk.clock.now())
        if self._notice is None:
            # Later than the run itself, which nobody should wait for: the file has to be read anew.
            self._notice = await self._desk.engine.call(
                lambda session: session.history.definition_notice(self.run_id)
            )
            self.show(self._desk.clock.now())

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
        self._reading, self._block = reading, reading.block
        tail_of = (reading.block, reading.attempt) if reading.block is not None else None
        if tail_of != self._tail_of:
            self._tail, self._tail_of = OutputTail(), tail_of
        self._tail.feed(reading.chunks)
        if is_first:
            self._focus_waves()

    def _focus_waves(self) -> None:
        board = self.query_one("#board", WaveBoard)
        (board if board.display else self.query_one("#blocks", LineList)).focus()

    def show(self, now: float) -> None:
        """Show what was read."""
        reading = self._reading
        if reading is None:
            return
        self._show_header(reading, now)
        all_waves = waves(reading.state, now, self._folds, self._block)
        self.query_one("#board", WaveBoard).show_waves(all_waves, self._block)
        self._show_stacked(all_waves)
        self._show_block(reading, now)
        self._show_output(now)
        self.show_keys()

    def _show_stacked(self, all_waves: tuple[Wave, ...]) -> None:
        """Show the waves below each other, with the cursor where this screen has put it.

        Only once for each block: the list's own cursor may be further already, by keys whose news is on its way.
        """
        blocks = self.query_one("#blocks", LineList)
        lines = list(stacked(all_waves, blocks.room))
        blocks.set_columns(block_columns(lines, blocks.room))
        blocks.show(lines)
        if self._placed != self._block:
            self._placed = self._block
            blocks.move_to(self._block or "")

    def _show_header(self, reading: Reading, now: float) -> None:
        lines = [progress_of(reading.view, now)]
        if (place := part_of(reading.view, reading.root)) is not None:
            lines.append(place)
        if (lineage := lineage_line(reading.view, reading.forks)) is not None:
            lines.append(lineage)
        if (reason := reason_line(reading.view)) is not None:
            lines.append(reason)
        if self._notice:
            lines.append(text_line(self._notice, Tone.WAITING))
        view = self.query_one("#run-header", LineView)
        view.styles.height = len(lines)
        view.show(lines)
        self.query_one(StatusLine).say(*status_pieces(reading.view, reading.state))

    def _show_block(self, reading: Reading, now: float) -> None:
        pane = self.query_one("#block", TextPane)
        block = self._block
        if block is None or reading.block != block:
            return
        lines = block_lines(reading.state, block, reading.outputs, now, item=reading.item)
        pane.read(lines, subject=block, title=safe_line(block, 60))

    def _show_output(self, now: float) -> None:
        pane = self.query_one("#preview", TextPane)
        if (asked := self._asked()) is not None:
            # A block that asks writes nothing: its place is for the whole question.
            pane.follows = False
            question = pause_preview(asked, None, now)
            pane.read(question, subject=asked.pause_id, title="Question", hint="ctrl+↓ scrolls")
            return
        lines = [text_line(self._silence(), Tone.DIM)] if self._tail.is_empty else self._tail.lines()
        pane.read(lines, subject=str(self._tail_of), title="Output", hint="f follows")

    def _silence(self) -> str:
        reading, place = self._reading, self._block
        return silence(reading.state, place) if reading is not None and place is not None else ""

    def _asked(self) -> PauseRow | None:
        """Return the open question of the place the cursor is on, or of the run that does its work."""
        reading, here = self._reading, self._block
        if reading is None or here is None:
            return None
        places = (where(pause, reading.view.row.path) for pause in reading.pauses)
        asks = (place == here or place.startswith(f"{here}/") for place in places)
        return next((pause for pause, is_it in zip(reading.pauses, asks, strict=True) if is_it), None)

    def _asking_place(self) -> BlockId | None:
        """Return the first place of this run that asks: itself, or in the run that does its work."""
        reading = self._reading
        if reading is None or not reading.pauses:
            return None
        first = where(reading.pauses[0], reading.view.row.path)
        below = (place for place in reading.state.children if first.startswith(f"{place}/"))
        return next(below, reading.pauses[0].block)

    @on(LineList.Highlighted)
    def _chosen(self, event: LineList.Highlighted) -> None:
        # Old news is none: to follow it would send the cursor back and forth between two keys for ever.
        is_old = isinstance(event.view, LineList) and event.view.cursor_key != event.key
        if event.key and event.key != self._block and not is_old and self._reading is not None:
            self._placed = BlockId(event.key)
            self.action_block(event.key)

    def action_block(self, block: str) -> None:
        """Put the cursor on a block."""
        self._block = BlockId(block)
        self.query_one("#preview", TextPane).follows = True
        self.show(self._desk.clock.now())
        self.wake()

    # -- keys ---------------------------------------------------------------------------------

    def applies(self, action: str) -> bool:
        """Whether a key would do something to this run, or to the place the cursor is on."""
        reading = self._reading
        if self._is_gone and (action in ("answer", "fork") or "turn" in action):
            return False
        if action == "fork":
            return reading is not None and self._block is not None
        if action == "answer":
            return self._asked() is not None
        if "turn" in action:
            return reading is not None and may_turn(action, reading.view, reading.state, self._block)
        return super().applies(action)

    def target(self) -> tuple[RunId, BlockId | None] | None:
        """Return this run, and the place the cursor is on."""
        return (self.run_id, self._block) if self._reading is not None and not self._is_gone else None

    def action_travel(self) -> None:
        """Show the run as it was when the block the cursor is on ended, or began."""
        if self._reading is not None:
            self.run_worker(self._travel(self._block), group="travel", exclusive=True)

    async def _travel(self, block: BlockId | None) -> None:
        try:
            seq = await self._desk.engine.call(
                lambda session: read_turning_point(session, self.run_id, block)
            )
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
        else:
            self.post_message(TravelWanted(self.run_id, seq, block))

    def action_fork(self) -> None:
        """Ask what a fork shall be in which the block the cursor is on runs again."""
        reading, block = self._reading, self._block
        if reading is not None and block is not None and not self._is_gone:
            self.post_message(ForkWanted(before_block(reading.state, block)))

    def action_again(self) -> None:
        """Ask with what another run of its workflow is to be started."""
        if self._reading is not None and not self._is_gone:
            self.post_message(LaunchWanted(LaunchWish(run_id=self.run_id)))

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

    def action_unfold(self) -> None:
        """Show the parts of the block the cursor is on, or fold them."""
        reading, place = self._reading, self._block
        if reading is None or place is None:
            return
        block = block_of(place)
        if reading.state.block(block).fan is None:
            self.post_message(Noted(f"{block} has no items", Tone.DIM))
            return
        self._folds.toggle(reading.state, block)
        self.action_block(block)

    @on(LineList.Selected)
    def action_open_place(self) -> None:
        """Open what the place the cursor is on is made of: its items, its run; else answer what it asks."""
        reading, place = self._reading, self._block
        if reading is None or place is None:
            return
        seen = reading.state.block(place)
        if seen.fan is not None:
            self.action_unfold()
        elif seen.child is not None:
            self.post_message(RunWanted(seen.child.run_id))
        else:
            self.action_answer()

    def action_answer(self) -> None:
        """Answer what the place asks, or go to one that does."""
        pauses = self._reading.pauses if self._reading is not None else ()
        asked = self._asked()
        if asked is not None:
            position = f"{pauses.index(asked) + 1} of {len(pauses)} in this run" if len(pauses) > 1 else ""
            self.post_message(AnswerWanted(asked, position))
        elif (place := self._asking_place()) is not None:
            # Not its question at once: what is answered is what one has seen.
            self._folds.open(block_of(place))
            self.action_block(place)
            self.post_message(Noted(f"{place} asks: a answers it", Tone.DIM))
        else:
            self.post_message(Noted("this run asks nothing", Tone.DIM))

    def action_parent(self) -> None:
        """Show the run that this one is a part of, at the block that started it."""
        reading = self._reading
        if reading is None or reading.state.parent is None:
            self.post_message(Noted("this run is a part of no other", Tone.DIM))
            return
        parent = reading.state.parent
        self.post_message(RunWanted(parent.run_id, parent.block))

    def action_back(self) -> None:
        """Show all items again if only some are shown; else go back to where one came from."""
        if not self._folds.words and not self.has_class("-filtering"):
            self.dismiss()
            return
        self.query_one("#filter", Input).value = ""
        self._leave_filter()

    # -- the filter of items ------------------------------------------------------------------

    def action_filter(self) -> None:
        """Type which items are shown."""
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
