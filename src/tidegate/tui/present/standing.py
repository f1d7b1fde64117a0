"""Where one place of a run stands: its sign, a few cells beside its name, and a sentence."""

from dataclasses import dataclass

from tidegate.model.ids import BlockId, is_part, iteration_place
from tidegate.model.policy import OnFailure
from tidegate.model.state import BlockState, BlockStatus, Fan, RunState
from tidegate.safe_text import safe_line
from tidegate.tui.looks.symbols import RETRYING, TOLERATED, Sign, block_sign
from tidegate.tui.present.parts import all_wait
from tidegate.tui.present.shared import counted
from tidegate.tui.times import clock_time, soon

__all__ = ["Standing", "standing"]


_MANY = 1_000
"""Items from which on a few cells have no room for how many of them failed."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a place stands."""

    sign: Sign
    short: str = ""
    """A few cells; empty where the sign says it all."""
    words: str = ""
    """The same as a sentence without its full stop. Safe to draw."""


def standing(state: RunState, place: BlockId, now: float) -> Standing:
    """Return where a place stands."""
    block = state.block(place)
    sign = block_sign(block.status)
    if block.fan is not None:
        return _in_parts(state, place, block.fan, now)
    match block.status:
        case BlockStatus.PENDING if block.wake_at is not None:
            return _again(state, place, block, block.wake_at, now)
        case BlockStatus.RUNNING:
            return _at_work(state, place, block, now)
        case BlockStatus.PAUSED if block.child is not None:
            open_there = counted(block.child_pauses, "open question")
            return Standing(sign, f"{block.child_pauses}◆", f"{open_there} in its run")
        case BlockStatus.FAILED if _is_tolerated(state, place):
            return Standing(TOLERATED, "tolerated", "the workflow tolerates that it failed")
        case _:
            return Standing(sign, _tries(state, place, block)[0])


def _is_tolerated(state: RunState, place: BlockId) -> bool:
    return not is_part(place) and state.definition_of(place).on_failure is OnFailure.CONTINUE


def _in_parts(state: RunState, place: BlockId, fan: Fan, now: float) -> Standing:
    block = state.block(place)
    sign = block_sign(block.status)
    if block.status is BlockStatus.RUNNING and all_wait(state, place):
        sign = block_sign(BlockStatus.PAUSED)
    elif block.status is BlockStatus.FAILED and _is_tolerated(state, place):
        sign = TOLERATED
    if fan.iterations:
        return _in_turns(state, place, fan, sign, now)
    total, ended = len(fan.keys), len(fan.keys) - fan.left
    words = f"{ended:,} of {counted(total, 'item')} ended"
    if not fan.lost:
        return Standing(sign, f"{ended}/{total}", words)
    short = f"{ended - fan.lost}/{total} ✓ {fan.lost} ✗" if total < _MANY else f"{ended}/{total} ✗"
    return Standing(sign, short, f"{words}, {fan.lost} of them failed")


def _in_turns(state: RunState, place: BlockId, fan: Fan, sign: Sign, now: float) -> Standing:
    loop = state.definition_of(place).loop
    most = f" of {loop.max_iterations}" if loop is not None else ""
    words = f"iteration {fan.iterations}{most}"
    wake_at = state.block(iteration_place(place, fan.iterations)).wake_at
    if wake_at is not None and not state.block(place).status.has_ended:
        words += f", {_when(state, wake_at, now)}"
    return Standing(sign, f"#{fan.iterations}{most.replace(' of ', '/')}", words)


def _again(state: RunState, place: BlockId, block: BlockState, wake_at: float, now: float) -> Standing:
    when = _when(state, wake_at, now)
    if not block.failures:
        return Standing(block_sign(block.status), when, f"it starts {when}")
    rule = state.definition_of(place).retry
    number, most = block.failures + 1, rule.max_attempts if rule is not None else 0
    short = f"{number}/{most} {when}" if most else when
    return Standing(RETRYING, short, f"attempt {number}{f' of {most}' if most else ''}, again {when}")


def _when(state: RunState, at: float, now: float) -> str:
    if state.held is not None and not state.is_stopping:
        return "once it goes on"
    return soon(at - now)


def _at_work(state: RunState, place: BlockId, block: BlockState, now: float) -> Standing:
    sign = block_sign(block.status)
    if block.wake_at is not None:
        until = clock_time(block.wake_at, now)
        return Standing(
            sign,
            f"→{until.removesuffix(':00')}",
            f"it waits until {until}, {_when(state, block.wake_at, now)}",
        )
    short, words = _tries(state, place, block)
    if block.progress is not None:
        part = f"{block.progress.fraction:.0%}"
        message = safe_line(block.progress.message, 200)
        said = f"{part.removesuffix('%')} %{f', {message}' if message else ''}"
        return Standing(sign, f"{short} {part}".strip(), f"{words}, {said}" if words else said)
    if block.child is not None and not words:
        return Standing(sign, short, f"run {block.child.run_id[:6]} of {safe_line(block.child.workflow, 60)}")
    return Standing(sign, short, words)


def _tries(state: RunState, place: BlockId, block: BlockState) -> tuple[str, str]:
    """Return which attempt this is, if it is not the first."""
    if block.attempt <= 1:
        return "", ""
    rule = state.definition_of(place).retry
    number = block.failures + (block.status is BlockStatus.RUNNING)
    # More than the rule allows: a person ran it again, and that one counts on its own.
    if rule is None or not 1 < number <= rule.max_attempts or block.status.has_ended:
        return f"×{block.attempt}", f"attempt {block.attempt}"  # noqa: RUF001 - the sign is meant
    return f"{number}/{rule.max_attempts}", f"attempt {number} of {rule.max_attempts}"
