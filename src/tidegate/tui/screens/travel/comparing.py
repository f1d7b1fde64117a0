"""What a point of a run's past is compared with, how that is shown, and what counts."""

from dataclasses import replace

from textual import work

from tidegate.errors import TidegateError
from tidegate.history.comparing import Rules
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Tone
from tidegate.tui.messages import Noted
from tidegate.tui.nouns.travel import Base
from tidegate.tui.present.sight import other_words
from tidegate.tui.reads.other_run import read_others
from tidegate.tui.screens.travel.past_ways import PastWays

__all__ = ["Comparing"]


class Comparing(PastWays):
    """Keys that compare."""

    def moved(self) -> None:
        """Show where one is, and read what is missing there."""
        self.show_now()
        self.wake()

    def bring_sight(self) -> None:
        """Show what there is to say of the state."""
        raise NotImplementedError

    def action_next_base(self) -> None:
        """Compare with something else."""
        bases, base = self._past.bases(), self._past.base
        following = bases[(bases.index(base) + 1) % len(bases)] if base in bases else bases[0]
        self.action_compare(following.name)

    def action_compare(self, name: str) -> None:
        """Compare with one thing."""
        self._past.compare(Base[name])
        self._side = "difference"
        self.bring_sight()
        self.moved()

    @work(group="other", exclusive=True)
    async def action_other_run(self) -> None:
        """Choose another run to compare with."""
        from tidegate.tui.dialogs.palette import Palette
        from tidegate.tui.present.palette import Entry

        try:
            runs = await self._desk.engine.call(lambda session: read_others(session, self.run_id))
        except TidegateError as error:
            self.post_message(Noted(str(error), Tone.FAILED))
            return
        now = self._desk.clock.now()

        def entry(name: str, title: str) -> Entry:
            return Entry(name, title, lambda: self._compare_with(name))

        chosen = await self.app.push_screen_wait(
            Palette(
                [entry(run.row.run_id, other_words(run, now)) for run in runs],
                hint="another run to compare with: choose one, or type an id, or a point as RUN@12",
                typed=lambda words: entry(words, f"Compare with '{safe_line(words, 60)}'"),
            )
        )
        if chosen is not None:
            await chosen.act()

    async def _compare_with(self, other: str) -> None:
        self._past.compare_with(other)
        self._show_differences(is_split=self._is_split)
        self.moved()

    def action_mark(self) -> None:
        """Mark the point one is at, or take its mark off."""
        here = self._past.here
        if here is not None:
            self._past.toggle_mark()
            is_marked = self._past.marked is not None
            words = f"marked: d compares other points with @{here.seq}" if is_marked else "the mark is off"
            self.post_message(Noted(words, Tone.DIM))
            self.moved()

    def leave_out(self, patterns: tuple[str, ...]) -> None:
        """Let no difference count at paths like these."""
        rules = replace(self._past.rules, ignore=patterns)
        try:
            rules.ignores()
        except ValueError as error:
            self.post_message(Noted(f"not a path: {error}", Tone.FAILED))
            return
        self._count_by(rules)

    def action_timing(self) -> None:
        """Let times and attempts count, or not."""
        self._count_by(replace(self._past.rules, timing=not self._past.rules.timing))

    def _count_by(self, rules: Rules) -> None:
        self._past.count_by(rules)
        self._side = "difference"
        self.bring_sight()
        self.moved()

    def action_unified(self) -> None:
        """Show differences below each other."""
        self._show_differences(is_split=False)

    def action_split(self) -> None:
        """Show differences side by side."""
        self._show_differences(is_split=True)

    def _show_differences(self, *, is_split: bool) -> None:
        self._is_split, self._side = is_split, "difference"
        self.bring_sight()
