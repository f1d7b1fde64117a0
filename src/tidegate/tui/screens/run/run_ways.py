"""What can be done with a place of a run, and where one goes on to from it."""

from typing import TYPE_CHECKING

from textual import events, on

from tidegate.errors import TidegateError
from tidegate.history.paths import path_text
from tidegate.model.ids import BlockId, RunId, block_of, is_part
from tidegate.model.state import BlockStatus
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Tone
from tidegate.tui.messages import (
    AnswerWanted,
    EditWanted,
    ForkWanted,
    LaunchWanted,
    LogWanted,
    Noted,
    RunWanted,
    TravelWanted,
)
from tidegate.tui.nouns.launch import LaunchWish
from tidegate.tui.present.board import Folds
from tidegate.tui.present.run import follow_on
from tidegate.tui.present.turns import may_turn
from tidegate.tui.reads.file_place import read_file_place
from tidegate.tui.reads.fork_wishes import read_before_block
from tidegate.tui.reads.travel import read_turning_point
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.text_pane import TextPane
from tidegate.tui.working import begin_anew

if TYPE_CHECKING:
    from tidegate.model.state import RunState
    from tidegate.tui.reads.reading import Reading

__all__ = ["RunWays"]

_OF_RUN = ("turn('pause')", "turn('cancel')")
"""What is done to the run, wherever its cursor is: who wants to stop it waits for nothing."""


class RunWays(MonitorScreen):
    """A run with a cursor on one of its places."""

    def __init__(self, desk: Desk, run_id: RunId, block: BlockId | None = None) -> None:
        super().__init__(desk)
        self.run_id = run_id
        self._block = block
        self._reading: Reading | None = None
        self._folds = Folds()
        self._is_gone = False
        """Whether the run was removed since."""
        self._follows_run = False
        """Whether the cursor goes on with the run: until somebody moves it, or reads what is beside it."""

    def action_block(self, block: str) -> None:
        """Put the cursor on a block."""
        raise NotImplementedError

    def _put_cursor(self, block: BlockId) -> None:
        raise NotImplementedError

    def _begin_to_follow(self, reading: "Reading") -> None:
        """Follow the run, unless somebody has come for a block at which nothing goes on."""
        block = reading.block
        self._follows_run = self._block is None or (
            block is not None
            and reading.state.block(block).status in (BlockStatus.RUNNING, BlockStatus.PAUSED)
        )
        self._unfold_around(block)

    def _follow_run(self, reading: "Reading") -> None:
        """Go on with the run: who only looks on is to see what it does now, and what it asks."""
        here = reading.block
        if not self._follows_run or here is None or (ahead := follow_on(reading.state, here)) == here:
            return
        self._unfold_around(ahead)
        self._put_cursor(ahead)
        self.moved_by_itself(here)

    def aims(self, action: str) -> bool:
        """Whether an action is done to the place the cursor is on, not to the run."""
        return super().aims(action) and action.removeprefix("screen.") not in _OF_RUN

    def held_back(self) -> None:
        """Let the cursor stay: somebody wants to do something here, and it may move on again before the next press."""
        self._follows_run = False

    def _unfold_around(self, place: BlockId | None) -> None:
        """Show the parts of the block that a place is one of."""
        if place is not None and is_part(place):
            self._folds.open(block_of(place))

    @on(events.DescendantFocus, "#block, #preview")
    @on(TextPane.Wheeled)
    def _read_on(self) -> None:
        """Leave the cursor where it is: somebody reads what is said there."""
        self._follows_run = False

    def action_preview_down(self) -> None:
        """Scroll the text down, and leave the cursor where it is."""
        self._follows_run = False
        super().action_preview_down()

    def action_preview_up(self) -> None:
        """Scroll the text up, and leave the cursor where it is."""
        self._follows_run = False
        super().action_preview_up()

    def applies(self, action: str) -> bool:
        """Whether a key would do something to this run, or to the place the cursor is on."""
        reading = self._reading
        if self._is_gone and (action in ("answer", "fork") or "turn" in action):
            return False
        if action == "fork":
            return reading is not None and self._block is not None
        if action == "answer":
            return reading is not None and reading.asked(self._block) is not None
        if "turn" in action:
            return reading is not None and may_turn(action, reading.view, reading.state, self._block)
        return super().applies(action)

    def target(self) -> tuple[RunId, BlockId | None] | None:
        """Return this run, and the place the cursor is on."""
        return (self.run_id, self._block) if self._reading is not None and not self._is_gone else None

    def action_travel(self) -> None:
        """Show the run as it was when the block the cursor is on ended, or began."""
        if self._reading is not None:
            begin_anew(self, "travel", self._travel, self._block)

    async def _travel(self, block: BlockId | None) -> None:
        try:
            seq = await self._desk.engine.call(
                lambda session: read_turning_point(session, self.run_id, block)
            )
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
        else:
            self.post_message(TravelWanted(self.run_id, seq, block, is_about_block=True))

    def action_fork(self) -> None:
        """Ask what a fork shall be in which the block the cursor is on runs again."""
        reading, block = self._reading, self._block
        if reading is not None and block is not None and not self._is_gone:
            begin_anew(self, "fork", self._fork, reading.state, block)

    async def _fork(self, state: "RunState", block: BlockId) -> None:
        try:
            wish = await self._desk.engine.call(lambda session: read_before_block(session, state, block))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
        else:
            self.post_message(ForkWanted(wish))

    def action_again(self) -> None:
        """Ask with what another run of its workflow is to be started."""
        if self._reading is not None and not self._is_gone:
            self.post_message(LaunchWanted(LaunchWish(run_id=self.run_id)))

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
        reading = self._reading
        pauses = reading.pauses if reading is not None else ()
        if reading is not None and (asked := reading.asked(self._block)) is not None:
            position = f"{pauses.index(asked) + 1} of {len(pauses)} in this run" if len(pauses) > 1 else ""
            self.post_message(AnswerWanted(asked, position))
        elif reading is not None and (place := reading.asking_place()) is not None:
            # Not its question at once: what is answered is what one has seen.
            self._folds.open(block_of(place))
            self.action_block(place)
            self.post_message(Noted(f"{place} asks: a answers it", Tone.DIM))
        else:
            self.post_message(Noted("this run asks nothing", Tone.DIM))

    # -- its file, and what can be copied -----------------------------------------------------

    def action_edit(self) -> None:
        """Open the file of the workflow in the editor, at the block the cursor is on."""
        if self._reading is not None and not self._is_gone:
            begin_anew(self, "edit", self._edit, self._block)

    async def _edit(self, block: BlockId | None) -> None:
        try:
            place = await self._desk.engine.call(lambda session: read_file_place(session, self.run_id, block))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
        else:
            self.post_message(EditWanted(place.path, place.line, place.text))

    def action_copy(self) -> None:
        """Copy why the block has failed, or else where its outputs stand; say so if there is neither."""
        reading, place = self._reading, self._block
        if reading is None or place is None:
            return
        block = reading.state.block(place)
        if block.failure is not None:
            self.copy_text(block.failure.message)
        elif reading.outputs:
            self.copy_text(path_text(("blocks", place, "outputs")))
        else:
            words = f"nothing to copy: {place} has not failed, and has no outputs"
            self.post_message(Noted(words, Tone.DIM))

    def action_log(self) -> None:
        """Show everything that the place the cursor is on has written."""
        if self._reading is not None:
            self.post_message(LogWanted(self.run_id, self._block))

    def action_parent(self) -> None:
        """Show the run that this one is a part of, at the block that started it."""
        reading = self._reading
        if reading is None or reading.state.parent is None:
            self.post_message(Noted("this run is a part of no other", Tone.DIM))
            return
        parent = reading.state.parent
        self.post_message(RunWanted(parent.run_id, parent.block))
