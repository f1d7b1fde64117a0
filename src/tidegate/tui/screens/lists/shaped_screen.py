"""A mode that an operator arranges: its order, its columns, filters with a name, and what is taken out of it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from textual import work
from textual.binding import BindingType
from textual.widget import Widget

from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Tone, shared_by_need
from tidegate.tui.messages import Noted
from tidegate.tui.pane_sizes import Along, arrange, moved, name_of
from tidegate.tui.query.listing import Sort
from tidegate.tui.query.saved import SavedFilters
from tidegate.tui.screens.lists.list_screen import ListScreen
from tidegate.tui.zoom import is_zoomed

__all__ = ["ShapedScreen"]

_LONGEST_NAME = 40
"""Characters of the name of a filter."""
_SIDE = {Along.ACROSS: "width", Along.DOWN: "height"}
_LEAST_PREVIEW = 9
"""Rows of the preview below a list, its border included, as the styles have it."""
_MOST_COPIED = 1_000
"""Rows that are copied at once; more are exported."""


class ShapedScreen(ListScreen):
    """A mode that is arranged as somebody likes it, and stays so."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.ROWS)
    READS: ClassVar[bool] = False
    """Whether what is said of a row has to be read: then it gets a good part of a tall terminal."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._saved = SavedFilters(desk.state)
        kept = self._saved.of(self.LISTING.name)
        sorts = [sort.name for sort in self.LISTING.sorts]
        self._sort = sorts.index(kept.sort) if kept.sort in sorts else 0
        self._is_reversed = kept.is_reversed
        self._hidden = kept.hidden

    def _keep(self, **changes: object) -> None:
        self._saved.keep(self.LISTING.name, **changes)

    # -- order --------------------------------------------------------------------------------

    @property
    def sort(self) -> Sort[Any]:
        """The order that is chosen."""
        return self.LISTING.sorts[self._sort]

    def action_sort(self) -> None:
        """Take the next order."""
        self._arrange((self._sort + 1) % len(self.LISTING.sorts), is_reversed=False)

    def action_sort_back(self) -> None:
        """Turn the order round."""
        self._arrange(self._sort, is_reversed=not self._is_reversed)

    def _arrange(self, sort: int, *, is_reversed: bool) -> None:
        self._sort, self._is_reversed = sort, is_reversed
        self._keep(sort=self.sort.name if sort else "", is_reversed=is_reversed)
        self.show(self._desk.clock.now())
        self.post_message(
            Noted(f"ordered by {self.sort.name}{', reversed' if is_reversed else ''}", Tone.DIM)
        )

    def heading(self) -> str:
        """Return what is written on the border of the list; its order, if it is not its own."""
        if not self._sort and not self._is_reversed:
            return self.TITLE_OF_LIST
        sign = "↑" if self.sort.falls is self._is_reversed else "↓"
        return f"{self.TITLE_OF_LIST} · by {self.sort.name} {sign}"

    # -- columns ------------------------------------------------------------------------------

    def set_shown(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """Return columns without those that somebody has hidden."""
        shown = [column for column in columns if column.title not in self._hidden]
        if not shown or not self._hidden:
            return tuple(columns)
        # One of them has to take what the hidden ones leave.
        takes = any(not column.width for column in shown)
        widest = max(range(len(shown)), key=lambda at: shown[at].width)
        if not takes:
            shown[widest] = replace(shown[widest], width=0)
        by_title = {column.title: column for column in shown}
        return tuple(by_title.get(column.title, replace(column, is_shown=False)) for column in columns)

    @work(group="arrange")
    async def action_columns(self) -> None:
        """Choose which columns are shown."""
        from tidegate.tui.dialogs.picks import ColumnsDialog

        titles = [column.title for column in self.COLUMNS]
        hidden = await self.app.push_screen_wait(ColumnsDialog(titles, self._hidden))
        if hidden is not None:
            self._hidden = hidden
            self._keep(hidden=hidden)
            self.show(self._desk.clock.now())

    # -- sizes of panes -----------------------------------------------------------------------

    def panes(self) -> Sequence[Widget]:
        """Return the panes that share the body now, in their order; one: there is nothing to share."""
        has_room = self.has_class("-wide") or self.has_class("-tall")
        return (self.rows_view, self.preview) if has_room else (self.rows_view,)

    @property
    def _along(self) -> Along:
        return Along.ACROSS if self.has_class("-wide") else Along.DOWN

    def on_resize(self) -> None:
        """Share the body as somebody has set it for so many panes; in a small terminal there is only the list."""
        self.call_after_refresh(self._arrange_panes)

    def _arrange_panes(self) -> None:
        panes, along = self.panes(), self._along
        kept = self._saved.of(self.LISTING.name).panes.get(name_of(len(panes), along))
        arrange(panes, along, kept)
        if self.READS and kept is None and along is Along.DOWN and len(panes) > 1:
            self.preview.styles.height = max(_LEAST_PREVIEW, self.size.height * 2 // 5)

    def action_size(self, larger: bool) -> None:
        """Make the focused pane larger or smaller beside its neighbour."""
        panes, along = self.panes(), self._along
        if len(panes) < 2 or is_zoomed(self):  # noqa: PLR2004 - one has no neighbour
            self.post_message(Noted("there is nothing beside this pane", Tone.DIM))
            return
        at = next((at for at, pane in enumerate(panes) if pane.has_focus), 0)
        before = [getattr(pane.outer_size, _SIDE[along]) for pane in panes]
        after = moved(before, at, along, larger=larger)
        if after == tuple(before):
            self.post_message(Noted(f"it gets no {'larger' if larger else 'smaller'}", Tone.DIM))
            return
        kept = self._saved.of(self.LISTING.name).panes
        self._keep(panes={**kept, name_of(len(panes), along): after})
        self._arrange_panes()

    def action_sizes_again(self) -> None:
        """Give all panes the sizes again that they have by themselves."""
        self._keep(panes={})
        self._arrange_panes()
        self.post_message(Noted("the panes have their usual sizes again", Tone.DIM))

    # -- filters with a name ------------------------------------------------------------------

    @work(group="arrange")
    async def action_filters(self) -> None:
        """Choose a filter that has a name, or give one to the filter that is set."""
        from tidegate.tui.dialogs.picks import FiltersDialog

        saved = self._saved.of(self.LISTING.name).filters
        dialog = FiltersDialog(dict(self.LISTING.filters), saved, self._query.source)
        wish = await self.app.push_screen_wait(dialog)
        if wish is None:
            return
        if wish.apply is not None:
            self.look_for(wish.apply)
            self._leave_filter()
        elif wish.save:
            await self._save_filter(saved)
        else:
            self._keep(filters={name: text for name, text in saved.items() if name != wish.forget})
            self.post_message(Noted(f"filter '{wish.forget}' is gone", Tone.DIM))

    @property
    def has_filter(self) -> bool:
        """Whether a filter is set, which can be given a name."""
        return bool(self._query)

    @work(group="arrange")
    async def action_save_filter(self) -> None:
        """Give the filter that is set a name."""
        if self._query:
            await self._save_filter(self._saved.of(self.LISTING.name).filters)

    async def _save_filter(self, saved: dict[str, str]) -> None:
        from tidegate.tui.dialogs.picks import NameDialog

        text = self._query.source

        def problem(name: str) -> str:
            if not name:
                return "A filter needs a name."
            if len(name) > _LONGEST_NAME or safe_line(name) != name:
                return f"A name has at most {_LONGEST_NAME} characters, all of them visible."
            known = saved.get(name)
            return (
                f"'{safe_line(name)}' is another filter: {safe_line(known, 60)}"
                if known not in (None, text)
                else ""
            )

        name = await self.app.push_screen_wait(NameDialog(f"Save {safe_line(text, 40)} as", "", problem))
        if name is not None:
            self._keep(filters={**saved, name: text})
            self.post_message(Noted(f"saved as '{name}': {self.key_for('rows.filters')} has it", Tone.DONE))

    # -- what is taken out of it --------------------------------------------------------------

    def action_copy_id(self) -> None:
        """Copy the id of the row, or of those that are marked."""
        keys = self.chosen()[:_MOST_COPIED]
        if not self.refuses_marks() and keys:
            self._copy(
                "\n".join(map(self.id_of, keys)),
                f"copied {self.id_of(keys[0])}" if len(keys) == 1 else f"copied {len(keys)} ids",
            )

    def action_copy_json(self) -> None:
        """Copy the row, or those that are marked, as JSON."""
        documents = self._documents(self.chosen()[:_MOST_COPIED])
        if not self.refuses_marks() and documents:
            self._copy("\n".join(documents), f"copied {self.several(len(documents))} as JSON")

    def _documents(self, keys: Sequence[str]) -> list[str]:
        found = [document for key in keys if (document := self.json_of(key))]
        return [msgspec.json.encode(document).decode() for document in found]

    def _copy(self, text: str, said: str) -> None:
        self.app.copy_to_clipboard(text)
        self.post_message(Noted(" · ".join(filter(None, (said, self.left_out()))), Tone.DIM))

    @work(group="export")
    async def action_export(self) -> None:
        """Write what is shown, or what of it is marked, to a file."""
        from tidegate.tui.dialogs.picks import NameDialog
        from tidegate.tui.host.row_files import export, export_problem

        if self.refuses_marks():
            return
        keys = self.rows_view.marked_shown or self._keys_shown()
        documents = [document for key in keys if (document := self.json_of(key))]
        if not documents:
            self.post_message(Noted("there is nothing to export", Tone.DIM))
            return
        meant = " · ".join(filter(None, (self.several(len(documents)), self.left_out())))
        title = f"Export {meant} to a file: .jsonl or .csv"
        name = await self.app.push_screen_wait(
            NameDialog(title, f"{self.LISTING.name}.jsonl", export_problem)
        )
        if name is None:
            return
        try:
            path = await asyncio.to_thread(export, Path(name), documents)
        except OSError as error:
            self.post_message(Noted(f"{name} is not written: {error.strerror or error}", Tone.FAILED))
        else:
            self.post_message(Noted(f"{self.several(len(documents))} written to {path}", Tone.DONE))

    def _keys_shown(self) -> Sequence[str]:
        return tuple(self.filtered(self._desk.clock.now()).selectable_keys())

    def columns(self, lines: Sequence[Line], room: int) -> tuple[Column, ...]:
        """Return the columns for these rows, without those that are hidden; those that share have what they need."""
        return shared_by_need(self.set_shown(super().columns(lines, room)), lines, room)
