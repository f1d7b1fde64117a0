"""The dialog that answers several pauses with the same question, one by one, by their ids.

It lists every run. One answer is chosen and armed as in the dialog of a single question, and what it leads to
stands beside each run. Then the answers are sent one after the other, and the list says what became of each.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from textual import events, on

from tidegate.clock import Clock
from tidegate.errors import InvalidAnswer, TidegateError
from tidegate.model.answer import Answered
from tidegate.model.base import Json
from tidegate.model.ids import PauseId
from tidegate.model.listing import PauseRow
from tidegate.model.outlook import Supposed, news
from tidegate.model.prompt import check_comment
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.answering.review import ReviewDialog
from tidegate.tui.dialogs.answering.reviewed import Fate, Result, Reviewed, closed_result, failure, taken
from tidegate.tui.dialogs.bodies.body import ArmedBody, Send
from tidegate.tui.dialogs.frame.base import Say
from tidegate.tui.dialogs.frame.certainty import Proof
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.dialogs.frame.words import never_shown_words
from tidegate.tui.nouns.advice import Foreseen
from tidegate.tui.present.outlook import final_names, news_sentence, outlook_sentence
from tidegate.tui.working import begin

__all__ = ["BulkDialog", "BulkDoor"]

_PATIENCE = 15.0
"""Seconds that one answer may be on its way."""
_LOOK = 1.0
"""Seconds between two looks whether somebody else has decided one of them."""
_CHOOSE = "choose an answer first"
_FORESEEN = 60
"""Runs of which it is looked up what follows."""


@dataclass(frozen=True, slots=True)
class BulkDoor:
    """What the dialog may ask of the engine."""

    submit: Callable[[PauseId, str, str], Awaitable[Answered]]
    """Gives one answer as typed, with a comment; returns once it is durable, or raises `TidegateError`."""
    look: Callable[[Sequence[PauseId]], Awaitable[Mapping[PauseId, AskedPause]]]
    """Returns some pauses as they are now, open or not."""
    foresee: Callable[[PauseRow, str | Supposed], Awaitable[Foreseen]]
    """Returns what an answer leads to; raises `TidegateError` if it leads nowhere."""


class BulkDialog(ReviewDialog):
    """Asks once what several pauses ask, and sends the answer to each that is ticked.

    Args:
        rows: At least one; they all ask the same.
        door: To the engine.
        clock: For ages and deadlines.
        position: Where this question stands among several, such as ``1 of 2``; empty: it is the only one.
        pace: How long keys are inert.
    """

    def __init__(
        self,
        rows: Sequence[Reviewed],
        door: BulkDoor,
        *,
        clock: Clock,
        position: str = "",
        pace: Pace = PACE,
    ) -> None:
        super().__init__(rows, clock=clock, position=position, pace=pace)
        self._door = door
        self._is_looking = False
        self._foreseen: dict[tuple[PauseId, str], Foreseen | None] = {}
        """By question and answer; None: it leads nowhere, and whoever sends it is told why."""
        self._looking: set[tuple[PauseId, str]] = set()
        """Questions and answers that are being looked up."""
        self._body.foretell = self._follows

    def on_mount(self) -> None:
        """Keep an eye on whether they are still open."""
        super().on_mount()
        self.set_interval(_LOOK, self._look_soon)

    def armed(self) -> None:
        """Let keys count, and say what follows."""
        super().armed()
        self._foresee_soon()

    def disarm(self) -> None:
        """Forget what was armed."""
        super().disarm()
        self._foresee_soon()

    # -- choosing -----------------------------------------------------------------------------

    @property
    def _armed_raw(self) -> str | None:
        body = self._body
        return body.raw_of(body.option) if isinstance(body, ArmedBody) and body.option is not None else None

    @property
    def _has_choices(self) -> bool:
        """Whether the answers are listed, and each may lead to something else."""
        return isinstance(self._body, ArmedBody) and bool(self._body.listed())

    def show_sentence(self, event: Say) -> None:
        """Show what the body says, and whom it goes to."""
        if self.gate.busy or self._is_over:
            return
        raw = self._armed_raw
        if raw is None:
            self.say(self._hint() if event.text == self._body.hint else event.text, event.tone)
            self._foresee_soon()
            return
        unseen = sum(len(row.pause.prompt.show) for row in self.ticked)
        whom = f"It goes to {self.whom}."
        warning = never_shown_words(self.question.never_shown + self.left_out, unseen)
        said = [event.text, whom, warning, *self.wishes(raw)]
        self.say(" ".join(filter(None, said)), event.tone)
        self._foresee_soon()

    @property
    def proof(self) -> Proof:
        """How many are meant."""
        title = f"Type {len(self.ticked)}, the number of questions"
        return Proof(title, lambda typed: typed.strip() == str(len(self.ticked)))

    def final_of(self, raw: str) -> str:
        """Return what an answer leads to somewhere and cannot be undone, as far as it was looked up."""
        known = [self._foreseen.get((row.pause_id, raw)) for row in self.ticked]
        found = [final_names(it.outlook) for it in known if it is not None]
        return ", ".join(dict.fromkeys(filter(None, found)))

    def _foresee_soon(self) -> None:
        # Several at a time do no harm: each ends as soon as something else is armed, and looks up what no other does.
        begin(self, "foresee", self._foresee, self._armed_raw)

    async def _foresee(self, raw: str | None) -> None:
        """Say beside each run what the armed answer leads to there; while none is, what any may if all may be alike."""
        if raw is None and self._has_choices:
            # What one of them leads to would look like what follows anyway.
            for row in self.ticked:
                self.tell_of(row.pause_id, _CHOOSE)
            self.draw_rows()
            return
        supposed = Supposed.ANYTHING if raw is None else raw
        has_news = False
        for row in self.ticked[:_FORESEEN]:
            has_news |= await self._look_up(row, supposed)
            if raw != self._armed_raw or self._is_over:
                return
            if (foreseen := self._foreseen.get((row.pause_id, supposed))) is not None:
                self.tell_of(row.pause_id, outlook_sentence(foreseen))
        self.draw_rows()
        if has_news and raw is not None:
            self._body.remind()

    def _follows(self, raw: str) -> str:
        """Return what an answer leads to, if that is the same for everybody: a row may have no room for it."""
        known = [self._foreseen.get((row.pause_id, raw)) for row in self.ticked]
        said = {outlook_sentence(foreseen) if foreseen is not None else "" for foreseen in known}
        return said.pop() if len(said) == 1 else ""

    async def _look_up(self, row: Reviewed, raw: str | Supposed) -> bool:
        """Look up what an answer leads to, unless that is known or somebody is at it; return whether it was looked up."""
        key = row.pause_id, raw
        if key in self._foreseen or key in self._looking:
            return False
        self._looking.add(key)
        try:
            self._foreseen[key] = await self._look_ahead(row, raw)
        finally:
            self._looking.remove(key)
        return True

    async def _look_ahead(self, row: Reviewed, raw: str | Supposed) -> Foreseen | None:
        try:
            return await self._door.foresee(row.pause, raw)
        except TidegateError:
            return None

    # -- sending ------------------------------------------------------------------------------

    @on(Send)
    def send_answers(self, event: Send) -> None:
        """Read the answer by the rule that all share, then send it to each that is ticked."""
        if self.gate.busy or self._is_over:
            return
        if not self.ticked:
            self.say("No run is ticked: space ticks the one under the cursor.", "error")
            return
        try:
            comment = check_comment(self._prompt, self._read(event.raw), self._comment.value)
        except InvalidAnswer as error:
            self.want_comment(error)
        except _Refused:
            return
        else:
            if self.is_certain_of(self.final_of(event.raw)):
                self.begin_sending("Sending ...")
                begin(self, "answer", self._send_all, event.raw, comment)

    def _read(self, raw: str) -> Json:
        try:
            return self._prompt.parse(raw)
        except InvalidAnswer as error:
            self._body.refused(safe_line(error.rule, 600))
            raise _Refused from None

    async def _send_all(self, raw: str, comment: str) -> None:
        ticked = self.ticked
        for number, row in enumerate(ticked, start=1):
            self.say(f"Sending {number} of {len(ticked)} ...", "busy")
            self.put(replace(row, is_sending=True))
            seen = await self._as_now(row)
            self.put(seen.ended(await self._send(seen, raw, comment)))
        self.gate.busy = False
        # Whoever pressed once too often must still see what became of it.
        self.gate.open(events.Event().time)
        self._finish()

    async def _as_now(self, row: Reviewed) -> Reviewed:
        """Return it with whose it is now: somebody may have said so since the last look."""
        try:
            found = await self._door.look([row.pause_id])
        except TidegateError:
            # Whoever sends will be told.
            return row
        return row.now_as(found[row.pause_id]) if row.pause_id in found else row

    async def _send(self, row: Reviewed, raw: str, comment: str) -> Result:
        if changed := row.handed_on(self._clock.now()) or await self._news_of(row, raw):
            return Result(Fate.REFUSED, f"not sent: {changed}")
        if final := await self._uncertain(row, raw):
            return Result(Fate.REFUSED, f"not sent: {final} cannot be undone; answer this one by itself")
        sending = asyncio.ensure_future(self._door.submit(row.pause_id, raw, comment))
        # Not cancelled when it takes too long: what is on its way may still arrive, and that does no harm.
        await asyncio.wait([sending], timeout=_PATIENCE)
        if not sending.done():
            sending.add_done_callback(lambda late: late.cancelled() or late.exception())
            return Result(Fate.REFUSED, f"no word from the store for {_PATIENCE:.0f} s: it may still arrive")
        try:
            return taken(await sending)
        except TidegateError as error:
            return failure(error, self._clock.now())

    async def _uncertain(self, row: Reviewed, raw: str) -> str:
        """Return what the answer leads to and cannot be undone, if nobody could be asked for certainty; safe to draw."""
        if self._certainty.is_given or (row.pause_id, raw) in self._foreseen:
            return ""
        foreseen = await self._look_ahead(row, raw)
        return final_names(foreseen.outlook) if foreseen is not None else ""

    async def _news_of(self, row: Reviewed, raw: str) -> str:
        """Return what has changed of what the answer leads to since somebody saw it; empty: nothing."""
        seen = self._foreseen.get((row.pause_id, raw))
        now = await self._look_ahead(row, raw) if seen is not None else None
        if seen is None or now is None:
            return ""
        changed = news(seen.outlook, now.outlook)
        return news_sentence(changed) if changed else ""

    def _finish(self) -> None:
        """Turn into a table of what became of each."""
        self._is_over = True
        self._body.display = self._comment.display = self._certainty.display = False
        self._close.display = True
        self._list.focus()
        self.add_class("-closed")
        self.remove_class("-crowded")
        sent = [row for row in self.rows if row.result is not None]
        counts = [(fate, sum(row.result.fate is fate for row in sent if row.result)) for fate in Fate]
        said = ", ".join(f"{count} {fate.value}" for fate, count in counts if count)
        rest = len(self.rows) - len(sent)
        out = f", {rest} left out" if rest else ""
        is_good = not any(count for fate, count in counts if fate is Fate.REFUSED)
        self.say(f"{said}{out}. Enter or esc closes.", "done" if is_good else "error")
        self.show_due()
        self.show_keys()

    # -- decided elsewhere --------------------------------------------------------------------

    def _look_soon(self) -> None:
        if self.is_active and not (self._is_over or self.gate.busy or self._is_looking):
            self._is_looking = True
            begin(self, "look", self._look)

    async def _look(self) -> None:
        """Show what somebody else has decided or handed on meanwhile: nothing is sent to it."""
        try:
            found = await self._door.look([row.pause_id for row in self.rows if row.is_open])
        except TidegateError:
            # Whoever sends will be told.
            return
        finally:
            self._is_looking = False
        if self.gate.busy or self._is_over:
            return
        now, before = self._clock.now(), self.rows
        for pause_id, pause in found.items():
            row = self._rows[pause_id]
            is_open = pause.state is PauseState.OPEN
            self._rows[pause_id] = row.now_as(pause) if is_open else row.ended(closed_result(pause, now))
        if self.rows == before:
            return
        self.draw_rows()
        if not any(row.is_open for row in self.rows):
            self._finish()
        elif self._armed_raw is not None:
            self._body.remind()
        else:
            self.say(self._hint())


class _Refused(Exception):
    """The answer was refused, and that was said."""
