"""How an answer is given: bodies of the answer dialog, and the two presses that send a choice.

A body knows its prompt and its gate. It sends nothing itself: it posts `Send` with what was chosen
or typed, and the dialog reads it with the prompt's own rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.containers import Vertical
from textual.message import Message

from tidegate.model.outlook import Supposed
from tidegate.tui.dialogs.bodies.foresight import Answers
from tidegate.tui.dialogs.frame.base import Key, Say, Tone
from tidegate.tui.dialogs.frame.gate import Gate, Press

__all__ = ["ArmedBody", "Body", "Option", "Send", "with_place"]

_AWAY = "You were elsewhere meanwhile, so nothing is chosen any more."

_MOST_ANSWERS = 9
"""Answers of which it is looked up at once what each leads to; the others when somebody stands on them."""


def with_place(rule: str, place: str) -> str:
    """Return a rule with where it stands, such as ``a number (deploy.yaml:31)``, if that is known."""
    return f"{rule.rstrip('.')} ({place})" if place else rule


class Send(Message):
    """Somebody decided."""

    def __init__(self, raw: str) -> None:
        super().__init__()
        self.raw = raw


class Body(Vertical):
    """What an answer dialog asks with."""

    hint = ""
    """What to do, as long as nothing was done."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(id="dialog-body")
        self.gate = gate
        self.foretell: Callable[[str], str] = lambda _: ""
        """Returns what an answer leads to, as a sentence, safe to draw; empty: not known."""
        self.rule_place = ""
        """Where the rule stands in the workflow's file, safe to draw; empty: not known."""

    @property
    def draft(self) -> str:
        """What was typed so far and is kept when the dialog closes."""
        return ""

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        raise NotImplementedError

    def takes(self, key: str) -> bool:
        """Return whether the body itself, and nothing in it, does something with a key."""
        return self.can_focus and key in self._bindings.key_to_bindings

    def answers(self) -> Answers:
        """Return what may be answered, as far as it can be said now."""
        return [("Any answer", Supposed.ANYTHING)]

    def begin(self) -> None:
        """Focus what takes keys and sends nothing by itself."""
        raise NotImplementedError

    def begin_again(self) -> None:
        """Take the focus back from a field beside it, and say what to do here."""
        self.begin()
        # After the focus has come, on which it depends what a key does.
        self.app.call_later(self.remind)

    def commit(self) -> None:
        """Go on: arm what is chosen, or send what is armed or typed."""
        raise NotImplementedError

    def step_back(self) -> bool:
        """Take back one step; False if there is none."""
        return False

    def strayed(self) -> None:
        """Take back what the first letters of a text have done: somebody writes, who chooses nothing."""

    def remind(self) -> None:
        """Say again what to do now."""
        self.post_message(Say(self.hint))

    def show_rule_places(self, place_of: Callable[[str], str]) -> None:
        """Take in where rules stand, by the id of the field, empty for the only one; what it returns is safe to draw."""
        self.rule_place = place_of("")

    def reject(self) -> bool:
        """Choose the answer that rejects; return whether there is one."""
        return False

    def refused(self, rule: str) -> None:
        """Show which rule the answer breaks, safe to draw."""
        self.post_message(Say(self.refusal(rule), "error"))

    def refusal(self, rule: str) -> str:
        """Return as a sentence that an answer is not taken, and by which rule."""
        return f"Not taken: {with_place(rule, self.rule_place)}."


@dataclass(frozen=True, slots=True)
class Option:
    """One answer of a closed list."""

    raw: str
    """As the prompt reads it."""
    label: str
    """Safe to draw."""
    effect: str = ""
    """What it does, as a sentence."""
    tone: Tone = "armed"
    keys: str = "enter"
    """What sends it once it is armed."""
    unasked: str = ""
    """What goes out with it that nobody has typed, as a sentence."""


class ArmedBody(Body):
    """Choosing arms an answer, and a second press sends it: no single stroke decides."""

    nothing_chosen = "Nothing is chosen yet."
    sends = "send"
    """What the second press does, as a verb."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate)
        self.option: Option | None = None
        """What the next press sends."""
        self._is_held_back = False
        """Whether somebody was told to let go of the key first."""

    def arm(self, option: Option) -> None:
        """Make *option* what the next press sends, and say so; not for a letter of a text, to which this comes late."""
        if self.gate.is_void:
            return
        self.option, self._is_held_back = option, False
        self.show_armed(option)
        self.remind()

    def remind(self) -> None:
        """Say what the next press does."""
        option = self.option
        if option is None:
            super().remind()
            return
        if self._is_held_back:
            # Told once more because something else is known by now, it is still what counts.
            self._say_held(option)
            return
        sentence = f"{option.label}: press {self._keys_of(option)} to {self.sends}, esc to go back."
        self.post_message(Say(f"▶ {sentence} {self.effect_of(option)}".rstrip(), option.tone))

    def _keys_of(self, option: Option) -> str:
        """Return what sends an answer from where the cursor is: in a field beside it letters and enter do not."""
        focused = self.screen.focused
        is_here = focused is None or self in focused.ancestors_with_self
        return option.keys if is_here else "ctrl+s"

    def effect_of(self, option: Option) -> str:
        """Return what goes out unasked, and what an answer does: in this run now, if that is known, else in general."""
        effect = self.foretell(self.raw_of(option)) or option.effect
        return f"{option.unasked} {effect}".strip()

    def show_armed(self, option: Option | None) -> None:
        """Mark what is armed."""

    def highlighted(self) -> Option | None:
        """Return what the arrows stand on."""
        raise NotImplementedError

    def answers(self) -> Answers:
        """Return the answers of the list, the first of them; where there is no list, any."""
        listed = [(option.label, self.raw_of(option)) for option in self.listed()[:_MOST_ANSWERS]]
        return listed or super().answers()

    def listed(self) -> Sequence[Option]:
        """Return the answers to choose from, if there is a list of them."""
        return ()

    def raw_of(self, option: Option) -> str:
        """Return the answer as it is sent."""
        return option.raw

    def take(self, option: Option) -> None:
        """Arm *option*, or send it if it is armed already."""
        if self.option == option:
            self._confirm(option)
        else:
            self.arm(option)

    def commit(self) -> None:
        """Send what is armed, or arm what the arrows stand on."""
        option = self.highlighted() or self.option
        if option is None:
            self.post_message(Say(self.nothing_chosen, "error"))
        else:
            self.take(option)

    def step_back(self) -> bool:
        """Disarm."""
        if self.option is None:
            return False
        self.disarm()
        return True

    def disarm(self) -> None:
        """Forget what was armed; what is highlighted stays so."""
        if self.option is None:
            return
        self.option = None
        self.show_armed(None)
        self.post_message(Say(self.hint))

    def strayed(self) -> None:
        """Forget what was armed."""
        self.disarm()

    def came_back(self) -> None:
        """Forget what was armed before somebody went elsewhere, and say so."""
        if self.option is not None:
            self.fail(f"{_AWAY} {self.hint}")

    def fail(self, problem: str) -> None:
        """Say why something was not done, safe to draw; nothing is armed any more."""
        self.disarm()
        # By the same way as what disarming says, so that it comes after it.
        self.post_message(Say(problem, "error"))

    def _confirm(self, option: Option) -> None:
        match self.gate.verdict:
            case Press.CLEAR:
                self._send(option)
            case Press.HURRIED:
                self._say_held(option)
            case Press.REPEATED:
                # It may be the first repeat of a held key. If it is, the next one is near.
                presses = self.gate.presses
                self.set_timer(self.gate.pace.quiet, lambda: self._send_if_quiet(option, presses))

    def _send_if_quiet(self, option: Option, presses: int) -> None:
        if self.option != option:
            return
        if self.gate.presses == presses:
            self._send(option)
        else:
            self._say_held(option)

    def _say_held(self, option: Option) -> None:
        self._is_held_back = True
        self.post_message(
            Say(f"▶ {option.label}: let go, then press {self._keys_of(option)} to {self.sends}.", option.tone)
        )

    def _send(self, option: Option) -> None:
        self.post_message(Send(self.raw_of(option)))
