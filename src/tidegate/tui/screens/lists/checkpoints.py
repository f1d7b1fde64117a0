"""Mode 3: the checkpoints of all runs, newest first."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.binding import BindingType

from tidegate.errors import AmbiguousId, CheckpointNotFound, TidegateError
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.messages import Noted, RunWanted, TravelWanted
from tidegate.tui.paging import PAGE, Source
from tidegate.tui.present.checkpoints import CHECKPOINT_COLUMNS, checkpoint_line, checkpoint_preview
from tidegate.tui.present.shared import counted, who
from tidegate.tui.query.language import Query
from tidegate.tui.query.of_checkpoints import CHECKPOINTS, checkpoint_filter
from tidegate.tui.screens.lists.paged_screen import PagedScreen
from tidegate.tui.session import Session
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.working import begin

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
_EVERY = 100_000
"""Checkpoints of one run: more than any has."""
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
        self._unpinning: tuple[str, ...] = ()
        """Whose pins the next press takes off."""

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
        needs_row = ("open_row", "travel", "mark", "pin", "label")
        return action not in needs_row or bool(self.rows_view.cursor_key)

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

    # -- keeping them -------------------------------------------------------------------------

    def action_pin(self) -> None:
        """Keep what is chosen; where all of it is kept already, let it go at a second press."""
        if self.refuses_marks():
            return
        chosen = [found for key in self.chosen() if (found := self.find(key)) is not None]
        wanted = not all(checkpoint.pinned for checkpoint in chosen)
        meant = tuple(it.checkpoint_id for it in chosen if it.pinned is not wanted)
        if not meant:
            return
        if not wanted and self._unpinning != meant:
            self._unpinning = meant
            words = (
                "once more takes off the pin" if len(meant) == 1 else f"once more takes off {len(meant)} pins"
            )
            self.post_message(
                Noted(
                    f"{self.key_for('checkpoints.pin')} {words}: what is not pinned may be cleaned up",
                    Tone.WAITING,
                )
            )
            return
        self._unpinning = ()
        begin(self, "pin", self._pin, meant, self.left_out(), pinned=wanted)

    @on(LineList.Highlighted, "#list")
    def _keep_pins(self) -> None:
        # Who has looked at another row has not pressed twice.
        self._unpinning = ()

    async def _pin(self, keys: Sequence[str], left_out: str, *, pinned: bool) -> None:
        try:
            gone = await self._desk.engine.call(lambda session: _pin_all(session, keys, pinned=pinned))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
            self.wake()
            return
        done = len(keys) - gone
        words = (
            "pinned: kept with its run" if pinned and done == 1 else "pinned" if pinned else "pinned no more"
        )
        said = [f"{counted(done, 'checkpoint')} {words}"] if done else []
        said += [f"{counted(gone, 'checkpoint')} no longer there"] if gone else []
        self.post_message(Noted(" · ".join([*said, *([left_out] if left_out else [])]), Tone.DONE))
        self._changed(keys, pinned=pinned)

    @work(group="label")
    async def action_label(self) -> None:
        """Ask what the checkpoint under the cursor is to be called."""
        from tidegate.tui.dialogs.picks import NameDialog

        checkpoint = self.find(self.rows_view.cursor_key)
        if checkpoint is None:
            return
        run_id, key = RunId(checkpoint.run_id), CheckpointId(checkpoint.checkpoint_id)
        title = "What to call it; nothing: what its workflow calls it"
        text = await self.app.push_screen_wait(NameDialog(title, safe_line(checkpoint.label), lambda _: ""))
        if text is None:
            return
        try:
            label = await self._desk.engine.call(lambda session: _label(session, run_id, key, text))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
            self.wake()
            return
        said = f"it is called {safe_line(label, 60)}" if label else "it has no label"
        self.post_message(Noted(said, Tone.DONE))
        self._changed([key], label=label)

    def _changed(self, keys: Collection[str], **fields: object) -> None:
        """Show what was written of some rows; those far down the list are not read again for it."""
        self.pager.rows = [
            row.evolve(**fields) if row.checkpoint_id in keys else row for row in self.pager.rows
        ]
        self._found = {self.key_of(row): row for row in self.pager.rows}
        self.fetched()
        self.show(self._desk.clock.now())
        self.wake()


async def _pin_all(session: Session, keys: Sequence[str], *, pinned: bool) -> int:
    """Pin checkpoints, or take their pins off; return how many of them there are no more."""
    gone = 0
    for key in keys:
        try:
            await session.executor.pin(CheckpointId(key), pinned=pinned)
        except CheckpointNotFound:
            gone += 1
    return gone


async def _label(session: Session, run_id: RunId, key: CheckpointId, text: str) -> str:
    """Call a checkpoint something; return what it is called now."""
    await session.executor.label(key, text or None)
    marks = await session.history.checkpoints(CheckpointFilter(run_id=run_id, limit=_EVERY))
    return next((mark.label for mark in marks if mark.checkpoint_id == key), "")


async def _found(session: Session, keys: Sequence[str]) -> list[str]:
    there = []
    for key in keys:
        with suppress(CheckpointNotFound, AmbiguousId):
            if await session.history.find_checkpoint(key) == key:
                there.append(key)
    return there
