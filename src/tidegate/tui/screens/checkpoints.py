"""Mode 3: the checkpoints of all runs, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType

from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.messages import RunWanted, TravelWanted
from tidegate.tui.overview import COUNTED
from tidegate.tui.present.checkpoints import CHECKPOINT_COLUMNS, checkpoint_line, checkpoint_preview
from tidegate.tui.present.shared import who
from tidegate.tui.screens.list_screen import ListScreen
from tidegate.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from tidegate.model.checkpoint import CheckpointMetadata

__all__ = ["CheckpointsScreen"]


@dataclass(frozen=True, slots=True)
class _Type:
    """Which checkpoints are shown."""

    word: str
    kinds: tuple[CheckpointKind, ...]


_TYPES = (
    _Type("all", ()),
    _Type("pause", (CheckpointKind.PAUSE,)),
    _Type("wave", (CheckpointKind.WAVE,)),
    _Type("failure", (CheckpointKind.FAILURE,)),
    _Type("explicit", (CheckpointKind.EXPLICIT,)),
)


class CheckpointsScreen(ListScreen):
    """Points one can look back at."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.CHECKPOINTS, Scope.FILTER, Scope.LIST, Scope.PREVIEW)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.CHECKPOINTS)
    TITLE_OF_LIST = "Checkpoints"
    COLUMNS: ClassVar[tuple[Column, ...]] = CHECKPOINT_COLUMNS
    EMPTY = "No checkpoint of this type. f shows the next type, 2 the runs."

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._type = 0
        self._checkpoints: dict[str, CheckpointMetadata] = {}

    async def fetch(self) -> None:
        """Read the checkpoints of the chosen type."""
        query = CheckpointFilter(kinds=_TYPES[self._type].kinds, limit=COUNTED)
        found = await self._desk.engine.call(lambda session: session.history.checkpoints(query))
        self._checkpoints = {checkpoint.checkpoint_id: checkpoint for checkpoint in found}

    def rows(self, now: float) -> Sequence[Line]:
        """Return one row per checkpoint."""
        return [checkpoint_line(checkpoint, now) for checkpoint in self._checkpoints.values()]

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return what the checkpoint holds."""
        checkpoint = self._checkpoints.get(key)
        return checkpoint_preview(checkpoint, now) if checkpoint else ()

    def title_of(self, key: str) -> str:
        """Return its run."""
        checkpoint = self._checkpoints.get(key)
        return who(checkpoint.workflow, checkpoint.run_id) if checkpoint else ""

    def summary(self, now: float) -> Sequence[Piece]:
        """Return the types, with the chosen one marked."""
        del now
        chips: list[Piece] = [Piece("type ", Tone.DIM)]
        for index, kind in enumerate(_TYPES):
            here = index == self._type
            chips += [
                Piece(f" {kind.word} ", Tone.TAB if here else Tone.DIM, f"screen.show_type({index})"),
                Piece(" "),
            ]
        more = "+" if len(self._checkpoints) >= COUNTED else ""
        return (*chips, Piece(f" {len(self._checkpoints)}{more} shown", Tone.DIM))

    # -- keys ---------------------------------------------------------------------------------

    def applies(self, action: str) -> bool:
        """Whether there is a row to open."""
        return action not in ("open_row", "travel") or bool(self.rows_view.cursor_key)

    def action_next_type(self) -> None:
        """Show the next type only."""
        self.action_show_type((self._type + 1) % len(_TYPES))

    def action_show_type(self, index: int) -> None:
        """Show one type only."""
        self._type = index
        self.show(self._desk.clock.now())
        self.wake()

    @on(LineList.Selected, "#list")
    def action_travel(self) -> None:
        """Show what the run was at the checkpoint."""
        checkpoint = self._checkpoints.get(self.rows_view.cursor_key)
        if checkpoint is not None:
            block = BlockId(checkpoint.block) if checkpoint.block else None
            self.post_message(TravelWanted(RunId(checkpoint.run_id), Seq(checkpoint.seq), block))

    def action_open_row(self) -> None:
        """Show the run of the checkpoint."""
        checkpoint = self._checkpoints.get(self.rows_view.cursor_key)
        if checkpoint is not None:
            block = BlockId(checkpoint.block) if checkpoint.block else None
            self.post_message(RunWanted(RunId(checkpoint.run_id), block))
