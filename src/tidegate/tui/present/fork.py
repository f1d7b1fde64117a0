"""What a fork will do, in sentences, and the command that does the same."""

from collections.abc import Iterator, Sequence

from tidegate.engine.forks.edits import EditedValue
from tidegate.engine.forks.preview import Fate, ForkedBlock, ForkPreview, name_below
from tidegate.engine.forks.questions import ForkedQuestion
from tidegate.history.changes import Change
from tidegate.history.paths import Path, path_text
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.nouns.fork_draft import ForkDraft
from tidegate.tui.nouns.fork_ground import Ground, inside
from tidegate.tui.present.differences import definition_line
from tidegate.tui.present.exact import shown_pair
from tidegate.tui.present.shared import counted, deed, first_line, short_id

__all__ = [
    "final_blocks",
    "fork_effect",
    "fork_lines",
    "fork_title",
    "fork_words",
    "sentence",
    "unknown_lines",
]

_NAMED = 12
"""Blocks that are named; of more it is said how many there are."""
_NAME = 60
_PROBLEM = 600
_CHANGES = 8
"""Differences of the workflow's file that are told one by one."""


def fork_title(draft: ForkDraft, preview: ForkPreview | None) -> str:
    """Return what a fork starts from, safe to draw."""
    workflow = f" · {safe_line(preview.workflow, 100)}" if preview is not None else ""
    return f"Fork{workflow} · run {safe_line(draft.point.run_id, 40)} · after event {draft.point.seq}"


def fork_lines(draft: ForkDraft, preview: ForkPreview, ground: Ground, command: str) -> Iterator[Line]:
    """Yield what a fork will do.

    Args:
        draft: What is asked for.
        preview: What it does.
        ground: What it goes on from.
        command: The command that does the same.
    """
    yield from _blocks("Stays as it is", preview.stays)
    yield from _again(preview)
    yield from _below(preview)
    yield from _blocks("Ahead", [block for block in preview.runs if block.fate is Fate.AHEAD])
    yield from _blocks("Not run", preview.left_out)
    yield from _effects(preview)
    yield from _questions(preview, draft)
    yield from _blocks("Asks if it fails", [block for block in preview.leaves() if block.asks_if_it_fails])
    yield from _changes(preview, draft)
    yield from _definition(draft, ground)
    yield from (text_line(f"! {safe_line(warning, 400)}", Tone.WAITING) for warning in preview.warnings)
    yield from _foot(draft, command)


def unknown_lines(draft: ForkDraft, ground: Ground, problem: str, command: str) -> Iterator[Line]:
    """Yield why it is not known what a fork will do, and what it would go on with; *problem* is safe to draw."""
    yield text_line(f"It cannot be made yet: {problem}", Tone.FAILED)
    yield from _definition(draft, ground)
    yield from _foot(draft, command)


def _foot(draft: ForkDraft, command: str) -> Iterator[Line]:
    yield text_line("")
    yield text_line(
        f"Run {short_id(draft.point.run_id)} itself is never changed. The same on the command line:", Tone.DIM
    )
    yield text_line(safe_line(command), Tone.DIM)


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
        verb = "stays as it is" if stays == 1 else "stay as they are"
        said = f"  {counted(stays, 'block')} {verb}, {counted(runs, 'block')} may run"
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
    asking = preview.questions
    asked = [(block, it) for block in asking for it in block.questions or (None,)]
    yield from (_question(block, it) for block, it in asked[:_NAMED])
    if len(asked) > _NAMED:
        yield text_line(f"  and {counted(len(asked) - _NAMED, 'more question')}", Tone.DIM)
    if asking:
        said = (
            "Answers count again for the very same questions."
            if draft.keeps_answers
            else "Answers are not kept."
        )
        yield text_line(f"{said} a changes that.", Tone.DIM)


def _question(block: ForkedBlock, asked: ForkedQuestion | None) -> Line:
    """Return what a block asks; None: that is not known."""
    if asked is None:
        return _asked(block.name, "", "")
    text = f"{'' if asked.is_sure else ', last time'}: {first_line(asked.text)}"
    verb = "gets the answer" if asked.is_given else "keeps its answer"
    kept = f"  {verb}: {safe_line(asked.answer, 200)}" if asked.answer else ""
    return _asked(name_below(block.above, asked.place), text, kept)


def _asked(name: str, text: str, kept: str) -> Line:
    pieces = (
        Piece("Asked before  ", Tone.DIM) if kept else Piece("Asks (again)  ", Tone.WAITING),
        Piece(safe_line(name, _NAME), Tone.STRONG),
        Piece(f"{text}{kept}"),
    )
    return Line(f"asks:{name}", pieces)


def _changes(preview: ForkPreview, draft: ForkDraft) -> Iterator[Line]:
    for value in preview.edits:
        for path in _changed_in(value, draft):
            inner = path[len(value.path) :]
            before, after = shown_pair(inside(value.before, inner), inside(value.after, inner))
            pieces = (
                Piece("Changes  ", Tone.ACCENT),
                Piece(f"{safe_line(path_text(path), 120)}  ", Tone.STRONG),
                Piece(before, Tone.REMOVED),
                Piece(" → ", Tone.DIM),
                Piece(after, Tone.ADDED),
            )
            yield Line(f"edit:{path_text(path)}", pieces)


def _changed_in(value: EditedValue, draft: ForkDraft) -> list[Path]:
    """Return what was changed of a value, as it was asked for; what is inside of it is told by itself."""
    whole = value.path
    paths = [edit.path for edit in draft.edits if edit.path[: len(whole)] == whole]
    return [whole] if whole in paths or not paths else paths


def _definition(draft: ForkDraft, ground: Ground) -> Iterator[Line]:
    if draft.file is not None:
        said = "Goes on with the workflow's file as it is now; w takes what the run has instead."
        yield from _differences(said, Tone.ACCENT, draft.file.differences)
    elif ground.has_other_file:
        said = (
            "The workflow's file is another one by now. The fork keeps what the run was started with; "
            "w goes on with the file as it is now."
        )
        yield from _differences(said, Tone.WAITING, ground.differences)


def _differences(said: str, tone: Tone, differences: Sequence[Change]) -> Iterator[Line]:
    yield text_line(said, tone)
    for change in differences[:_CHANGES]:
        yield definition_line(change)
    if len(differences) > _CHANGES:
        yield text_line(f"  and {counted(len(differences) - _CHANGES, 'more difference')}", Tone.DIM)


def final_blocks(preview: ForkPreview) -> str:
    """Return what may run and cannot be undone, as names that are safe to draw; empty: nothing."""
    names = [
        safe_line(block.name, _NAME) for block in preview.leaves() if block.runs and not block.reversible
    ]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def fork_effect(preview: ForkPreview) -> str:
    """Return what the last press does, as a sentence, safe to draw."""
    blocks = f"{counted(len(preview.runs), 'block')} may run"
    if not preview.effects:
        return f"{blocks}; none of them changes anything outside."
    return f"{blocks}. What these do outside is REAL: {_names(preview.effects)}."


def fork_words(draft: ForkDraft) -> list[str]:
    """Return the words of the command that makes this fork."""
    words = ["checkpoints", "fork", str(draft.point)]
    for edit in draft.edits:
        words += ["--set", f"{path_text(edit.path)}={edit.value}"]
    for block in draft.blocks:
        words += ["--from", block]
    if draft.keeps_answers:
        words.append("--keep-answers")
    if draft.file is not None:
        words += ["--with", draft.file.path]
    return words


def sentence(problem: str) -> str:
    """Return a problem as a sentence that is safe to draw."""
    return f"{safe_line(problem[:1].upper() + problem[1:], _PROBLEM).rstrip('.')}."
