"""What can be done with a point of a run's past: copy it, name it, and go on from it in another run."""

from contextlib import suppress

import msgspec
from textual import on

from tidegate.errors import TidegateError
from tidegate.history.document import Node, document, plain_json, stored_below
from tidegate.history.paths import Path, path_text
from tidegate.history.points import Point
from tidegate.history.spans import size
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.tui.lines import Tone
from tidegate.tui.messages import ForkWanted, Noted, RunWanted, TravelWanted
from tidegate.tui.nouns.fork_wish import ForkWish
from tidegate.tui.present.state_tree import TreeRow
from tidegate.tui.program import command_line
from tidegate.tui.reads.fork_wishes import editable, rerun_of
from tidegate.tui.reads.travel import NothingBelow, place_below, read_below
from tidegate.tui.screens.travel.past import PastScreen
from tidegate.tui.session import Session
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.working import begin_anew

__all__ = ["PastWays"]

_MOST_COPIED = 8_000_000
"""Bytes of large values that are read to be copied."""


class PastWays(PastScreen):
    """Ways that lead on from a point."""

    def path(self) -> Path | None:
        """Return where the value under the cursor stands; None, and a word about it, if there is none."""
        row = self.row
        if row is None or row.path[0] == "~run":
            self.post_message(Noted("put the cursor on a value of the state first", Tone.DIM))
            return None
        return row.path

    def value_of(self, row: TreeRow) -> object:
        """Return what a row stands for, as JSON has it."""
        return plain_json(self._node_of(row), self._opened.loaded)

    def _node_of(self, row: TreeRow) -> Node:
        """Return what a row stands for; the line of the run itself, for all of the state."""
        state = self._past.state
        return document(state) if row.path[0] == "~run" and state is not None else row.node

    # -- copying ------------------------------------------------------------------------------

    def action_copy_path(self) -> None:
        """Copy where the value under the cursor stands."""
        if (path := self.path()) is not None:
            self.copy_text(path_text(path))

    def action_copy_value(self) -> None:
        """Copy the value under the cursor."""
        row = self.row
        if row is not None:
            begin_anew(self, "copy", self._copy_value, self._node_of(row))

    async def _copy_value(self, node: Node) -> None:
        """Copy a value with the large ones below it, which are read for that."""
        large = {it.sha256: it for it in stored_below(node) if it.sha256 not in self._opened.loaded}
        if (total := sum(it.size for it in large.values())) > _MOST_COPIED:
            command = command_line(self._desk.program, "checkpoints", "show", str(self._past.here), "--json")
            words = f"{size(total)} are too much to copy: `{command}` prints all of it"
            self.post_message(Noted(words, Tone.FAILED))
            return
        try:
            found = await self._desk.engine.call(lambda session: session.history.outputs(dict(large)))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
            return
        self.copy_text(_json(plain_json(node, {**self._opened.loaded, **found})))

    def action_copy_command(self) -> None:
        """Copy the command that does what this pane is for."""
        here, difference = self._past.here, self._past.difference
        if here is None:
            return
        words = ["fork", str(here)]
        if self.state_list.has_focus:
            words = ["show", str(here), *self._block_words()]
        elif self.sight.has_focus and difference is not None and difference.comparison is not None:
            rules = self._past.rules
            left_out = [word for pattern in rules.ignore for word in ("--ignore", pattern)]
            timing = ["--timing"] if rules.timing else []
            sides = map(str, (difference.comparison.left, difference.comparison.right))
            words = ["diff", *sides, *left_out, *timing]
        self.copy_text(command_line(self._desk.program, "checkpoints", *words))

    def _block_words(self) -> list[str]:
        match self.row.path if self.row is not None else ():
            case ("blocks", str(place), *_):
                return ["--block", place]
            case _:
                return []

    # -- going on from here -------------------------------------------------------------------

    def action_fork(self) -> None:
        """Ask what a fork from here shall be."""
        if (here := self._past.here) is not None:
            self.post_message(ForkWanted(ForkWish(here)))

    def action_edit(self) -> None:
        """Ask the same, with the value under the cursor to be changed."""
        here, row, state = self._past.here, self.row, self._past.state
        if here is not None and state is not None:
            path = editable(state, row.path if row is not None else ())
            self.post_message(ForkWanted(ForkWish(here, edits=path, is_editing=True)))

    def action_rerun(self) -> None:
        """Ask the same, with the block under the cursor, or what the wave has done, to be run again."""
        here, state = self._past.here, self._past.state
        if here is not None and state is not None:
            row = self.row if self.state_list.has_focus else None
            self.post_message(
                ForkWanted(ForkWish(here, blocks=rerun_of(state, row.path if row is not None else ())))
            )

    @on(LineList.Selected, "#forks")
    def _open_fork(self, event: LineList.Selected) -> None:
        if event.key != self.run_id:
            self.post_message(TravelWanted(RunId(event.key)))

    def action_open_run(self) -> None:
        """Show the run as it is now."""
        self.post_message(RunWanted(self.run_id, self.place))

    def action_inside(self) -> None:
        """Show the run that does the work of the block under the cursor, as it stood then."""
        # Where one is on the way to, though it may still be being read.
        here, place = Point(self.run_id, Seq(self._past.at)), self.place
        if self._past.here is None or place is None:
            self.post_message(Noted("put the cursor on a block that calls a workflow first", Tone.DIM))
        else:
            begin_anew(self, "seek", self._go_inside, here, place)

    async def _go_inside(self, here: Point, place: BlockId) -> None:
        try:
            below = await self._desk.engine.call(lambda session: read_below(session, here, place))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.WAITING))
        else:
            self.post_message(TravelWanted(below.run_id, below.seq))

    @property
    def has_inside(self) -> bool:
        """Whether a run does the work of the block under the cursor."""
        state, place = self._past.state, self.place
        if state is None or place is None:
            return False
        with suppress(NothingBelow):
            return bool(place_below(state, place))
        return False

    # -- naming it ----------------------------------------------------------------------------

    async def bookmark(self, label: str) -> None:
        """Call this point *label*: the checkpoint that stands here, or a new one."""
        past = self._past
        if past.here is None:
            return
        # Where one is on the way to, though it may still be being read.
        here = Point(self.run_id, Seq(past.at))
        mark = past.timeline.mark_at(here.seq) if past.timeline is not None else None

        async def name(session: Session) -> None:
            if mark is not None:
                await session.executor.label(CheckpointId(mark.checkpoint_id), label)
            else:
                await session.executor.mark(here.run_id, here.seq, by=session.operator, label=label)

        try:
            await self._desk.engine.call(name)
            # Who has stepped on meanwhile is not pulled back.
            if past.at == here.seq:
                past.go(here.seq)
            await past.read_line(anew=True)
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
            return
        self.post_message(Noted(f"{here} is called {label}", Tone.DONE))
        self.show_now()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
