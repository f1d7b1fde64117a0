"""What differs between two points of runs, below each other or side by side."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from tidegate.history.changes import Change, ChangeKind, line_diff
from tidegate.history.comparing import Comparison
from tidegate.history.document import Missing, Node
from tidegate.history.paths import Path, path_text
from tidegate.history.points import Point
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, fit, text_line
from tidegate.tui.present.node_words import node_words
from tidegate.tui.present.shared import counted
from tidegate.tui.present.state_tree import Changed, changed_with

__all__ = ["change_hint", "changed_of", "definition_line", "difference_lines", "split_lines"]

_TONES = {ChangeKind.ADDED: Tone.ADDED, ChangeKind.REMOVED: Tone.REMOVED, ChangeKind.CHANGED: Tone.ACCENT}
_TEXT_TONES = {"+": Tone.ADDED, "-": Tone.REMOVED, "@": Tone.DIM}
_MOST = 400
"""Changes that a pane shows."""
_MOST_LINES = 60
"""Lines of one text."""
_NAME = 12
"""Cells of a name in front of its values."""


def changed_of(comparison: Comparison | None, here: Point, names: Mapping[str, str]) -> Changed:
    """Return what is marked in the tree of one of the two points: what is only there, what is other, and the way there.

    Args:
        comparison: What differs; None: nothing is known to.
        here: The point.
        names: Of the questions that the comparison tells of, as the tree has them; see `names_of_questions`.
    """
    signs: dict[Path, str] = {}
    for change in comparison.changes if comparison is not None else ():
        path, elsewhere = change.right_path, change.left_path
        if comparison is not None and comparison.right != here:
            path, elsewhere = elsewhere, path
        if path is None:
            path = change.path[:-1]
        else:
            path = _in_tree(path, names)
            signs[path] = "~" if elsewhere is not None else change.kind.sign
        for end in range(1, len(path)):
            signs.setdefault(path[:end], "~")
    return changed_with(signs)


def _in_tree(path: Path, names: Mapping[str, str]) -> Path:
    match path:
        case ("pauses", str(name), *rest):
            return ("pauses", names.get(name, name), *rest)
        case _:
            return path


def change_hint(signs: Mapping[Path, str]) -> str:
    """Return what the signs in a tree mean; empty: there are none."""
    if not signs:
        return ""
    return "- ~ changed later" if "-" in signs.values() else "+ ~ changed"


def difference_lines(comparison: Comparison) -> list[Line]:
    """Return the changes below each other, by the part of the run that they are in."""
    return [*_body(comparison, _unified), *_foot(comparison)]


def split_lines(comparison: Comparison, width: int) -> list[Line]:
    """Return the changes with both sides next to each other, in *width* cells."""
    half = max(4, (width - 3) // 2)

    def beside(change: Change) -> Iterator[Line]:
        return _beside(change, half)

    return [*_body(comparison, beside), *_foot(comparison)]


def _body(comparison: Comparison, show: Callable[[Change], Iterator[Line]]) -> Iterator[Line]:
    if comparison.is_same:
        yield text_line("Nothing differs.", Tone.DIM, key="same")
        return
    group: Path = ()
    for change in comparison.changes[:_MOST]:
        above = change.path[:-1][:2]
        if above != group:
            group = above
            yield text_line(
                safe_line(path_text(above) or "run", 200), Tone.STRONG, key=f"group:{path_text(above)}"
            )
        yield from show(change)
    hidden = (
        len(comparison.changes) - _MOST + comparison.more
        if len(comparison.changes) > _MOST
        else comparison.more
    )
    if hidden > 0:
        yield text_line(f"… {counted(hidden, 'more change')}", Tone.DIM, key="more")


def _foot(comparison: Comparison) -> Iterator[Line]:
    counts = {kind: sum(change.kind is kind for change in comparison.changes) for kind in ChangeKind}
    said = " · ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    if said:
        yield text_line("", key="gap")
        yield text_line(said, Tone.DIM, key="counts")
    # Where they count they are the very same ones.
    counted_ones = set(map(id, comparison.changes))
    uncounted = sum(id(change) not in counted_ones for change in comparison.timing)
    if uncounted:
        yield _with_key("timing", _timing(uncounted), "t", "screen.timing", "counts them")
    if comparison.ignored:
        said = counted(comparison.ignored, "difference")
        yield _with_key("ignored", f"{said} left out", "-", "screen.leave_out", "changes what")


def _timing(number: int) -> str:
    return "1 time or attempt differs too" if number == 1 else f"{number} times or attempts differ too"


def _with_key(key: str, said: str, press: str, action: str, does: str) -> Line:
    pieces = (
        Piece(f"{said}: ", Tone.DIM),
        Piece(press, Tone.KEY, action),
        Piece(f" {does}", Tone.DIM, action),
    )
    return Line(key, pieces, selectable=False)


def _name(change: Change) -> str:
    """Return where a change is, below its heading."""
    return safe_line(path_text(change.path[len(change.path[:-1][:2]) :]), 200)


def _unified(change: Change) -> Iterator[Line]:
    sign, tone, name = change.kind.sign, _TONES[change.kind], _name(change)
    key = f"{sign}{path_text(change.path)}"
    head = (Piece(f"{sign} ", tone), Piece(f"{name:<{_NAME}} ", Tone.PLAIN))
    texts = line_diff(change)
    if texts:
        yield Line(key, (*head, Piece(counted(len(texts), "line"), Tone.DIM)), selectable=False)
        yield from _text(key, texts)
        return
    yield Line(key, (*head, *_sides(change)), selectable=False, indent=4)


def definition_line(change: Change) -> Line:
    """Return one change of a workflow's definition with its whole path, on one line."""
    head = (
        Piece(f"  {change.kind.sign} ", _TONES[change.kind]),
        Piece(f"{safe_line(path_text(change.path), 200)}  "),
    )
    # A block of a definition is none of a run's: it has no status.
    sides = _sides(change, ("definition", *change.path))
    return Line(f"change:{path_text(change.path)}", (*head, *sides), selectable=False)


def _sides(change: Change, path: Path | None = None) -> tuple[Piece, ...]:
    left, right = _values(change, change.path if path is None else path)
    if change.kind is ChangeKind.ADDED:
        return (Piece(right, Tone.ADDED),)
    if change.kind is ChangeKind.REMOVED:
        return (Piece(left, Tone.REMOVED),)
    return (Piece(left, Tone.REMOVED), Piece(" → ", Tone.DIM), Piece(right, Tone.ADDED))


def _values(change: Change, path: Path) -> tuple[str, str]:
    """Return both sides of what stands at a path, safe to draw; what is not there is empty."""
    return _value(path, change.left), _value(path, change.right)


def _value(path: Path, node: Node | Missing) -> str:
    return "" if isinstance(node, Missing) else node_words(path, node)


def _text(key: str, lines: Sequence[str]) -> Iterator[Line]:
    for n, line in enumerate(lines[:_MOST_LINES]):
        tone = _TEXT_TONES.get(line[:1], Tone.PLAIN)
        yield text_line(f"    {safe_line(line, 400)}", tone, key=f"{key}:{n}")
    if len(lines) > _MOST_LINES:
        left = counted(len(lines) - _MOST_LINES, "more line")
        yield text_line(f"    … {left}", Tone.DIM, key=f"{key}:more")


# -- side by side -----------------------------------------------------------------------------


def _beside(change: Change, half: int) -> Iterator[Line]:
    sign, tone, name = change.kind.sign, _TONES[change.kind], _name(change)
    key = f"{sign}{path_text(change.path)}"
    yield Line(key, (Piece(f"{sign} ", tone), Piece(name)), selectable=False)
    texts = line_diff(change)
    pairs = _pairs(texts) if texts else [_values(change, change.path)]
    for n, (left, right) in enumerate(pairs[:_MOST_LINES]):
        is_same = left == right
        pieces = (
            Piece(" "),
            Piece(fit(left, half), Tone.PLAIN if is_same else Tone.REMOVED),
            Piece("│", Tone.RULE),
            Piece(fit(right, half), Tone.PLAIN if is_same else Tone.ADDED),
        )
        yield Line(f"{key}:{n}", pieces, selectable=False)


def _pairs(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the two sides of a text, line by line."""
    pairs: list[tuple[str, str]] = []
    removed: list[str] = []
    added: list[str] = []

    def flush() -> None:
        pairs.extend(zip_longest(removed, added, fillvalue=""))
        removed.clear()
        added.clear()

    for line in lines:
        text = safe_line(line[1:], 400)
        if line.startswith("-"):
            removed.append(text)
        elif line.startswith("+"):
            added.append(text)
        else:
            flush()
            pairs.append(("⋯", "⋯") if line.startswith("@") else (text, text))
    flush()
    return pairs
