"""What a fork will do, in sentences, and the command that does the same."""

import shlex
from collections.abc import Iterator, Sequence

from tidegate.engine.fork_preview import Fate, ForkedBlock, ForkPreview
from tidegate.history.paths import path_text
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.present.differences import change_line
from tidegate.tui.present.shared import counted, deed, first_line, short_id
from tidegate.tui.present.state_tree import shown_value
from tidegate.tui.reads.forking import ForkDraft, Ground

__all__ = ["fork_command", "fork_effect", "fork_lines", "fork_title"]

_NAMED = 12
"""Blocks that are named; of more it is said how many there are."""
_NAME = 60
_CHANGES = 8
"""Differences of the workflow's file that are told one by one."""


def fork_title(draft: ForkDraft, preview: ForkPreview | None) -> str:
    """Return what a fork starts from, safe to draw."""
    workflow = f" · {safe_line(preview.workflow, 100)}" if preview is not None else ""
    return f"Fork{workflow} · run {safe_line(draft.point.run_id, 40)} · after event {draft.point.seq}"


def fork_lines(draft: ForkDraft, preview: ForkPreview, ground: Ground) -> Iterator[Line]:
    """Yield what a fork will do.

    Args:
        draft: What is asked for.
        preview: What it does.
        ground: What it goes on from.
    """
    yield from _blocks("Stays as it is", preview.stays)
    yield from _again(preview)
    yield from _below(preview)
    yield from _blocks("Ahead", [block for block in preview.runs if block.fate is Fate.AHEAD])
    yield from _effects(preview)
    yield from _questions(preview, draft)
    yield from _changes(preview)
    yield from _definition(ground)
    yield from (text_line(f"! {safe_line(warning, 400)}", Tone.WAITING) for warning in preview.warnings)
    yield text_line("")
    yield text_line(
        f"Run {short_id(draft.point.run_id)} itself is never changed. The same on the command line:", Tone.DIM
    )
    yield text_line(safe_line(fork_command(draft)), Tone.DIM)


def _blocks(title: str, blocks: Sequence[ForkedBlock]) -> Iterator[Line]:
    if blocks:
        yield Line(title, (Piece(f"{title} ({len(blocks)})  ", Tone.DIM), Piece(_names(blocks))))


def _names(blocks: Sequence[ForkedBlock]) -> str:
    more = f" and {len(blocks) - _NAMED:,} more" if len(blocks) > _NAMED else ""
    named = (deed(safe_line(it.name, _NAME), reversible=it.reversible) for it in blocks[:_NAMED])
    return ", ".join(named) + more


def _again(preview: ForkPreview) -> Iterator[Line]:
    again = [block for block in preview.runs if block.fate is not Fate.AHEAD]
    if not again:
        return
    yield text_line(f"Begins again or goes on ({len(again)})", Tone.DIM)
    for block in again[:_NAMED]:
        why = f": {safe_line(block.why, 200)}" if block.why else ""
        yield Line(block.block, (Piece(f"  {safe_line(block.block, _NAME)}", Tone.STRONG), Piece(why)))
    if len(again) > _NAMED:
        yield text_line(f"  and {len(again) - _NAMED:,} more", Tone.DIM)


def _below(preview: ForkPreview, above: str = "") -> Iterator[Line]:
    """Yield what becomes of the blocks of runs below that go on."""
    for it in preview.below[:_NAMED]:
        place = f"{above}{it.place}"
        stays, runs = len(it.preview.stays), len(it.preview.runs)
        said = f"  {counted(stays, 'block')} stay as they are, {counted(runs, 'block')} may run"
        yield Line(f"below:{place}", (Piece(f"  {safe_line(place, 200)}", Tone.STRONG), Piece(said)))
        yield from _below(it.preview, f"{place}/")
    if len(preview.below) > _NAMED:
        yield text_line(f"  and {counted(len(preview.below) - _NAMED, 'more run')} below", Tone.DIM)


def _effects(preview: ForkPreview) -> Iterator[Line]:
    if preview.effects:
        pieces = (
            Piece("Changes things outside, for REAL  ", Tone.FAILED),
            Piece(_names(preview.effects), Tone.STRONG),
        )
        yield Line("effects", pieces)
    elif preview.runs:
        yield text_line("Nothing that runs changes anything outside.", Tone.DONE)


def _questions(preview: ForkPreview, draft: ForkDraft) -> Iterator[Line]:
    for block in preview.questions[:_NAMED]:
        last = "" if block.is_sure else ", last time"
        asked = f"{last}: {first_line(block.question)}" if block.question else ""
        kept = f"  keeps its answer: {safe_line(block.answer, 200)}" if block.answer else ""
        pieces = (
            Piece("Asks (again)  " if not kept else "Asked before  ", Tone.WAITING if not kept else Tone.DIM),
            Piece(safe_line(block.name, _NAME), Tone.STRONG),
            Piece(f"{asked}{_more(block)}{kept}"),
        )
        yield Line(f"asks:{block.name}", pieces)
    if len(preview.questions) > _NAMED:
        yield text_line(f"  and {counted(len(preview.questions) - _NAMED, 'more question')}", Tone.DIM)
    if preview.questions:
        said = (
            "Answers count again for the very same questions."
            if draft.keeps_answers
            else "Answers are not kept."
        )
        yield text_line(f"{said} a changes that.", Tone.DIM)


def _more(block: ForkedBlock) -> str:
    return f" (and {counted(block.more_questions, 'more question')})" if block.more_questions else ""


def _changes(preview: ForkPreview) -> Iterator[Line]:
    for edit in preview.edits:
        pieces = (
            Piece("Changes  ", Tone.ACCENT),
            Piece(f"{safe_line(path_text(edit.path), 120)}  ", Tone.STRONG),
            Piece(shown_value(edit.before), Tone.REMOVED),
            Piece(" → ", Tone.DIM),
            Piece(shown_value(edit.after), Tone.ADDED),
        )
        yield Line(f"edit:{path_text(edit.path)}", pieces)


def _definition(ground: Ground) -> Iterator[Line]:
    if not ground.has_other_file:
        return
    yield text_line(
        "The workflow's file is another one by now. The fork keeps what the run was started with; on the command "
        "line, --with FILE goes on with another one.",
        Tone.WAITING,
    )
    for change in ground.differences[:_CHANGES]:
        yield change_line(change)
    if len(ground.differences) > _CHANGES:
        yield text_line(f"  and {counted(len(ground.differences) - _CHANGES, 'more difference')}", Tone.DIM)


def fork_effect(preview: ForkPreview) -> str:
    """Return what the last press does, as a sentence, safe to draw."""
    blocks = f"{counted(len(preview.runs), 'block')} may run"
    if not preview.effects:
        return f"{blocks}; none of them changes anything outside."
    return f"{blocks}. What these do outside is REAL: {_names(preview.effects)}."


def fork_command(draft: ForkDraft) -> str:
    """Return the command that makes this fork."""
    words = ["tidegate", "checkpoints", "fork", str(draft.point)]
    for edit in draft.edits:
        words += ["--set", f"{path_text(edit.path)}={edit.value}"]
    for block in draft.blocks:
        words += ["--from", block]
    if draft.keeps_answers:
        words.append("--keep-answers")
    return shlex.join(words)
