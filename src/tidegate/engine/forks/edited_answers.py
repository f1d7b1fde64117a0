"""Another answer to a question that was asked before a fork."""

from collections.abc import Iterable

from tidegate.engine.forks.edited import Edit, Edits, InvalidEdit
from tidegate.engine.votes import as_kept
from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.codec import printable
from tidegate.model.fork_events import KeptAnswer, question_key
from tidegate.model.ids import BlockId, Seq, block_of, is_part
from tidegate.model.prompt import Answer, ConfirmPrompt, Prompt, RecoveryPrompt, check_comment, is_secret
from tidegate.model.state import Pause, RunState
from tidegate.model.typed_text import as_json
from tidegate.workflows.nearest import named

__all__ = ["edit_answer"]

_WHOLE = len(("blocks", "BLOCK", "answer"))
_SINCE = "changed in a fork"
"""The comment where one is required, and none was given there."""


def edit_answer(
    state: RunState, asked: Iterable[Pause], found: Edits, edit: Edit, place: BlockId, by: str
) -> None:
    """Let the question of *place* have another answer, read by its own rule.

    It counts if the fork asks the very same question; else somebody is asked.

    Args:
        state: Of the other run at the point, with the definition that the fork goes on with.
        asked: All that the other run has asked, also after the point.
        found: What the edits come to.
        edit: What is wanted.
        place: Who asks.
        by: Who forks.

    Raises:
        InvalidEdit: there is no such question, or this is no answer to it.
    """
    pause = _asked_at(state.head, asked, place)
    _must_be_open_to_change(state, edit, place, pause)
    if pause is None:
        raise InvalidEdit(
            edit.path, f"block '{place}' has asked nothing yet: fork, and answer it when it asks"
        )
    answer = _read(edit, pause, by)
    key = question_key(pause.prompt)
    found.answers[place] = KeptAnswer(question=key, answer=answer, pause_id=pause.pause_id)
    before = _told(pause.prompt, pause.answer.value) if pause.answer is not None else None
    found.note(("blocks", place, "answer"), before, _told(pause.prompt, answer.value))


def _asked_at(point: Seq, asked: Iterable[Pause], place: BlockId) -> Pause | None:
    """Return the question of a place that is nearest to a point: the last one up to it, else the first one after."""
    own = sorted((pause for pause in asked if pause.block == place), key=lambda pause: pause.opened_seq)
    earlier = [pause for pause in own if pause.opened_seq <= point]
    return earlier[-1] if earlier else next(iter(own), None)


def _must_be_open_to_change(state: RunState, edit: Edit, place: BlockId, pause: Pause | None) -> None:
    """Refuse what no fork can answer."""
    block, definition = block_of(place), state.definition_of(place)
    again = f"let it run again (--from {block})"
    if not definition.interactive:
        if pause is not None and isinstance(pause.prompt, RecoveryPrompt):
            problem = (
                f"what to do after it had failed, or was cut off, was decided for that time alone: {again}"
            )
            raise InvalidEdit(edit.path, problem)
        raise InvalidEdit(edit.path, f"block '{block}' asks nobody: change what it gave, or what it is given")
    if len(edit.path) > _WHOLE:
        raise InvalidEdit(edit.path, f"an answer is given as a whole: blocks.{place}.answer")
    if is_part(place) != (definition.for_each is not None) or definition.loop is not None:
        raise InvalidEdit(edit.path, _say_which(state, block))
    if pause is not None and is_secret(pause.prompt):
        raise InvalidEdit(edit.path, f"what was answered there is in no history: {again}, and answer it then")


def _say_which(state: RunState, block: BlockId) -> str:
    if state.graph.blocks[block].loop is not None:
        problem = "it asks in a loop, and an iteration reads what the one before gave"
        return f"{problem}: let it run again (--from {block}), and answer it then"
    parts = [f"blocks.{part}.answer" for part in state.parts_of(block)]
    return f"each of its items asks: say which, {named(parts)}"


def _read(edit: Edit, pause: Pause, by: str) -> Answer:
    try:
        answer = as_kept(pause, _typed(pause.prompt, edit.value))
    except InvalidAnswer as error:
        raise InvalidEdit(edit.path, error.rule) from None
    return answer.evolve(by=printable(by), via="fork", comment=_comment(pause, answer.value))


def _typed(prompt: Prompt, value: Json) -> str:
    """Return an answer as it would be typed."""
    if isinstance(value, str):
        return value
    if isinstance(prompt, ConfirmPrompt) and isinstance(value, bool):
        return prompt.spell(value)
    return "" if value is None else as_json(value)


def _told(prompt: Prompt, value: Json) -> Json:
    """Return an answer as it is kept, of which a number is one; a yes or a no in the word that a person gives."""
    return prompt.spell(value) if isinstance(prompt, ConfirmPrompt) else value


def _comment(pause: Pause, value: Json) -> str:
    """Return the comment that was there, or where one is required and there was none, that it comes from a fork."""
    before = pause.answer.comment if pause.answer is not None else ""
    try:
        return check_comment(pause.prompt, value, before)
    except InvalidAnswer:
        return _SINCE
