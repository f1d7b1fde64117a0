"""One run: where it stands, its waves, and what each block says and writes."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseRow
from tidegate.model.state import BlockStatus
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Tone, text_line
from tidegate.tui.messages import AnswerWanted, CancelWanted, Noted, ResumeWanted
from tidegate.tui.output_tail import OutputTail
from tidegate.tui.present.pauses import pause_preview
from tidegate.tui.present.run import (
    BLOCK_COLUMNS,
    Wave,
    block_lines,
    progress_of,
    reason_line,
    stacked,
    status_pieces,
    waves,
)
from tidegate.tui.reading import Reading, read_run
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.style_sheets import style_sheet
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.line_view import LineView
from tidegate.tui.widgets.text_pane import TextPane
from tidegate.tui.widgets.wave_board import WaveBoard

__all__ = ["RunScreen"]

_RESUMABLE = (RunStatus.FAILED, RunStatus.INTERRUPTED)


class RunScreen(MonitorScreen):
    """Follows one run."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.RUN, Scope.BACK, Scope.LIST, Scope.TEXT, Scope.PREVIEW)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.RUN, Scope.BACK)
    CSS_PATH = style_sheet("run")

    def __init__(self, desk: Desk, run_id: RunId, block: BlockId | None = None) -> None:
        super().__init__(desk)
        self.run_id = run_id
        self._block = block
        self._reading: Reading | None = None
        self._tail = OutputTail()
        self._tail_of: tuple[BlockId, int] | None = None
        self._placed: BlockId | None = None
        """The block that the cursor of the list was put on last."""

    def compose_head(self) -> ComposeResult:
        """Yield what the status line has no room for."""
        yield LineView(id="run-header")

    def compose_body(self) -> ComposeResult:
        """Yield the waves, in the form that the width allows, and the block."""
        yield WaveBoard(id="board", classes="pane")
        with Container(id="below"):
            yield LineList(BLOCK_COLUMNS, id="blocks", classes="pane", empty="Reading the run…")
            with Container(id="block-side"):
                yield TextPane(id="block", classes="pane")
                yield TextPane(id="preview", classes="pane", follow=True)

    def on_mount(self) -> None:
        """Name the panes, and follow output, which the feed does not announce."""
        super().on_mount()
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
        reading = await self._desk.engine.call(
            lambda session: read_run(session, self.run_id, wanted, known=known)
        )
        if self._block != wanted:
            self.wake()
            return
        self._take(reading)
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
        all_waves = waves(reading.state, now)
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
        blocks.show(list(stacked(all_waves)))
        if self._placed != self._block:
            self._placed = self._block
            blocks.move_to(self._block or "")

    def _show_header(self, reading: Reading, now: float) -> None:
        lines = [progress_of(reading.view, now)]
        if (reason := reason_line(reading.view)) is not None:
            lines.append(reason)
        view = self.query_one("#run-header", LineView)
        view.styles.height = len(lines)
        view.show(lines)
        self.query_one(StatusLine).say(*status_pieces(reading.view, reading.state))

    def _show_block(self, reading: Reading, now: float) -> None:
        pane = self.query_one("#block", TextPane)
        block = self._block
        if block is None or reading.block != block:
            return
        lines = block_lines(reading.state, block, reading.outputs, now)
        pane.read(lines, subject=block, title=safe_line(block, 60))

    def _show_output(self, now: float) -> None:
        pane = self.query_one("#preview", TextPane)
        if (asked := self._asked()) is not None:
            # A block that asks writes nothing: its place is for the whole question.
            pane.follows = False
            question = pause_preview(asked, None, now)
            pane.read(question, subject=asked.pause_id, title="Question", hint="ctrl+↓ scrolls")
            return
        silence = "nothing written yet" if self._is_writing() else "it wrote nothing"
        lines = [text_line(silence, Tone.DIM)] if self._tail.is_empty else self._tail.lines()
        pane.read(lines, subject=str(self._tail_of), title="Output", hint="f follows")

    def _asked(self) -> PauseRow | None:
        """Return the open question of the block the cursor is on."""
        pauses = self._reading.pauses if self._reading is not None else ()
        return next((pause for pause in pauses if pause.block == self._block), None)

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
        """Whether a key would do something to this run, or to the block the cursor is on."""
        status = self._reading.view.status if self._reading is not None else None
        match action:
            case "answer":
                return self._asked() is not None
            case "follow":
                return self._asked() is None
            case "resume_run":
                return status in _RESUMABLE
            case "cancel_run":
                return status is not None and not status.is_terminal
            case _:
                return super().applies(action)

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

    @on(LineList.Selected)
    def action_answer(self) -> None:
        """Answer what the block asks, or go to a block that asks."""
        pauses = self._reading.pauses if self._reading is not None else ()
        asked = self._asked()
        if asked is not None:
            position = f"{pauses.index(asked) + 1} of {len(pauses)} in this run" if len(pauses) > 1 else ""
            self.post_message(AnswerWanted(asked, position))
        elif pauses:
            # Not its question at once: what is answered is what one has seen.
            self.action_block(pauses[0].block)
            self.post_message(Noted(f"{pauses[0].block} asks: a answers it", Tone.DIM))
        else:
            self.post_message(Noted("this run asks nothing", Tone.DIM))

    def action_cancel_run(self) -> None:
        """Ask whether to end the run."""
        if self._reading is None:
            return
        view = self._reading.view
        if view.status.is_terminal:
            self.post_message(Noted(f"this run has ended: {view.status}", Tone.DIM))
        else:
            self.post_message(CancelWanted(view.row.run_id, view.row.workflow))

    def action_resume_run(self) -> None:
        """Let a failed or interrupted run go on."""
        if self._reading is None:
            return
        if self._reading.view.status in _RESUMABLE:
            self.post_message(ResumeWanted(self.run_id))
        else:
            self.post_message(Noted("only a failed or an interrupted run can be resumed", Tone.DIM))

    def action_back(self) -> None:
        """Go back to where one came from."""
        self.dismiss()
