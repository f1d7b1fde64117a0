"""Walking through a run's past: the keys that step, compare, look closer, and fork."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.widgets import Input

from tidegate.errors import TidegateError
from tidegate.history.document import is_branch
from tidegate.history.paths import Path, path_text
from tidegate.history.walker import Walker
from tidegate.model.ids import Seq
from tidegate.model.value import Inline, Stored
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.lines import Tone
from tidegate.tui.messages import Noted, TravelWanted
from tidegate.tui.present.timeline import NOW_KEY, event_of
from tidegate.tui.reads.travel import find_in
from tidegate.tui.screens.travel.comparing import Comparing
from tidegate.tui.session import Session
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.text_pane import TextPane
from tidegate.tui.working import begin, begin_anew

__all__ = ["TimeTravelScreen"]

_FIELDS = {
    "points": "words to look for among the checkpoints; enter keeps them, esc shows all again",
    "state": "words to look for in names and values of the state; enter keeps them, n N go on, esc shows all again",
    "label": "what to call this point, as a checkpoint; esc leaves it as it is",
    "leave out": "paths that shall not count, such as blocks.*.outputs.stamp; several with blanks; none: all count",
    "go": "where to go: a checkpoint's number such as 31, an event such as @214, or an id; esc stays here",
}


class TimeTravelScreen(Comparing):
    """Keys of the past."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.TRAVEL, Scope.BACK, Scope.LIST, Scope.TEXT, Scope.PREVIEW)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.TRAVEL, Scope.BACK)

    _asking = "points"
    """What the field at the top is for."""

    # -- stepping -----------------------------------------------------------------------------

    def action_go(self, seq: int) -> None:
        """Go to an event."""
        self._past.go(seq)
        self.moved()

    def action_step_back(self) -> None:
        """Go to the checkpoint before."""
        if self._past.timeline is not None:
            self.action_go(self._past.timeline.before(self._past.at))

    def action_step_on(self) -> None:
        """Go to the next checkpoint."""
        if self._past.timeline is not None:
            self.action_go(self._past.timeline.after(self._past.at))

    def action_event_back(self) -> None:
        """Go to the event before."""
        self.action_go(self._past.at - 1)

    def action_event_on(self) -> None:
        """Go to the next event."""
        self.action_go(self._past.at + 1)

    def action_wave_back(self) -> None:
        """Go to where a wave before starts."""
        self._seek(lambda walker, at: walker.wave_before(at), "no wave starts before this")

    def action_wave_on(self) -> None:
        """Go to where the next wave starts."""
        self._seek(lambda walker, at: walker.wave_after(at), "no wave starts after this")

    def action_next_change(self) -> None:
        """Go to where the value under the cursor changes next; while one looks for words, to where they stand next."""
        if self._words["state"]:
            self._go_to_hit(1)
        elif (path := self.path()) is not None:
            text = f"{path_text(path)} does not change after this"
            self._seek(lambda walker, at: walker.change_after(path, at), text)

    def action_last_change(self) -> None:
        """Go to where the value under the cursor changed before; while one looks for words, to where they stand before."""
        if self._words["state"]:
            self._go_to_hit(-1)
        elif (path := self.path()) is not None:
            text = f"{path_text(path)} did not change before this"
            self._seek(lambda walker, at: walker.change_before(path, at), text)

    def _go_to_hit(self, by: int) -> None:
        """Go to the next row at which the words were found, or the one before; round the ends."""
        rows, hits = self.state_list, list(self._hits)
        if not hits:
            self.post_message(Noted(f"nothing in the state has '{self._words['state']}'", Tone.DIM))
            return
        here = rows.index_of(rows.cursor_key)
        ahead = [key for key in hits if by * (rows.index_of(key) - here) > 0] or hits
        self._show_pane("state")
        rows.move_to(ahead[0] if by > 0 else ahead[-1])

    def _seek(self, find: Callable[[Walker, int], Awaitable[Seq | None]], otherwise: str) -> None:
        """Look for an event from where one is, and go there; say so if there is none."""
        at = self._past.at

        async def look(session: Session) -> Seq | None:
            return await find(await session.history.walk(self.run_id), at)

        async def seek() -> None:
            try:
                found = await self._desk.engine.call(look)
            except TidegateError as error:
                self.post_message(Noted(str(error), Tone.FAILED))
                return
            # Who has stepped on meanwhile is not pulled back.
            if self._past.at == at and found is not None:
                self.action_go(found)
            elif found is None:
                self.post_message(Noted(otherwise, Tone.DIM))

        begin_anew(self, "seek", seek)

    def action_now(self) -> None:
        """Go to where the run is now, with everything that has happened since one began to look."""
        self._past.wanted = None
        begin_anew(self, "seek", self._read_anew)

    async def _read_anew(self) -> None:
        try:
            await self._past.read_line(anew=True)
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
        self.moved()

    @on(LineList.Highlighted, "#points")
    def _pointed(self, event: LineList.Highlighted) -> None:
        # Old news is none: to follow it would send the cursor back and forth between two keys for ever.
        if not event.key or event.key != self.points.cursor_key or event.key == self._placed:
            return
        self._placed = event.key
        if event.key == NOW_KEY:
            self.action_now()
        else:
            self.action_go(event_of(event.key))

    @on(LineList.Selected, "#points")
    def _enter_point(self) -> None:
        self._show_pane("state")

    # -- going somewhere by name --------------------------------------------------------------

    def action_go_to(self) -> None:
        """Type where to go."""
        self._ask("go")

    def action_bookmark(self) -> None:
        """Type what to call this point."""
        if self._past.here is not None:
            self._ask("label")

    def action_leave_out(self) -> None:
        """Type what shall not count as a difference."""
        self._ask("leave out")

    def action_filter(self) -> None:
        """Type what to look for, in the list that one is in."""
        self._ask("points" if self.points.has_focus else "state")

    def _ask(self, what: str) -> None:
        field = self.query_one("#filter", Input)
        self._asking = what
        field.placeholder = _FIELDS[what]
        field.value = self._words.get(what, "")
        if what == "leave out":
            field.value = " ".join(self._past.rules.ignore)
        self.add_class("-filtering")
        field.focus()

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        if self._asking in self._words:
            self._words[self._asking] = event.value.strip()
            self.show_now()

    @on(Input.Submitted, "#filter")
    def _typed(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        if self._asking == "go" and text:
            self._go_by_name(text)
        elif self._asking == "leave out":
            self.leave_out(tuple(text.split()))
        elif self._asking == "label" and text:
            # A group of its own: whoever steps on takes back what was looked for, not what is written.
            begin(self, "label", self.bookmark, text)
        self._leave_field()
        if self._asking == "state" and self.state_list.cursor_key not in self._hits:
            self.state_list.move_to(next(iter(self._hits), ""))

    def _leave_field(self) -> None:
        self.remove_class("-filtering")
        if self._asking == "state" or (self._asking == "points" and self.is_single):
            self._show_pane(self._asking)
        elif self.is_single:
            # Nothing was looked for: one goes on where one was.
            self._show_pane(self._seen)
        else:
            self.points.focus()

    def _go_by_name(self, text: str) -> None:
        timeline = self._past.timeline
        number = text.removeprefix("#")
        if timeline is not None and number.isascii() and number.isdecimal():
            if 1 <= int(number) <= len(timeline.checkpoints):
                self.action_go(timeline.checkpoints[int(number) - 1].seq)
            else:
                words = f"there is no checkpoint #{number}: they go from 1 to {len(timeline.checkpoints)}; @{number} is an event"
                self.post_message(Noted(words, Tone.FAILED))
            return
        begin_anew(self, "seek", self._go_to_id, text)

    async def _go_to_id(self, text: str) -> None:
        try:
            point = await self._desk.engine.call(lambda session: find_in(session, self.run_id, text))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
            return
        if point.run_id == self.run_id:
            self.action_go(point.seq)
        else:
            self.post_message(TravelWanted(point.run_id, point.seq))

    def action_show_output(self) -> None:
        """Show what the block wrote, or the differences again."""
        self._side = "difference" if self._side == "output" else "output"
        self.bring_sight()
        self.wake()

    # -- the state ----------------------------------------------------------------------------

    @on(LineList.Highlighted, "#state")
    def _looked(self) -> None:
        self.show_now()
        self.wake()

    @on(LineList.Selected, "#state")
    def _open_row(self) -> None:
        row = self.row
        if row is None:
            return
        value = row.node
        if row.is_more:
            self._opened.show_more(row.path)
        elif isinstance(value, Stored):
            begin(self, "value", self._load_value, value)
        elif is_branch(value) or isinstance(value, list) or _holds_more(value):
            self._turn_branch(row.path)
        else:
            self._side = "value"
            self.bring_sight()
        self.show_now()

    def _turn_branch(self, path: Path) -> None:
        if self._words["state"]:
            self._opened.flip(path)
        else:
            self._opened.toggle(path, self._past.changed)

    def action_show_json(self) -> None:
        """Show the value under the cursor, with all below it."""
        self._side = "value"
        self.bring_sight()
        self.show_now()

    async def _load_value(self, value: Stored) -> None:
        try:
            found = await self._desk.engine.call(lambda session: session.history.outputs({"value": value}))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
            return
        self._opened.load(value, found["value"])
        self.show_now()

    # -- leaving ------------------------------------------------------------------------------

    def action_back(self) -> None:
        """Show everything again if only a part is shown; else go back to where one came from."""
        if self.has_class("-filtering") or any(self._words.values()):
            found = self.row if self.state_list.cursor_key in self._hits else None
            self._words = dict.fromkeys(self._words, "")
            self.query_one("#filter", Input).value = ""
            self._leave_field()
            if found is not None:
                self._opened.reveal(found.path)
            self.show_now()
            if found is not None:
                self.put_cursor(found.path)
        elif self._side != "difference":
            self._side = "difference"
            self.show_now()
        else:
            self.dismiss()

    # -- panes --------------------------------------------------------------------------------

    def action_next_pane(self) -> None:
        """Go to the next pane."""
        self._turn_pane(1)

    def action_pane_before(self) -> None:
        """Go to the pane before."""
        self._turn_pane(-1)

    def _turn_pane(self, by: int) -> None:
        panes = ["points", "state", "sight"]
        if self._past.lineage is not None:
            panes.insert(1, "forks")
        now = next((pane for pane in panes if self._pane(pane).has_focus), panes[0])
        self._show_pane(panes[(panes.index(now) + by) % len(panes)])

    @on(events.DescendantFocus, "#points, #forks, #state, #preview, #output")
    def _remember_pane(self, event: events.DescendantFocus) -> None:
        """Remember the pane that somebody is in: it is the one that is seen once only one has room."""
        name = event.widget.id or ""
        self._seen = "sight" if name in ("preview", "output") else name

    def _pane(self, name: str) -> LineList | TextPane:
        if name == "sight":
            return self.sight
        return self.query_one(f"#{name}", LineList)

    def bring_sight(self) -> None:
        """Show what there is to say of the state, also where that takes its place; keys stay where they are."""
        if self.is_single or (self.state_list.has_focus and self.has_class("-narrow")):
            self._show_pane("sight")
        else:
            self.add_class("-sight")
            self.call_after_refresh(self.show_now)

    def _show_pane(self, name: str) -> None:
        """Go to a pane; where there is room for two, the state gives way to what is said of it, and back."""
        self.set_class(name == "sight", "-sight")
        self.lay_out(name)
        self._pane(name).focus()
        # Once it is laid out: what is said of it is wrapped to its width.
        self.call_after_refresh(self.show_now)

    def applies(self, action: str) -> bool:
        """Whether a key would do something here."""
        if action in ("step_back", "step_on", "now"):
            timeline = self._past.timeline
            if timeline is None or action == "now":
                return self._past.wanted is not None or bool(self._past.news.words)
            return self._past.at > 1 if action == "step_back" else self._past.at < timeline.head
        if action == "inside":
            return self.has_inside
        return action not in ("fork", "edit", "rerun") or (
            self._past.here is not None and not self._past.is_gone
        )


def _holds_more(node: object) -> bool:
    return isinstance(node, Inline) and isinstance(node.value, list | dict) and bool(node.value)
