"""What the field of a new value begins with, and what is said with it."""

from tidegate.engine.forks.preview import ForkPreview
from tidegate.history.document import Missing
from tidegate.history.paths import Path
from tidegate.history.spans import size
from tidegate.model.base import Json
from tidegate.tui.dialogs.turns.fork_fields import Looked
from tidegate.tui.nouns.fork_ground import Ground, Present, inner_problem, inside
from tidegate.tui.present.exact import field_text
from tidegate.tui.present.fork import sentence

__all__ = ["looked_at"]

_TYPE = "Type the new value; enter takes it. A fork gets it, never this run."
_QUOTED = (
    'It holds what a field cannot show, and stands here as JSON writes it: "\\t" is a tab. What you type in double '
    "quotes is read so; enter takes it."
)
_NOTHING = "Nothing stands there yet: type a value; enter takes it, and shows what the fork does then."
_READING = "Reading what stands there…"


def looked_at(
    ground: Ground, preview: ForkPreview | None, path: Path, found: Present | None = None
) -> Looked:
    """Return what stands at a path, with what was changed already.

    Args:
        ground: What the fork goes on from.
        preview: What it does so far.
        path: Where.
        found: What stands inside of a large value, once that was read.
    """
    changed = _changed(preview, path)
    problem = changed[1] if changed is not None else ground.problem_at(path, preview)
    if problem:
        return Looked(problem=sentence(problem))
    if changed is not None:
        return _looked(Present(changed[0]))
    present = found if found is not None else ground.present_at(path)
    if found is None and (present.inner or ground.leads_below(path)):
        return Looked(says=_READING)
    return _looked(present)


def _changed(preview: ForkPreview | None, path: Path) -> tuple[Json | Missing, str] | None:
    """Return what a value is that was changed already, or is inside of one, and why nothing can be; None: it was not."""
    for value in preview.edits if preview is not None else ():
        if path[: len(value.path)] == value.path:
            inner = path[len(value.path) :]
            return inside(value.after, inner), inner_problem(value.after, inner) if inner else ""
    return None


def _looked(present: Present) -> Looked:
    if present.hidden:
        return Looked(says=f"Its {size(present.hidden)} are not shown; what is typed replaces all of it.")
    if isinstance(present.value, Missing):
        return Looked(says=_NOTHING)
    value = field_text(present.value)
    return Looked(value, _QUOTED if value.is_quoted else _TYPE)
