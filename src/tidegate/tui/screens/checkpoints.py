"""Mode 3: the checkpoints of all runs, newest first."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.binding import BindingType

from tidegate.errors import AmbiguousId, CheckpointNotFound
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.messages import RunWanted, TravelWanted
from tidegate.tui.paging import PAGE, Source
from tidegate.tui.present.checkpoints import CHECKPOINT_COLUMNS, checkpoint_line, checkpoint_preview
from tidegate.tui.present.shared import who
from tidegate.tui.query.language import Query
from tidegate.tui.query.of_checkpoints import CHECKPOINTS, checkpoint_filter
from tidegate.tui.screens.paged_screen import PagedScreen
from tidegate.tui.session import Session
from tidegate.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from tidegate.model.base import JsonObject

__all__ = ["CheckpointsScreen"]


@dataclass(frozen=True, slots=True)
class _Type:
    """Which checkpoints are shown."""

    word: str
    kinds: tuple[CheckpointKind, ...]


_ASKED = 50
"""Marked checkpoints of which it is asked at once whether there are still."""
_TYPES = (
    _Type("all", ()),
    _Type("pause", (CheckpointKind.PAUSE,)),
    _Type("wave", (CheckpointKind.WAVE,)),
    _Type("failure", (CheckpointKind.FAILURE,)),
    _Type("explicit", (CheckpointKind.EXPLICIT,)),
)


class CheckpointsScreen(PagedScreen[CheckpointMetadata]):
    """Points one can look back at."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (
        Scope.CHECKPOINTS,
        Scope.FILTER,
        Scope.ROWS,
        Scope.LIST,
        Scope.PREVIEW,
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.CHECKPOINTS)
    TITLE_OF_LIST = "Checkpoints"
    COLUMNS: ClassVar[tuple[Column, ...]] = CHECKPOINT_COLUMNS
    LISTING = CHECKPOINTS
    EMPTY = "No checkpoint yet: runs leave them behind. Press 2 for the runs, 4 for what can be started."

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._type = 0

    def wanted(self) -> object:
        """Return what decides about which checkpoints are read."""
        return self._query, self._type

    def _asked(self, query: "Query[CheckpointMetadata]", now: float) -> CheckpointFilter | None:
        return checkpoint_filter(query, _TYPES[self._type].kinds, now, PAGE)

    async def read(self) -> None:
        """Read checkpoints of the chosen type."""
        query, now = cast("Query[CheckpointMetadata]", self._query), self._desk.clock.now()
        stands, asked = self.wanted(), self._asked(query, now)

        async def page(older: CheckpointMetadata | None, limit: int) -> Sequence[CheckpointMetadata]:
            if asked is None:
                return ()
            behind = CheckpointId(older.checkpoint_id) if older is not None else None
            wanted = asked.evolve(limit=limit, older_than=behind)
            return await self._desk.engine.call(lambda session: session.history.checkpoints(wanted))

        await self.pager.update(
            Source(
                page,
                lambda checkpoint: query.holds(checkpoint, now, self._text),
                self.key_of,
                self.born,
                0.0,
                lambda: self.wanted() == stands,
            ),
            self._desk.clock.monotonic,
        )

    def narrows(self) -> bool:
        """Whether the store leaves out some checkpoints of the type already."""
        now = self._desk.clock.now()
        return self._asked(cast("Query[CheckpointMetadata]", self._query), now) != self._asked(Query(), now)

    def born(self, row: CheckpointMetadata) -> float:
        """Return when a checkpoint was marked."""
        return row.created_at

    async def still_there(self, keys: Collection[str]) -> Collection[str]:
        """Return which of some checkpoints there are still; of many, those that were not looked at count as there."""
        asked, others = list(keys)[:_ASKED], list(keys)[_ASKED:]
        return [*others, *await self._desk.engine.call(lambda session: _found(session, asked))]

    def key_of(self, row: CheckpointMetadata) -> str:
        """Return the id of a checkpoint."""
        return row.checkpoint_id

    def line_of(self, row: CheckpointMetadata, now: float) -> Line:
        """Return a checkpoint as a row."""
        return checkpoint_line(row, now)

    def json_of(self, key: str) -> "JsonObject":
        """Return a checkpoint as `checkpoints --json` has it."""
        checkpoint = self.find(key)
        return checkpoint.as_json() if checkpoint is not None else {}

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return what the checkpoint holds."""
        checkpoint = self.find(key)
        return checkpoint_preview(checkpoint, now) if checkpoint else ()

    def title_of(self, key: str) -> str:
        """Return its run."""
        checkpoint = self.find(key)
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
        return (*chips, Piece(f" {len(self.listed())}{self.more} shown", Tone.DIM))

    def nothing(self) -> str:
        """Return what to say where there is no checkpoint, none of the type, or none passes the filter."""
        if self._query or not self._type:
            return super().nothing()
        return f"No checkpoint of type {_TYPES[self._type].word}. f shows the next type, 2 the runs."

    # -- keys ---------------------------------------------------------------------------------

    def applies(self, action: str) -> bool:
        """Whether there is a row to open."""
        return action not in ("open_row", "travel", "mark") or bool(self.rows_view.cursor_key)

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
        checkpoint = self.find(self.rows_view.cursor_key)
        if checkpoint is not None:
            block = BlockId(checkpoint.block) if checkpoint.block else None
            self.post_message(TravelWanted(RunId(checkpoint.run_id), Seq(checkpoint.seq), block))

    def action_open_row(self) -> None:
        """Show the run of the checkpoint."""
        checkpoint = self.find(self.rows_view.cursor_key)
        if checkpoint is not None:
            block = BlockId(checkpoint.block) if checkpoint.block else None
            self.post_message(RunWanted(RunId(checkpoint.run_id), block))


async def _found(session: Session, keys: Sequence[str]) -> list[str]:
    there = []
    for key in keys:
        with suppress(CheckpointNotFound, AmbiguousId):
            if await session.history.find_checkpoint(key) == key:
                there.append(key)
    return there
