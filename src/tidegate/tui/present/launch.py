"""What is said before a run is started."""

from collections.abc import Iterator

from tidegate.model.workflow import WorkflowDefinition
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Tone, text_line
from tidegate.tui.nouns.launch import Launch
from tidegate.tui.present.shared import prose, short_id
from tidegate.tui.present.workflows import dry_run, effects_in, waves_in_short

__all__ = ["effect_words", "launch_lines", "launch_title"]


def launch_title(launch: Launch) -> str:
    """Return what is started, safe to draw."""
    name = safe_line(launch.definition.name, 100)
    version = f" · version {safe_line(launch.definition.version, 40)}" if launch.definition.version else ""
    if launch.like is None:
        return f"Start {name}{version}"
    return f"Start again {name}{version} · with the inputs of run {short_id(launch.like)}"


def launch_lines(launch: Launch) -> Iterator[Line]:
    """Yield what one should know before, then what the run would do."""
    yield from (text_line(safe_line(notice, 600), Tone.WAITING) for notice in launch.notices)
    yield from dry_run(launch.definition)
    if launch.definition.description.strip():
        yield from prose(launch.definition.description.strip(), "description")
    yield waves_in_short(launch.definition)
    yield text_line(safe_line(str(launch.path)) if launch.path else "from no file", Tone.DIM)


def effect_words(definition: WorkflowDefinition) -> str:
    """Return that a run may change things outside, as a sentence that is safe to draw; empty: it does not."""
    blocks = effects_in(definition)
    return f"It changes things outside in {blocks}." if blocks else ""
