"""Everything one needs to know before one answers a question, and what became of one that is closed."""

from collections.abc import Sequence
from typing import assert_never

from tidegate.history.views import RunView
from tidegate.model.form_prompt import FormField
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import (
    ChoicePrompt,
    CommentRule,
    ConfirmPrompt,
    FormPrompt,
    InputPrompt,
    OnTimeout,
    Prompt,
    RecoveryPrompt,
    describe_value,
)
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.numbers import choice_number
from tidegate.tui.present.exhibits import exhibit_facts, exhibit_title
from tidegate.tui.present.outcome import outcome_sign
from tidegate.tui.present.pauses import (
    assigned_words,
    default_words,
    due_piece,
    outcome_words,
    sent_back_words,
)
from tidegate.tui.present.places import place_words
from tidegate.tui.present.shared import (
    LONG,
    counted,
    fact,
    first_line,
    heading,
    json_lines,
    progress_line,
    prose,
)
from tidegate.tui.times import clock_time, past

__all__ = ["pause_preview"]

_CHOICES = 200
"""Choices that a preview lists."""
_FEW = 3
"""Lines of a question behind which what follows is still seen, where few lines are."""


def pause_preview(
    row: PauseRow, run: RunView | None, now: float, ahead: Sequence[Line] = (), *, is_low: bool = False
) -> list[Line]:
    """Return everything one needs to know before one answers; of a closed pause, what became of it.

    Args:
        row: The pause.
        run: The run that asks, if that is known.
        now: Seconds since 1970 UTC.
        ahead: What follows from each answer, as far as it was looked up.
        is_low: Whether few lines are seen of it: what follows then stands before the details, close behind the question.
    """
    if row.state is not PauseState.OPEN:
        return _closed_preview(row, run, now)
    asked = Piece(f" · asked {past(now - row.opened_at)}", Tone.DIM)
    is_held = run is not None and run.row.summary.held
    left = Piece("no deadline runs while it is paused", Tone.DIM) if is_held else due_piece(row, now)
    far = progress_line(run.row.summary) if run is not None else None
    beside = (Piece(" · ", Tone.DIM), *far.pieces) if far is not None and is_low else ()
    first = (Piece(f"◆ {row.prompt.kind}", Tone.WAITING), asked, Piece(" · ", Tone.DIM), left, *beside)
    lines = [Line("kind", first, selectable=False)]
    if row.assignee:
        lines.append(text_line(assigned_words(row, now), Tone.ACCENT, key="assigned"))
    if row.prompt.sent_back is not None:
        lines.append(text_line(sent_back_words(row.prompt.sent_back), Tone.ACCENT, key="sent back"))
    question, details = prose(row.prompt.text, "prompt", Tone.STRONG), _details(row.prompt, now)
    if is_low:
        is_long = len(question) > _FEW
        lines += [*ahead, *question] if is_long else [*question, *ahead]
        lines += details
    else:
        lines += [far] if far is not None else []
        lines += [text_line("", key="gap"), *question, *details]
        lines += [text_line("", key="gap1"), *ahead] if ahead else []
    lines.append(text_line("", key="gap2"))
    lines.append(fact("block", place_words(row.path, row.block)))
    lines += _how_answered(row.prompt)
    if run is not None and run.row.summary.held:
        lines.append(fact("deadline", "stands still, if there is one, while the run is paused"))
    elif row.deadline is not None:
        lines.append(fact("deadline", f"{clock_time(row.deadline, now)}, then {_fallback(row.prompt)}"))
    return lines


def _how_answered(prompt: Prompt) -> list[Line]:
    """Return what counts as an answer, unless its dialog has a key or a field for each, and whether a comment goes with it."""
    has_keys = isinstance(prompt, ConfirmPrompt | RecoveryPrompt | FormPrompt) or (
        isinstance(prompt, ChoicePrompt) and not prompt.multiple
    )
    lines = [] if has_keys else [fact("answer", prompt.rule)]
    if prompt.comment_rule is CommentRule.REQUIRED:
        lines.append(fact("comment", "required with every answer"))
    elif prompt.comment_rule is CommentRule.ON_REJECT:
        lines.append(fact("comment", "required with a no"))
    return lines


def _closed_preview(row: PauseRow, run: RunView | None, now: float) -> list[Line]:
    at, sign = row.closed_at or row.opened_at, outcome_sign(row)
    lines = [
        text_line(f"{sign.symbol} {row.prompt.kind} · {sign.word} {past(now - at)}", Tone.DIM, key="kind")
    ]
    if run is not None:
        lines.append(progress_line(run.row.summary))
    lines += [text_line("", key="gap"), *_became(row, at, now), text_line("", key="gap2")]
    lines += prose(row.prompt.text, "prompt")
    lines += _details(row.prompt, now)
    return [*lines, text_line("", key="gap3"), fact("block", place_words(row.path, row.block))]


def _became(row: PauseRow, at: float, now: float) -> list[Line]:
    """Return what was said, by whom, when and why."""
    answer, when = row.answer, fact("at", clock_time(at, now))
    if answer is None:
        became = f"none: {outcome_words(row).removeprefix('expired · ')}"
        return [fact("answer", Piece(became, Tone.STRONG)), when]
    said = safe_line(describe_value(answer.value), 400) or "(an empty text)"
    lines = [
        fact("answer", Piece(said, Tone.STRONG)),
        fact("by", f"{answer.by or 'somebody'} ({answer.via})"),
    ]
    return [*lines, when, *([fact("comment", answer.comment)] if answer.comment else [])]


def _details(prompt: Prompt, now: float) -> list[Line]:
    lines = _asked(prompt, now)
    if prompt.show:
        lines.append(heading("To look at"))
    return lines + [
        text_line(f"  {exhibit_title(exhibit)} ({exhibit_facts(exhibit)})", key=f"exhibit:{number}")
        for number, exhibit in enumerate(prompt.show)
    ]


def _asked(prompt: Prompt, now: float) -> list[Line]:
    match prompt:
        case ConfirmPrompt():
            return _confirm_details(prompt)
        case ChoicePrompt():
            return _choices(prompt)
        case InputPrompt():
            return [] if prompt.default is None else [fact("default", prompt.default)]
        case FormPrompt():
            return [_field(field) for field in prompt.fields]
        case RecoveryPrompt():
            return _evidence(prompt, now)
        case _:
            assert_never(prompt)


def _choices(prompt: ChoicePrompt) -> list[Line]:
    lines = [
        Line(
            f"choice:{n}",
            (
                Piece(f"  {choice_number(prompt, n):{len(str(n))}} ", Tone.KEY),
                Piece(safe_line(choice, LONG)),
            ),
            selectable=False,
        )
        for n, choice in enumerate(prompt.choices[:_CHOICES], 1)
    ]
    if (left := len(prompt.choices) - _CHOICES) > 0:
        lines.append(text_line(f"  … {counted(left, 'more choice')}", Tone.DIM, key="choices:more"))
    return lines


def _field(field: FormField) -> Line:
    mark = " *" if field.required else ""
    pieces = (
        Piece(f"  {first_line(field.label)}{mark}"),
        Piece(f"  {safe_line(field.rule, LONG)}", Tone.DIM),
    )
    return Line(f"field:{field.id}", pieces, selectable=False, indent=4)


def _confirm_details(prompt: ConfirmPrompt) -> list[Line]:
    lines = [fact("operation", prompt.operation)] if prompt.operation else []
    return lines + json_lines(prompt.details)


def _evidence(prompt: RecoveryPrompt, now: float) -> list[Line]:
    """Return what is known of a block that may have done its work."""
    evidence = prompt.evidence
    lines = [fact("ran", prompt.command)] if prompt.command else []
    lines.append(
        fact("started", f"{clock_time(evidence.started_at, now)}, {past(now - evidence.started_at)}")
    )
    if prompt.attempt > 1:
        lines.append(fact("attempt", str(prompt.attempt)))
    lines.append(heading("Last output"))
    if evidence.last_output:
        return lines + prose(evidence.last_output.rstrip("\n"), "evidence")
    return [*lines, text_line("(it printed nothing)", Tone.DIM, key="evidence")]


def _fallback(prompt: Prompt) -> str:
    """Return what happens when nobody answers in time."""
    how = getattr(prompt, "on_timeout", OnTimeout.FAIL)
    if how is OnTimeout.DEFAULT:
        return f"the default is taken: {default_words(prompt)}"
    return "it is rejected" if how is OnTimeout.REJECT else "the block fails"
