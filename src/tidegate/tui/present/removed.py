"""Runs that were removed, as things that happened: those that one person, or a clean-up, took away together are one."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tidegate.model.events import RunStatus
from tidegate.model.vitals import Removal
from tidegate.tui.lines import Tone
from tidegate.tui.looks.symbols import Sign
from tidegate.tui.present.activity import Happening

__all__ = ["removed"]

_REMOVED = Sign("×", "removed", Tone.DIM)  # noqa: RUF001 - the sign is meant
_PASSIVE = (RunStatus.REJECTED, RunStatus.CANCELLED)
_TOGETHER = 60.0
"""Seconds between two removals of which both are told as one, at most."""
_REASONS = 2
"""Reasons that are told of many runs."""


def removed(removals: Iterable[Removal]) -> list[Happening]:
    """Return what was removed, the newest first.

    Args:
        removals: The newest first.
    """
    groups: dict[tuple[str, str], list[list[Removal]]] = {}
    for removal in removals:
        alike = groups.setdefault((removal.by, removal.workflow), [])
        if alike and abs(alike[-1][-1].at - removal.at) <= _TOGETHER:
            alike[-1].append(removal)
        else:
            alike.append([removal])
    found = [_happening(together) for alike in groups.values() for together in alike]
    return sorted(found, key=lambda happening: -happening.at)


def _happening(together: Sequence[Removal]) -> Happening:
    newest = together[0]
    return Happening(
        # The first one's number: while a clean-up goes on, its row stays the same one.
        f"removal:{together[-1].number}",
        newest.at,
        _REMOVED,
        newest.workflow,
        newest.run_id if len(together) == 1 else None,
        by=newest.by,
        details=_details(together),
        gone=tuple(removal.run_id for removal in together),
    )


def _details(together: Sequence[Removal]) -> str:
    below = sum(removal.runs - 1 for removal in together)
    one = len(together) == 1
    along = f" with {below:,} below {'it' if one else 'them'}" if below else ""
    return "; ".join([f"{_what(together)}{along}", *_reasons(together)])


def _what(together: Sequence[Removal]) -> str:
    ends = Counter(removal.status.value for removal in together).most_common()
    if len(together) == 1:
        return f"a run that was {ends[0][0]}" if ends[0][0] in _PASSIVE else f"a run that had {ends[0][0]}"
    return f"{len(together):,} runs ({', '.join(f'{count:,} {status}' for status, count in ends)})"


def _reasons(together: Sequence[Removal]) -> list[str]:
    """Return what they were beyond, of many the first ones; those that were named were beyond nothing."""
    reasons = list(dict.fromkeys(removal.why for removal in together if removal.why))
    more = len(reasons) - _REASONS
    return [*reasons[:_REASONS], *([f"and {more:,} more such reasons"] if more > 0 else [])]
