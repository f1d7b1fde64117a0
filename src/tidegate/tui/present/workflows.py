"""Workflow files: rows of their list, what is wrong with one, and what one would do."""

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from tidegate.model.effects import asks_somebody, has_effect, is_reversible
from tidegate.model.typed_text import as_json
from tidegate.model.workflow import BlockDefinition, Graph, InputDefinition, WorkflowDefinition
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.looks.symbols import Sign, run_sign
from tidegate.tui.present.shared import LONG, counted, deed, fact, first_line, heading, prose
from tidegate.tui.times import ago, past

if TYPE_CHECKING:
    from pathlib import Path

    from tidegate.errors import Fault
    from tidegate.history.shelf import WorkflowFile
    from tidegate.model.ids import BlockId
    from tidegate.tui.nouns.past_runs import PastRuns

__all__ = ["WORKFLOW_COLUMNS", "dry_run", "effects_in", "waves_in_short", "workflow_line", "workflow_preview"]

WORKFLOW_COLUMNS = (
    Column("STATE", 11),
    Column("WORKFLOW", weight=2),
    Column("RUNS", 5, right=True, since=50),
    Column("LAST RUN", 13, since=44),
    Column("AGO", 6, right=True, since=56),
    Column("DESCRIPTION", weight=1, since=70),
)
_NAME = 60
_NAMED = 12
"""Blocks that are named of one kind; of more it is said how many there are."""
_WAVES = 200
_VALUE = 60
"""Characters of a default or a choice."""
_CHOICES = 8
_ASKS = Piece("◆ ", Tone.WAITING)
_ACTS = Piece("! ", Tone.ACCENT)
_SOUND = Sign("✓", "sound", Tone.DONE)
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "yes or no",
    "list": "a list",
    "map": "a mapping",
}


def workflow_line(file: "WorkflowFile", runs: "PastRuns", now: float) -> Line:
    """Return a workflow file as a row of the list."""
    last = runs.last
    pieces = (
        _sign(file).piece,
        Piece(safe_line(file.name, LONG), Tone.STRONG if file.is_sound else Tone.PLAIN),
        Piece(f"{runs.count}{'' if runs.is_all else '+'}" if runs.count else "-", Tone.DIM),
        run_sign(last.status).piece if last else Piece("never run", Tone.DIM),
        Piece(ago(now - last.row.updated_at) if last else "", Tone.DIM),
        Piece(_about(file), Tone.DIM if file.is_sound else Tone.FAILED),
    )
    return Line(str(file.path), pieces, columns=True)


def _sign(file: "WorkflowFile") -> Sign:
    return Sign("✗", counted(len(file.faults), "fault"), Tone.FAILED) if file.faults else _SOUND


def _about(file: "WorkflowFile") -> str:
    if file.faults:
        return safe_line(_fault_words(file.faults[0]), LONG)
    return first_line(file.definition.description) if file.definition else ""


def workflow_preview(file: "WorkflowFile", runs: "PastRuns", now: float) -> Iterator[Line]:
    """Yield what a workflow is about: what is wrong with its file, or what it takes and would do."""
    if file.faults:
        yield from _faults(file.path, file.faults)
    elif file.definition is not None:
        yield from _contents(file.definition)
    yield text_line("", key="gap:file")
    yield fact("file", safe_line(str(file.path)))
    yield fact("runs", _runs_words(runs, now))


def _faults(path: "Path", faults: Sequence["Fault"]) -> Iterator[Line]:
    them = "it is" if len(faults) == 1 else "they are"
    said = f"{counted(len(faults), 'fault')}: no run starts from this file until {them} mended."
    yield text_line(said, Tone.FAILED, key="faults")
    for n, fault in enumerate(faults):
        where = f"{safe_line(path.name, _NAME)}:{fault.line}:{fault.column}"
        pieces = (Piece(f"{where}  ", Tone.ACCENT), Piece(safe_line(_fault_words(fault), 2_000)))
        yield text_line("", key=f"gap:{n}")
        yield Line(f"fault:{n}", pieces, selectable=False, indent=2)


def _fault_words(fault: "Fault") -> str:
    return f"block '{fault.block}': {fault.message}" if fault.block else fault.message


def _contents(definition: WorkflowDefinition) -> Iterator[Line]:
    if definition.description.strip():
        yield from prose(definition.description, "description")
        yield text_line("", key="gap:description")
    size = f"{counted(len(definition.blocks), 'block')} in {counted(len(definition.waves), 'wave')}"
    yield text_line(size, Tone.DIM, key="size")
    yield from dry_run(definition)
    yield from _waves(definition)
    yield text_line("", key="gap:inputs")
    yield heading("Inputs")
    if not definition.inputs:
        yield text_line("none", Tone.DIM, key="no inputs")
    for declared in definition.inputs:
        mark = Piece(" *", Tone.WAITING) if declared.required else Piece("")
        pieces = (
            Piece(safe_line(declared.name, _NAME), Tone.STRONG),
            mark,
            Piece(f"  {_input_words(declared)}"),
        )
        yield Line(f"input:{declared.name}", pieces, selectable=False, indent=2)
        if declared.description.strip():
            said = f"  {safe_line(declared.description.strip(), LONG)}"
            yield Line(f"about:{declared.name}", (Piece(said, Tone.DIM),), selectable=False, indent=2)


def _input_words(declared: InputDefinition) -> str:
    """Return what an input takes, and what it is if it is left out; safe to draw."""
    kind = f"one of {_choices(declared)}" if declared.choices else _KINDS[declared.type]
    if declared.required:
        return kind
    if declared.default is None:
        return f"{kind}, may be left out"
    return f"{kind}, default {safe_line(_written(declared.default), _VALUE)}"


def _choices(declared: InputDefinition) -> str:
    named = ", ".join(safe_line(_written(choice), _VALUE) for choice in declared.choices[:_CHOICES])
    more = len(declared.choices) - _CHOICES
    return f"{named} and {more} more" if more > 0 else named


def _written(value: object) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case "":
            return '""'
        case str():
            return value
        case _:
            return as_json(value)  # type: ignore[arg-type]  # it came out of a definition, which holds nothing else


def _runs_words(runs: "PastRuns", now: float) -> str:
    last = runs.last
    if last is None:
        return "never run"
    more = "" if runs.is_all else "+"
    return f"{runs.count}{more}, the last {run_sign(last.status).word} {past(now - last.row.updated_at)}"


# -- what it would do -------------------------------------------------------------------------


def dry_run(definition: WorkflowDefinition) -> Iterator[Line]:
    """Yield where a run asks a person, and where it changes things outside."""
    asking = [block.id for block in definition.blocks if asks_somebody(block, definition)]
    if asking:
        named = Piece(_named([safe_line(block, _NAME) for block in asking]))
        pieces = (Piece("◆ asks a person at  ", Tone.WAITING), named)
        yield Line("asks", pieces, selectable=False, indent=2)
    if real := effects_in(definition):
        said = Piece("! changes things outside in  ", Tone.ACCENT)
        yield Line("effects", (said, Piece(real)), selectable=False, indent=2)


def effects_in(definition: WorkflowDefinition) -> str:
    """Return the blocks in which a run may change things outside, safe to draw; empty: in none."""
    acting = [block for block in definition.blocks if has_effect(block, definition)]
    # What cannot be undone is named, whatever else there is.
    acting.sort(key=lambda block: is_reversible(block, definition))
    return _named([deed(safe_line(it.id, _NAME), reversible=is_reversible(it, definition)) for it in acting])


def final_in(definition: WorkflowDefinition) -> str:
    """Return the blocks whose work cannot be undone, as their author knows, safe to draw; empty: there are none."""
    return _named([safe_line(it.id, _NAME) for it in definition.blocks if not is_reversible(it, definition)])


def _named(names: "Sequence[str]") -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def waves_in_short(definition: WorkflowDefinition) -> Line:
    """Return which blocks run after each other, wave by wave, in one line."""
    asking = {block.id for block in definition.blocks if asks_somebody(block, definition)}
    pieces: list[Piece] = []
    for number, wave in enumerate(definition.waves[:_WAVES], 1):
        pieces += [
            Piece(f"{'' if number == 1 else ' · '}wave {number}: ", Tone.DIM),
            Piece(_wave_words(wave, asking)),
        ]
    if len(definition.waves) > _WAVES:
        pieces.append(Piece(f" · and {len(definition.waves) - _WAVES:,} more waves", Tone.DIM))
    return Line("waves", tuple(pieces), selectable=False)


def _wave_words(wave: "Sequence[BlockId]", asking: "Set[BlockId]") -> str:
    named = [f"{'◆ ' if block in asking else ''}{safe_line(block, _NAME)}" for block in wave[:_NAMED]]
    more = f" and {len(wave) - _NAMED:,} more" if len(wave) > _NAMED else ""
    return ", ".join(named) + more


def _waves(definition: WorkflowDefinition) -> Iterator[Line]:
    blocks = Graph(definition).blocks
    for number, wave in enumerate(definition.waves[:_WAVES], 1):
        yield heading(f"Wave {number}")
        yield from (_block_line(blocks[block], definition) for block in wave[:_WAVES])
        if len(wave) > _WAVES:
            yield text_line(f"  and {len(wave) - _WAVES:,} more", Tone.DIM, key=f"more:{number}")
    if len(definition.waves) > _WAVES:
        yield text_line(f"and {len(definition.waves) - _WAVES:,} more waves", Tone.DIM, key="more waves")


def _block_line(block: BlockDefinition, definition: WorkflowDefinition) -> Line:
    # The signs are those of the lines that tell who is asked, and what changes things outside.
    asks, acts = asks_somebody(block, definition), has_effect(block, definition)
    sign = _ASKS if asks else _ACTS if acts else Piece("· ", Tone.DIM)
    words = [safe_line(block.type, _NAME), *_ways(block)]
    if asks and acts:
        words.append("changes things outside")
    pieces = (Piece("  "), sign, Piece(safe_line(block.id, _NAME)), Piece(f"  {' · '.join(words)}", Tone.DIM))
    return Line(f"block:{block.id}", pieces, selectable=False, indent=6)


def _ways(block: BlockDefinition) -> Iterator[str]:
    """Yield what is special about a block."""
    if block.condition:
        yield "on a condition"
    if block.for_each is not None:
        yield "for each item"
    if block.loop is not None:
        yield "in a loop"
    if block.always:
        yield "always"
