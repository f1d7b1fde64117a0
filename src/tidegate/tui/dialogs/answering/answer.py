"""The dialog that answers a pause.

Owns nothing durable: it hands what was typed to `submit`, which returns once the answer is on disk,
and shows what became of it. Escape means later, never no.
"""

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget

from tidegate.clock import Clock, SystemClock
from tidegate.errors import TidegateError
from tidegate.model.outlook import Supposed
from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, InputPrompt, Prompt, RecoveryPrompt
from tidegate.tui.dialogs.answering.drafts import parts_of
from tidegate.tui.dialogs.answering.reading import ALL_ROWS
from tidegate.tui.dialogs.answering.sending import Submit
from tidegate.tui.dialogs.answering.ways_out import WaysOut
from tidegate.tui.dialogs.bodies.body import ArmedBody
from tidegate.tui.dialogs.bodies.by_prompt import body_of
from tidegate.tui.dialogs.bodies.confirm import ConfirmBody
from tidegate.tui.dialogs.bodies.foresight import Answers
from tidegate.tui.dialogs.bodies.form import FormBody
from tidegate.tui.dialogs.frame.base import Key, Say
from tidegate.tui.dialogs.frame.certainty import CertaintyField
from tidegate.tui.dialogs.frame.comment import CommentField
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.nouns.advice import Advice
from tidegate.tui.program import PROGRAM

__all__ = ["AnswerDialog"]

_CLOCK = SystemClock()
_FEW_CHOICES = 4
_ROOMY = 60
"""Columns from which the bar has room for the keys of the answers and of the comment."""
_PATIENCE = 15.0
"""Seconds that an answer may be on its way before the keys count again."""


class AnswerDialog(WaysOut):
    """Asks what a pause asks.

    Args:
        pause: As it was listed when the dialog was opened.
        submit: Gives the answer. It is never called twice at the same time.
        draft: `AnswerOutcome.draft` of the last time.
        advice: Finds out what follows; None: nothing is said about that.
        position: Where this one stands among several, like ``1 of 2``.
        looks_only: Why nothing may be answered from here, safe to draw; empty: it may.
        rejects: Whether the answer that rejects is chosen at once, for a first press.
        clock: Tells how much time is left.
        program: How to call us again for the same store.
        pace: How long keys are inert; tests pass one without waits.
        patience: Seconds to wait for word that the answer is durable.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+t", "comment", "Comment")]

    def __init__(
        self,
        pause: AskedPause,
        submit: Submit,
        *,
        draft: str = "",
        advice: Advice | None = None,
        position: str = "",
        looks_only: str = "",
        rejects: bool = False,
        clock: Clock = _CLOCK,
        program: str = PROGRAM,
        pace: Pace = PACE,
        patience: float = _PATIENCE,
    ) -> None:
        self._rejects = rejects
        self._advice = advice
        super().__init__(
            pause,
            submit,
            advice=advice,
            position=position,
            clock=clock,
            program=program,
            pace=pace,
            patience=patience,
            needs_few=_needs_few(pause.prompt),
        )
        answer, comment = parts_of(draft)
        self._body = body_of(pause.prompt, self.gate, answer)
        self._body.foretell = self.foresight.sentence
        self._comment = CommentField(self.gate, comment, pause.prompt.comment_rule)
        self._certainty = CertaintyField(self.gate)
        self._begun_with = self.draft
        self.looks_only = looks_only

    # -- what is shown ------------------------------------------------------------------------

    @property
    def rows_to_answer(self) -> int | None:
        """Lines of a form; more than any terminal has for what became of a block, whose answers need them all."""
        if isinstance(self._body, FormBody):
            return self._body.rows
        return ALL_ROWS if isinstance(self.pause.prompt, RecoveryPrompt) else None

    def compose_body(self) -> ComposeResult:
        """Show what fits the prompt, a comment on demand, and Close once it is over."""
        self.set_class(self._comment.display, "-crowded")
        yield self._body
        yield self._comment
        yield self._certainty
        yield self.close_button

    def keys(self) -> list[Key]:
        """Return the keys that work now."""
        if self._is_over:
            return [*self.reading_keys(), ("enter", "close"), ("esc", "close")]
        if typing := self.comment_keys():
            return typing
        own, comment = [*self._body.keys(), *self.reading_keys()], ("ctrl+t", "comment")
        # Where few have room, it comes first: the buttons say their keys themselves.
        is_first = isinstance(self._body, ConfirmBody) and self.size.width < _ROOMY
        return [
            *([comment, *own] if is_first else [*own, comment]),
            *self.keys_out(),
            ("f4", "editor"),
            ("esc", "later"),
        ]

    def armed(self) -> None:
        """Let keys count, unless it was decided elsewhere before they did."""
        if self.closed_meanwhile is not None:
            self.pause_closed(self.closed_meanwhile)
            return
        self._foresee(self._answers())
        if self.looks_only:
            self.close_with(lambda _: self.looks_only)
            return
        self.say(self._body.hint)
        self._body.begin()
        self._find_rules()
        if self._rejects:
            self.action_reject()

    @property
    def begins_with_comment(self) -> bool:
        """Whether text is what is typed first: the reason of a no."""
        return self._rejects or super().begins_with_comment

    def _answers(self) -> Answers:
        late = [("Nobody answers in time", Supposed.NOTHING)] if self.pause.deadline is not None else []
        return [*self._body.answers(), *late]

    @work(group="foresee")
    async def _foresee(self, answers: Answers) -> None:
        """Look up what answers lead to; if one of them is armed meanwhile, say it with the rest."""
        await self.foresight.look_up(answers)
        if self._armed is not None and not self._is_over and not self.gate.busy:
            self._body.remind()

    @work(group="rules")
    async def _find_rules(self) -> None:
        """Look up where the rules of the fields stand, for the one who breaks them."""
        if self._advice is not None and self._advice.rule_places is not None:
            try:
                self._body.show_rule_places(await self._advice.rule_places())
            except TidegateError:
                # The rule itself is said all the same.
                return

    @property
    def is_unsent(self) -> bool:
        """Whether something was typed here, or is on its way, that nobody has taken yet."""
        return not self._is_over and (self.gate.busy or self.draft != self._begun_with)

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Focus without scrolling: a form shows the whole field, the toolkit would center where it is typed."""
        del scroll_visible
        super().set_focus(widget, scroll_visible=False, from_app_focus=from_app_focus)

    def show_sentence(self, event: Say) -> None:
        """Show what the body says, with a warning if it is armed over text nobody has seen."""
        if self.gate.busy or self._is_over:
            return
        said = [event.text]
        if (armed := self._armed) is not None:
            raw = armed[1]
            said += [self.unread_warning(), self._comment_words(), *self.wishes(raw)]
            if not self.foresight.knows(raw):
                self._foresee([armed])
        self.say(" ".join(filter(None, said)), event.tone)

    def _comment_words(self) -> str:
        """Return that what was typed beside the answer goes with it, whatever the answer is by now."""
        is_there = bool(self._comment.value.strip()) and not self._comment.has_focus
        return "Your comment goes with it." if is_there else ""

    @property
    def _armed(self) -> tuple[str, str] | None:
        """What the next press sends, and its name; None: nothing is armed."""
        body = self._body
        if not isinstance(body, ArmedBody) or body.option is None:
            return None
        return body.option.label, body.raw_of(body.option)


def _needs_few(prompt: Prompt) -> bool:
    """Whether answering takes so few rows that there is room for more than the question everywhere."""
    if isinstance(prompt, ChoicePrompt):
        return not prompt.multiple and len(prompt.choices) <= _FEW_CHOICES
    return isinstance(prompt, ConfirmPrompt | InputPrompt)
