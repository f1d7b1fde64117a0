"""What a fork asks, as far as that is known before it is made."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tidegate.engine.decide import decide
from tidegate.engine.draft import Draft
from tidegate.engine.forks.fork import Fork
from tidegate.engine.parts import Parts
from tidegate.model.base import JsonObject
from tidegate.model.fork_events import KeptAnswer, question_key
from tidegate.model.ids import BlockId, Seq, block_of
from tidegate.model.prompt import Answer, RecoveryPrompt, describe_value
from tidegate.model.state import BlockStatus, Pause, RunState

__all__ = ["ForkedQuestion", "asked_at_once", "decided_at_once", "other_questions", "questions_of"]

AtOnce: TypeAlias = Mapping[BlockId, Pause]
"""What is asked as the fork begins, by the place that asks, in that order."""


@dataclass(frozen=True, slots=True)
class ForkedQuestion:
    """One question that a fork may ask."""

    place: BlockId
    """The block that asks, or the item or iteration of it."""
    text: str
    """What it asks at once; or else what it asked in the other run, the newest that was known at the point."""
    is_sure: bool
    """Whether it asks that: what it asked in the other run may have read what is other by then."""
    answer: str = ""
    """What was answered to that there, or with the fork, if it counts for the very same question."""
    is_given: bool = False
    """Whether that answer is given with the fork."""

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {
            "place": self.place,
            "text": self.text,
            "is_sure": self.is_sure,
            "kept_answer": self.answer or None,
            "answer_is_given": self.is_given,
        }


async def decided_at_once(parts: Parts, fork: Fork) -> RunState:
    """Return how the fork stands once all is decided that needs no work: on a draft that is thrown away."""
    draft = Draft(fork.after, fork.at)
    await decide(parts, draft)
    return draft.state


def asked_at_once(fork: Fork, begun: RunState) -> AtOnce:
    """Return what the fork asks as it begins, where it stands as *begun* then."""
    opened = [pause for pause in begun.pauses.values() if pause.pause_id not in fork.after.pauses]
    return {pause.block: pause for pause in sorted(opened, key=_when)}


def questions_of(fork: Fork, at_once: AtOnce) -> dict[BlockId, tuple[ForkedQuestion, ...]]:
    """Return by block what it asks at once; or else what was asked there, of each place that has not ended."""
    sure = {block_of(place) for place in at_once}
    former = {
        pause.block: pause
        for pause in _former(fork).values()
        if block_of(pause.block) not in sure and not fork.after.block(pause.block).status.has_ended
    }
    found: dict[BlockId, list[ForkedQuestion]] = defaultdict(list)
    for place, pause in {**at_once, **former}.items():
        found[block_of(place)].append(_question(fork, place, pause, is_sure=place in at_once))
    return {block: tuple(questions) for block, questions in found.items()}


def _question(fork: Fork, place: BlockId, pause: Pause, *, is_sure: bool) -> ForkedQuestion:
    kept = _kept_answer(fork, pause)
    return ForkedQuestion(
        place=place,
        text=pause.prompt.text,
        is_sure=is_sure,
        answer=_said(kept.answer) if kept is not None else "",
        is_given=kept is not None and kept == fork.edits.answers.get(place),
    )


def other_questions(fork: Fork, at_once: AtOnce) -> Iterator[str]:
    """Yield which answers that are given with the fork count for nothing, as far as is known."""
    for place, answer in fork.edits.answers.items():
        if place in at_once and question_key(at_once[place].prompt) != answer.question:
            yield f"block '{place}' asks another question now: the answer to the former one does not count"


def _former(fork: Fork) -> dict[BlockId, Pause]:
    """Return what each place has asked in the other run, what is nearest to what the fork would ask.

    How often a loop asks is not known: of one the nearest of all iterations is there.
    """
    found: dict[BlockId, Pause] = {}
    for pause in sorted(fork.newest.pauses.values(), key=_when):
        place = block_of(pause.block) if "#" in pause.block else pause.block
        # What to do about an interruption was asked about that one alone.
        if not isinstance(pause.prompt, RecoveryPrompt) and _is_nearer(fork, found.get(place), pause):
            found[place] = pause
    return found


def _is_nearer(fork: Fork, before: Pause | None, pause: Pause) -> bool:
    """Whether a question tells more than the one before it: the newest at the point, or the first one after it.

    The latter where the block was still to ask then: what had changed since its last question is in that one.
    """
    point = fork.event.origin.seq
    if pause.opened_seq <= point or before is None:
        return True
    is_ahead = fork.before.block(block_of(pause.block)).status in (BlockStatus.PENDING, BlockStatus.SKIPPED)
    return is_ahead and before.opened_seq <= point


def _when(pause: Pause) -> Seq:
    return pause.opened_seq


def _kept_answer(fork: Fork, asked: Pause) -> KeptAnswer | None:
    """Return the answer that counts if *asked* is asked again."""
    key = question_key(asked.prompt)
    kept = fork.event.kept.get(asked.block, ())
    return next((it for it in kept if it.question == key), None)


def _said(answer: Answer) -> str:
    # What was typed may be nothing, where there is a default.
    return answer.raw or describe_value(answer.value)
